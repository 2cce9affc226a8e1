"""The numbers of a study's arms, the effect that they give, and the effects pooled."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

MODEL: Final = "REML"
"""Random effects, the variance between studies by restricted maximum likelihood."""
Direction = Literal["increase", "decrease", "no_difference", "not_stated"]
Better = Literal["lower", "higher"]
Measure = Literal["RR", "RD", "MD", "SMD"]
Scores = Literal["final", "change"]

RATIOS = frozenset({"RR", "OR", "HR", "IRR"})
"""Measures whose effect is nothing at 1 and which are pooled as logarithms; others at 0."""


@dataclass(frozen=True)
class Counts:
    """An arm of which so many had the event."""

    events: float
    total: float


@dataclass(frozen=True)
class Means:
    """An arm's mean and standard deviation; ``estimated`` says from what where they were not
    reported, "" where they were."""

    mean: float
    sd: float
    total: float
    estimated: str = ""


@dataclass(frozen=True)
class Quantiles:
    """An arm told by its median and quartiles."""

    median: float
    total: float
    q1: float
    q3: float


Arm = Counts | Means | Quantiles


@dataclass(frozen=True)
class Comparison:
    """One study's intervention against its control, on one outcome at one time.

    ``cluster``: groups of people were randomised, so that its arms' numbers must not be compared as
    they are. ``conclusion`` is what the text says, shown where there are no numbers. ``notes`` say
    what was done to the arms.
    """

    study: str
    intervention: Arm | None = None
    control: Arm | None = None
    scores: Scores | None = None
    cluster: bool = False
    conclusion: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class StudyEffect:
    """The effect in one study with its 95 % interval.

    ``y`` and its variance ``v`` are what is pooled: the logarithm of a ratio, else the effect
    itself. The comparison's arms are those it was computed from. ``notes`` say what was done to the
    numbers.
    """

    comparison: Comparison
    measure: str
    estimate: float
    low: float
    high: float
    y: float
    v: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class LeftOut:
    """A study that is not pooled, and why."""

    comparison: Comparison
    reason: str


@dataclass(frozen=True)
class Pooled:
    """Effects pooled: the estimate with its 95 % interval and p value, and how much studies differ.

    ``weights`` are per cent, in the order of the studies. ``tau2`` is the variance between studies
    on the scale of ``y``; ``i2`` per cent of the variance that lies between studies; ``q`` with
    ``df`` and ``q_p`` Cochran's test. ``prediction`` is the interval in which the effect of a new
    study is expected, None of fewer than three studies.
    """

    measure: str
    estimate: float
    low: float
    high: float
    y: float
    se: float
    p: float
    weights: tuple[float, ...]
    tau2: float
    i2: float
    q: float
    df: int
    q_p: float
    prediction: tuple[float, float] | None = None


def none_of(measure: str) -> float:
    """The value of a measure that means no effect."""
    return 1.0 if measure in RATIOS else 0.0


def direction(measure: str, low: float, high: float) -> Direction:
    """The side on which a whole interval lies: above the value of no effect, below it, or neither
    (the rule of CochraneForest, Appendix B).
    """
    none = none_of(measure)
    if low > none:
        return "increase"
    return "decrease" if high < none else "no_difference"


def shown(measure: str, y: float) -> float:
    """A pooled value as it is shown: a ratio itself, not its logarithm; infinite where it is beyond
    what a float holds.
    """
    if measure not in RATIOS:
        return y
    return math.exp(y) if y < 700 else math.inf
