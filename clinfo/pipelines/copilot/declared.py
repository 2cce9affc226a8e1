"""The declaration of the copilot."""

from __future__ import annotations

from typing import Any

from clinfo.pipelines.copilot.events import EVENTS
from clinfo.pipelines.copilot.run_log import CopilotLog, answer_json, build_answer
from clinfo.pipelines.copilot.stages import STEPS
from clinfo.records.copilot import CopilotRequest
from clinfo.runs.pipeline import Pipeline, named


def _answer(run_log: CopilotLog) -> dict[str, Any] | None:
    return answer_json(build_answer(run_log)) if run_log.started else None


COPILOT: Pipeline[CopilotRequest, CopilotLog] = Pipeline(
    "copilot",
    STEPS,
    EVENTS,
    CopilotRequest,
    named("clinfo.pipelines.copilot.assemble:assemble"),
    CopilotLog,
    _answer,
)
