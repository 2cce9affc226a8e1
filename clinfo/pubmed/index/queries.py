"""A plan as a query of the search engine: flat, with scores where they are wanted."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import TYPE_CHECKING, TypeGuard

from clinfo.pubmed.index.schema import GAPS, KEYS, PMID, blocks_over, written
from clinfo.pubmed.plan import (
    All,
    AnyOf,
    Days,
    Everything,
    Keys,
    Near,
    Numbers,
    Phrase,
    Plan,
    Unscored,
    Without,
)

if TYPE_CHECKING:
    import tantivy

BOOSTS = {"ti": 2.0, "ax": 0.5}
"""Weight of a store's BM25, 1 where none stands here: a title says most in few words, journals and
affiliations least.
"""
MANY = 12
"""From so many words or keys on a set is looked up as one and not as a union of single ones."""
FEW = 16
"""Up to so many words that begin alike, a phrase that ends with one of them is looked up once for
each.
"""
MOST_ARRANGEMENTS = 128
"""Ways to arrange words near each other that are still asked for one by one."""
_META = str.maketrans({sign: f"\\{sign}" for sign in r"\.+*?()|[]{}^$#&-~/"})
_LARGEST = 2**64 - 1


@dataclass
class Compiled:
    """A query, and what is known of its scores: ``level`` is true where all hits have the same."""

    query: tantivy.Query
    level: bool = True
    nothing: bool = False
    """True where it is known to find nothing."""


class Compiler:
    """Makes queries for one state of an index.

    ``frequency`` tells how many documents hold a term of a field, ``total`` how many there are;
    ``near`` gives the PMIDs that truly have a `Near` (asked only where the search engine cannot
    tell), given the query that holds them all; ``endings`` gives the words of a field that begin
    with a prefix.
    """

    def __init__(
        self,
        schema: tantivy.Schema,
        frequency: Callable[[str, str], int],
        total: int,
        near: Callable[[str, tuple[str, ...], int, tantivy.Query], Sequence[int]],
        endings: Callable[[str, str], Sequence[str]],
    ) -> None:
        import tantivy

        self._schema = schema
        self._frequency = frequency
        self._total = total
        self._near_truly = near
        self._endings = endings
        self._query = tantivy.Query
        self._must, self._should, self._not = (
            tantivy.Occur.Must,
            tantivy.Occur.Should,
            tantivy.Occur.MustNot,
        )
        self._unsigned, self._integer = tantivy.FieldType.Unsigned, tantivy.FieldType.Integer

    def compiled(self, plan: Plan, scored: bool) -> Compiled:
        """The query of a plan, by recursion. Without ``scored`` the scores mean nothing and cost
        less.
        """
        if isinstance(plan, Unscored):
            found = self.compiled(plan.plan, False)
            silent = self._query.const_score_query(found.query, 0.0)
            return Compiled(silent, nothing=found.nothing) if scored else found
        if isinstance(plan, AnyOf):
            return self._alternatives(list(_flat(plan, AnyOf, scored)), scored)
        if not isinstance(plan, All | Without):
            return self._lookup(plan, scored)
        parts: list[Plan] = []
        excluded: list[Plan] = []
        pending: list[Plan] = [plan]
        while pending:
            for one in _flat(pending.pop(), All, scored):
                if isinstance(one, Without):
                    pending.append(one.plan)
                    excluded += _flat(one.excluded, AnyOf, False)
                else:
                    parts.append(one)
        found = self._conjunction([self.compiled(one, scored) for one in parts])
        others = [out for each in excluded if not (out := self.compiled(each, False)).nothing]
        if found.nothing or not others:
            return found
        clauses = [(self._must, found.query), *((self._not, out.query) for out in others)]
        return Compiled(self._query.boolean_query(clauses), found.level)

    def terms(self, weights: Iterable[tuple[str, str, float]]) -> tantivy.Query:
        """Any of these (field, word, weight), each scored by BM25 times its weight."""
        query = self._query
        return query.boolean_query(
            [
                (self._should, query.boost_query(self._term(store, word), weight))
                for store, word, weight in weights
            ]
        )

    def pmids(self, numbers: Iterable[int]) -> tantivy.Query:
        """The documents of these PMIDs."""
        return self._query.term_set_query(self._schema, PMID, list(numbers))

    def among(self, numbers: Iterable[int], found: Compiled) -> Compiled:
        """The hits that have one of these PMIDs, with the scores that they have anyhow."""
        these = self._query.const_score_query(self.pmids(numbers), 0.0)
        query = self._query.boolean_query([(self._must, these), (self._must, found.query)])
        return Compiled(query, found.level, found.nothing)

    def _conjunction(self, parts: list[Compiled]) -> Compiled:
        if any(part.nothing for part in parts):
            return self._none()
        if len(parts) < 2:
            return parts[0] if parts else self._everything()
        query = self._query.boolean_query([(self._must, part.query) for part in parts])
        return Compiled(query, all(part.level for part in parts))

    def _alternatives(self, plans: Sequence[Plan], scored: bool) -> Compiled:
        """Any of the plans; without scores words and keys are looked up together."""
        loose = [one for one in plans if not scored and _is_term(one)]
        parts = [self.compiled(one, scored) for one in plans if scored or not _is_term(one)]
        return self._union([*parts, *self._together(loose)], scored)

    def _union(self, parts: list[Compiled], scored: bool) -> Compiled:
        parts = [part for part in parts if not part.nothing]
        if len(parts) < 2:
            return parts[0] if parts else self._none()
        query = self._query.boolean_query([(self._should, part.query) for part in parts])
        return Compiled(query, not scored)

    def _together(self, lookups: list[Phrase | Keys]) -> list[Compiled]:
        terms: dict[str, dict[str, None]] = {}
        for lookup in lookups:
            if isinstance(lookup, Keys):
                terms.setdefault(KEYS, {}).update(dict.fromkeys(keys_of(lookup)))
            else:
                for store in lookup.stores:
                    terms.setdefault(store, {})[lookup.words[0]] = None
        return [
            part for name, values in terms.items() for part in self._any_term(name, list(values))
        ]

    def _any_term(self, name: str, values: list[str]) -> list[Compiled]:
        if len(values) < MANY:
            return [Compiled(self._term(name, value)) for value in values]
        return [Compiled(self._query.term_set_query(self._schema, name, values))]

    # Lookups

    def _lookup(self, lookup: Plan, scored: bool) -> Compiled:
        if isinstance(lookup, Phrase):
            return self._phrase(lookup, scored)
        if isinstance(lookup, Keys):
            return self._key(lookup, scored)
        if isinstance(lookup, Near):
            return self._union(
                [self._near(store, lookup, scored) for store in dict.fromkeys(lookup.stores)],
                scored,
            )
        if isinstance(lookup, Days):
            return self._days(lookup, scored)
        if isinstance(lookup, Numbers):
            if lookup.last < max(lookup.first, 0) or lookup.first > _LARGEST:
                return self._none()
            first, last = max(lookup.first, 0), min(lookup.last, _LARGEST)
            query = self._query.range_query(self._schema, PMID, self._unsigned, first, last)
            return self._flat(query, scored)
        return self._everything() if isinstance(lookup, Everything) else self._none()

    def _phrase(self, phrase: Phrase, scored: bool) -> Compiled:
        if not phrase.words:
            return self._none()
        found = []
        for store in dict.fromkeys(phrase.stores):
            level = False
            if len(phrase.words) == 1 and not phrase.prefix:
                query = self._term(store, phrase.words[0])
            elif not phrase.prefix:
                query = self._query.phrase_query(self._schema, store, list(phrase.words))
            elif len(phrase.words) == 1:
                query, level = self._begun(store, phrase.words[0]), True
            elif len(endings := self._endings(store, phrase.words[-1])) <= FEW:
                each = [
                    self._query.phrase_query(self._schema, store, [*phrase.words[:-1], word])
                    for word in endings
                ]
                query = (
                    self._query.boolean_query([(self._should, one) for one in each])
                    if each
                    else self._query.empty_query()
                )
            else:
                patterns: list[str | tuple[int, str]] = [
                    word.translate(_META) for word in phrase.words[:-1]
                ]
                patterns.append(f"{phrase.words[-1].translate(_META)}.*")
                query = self._query.regex_phrase_query(self._schema, store, patterns)
            if scored and store in BOOSTS:
                query = self._query.boost_query(query, BOOSTS[store])
            found.append(Compiled(query, level or not scored))
        return self._union(found, scored)

    def _key(self, lookup: Keys, scored: bool) -> Compiled:
        keys = keys_of(lookup)
        if not keys:
            return self._none()
        if lookup.prefix:
            parts = [Compiled(self._begun(KEYS, key)) for key in keys]
            found = self._union(parts, False)
            return self._flat(found.query, scored)
        found = self._union(self._any_term(KEYS, keys), False)
        if not scored:
            return found
        # BM25 of a set of synonyms that occurs once: its idf, with the sum of what the single keys
        # find.
        n = min(sum(self._frequency(KEYS, key) for key in keys), self._total)
        return self._flat(found.query, True, math.log(1 + (self._total - n + 0.5) / (n + 0.5)))

    def _days(self, lookup: Days, scored: bool) -> Compiled:
        if lookup.first > lookup.last:
            return self._none()
        stores = list(dict.fromkeys(lookup.stores))
        over = [block for store in stores for block in blocks_over(store, lookup.first)]
        first, last = lookup.first.toordinal(), lookup.last.toordinal()
        parts = [Compiled(self._query.term_set_query(self._schema, KEYS, over))] if over else []
        parts += [
            Compiled(self._query.range_query(self._schema, store, self._integer, first, last))
            for store in stores
        ]
        found = self._union(parts, False)
        return found if found.nothing else self._flat(found.query, scored)

    def _near(self, store: str, lookup: Near, scored: bool) -> Compiled:
        words, between = lookup.words, lookup.between
        if not words or between < 0:
            return self._none()
        if len(words) == 1:
            return self._phrase(Phrase((store,), words), scored)
        query = self._query
        if between < GAPS.get(store, 1):
            if len(words) == 2 and words[0] != words[1]:
                orders = (list(words), [words[1], words[0]])
                phrases = [
                    query.phrase_query(self._schema, store, list(order), slop=between)
                    for order in orders
                ]
            else:
                phrases = [
                    query.phrase_query(self._schema, store, list(places))
                    for places in _arrangements(words, between)
                ]
            if phrases:
                boost = BOOSTS.get(store, 1.0) if scored else 1.0
                found = [
                    Compiled(query.boost_query(one, boost) if boost != 1 else one, not scored)
                    for one in phrases
                ]
                return self._union(found, scored)
        held = [
            query.boolean_query(
                [(self._must, part) for part in self._near_at_most(store, words, between)]
            )
        ]
        pmids = self._near_truly(store, words, between, held[0])
        return self._flat(self.pmids(pmids), scored) if pmids else self._none()

    def _near_at_most(
        self, store: str, words: tuple[str, ...], between: int
    ) -> list[tantivy.Query]:
        """Queries that every document with the words near each other answers, and few others."""
        distinct = list(dict.fromkeys(words))
        parts = [self._term(store, word) for word in distinct]
        reach = between + len(words) - 2
        if reach <= 64:
            for one, two in combinations(distinct, 2):
                orders = [
                    self._query.phrase_query(self._schema, store, [*pair], slop=reach)
                    for pair in ((one, two), (two, one))
                ]
                parts.append(self._query.boolean_query([(self._should, order) for order in orders]))
        return parts

    # Small parts

    def _term(self, name: str, value: str) -> tantivy.Query:
        return self._query.term_query(
            self._schema, name, value, index_option="basic" if name == KEYS else "freq"
        )

    def _begun(self, name: str, beginning: str) -> tantivy.Query:
        # The same as a regular expression, which takes half a millisecond to be read.
        return self._query.fuzzy_term_query(self._schema, name, beginning, distance=0, prefix=True)

    def _flat(self, query: tantivy.Query, scored: bool, score: float = 1.0) -> Compiled:
        return Compiled(self._query.const_score_query(query, score)) if scored else Compiled(query)

    def _everything(self) -> Compiled:
        return Compiled(self._query.const_score_query(self._query.all_query(), 0.0))

    def _none(self) -> Compiled:
        return Compiled(self._query.empty_query(), nothing=True)


def _flat(plan: Plan, kind: type[All | AnyOf], scored: bool) -> Iterator[Plan]:
    """The parts of a plan of this kind, and of those of its parts that are of it too."""
    if isinstance(plan, Unscored) and not scored:
        yield from _flat(plan.plan, kind, scored)
    elif isinstance(plan, kind):
        for part in plan.parts:
            yield from _flat(part, kind, scored)
    else:
        yield plan


def _is_term(plan: Plan) -> TypeGuard[Phrase | Keys]:
    if not isinstance(plan, Phrase | Keys) or plan.prefix:
        return False
    return isinstance(plan, Keys) or len(plan.words) == 1


def keys_of(lookup: Keys) -> list[str]:
    """The keys as they stand in the key field."""
    return [f"{lookup.store}:{written(key)}" for key in sorted(lookup.keys)]


def _arrangements(words: tuple[str, ...], between: int) -> list[list[tuple[int, str]]]:
    """Every way in which the words can stand near each other, as (place, word); none where there
    are too many ways.
    """
    count = len(words)
    repeats = math.prod(math.factorial(words.count(word)) for word in set(words))
    spread = math.comb(between + count - 1, count - 1)
    if count > 6 or math.factorial(count) // repeats * spread > MOST_ARRANGEMENTS:
        return []
    places = [(0, *rest) for rest in combinations(range(1, between + count), count - 1)]
    return [
        list(zip(at, order, strict=True))
        for order in sorted(set(permutations(words)))
        for at in places
    ]
