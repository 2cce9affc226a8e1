"""When a patient was born, as far as the ages in dated notes tell."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from clinfo.pipelines.cohort.facts import Fact

_YEAR = 366


@dataclass(frozen=True, slots=True)
class Born:
    """The first and the last day on which the patient can have been born, ISO 8601; "" where no
    note tells, or notes that contradict each other by more than a year.
    """

    first: str = ""
    last: str = ""


def born(facts: Iterable[Fact]) -> Born:
    """What all ages of a record leave."""
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
