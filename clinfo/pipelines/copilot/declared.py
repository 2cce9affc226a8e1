"""The declaration of the copilot."""

from __future__ import annotations

from typing import Any

from clinfo.pipelines.copilot.events import EVENTS
from clinfo.pipelines.copilot.run_log import CopilotLog, answer_json, build_answer
from clinfo.pipelines.copilot.stages import STEPS
from clinfo.records.copilot import CopilotRequest
from clinfo.runs.pipeline import Pipeline, named


def _folded(run_log: CopilotLog) -> dict[str, Any]:
    return answer_json(build_answer(run_log))


COPILOT: Pipeline[CopilotRequest, CopilotLog] = Pipeline(
    "copilot",
    STEPS,
    EVENTS,
    CopilotRequest,
    named("clinfo.pipelines.copilot.run:work"),
    _folded,
    CopilotLog,
    named("clinfo.pipelines.copilot.run:parts"),
    of_patients=named("clinfo.pipelines.copilot.run:of_patients"),
    recorded=lambda run_log, answer: _folded(run_log),
    requested=named("clinfo.pipelines.copilot.request:request_of"),
    told=named("clinfo.pipelines.copilot.progress:told"),
)
