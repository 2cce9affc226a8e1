"""The tree that a PubMed query is read into (`clinfo.pubmed.query.parse`).

A tree may be thousands of levels deep, so nothing here recurses, and whoever walks one goes with a
stack of his own. Fields are the short codes of `clinfo.pubmed.fields`. ``start`` and ``end`` are
code points in the text as typed; they do not count in a comparison.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

Operator = Literal["AND", "OR", "NOT"]
_One = TypeVar("_One")
_Made = TypeVar("_Made")


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


def folded(
    root: _One, parts: Callable[[_One], Sequence[_One]], make: Callable[[_One, list[_Made]], _Made]
) -> _Made:
    """The value that ``make`` makes of a node of any tree and of the values of its parts, from the
    leaves up. A stack of its own, so that any depth will do.
    """
    pending: list[tuple[_One, bool]] = [(root, False)]
    done: list[_Made] = []
    while pending:
        node, ready = pending.pop()
        inner = parts(node)
        if inner and not ready:
            pending.append((node, True))
            pending += [(part, False) for part in reversed(inner)]
            continue
        made = done[len(done) - len(inner) :]
        del done[len(done) - len(inner) :]
        done.append(make(node, made))
    return done[0]


def parts_of(node: Node) -> tuple[Node, ...]:
    """The parts of a Boolean; a leaf has none."""
    return node.parts if isinstance(node, Boolean) else ()


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


SENTENCES: dict[str, str] = {
    # characters
    "curly-quotes": "Curly quotation marks are read as straight ones.",
    "look-alike": "{shown} is not the character it looks like; PubMed reads a space.",
    "ignored-characters": "PubMed reads {shown} as a space.",
    "invisible-characters": "Invisible characters are read as spaces.",
    "other-script": "PubMed leaves out text in other scripts and searches only what is in Latin letters.",  # noqa: E501
    "html-entity": "This is an HTML entity; PubMed reads its signs one by one and may find nothing.",  # noqa: E501
    "percent-encoding": "This is percent-encoded; PubMed does not decode it.",
    "colon-as-space": "A colon that is not part of a date range is read as a space.",
    "identifier": "This names one record; PubMed's own form of it is {form}.",
    "symbol-operator": "PubMed reads {shown} as {operator}.",
    # quotation marks, brackets, parentheses
    "unbalanced-quote": "This quotation mark is unpaired and is ignored.",
    "empty-phrase": "There is nothing between these quotation marks.",
    "unbalanced-bracket": "This square bracket is unpaired and is read as a space.",
    "bracket-as-text": "These square brackets contain no field tag and are read as spaces.",
    "unbalanced-parenthesis": "This parenthesis is unpaired; PubMed closes or ignores it.",
    "empty-group": "There is nothing between these parentheses.",
    "operator-in-quotes": "Operators inside quotation marks are words of one phrase and combine nothing.",  # noqa: E501
    "tag-in-quotes": "A field tag inside quotation marks is text and has no effect.",
    "long-phrase": "PubMed's phrase index contains almost no phrases of ten or more words.",
    # tags
    "unknown-tag": "PubMed has no field [{tag}] and searches the term as if it had no tag.",
    "unknown-modifier": "PubMed cannot use “:{tag}” with this field and leaves it out.",
    "tag-on-group": "A field tag after parentheses or a line number is ignored.",
    "tag-without-term": "This field tag has no term before it and is ignored.",
    "proximity-field": (
        "Words near each other can be searched in [ti], [tiab] and [ad] only; the distance is "
        "ignored."
    ),
    "proximity-cancelled": "{why}; the distance is ignored.",
    "unknown-subheading": "What follows the slash is not a MeSH subheading and is read as part of the term.",  # noqa: E501
    "no-subheading": "MeSH has no subheading “{shown}”; PubMed finds nothing for it.",
    # operators
    "lower-case-operator": "PubMed reads only AND, OR and NOT in capitals as operators; “{word}” is a word here.",  # noqa: E501
    "dangling-operator": "{operator} has no operand here and is ignored.",
    "repeated-operator": "PubMed uses only one of several operators in a row.",
    "and-not": "AND NOT is read as NOT.",
    "mixed-operators": "AND and OR without parentheses are worked from left to right.",
    # terms
    "short-star": "A star needs at least four characters before it; this one is ignored.",
    "star-inside": "A star that is not at the end of the term is read as a space.",
    "too-many-stars": "PubMed rejects a query with more than 256 truncated terms.",
    "stopword": "{effect}",
    "empty-term": "There is no letter or digit here to search for.",
    "two-fields": "The ends of this range have different fields; the second is used.",
    "open-range": "This range has one end; it is open at the other.",
    "backward-range": "This range ends before it begins and finds nothing.",
    "empty-query": "There is nothing to search for.",
}
"""Code → sentence; words in braces are filled in."""


def remark(code: str, start: int, end: int, **filled: str) -> Remark:
    return Remark(code, SENTENCES[code].format(**filled) if filled else SENTENCES[code], start, end)


def in_order(text: str, remarks: Sequence[Remark]) -> tuple[Remark, ...]:
    """The remarks by their places in ``text``; the same one side by side, with only white space
    between, is one.
    """
    kept: list[Remark] = []
    latest: dict[tuple[str, str], int] = {}
    for one in sorted(remarks, key=lambda one: (one.start, one.end, one.code)):
        place = latest.get((one.code, one.text))
        last = kept[place] if place is not None else None
        if (
            place is not None
            and last is not None
            and (last.end >= one.start or text[last.end : one.start].isspace())
        ):
            kept[place] = Remark(one.code, one.text, last.start, max(last.end, one.end))
        else:
            latest[one.code, one.text] = len(kept)
            kept.append(one)
    return tuple(kept)


def sentences(remarks: Sequence[Remark]) -> tuple[str, ...]:
    """Return what the remarks say, each sentence once, in order."""
    return tuple(dict.fromkeys(one.text for one in remarks))
