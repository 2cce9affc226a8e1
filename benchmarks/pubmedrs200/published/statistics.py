"""Mean and deviation as the published tables have them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation of a population (ddof 0)."""

    mean: float
    sd: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} ({self.sd:.3f})"


def spread(values: Sequence[float]) -> Spread:
    """Of at least one value."""
    mean = math.fsum(values) / len(values)
    return Spread(mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values)))
