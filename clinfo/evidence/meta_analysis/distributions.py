"""Probabilities that intervals and tests need, of the normal, Student's and the χ² distribution.

Degrees of freedom are whole numbers here, for which both have closed forms (Abramowitz and Stegun
1964, 26.4.4-5 and 26.7.3-4).
"""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

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
