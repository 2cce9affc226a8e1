"""The role of each text. The published scores gave metrics the human answer as prediction and the
output as reference.
"""

from __future__ import annotations

from typing import Final, Literal

from benchmarks.pubmedrs200.metrics.spec import Pair
from benchmarks.pubmedrs200.scoring.predictions import Prediction

Orientation = Literal["correct", "published"]
ORIENTATIONS: Final[tuple[Orientation, ...]] = ("correct", "published")
OUTPUT_ALONE: Final = frozenset(("word_length",))
"""Metrics that look at one text only, which is the system's output in either orientation."""


def pair(row: Prediction, metric: str, orientation: Orientation, with_source: bool) -> Pair:
    """The texts of a row in the roles that a metric gets them."""
    source = row.source if with_source else None
    if orientation == "published" and metric not in OUTPUT_ALONE:
        return Pair(row.reference, row.prediction, source)
    return Pair(row.prediction, row.reference, source)
