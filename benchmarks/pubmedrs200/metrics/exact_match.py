"""Exact match: whether two texts are the same, character by character."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.pubmedrs200.metrics import base
from benchmarks.pubmedrs200.metrics.spec import MetricSpec


class ExactMatch(base.TextMetric):
    """1 where the prediction is its reference, else 0. Symmetric."""

    SPECS = (
        MetricSpec(
            name="exact_match", title="Exact match", low=0.0, high=1.0, better="higher", floor=0.0,
            source="Rajpurkar et al. 2016, https://aclanthology.org/D16-1264, without their "
            "normalisation; own implementation",
        ),
    )  # fmt: skip

    def signature(self, name: str) -> str:
        return "exact_match:own|case:mixed|punctuation:kept|space:kept"

    def values(self, predictions: Sequence[str], references: Sequence[str]) -> list[float]:
        return [float(one == other) for one, other in zip(predictions, references, strict=True)]
