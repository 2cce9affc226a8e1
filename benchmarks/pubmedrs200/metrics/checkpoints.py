"""The published weights that the neural metrics use unless told otherwise, each pinned to a
revision where one is known.

The paper and the published files name no checkpoint. Three were chosen by the range of the
published values, read against the means that bert-score ships for random pairs of sentences (its
``rescale_baseline`` tables, F1): no value can lie far below such a mean. They are choices with a
reason, not facts, and stay so until a machine with the weights has run them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

Kind = Literal["encoder", "sequence-to-sequence", "comet", "comet-encoder"]

TRANSFORMERS_WEIGHTS: Final = ("model.safetensors", "pytorch_model.bin")


@dataclass(frozen=True)
class Checkpoint:
    """Weights of one model. ``revision`` is a commit of the repository, None where none is known
    for certain.

    ``also`` are other names of the same repository. ``files`` must all be there; each is a choice
    of names, the first one being what is fetched. ``architecture`` is the `model_type` in its
    config.json. ``layer`` is the hidden layer used, counted from 1, where one is.
    """

    name: str
    repository: str
    revision: str | None
    kind: Kind
    architecture: str
    files: tuple[tuple[str, ...], ...]
    also: tuple[str, ...] = ()
    layer: int | None = None

    @property
    def fetched(self) -> str:
        """The files that ``hf download`` is told to fetch; where there are several it takes
        patterns too.
        """
        if (
            self.kind == "sequence-to-sequence"
        ):  # beside them lies the state of the training, twice their size
            return "'*.json' '*.model' pytorch_model.bin"
        return " ".join(choice[0] for choice in self.files)


_BERT_FILES = (("config.json",), TRANSFORMERS_WEIGHTS, ("tokenizer_config.json",), ("vocab.txt",))
_ROBERTA_FILES = (
    ("config.json",),
    TRANSFORMERS_WEIGHTS,
    ("tokenizer_config.json",),
    ("vocab.json",),
    ("merges.txt",),
)

DISTILBERT: Final = Checkpoint(
    "distilbert-base-uncased",
    "distilbert/distilbert-base-uncased",
    "12040accade4e8a0f71eabdb258fecc2e7e948be",
    "encoder",
    "distilbert",
    _BERT_FILES,
    also=("distilbert-base-uncased",),
    layer=5,
)
"""Random pairs 0.666 at layer 5; the published BERTScores run from 0.66 to 0.91 (mean 0.78).
roberta-large, bert-score's own choice for English, has 0.831 for random pairs and cannot give the
lower ones."""
BERT: Final = Checkpoint(
    "bert-base-uncased",
    "google-bert/bert-base-uncased",
    "86b5e0934494bd15c9632b12f734a8a67f723594",
    "encoder",
    "bert",
    _BERT_FILES,
    also=("bert-base-uncased",),
    layer=9,
)
"""Random pairs 0.352 at layer 9; the published CTC without source runs from 0.33 to 0.82 (mean
0.56). ctc_score's "E-bert".
"""
ROBERTA: Final = Checkpoint(
    "roberta-large",
    "FacebookAI/roberta-large",
    "722cf37b1afa9454edce342e7895e588b6ff1d59",
    "encoder",
    "roberta",
    _ROBERTA_FILES,
    also=("roberta-large",),
    layer=17,
)
"""Random pairs 0.831 at layer 17; the published CTC with source runs from 0.80 to 0.93 (mean 0.86).
ctc_score's "E-roberta".
"""
UNIEVAL: Final = Checkpoint(
    "unieval-sum",
    "MingZhong/unieval-sum",
    None,
    "sequence-to-sequence",
    "t5",
    (
        ("config.json",),
        ("pytorch_model.bin", "model.safetensors"),
        ("tokenizer_config.json",),
        ("tokenizer.json", "spiece.model"),
    ),
)
COMET: Final = Checkpoint(
    "wmt22-comet-da",
    "Unbabel/wmt22-comet-da",
    "2760a223ac957f30acfb18c8aa649b01cf1d75f2",
    "comet",
    "",
    (("hparams.yaml",), ("checkpoints/model.ckpt",)),
)
COMET_ENCODER: Final = Checkpoint(
    "xlm-roberta-large",
    "FacebookAI/xlm-roberta-large",
    "c23d21b0620b635a76227c604d44e43a9f0ee389",
    "comet-encoder",
    "xlm-roberta",
    (("config.json",), ("tokenizer.json", "sentencepiece.bpe.model"), ("tokenizer_config.json",)),
    also=("xlm-roberta-large",),
)
"""Only its configuration and tokenizer are read: COMET's checkpoint holds the weights."""

DEFAULTS: Final[Mapping[str, Checkpoint]] = MappingProxyType(
    {
        "bertscore": DISTILBERT,
        "ctc_sf": BERT,
        "ctc_consistency": ROBERTA,
        "unieval": UNIEVAL,
        "comet": COMET,
    }
)
"""By the folder of weights; the five metrics of UniEval share one."""
