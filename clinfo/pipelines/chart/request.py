"""A request of the chart pipeline from what a person gives (a record, a question, a model), and the
part of a record that it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from clinfo.errors import FieldError
from clinfo.patients.coded_texts import PREFIX, coded_texts
from clinfo.patients.records import CodedEntry, Note, Record
from clinfo.patients.times import day_span, within
from clinfo.pipelines.chart.records import ChartRequest
from clinfo.pipelines.chart.stages import ANSWER, CHART, VERIFY
from clinfo.records.request import EXTRACTIVE, MAX_NAME
from clinfo.runs.given import shown
from clinfo.runs.options import Options, several, text

if TYPE_CHECKING:
    from clinfo.settings import Settings


def _day(name: str) -> Callable[[object], str]:
    """A reader of a day, or of the year or month that it lies in."""

    def read(value: object) -> str:
        day = value if value == "" else text(name, value, MAX_NAME)
        if day and day_span(day) is None:
            told = f"must be a date as 2010, 2010-01 or 2010-01-31, not {shown(day)}"
            raise FieldError(name, told)
        return str(day)

    return read


def _list(name: str) -> Callable[[object], tuple[str, ...]]:
    """A reader of names, which may hold commas."""
    return lambda value: tuple(text(name, one, MAX_NAME) for one in several(name, value))


OPTIONS: Final = Options(
    ChartRequest,
    {name: (_day(name), {"type": "string"}) for name in ("from", "to")}
    | {
        name: (_list(name), {"type": "array", "items": {"type": "string"}})
        for name in ("visit", "category")
    },
)


def request_of(
    settings: Settings,
    record: Iterable[str | Path] | str | Path,
    question: str,
    model: str | None = None,
    judge_model: str | None = None,
    **fields: Any,
) -> ChartRequest:
    """The request; ``record`` are files and folders, ``fields`` those of `ChartRequest`. ``model``
    holds for every stage, whatever the settings say, but for the judge's: there ``judge_model`` and
    the settings' go before it. Without a model named anywhere none is asked, so that nothing of a
    record leaves the program by default.

    Raises UsageError.
    """
    paths = [record] if isinstance(record, str | Path) else record
    chosen = CHART.chosen_models(settings, model)
    models = {stage: name or EXTRACTIVE for stage, name in chosen.items()}
    if (judge := models[ANSWER.name]) != EXTRACTIVE:
        judge = judge_model or CHART.stage_models(settings).get(VERIFY.name, judge)
    made: ChartRequest = OPTIONS.request(
        question=question,
        record=tuple(map(str, paths)),
        models=models | {VERIFY.name: judge},
        **fields,
    )
    return made


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
