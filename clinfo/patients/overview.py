"""A record at a glance: the conditions that notes and coded entries name, and the allergies,
medicines and results of coded entries. What free text says of these is not read here.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from clinfo.patients.coded import affirmed, holds, recency, said_of, stands
from clinfo.patients.mentions import Mention
from clinfo.patients.records import CodedEntry, Note, Record
from clinfo.patients.sections import sections, sentence_at
from clinfo.patients.times import newest_day

LASTING = frozenset({"disease", "mental disorder", "surgery"})
"""Types of what does not pass like a symptom."""
_ALLERGY = "Hypersensitivity"
"""What "allergy" alone names, which is no condition."""
_KINDS = {
    "procedure": "Procedures", "immunization": "Vaccinations", "device": "Devices",
    "encounter": "Visits", "flag": "Warnings",
}  # fmt: skip
_STANDINGS = {
    "planned": "Ordered or planned", "uncertain": "Conditions that are not sure",
    "family": "In relatives", "negated": "Not so, or not done",
}  # fmt: skip
"""The headings of other kinds of entries, and of what is not said to be so."""


@dataclass(frozen=True, slots=True)
class Place:
    """Words of a note: its id ("" for a coded entry), day, and text[start:end] as ``quote``."""

    note: str
    day: str
    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class Condition:
    """A disease or operation that a record says the patient has or had: the first and last day that
    names it, or its coded end, in how many notes and entries, and its newest place.
    """

    concept: str
    first: str
    last: str
    count: int
    place: Place


@dataclass(frozen=True, slots=True)
class Overview:
    """A record as told up to the day ``as_of`` (ISO), all the newest first. ``medications`` and
    ``allergies`` are coded entries, ``values`` coded results by name, ``others`` what else coded
    entries say, by a heading; ``told_in_notes`` counts the notes with a section on allergies or
    medicines, or that name an allergy.
    """

    patient: str
    as_of: str
    notes: int
    conditions: tuple[Condition, ...]
    allergies: tuple[CodedEntry, ...]
    medications: tuple[CodedEntry, ...]
    values: Mapping[str, tuple[CodedEntry, ...]]
    others: Mapping[str, tuple[CodedEntry, ...]]
    told_in_notes: Mapping[str, int]


def overview(
    record: Record, read: Callable[[str], Sequence[Mention]], as_of: date | None = None
) -> Overview:
    """A record as it stood on a day; by default on that of its newest note or entry that is not in
    the future, so that the same record always gives the same.
    """
    times = [note.time for note in record.notes]
    times += [entry.start for entry in record.entries if holds(entry)]
    day = as_of or newest_day(times, date.today()) or date.today()
    until = day.isoformat()
    known = Record(
        record.patient,
        tuple(note for note in record.notes if note.time[:10] <= until),
        tuple(
            entry
            for entry in record.entries  # of days that are not asked for also what lies ahead
            if entry.start[:10] <= until or not (as_of or holds(entry))
        ),
    )
    measured: dict[str, list[CodedEntry]] = {}
    for entry in _of_kind(known, "observation"):
        if entry.shown or entry.standing == "uncertain":  # also what was not performed
            measured.setdefault(entry.loinc or entry.name, []).append(entry)
    results: dict[str, tuple[CodedEntry, ...]] = {}
    for code, own in measured.items():  # in serum and in urine, under the same words
        name = own[0].name
        results[f"{name} ({code})" if name in results else name] = tuple(own)
    return Overview(
        known.patient,
        until,
        len(known.notes),
        _conditions(known, read),
        _of_kind(known, "allergy"),
        _of_kind(known, "medication"),
        dict(sorted(results.items())),
        _others(known),
        _told_in_notes(known, read),
    )


def _of_kind(record: Record, kind: str) -> tuple[CodedEntry, ...]:
    """The entries of a kind that are or were so, or may be, the newest first."""
    own = (entry for entry in record.entries if entry.kind == kind and holds(entry))
    return tuple(sorted(own, key=recency, reverse=True))


def _others(record: Record) -> dict[str, tuple[CodedEntry, ...]]:
    """The entries of other kinds, and those of what is not so or not sure, by a heading."""
    found = {heading: _of_kind(record, kind) for kind, heading in _KINDS.items()}
    for standing, heading in _STANDINGS.items():
        own = (one for one in record.entries if one.standing == standing)
        own = (one for one in own if one.kind == "condition" or standing != "uncertain")
        found[heading] = tuple(sorted(own, key=recency, reverse=True))
    return {heading: own for heading, own in found.items() if own}


def _told_in_notes(record: Record, read: Callable[[str], Sequence[Mention]]) -> Mapping[str, int]:
    told = Counter[str]()
    for note in record.notes:
        parts = (one for one in sections(note.text) if note.text[one.start : one.end].strip())
        allergy = any(one.concept == _ALLERGY for one in read(note.text))
        told.update({*(one.kind for one in parts), *(("allergies",) if allergy else ())})
    return {"allergies": told["allergies"], "medicines": told["medications"]}


def _conditions(record: Record, read: Callable[[str], Sequence[Mention]]) -> tuple[Condition, ...]:
    """Return what of `LASTING` types the patient has or had, the last named first."""
    found: dict[str, dict[str, Place]] = {}
    ends: dict[str, str] = {}
    for name, source, place, end in _named(record, read):
        found.setdefault(name, {}).setdefault(source, place)
        ends[name] = max(end, ends.get(name, ""))
    made = [
        Condition(
            name,
            min(days, default=""),
            max((*days, ends[name])),
            len(own),
            max(own.values(), key=lambda place: place.day),
        )
        for name, own in found.items()
        for days in [[place.day for place in own.values() if place.day]]
    ]
    return tuple(sorted(made, key=lambda one: (one.last, one.count, one.concept), reverse=True))


def _named(
    record: Record, read: Callable[[str], Sequence[Mention]]
) -> Iterator[tuple[str, str, Place, str]]:
    """Yield what is named where: the name, the note or entry, the place, the coded end."""
    for note in record.notes:
        for each in read(note.text):
            lasting = LASTING.intersection(each.types) and each.concept != _ALLERGY
            if lasting and each.assertion in ("present", "history"):
                yield each.concept, note.id, _place_of(note, each.start), ""
    for number, entry in enumerate(record.entries):
        if entry.kind == "condition" and said_of(entry, read) in ("present", "history"):
            own = (each for each in affirmed(entry, read)[1] if LASTING.intersection(each.types))
            name = next((each.concept for each in own), entry.name)
            quote = entry.name + stands(entry)
            place = Place("", entry.start[:10], 0, len(quote), quote)
            yield name, f"coded {number}", place, entry.end[:10]


def _place_of(note: Note, at: int) -> Place:
    start, end = sentence_at(note.text, at)
    return Place(note.id, note.time[:10], start, end, note.text[start:end])
