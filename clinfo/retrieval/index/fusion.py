"""Puts several rankings together: weighted reciprocal rank fusion (Cormack et al., SIGIR 2009)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

CONSTANT: Final = 60
"""The published one; the larger, the less the first places stand out."""


@dataclass(frozen=True)
class Fusion:
    """How much the search by words and the one by meaning count, and how many passages each gives.

    A search of weight 0 is not made.
    """

    sparse: float = 1.0
    dense: float = 0.0
    sparse_depth: int = 200
    dense_depth: int = 200


BM25: Final = Fusion()
HYBRID: Final = Fusion(1.0, 0.3)
"""To begin with, for an encoder of one's own. Of wordllama's vectors no weight gained anything on
physicians' questions about trials (`benchmarks.trials.hybrid`), so BM25 is the default.
"""


def fused(rankings: Mapping[str, Sequence[Any]], fusion: Fusion) -> list[tuple[Any, float]]:
    """Keys of all rankings with their scores, Σ weight / (60 + rank), best first; equal ones in the
    order of the first ranking that has them.
    """
    weights = {"sparse": fusion.sparse, "dense": fusion.dense}
    scores: dict[Any, float] = {}
    for name, keys in rankings.items():
        for rank, key in enumerate(keys, 1):
            scores[key] = scores.get(key, 0.0) + weights[name] / (CONSTANT + rank)
    return sorted(scores.items(), key=lambda one: -one[1])
