"""The part of a record that a request is about: notes and coded entries of its visits, categories
and days.
"""

from __future__ import annotations

from clinfo.patients.records import CodedEntry, Note, Record
from clinfo.pipelines.chart.coded_notes import PREFIX, coded_texts
from clinfo.records.chart import ChartRequest
from clinfo.retrieval.index import days


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
    first, last = days(time) if time else (0, 0)
    since = days(request.since)[0] if request.since else 1
    until = days(request.until)[1] if request.until else 99991231
    dated = bool(request.since or request.until)
    categories = {one.casefold() for one in request.categories}
    return (
        (not request.visits or visit in request.visits)
        and (not categories or category.casefold() in categories)
        and (not dated or (bool(last) and last >= since and first <= until))
    )
