"""ROUGE-L: F of the longest common subsequence of words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.metadata import version

from benchmarks.pubmedrs200.metrics import base
from benchmarks.pubmedrs200.metrics.spec import MetricSpec


class RougeL(base.TextMetric):
    """F1 of the longest common subsequence of words, 0 to 1. Words are rouge-score's: lower case,
    letters and digits only, no stemming. Symmetric.

    The longest common subsequence comes from rapidfuzz: rouge-score's own takes 30 ms for two
    texts of 250 words, this one 0.1 ms, and both are the same whole number.
    """

    SPECS = (
        MetricSpec(
            name="rouge_l", title="ROUGE-L", low=0.0, high=1.0, better="higher", floor=0.0,
            source="Lin 2004, https://aclanthology.org/W04-1013; rouge-score's tokens and F",
        ),
    )  # fmt: skip

    def signature(self, name: str) -> str:
        return (
            f"rouge-score:{version('rouge-score')}|type:rougeL|value:f|stemmer:no|"
            f"lcs:rapidfuzz-{version('rapidfuzz')}"
        )

    def values(self, predictions: Sequence[str], references: Sequence[str]) -> list[float]:
        from rapidfuzz.distance import LCSseq
        from rouge_score import scoring

        values = []
        for prediction, reference in zip(predictions, references, strict=True):
            ours, theirs = _tokens(prediction), _tokens(reference)
            if not ours or not theirs:
                values.append(0.0)
                continue
            number = {word: at for at, word in enumerate(dict.fromkeys((*ours, *theirs)))}
            common = LCSseq.similarity(
                [number[word] for word in ours], [number[word] for word in theirs]
            )
            values.append(float(scoring.fmeasure(common / len(ours), common / len(theirs))))
        return values


@lru_cache(maxsize=512)
def _tokens(text: str) -> tuple[str, ...]:
    from rouge_score import tokenizers

    return tuple(tokenizers.DefaultTokenizer(use_stemmer=False).tokenize(text))
