"""Overlap of several queries, and the articles found by only one of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

from clinfo.records.answer import Overlap


def overlap(results: Mapping[int, Sequence[str]]) -> tuple[Overlap, ...]:
    """Return how many ids any two queries (by number) share."""
    return tuple(
        Overlap((one, two), len(set(results[one]) & set(results[two])))
        for one, two in combinations(sorted(results), 2)
    )


def unique(results: Mapping[int, Sequence[str]]) -> dict[int, tuple[str, ...]]:
    """The ids that one query alone brought, by its number, in its order."""
    held = Counter(id for ids in results.values() for id in set(ids))
    return {number: tuple(id for id in ids if held[id] == 1) for number, ids in results.items()}
