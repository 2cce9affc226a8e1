"""Numbers as they are written in tables."""

from __future__ import annotations

import math


def decimals(low: float | None, high: float | None) -> int:
    """Return how many decimals a metric is written with: three where it stays within −1…1, else
    one.
    """
    if low is not None and high is not None and max(abs(low), abs(high)) <= 1:
        return 3
    return 1


def fixed(value: float, places: int) -> str:
    """A number with a fixed count of decimals, thousands apart, with a true minus sign and without
    a negative zero.
    """
    text = f"{value:,.{places}f}"
    if float(text.replace(",", "")) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def counted(count: int, one: str, more: str = "") -> str:
    """A count with its noun, "1 answer" or "2 answers"; ``more`` is the plural where it is not
    ``one`` with an s.
    """
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def with_sd(mean: float, sd: float | None, places: int) -> str:
    """``mean (sd)``, or the mean alone."""
    return fixed(mean, places) + (f" ({fixed(sd, places)})" if sd is not None else "")


def probability(p: float) -> str:
    """A p value: three decimals, and no smaller than "< 0.001"."""
    return "< 0.001" if p < 0.001 else fixed(p, 3)


def mean(values: list[float]) -> float:
    """Plain mean of at least one value."""
    return math.fsum(values) / len(values)


def deviation(values: list[float]) -> float:
    """Population standard deviation (ddof 0) of at least one value, as in the published tables."""
    centre = mean(values)
    return math.sqrt(math.fsum((value - centre) ** 2 for value in values) / len(values))


def quantile(values: list[float], share: float) -> float:
    """Quantile by linear interpolation between order statistics (Hyndman and Fan's type 7, numpy's
    default).
    """
    ranked = sorted(values)
    place = (len(ranked) - 1) * share
    below = math.floor(place)
    above = min(below + 1, len(ranked) - 1)
    return ranked[below] + (ranked[above] - ranked[below]) * (place - below)
