"""Exact match: whether two texts are the same, character by character."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from benchmarks.pubmedrs200.metrics.evaluate_folder import FolderScorer
from benchmarks.pubmedrs200.metrics.spec import MetricSpec

SPECS: Final = (
    MetricSpec(
        name="exact_match",
        title="Exact match",
        low=0.0,
        high=1.0,
        better="higher",
        floor=0.0,
        source=(
            "Rajpurkar et al. 2016, https://aclanthology.org/D16-1264, without their "
            "normalisation; own implementation"
        ),
    ),
)


def scorer() -> FolderScorer:
    """The metric, loaded."""
    return FolderScorer("exact_match", signature())


def signature() -> str:
    """Implementation and settings in one line."""
    return "exact_match:own|case:mixed|punctuation:kept|space:kept"


def scores(predictions: Sequence[str], references: Sequence[str]) -> list[float]:
    """1.0 where the prediction is its reference, else 0.0."""
    return [
        float(prediction == reference)
        for prediction, reference in zip(predictions, references, strict=True)
    ]
