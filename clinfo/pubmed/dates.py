"""Publication dates as PubMed prints them, read as the interval of days that they may mean."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date

from clinfo.records.articles import DateInterval

_MONTHS = {name.lower(): number for number, name in enumerate(calendar.month_abbr) if name}
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
    """A month as its English abbreviation, whether printed "Mar", "March" or "03"; anything else
    comes back unchanged.
    """
    month = month.strip()
    if month.isdecimal() and 1 <= int(month) <= 12:
        return calendar.month_abbr[int(month)]
    return month


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
