"""Days of a record, and of a request, that may be known in part."""

from __future__ import annotations


def days(date: str) -> tuple[int, int]:
    """The first and last day, as 20100131, that a date or the beginning of one may mean; (0, 0)
    where it is none.
    """
    parts = date[:10].split("-")
    if not all(part.isascii() and part.isdigit() for part in parts):
        return 0, 0
    first, last = [*parts, "01", "01"], [*parts, *("12", "31")[len(parts) - 1 :]]
    return int("".join(first[:3])), int("".join(last[:3]))


def within(date: str, since: str, until: str) -> bool:
    """Return whether a date may lie between two days, both included, "" for no bound; one that is
    none does not.
    """
    first, last = days(date)
    from_day = days(since)[0] if since else 1
    to_day = days(until)[1] if until else 99991231
    return bool(last) and last >= from_day and first <= to_day
