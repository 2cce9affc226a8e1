"""Coded entries (FHIR) as texts that are searched and cited like notes: one a day and kind, with a
line for each entry, its status, value and code. What a line says of the patient is read from the
status, not from its words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, field
from itertools import groupby
from typing import Final

from clinfo.patients.coded import also_named, meant, measured, stands, system_name
from clinfo.patients.records import CodedEntry, Note

PREFIX: Final = "coded "
"""The beginning of the categories of these texts."""


@dataclass(frozen=True)
class CodedLine:
    """The place of an entry: the id of the text, and its line [start, end)."""

    note: str
    start: int
    end: int
    entry: CodedEntry


@dataclass(frozen=True)
class CodedTexts:
    """The texts of a record's coded ``entries``, and the lines in them by id of the text."""

    entries: tuple[CodedEntry, ...] = ()
    notes: tuple[Note, ...] = ()
    lines: Mapping[str, tuple[CodedLine, ...]] = field(default_factory=dict)


def is_coded(note: Note) -> bool:
    """Return whether a text was made of coded entries."""
    return note.category.startswith(PREFIX) and note.id.startswith("coded-")


def coded_texts(entries: Sequence[CodedEntry]) -> CodedTexts:
    """The texts of entries, by day and kind; visits but planned ones are named by others."""
    told = [one for one in entries if one.kind != "encounter" or one.standing == "planned"]
    told.sort(key=lambda one: (one.start[:10], one.kind, one.text, astuple(one)))
    notes, lines = list[Note](), dict[str, tuple[CodedLine, ...]]()
    for (day, kind), group in groupby(told, lambda one: (one.start[:10], one.kind)):
        own = list(group)
        id, text, at = f"coded-{kind}-{day or 'undated'}", "", list[CodedLine]()
        for entry in own:
            start = len(text) + 2
            line = entry.name + _rest(entry)
            text += f"- {line}\n"
            at.append(CodedLine(id, start, start + len(line), entry))
        visits = {one.visit for one in own}
        visit = visits.pop() if len(visits) == 1 else ""
        notes.append(Note(id, own[0].patient, text, own[0].start, PREFIX + kind, visit))
        lines[id] = tuple(at)
    return CodedTexts(tuple(entries), tuple(notes), lines)


def _rest(entry: CodedEntry) -> str:
    code = " ".join(filter(None, (system_name(entry.system), entry.code)))
    code = ", ".join(filter(None, (code if entry.code else "", also_named(entry))))
    code = f" ({code})" if code else ""
    if entry.kind == "observation":
        quantity = measured(entry) if entry.shown and not entry.unit else None
        lacks = "(no unit recorded)" if quantity and quantity.unit else ""
        value = f"{entry.shown} {entry.unit or lacks}".strip() or "no value recorded"
        shown = meant(entry)
        return f": {value}" + (f" ({shown})" if shown else "") + code
    return stands(entry) + code
