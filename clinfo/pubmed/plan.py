"""Query plans: trees of lookups, the same for every engine.

`clinfo.pubmed.translate` makes a plan of a parsed query; an engine (`Engine`: the index on disk,
the articles in memory) answers it. Lookups name *stores*, the places where a record's words and
keys are kept (`clinfo.pubmed.document`); a field tag may look in several stores. Every lookup
means: all records that have it in at least one of its stores.

Plans may be thousands of levels deep; whoever walks one goes with a stack of his own, or refuses it
as the index does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal, Protocol

Sort = Literal["relevance", "pub_date"]


@dataclass(frozen=True)
class Phrase:
    """These words next to each other in one text, in this order; one word is a word. With
    ``prefix`` the last one may go on.
    """

    stores: tuple[str, ...]
    words: tuple[str, ...]
    prefix: bool = False


@dataclass(frozen=True)
class Near:
    """These words in any order in one text, at most ``between`` other words among them all
    (PubMed's proximity search).

    Words repeated in the query must occur as often in the text. With span = last place − first
    place + 1 of one choice of places, the rule is span − len(words) ≤ between.
    """

    stores: tuple[str, ...]
    words: tuple[str, ...]
    between: int


@dataclass(frozen=True)
class Keys:
    """Records that have any of these keys (`clinfo.text.words.key` forms); with ``prefix`` keys
    that begin with one.
    """

    store: str
    keys: frozenset[str]
    prefix: bool = False


@dataclass(frozen=True)
class Days:
    """Records with a date of one of these stores whose interval meets [first, last], both
    inclusive.
    """

    stores: tuple[str, ...]
    first: date
    last: date


@dataclass(frozen=True)
class Numbers:
    """Records whose PMID lies in [first, last]."""

    first: int
    last: int


@dataclass(frozen=True)
class Everything:
    """All records."""


@dataclass(frozen=True)
class Nothing:
    """No record."""


@dataclass(frozen=True, eq=False)
class All:
    """Records that every part finds; with no part all records."""

    parts: tuple[Plan, ...]


@dataclass(frozen=True, eq=False)
class AnyOf:
    """Records that some part finds; with no part none."""

    parts: tuple[Plan, ...]


@dataclass(frozen=True, eq=False)
class Without:
    """Records that ``plan`` finds and ``excluded`` does not. What is excluded never counts for
    relevance.
    """

    plan: Plan
    excluded: Plan


@dataclass(frozen=True, eq=False)
class Unscored:
    """Finds what ``plan`` finds and says nothing about relevance: filters, dates."""

    plan: Plan


Lookup = Phrase | Near | Keys | Days | Numbers | Everything | Nothing
Plan = Lookup | All | AnyOf | Without | Unscored


def parts_of(plan: Plan) -> tuple[Plan, ...]:
    """The plans that a plan is made of; a lookup has none."""
    if isinstance(plan, All | AnyOf):
        return plan.parts
    if isinstance(plan, Without):
        return plan.plan, plan.excluded
    return (plan.plan,) if isinstance(plan, Unscored) else ()


class Engine(Protocol):
    """An engine that answers plans over one set of records. All methods may be called from any
    thread.
    """

    def count(self, plan: Plan) -> int:
        """Number of records that the plan finds."""

    def best(
        self, plan: Plan, limit: int, offset: int = 0, sort: Sort = "relevance"
    ) -> tuple[int, list[str]]:
        """(count, ids ``offset`` to ``offset + limit`` of the hits). Ids are article ids.

        ``relevance``: BM25 over the positive lookups, best first; ``pub_date``: newest first by the
        first day of the publication date, undated last. Equal places go by id: a higher PMID before
        a lower one.
        """

    def has(self, lookup: Lookup) -> bool:
        """Return whether any record has it (cheap: asked for every phrase and heading of a
        query).
        """

    def stems(self, prefix: str, limit: int) -> Sequence[str]:
        """Words of any text store that begin with ``prefix``, in order, at most ``limit`` of
        them.
        """


def near(text: Sequence[str], words: Sequence[str], between: int) -> bool:
    """Return whether the words stand in the text, as often as they are given, with at most
    ``between`` others among them.
    """
    wanted = {word: list(words).count(word) for word in words}
    open_place, lacking = 0, len(words)
    for place, word in enumerate(text):
        if word in wanted:
            wanted[word] -= 1
            lacking -= wanted[word] >= 0
        while (
            not lacking
        ):  # the window from open_place to place holds them all: make it as small as it gets
            if place - open_place + 1 - len(words) <= between:
                return True
            if text[open_place] in wanted:
                wanted[text[open_place]] += 1
                lacking += wanted[text[open_place]] > 0
            open_place += 1
    return False
