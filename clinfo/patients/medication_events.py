"""What happened to a medicine: the value that the readers of sentences, lists and entries give."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from clinfo.patients.mentions import Mention
from clinfo.patients.records import Note
from clinfo.text.regex import anycase

Change = Literal[
    "started", "changed", "stopped", "listed", "planned", "planned change", "planned stop"
]
"""What is done; "planned" is a start. What a note orders ("start metformin") counts as planned:
that it was done, another note or list has to tell.
"""
Basis = Literal["said", "list", "coded"]
LABORATORY = frozenset(
    {
        "Blood Glucose", "C-Reactive Protein", "Cholesterol", "Cholesterol, HDL",
        "Cholesterol, LDL", "Creatinine", "Ferritins", "Glycated Hemoglobin",
        "Glycated Hemoglobin A", "Hemoglobin A", "Hemoglobins", "Natriuretic Peptide, Brain",
        "Prostate-Specific Antigen", "Triglycerides", "Troponin",
    }
)  # fmt: skip
"""Substances that notes name as a laboratory value."""
NO_MEDICINE = LABORATORY | {"Alcohols", "Caffeine", "Ethanol", "Nicotine", "Oxygen", "Sugars"}
"""Substances that notes name as a laboratory value or a habit."""
_DOSE = anycase(
    r"(?<![\w.])\d+(?:[.,]\d+)*(?:\s?/\s?\d+(?:\.\d+)?)?\s?"
    r"(?:mg|mcg|µg|ug|g|units?|iu|meq|ml|mmol|%)(?:/(?:ml|actuat|hr|h|day|kg|dose))?\b"
)


@dataclass(frozen=True, slots=True)
class MedicationEvent:
    """What happened to one medicine on one day. ``drug`` is its concept, or its name as written;
    ``dose`` is as written, "" where none is.

    ``note`` is the id of the note whose text[start:end] is ``quote``, "" for a coded entry, whose
    text the quote then is. ``basis`` is "said", "list" or "coded".
    """

    day: str
    drug: str
    change: Change
    dose: str
    note: str
    start: int
    end: int
    quote: str
    basis: Basis

    @property
    def planned(self) -> bool:
        """Whether it is only to be done."""
        return self.change.startswith("planned")


def is_drug(mention: Mention) -> bool:
    """Return whether a mention may name a medicine: a type of its begins with "drug"."""
    named = mention.concept not in NO_MEDICINE
    return named and any(kind.startswith("drug") for kind in mention.types)


def drug_of(mentions: Iterable[Mention]) -> str:
    """The substances that mentions name, each once, with a slash between them."""
    found = (part for each in mentions for part in each.concept.split(" / "))
    return " / ".join(dict.fromkeys(found))


def event_of(
    note: Note, drug: str, change: Change, dose: str, start: int, end: int, basis: Basis
) -> MedicationEvent:
    """The event that text[start:end] of a note tells, on the day of the note."""
    quote = note.text[start:end]
    return MedicationEvent(note.time[:10], drug, change, dose, note.id, start, end, quote, basis)


def doses_in(text: str, start: int, end: int, most: int) -> str:
    """The first ``most`` doses of text[start:end] as written, with a slash between them."""
    doses = [re.sub(r"\s+", " ", match.group()) for match in _DOSE.finditer(text, start, end)]
    return " / ".join(doses[:most])
