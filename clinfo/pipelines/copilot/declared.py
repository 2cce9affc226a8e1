"""The declaration of the copilot."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from clinfo.pipelines.copilot.assemble import assemble as assembled
from clinfo.pipelines.copilot.events import EVENTS
from clinfo.pipelines.copilot.run import Copilot
from clinfo.pipelines.copilot.run_log import CopilotLog, answer_json, build_answer
from clinfo.pipelines.copilot.stages import STEPS
from clinfo.records.copilot import CopilotRequest
from clinfo.runs.events import Event
from clinfo.runs.pipeline import Pipeline

if TYPE_CHECKING:
    from clinfo.settings import Settings


def assemble(
    settings: Settings, request: CopilotRequest, after: Iterable[Event] = (), **given: Any
) -> Copilot:
    """As `clinfo.pipelines.copilot.assemble.assemble`."""
    return assembled(COPILOT, settings, request, after, **given)


def _answer(run_log: CopilotLog) -> dict[str, Any] | None:
    return answer_json(build_answer(run_log)) if run_log.started else None


COPILOT: Pipeline[CopilotRequest, CopilotLog] = Pipeline(
    "copilot", STEPS, EVENTS, CopilotRequest, assemble, CopilotLog, _answer
)
