"""Lists of medicines in notes: under headings of medications, or under a line that says what is
done.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from clinfo.patients.medication_events import MedicationEvent, doses_in, drug_of, event_of
from clinfo.patients.medication_sentences import change_over_list
from clinfo.patients.mentions import Mention
from clinfo.patients.records import Note
from clinfo.patients.sections import Section
from clinfo.text.regex import anycase
from clinfo.text.words import key

_STOP_LINES = anycase(
    r"(?m)^[ \t*•-]*(?:stop|discontinued?|do not|don['’]t|no longer|hold|held)\b"
    r"(?:[^\n:]*:[ \t]*\n(?:[ \t]*[-*•\d][^\n]*(?:\n|\Z))+|[^\n]*)"
)
"""A line of a list that says what not to take, with the items under it."""
_ITEM = anycase(r"[^;\n]+?(?=;|\n|,\s(?=[a-z])|\sand\s(?=[a-z])|\.\s|\.?\Z)")
_BETWEEN = anycase(r"(?:[\s*•,.;-]|and\s)*")
"""What stands before an item and is not of it."""
_FORM = anycase(
    r"\d|\b(?:tablet|capsule|inhaler|spray|pack|patch|injection|cream|drops?|solution|implant|"
    r"\[\w+\])"
)
_NONE = anycase(r"\W*(?:no|none|nil|not? (?:active|current)|denies)\b")
_NAME = anycase(r"(?:nda\d+\s+|\d+(?:\.\d+)?\s?(?:actuat|ml|hr)\s+)*(?P<name>[a-z][a-z -]*[a-z])")
_LEAD_IN = anycase(r"(?m)^[^\n]*:[ \t]*\n(?:[ \t]*[-*•][^\n]*(?:\n|\Z))+")
MedicationList = tuple[MedicationEvent, list[MedicationEvent]]
"""The first line of a list, and its items."""


def listed(note: Note, parts: Sequence[Section], drugs: Sequence[Mention]) -> MedicationList | None:
    """The list under a note's headings of medications: its first line, and an event for each item;
    None where the note has no list.
    """
    lists = [part for part in parts if part.kind == "medications"]
    bodies = [(part, note.text[part.start : part.end].strip()) for part in lists]
    if not any(body for _, body in bodies):
        return None
    part, body = next((part, body) for part, body in bodies if body)
    first = body.split("\n")[0][:200]
    at = note.text.index(first, part.start)
    head = event_of(note, "", "listed", "", at, at + len(first), "list")
    return head, [item for part in lists for item in _items(note, part.start, part.end, drugs)]


def under_lines(note: Note, drugs: Sequence[Mention]) -> Iterator[MedicationEvent]:
    """The items of lists with a line over them that says what is done to all of them."""
    for match in _LEAD_IN.finditer(note.text):
        line = note.text.index("\n", match.start())
        change = change_over_list(note.text, match.start(), line)
        if change is not None:
            for item in _items(note, line, match.end(), drugs):
                yield replace(item, change=change, basis="said")


def between_lists(
    before: Mapping[str, MedicationEvent], now: MedicationList
) -> Iterator[MedicationEvent]:
    """What a list says anew after the list before it."""
    head, items = now
    for item in items:
        last = before.get(item.drug)
        if last is None:
            yield replace(item, change="started")
        elif item.dose and item.dose != last.dose:
            yield replace(item, change="changed")
    for name in before.keys() - {item.drug for item in items}:
        yield replace(head, drug=name, change="stopped", dose=before[name].dose)


def _items(note: Note, start: int, end: int, drugs: Sequence[Mention]) -> Iterator[MedicationEvent]:
    """The medicines of a list: one an item, named by its concepts, or by its words where it has a
    dose or form.
    """
    stops = [match.span() for match in _STOP_LINES.finditer(note.text, start, end)]
    for match in _ITEM.finditer(note.text, start, end):
        at = match.end() - len(match.group().lstrip())
        if _NONE.match(match.group()) or any(low <= at < high for low, high in stops):
            continue
        low, high = (bisect_left(drugs, at, key=lambda each: each.start) for at in match.span())
        named = drugs[low:high]
        name = drug_of(named)
        if not name and _FORM.search(match.group()):
            found = _NAME.search(match.group())
            name = key(found["name"]) if found else ""
        if name:
            before = _BETWEEN.match(note.text, match.start(), match.end())
            begin = before.end() if before else match.start()
            dose = doses_in(note.text, begin, match.end(), 3)
            yield event_of(note, name, "listed", dose, begin, match.end(), "list")
