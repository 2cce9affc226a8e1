"""Word length: how many words a text has. The reference is not looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from benchmarks.pubmedrs200.metrics.evaluate_folder import FolderScorer
from benchmarks.pubmedrs200.metrics.spec import MetricSpec

SPECS: Final = (
    MetricSpec(
        name="word_length",
        title="Word length",
        low=0.0,
        high=None,
        better="neither",
        floor=0.0,
        source="words parted by whitespace; own implementation",
    ),
)


def scorer() -> FolderScorer:
    """The metric, loaded; it counts the words of a pair's prediction, which must be the system's
    text in either orientation.
    """
    return FolderScorer("word_length", signature())


def signature() -> str:
    """Implementation and settings in one line."""
    return "word_length:own|tok:whitespace"


def scores(predictions: Sequence[str], references: Sequence[str]) -> list[float]:
    """The number of words of each prediction, 0 or more."""
    return [float(len(text.split())) for text in predictions]
