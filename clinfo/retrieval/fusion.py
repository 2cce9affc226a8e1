"""Puts several rankings together: reciprocal rank fusion (Cormack et al., SIGIR 2009)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

CONSTANT: Final = 60
"""The published one; the larger, the less the first places stand out."""


def fused(rankings: Iterable[Iterable[str]]) -> list[tuple[str, float]]:
    """Keys of all rankings with their scores, Σ 1 / (60 + rank), best first; equal ones in the
    order of the first ranking that has them.
    """
    scores: dict[str, float] = {}
    for keys in rankings:
        for rank, key in enumerate(keys, 1):
            scores[key] = scores.get(key, 0.0) + 1 / (CONSTANT + rank)
    return sorted(scores.items(), key=lambda one: -one[1])
