"""The declaration of the chart pipeline: its steps, its events, its request."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from clinfo.pipelines.chart.events import EVENTS
from clinfo.pipelines.chart.run_log import ChartLog, answer_json, build_answer
from clinfo.pipelines.chart.stages import ANSWER, HYDE, TYPES, VERIFY
from clinfo.records.chart import ChartRequest
from clinfo.runs.events import Event
from clinfo.runs.pipeline import Carrier, Pipeline, Step

if TYPE_CHECKING:
    from clinfo.settings import Settings

STEPS: tuple[Step, ...] = (
    Step("run", "preparing", "record"),
    Step("record", "reading the record", "record"),
    TYPES,
    HYDE,
    Step("retrieve", "finding notes", "retrieve"),
    ANSWER,
    VERIFY,
)


def _assembled(
    settings: Settings, request: ChartRequest, after: Iterable[Event] = (), **given: Any
) -> Carrier[ChartRequest]:
    from clinfo.pipelines.chart.assemble import assemble

    return assemble(CHART, settings, request, after, **given)


def _answer(run_log: ChartLog) -> dict[str, Any] | None:
    return answer_json(build_answer(run_log)) if run_log.started else None


CHART: Pipeline[ChartRequest, ChartLog] = Pipeline(
    "chart", STEPS, EVENTS, ChartRequest, _assembled, ChartLog, _answer
)
