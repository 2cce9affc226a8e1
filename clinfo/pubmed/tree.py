"""The tree that a PubMed query is read into (`clinfo.pubmed.query.parse`).

A tree may be thousands of levels deep, so nothing here recurses, and whoever walks one goes with a
stack of his own. Fields are the short codes of `clinfo.pubmed.fields`. ``start`` and ``end`` are
code points in the text as typed; they do not count in a comparison.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Operator = Literal["AND", "OR", "NOT"]


@dataclass(frozen=True)
class Term:
    """One term: what stands between operators, brackets and tags.

    ``text`` is as typed with single spaces, without quotes, tag and subheading; a star at its end
    truncates. An operator in lower case between two finished terms is a term of its own, as it is
    for PubMed.
    ``field`` is None where no tag, or none that PubMed knows, was given. ``explode`` is false for
    ``:noexp``. ``within`` is N of a proximity tag ``:~N`` in force. ``subheading`` is what follows
    the slash of "hypertension/therapy".
    """

    text: str
    field: str | None = None
    quoted: bool = False
    explode: bool = True
    within: int | None = None
    subheading: str | None = None
    start: int = dataclasses.field(default=0, compare=False)
    end: int = dataclasses.field(default=0, compare=False)

    @property
    def truncated(self) -> bool:
        return self.text.endswith("*")


@dataclass(frozen=True)
class Range:
    """``low:high[field]``; ``field`` None where no tag was given (then both ends are dates).

    Both ends are text as typed, without quotes; one of them is empty where the range is open there
    ("2020:[dp]").
    """

    low: str
    high: str
    field: str | None = None
    start: int = dataclasses.field(default=0, compare=False)
    end: int = dataclasses.field(default=0, compare=False)


@dataclass(frozen=True)
class Line:
    """``#n``: another line of the same strategy, or an earlier search of the history."""

    number: int
    start: int = dataclasses.field(default=0, compare=False)
    end: int = dataclasses.field(default=0, compare=False)


@dataclass(frozen=True)
class Pmids:
    """Bare PMIDs side by side, any of which is meant."""

    pmids: tuple[str, ...]
    start: int = dataclasses.field(default=0, compare=False)
    end: int = dataclasses.field(default=0, compare=False)


@dataclass(frozen=True, eq=False, repr=False)
class Boolean:
    """At least two parts joined by one operator; NOT takes every further part from the first.

    PubMed works from left to right, so "a OR b AND c" is Boolean("AND", (Boolean("OR", (a, b)),
    c)). A part has another operator than its parent, except that parts of NOT after the first may
    be NOT again (and the first of AND or OR never is the same).
    """

    operator: Operator
    parts: tuple[Node, ...]
    start: int = dataclasses.field(default=0, compare=False)
    end: int = dataclasses.field(default=0, compare=False)

    def __eq__(self, other: object) -> bool:
        pending: list[tuple[object, object]] = [(self, other)]
        while pending:
            one, two = pending.pop()
            if isinstance(one, Boolean) and isinstance(two, Boolean):
                if one.operator != two.operator or len(one.parts) != len(two.parts):
                    return False
                pending += zip(one.parts, two.parts, strict=True)
            elif isinstance(one, Boolean) or isinstance(two, Boolean) or one != two:
                return False
        return True

    def __hash__(self) -> int:
        return hash((self.operator, len(self.parts)))

    def __repr__(self) -> str:
        return f"Boolean({self.operator!r}, {len(self.parts)} parts, {self.start}–{self.end})"


Leaf = Term | Range | Line | Pmids
Node = Leaf | Boolean


def leaves(tree: Node | None) -> Iterator[Leaf]:
    """The leaves of a tree, in the order of the text; none of None."""
    pending: list[Node] = [] if tree is None else [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, Boolean):
            pending += reversed(node.parts)
        else:
            yield node


def terms(tree: Node | None) -> Iterator[Term]:
    """The terms among the leaves of a tree, in the order of the text."""
    return (leaf for leaf in leaves(tree) if isinstance(leaf, Term))


@dataclass(frozen=True)
class Remark:
    """Something that PubMed tolerates, changes or drops without a word, and where in the typed text
    it stands.

    ``code`` is stable and names the kind; ``text`` is one sentence for a reader.
    """

    code: str
    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Parsed:
    """A query as read; ``tree`` is None where nothing in it can be searched for. ``remarks`` are in
    the order of their places.
    """

    text: str
    tree: Node | None
    remarks: tuple[Remark, ...] = ()
