"""The values of a patient's record: dated notes and coded entries.

Times are as they were recorded: an ISO 8601 date or date-time, with an offset where one was
written, "" where none is known.
"""

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "condition", "medication", "observation", "procedure", "encounter", "allergy", "immunization",
    "order", "device", "goal", "flag",
]  # fmt: skip
Standing = Literal["present", "past", "negated", "uncertain", "planned", "family"]
"""The meaning of a recorded status: so, so once, not so, not sure, not yet so, so of a relative."""
Polarity = Literal["", "positive", "negative", "unclear"]
"""The finding of a test; "" where its value is no such answer."""


@dataclass(frozen=True, slots=True)
class Note:
    """One text of a record, with ``\\n`` at the ends of its lines.

    ``id`` is the one given, else made of the note's content: equal in every process and whatever
    the order of the notes. ``visit`` is the encounter or admission.
    """

    id: str
    patient: str
    text: str
    time: str = ""
    category: str = ""
    visit: str = ""


@dataclass(frozen=True, slots=True)
class CodedEntry:
    """One structured statement of a record: a condition, a prescription, a measured value, …

    ``text`` is its name in words, the code itself where the record has no words; ``code`` of
    ``system`` its code. ``value`` and ``unit`` are of an observation, with ``comparator`` before a
    number ("<", "<=", ">=", ">") and the recorded ``interpretation`` ("H", "Above range"); for
    other kinds ``value`` is the recorded status ("active", "stopped", …), ``standing`` what that
    says, and ``interpretation`` what else is told (site, dose, reaction). ``loinc`` is
    the one of LOINC, also beside the code of a house, ``also`` are further names that the record
    has for the same.
    """

    patient: str
    kind: Kind
    text: str
    code: str = ""
    system: str = ""
    start: str = ""
    end: str = ""
    value: str = ""
    unit: str = ""
    visit: str = ""
    standing: Standing = "present"
    polarity: Polarity = ""
    comparator: str = ""
    interpretation: str = ""
    loinc: str = ""
    also: str = ""

    @property
    def shown(self) -> str:
        """The value as it was recorded, without its unit; what a test found where it has none."""
        return self.comparator + self.value or self.polarity

    @property
    def name(self) -> str:
        """The name in words, with whose it is where that is a relative; of a code alone that its
        name is not known.
        """
        code = f"coded {self.code}, " if self.code else f"{self.kind}, "
        own = self.text if self.named else f"{code}name not known here"
        return f"Family history: {own}" if self.standing == "family" else own

    @property
    def named(self) -> bool:
        """Return whether the record has words for it, or its code a name here."""
        return self.text != self.code


@dataclass(frozen=True, slots=True)
class Record:
    """All that is known of one patient: the notes by time and id, those without a time last."""

    patient: str
    notes: tuple[Note, ...] = ()
    entries: tuple[CodedEntry, ...] = ()
