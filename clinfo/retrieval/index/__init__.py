"""Indexes of passages: a collection each, searched by words, by meaning or by both.

A silo, a patient or a study is a collection of its own, or a value of a field: passages are
filtered before they are ranked. In process `clinfo.retrieval.index.local` holds them, on a server
`clinfo.retrieval.index.qdrant`; both are searched in the same way.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from clinfo.errors import UsageError
from clinfo.retrieval.documents import Document, Passage
from clinfo.retrieval.index.fusion import BM25, Fusion, fused
from clinfo.retrieval.steps import Report, Step

if TYPE_CHECKING:
    from clinfo.retrieval.embedders import Embedder, Vectors


@dataclass(frozen=True)
class Filed:
    """A passage with the fields that it can be found by: document, subject, category, date, kind,
    and whatever a collection adds (visit, author).
    """

    passage: Passage
    fields: Mapping[str, str]


@dataclass(frozen=True)
class Only:
    """What is searched: passages each of whose named fields has one of the values, dated from
    ``since`` to ``until`` (ISO 8601 or the beginning of it, both included).

    A date known in part counts where it may lie within; an undated passage does not where dates are
    asked for. Without fields and dates everything is searched.
    """

    fields: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    since: str = ""
    until: str = ""

    def __bool__(self) -> bool:
        return bool(self.fields or self.since or self.until)

    @property
    def days(self) -> tuple[int, int]:
        """The first and last day, as `days` writes them."""
        return days(self.since)[0] if self.since else 1, days(self.until)[1] or 99991231


@dataclass(frozen=True)
class Hit:
    """A passage that was found; ``ranks`` are its places, from 1, in the searches that found it."""

    passage: Passage
    fields: Mapping[str, str]
    score: float
    ranks: Mapping[str, int]


def filed(document: Document, passages: Sequence[Passage], **more: str) -> list[Filed]:
    """The passages of a document with its fields and ``more``."""
    own = {
        "document": document.id,
        "subject": document.subject,
        "category": document.category,
        "date": document.date,
    }
    return [Filed(one, {**own, "kind": one.kind, **more}) for one in passages]


def days(date: str) -> tuple[int, int]:
    """The first and last day, as 20100131, that a date or the beginning of one may mean; (0, 0)
    where it is none.
    """
    parts = date[:10].split("-")
    if not all(part.isascii() and part.isdigit() for part in parts):
        return 0, 0
    first, last = [*parts, "01", "01"], [*parts, *("12", "31")[len(parts) - 1 :]]
    return int("".join(first[:3])), int("".join(last[:3]))


class Index(ABC):
    """A collection of passages. ``embedder`` makes the vectors of questions, None where it is
    searched by words alone.
    """

    def __init__(self, embedder: Embedder | None = None) -> None:
        self.embedder = embedder

    async def search(
        self,
        text: str,
        count: int = 10,
        only: Only = Only(),
        fusion: Fusion = BM25,
        report: Report | None = None,
    ) -> tuple[Hit, ...]:
        """The ``count`` best passages for a text, of those that ``only`` lets through.

        ``report`` is told what each step was given and kept. Raises UsageError where the fusion
        wants vectors and there is no embedder; ModelError, BudgetReached.
        """
        vector = await self._vector(text) if fusion.dense else None

        def searched() -> tuple[Hit, ...]:
            rankings: dict[str, list[Any]] = {}
            if fusion.sparse:
                rankings["sparse"] = self._sparse(text, fusion.sparse_depth, only)
            if vector is not None and vector.any():
                rankings["dense"] = self._dense(vector, fusion.dense_depth, only)
            order = fused(rankings, fusion)[:count]
            hits = self._hits(order, rankings)
            if report is not None:
                self._told(report, only, rankings, [hit.passage.id for hit in hits])
            return hits

        return await asyncio.to_thread(searched)

    async def _vector(self, text: str) -> Vectors:
        if self.embedder is None:
            raise UsageError("a search by meaning needs an embedder; the index has none")
        found: Vectors = (await self.embedder.vectors([text]))[0]
        return found

    def _told(
        self, report: Report, only: Only, rankings: Mapping[str, Sequence[Any]], kept: list[str]
    ) -> None:
        allowed = self._ids(None, only)
        report(Step("filter", self._ids(None, Only()) if only else allowed, allowed))
        by_search = {name: self._ids(keys, only) for name, keys in rankings.items()}
        for name, ids in by_search.items():
            report(Step(name, allowed, ids))
        together = dict.fromkeys(id for ids in by_search.values() for id in ids)
        report(Step("fuse", tuple(together), tuple(kept)))

    @abstractmethod
    def __len__(self) -> int:
        """Number of passages."""

    @abstractmethod
    def _sparse(self, text: str, depth: int, only: Only) -> list[Any]:
        """Keys of the passages that hold words of the text, best first."""

    @abstractmethod
    def _dense(self, vector: Vectors, depth: int, only: Only) -> list[Any]:
        """Keys of the passages nearest to a vector, best first."""

    @abstractmethod
    def _hits(
        self, order: Sequence[tuple[Any, float]], rankings: Mapping[str, Sequence[Any]]
    ) -> tuple[Hit, ...]:
        """The passages of keys with scores."""

    @abstractmethod
    def _ids(self, keys: Sequence[Any] | None, only: Only) -> tuple[str, ...]:
        """Ids of the passages of keys; of all that are let through where there are none."""


def hit(found: Filed, key: Any, score: float, rankings: Mapping[str, Sequence[Any]]) -> Hit:
    """A hit of the passage ``found`` under a key."""
    ranks = {name: keys.index(key) + 1 for name, keys in rankings.items() if key in keys}
    return Hit(found.passage, found.fields, score, ranks)
