"""The numbers of a study's arms, the effect that they give, the effects pooled, and the
probabilities that their intervals and tests need.

Degrees of freedom are whole numbers here, for which Student's and the χ² distribution have closed
forms (Abramowitz and Stegun 1964, 26.4.4-5 and 26.7.3-4).
"""

import math
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
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


Z = NormalDist().inv_cdf(0.975)
"""Number of standard errors on each side in an interval of 95 %."""


def normal_p(z: float) -> float:
    """The two-sided p value of a normal deviate."""
    return math.erfc(abs(z) / math.sqrt(2))


def student_p(t: float, df: int) -> float:
    """The two-sided p value of Student's t."""
    angle = math.atan(abs(t) / math.sqrt(df))
    square = math.cos(angle) ** 2
    odd = df % 2
    term = total = math.cos(angle) if odd else 1.0
    for k in range(1 + odd, df - 2, 2):
        term *= square * k / (k + 1)
        total += term
    if odd:
        inside = (angle + (math.sin(angle) * total if df > 1 else 0.0)) * 2 / math.pi
    else:
        inside = math.sin(angle) * total
    return max(0.0, 1 - inside)


@cache
def student_quantile(df: int) -> float:
    """The t beyond which 5 % lie on both sides together."""
    low, high = 0.0, 20.0  # 12.71 with one degree of freedom, less with more
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if student_p(middle, df) > 0.05 else (low, middle)
    return middle


def chi2_p(x: float, df: int) -> float:
    """The probability of a χ² of at least x; 1 without degrees of freedom."""
    if df < 1 or x <= 0:
        return 1.0
    half, odd = x / 2, df % 2
    steps = (
        math.exp((i + odd / 2) * math.log(half) - half - math.lgamma(i + 1 + odd / 2))
        for i in range(df // 2)
    )
    return min(1.0, (math.erfc(math.sqrt(half)) if odd else 0.0) + math.fsum(steps))
