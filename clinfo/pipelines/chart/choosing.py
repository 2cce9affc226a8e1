"""The part of a record that a request is about: notes and coded entries of its visits, categories
and days.
"""

from __future__ import annotations

from clinfo.patients.coded_texts import PREFIX, coded_texts
from clinfo.patients.records import CodedEntry, Note, Record
from clinfo.patients.times import within
from clinfo.records.chart import ChartRequest


def chosen(record: Record, request: ChartRequest) -> tuple[Note, ...]:
    """The notes that are searched, then the texts of the coded entries that are."""
    kept = tuple(
        note for note in record.notes if _wanted(request, note.visit, note.category, note.time)
    )
    return (*kept, *coded_texts(chosen_entries(record, request)).notes)


def chosen_entries(record: Record, request: ChartRequest) -> tuple[CodedEntry, ...]:
    """The coded entries that are searched; their category is "coded condition", …"""
    return tuple(
        one for one in record.entries if _wanted(request, one.visit, PREFIX + one.kind, one.start)
    )


def _wanted(request: ChartRequest, visit: str, category: str, time: str) -> bool:
    """Return whether something is of these visits, categories and days; what has no day is of
    none.
    """
    dated = bool(request.since or request.until)
    categories = {one.casefold() for one in request.categories}
    return (
        (not request.visits or visit in request.visits)
        and (not categories or category.casefold() in categories)
        and (not dated or (bool(time) and within(time, request.since, request.until)))
    )
