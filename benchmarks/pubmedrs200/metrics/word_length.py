"""Word length: how many words a text has. The reference is not looked at."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.pubmedrs200.metrics import base
from benchmarks.pubmedrs200.metrics.spec import MetricSpec


class WordLength(base.TextMetric):
    """The number of words of each prediction, 0 or more.

    Of its own making; the prediction must be the system's text in either orientation.
    """

    SPECS = (
        MetricSpec(
            name="word_length", title="Word length", low=0.0, high=None, better="neither",
            floor=0.0, source="words parted by whitespace; own implementation",
        ),
    )  # fmt: skip

    def signature(self, name: str) -> str:
        return "word_length:own|tok:whitespace"

    def values(self, predictions: Sequence[str], references: Sequence[str]) -> list[float]:
        return [float(len(text.split())) for text in predictions]
