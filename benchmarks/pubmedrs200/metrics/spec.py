"""The specification of a metric or measure, and the types that scorers take and give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True)
class MetricSpec:
    """A named number for one question of one system.

    ``low`` and ``high`` bound its range (None: no bound). ``floor`` is what an unanswered question
    counts: the worst value that an answer could have, or None where an unanswered question has no
    value at all and is left out with its count shown. ``source`` names the paper and the
    implementation. ``needs_source`` says that the review's text is needed beside prediction and
    reference; ``neural`` that model weights are. ``truncation`` says what becomes of long texts, as
    an end to "3 of 100 scores are of …"; "" where every text is taken in whole, however long.
    """

    name: str
    title: str
    low: float | None
    high: float | None
    better: Literal["higher", "lower", "neither"]
    floor: float | None
    source: str
    needs_source: bool = False
    neural: bool = False
    truncation: str = ""


@dataclass(frozen=True)
class Pair:
    """The texts compared, in the metric's own roles: orientation has been applied. ``source`` is
    the review's text.
    """

    prediction: str
    reference: str
    source: str | None = None


class Scorer(Protocol):
    """Metrics that are computed together (UniEval's five share a model); loaded once, then asked as
    often as needed.
    """

    @property
    def signatures(self) -> Mapping[str, str]:
        """By metric name: implementation, versions and settings in one line, as
        `rouge-score:0.1.2|stemmer:no`.
        """

    @property
    def truncated(self) -> Mapping[str, Sequence[bool]]:
        """By metric name, of each pair that `score` was last given: whether it met with what
        `MetricSpec.truncation` says.

        Metrics that take in every text whole are left out.
        """

    def score(self, pairs: Sequence[Pair]) -> Mapping[str, list[float]]:
        """By metric name, one value a pair in the order given."""
