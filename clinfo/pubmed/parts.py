"""Parts of a query under translation: each has a plan and a text, and collects notes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from clinfo.pubmed.plan import All, AnyOf, Everything, Keys, Nothing, Phrase, Plan, Without
from clinfo.pubmed.tree import Operator

Rope = str | tuple["Rope", ...]
"""Text in pieces, put together once at the end: joining at every level would copy a deep query over
and over.
"""


@dataclass(frozen=True, eq=False)
class Part:
    """A translated piece of a query. ``wide``: its text is several terms, which need parentheses
    beside others.

    ``plan`` is None where the piece decides nothing, because all of it was ignored.
    """

    plan: Plan | None
    text: Rope = ""
    wide: bool = False

    @property
    def finds_nothing(self) -> bool:
        return isinstance(self.plan, Nothing)


IGNORED = Part(None)


@dataclass
class Notes:
    """The by-products of a translation: the groups of ESearch's lists, and sentences of our own."""

    phrases_not_found: dict[str, None] = field(default_factory=dict)
    quoted_phrases_not_found: dict[str, None] = field(default_factory=dict)
    phrases_ignored: dict[str, None] = field(default_factory=dict)
    fields_not_found: dict[str, None] = field(default_factory=dict)
    unquoted: dict[str, None] = field(default_factory=dict)
    unfilled: dict[str, None] = field(default_factory=dict)
    as_words: dict[str, None] = field(default_factory=dict)
    remarks: dict[str, None] = field(default_factory=dict)
    translations: dict[tuple[str, str], None] = field(default_factory=dict)
    mapped: bool = False


def joined(operator: Operator, parts: Sequence[Part]) -> Part:
    """The parts under one operator; those that decide nothing are left out, and alternatives that
    find nothing are not shown.
    """
    if operator == "NOT":
        return _without(parts)
    kept = [part for part in parts if part.plan is not None]
    if len(kept) < 2:
        return kept[0] if kept else IGNORED
    if operator == "AND":
        return Part(
            All(tuple(part.plan for part in kept if part.plan is not None)),
            _beside(" AND ", kept),
            True,
        )
    found = [part for part in kept if not part.finds_nothing]
    if len(found) < 2:
        return found[0] if found else Part(Nothing(), _beside(" OR ", kept), True)
    return Part(
        AnyOf(tuple(part.plan for part in found if part.plan is not None)),
        _beside(" OR ", found),
        True,
    )


def _without(parts: Sequence[Part]) -> Part:
    first, excluded = parts[0], [part for part in parts[1:] if part.plan is not None]
    if first.plan is None:
        if not excluded:
            return IGNORED
        first = Part(Everything(), "all[Filter]")
    shown = [part for part in excluded if not part.finds_nothing]
    if not shown:
        return first
    assert first.plan is not None
    plans = tuple(part.plan for part in shown if part.plan is not None)
    return Part(
        Without(first.plan, plans[0] if len(plans) == 1 else AnyOf(plans)),
        _beside(" NOT ", [first, *shown]),
        True,
    )


def _beside(operator: str, parts: Iterable[Part]) -> Rope:
    pieces: list[Rope] = []
    for part in parts:
        if pieces:
            pieces.append(operator)
        pieces.append(("(", part.text, ")") if part.wide else part.text)
    return tuple(pieces)


def flat(rope: Rope) -> str:
    """The text of a rope of any depth."""
    pieces: list[str] = []
    pending: list[Rope] = [rope]
    while pending:
        one = pending.pop()
        if isinstance(one, str):
            pieces.append(one)
        else:
            pending += reversed(one)
    return "".join(pieces)


def any_of(lookups: Sequence[Plan]) -> Plan:
    """One plan for alternatives."""
    return lookups[0] if len(lookups) == 1 else AnyOf(tuple(lookups))


def keys(store: str, *values: str, prefix: bool = False) -> Keys:
    return Keys(store, frozenset(values), prefix)


def phrase(stores: tuple[str, ...], words: Sequence[str], prefix: bool = False) -> Phrase:
    return Phrase(stores, tuple(words), prefix)
