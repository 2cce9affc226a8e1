"""Times as records write them, in ISO 8601."""

import re
from calendar import monthrange
from collections.abc import Iterable
from datetime import UTC, date, datetime
from functools import lru_cache
from itertools import product

_ISO = re.compile(
    r"\d{4}(?:-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?)?)?"
)
_NAMED = ("%d %b %Y", "%d-%b-%Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%Y%m%d", "%Y/%m/%d")
_CLOCKS = ("", "%H:%M", "%H:%M:%S", "%I:%M%p", "%I:%M:%S%p")
_NUMBERS = re.compile(r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4})\b")
_FOR_NONE = re.compile(r"(?!1[89]|2[0-2])\d{4}|2099-12-31|1899-12-3|1900-01-01")
"""Days that systems write where there is none, in ISO 8601."""
_CLOCK = re.compile(r"(?<![ T,])[ T,]+(\d{1,2}:\d\d(?::\d\d)?)(?: ?([AaPp][Mm]))?$")


@lru_cache(4_000)  # the rows of a table have the same days again and again
def iso(text: str, day_first: bool | None = None) -> str:
    """The time in ISO 8601, "" where it cannot be read for sure.

    ``day_first`` says how 03/04/2020 is to be read; None: not at all.
    """
    text = " ".join(text.split())
    if _ISO.fullmatch(text):
        text = re.sub(r"(?<=-\d\d) 00:00:00(\.0+)?$", "", text).replace(" ", "T")
        known = _parsed(text, None) if len(text) >= 10 else day_span(text)
        return text if known else ""
    clock = _CLOCK.search(text)
    day = text[: clock.start()] if clock else text
    hour = "".join(filter(None, clock.groups())) if clock else ""
    days: tuple[str, ...] = _NAMED
    if numbers := _NUMBERS.fullmatch(day):
        first, mark, second, year = numbers.groups()
        first_is_day = True if mark == "." or first == second else first_number_is_day(day)
        first_is_day = day_first if first_is_day is None else first_is_day
        days = {True: ("%d %m %Y",), False: ("%m %d %Y",), None: ()}[first_is_day]
        day = f"{first} {second} {year}"
    forms = (f"{form} {clock}".strip() for form, clock in product(days, _CLOCKS))
    made = next(filter(None, (_parsed(f"{day} {hour}".strip(), form) for form in forms)), None)
    if made is None:
        return ""
    midnight = hour in ("", "00:00:00")
    return made.date().isoformat() if midnight else made.isoformat()


def real(time: str) -> str:
    """A time in ISO 8601, "" for what is written in place of none (9999-12-31)."""
    return "" if _FOR_NONE.match(time) else time


def instant(time: str) -> str:
    """A time in ISO 8601 as it is ordered: in UTC where it says its offset."""
    try:
        told = datetime.fromisoformat(time)
    except ValueError:
        return time
    return told.astimezone(UTC).isoformat() if told.tzinfo else time


def day_span(time: str) -> tuple[date, date] | None:
    """The first and last day that a time in ISO 8601, or the beginning of one, may mean; None where
    it is none.
    """
    parts = time[:10].split("-")
    try:
        first = date(*(int(time[:4]), *map(int, parts[1:]), 1, 1)[:3])
    except ValueError:
        return None
    if len(parts) > 2:
        return first, first
    last = first.replace(month=12) if len(parts) == 1 else first
    return first, last.replace(day=monthrange(last.year, last.month)[1])


def is_before(one: str, other: str) -> bool | None:
    """Return whether a time is before another; None where a day known in part leaves it open."""
    mine, others = day_span(one), day_span(other)
    if mine is None or others is None:
        return None
    if min(len(one), len(other)) >= 10:
        return instant(one) < instant(other)
    return True if mine[1] < others[0] else None if mine[0] < others[1] else False


def within(time: str, since: str, until: str) -> bool:
    """Return whether a time may lie between two days, both included, "" for no bound; one that is
    none does not.
    """
    span, first, last = map(day_span, (time, since, until))
    if span is None:
        return False
    return (first is None or span[1] >= first[0]) and (last is None or span[0] <= last[1])


def newest_day(times: Iterable[str], today: date) -> date | None:
    """The newest day of times, of one known in part its last day; what is after today is none."""
    spans = [span for time in times if (span := day_span(time)) and span[0] <= today]
    return max((min(last, today) for _, last in spans), default=None)


def first_number_is_day(text: str) -> bool | None:
    """Return whether 13/04/2020 begins with its day; None where the date itself does not show."""
    found = _NUMBERS.match(text.strip())
    if not found or max(int(found[1]), int(found[3])) <= 12:
        return None
    return int(found[1]) > 12


def _parsed(text: str, form: str | None) -> datetime | None:
    try:
        return datetime.strptime(text, form) if form else datetime.fromisoformat(text)
    except ValueError:
        return None
