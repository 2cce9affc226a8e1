"""Arms made ready: medians made means, arms combined or divided.

Sections are those of the Cochrane Handbook, version 6.
"""

from __future__ import annotations

import math
from functools import reduce
from statistics import NormalDist

from clinfo.evidence.meta_analysis.values import Arm, Counts, Means, Quantiles


def means_of(arm: Quantiles) -> Means | None:
    """Mean and SD estimated from a median and what stands around it; None where that is too little.

    The formulae of Wan, Wang, Liu and Tong (2014, doi:10.1186/1471-2288-14-135), which take the
    values for normally distributed.
    """
    m, n, (q1, q3), (a, b) = arm.median, arm.total, (arm.q1, arm.q3), (arm.lowest, arm.highest)
    quantile = NormalDist().inv_cdf
    quarters, ends = 0.0, 0.0  # how many SDs lie between the quartiles, and between the ends
    if n >= 2:
        quarters, ends = (
            2 * quantile((0.75 * n - 0.125) / (n + 0.25)),
            2 * quantile((n - 0.375) / (n + 0.25)),
        )
    if quarters and q1 is not None and q3 is not None:
        if a is not None and b is not None:
            mean = (a + 2 * q1 + 2 * m + 2 * q3 + b) / 8
            sd = ((b - a) / ends + (q3 - q1) / quarters) / 2
            return Means(mean, sd, n, "median, quartiles and range")
        return Means((q1 + m + q3) / 3, (q3 - q1) / quarters, n, "median and quartiles")
    if ends and a is not None and b is not None:
        return Means((a + 2 * m + b) / 4, (b - a) / ends, n, "median and range")
    return None


def combined(first: Arm, *others: Arm) -> Arm:
    """Arms taken for one group (6.5.2.10). Raises TypeError for arms not told alike, and for
    medians.
    """
    return reduce(_two, others, first)


def _two(one: Arm, other: Arm) -> Arm:
    if isinstance(one, Counts) and isinstance(other, Counts):
        return Counts(one.events + other.events, one.total + other.total)
    if isinstance(one, Means) and isinstance(other, Means):
        total = one.total + other.total
        squares = (
            (one.total - 1) * one.sd**2
            + (other.total - 1) * other.sd**2
            + one.total * other.total / total * (one.mean - other.mean) ** 2
        )
        return Means(
            (one.total * one.mean + other.total * other.mean) / total,
            math.sqrt(squares / (total - 1)),
            total,
            one.estimated or other.estimated,
        )
    raise TypeError("arms told in different ways cannot be combined")


def divided(arm: Arm, parts: int) -> Arm:
    """One of the equal parts of an arm that stands against several others (23.3.4); parts are not
    rounded to whole people.
    """
    if isinstance(arm, Counts):
        return Counts(arm.events / parts, arm.total / parts)
    if isinstance(arm, Means):
        return Means(arm.mean, arm.sd, arm.total / parts, arm.estimated)
    raise TypeError("an arm told by its median cannot be divided")
