"""GoogleBLEU (GLEU): the lesser of precision and recall of word n-grams."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, Final

from benchmarks.pubmedrs200.metrics.evaluate_folder import FolderScorer
from benchmarks.pubmedrs200.metrics.spec import MetricSpec

SPECS: Final = (
    MetricSpec(
        name="google_bleu",
        title="GoogleBLEU",
        low=0.0,
        high=1.0,
        better="higher",
        floor=0.0,
        source=(
            "Wu et al. 2016, https://arxiv.org/abs/1609.08144; nltk's sentence_gleu on sacrebleu's "
            "13a tokens"
        ),
    ),
)


def scorer() -> FolderScorer:
    """The metric, loaded."""
    return FolderScorer("google_bleu", signature())


def signature() -> str:
    """Implementation, versions and settings in one line."""
    from importlib.metadata import version

    return f"nltk:{version('nltk')}|gleu|n:1-4|case:mixed|tok:13a|sacrebleu:{version('sacrebleu')}"


def scores(predictions: Sequence[str], references: Sequence[str]) -> list[float]:
    """GoogleBLEU of each prediction, 0 to 1."""
    from nltk.translate.gleu_score import sentence_gleu

    return [
        float(sentence_gleu([_tokens(reference)], _tokens(prediction), min_len=1, max_len=4))
        for prediction, reference in zip(predictions, references, strict=True)
    ]


@lru_cache(maxsize=512)
def _tokens(text: str) -> list[str]:
    return str(_tokenizer()(text)).split()


@cache
def _tokenizer() -> Any:
    from sacrebleu.tokenizers import tokenizer_13a

    return tokenizer_13a.Tokenizer13a()  # type: ignore[no-untyped-call]
