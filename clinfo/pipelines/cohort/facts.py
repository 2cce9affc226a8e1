"""What a record states of a patient, as values with their source in the notes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FactKind = Literal[
    "condition", "drug", "procedure", "observation", "complaint", "alteration", "stage", "age",
    "sex", "death", "allergy",
]  # fmt: skip
Certainty = Literal["confirmed", "suspected"]
Reading = Literal["confirmed", "suspected", "unclear"]
"""How certain a note is of a fact; "unclear" where the reader is not sure of what the note says.
Such a fact makes nobody a member and denies nothing; it is shown of those who are not documented.
"""
Subject = Literal["patient", "family", "other"]
PAST = "past"
"""``said`` of what the note tells to have ended: a drug that was stopped, an illness of 2008."""
AT_LEAST = ">="
"""``said`` of a value of which the note gives only the least that it is ("BMI 30+")."""
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
    """One statement of a note.

    ``name`` is what it names, as keys are written, or a code of the fact's kind ("t", "ecog");
    ``concept`` the MeSH identifier where MeSH has the whole name, else ""; ``value`` a number in
    ``unit`` or a position in the kind's order, ``said`` the value in words.
    """

    kind: FactKind
    name: str
    source: Source
    concept: str = ""
    value: float | None = None
    unit: str = ""
    said: str = ""
    certainty: Reading = "confirmed"
    negated: bool = False
    subject: Subject = "patient"


@dataclass(frozen=True, slots=True)
class Held:
    """Equal statements of a record as one: the first of them, and every place that states it, by
    time, those without one last.
    """

    fact: Fact
    sources: tuple[Source, ...]


def consolidate(facts: list[Fact]) -> list[Held]:
    """The statements of one record along time; contradictions stay."""
    groups: dict[tuple[object, ...], list[Fact]] = {}
    for fact in sorted(facts, key=lambda fact: (not fact.source.time, fact.source.time)):
        same = (
            fact.kind, fact.name, fact.value, fact.unit, fact.said, fact.certainty, fact.negated,
            fact.subject,
        )  # fmt: skip
        groups.setdefault(same, []).append(fact)
    return [
        Held(group[0], tuple(dict.fromkeys(fact.source for fact in group)))
        for group in groups.values()
    ]
