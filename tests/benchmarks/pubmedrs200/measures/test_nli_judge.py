"""A model of natural language inference as the judge: a tiny one, taught and saved here, loaded by
the real code.
"""

from __future__ import annotations

import pytest

from benchmarks.pubmedrs200.measures.support import Entailment
from clinfo.records.articles import Article, Section
from tests.required import required

if required("neural"):
    import torch
    import transformers
else:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")

WORDS = [
    "zinc",
    "iron",
    "colds",
    "falls",
    "were",
    "shorter",
    "longer",
    "in",
    "adults",
    "study",
    "of",
    "premise",
    "hypothesis",
    ":",
    "1",
    "0",
]
BERT = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}


def asked(sentence: str, abstract: str) -> Entailment:
    return Entailment(
        sentence, (Article("pmid:1", "study of adults", sections=(Section(abstract),)),)
    )


ASKED = [
    asked(f"{drug} {end}", f"{given} in adults were {change} {end}")
    for drug in ("zinc", "iron")
    for given in ("zinc", "iron")
    for end in ("colds", "falls")
    for change in ("shorter", "longer")
]
HELD = [one.sentence.startswith("zinc") for one in ASKED]
"""The pairs that the tiny models are taught, so that both answers occur."""


def tokenizer_in(folder):
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    vocabulary = {word: number for number, word in enumerate([*BERT.values(), *WORDS])}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token=BERT["unk_token"]))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    ends = [(BERT[name], vocabulary[BERT[name]]) for name in ("sep_token", "cls_token")]
    made.post_processor = processors.BertProcessing(*ends)
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=24, **BERT)
    fast.save_pretrained(folder)
    return fast, len(vocabulary)


def taught(model, inputs, steps=150):
    learner = torch.optim.Adam(model.parameters(), lr=0.01)
    model.train()
    for _ in range(steps):
        learner.zero_grad()
        model(**inputs).loss.backward()
        learner.step()
    return model.eval()


@pytest.fixture(scope="module")
def classifier(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nli") / "tiny-bert"
    torch.manual_seed(3)
    tokenizer, size = tokenizer_in(folder)
    config = transformers.BertConfig(
        vocab_size=size,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=24,
        num_labels=3,
        id2label={0: "contradiction", 1: "neutral", 2: "ENTAILMENT"},
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    read = tokenizer(
        [one.premise for one in ASKED],
        [one.sentence for one in ASKED],
        padding=True,
        return_tensors="pt",
    )
    model = taught(
        transformers.BertForSequenceClassification(config),
        {**read, "labels": torch.tensor([2 if held else 0 for held in HELD])},
    )
    model.save_pretrained(folder)
    return folder


def test_of_a_long_pair_the_premise_is_cut_and_counted(classifier):
    from benchmarks.pubmedrs200.measures.judges import NliJudge

    judge = NliJudge(classifier)
    assert len(judge.judge([asked("zinc colds", "iron falls were longer " * 20), *ASKED[:1]])) == 2
    (warning,) = judge.warnings
    assert warning.startswith(
        "1 of 2 questions to the judge came with more text of articles than it reads, 24 tokens"
    )
