"""Documents held in memory, answering plans with Python's sets: the engine of small collections,
and a measure for the index.
"""

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from itertools import islice, takewhile

from clinfo.pubmed.document import DAY_STORES, TEXT_STORES, Document
from clinfo.pubmed.plan import (
    All,
    AnyOf,
    Days,
    Keys,
    Lookup,
    Near,
    Nothing,
    Numbers,
    Phrase,
    Plan,
    Sort,
    Unscored,
    Without,
    near,
    parts_of,
)
from clinfo.pubmed.tree import folded
from clinfo.text.terms import stem, words
from clinfo.text.words import STOPWORDS

K1, B = 0.9, 0.4
"""BM25's parameters as Anserini sets them by default (P. Yang, H. Fang and J. Lin, SIGIR 2017)."""
_TELLING = 40
"""Stems of a record by which similar ones are looked for: those with the greatest weight in it."""


class Ranking:
    """BM25Plus, whose idf is never negative: BM25Okapi's is for a word in more than half of a small
    set of records.

    Records go by their place in ``bags``. All methods may be called from any thread.
    """

    def __init__(self, bags: Sequence[Sequence[str]]) -> None:
        from rank_bm25 import BM25Plus

        self._bags = bags
        self._postings: dict[str, set[int]] = {}
        for place, bag in enumerate(bags):
            for one in bag:
                self._postings.setdefault(one, set()).add(place)
        self._bm25 = BM25Plus(bags, k1=K1, b=B) if self._postings else None

    def known(self, stems: Iterable[str]) -> list[str]:
        """Those of ``stems`` that some record has, each once, in order."""
        return [stem for stem in dict.fromkeys(stems) if stem in self._postings]

    def having(self, stems: Iterable[str]) -> set[int]:
        """Places of the records that have any of ``stems``."""
        return set[int]().union(*(self._postings.get(stem, ()) for stem in stems))

    def scores(self, stems: Iterable[str], places: Sequence[int]) -> list[float]:
        """The score of each of ``places`` on the stems, each counted once; zeros where no record
        has any of them.
        """
        known = self.known(stems)
        if not known or self._bm25 is None:
            return [0.0] * len(places)
        # Rounded, so that sums of the same parts in another order are equal.
        return [
            round(float(score), 9) for score in self._bm25.get_batch_scores(known, list(places))
        ]

    def telling(self, place: int) -> list[str]:
        """The stems that tell most about a record: the heaviest by occurrences and rarity, heaviest
        first.
        """
        counts = Counter(self._bags[place])
        idf = self._bm25.idf if self._bm25 is not None else {}
        return sorted(
            counts,
            key=lambda stem: (-counts[stem] / (counts[stem] + K1) * idf.get(stem, 0.0), stem),
        )[:_TELLING]


def stems_of(text: str) -> list[str]:
    """The stems of a text's words but for those that PubMed does not index."""
    return [stem(word) for word in words(text) if word not in STOPWORDS]


_MOST_KEPT = 2048
"""Answered lookups that are remembered: a translation asks for what the search then asks again."""
_KEYS_AS_WORDS = frozenset(("mh", "majr", "mhq", "majrq", "sh", "pt", "nm"))
"""Key stores whose keys are words of the subject, which count for relevance."""


class InMemoryEngine:
    """An `Engine` over documents; of two with one id the later counts.

    ``bags`` gives the stems by which each document is ranked (for every document, in order), None
    for those of title (twice), abstract and the rest of the text words. They may be handed in as a
    function, which is then called when first needed.
    """

    def __init__(
        self,
        documents: Iterable[Document],
        bags: Callable[[], Sequence[Sequence[str]]] | Sequence[Sequence[str]] | None = None,
    ) -> None:
        self._documents = list({document.id: document for document in documents}.values())
        self._bags = bags
        self._lock = threading.Lock()
        self._made: Ranking | None = None
        self._answered: dict[Lookup, frozenset[int]] = {}
        self._words: dict[str, dict[str, list[int]]] = {store: {} for store in TEXT_STORES}
        self._keys: dict[str, dict[str, list[int]]] = {}
        self._days: dict[str, list[tuple[date, date, int]]] = {store: [] for store in DAY_STORES}
        self._places: dict[str, int] = {}
        for place, document in enumerate(self._documents):
            self._take(place, document)
        self._sorted_words = {store: sorted(words) for store, words in self._words.items()}
        self._sorted_keys = {store: sorted(keys) for store, keys in self._keys.items()}
        self._vocabulary = sorted(set[str]().union(*self._sorted_words.values()))
        self._everything = frozenset(range(len(self._documents)))

    def __len__(self) -> int:
        return len(self._documents)

    @property
    def ranking(self) -> Ranking:
        """Return what ranks these documents, by their places."""
        with self._lock:
            if self._made is None:
                bags = self._bags() if callable(self._bags) else self._bags
                self._made = Ranking(
                    [_bag(document) for document in self._documents] if bags is None else bags
                )
            return self._made

    def place(self, id: str) -> int | None:
        """The place of a document in the ranking, None where it is not held."""
        return self._places.get(id)

    def id(self, place: int) -> str:
        """The id of the document at a place of the ranking."""
        return self._documents[place].id

    def count(self, plan: Plan) -> int:
        """Number of records that the plan finds."""
        return len(self._found(plan))

    def has(self, lookup: Lookup) -> bool:
        """Return whether any record has it."""
        return bool(self._looked_up(lookup))

    def stems(self, prefix: str, limit: int) -> Sequence[str]:
        """Words of any text store that begin with ``prefix``, in order, at most ``limit`` of
        them.
        """
        return list(islice(_beginning(self._vocabulary, prefix), max(limit, 0)))

    def best(
        self, plan: Plan, limit: int, offset: int = 0, sort: Sort = "relevance"
    ) -> tuple[int, list[str]]:
        """(count, ids ``offset`` to ``offset + limit`` of the hits), as
        `clinfo.pubmed.plan.Engine.best` says.
        """
        places = sorted(self._found(plan))
        if limit <= 0 or not places:
            return len(places), []
        if sort == "pub_date":
            order = sorted(
                places, key=lambda place: (-self._day(place), _by_id(self._documents[place].id))
            )
        else:
            scores = dict(
                zip(places, self.ranking.scores(self._positive(plan), places), strict=True)
            )
            order = sorted(
                places, key=lambda place: (-scores[place], _by_id(self._documents[place].id))
            )
        return len(places), [
            self._documents[place].id for place in order[max(offset, 0) : max(offset, 0) + limit]
        ]

    def _take(self, place: int, document: Document) -> None:
        self._places[document.id] = place
        for store, texts in document.texts.items():
            if texts:
                held = self._words[store]
                for word in {word for text in texts for word in text.split(" ")}:
                    held.setdefault(word, []).append(place)
        for store, keys in document.keys.items():
            if keys:
                held = self._keys.setdefault(store, {})
                for key in keys:
                    held.setdefault(key, []).append(place)
        for store, intervals in document.days.items():
            self._days[store] += [(first, last, place) for first, last in intervals]

    def _day(self, place: int) -> int:
        """The first day of publication as a number, 0 where there is none."""
        days = self._documents[place].days
        intervals = days.get("dp") or days.get("epdat")
        return intervals[0][0].toordinal() if intervals else 0

    def _found(self, plan: Plan) -> frozenset[int]:
        """The places that a plan finds."""
        return folded(plan, parts_of, self._combined)

    def _combined(self, plan: Plan, parts: list[frozenset[int]]) -> frozenset[int]:
        if isinstance(plan, Unscored):
            return parts[0]
        if isinstance(plan, Without):
            return parts[0] - parts[1]
        if isinstance(plan, AnyOf):
            return frozenset[int]().union(*parts)
        if isinstance(plan, All):
            parts.sort(key=len)
            return parts[0].intersection(*parts[1:]) if parts else self._everything
        return self._looked_up(plan)

    def _looked_up(self, lookup: Lookup) -> frozenset[int]:
        found = self._answered.get(lookup)
        if found is None:
            found = self._look_up(lookup)
            if len(self._answered) >= _MOST_KEPT:
                self._answered = {}
            self._answered[lookup] = found
        return found

    def _look_up(self, lookup: Lookup) -> frozenset[int]:
        if isinstance(lookup, Phrase | Near):
            return frozenset(
                place for store in lookup.stores for place in self._worded(store, lookup)
            )
        if isinstance(lookup, Keys):
            held = self._keys.get(lookup.store, {})
            keys: Iterable[str] = lookup.keys
            if lookup.prefix:
                known = self._sorted_keys.get(lookup.store, [])
                keys = {key for start in lookup.keys for key in _beginning(known, start)}
            return frozenset(place for key in keys for place in held.get(key, ()))
        if isinstance(lookup, Days):
            return frozenset(
                place
                for store in lookup.stores
                for first, last, place in self._days[store]
                if first <= lookup.last and last >= lookup.first
            )
        if isinstance(lookup, Numbers):
            return frozenset(
                place
                for pmid, held_at in self._keys.get("pmid", {}).items()
                if pmid.isdecimal() and lookup.first <= int(pmid) <= lookup.last
                for place in held_at
            )
        return frozenset() if isinstance(lookup, Nothing) else self._everything

    def _worded(self, store: str, lookup: Phrase | Near) -> Iterator[int]:
        """The places where a text of a store has words together, or near each other."""
        held, words = self._words[store], lookup.words
        begun = isinstance(lookup, Phrase) and lookup.prefix
        candidates = [set(held.get(word, ())) for word in (words[:-1] if begun else words)]
        if begun:
            ends = _beginning(self._sorted_words[store], words[-1])
            candidates.append({place for word in ends for place in held[word]})
        wanted = f" {' '.join(words)}{'' if begun else ' '}"
        for place in set.intersection(*candidates) if words else ():
            texts = self._documents[place].texts[store]
            if isinstance(lookup, Near):
                found = any(near(text.split(" "), words, lookup.between) for text in texts)
            else:
                found = len(words) == 1 or any(wanted in f" {text} " for text in texts)
            if found:
                yield place

    def _positive(self, plan: Plan) -> list[str]:
        """The stems of all words that are asked for, in the order of the plan: what relevance goes
        by.
        """
        found: dict[str, None] = {}
        pending: list[Plan] = [plan]
        while pending:
            one = pending.pop()
            if isinstance(one, Without):
                pending.append(one.plan)
            elif isinstance(one, (All, AnyOf)):
                pending += reversed(one.parts)
            elif isinstance(one, (Phrase, Near, Keys)):
                found.update(
                    dict.fromkeys(stem(word) for word in self._asked(one) if word not in STOPWORDS)
                )
        return list(found)

    def _asked(self, lookup: Phrase | Near | Keys) -> Iterator[str]:
        if isinstance(lookup, Keys):
            if lookup.store in _KEYS_AS_WORDS:
                for key in sorted(lookup.keys):
                    yield from key.replace("/", " ").split(" ")
        elif isinstance(lookup, Phrase) and lookup.prefix:
            yield from lookup.words[:-1]
            for store in lookup.stores:
                yield from _beginning(self._sorted_words[store], lookup.words[-1])
        else:
            yield from lookup.words


def _beginning(sorted_words: Sequence[str], prefix: str) -> Iterator[str]:
    start = bisect_left(sorted_words, prefix)
    return takewhile(lambda word: word.startswith(prefix), islice(sorted_words, start, None))


def _by_id(id: str) -> tuple[int, int, str]:
    """The order of equals: PMIDs first, the higher (newer) before the lower, then other ids by
    their text.
    """
    kind, _, number = id.partition(":")
    return (0, -int(number), "") if kind == "pmid" and number.isdecimal() else (1, 0, id)


def _bag(document: Document) -> list[str]:
    texts = [
        *document.texts["ti"],
        *document.texts["ti"],
        *document.texts["ab"],
        *document.texts["tx"],
    ]
    return [stem(word) for text in texts for word in text.split(" ") if word not in STOPWORDS]
