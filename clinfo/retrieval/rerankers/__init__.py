"""Rerankers: each puts passages that a search found into an order of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from clinfo.retrieval.documents import Asked, Passage


class Reranker(Protocol):
    """Scores passages for a question; the higher, the more likely it answers."""

    name: str

    def scores(self, asked: Asked, passages: Sequence[Passage]) -> list[float]:
        """A score for each passage, comparable only within this call."""
        ...


def best(scores: Sequence[float], count: int) -> list[int]:
    """The places of the ``count`` highest scores, from the highest; equal ones by place."""
    return sorted(range(len(scores)), key=lambda place: (-scores[place], place))[:count]
