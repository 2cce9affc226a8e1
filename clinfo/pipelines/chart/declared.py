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


def _answer(run_log: ChartLog) -> dict[str, Any] | None:
    return answer_json(build_answer(run_log)) if run_log.started else None


CHART: Pipeline[ChartRequest, ChartLog] = Pipeline(
    "chart",
    STEPS,
    EVENTS,
    ChartRequest,
    named("clinfo.pipelines.chart.assemble:assemble"),
    ChartLog,
    _answer,
)
