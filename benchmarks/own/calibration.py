"""Calibration of probabilities: the expected calibration error, with an interval."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

BINS = 10
ROUNDS = 1000


def calibration_error(chances: Sequence[float], came: Sequence[bool], bins: int = BINS) -> float:
    """Expected calibration error, 0 to 1: the mean over equal-mass bins of |share that came true −
    mean probability|.

    Bins weigh by their cases. M. P. Naeini et al., Obtaining Well Calibrated Probabilities Using
    Bayesian Binning, AAAI 2015.
    """
    rows = sorted(zip(chances, came, strict=True))
    total = len(rows)
    edges = [round(total * number / bins) for number in range(bins + 1)]
    error = 0.0
    for start, end in pairwise(edges):
        held = rows[start:end]
        if held:
            error += abs(sum(true for _, true in held) - sum(chance for chance, _ in held)) / total
    return error


def interval(chances: Sequence[float], came: Sequence[bool], seed: int = 0) -> tuple[float, float]:
    """The 95 % bootstrap interval of `calibration_error` (percentiles of `ROUNDS` draws of
    cases).
    """
    draw = random.Random(seed)
    rows = list(zip(chances, came, strict=True))
    found = []
    for _ in range(ROUNDS):
        drawn = draw.choices(rows, k=len(rows))
        found.append(
            calibration_error([chance for chance, _ in drawn], [true for _, true in drawn])
        )
    found.sort()
    return found[round(0.025 * (ROUNDS - 1))], found[round(0.975 * (ROUNDS - 1))]
