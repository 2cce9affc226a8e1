"""Dates as they stand in a query: 2020, 2020/01, 2020/01/05, "last 5 years"."""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta

from clinfo.pubmed.dates import read_interval
from clinfo.records.articles import SearchRequest

FIRST, LAST = date.min, date.max
_NUMBERS = re.compile(r"(\d{1,4})(?:[/.\-\s](\d{1,2})(?:[/.\-\s](\d{1,2}))?)?$")
_LAST = re.compile(r"(?:last|past)\s+(\d{1,5})\s+(day|week|month|year)s?$", re.IGNORECASE)
_OPEN_YEAR = 3000
"""PubMed's way to leave the end of a range open."""


def read_days(text: str) -> tuple[date, date] | None:
    """The first and the last day that a date in a query may mean, None where it is not a date.

    A month or day that is missing widens it to the whole year or month; year 3000 and later are the
    end of time.
    """
    text = " ".join(text.strip(" \"'").split())
    found = _NUMBERS.match(text)
    if found is None:
        interval = (
            read_interval(text)
            if re.search(r"[^\W\d_]", text) and re.fullmatch(r"\d{4}\W.*", text)
            else None
        )
        return (interval.start, interval.end) if interval is not None else None
    year, month, day = (int(part) if part else None for part in found.groups())
    if year is None or (len(found[1]) < 4 and year != 0):
        return None
    if year >= _OPEN_YEAR:
        return date(_OPEN_YEAR, 1, 1), LAST
    if year == 0:
        return FIRST, date(1, 12, 31)
    if month is None or not 1 <= month <= 12:
        return (date(year, 1, 1), date(year, 12, 31)) if not month else None
    length = calendar.monthrange(year, month)[1]
    if not day:
        return date(year, month, 1), date(year, month, length)
    if day > 31:
        return None
    day = min(day, length)
    return date(year, month, day), date(year, month, day)


def read_last(text: str, today: date) -> date | None:
    """The day on which "last 5 years" begins, None where the text says nothing of the kind."""
    found = _LAST.match(" ".join(text.strip(" \"'").split()))
    if found is None:
        return None
    number, unit = int(found[1]), found[2].lower()
    if unit in ("day", "week"):
        return today - timedelta(
            days=min(number * (7 if unit == "week" else 1), (today - FIRST).days)
        )
    months = today.year * 12 + today.month - 1 - number * (12 if unit == "year" else 1)
    year, month = months // 12, months % 12 + 1
    if year < 1:
        return FIRST
    return date(year, month, min(today.day, calendar.monthrange(year, month)[1]))


def published_ranges(request: SearchRequest) -> tuple[tuple[date, date], ...]:
    """The first and last days of publication that a request allows: a record must have a day in
    each range, not one in all.

    They are two where an article may be from before the given day by its electronic date and within
    the dates asked for by its print date. `date.min` and `date.max` are open ends.
    """
    first, last = request.published_from or FIRST, request.published_to or LAST
    day_before = (
        LAST if request.before is None else max(request.before, date(1, 1, 2)) - timedelta(days=1)
    )
    first = min(first, last)
    ranges = (
        [(first, last), (FIRST, day_before)]
        if first > FIRST and day_before < last
        else [(first, min(last, day_before))]
    )
    return tuple(one for one in ranges if one != (FIRST, LAST))


def written(day: date) -> str:
    """A day as PubMed's translations write it; the end of time is the year 3000."""
    return "3000/12/31" if day == LAST else f"{day.year:04}/{day.month:02}/{day.day:02}"
