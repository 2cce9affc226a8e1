"""Measured values of a record, newest first: value, unit, day, and where they stand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from clinfo.patients.mentions import Mention
from clinfo.patients.records import Record
from clinfo.text.regex import anycase
from clinfo.text.units import ANY_UNIT

_VALUE = anycase(
    r"(?:\s?\([^)\n\d]{0,20}\))?[\s:=]*"
    r"(?:(?:is|was|of|at|today|level|count|value|now|currently|measured|elevated|reading|result|"
    r"stable|normal|low|high)[\s:=]+){0,4}"
    r"(?P<value>[<>]?\s?\d{1,6}(?:[.,]\d+)?(?:\s?/\s?\d{1,3})?)(?![\d/+-]|\s?(?:years?|days?|weeks?|"
    r"months?)\b)"
    rf"(?:\s?(?P<unit>%|(?:{ANY_UNIT})(?:/(?:{ANY_UNIT}))?(?:/1\.73\s?m2)?)(?!\w))?"
)

MEASURE = "diagnostic procedure"
"""The type of what is measured."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One value of a concept: ``value`` and ``unit`` as written, the day, and the note's id with
    text[start:end] as ``quote``; the id is "" for a coded entry.
    """

    concept: str
    value: str
    unit: str
    day: str
    note: str
    start: int
    end: int
    quote: str


def measured(
    concept: str,
    record: Record,
    mentions: Mapping[str, Sequence[Mention]],
    read: Callable[[str], Sequence[Mention]],
) -> tuple[Measured, ...]:
    """The values of a concept in a record, the newest first, those without a day last."""
    return _sorted(each for each in _found(record, mentions, read) if each.concept == concept)


def measured_values(
    record: Record,
    mentions: Mapping[str, Sequence[Mention]],
    read: Callable[[str], Sequence[Mention]],
) -> dict[str, tuple[Measured, ...]]:
    """The values of all that is measured in a record, by concept in alphabetical order; a dose is
    none.
    """
    measures = {
        each.concept for found in mentions.values() for each in found if MEASURE in each.types
    }
    by_concept: dict[str, list[Measured]] = {}
    for each in _found(record, mentions, read):
        if not each.note or each.concept in measures:
            by_concept.setdefault(each.concept, []).append(each)
    return {concept: _sorted(by_concept[concept]) for concept in sorted(by_concept)}


def _sorted(found: Iterable[Measured]) -> tuple[Measured, ...]:
    return tuple(sorted(found, key=lambda each: (each.day, each.note, each.start), reverse=True))


def _found(
    record: Record,
    mentions: Mapping[str, Sequence[Mention]],
    read: Callable[[str], Sequence[Mention]],
) -> Iterator[Measured]:
    for note in record.notes:
        for each in mentions.get(note.id, ()):
            match = _VALUE.match(note.text, each.end)
            if match and each.assertion != "family":
                quote, day = note.text[each.start : match.end()], note.time[:10]
                value, unit = match["value"].replace(" ", ""), match["unit"] or ""
                yield Measured(
                    each.concept, value, unit, day, note.id, each.start, match.end(), quote
                )
    for entry in record.entries:
        if entry.kind == "observation" and entry.value:
            named = dict.fromkeys(each.concept for each in read(entry.text)) or [entry.text]
            day, whole = entry.start[:10], len(entry.text)
            for concept in named:
                yield Measured(concept, entry.value, entry.unit, day, "", 0, whole, entry.text)
