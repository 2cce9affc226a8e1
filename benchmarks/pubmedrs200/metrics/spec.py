"""The specification of a metric or measure, and the texts that metrics compare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class MetricSpec:
    """A named number for one question of one system.

    ``low`` and ``high`` bound its range (None: no bound). ``floor`` is what an unanswered question
    counts: the worst value that an answer could have, or None where an unanswered question has no
    value at all and is left out with its count shown. ``source`` names the paper and the
    implementation. ``needs`` are those texts of a `Pair` without which a model is not asked and the
    floor counts; ``neural`` says that model weights are needed. ``truncation`` says what becomes of
    long texts, as an end to "3 of 100 scores are of …"; "" where every text is taken in whole,
    however long.
    """

    name: str
    title: str
    low: float | None
    high: float | None
    better: Literal["higher", "lower", "neither"]
    floor: float | None
    source: str
    needs: tuple[str, ...] = ()
    neural: bool = False
    truncation: str = ""

    @property
    def needs_source(self) -> bool:
        return "source" in self.needs


@dataclass(frozen=True)
class Pair:
    """The texts compared, in the metric's own roles: orientation has been applied. ``source`` is
    the review's text.
    """

    prediction: str
    reference: str
    source: str | None = None
