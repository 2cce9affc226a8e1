"""A record at a glance: conditions, allergies, medicines over time, what contradicts what, newest
values, risk scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from clinfo.patients.coded import entry_mentions, holds, said_of
from clinfo.patients.contradictions import (
    LASTING,
    Contradiction,
    Place,
    allergic_to,
    contradictions,
    place_of,
    without_allergy,
)
from clinfo.patients.measured import Measured, measured_values
from clinfo.patients.medications import MedicationEvent, medication_timeline
from clinfo.patients.mentions import Mention
from clinfo.patients.records import Record
from clinfo.patients.risk_scores import Score, names, score
from clinfo.patients.times import newest_day


@dataclass(frozen=True, slots=True)
class Condition:
    """A disease or operation that a record says the patient has or had: the first and last day that
    names it, in how many notes and entries, and its newest place.
    """

    concept: str
    first: str
    last: str
    count: int
    place: Place


@dataclass(frozen=True, slots=True)
class Overview:
    """What a record tells up to the day ``as_of`` (ISO). ``conditions`` and ``values`` are the
    newest first, the latter by concept; ``allergies`` are substances with their newest place,
    ``no_allergies`` is the newest place that denies any.
    """

    patient: str
    as_of: str
    notes: int
    medications: tuple[MedicationEvent, ...]
    contradictions: tuple[Contradiction, ...]
    values: Mapping[str, tuple[Measured, ...]]
    scores: tuple[Score, ...]
    conditions: tuple[Condition, ...] = ()
    allergies: tuple[tuple[str, Place], ...] = ()
    no_allergies: Place | None = None


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
        tuple(entry for entry in record.entries if entry.start[:10] <= until),
    )
    mentions = {note.id: read(note.text) for note in known.notes}
    return Overview(
        known.patient,
        until,
        len(known.notes),
        medication_timeline(known, mentions, read),
        contradictions(known, mentions),
        measured_values(known, mentions, read),
        tuple(score(name, known, mentions, read, day) for name in names()),
        _conditions(known, mentions, read),
        (*dict(allergic_to(known, mentions)).items(), *_coded_allergies(known)),
        max(without_allergy(known), key=lambda place: place.day, default=None),
    )


def _conditions(
    record: Record,
    mentions: Mapping[str, Sequence[Mention]],
    read: Callable[[str], Sequence[Mention]],
) -> tuple[Condition, ...]:
    """What of `LASTING` types the patient has or had, the last named first."""
    found: dict[str, dict[str, Place]] = {}
    for note in record.notes:
        for each in mentions[note.id]:
            if LASTING.intersection(each.types) and each.assertion in ("present", "history"):
                found.setdefault(each.concept, {}).setdefault(note.id, place_of(note, each.start))
    for number, entry in enumerate(record.entries):
        if entry.kind == "condition" and said_of(entry, read) in ("present", "history"):
            name = next((each.concept for each in entry_mentions(entry, read)), entry.text)
            place = Place("", entry.start[:10], 0, len(entry.text), entry.text)
            found.setdefault(name, {}).setdefault(f"coded {number}", place)
    made = [
        Condition(name, min(days, default=""), max(days, default=""), len(own), _newest(own))
        for name, own in found.items()
        if (days := [place.day for place in own.values() if place.day]) is not None
    ]
    return tuple(sorted(made, key=lambda one: (one.last, one.count, one.concept), reverse=True))


def _newest(places: Mapping[str, Place]) -> Place:
    return max(places.values(), key=lambda place: place.day)


def _coded_allergies(record: Record) -> Iterator[tuple[str, Place]]:
    for entry in record.entries:
        if entry.kind == "allergy" and holds(entry):
            yield entry.text, Place("", entry.start[:10], 0, len(entry.text), entry.text)
