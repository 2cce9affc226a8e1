"""The numbers of a study's arms, the effect that they give, and the effects pooled."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from clinfo.records.trials import Direction

Model = Literal["IV", "MH", "DL", "REML"]
"""Fixed effect by inverse variance or by Mantel and Haenszel; random effects with the variance
between studies by DerSimonian and Laird or by restricted maximum likelihood."""
Rules = Literal["metafor", "revman"]
"""Whose conventions are followed where the two programs differ: see `measures` and `pooling`."""
Scores = Literal["final", "change"]

RATIOS = frozenset({"RR", "OR", "HR", "IRR"})
"""Measures whose effect is nothing at 1 and which are pooled as logarithms; others at 0."""


@dataclass(frozen=True)
class Counts:
    """An arm of which so many had the event."""

    events: float
    total: float

    def cells(self) -> tuple[float, float]:
        """Those with the event and those without."""
        return self.events, self.total - self.events


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
    """An arm told by its median, with quartiles or the lowest and highest value or all four."""

    median: float
    total: float
    q1: float | None = None
    q3: float | None = None
    lowest: float | None = None
    highest: float | None = None


@dataclass(frozen=True)
class Reported:
    """An effect as the paper states it, ``low`` to ``high`` being its interval of ``level`` per
    cent. Ratios are not logarithms here.
    """

    measure: str
    estimate: float
    low: float
    high: float
    level: float = 95.0


Arm = Counts | Means | Quantiles
Cells = tuple[float, float, float, float]
"""Events and others of the intervention's, then of the control's arm."""


@dataclass(frozen=True)
class Comparison:
    """One study's intervention against its control, on one outcome at one time.

    ``label`` tells comparisons of one study apart ("10 mg"). ``design`` is "parallel", or the word
    for one whose arms' numbers must not be compared as they are. ``conclusion`` is what the text
    says, shown where there are no numbers. ``notes`` say what was done to the arms.
    """

    study: str
    intervention: Arm | None = None
    control: Arm | None = None
    reported: Reported | None = None
    scores: Scores | None = None
    design: str = "parallel"
    conclusion: str = ""
    label: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class StudyEffect:
    """The effect in one study with its 95 % interval.

    ``y`` and its variance ``v`` are what is pooled: the logarithm of a ratio, else the effect
    itself. The comparison's arms are those it was computed from; ``cells`` those that Mantel and
    Haenszel's method takes. ``notes`` say what was done to the numbers.
    """

    comparison: Comparison
    measure: str
    estimate: float
    low: float
    high: float
    y: float
    v: float
    cells: Cells | None = None
    notes: tuple[str, ...] = ()

    @property
    def study(self) -> str:
        """The study's name, with the label of the comparison."""
        return named(self.comparison)


@dataclass(frozen=True)
class LeftOut:
    """A study that is not pooled, and why."""

    comparison: Comparison
    reason: str

    @property
    def study(self) -> str:
        """The study's name, with the label of the comparison."""
        return named(self.comparison)


@dataclass(frozen=True)
class Pooled:
    """Effects pooled: the estimate with its 95 % interval and p value, and how much studies differ.

    ``weights`` are per cent, in the order of the studies. ``tau2`` is the variance between studies
    on the scale of ``y``, 0 in fixed-effect models; ``i2`` per cent of the variance that lies
    between studies; ``q`` with ``df`` and ``q_p`` Cochran's test. ``prediction`` is the interval in
    which the effect of a new study is expected, None in fixed-effect models and of fewer than three
    studies.
    """

    measure: str
    model: Model
    hksj: bool
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
    notes: tuple[str, ...] = ()


def named(comparison: Comparison) -> str:
    """The study's name, with the label of the comparison where it has one."""
    return f"{comparison.study} ({comparison.label})" if comparison.label else comparison.study


def none_of(measure: str) -> float:
    """The value of a measure that means no effect."""
    return 1.0 if measure in RATIOS else 0.0


def direction(measure: str, low: float, high: float) -> Direction:
    """Where a whole interval lies: above the value of no effect, below it, or neither (the rule of
    CochraneForest, Appendix B).
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
