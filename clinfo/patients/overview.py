"""A record at a glance: medicines over time, what contradicts what, newest values, risk scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from clinfo.patients.coded import holds
from clinfo.patients.contradictions import Contradiction, contradictions
from clinfo.patients.measured import Measured, measured_values
from clinfo.patients.medications import MedicationEvent, medication_timeline
from clinfo.patients.mentions import Mention
from clinfo.patients.records import Record
from clinfo.patients.risk_scores import Score, names, score
from clinfo.patients.times import newest_day


@dataclass(frozen=True, slots=True)
class Overview:
    """What a record tells up to the day ``as_of`` (ISO); ``values`` are by concept, the newest
    first.
    """

    patient: str
    as_of: str
    notes: int
    medications: tuple[MedicationEvent, ...]
    contradictions: tuple[Contradiction, ...]
    values: Mapping[str, tuple[Measured, ...]]
    scores: tuple[Score, ...]


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
    )
