"""The statements of a patient's record, as values with their source in the notes."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from clinfo.patients.times import instant

FactKind = Literal[
    "condition", "drug", "procedure", "observation", "complaint", "alteration", "stage", "age",
    "sex", "death", "allergy",
]  # fmt: skip
Certainty = Literal["confirmed", "suspected"]
Reading = Literal["confirmed", "suspected", "unclear"]
"""The certainty of a note on a fact; "unclear" where the reader is not sure of what the note says.
Such a fact makes nobody a member and denies nothing; it is shown of those who are not documented.
"""
Subject = Literal["patient", "family", "other"]
PAST = "past"
"""``said`` of what the note tells to have ended: a drug that was stopped, an illness of 2008."""
ACTIVE = "active"
"""``said`` of a coded entry that is active and has no end: it is current whatever its day."""
TESTED = "tested"
"""``said`` of what a test did not find: it denies what it is a test of, and nothing wider."""
AT_LEAST = ">="
"""``said`` of a value of which the note gives only the least that it is ("BMI 30+")."""
UNNAMED = "a code without a name"
"""The name of what an entry states by a code alone, beside the code: it may be what is asked."""
BOUNDS = (AT_LEAST, ">", "<=", "<")
"""``said`` of values that are only known to be on one side of a number."""


@dataclass(frozen=True, slots=True)
class Source:
    """A statement's place: code points [start, end) of a note's text."""

    note: str
    time: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement of a note; statements of the same are equal, wherever they stand.

    ``name`` is what it names, as keys are written, or a code of the fact's kind ("t", "ecog");
    ``concept`` the MeSH identifier where MeSH has the whole name, else ""; ``value`` a number in
    ``unit`` or a position in the kind's order, ``said`` the value in words.
    """

    kind: FactKind
    name: str
    source: Source = field(compare=False)
    concept: str = field(default="", compare=False)
    value: float | None = None
    unit: str = ""
    said: str = ""
    certainty: Reading = "confirmed"
    negated: bool = False
    subject: Subject = "patient"


def stated(kind: FactKind, name: str, span: tuple[int, int], **more: Any) -> Fact:
    """A statement at code points [start, end) of a text that is not yet known for a note's."""
    return Fact(kind, name, Source("", "", *span), **more)


def consolidate(facts: Iterable[Fact]) -> dict[Fact, list[Source]]:
    """The facts of one record, each with every place that states it, by time, those without one
    last; contradictions stay.
    """
    places: dict[Fact, dict[Source, None]] = {}
    for fact in sorted(facts, key=lambda fact: (not fact.source.time, instant(fact.source.time))):
        places.setdefault(fact, {})[fact.source] = None
    return {fact: [*sources] for fact, sources in places.items()}
