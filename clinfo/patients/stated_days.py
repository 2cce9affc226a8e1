"""Days that a text states: a date, a month, a year, a decade, as the days that they span."""

from __future__ import annotations

import calendar
from collections.abc import Iterator
from datetime import date, timedelta

from clinfo.lazy_dataclass import dataclass
from clinfo.text.dates import MONTHS
from clinfo.text.lexicon import words_of
from clinfo.text.regex import anycase

_MONTH = "|".join((*MONTHS, *words_of("months", "dates")))
_DATE = anycase(
    r"(?<![\w/.-])(?:"
    r"(?P<iso>(?P<y1>(?:19|20)\d\d)-(?P<m1>\d\d)(?:-(?P<d1>\d\d))?)"
    r"|(?P<m6>\d{1,2})/(?P<y6>(?:19|20)\d\d)"
    r"|(?P<m2>\d{1,2})/(?P<d2>\d{1,2})/(?P<y2>(?:19|20)?\d\d)"
    rf"|(?:(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?)?(?P<m3>{_MONTH})\.?,?\s"
    r"(?:of\s)?(?:(?P<d4>\d{1,2})(?:st|nd|rd|th)?,?\s)?(?P<y3>(?:19|20)\d\d)"
    r"|(?P<decade>(?:19|20)\d)0'?s"
    r"|(?P<year>(?:19|20)\d\d)"
    r")(?![\w/]|-\d)"
)


@dataclass(frozen=True)
class Days:
    """The days from ``first`` to ``last`` that text[start:end] states; ``recent`` where it is a
    span up to now ("in the last year").
    """

    start: int
    end: int
    first: date
    last: date
    recent: bool = False


def stated_days(text: str) -> Iterator[Days]:
    """The dates, months, years and decades of a text, in order; what is no real day is left out.

    Of 3/4/2019 the first number is the month, as in American notes, unless it is above 12.
    """
    for match in _DATE.finditer(text):
        try:
            yield Days(*match.span(), *_spanned(match.groupdict()))
        except ValueError:
            continue


def _spanned(found: dict[str, str | None]) -> tuple[date, date]:
    if decade := found["decade"]:
        return date(int(decade) * 10, 1, 1), date(int(decade) * 10 + 9, 12, 31)
    if year := found["year"]:
        return date(int(year), 1, 1), date(int(year), 12, 31)
    year = found["y1"] or found["y2"] or found["y3"] or found["y6"]
    month = found["m1"] or found["m2"] or found["m6"]
    day = found["d1"] or found["d2"] or found["d3"] or found["d4"]
    of_year = int(year or 0)
    if of_year < 100:
        of_year += 2000 if of_year < 70 else 1900
    of_month = int(month) if month else _month(found["m3"] or "")
    if found["m2"] and of_month > 12:
        of_month, day = int(found["d2"] or 0), found["m2"]
    if day:
        return (one := date(of_year, of_month, int(day))), one
    first = date(of_year, of_month, 1)
    return first, first.replace(day=calendar.monthrange(of_year, of_month)[1])


def _month(name: str) -> int:
    return next(
        number
        for number, month in enumerate(MONTHS, start=1)
        if month[:3].lower() == name[:3].lower()
    )


def shifted(day: date, unit: str, count: int) -> date:
    """The day so many days, weeks, months or years on; the last of a month where it has no such
    day, the first or last day of the calendar where it has none so far.
    """
    try:
        if unit in ("day", "week"):
            return day + timedelta(days=count * (7 if unit == "week" else 1))
        months = day.year * 12 + day.month - 1 + count * (12 if unit == "year" else 1)
        year, month = divmod(months, 12)
        last = calendar.monthrange(year, month + 1)[1]
        return date(year, month + 1, min(day.day, last))
    except (ValueError, OverflowError):
        return date.min if count < 0 else date.max
