"""The logical form of criteria: typed values. `query` reads them from a line of text, `query_text`
writes that; their JSON, of which `shapes` has the table, is

{"has": "Hypertension", "kind": "condition", "certainty": "suspected", "when": "current"}
{"has": "Asthma", "subject": "family"}    {"has": "Asthma", "since": "2015", "when": "new"}
{"has": "Stroke", "age_to": 54}
{"age": {"from": 18, "to": 64, "at": "2022"}}    {"sex": "female"}    {"dead": true}
{"value": "ecog", "from": 0, "to": 2, "when": "latest"}    {"value": "bmi", "from": 35,
"strict": true}    {"gene": ["EGFR"], "change": "L858R"}
{"and": [...]}  {"or": [...]}  {"not": …}  {"before": [A, B], "within_days": 90}
{"at_least": 2, "of": [...]}
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from clinfo.pipelines.cohort.facts import Certainty, FactKind, Subject

When = Literal["ever", "current", "latest", "at diagnosis", "new"]


@dataclass(frozen=True, slots=True)
class Has:
    """The record states what ``concept`` names or a kind of it, at least ``times`` times on
    different days; ``other_than`` are kinds that do not count.

    ``kind`` is "" where any will do. ``since`` and ``until`` are the first and the last year, month
    or day (ISO 8601) of a note that counts, or a span before the day of asking ("2 years");
    "new" is what is first stated within them. ``subject`` is who has it. ``age_from`` and
    ``age_to`` are the years that the patient had reached when it was first stated.
    """

    concept: str
    kind: FactKind | Literal[""] = ""
    certainty: Certainty = "confirmed"
    when: When = "ever"
    times: int = 1
    other_than: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    subject: Subject = "patient"
    age_from: int | None = None
    age_to: int | None = None


@dataclass(frozen=True, slots=True)
class Value:
    """A stated value within [low, high], with ``strict`` between them; None is no bound. ``name``
    is a code of `values` or `quantities`; of one in parts ``high`` takes in its own: stage 2 those
    from IIA to IIC. ``said`` is a value in words. ``since`` and ``until`` are as those of `Has`.
    """

    name: str
    low: float | None = None
    high: float | None = None
    when: When = "latest"
    said: str = ""
    strict: bool = False
    since: str = ""
    until: str = ""


@dataclass(frozen=True, slots=True)
class Age:
    """Years reached, within [low, high]; ``at`` is a year or a day, "" the day of asking."""

    low: int | None = None
    high: int | None = None
    at: str = ""


@dataclass(frozen=True, slots=True)
class Sex:
    """The patient's sex as noted."""

    sex: Literal["female", "male"]


@dataclass(frozen=True, slots=True)
class Dead:
    """The patient's death is documented, or, with ``dead`` false, life at or after ``at``."""

    dead: bool = True
    at: str = ""


@dataclass(frozen=True, slots=True)
class Gene:
    """A change of one of ``genes``: ``change`` a kind of it ("mutation", "fusion",
    "amplification", "deletion", "V600E", "exon 19 deletion", "wild type", …), ``origin`` germline
    or somatic, ``nature`` ("pathogenic", "actionable") where it was asked for; ``other_than`` are
    changes that do not count.
    """

    genes: tuple[str, ...]
    change: str = "alteration"
    nature: str = ""
    origin: Literal["", "germline", "somatic"] = ""
    other_than: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class And:
    """All of them."""

    parts: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Any of them."""

    parts: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """None of it is documented; with ``stated`` its absence is."""

    part: Form
    stated: bool = False


@dataclass(frozen=True, slots=True)
class Before:
    """The first of ``first`` is earlier than the first of ``second``; with ``within_days``, on the
    same day or at most so many days earlier.
    """

    first: Form
    second: Form
    within_days: int | None = None


@dataclass(frozen=True, slots=True)
class AtLeast:
    """At least ``count`` of the parts."""

    count: int
    parts: tuple[Form, ...]


Leaf: TypeAlias = Has | Value | Age | Sex | Dead | Gene
Form: TypeAlias = Leaf | And | Or | Not | Before | AtLeast


def parts_of(form: Form) -> tuple[Form, ...]:
    """The forms that stand within a form; none within a single criterion."""
    match form:
        case And(parts) | Or(parts) | AtLeast(_, parts):
            return parts
        case Not(part):
            return (part,)
        case Before(first, second):
            return (first, second)
    return ()


def leaves(form: Form) -> Iterator[Leaf]:
    """The single criteria in order."""
    if isinstance(form, get_args(Leaf)):
        yield form
    for part in parts_of(form):
        yield from leaves(part)
