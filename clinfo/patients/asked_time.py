"""The time that a question asks about: first or last, a window of days, before or after an event.

Days are counted from an as-of day, which the caller gives: the rules read no clock.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Literal

from clinfo.lazy_dataclass import dataclass
from clinfo.patients.stated_days import Days, shifted, stated_days
from clinfo.text.lexicon import words_of
from clinfo.text.regex import anycase

Order = Literal["", "first", "last"]
Relation = Literal["", "before", "after", "since", "until", "at"]
At = Literal["", "discharge", "admission"]
_PLACES: dict[str, At] = {"discharge": "discharge", "admission": "admission"}


@dataclass(frozen=True)
class AskedTime:
    """What a question says of time. ``start`` and ``end`` are ISO days, both within; "" is open.

    ``event`` is what the question counts from in words ("the stroke" gives "stroke"), "" where it
    names none, and ``relation`` how; ``at`` is "discharge" or "admission" where only notes of that
    time are asked for.
    """

    start: str = ""
    end: str = ""
    order: Order = ""
    event: str = ""
    relation: Relation = ""
    at: At = ""


_NUMBERS = {word: number for number, word in enumerate(words_of("numerals", "from_two"), start=2)}
_NUMBERS |= {"a": 1, "an": 1, "one": 1, "a couple of": 2, "a few": 3}
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))})"
_UNIT = r"(?P<unit>day|week|month|year)s?"
_AGO = anycase(rf"\b{_COUNT} {_UNIT} ago\b")
_RECENT = anycase(
    rf"\b(?:in|within|over|during|for) (?:the )?(?:last|past|previous) (?:{_COUNT} )?{_UNIT}\b"
)
_CALENDAR = anycase(r"\b(?P<which>this|last) (?P<unit>week|month|year)\b")
_DAY = anycase(r"\b(?:today|yesterday)\b")
_RELATIONS: tuple[tuple[Relation, str], ...] = (
    ("before", r"before|prior to|preceding|earlier than|ahead of"),
    ("after", r"after|following|later than|subsequent to"),
    ("since", r"since|from|starting|beginning"),
    ("until", r"until|till|by|through|up to|no later than"),
    ("at", r"at the time of|around the time of|during|at|on|in"),
)
_LEADING = tuple(
    (name, anycase(rf"\b(?:{words}) (?:the (?:end|beginning|start) of )?(?:the )?\Z"))
    for name, words in _RELATIONS
)
_LEADINGS = tuple(words for _, words in _LEADING)
_AND = anycase(r"\band\s*\Z")
_TO = anycase(r"\s*(?:and|to|until|till|through|[-–])\s*")
_BETWEEN = anycase(r"\b(?:between|from)\s*\Z")
_EVENT = anycase(
    r"\b(?P<relation>before|prior to|after|since|until|during|at the time of)\s+"
    r"(?:(?:she|he|they|the patient|patient)\s+(?:had|was|were|got|underwent|suffered|developed|"
    r"has|been|started|stopped|diagnosed|with|hospitali[sz]ed|for|treated|\s)*)?"
    r"(?:(?:the|his|her|their|a|an|first|last|patient's)\s+)*"
    r"(?P<event>[^\s?.,;][^?.,;]{1,80}?)(?=\s*(?:[?.,;]|\Z|\b(?:and|or|but|was|were|is|did|do|does|"
    r"had|has|what|which|who|when)\b))"
)
_NO_EVENT = anycase(r"when|what (?:time|day|year|age)|which (?:day|year)|then|childhood|birth")
"""What stands behind "since" and names no event of the record."""
_FIRST = anycase(
    r"\b(?:first(?![- ](?:line|aid|degree|trimester|name|generation|toe|metatarsal))|earliest|"
    r"initial(?:ly)?|original(?:ly)?|oldest)\b"
)
_LAST = anycase(
    r"\b(?:last(?! name)|latest|most recent(?:ly)?|newest|current(?:ly)?|recent(?:ly)?|now|"
    r"nowadays)\b"
)
_AT = anycase(r"\b(?:at|on|upon|before|time of) (?:the |his |her |their )?(discharge|admission)\b")
_HALF = {"day": 0, "week": 3, "month": 15, "year": 182}
"""Days on either side of "three months ago": half of its unit."""


def asked_time(question: str, as_of: date) -> AskedTime:
    """What a question says of time, with days counted from ``as_of``."""
    return _read(question, as_of)[0]


def without_time(question: str, as_of: date = date(2000, 1, 1)) -> str:
    """The question without its words of time, which say nothing of what is asked about; the day
    makes no difference here.
    """
    kept, at = [], 0
    for start, end in sorted(_read(question, as_of)[1]):
        kept.append(question[at : max(start, at)])
        at = max(end, at)
    return " ".join("".join([*kept, question[at:]]).replace(" ?", "?").split())


def _read(question: str, as_of: date) -> tuple[AskedTime, list[tuple[int, int]]]:
    """What a question says of time, and where it says so."""
    days = sorted(_days(question, as_of), key=lambda each: each.start)
    placed, event = _AT.search(question), _EVENT.search(question)
    if event and (placed or any(each.start <= event.start("event") < each.end for each in days)):
        event = None
    if event and _NO_EVENT.fullmatch(event["event"].strip()):
        event = None
    spans = [match.span() for match in (placed, event) if match]
    if event:  # a day within it is the event's: "after the stroke in 2019"
        days = [each for each in days if not event.start() <= each.start < event.end()]
    start, end, blanked = "", "", question
    for number, one in enumerate(days):
        low, high = _window(question, one, days[number + 1 : number + 2])
        start, end = max(start, low), min(filter(None, (end, high)), default="")
        blanked = blanked[: one.start] + " " * (one.end - one.start) + blanked[one.end :]
        before = (words.search(question[: one.start]) for words in (*_LEADINGS, _BETWEEN, _AND))
        begins = min((match.start() for match in before if match), default=one.start)
        spans.append((begins, one.end))
    ordered = {"first": _FIRST.search(blanked), "last": _LAST.search(blanked)}
    order: Order = "first" if ordered["first"] else "last" if ordered["last"] else ""
    if found := ordered.get(order):
        spans.append(found.span())
    if event is None:
        at: At = "" if placed is None else _PLACES[placed[1].lower()]
        return AskedTime(start, end, order, at=at), spans
    relation = next(
        name for name, words in _RELATIONS if re.fullmatch(words, event["relation"].lower())
    )
    return AskedTime(start, end, order, _named(event["event"]), relation), spans


def _named(event: str) -> str:
    """An event without the day that stands behind it."""
    at = next((each.start for each in stated_days(event)), len(event))
    return re.sub(r"\s+(?:in|on|of|from)\s*\Z", "", event[:at].strip() + " ").strip()


def _window(question: str, one: Days, following: list[Days]) -> tuple[str, str]:
    """The first and last day that a stated day and the words before it leave, "" where open."""
    first, last = one.first.isoformat(), one.last.isoformat()
    if one.recent:
        return first, last
    before = question[: one.start]
    if _BETWEEN.search(before):
        for other in following:
            if _TO.fullmatch(question, one.end, other.start):
                return first, other.last.isoformat()
    relation = next((name for name, words in _LEADING if words.search(before)), "at")
    if relation == "before":
        return "", shifted(one.first, "day", -1).isoformat()
    if relation == "after":
        return shifted(one.last, "day", 1).isoformat(), ""
    if relation == "since":
        return first, ""
    if relation == "until" or re.search(r"(?i)\b(?:between|from)\b", before):
        return "", last
    return first, last


def _days(question: str, as_of: date) -> Iterator[Days]:
    yield from stated_days(question)
    for match in _AGO.finditer(question):
        day = shifted(as_of, match["unit"].lower(), -_number(match["count"]))
        half = _HALF[match["unit"].lower()]
        low, high = shifted(day, "day", -half), shifted(day, "day", half)
        yield Days(*match.span(), low, min(high, as_of))
    for match in _RECENT.finditer(question):
        start = shifted(as_of, match["unit"].lower(), -_number(match["count"] or "one"))
        yield Days(*match.span(), start, as_of, recent=True)
    for match in _CALENDAR.finditer(question):
        if not any(
            each.start() <= match.start() < each.end() for each in _RECENT.finditer(question)
        ):
            yield Days(*match.span(), *_calendar(match["unit"].lower(), match["which"], as_of))
    for match in _DAY.finditer(question):
        day = shifted(as_of, "day", -int(match.group().lower() == "yesterday"))
        yield Days(*match.span(), day, day)


def _calendar(unit: str, which: str, as_of: date) -> tuple[date, date]:
    """The days of the calendar week, month or year that holds as_of, or of the one before it."""
    begun = {
        "week": as_of - timedelta(days=as_of.weekday()),
        "month": as_of.replace(day=1),
        "year": as_of.replace(month=1, day=1),
    }[unit]
    if which.lower() == "this":
        return begun, as_of
    return shifted(begun, unit, -1), shifted(begun, "day", -1)


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS[word.lower()]
