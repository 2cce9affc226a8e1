"""The medicines of a record over time: started, changed, stopped, planned, each with its words.

Three things are read: what sentences say is done, lists of medicines, and coded prescriptions. A
medicine that stands in a list for the first time counts as started by then, one that no longer
stands in the next list as stopped; one that is prescribed again unchanged is no event.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from clinfo.patients.coded import holds
from clinfo.patients.medication_events import MedicationEvent as MedicationEvent
from clinfo.patients.medication_events import doses_in, drug_of
from clinfo.patients.medication_events import is_drug as is_drug
from clinfo.patients.medication_lists import MedicationList, between_lists, listed, under_lines
from clinfo.patients.medication_sentences import said
from clinfo.patients.mentions import Mention
from clinfo.patients.records import CodedEntry, Record
from clinfo.patients.sections import sections


def medication_timeline(
    record: Record,
    mentions: Mapping[str, Sequence[Mention]],
    read: Callable[[str], Sequence[Mention]],
) -> tuple[MedicationEvent, ...]:
    """What happened to the medicines of a record, by day; those without a day last.

    ``mentions`` are those of the record's notes, by id; ``read`` finds them in a coded entry.
    """
    found: list[MedicationEvent] = []
    last: dict[str, MedicationEvent] = {}
    for note in record.notes:
        drugs = [each for each in mentions.get(note.id, ()) if is_drug(each)]
        parts = sections(note.text)
        told = [*said(note, parts, drugs), *under_lines(note, drugs)]
        now = listed(note, parts, drugs)
        if now is not None:
            found += between_lists(last, now)
            last = {each.drug: each for each in now[1]}
        found += told
        last |= {each.drug: each for each in told if each.change == "started"}
    found += _of_entries(record.entries, read)
    found.sort(key=lambda each: (not each.day, each.day, each.note, each.start, each.drug))
    return tuple(_new(found))


def latest_list(record: Record, mentions: Mapping[str, Sequence[Mention]]) -> MedicationList | None:
    """The first line and the items of the last list of medicines in a record; None where no note
    has a list.
    """
    for note in reversed(record.notes):
        drugs = [each for each in mentions.get(note.id, ()) if is_drug(each)]
        if (found := listed(note, sections(note.text), drugs)) is not None:
            return found
    return None


def _new(events: Sequence[MedicationEvent]) -> Iterator[MedicationEvent]:
    """The events that change something, given in order."""
    doses: dict[str, str] = {}
    stopped: set[str] = set()
    planned: set[tuple[str, ...]] = set()
    for event in events:
        last = doses.get(event.drug)
        if event.change == "stopped":
            if event.drug not in stopped:
                yield event
            stopped.add(event.drug)
            doses.pop(event.drug, None)
        elif event.planned:
            same = (event.note, event.drug, event.change, event.dose)
            if same not in planned and not (event.change == "planned" and last is not None):
                yield event
            planned.add(same)
        elif event.change != "listed":
            other = bool(event.dose and last and event.dose != last)
            if event.change == "started" and last is not None and other:
                yield replace(event, change="changed")
            elif last is None or other or (event.change == "changed" and not event.dose):
                yield event
            doses[event.drug] = event.dose or last or ""
            stopped.discard(event.drug)


def _of_entries(
    entries: Sequence[CodedEntry], read: Callable[[str], Sequence[Mention]]
) -> Iterator[MedicationEvent]:
    """The starts and stops of coded prescriptions; the end of one is no stop while another of the
    medicine runs on.
    """
    events = [event for entry in entries for event in _coded(entry, read)]
    running: dict[str, str] = {}
    for begun, ended in events:
        if ended is None:
            running[begun.drug] = min(begun.day, running.get(begun.drug, begun.day))
    for begun, ended in events:
        yield begun
        if ended is not None and not running.get(begun.drug, "~") <= ended.day:
            yield ended


def _coded(
    entry: CodedEntry, read: Callable[[str], Sequence[Mention]]
) -> Iterator[tuple[MedicationEvent, MedicationEvent | None]]:
    """The start of a prescription, and its stop: without a day of its own at its start."""
    if entry.kind != "medication" or not holds(entry):
        return
    name = drug_of(filter(is_drug, read(entry.text)))
    text, day = entry.text, entry.start[:10]
    dose = doses_in(text, 0, len(text), 3)
    begun = MedicationEvent(day, name or text, "started", dose, "", 0, len(text), text, "coded")
    over = entry.end or entry.value.lower() in ("stopped", "completed", "on-hold")
    yield begun, replace(begun, day=entry.end[:10] or day, change="stopped") if over else None
