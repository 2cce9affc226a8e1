"""The days of a record that a question asks about, once its events are found in the record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from clinfo.patients.asked_time import AskedTime, Order
from clinfo.patients.coded import entry_mentions
from clinfo.patients.mentions import Mention
from clinfo.patients.records import Record
from clinfo.patients.stated_days import shifted
from clinfo.patients.times import day_span
from clinfo.terms.naming import descendants


@dataclass(frozen=True, slots=True)
class Window:
    """Days from ``start`` to ``end``, both within, "" where open; the order that is asked for; and
    the notes that count, None for all.

    ``missing`` is an event that the record does not name as having happened: the days are then
    open on its side, and whoever answers has to say so. ``event`` is the day that was found for it.
    """

    start: str = ""
    end: str = ""
    order: Order = ""
    notes: frozenset[str] | None = None
    event: str = ""
    missing: str = ""

    def holds(self, note: str, time: str) -> bool:
        """Return whether a note, by id and time, may lie within; one without a time only where no
        day is asked for.
        """
        if self.notes is not None and note not in self.notes:
            return False
        if not self.start and not self.end:
            return True
        span = day_span(time)
        if span is None:
            return False
        first, last = (each.isoformat() for each in span)
        return self.start <= last and (not self.end or first <= self.end)


def window(
    asked: AskedTime,
    record: Record,
    mentions: Mapping[str, Sequence[Mention]],
    read: Callable[[str], Sequence[Mention]],
) -> Window:
    """The window of what a question says of time in one record.

    ``mentions`` are those of the record's notes by id, ``read`` finds them in other texts.
    """
    start, end, event, missing = asked.start, asked.end, "", ""
    if asked.event:
        event = event_day(asked.event, record, mentions, read)
        missing = "" if event else asked.event
    if event:
        low, high = _around(event, asked.relation)
        start, end = max(start, low), min(filter(None, (end, high)), default="")
    notes = _notes_at(asked.at, record) if asked.at else None
    return Window(start, end, asked.order, notes, event, missing)


def event_day(
    event: str,
    record: Record,
    mentions: Mapping[str, Sequence[Mention]],
    read: Callable[[str], Sequence[Mention]],
) -> str:
    """The first day on which a note says that the patient has what the words name or a kind of it,
    or a coded entry of it starts, as recorded ("2021"); "" where neither does.
    """
    wanted = {each.concept for each in read(event)}
    wanted |= {narrower for each in wanted for narrower in descendants(each)}
    days = [
        note.time[:10]
        for note in record.notes
        if any(
            each.concept in wanted and each.assertion == "present"
            for each in mentions.get(note.id, ())
        )
    ]
    days += [
        entry.start[:10]
        for entry in record.entries
        if any(
            each.concept in wanted and each.assertion == "present"
            for each in entry_mentions(entry, read)
        )
    ]
    known = [(span, day) for day in days if (span := day_span(day))]
    return min(known)[1] if known else ""


def _around(day: str, relation: str) -> tuple[str, str]:
    span = day_span(day)
    if span is None:
        return "", ""
    first, last = (each.isoformat() for each in span)
    if relation == "before":
        return "", shifted(span[0], "day", -1).isoformat()
    if relation == "after":
        return shifted(span[1], "day", 1).isoformat(), ""
    return {"since": (first, ""), "until": ("", last)}.get(relation, (first, last))


def _notes_at(at: str, record: Record) -> frozenset[str]:
    """The notes of discharge or admission by their category; where none has it, the last or first
    note of each visit.
    """
    named = frozenset(note.id for note in record.notes if at in note.category.lower())
    if named:
        return named
    visits: dict[str, list[str]] = {}
    for note in record.notes:
        visits.setdefault(note.visit or note.id, []).append(note.id)
    return frozenset(ids[-1 if at == "discharge" else 0] for ids in visits.values())
