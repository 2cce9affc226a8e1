"""One state of an index, answering plans (`clinfo.pubmed.plan.Engine`)."""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

from clinfo.errors import QueryRejected, RecordError
from clinfo.pubmed.document import TEXT_STORES, Document
from clinfo.pubmed.index.narrowing import narrowed
from clinfo.pubmed.index.queries import Compiled, Compiler, keys_of
from clinfo.pubmed.index.schema import KEYS, NEWEST, PMID, number, register
from clinfo.pubmed.plan import (
    Everything,
    Keys,
    Lookup,
    Near,
    Nothing,
    Phrase,
    Plan,
    Sort,
    near,
    parts_of,
)
from clinfo.pubmed.tree import folded

if TYPE_CHECKING:
    import tantivy

DEEPEST = 40
"""Levels of a query beyond which it is refused: any thread's stack holds so many. The deepest of
300 queries of models and reviewers has 13."""
CANDIDATES = 64
"""Up to so many documents a plan is evaluated among these alone, which takes 8 µs for each of them
beside the plan.
"""
PLACES = 3
"""Decimals of a score that count: what is left of its 24 bits once sums are taken in another
order.
"""

T = TypeVar("T")


class TantivyEngine:
    """An Engine over a folder of the search engine's files, which must not change while it is open.

    ``documents`` gives the documents of PMIDs; it is asked only for what the search engine cannot
    tell, words that are near each other over a long way. Raises RecordError where the folder cannot
    be opened; searching raises QueryRejected for a plan of more than `DEEPEST` levels.
    """

    def __init__(
        self, folder: Path, documents: Callable[[Sequence[int]], Iterable[Document]]
    ) -> None:
        import tantivy

        self._aside: TemporaryDirectory[str] | None = None
        try:
            try:
                index = _opened(folder)
            except (ValueError, OSError) as error:
                if "Lockfile" not in str(error):
                    raise
                # The search engine wants to write a lock beside files that nobody changes: where it
                # may not, it gets links to them.
                self._aside = _linked(folder)
                index = _opened(Path(self._aside.name))
            self._searcher = index.searcher()
        except (ValueError, OSError) as error:
            raise RecordError(f"the index cannot be opened: {_one_line(error)}") from error
        self._schema = index.schema
        self._documents = documents
        self._descending = tantivy.Order.Desc
        # The search engine's term statistics still count documents that were replaced or removed.
        self._replaced = _replaced(folder)
        self._frequency = lru_cache(maxsize=1 << 16)(self._searcher.doc_freq)
        self._compiler = Compiler(
            self._schema,
            self._frequency,
            self._searcher.num_docs,
            lambda store, words, between, held: self._near(
                Near((store,), words, between), _Unkeyed(held)
            ),
            lambda store, prefix: [
                word for word, _ in self._searcher.terms_with_prefix(store, prefix)
            ],
        )
        self._has = lru_cache(maxsize=1 << 14)(self._has_now)
        self._near = lru_cache(maxsize=64)(self._near_now)
        self._counted = lru_cache(maxsize=256)(
            lambda plan: self._run(plan, False, lambda found: self._in_order(found, 1, 0, PMID)[0])
        )

    def __len__(self) -> int:
        return int(self._searcher.num_docs)

    def count(self, plan: Plan) -> int:
        """Number of records that the plan finds."""
        return self._counted(plan)

    def best(
        self, plan: Plan, limit: int, offset: int = 0, sort: Sort = "relevance"
    ) -> tuple[int, list[str]]:
        """(count, ids of the hits from ``offset`` on), as the protocol says. Scores count to
        `PLACES` decimals.
        """
        return self._run(
            plan,
            sort == "relevance",
            lambda found: self._ranked(found, max(limit, 0), max(offset, 0), sort),
        )

    def has(self, lookup: Lookup) -> bool:
        """Return whether any record has it."""
        return self._has(lookup)

    def stems(self, prefix: str, limit: int) -> Sequence[str]:
        """Words of any text store that begin with ``prefix``, in order."""
        every = self._compiler.compiled(Everything(), False).query if self._replaced else None
        found = {
            word
            for store in TEXT_STORES
            for word, count in self._searcher.terms_with_prefix(store, prefix, every)
            if count
        }
        return heapq.nsmallest(max(limit, 0), found)

    def pmids(self, plan: Plan) -> list[int]:
        """The PMIDs of all hits, newest number first."""
        return self._run(plan, False, lambda found: self._in_order(found, len(self), 0, PMID)[1])

    def weighted(
        self, weights: Iterable[tuple[str, str, float]], limit: int, own: int
    ) -> list[tuple[int, float]]:
        """(PMID, score) of the documents with most of these weighted (field, term) pairs, ``own``
        first, then best first.
        """
        terms = list(weights)
        if not terms or limit < 1:
            return []
        found = self._scored(Compiled(self._compiler.terms(terms), False), limit + 1)[1]
        ranked = [(pmid, score) for score, pmid in found if pmid != own]
        itself = [(pmid, score) for score, pmid in found if pmid == own]
        return [*(itself or [(own, max((score for _, score in ranked), default=0.0))]), *ranked][
            :limit
        ]

    def frequency(self, store: str, word: str) -> int:
        """Number of documents whose store holds the word (replaced ones may still be among
        them).
        """
        return self._frequency(store, word)

    # Running

    def _run(self, plan: Plan, scored: bool, use: Callable[[Compiled], T]) -> T:
        """``use`` on the plan's query. Raises QueryRejected where it is too deep."""
        if (levels := _levels(plan)) > DEEPEST:
            raise QueryRejected(
                f"the query is nested {levels:,} levels deep (AND, OR and NOT by turns count too); "
                f"the index can answer up to {DEEPEST}: put what belongs together in brackets"
            )
        return use(self._within(self._candidates(plan), plan, scored))

    def _candidates(self, plan: Plan) -> list[int] | None:
        """PMIDs of all documents that the plan may find, None where they are many or not cheaply
        told.
        """
        narrow = narrowed(plan, self._frequency, len(self))
        if not narrow.pays:
            return None
        found = self._compiler.compiled(narrow.plan, False)
        count, pmids = self._in_order(found, CANDIDATES + 1, 0, PMID)
        return pmids if count <= CANDIDATES else None

    def _within(self, candidates: list[int] | None, plan: Plan, scored: bool) -> Compiled:
        if candidates is None:
            return self._compiler.compiled(plan, scored)
        if not candidates:
            return self._compiler.compiled(Nothing(), scored)
        return self._compiler.among(candidates, self._compiler.compiled(plan, scored))

    def _has_now(self, lookup: Lookup) -> bool:
        if isinstance(lookup, Phrase) and lookup.words:
            held = {
                store: count for store in lookup.stores if (count := self._most(lookup)(store)) > 0
            }
            # A word that more documents have than were replaced is one that some document still
            # has.
            if max(held.values(), default=0) > self._replaced and len(lookup.words) == 1:
                return True
            # The store that takes least work first: most phrases that there are stand in some
            # title.
            return any(
                self._finds_any(replace(lookup, stores=(store,)))
                for store in sorted(held, key=lambda store: held[store])
            )
        if isinstance(lookup, Keys) and not lookup.prefix:
            most = max((self._frequency(KEYS, key) for key in keys_of(lookup)), default=0)
            if most <= 0 or most > self._replaced:
                return most > 0
        return self._finds_any(lookup)

    def _finds_any(self, lookup: Lookup) -> bool:
        found = self._compiler.compiled(lookup, False)
        return not found.nothing and bool(
            self._searcher.search(found.query, limit=1, count=False, order_by_field=PMID).hits
        )

    def _most(self, phrase: Phrase) -> Callable[[str], int]:
        """Return how many documents at most have the phrase in a store: as many as have its rarest
        word.
        """
        whole = phrase.words[:-1] if phrase.prefix else phrase.words

        def most(store: str) -> int:
            counts = [self._frequency(store, word) for word in whole]
            if phrase.prefix and all(counts):
                begun = self._searcher.terms_with_prefix(store, phrase.words[-1], limit=1)
                # One word with the beginning proves that there is one; how many documents all of
                # them have is another matter.
                counts.append(0 if not begun else len(self) if whole else begun[0][1])
            return min(counts)

        return most

    def _ranked(
        self, found: Compiled, limit: int, offset: int, sort: Sort
    ) -> tuple[int, list[str]]:
        if found.nothing:
            return 0, []
        if sort == "pub_date":
            count, pmids = self._in_order(found, limit, offset, NEWEST)
        elif found.level:
            count, pmids = self._in_order(found, limit, offset, PMID)
        else:
            count, ranked = self._scored(found, offset + limit)
            pmids = [pmid for _, pmid in ranked[offset:]]
        return count, [f"pmid:{pmid}" for pmid in pmids]

    def _in_order(
        self, found: Compiled, limit: int, offset: int, name: str
    ) -> tuple[int, list[int]]:
        if found.nothing:
            return 0, []
        limit = min(limit, max(len(self) - offset, 0))
        result = self._searcher.search(
            found.query,
            limit=max(limit, 1),
            offset=offset if limit else 0,
            order_by_field=name,
            order=self._descending,
        )
        return _count(result), self._pmids([address for _, address in result.hits])[:limit]

    def _scored(self, found: Compiled, limit: int) -> tuple[int, list[tuple[float, int]]]:
        """Best scores first, equal ones by PMID. As many hits are read as it takes to see the end
        of a tie.
        """
        asked, total = limit + 32, len(self)
        while True:
            result = self._searcher.search(found.query, limit=max(min(asked, total), 1))
            hits = result.hits
            scores = [round(score, PLACES) for score, _ in hits]
            if len(hits) < asked or not limit or scores[-1] < scores[limit - 1]:
                break
            asked *= 8
        pmids = self._pmids([address for _, address in hits])
        ranked = sorted(zip(scores, pmids, strict=True), reverse=True)
        return _count(result), ranked[:limit]

    def _pmids(self, addresses: list[tantivy.DocAddress]) -> list[int]:
        return [int(value or 0) for value in self._searcher.fast_field_values(PMID, addresses)]

    # Nearness over a long way

    def _near_now(self, lookup: Near, held: _Unkeyed) -> list[int]:
        candidates = self._in_order(Compiled(held.query), len(self), 0, PMID)[1]
        (store,) = lookup.stores
        return [
            number(one.id)
            for one in self._documents(candidates)
            if any(
                near(text.split(" "), lookup.words, lookup.between)
                for text in one.texts.get(store, ())
            )
        ]


@dataclass(frozen=True)
class _Unkeyed:
    """Something handed along with a cached call that is not part of its key."""

    query: tantivy.Query = field(compare=False)


def _levels(plan: Plan) -> int:
    """Return how many levels of parts the plan has, an upper bound of its query's depth."""
    return folded(plan, parts_of, lambda _, levels: 1 + max(levels, default=0))


def _count(result: Any) -> int:
    return int(result.count)  # an attribute that the package's own types leave out


def _replaced(folder: Path) -> int:
    """Return how many documents lie in the files that are not there any more."""
    try:
        segments = json.loads((folder / "meta.json").read_text("utf-8"))["segments"]
        return sum((one.get("deletes") or {}).get("num_deleted_docs", 0) for one in segments)
    except (OSError, ValueError, KeyError) as error:
        raise RecordError(f"the index cannot be opened: {_one_line(error)}") from error


def _opened(folder: Path) -> tantivy.Index:
    import tantivy

    index = tantivy.Index.open(str(folder))
    register(index)
    index.config_reader("manual")
    return index


def _linked(folder: Path) -> TemporaryDirectory[str]:
    """A folder that may be written, with links to the files of ``folder``; it goes with the
    object.
    """
    made = TemporaryDirectory(prefix="clinfo-index-")
    for file in folder.iterdir():
        if not file.name.endswith(".lock"):
            (Path(made.name) / file.name).symlink_to(file.absolute())
    return made


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
