"""A model of natural language inference as the judge: tiny models, taught and saved here, loaded by
the real code.
"""

from __future__ import annotations

import os

import pytest

from benchmarks.pubmedrs200.measures.support import Entailment
from clinfo.records.articles import Article, Section

if "neural" in os.environ.get("CLINFO_TEST_REQUIRE", "").split(","):
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
T5 = {"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}


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


def tokenizer_in(folder, special):
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    vocabulary = {word: number for number, word in enumerate([*special.values(), *WORDS])}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token=special["unk_token"]))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    if "sep_token" in special:
        ends = [(special[name], vocabulary[special[name]]) for name in ("sep_token", "cls_token")]
        made.post_processor = processors.BertProcessing(*ends)
    else:
        eos = special["eos_token"]
        made.post_processor = processors.TemplateProcessing(
            single=f"$A {eos}", special_tokens=[(eos, vocabulary[eos])]
        )
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, model_max_length=24, **special
    )
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
    tokenizer, size = tokenizer_in(folder, BERT)
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
    return folder, tokenizer, model


def test_of_a_long_pair_the_premise_is_cut_and_counted(classifier):
    from benchmarks.pubmedrs200.measures.judges import NliJudge

    judge = NliJudge(classifier[0])
    assert len(judge.judge([asked("zinc colds", "iron falls were longer " * 20), *ASKED[:1]])) == 2
    assert judge.truncated == 1
    (warning,) = judge.warnings
    assert warning.startswith(
        "1 of 2 questions to the judge came with more text of articles than it reads, 24 tokens"
    )


def test_a_t5_in_the_form_of_true_is_read(tmp_path):
    from benchmarks.pubmedrs200.measures.judges import NliJudge

    torch.manual_seed(0)
    tokenizer, size = tokenizer_in(tmp_path, T5)
    config = transformers.T5Config(
        vocab_size=size, d_model=32, d_kv=16, d_ff=64, num_layers=2, num_heads=2, dropout_rate=0.0,
        decoder_start_token_id=0, pad_token_id=0, eos_token_id=1,
    )  # fmt: skip
    read = tokenizer(
        [f"premise: {one.premise} hypothesis: {one.sentence}" for one in ASKED],
        padding=True,
        return_tensors="pt",
    )
    replies = tokenizer(["1" if held else "0" for held in HELD], return_tensors="pt")["input_ids"]
    inputs = {
        "input_ids": read["input_ids"],
        "attention_mask": read["attention_mask"],
        "labels": replies,
    }
    model = taught(transformers.T5ForConditionalGeneration(config), inputs)
    model.save_pretrained(tmp_path)
    with torch.no_grad():  # what the model prefers as its first token, without generating
        first = model(**inputs).logits[:, 0].argmax(dim=-1).tolist()
    expected = [token == tokenizer.convert_tokens_to_ids("1") for token in first]
    assert {True, False} == set(expected)
    judge = NliJudge(tmp_path)
    assert judge.judge(ASKED) == expected
    assert judge.truncated == 0
    judge.judge([asked("zinc colds", "iron falls were longer " * 20)])
    assert judge.truncated == 1
