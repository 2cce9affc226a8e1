"""chrF: F of character n-grams."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from benchmarks.pubmedrs200.metrics.evaluate_folder import FolderScorer
from benchmarks.pubmedrs200.metrics.spec import MetricSpec

SPECS: Final = (
    MetricSpec(
        name="chrf",
        title="chrF",
        low=0.0,
        high=100.0,
        better="higher",
        floor=0.0,
        source="Popović 2015, https://aclanthology.org/W15-3049; sacrebleu",
    ),
)


def scorer() -> FolderScorer:
    """The metric, loaded."""
    return FolderScorer("chrf", signature())


def signature() -> str:
    """sacrebleu's own signature, with the settings."""
    import sacrebleu

    return (
        f"sacrebleu:{sacrebleu.__version__}|chrf|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|beta:2|"
        "space:no"
    )


def scores(predictions: Sequence[str], references: Sequence[str]) -> list[float]:
    """chrF of each prediction, 0 to 100."""
    metric = _metric()
    return [
        float(metric.sentence_score(prediction, [reference]).score)
        for prediction, reference in zip(predictions, references, strict=True)
    ]


@cache
def _metric() -> Any:
    from sacrebleu.metrics.chrf import CHRF

    return CHRF(char_order=6, word_order=0, beta=2)
