"""The declaration of the chart pipeline: its steps, its events, its request."""

from __future__ import annotations

from typing import Any

from clinfo.pipelines.chart.events import EVENTS
from clinfo.pipelines.chart.run_log import ChartLog, answer_json, build_answer
from clinfo.pipelines.chart.stages import ANSWER, HYDE, TYPES, VERIFY
from clinfo.records.chart import ChartRequest
from clinfo.runs.pipeline import Pipeline, Step, named

STEPS: tuple[Step, ...] = (
    Step("run", "preparing", "record"),
    Step("record", "reading the record", "record"),
    TYPES,
    HYDE,
    Step("retrieve", "finding notes", "retrieve"),
    ANSWER,
    VERIFY,
)


def _folded(run_log: ChartLog) -> dict[str, Any]:
    return answer_json(build_answer(run_log))


CHART: Pipeline[ChartRequest, ChartLog] = Pipeline(
    "chart",
    STEPS,
    EVENTS,
    ChartRequest,
    named("clinfo.pipelines.chart.run:work"),
    _folded,
    ChartLog,
    named("clinfo.pipelines.chart.run:parts"),
    of_patients=lambda settings, request: True,
    recorded=lambda run_log, answer: _folded(run_log),
    requested=named("clinfo.pipelines.chart.request:request_of"),
    tools=("clinfo.pipelines.chart.tool:KIND",),
)
