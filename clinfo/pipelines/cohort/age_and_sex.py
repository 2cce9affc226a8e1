"""Age, sex and death of the patient, where a note states them, and when one was born, as far as the
ages in dated notes tell.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta

from clinfo.pipelines.cohort.facts import Fact, stated
from clinfo.pubmed.dates import earlier

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
"""Words before an age that is not that of the day of the note."""
_DEATH = re.compile(
    r"(?i)\b(?:(?:patient|he|she)(?: has| had| was)? (?:died|expired|passed away|deceased|"
    r"pronounced dead)|(?:is|was) deceased|date of death|cause of death|time of death|"
    r"death certificat\w+|RIP)\b"
)


def age_sex_death(text: str) -> Iterator[Fact]:
    """The facts of age, sex and death of a note's text, with places in it."""
    found = [*_age(text)]
    if not any(fact.kind == "sex" for fact in found):
        sexes = filter(None, (pattern.search(text) for pattern in _STATED_SEX))
        found += [_sex(match, 0) for match in sexes][:1]
    yield from found
    for death in _DEATH.finditer(text):
        yield stated("death", "death", death.span())


def _age(text: str) -> Iterator[Fact]:
    """The first age that is the patient's on the day of the note, with the sex said beside it."""
    found = [match for pattern in _AGED for match in pattern.finditer(text)]
    for match in sorted(found, key=lambda match: match.start()):
        before = text[max(0, match.start() - 40) : match.start()]
        groups = match.groupdict()
        rest = groups.get("rest") or ""
        if _OF_RELATIVE.search(before) or _IS_RELATIVE.match(rest) or _AT_THE_TIME.search(before):
            continue
        unit = _UNITS[(groups.get("unit") or "y")[0].lower()]
        yield stated("age", "age", match.span(), value=float(match["age"]), unit=unit)
        if groups.get("f") or groups.get("m"):
            yield _sex(match, 0)
        elif (sex := _SEX.search(rest)) is not None:
            yield _sex(sex, match.start("rest"))
        return


def _sex(match: re.Match[str], start: int) -> Fact:
    said = "female" if match["f"] else "male"
    return stated("sex", "sex", (start + match.start(), start + match.end()), said=said)


def born(facts: Iterable[Fact]) -> tuple[str, str]:
    """The first and the last day on which the patient can have been born, by all ages of a record,
    ISO 8601; "" where no note tells, or notes contradict each other by more than a year.
    """
    first, last = date.min, date.max
    for fact in facts:
        day = day_of(fact.source.time)
        if fact.kind == "age" and fact.value is not None and day is not None:
            first = max(first, earlier(day, fact.value + 1, fact.unit) + timedelta(days=1))
            last = min(last, earlier(day, fact.value, fact.unit))
    if last == date.max or (first - last).days > _YEAR:
        return "", ""
    return min(first, last).isoformat(), max(first, last).isoformat()


def day_of(time: str) -> date | None:
    """The day of a recorded time, None where there is none."""
    try:
        return date.fromisoformat(time[:10])
    except ValueError:
        return None
