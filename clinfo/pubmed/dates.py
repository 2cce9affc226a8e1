"""Publication dates as PubMed prints them, read as the interval of days that they may mean."""

import calendar
import re
from dataclasses import dataclass
from datetime import date, timedelta

from clinfo.records.articles import DateInterval, SearchRequest

_ABBREVIATIONS = tuple(calendar.month_abbr)
_MONTHS = {name.lower(): number for number, name in enumerate(_ABBREVIATIONS) if name}
_SEASONS = {
    "spring": (4, 6),
    "summer": (7, 9),
    "autumn": (10, 12),
    "fall": (10, 12),
    "winter": (1, 12),
}
"""First and last month of a season: the first as PubMed dates it, the last late enough for a season
named by its beginning; a winter may open or end its year."""
_QUARTERS = {
    "1st": (1, 3),
    "2nd": (4, 6),
    "2d": (4, 6),
    "3rd": (7, 9),
    "3d": (7, 9),
    "4th": (10, 12),
}
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_WORD = re.compile(r"\d+(?:st|nd|rd|th|d)\b|\d+|[^\W\d_]+", re.IGNORECASE)


@dataclass
class _End:
    """One end of a printed date: what it states, None where it is silent."""

    year: int | None = None
    months: tuple[int, int] | None = None
    day: int | None = None


def month_name(month: str) -> str:
    """A month as its English abbreviation, whether printed "mar", "March" or "03"; anything else
    comes back unchanged.
    """
    month = month.strip()
    if month.isdecimal() and 1 <= int(month) <= 12:
        return _ABBREVIATIONS[int(month)]
    return _ABBREVIATIONS[_MONTHS.get(month[:3].lower(), 0)] * month.isalpha() or month


def read_interval(text: str) -> DateInterval | None:
    """The days that a printed date may mean: "2019", "2019 Mar 5", "Summer 2018", "1998 Dec-1999
    Jan". None without a year.

    A season is read widely, and a range that runs backwards as the whole of its years, because the
    interval's end decides whether an article was out before a given day.
    """
    text = " ".join(text.split())
    left_text, _, right_text = re.sub(r"\s*[-–—/]\s*", "-", text).partition("-")
    left, right = _read_end(left_text), _read_end(right_text)
    if (
        right_text
        and left.months is None
        and left.year is not None
        and re.fullmatch(r"\d\d", right_text)
    ):
        right = _End(year=left.year // 100 * 100 + int(right_text))
    first_year, last_year = left.year or right.year, right.year or left.year
    if first_year is None or last_year is None:
        return None
    if not right_text:
        right = left
    elif right.months is None and right.day is not None:
        right.months = left.months
    elif left.months is None and right.year is None:
        left.months = right.months  # "2000 1st-2nd quarter" and the like state the unit once
    start = _first_day(first_year, left)
    end = _last_day(last_year, right)
    if end < start:
        start, end = (
            date(min(first_year, last_year), 1, 1),
            date(max(first_year, last_year), 12, 31),
        )
    return DateInterval(start, end, text)


def _read_end(text: str) -> _End:
    end = _End()
    for word in _WORD.findall(text.lower()):
        if _YEAR.fullmatch(word):
            end.year = end.year or int(word)
        elif word in _QUARTERS and "quart" in text.lower():
            end.months = end.months or _QUARTERS[word]
        elif word in _SEASONS:
            end.months = end.months or _SEASONS[word]
        elif word[0].isdecimal():
            number = int(re.sub(r"\D", "", word))
            end.day = end.day or (number if 1 <= number <= 31 else None)
        elif word[:3] in _MONTHS:
            month = _MONTHS[word[:3]]
            end.months = end.months or (month, month)
    return end


def _first_day(year: int, end: _End) -> date:
    if end.months is None:
        return date(year, 1, 1)
    first, last = end.months
    return date(year, first, _within(year, first, end.day) or 1 if first == last else 1)


def _last_day(year: int, end: _End) -> date:
    if end.months is None:
        return date(year, 12, 31)
    first, last = end.months
    length = calendar.monthrange(year, last)[1]
    return date(year, last, _within(year, last, end.day) or length if first == last else length)


def _within(year: int, month: int, day: int | None) -> int | None:
    return day if day is not None and day <= calendar.monthrange(year, month)[1] else None


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
    return earlier(today, int(found[1]), found[2].lower())


def earlier(day: date, count: float, unit: str) -> date:
    """The day so many of a unit ("day", "weeks", "months", "year") earlier; the first there is
    where there is none.
    """
    days = {"day": 1, "week": 7}.get(unit.removesuffix("s"))
    if days is not None:
        return day - timedelta(days=min(count * days, (day - FIRST).days))
    months = day.year * 12 + day.month - 1 - int(count * (12 if unit[0] == "y" else 1))
    year, month = months // 12, months % 12 + 1
    if year < 1:
        return FIRST
    return date(year, month, min(day.day, calendar.monthrange(year, month)[1]))


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
