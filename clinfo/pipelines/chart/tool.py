"""The chart as a tool: a patient's own record, only where the host allows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from clinfo.pipelines.chart.api import ChartAnswer, stream_chart
from clinfo.pipelines.tools import Arguments, Host, Kind, Progress, ToolDeclared, carried_out
from clinfo.records.observations import Observation, Observed

SILO = "chart"


class Question(Arguments):
    question: str = Field(min_length=1, description="one question about the patient")


async def _asked(
    declared: ToolDeclared, host: Host, arguments: Mapping[str, Any], progress: Progress
) -> Observation:
    options = declared.options
    events = await carried_out(
        "chart",
        host,
        progress,
        lambda before, most: stream_chart(
            options["record"],
            arguments["question"],
            model=host.model,
            after=before,
            patient=str(options.get("patient", "")),
            k=declared.top_k,
            max_cost=most,
        ),
    )
    if problem := getattr(events[-1], "problem", ""):
        return Observation(problem=f"the record could not be asked: {problem}")
    answer = ChartAnswer(events)
    found = tuple(
        Observed(SILO, note.id, note.category, span.start, span.end, span.text, date=note.date)
        for note in answer.notes
        for span in note.spans
    )
    return Observation(found, (answer.answer,), () if found else (SILO,))


def _missing(declared: ToolDeclared, host: Host) -> str:
    """The reason why the record cannot be asked, "" where it can."""
    return "" if declared.options.get("record") else "its table names no options.record"


KIND = Kind("chart", Question, _asked, _missing, runs=True, of_patients=True)
