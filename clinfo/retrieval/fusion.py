"""Puts several rankings together: reciprocal rank fusion (Cormack et al., SIGIR 2009)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

CONSTANT: Final = 60
"""The published one; the larger, the less the first places stand out."""


def fused(rankings: Iterable[Iterable[str]]) -> dict[str, float]:
    """Keys of all rankings with their scores, Σ 1 / (60 + rank), best first.

    Equal scores go by best rank, then by the first ranking that holds the key, so that the order
    never depends on chance.
    """
    score: dict[str, float] = {}
    best: dict[str, tuple[int, int]] = {}
    for which, ranking in enumerate(rankings):
        for rank, key in enumerate(dict.fromkeys(ranking), 1):
            score[key] = score.get(key, 0.0) + 1 / (CONSTANT + rank)
            best[key] = min(best.get(key, (rank, which)), (rank, which))
    ranked = sorted(score, key=lambda key: (-round(score[key], 12), best[key], key))
    return {key: score[key] for key in ranked}
