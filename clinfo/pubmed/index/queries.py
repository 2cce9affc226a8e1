"""A plan as a query of the search engine: flat, with scores where they are wanted, never by
recursion.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations
from typing import TYPE_CHECKING

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
    """A query, how many levels deep it is, and what is known of its scores: ``level`` is true where
    all hits have the same.
    """

    query: tantivy.Query
    depth: int = 1
    level: bool = True
    nothing: bool = False
    """True where it is known to find nothing."""


@dataclass
class _Group:
    """The parts of an AND, an OR or a NOT, gathered from as many levels of the plan as say the
    same.
    """

    kind: str
    scored: bool
    must: list[Compiled] = field(default_factory=list)
    must_not: list[Compiled] = field(default_factory=list)
    loose: list[Phrase | Keys] = field(default_factory=list)
    """Words and keys of an OR without scores, which can be looked up together."""


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
        """The query of a plan. Without ``scored`` the scores mean nothing and cost less."""
        top = _Group("all", scored)
        # What is still to be done, last first: a plan goes into the group; a group that is full
        # goes into the one around it.
        pending: list[tuple[Plan | _Group, _Group, bool]] = [(plan, top, False)]
        while pending:
            item, around, excluded = pending.pop()
            if isinstance(item, _Group):
                self._put(around, self._closed(item), excluded)
                continue
            scores = around.scored and not excluded
            if isinstance(item, Unscored):
                if scores:
                    inner = _Group("unscored", False)
                    pending += [(inner, around, excluded), (item.plan, inner, False)]
                else:
                    pending.append((item.plan, around, excluded))
            elif isinstance(item, All) and around.kind == "all" and not excluded:
                pending += [(part, around, False) for part in reversed(item.parts)]
            elif isinstance(item, AnyOf) and (around.kind == "any" or excluded):
                pending += [(part, around, excluded) for part in reversed(item.parts)]
            elif isinstance(item, All | AnyOf):
                inner = _Group("all" if isinstance(item, All) else "any", scores)
                pending.append((inner, around, excluded))
                pending += [(part, inner, False) for part in reversed(item.parts)]
            elif isinstance(item, Without):
                if around.kind == "all" and not excluded:
                    pending += [(item.excluded, around, True), (item.plan, around, False)]
                else:
                    inner = _Group("all", scores)
                    pending += [
                        (inner, around, excluded),
                        (item.excluded, inner, True),
                        (item.plan, inner, False),
                    ]
            elif (
                isinstance(item, Phrase | Keys)
                and around.kind == "any"
                and not scores
                and not excluded
                and _is_term(item)
            ):
                around.loose.append(item)
            else:
                self._put(around, self._lookup(item, scores), excluded)
        return self._closed(top)

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
        return Compiled(query, found.depth + 1, found.level, found.nothing)

    # One group

    @staticmethod
    def _put(around: _Group, part: Compiled, excluded: bool) -> None:
        (around.must_not if excluded else around.must).append(part)

    def _closed(self, group: _Group) -> Compiled:
        if group.kind == "unscored":
            inner = self._closed(_Group("all", False, group.must, group.must_not))
            return Compiled(
                self._query.const_score_query(inner.query, 0.0),
                inner.depth + 1,
                nothing=inner.nothing,
            )
        if group.loose:
            group.must += self._together(group.loose)
        found = self._conjunction(group) if group.kind == "all" else self._disjunction(group)
        excluded = [part for part in group.must_not if not part.nothing]
        if not excluded or found.nothing:
            return found
        parts = [(self._must, found.query), *((self._not, part.query) for part in excluded)]
        return Compiled(
            self._query.boolean_query(parts),
            1 + max(part.depth for part in (found, *excluded)),
            found.level,
        )

    def _conjunction(self, group: _Group) -> Compiled:
        parts = group.must
        if any(part.nothing for part in parts):
            return self._none()
        if not parts:
            return self._everything()
        if len(parts) == 1:
            return parts[0]
        query = self._query.boolean_query([(self._must, part.query) for part in parts])
        return Compiled(
            query, 1 + max(part.depth for part in parts), all(part.level for part in parts)
        )

    def _disjunction(self, group: _Group) -> Compiled:
        parts = [part for part in group.must if not part.nothing]
        if not parts:
            return self._none()
        if len(parts) == 1:
            return parts[0]
        query = self._query.boolean_query([(self._should, part.query) for part in parts])
        return Compiled(query, 1 + max(part.depth for part in parts), not group.scored)

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
            found.append(Compiled(query, 1, level or not scored))
        return self._union(found, scored)

    def _key(self, lookup: Keys, scored: bool) -> Compiled:
        keys = keys_of(lookup)
        if not keys:
            return self._none()
        if lookup.prefix:
            parts = [Compiled(self._begun(KEYS, key)) for key in keys]
            found = self._union(parts, False)
            return self._flat(found.query, scored, depth=found.depth)
        found = self._union(self._any_term(KEYS, keys), False)
        if not scored:
            return found
        # BM25 of a set of synonyms that occurs once: its idf, with the sum of what the single keys
        # find.
        n = min(sum(self._frequency(KEYS, key) for key in keys), self._total)
        return self._flat(
            found.query, True, math.log(1 + (self._total - n + 0.5) / (n + 0.5)), found.depth
        )

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
        return found if found.nothing else self._flat(found.query, scored, depth=found.depth)

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
                    Compiled(query.boost_query(one, boost) if boost != 1 else one, 1, not scored)
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

    def _flat(
        self, query: tantivy.Query, scored: bool, score: float = 1.0, depth: int = 1
    ) -> Compiled:
        return (
            Compiled(self._query.const_score_query(query, score), depth + 1)
            if scored
            else Compiled(query, depth)
        )

    def _union(self, parts: list[Compiled], scored: bool) -> Compiled:
        return self._disjunction(_Group("any", scored, parts))

    def _everything(self) -> Compiled:
        return Compiled(self._query.const_score_query(self._query.all_query(), 0.0), 2)

    def _none(self) -> Compiled:
        return Compiled(self._query.empty_query(), nothing=True)


def _is_term(lookup: Phrase | Keys) -> bool:
    return not lookup.prefix and (isinstance(lookup, Keys) or len(lookup.words) == 1)


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
