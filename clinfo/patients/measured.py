"""Measured values of a record, newest first: value, unit, day, and where they stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from clinfo.patients.medication_events import LABORATORY
from clinfo.patients.mentions import Mention
from clinfo.patients.records import Note, Record
from clinfo.patients.stated_days import Days, stated_days
from clinfo.terms.naming import descendants
from clinfo.text.regex import anycase
from clinfo.text.units import ANY_UNIT

_VALUE = anycase(
    r"(?:\s?\([^)\n\d]{0,20}\))?[\s:=]*"
    r"(?:(?:is|was|of|at|today|level|count|value|now|currently|measured|elevated|reading|result|"
    r"stable|normal|low|high)[\s:=]+){0,4}"
    r"(?P<value>(?:[<>]|(?:higher|greater|more|less|lower) than)?\s?\d{1,6}"
    r"(?:[.,]\d+)?(?:\s?/\s?\d{1,3})?)(?![\d/+-]|\s?(?:years?|days?|weeks?|months?)\b)"
    rf"(?:\s?(?P<unit>%|(?:{ANY_UNIT})(?:/(?:{ANY_UNIT}))?(?:/1\.73\s?m2)?)(?!\w))?"
)

_NEAR = 30
"""Characters beside a value in which its own day may stand."""
_BEFORE = anycase(r"[\s:,(]{1,3}(?:\w{2,12}\s)?")
_AFTER = anycase(r"\s?\(?(?:on|in|from|of|dated)?\s?")
_DIGIT = re.compile(r"\d")
MEASURE = "diagnostic procedure"
"""The type of what is measured."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One value of a concept: ``value`` and ``unit`` as written, the day, and the note's id with
    text[start:end] as ``quote``; the id is "" for a coded entry.

    ``day`` is the one that stands right beside the value ("03/2020 Hgb A1c 5.5", then "2020-03"),
    else that of the note.
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
    return every_value(record, mentions, read).get(concept, ())


def every_value(
    record: Record,
    mentions: Mapping[str, Sequence[Mention]],
    read: Callable[[str], Sequence[Mention]],
) -> dict[str, tuple[Measured, ...]]:
    """The values of a record by concept, each as `measured` gives them."""
    by_concept: dict[str, list[Measured]] = {}
    for each in _found(record, mentions, read):
        by_concept.setdefault(each.concept, []).append(each)
    return {concept: _sorted(by_concept[concept]) for concept in sorted(by_concept)}


def measured_values(
    record: Record,
    mentions: Mapping[str, Sequence[Mention]],
    read: Callable[[str], Sequence[Mention]],
) -> dict[str, tuple[Measured, ...]]:
    """The values of all that is measured in a record, by concept in alphabetical order; a dose is
    none.
    """
    measures = {
        each.concept
        for found in mentions.values()
        for each in found
        if MEASURE in each.types or each.concept in LABORATORY
    }
    found = {
        concept: own if concept in measures else tuple(one for one in own if not one.note)
        for concept, own in every_value(record, mentions, read).items()
    }
    return {concept: own for concept, own in found.items() if own}


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
                start, end, day = _stated(note, each.start, match.end())
                quote = note.text[start:end]
                value, unit = _as_sign(match["value"]).replace(" ", ""), match["unit"] or ""
                yield Measured(each.concept, value, unit, day, note.id, start, end, quote)
    for entry in record.entries:
        if entry.kind == "observation" and entry.value:
            named = dict.fromkeys(each.concept for each in read(entry.text)) or [entry.text]
            day, whole = entry.start[:10], len(entry.text)
            for concept in named:
                # "Hemoglobin A1c/Hemoglobin.total": A1c is meant
                if not any(other != concept and other in descendants(concept) for other in named):
                    yield Measured(concept, entry.value, entry.unit, day, "", 0, whole, entry.text)


def _stated(note: Note, start: int, end: int) -> tuple[int, int, str]:
    """Words with the day that stands right beside them, and this day, else the note's."""
    after = note.text[end : end + _NEAR].partition("\n")[0]
    found = next(stated_days(after), None)
    if found is not None and _AFTER.fullmatch(after, 0, found.start):
        return start, end + found.end, _iso(found)
    low = max(start - _NEAR, note.text.rfind("\n", 0, start) + 1)
    before = note.text[low:start]
    found = next(iter(reversed(list(stated_days(before)))), None)
    if found is not None and _BEFORE.fullmatch(before, found.end):
        return low + found.start, end, _iso(found)
    return start, end, note.time[:10]


def _iso(found: Days) -> str:
    """A stated day, month or year as far as it is known."""
    day = found.first.isoformat()
    if found.first == found.last:
        return day
    return day[:7] if found.first.month == found.last.month else day[:4]


def _as_sign(value: str) -> str:
    words = value.lower()
    sign = ">" if words.startswith(("hi", "gr", "mo")) else "<"
    return sign + value[_DIGIT.search(value).start() :] if words[:1].isalpha() else value  # type: ignore[union-attr]
