"""Age, sex and death of the patient, where a note states them, and when one was born, as far as the
ages in dated notes tell.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from clinfo.patients.records import Note
from clinfo.pipelines.cohort.facts import Fact, Source

_YEAR = 366
_UNIT = r"(?P<unit>years?|yrs?|y|months?|weeks?|days?)"
_UNITS = {"y": "years", "m": "months", "w": "weeks", "d": "days"}
_AGED = (
    re.compile(
        rf"(?i)\b(?P<age>\d{{1,3}})[ -]*{_UNIT}[ -/]*(?:olds?|of age|o)\b(?P<rest>[^.\n]{{0,60}})"
    ),
    re.compile(
        r"\b(?P<age>\d{2,3})\s?(?:(?P<f>F)|(?P<m>M))\b(?=\s*(?:[,.;(]|(?:with|who|c/o|hx|h/o|s/p|"
        r"pmh|presents?|presenting|admitted|here|is|was|seen|referred|from)\b))"
    ),
    re.compile(
        r"(?im)\bage(?:d)?[ \t]*[:=]?[ \t]*(?P<age>\d{1,3})\b(?![ \t]*(?:months|weeks|days))"
    ),
)
"""The ways in which a note says how old someone is."""
_SEX = re.compile(r"(?i)\b(?:(?P<f>female|woman|girl|lady)|(?P<m>male|man|boy|gentleman))\b")
_STATED_SEX = (
    re.compile(r"(?im)\b(?:sex|gender)[ \t]*[:=][ \t]*(?:(?P<f>f(?:emale)?)|(?P<m>m(?:ale)?))\b"),
    re.compile(
        r"\b(?:(?P<f>Mrs|Ms|Miss)|(?P<m>Mr))\.?\s+[A-Z][\w'-]+\s+(?:is|was|has|had|presents?|"
        r"presented|attends?|attended|came|comes|returns?|returned|reports?|reported|denies|denied|"
        r"says|complains?|complained|underwent|takes)\b(?!\s+(?:(?:the|her|his|a)\s+)?"
        r"(?:daughter|son|wife|husband|mother|father|carer|nurse|doctor))"
    ),
    re.compile(r"(?i)\b(?:this|the|pleasant)\s+(?:(?P<f>lady|woman)|(?P<m>gentleman|man))\b"),
)
_RELATIVE = (
    r"(?:mother|father|parent|brother|sister|sibling|son|daughter|child|grand\w+|aunt|uncle|cousin|"
    r"wife|husband|partner|spouse|mum|mom|dad|twin|baby|infant)"
)
_OF_RELATIVE = re.compile(
    rf"(?i)\b(?:{_RELATIVE}|(?:her|his|their|whose))\b[^.;\n]{{0,25}}$"
)  # fmt: skip
_IS_RELATIVE = re.compile(rf"(?i)^[ -]*(?:old\s+)?{_RELATIVE}\b")
_AT_THE_TIME = re.compile(r"(?i)\b(?:at|since|from|until|when|died|before|after|by)\s+(?:the\s+)?$")
"""What stands before an age that is not that of the day of the note."""
_DEATH = re.compile(
    r"(?i)\b(?:(?:patient|he|she)(?: has| had| was)? (?:died|expired|passed away|deceased|"
    r"pronounced dead)|(?:is|was) deceased|date of death|cause of death|time of death|"
    r"death certificat\w+|RIP)\b"
)


def age_sex_death(note: Note) -> Iterator[Fact]:
    """The facts of age, sex and death of a note."""
    sexed = False
    for fact in _age(note):
        sexed = sexed or fact.kind == "sex"
        yield fact
    if not sexed:
        yield from _sex(note)
    for death in _DEATH.finditer(note.text):
        yield Fact("death", "death", Source(note.id, note.time, *death.span()))


def _age(note: Note) -> Iterator[Fact]:
    """The first age that is the patient's on the day of the note, with the sex said beside it."""
    found = [match for pattern in _AGED for match in pattern.finditer(note.text)]
    for match in sorted(found, key=lambda match: match.start()):
        before = note.text[max(0, match.start() - 40) : match.start()]
        groups = match.groupdict()
        rest = groups.get("rest") or ""
        if _OF_RELATIVE.search(before) or _IS_RELATIVE.match(rest) or _AT_THE_TIME.search(before):
            continue
        unit = _UNITS[(groups.get("unit") or "y")[0].lower()]
        source = Source(note.id, note.time, *match.span())
        yield Fact("age", "age", source, value=float(match["age"]), unit=unit)
        if groups.get("f") or groups.get("m"):
            yield Fact("sex", "sex", source, said="female" if groups["f"] else "male")
        elif (sex := _SEX.search(rest)) is not None:
            start = match.start("rest")
            where = Source(note.id, note.time, start + sex.start(), start + sex.end())
            yield Fact("sex", "sex", where, said="female" if sex["f"] else "male")
        return


def _sex(note: Note) -> Iterator[Fact]:
    for pattern in _STATED_SEX:
        if (match := pattern.search(note.text)) is not None:
            said = "female" if match["f"] else "male"
            yield Fact("sex", "sex", Source(note.id, note.time, *match.span()), said=said)
            return


@dataclass(frozen=True, slots=True)
class Born:
    """The first and the last day on which the patient can have been born, ISO 8601; "" where no
    note tells, or notes that contradict each other by more than a year.
    """

    first: str = ""
    last: str = ""


def born(facts: Iterable[Fact]) -> Born:
    """Return what all ages of a record leave."""
    first, last = date.min, date.max
    told = False
    for fact in facts:
        day = day_of(fact.source.time)
        if fact.kind != "age" or fact.value is None or day is None or fact.subject != "patient":
            continue
        told = True
        first = max(first, _earlier(day, fact.value + 1, fact.unit) + timedelta(days=1))
        last = min(last, _earlier(day, fact.value, fact.unit))
    if not told or (first - last).days > _YEAR:
        return Born()
    return Born(min(first, last).isoformat(), max(first, last).isoformat())


def day_of(time: str) -> date | None:
    """The day of a recorded time, None where there is none."""
    try:
        return date.fromisoformat(time[:10])
    except ValueError:
        return None


def _earlier(day: date, count: float, unit: str) -> date:
    """The day so many years, months, weeks or days earlier."""
    if unit in ("weeks", "days"):
        return day - timedelta(days=count * (7 if unit == "weeks" else 1))
    months = day.year * 12 + day.month - 1 - int(count * (12 if unit == "years" else 1))
    year, month = divmod(months, 12)
    if year < 1:
        return date.min
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))
