"""The declaration of the trials pipeline: its steps, its events, its request."""

from __future__ import annotations

from typing import Any

from clinfo.pipelines.trials.events import EVENTS
from clinfo.pipelines.trials.run_log import TrialsLog
from clinfo.pipelines.trials.stages import CONCLUDE, EXTRACT, PICO
from clinfo.records.trials import TrialsRequest
from clinfo.runs.pipeline import Pipeline, Step, named

STEPS: tuple[Step, ...] = (
    Step("run", "preparing", "papers"),
    Step("papers", "reading papers", "papers"),
    PICO,
    Step("numbers", "reading numbers", "reading"),
    Step("retrieve", "choosing passages", "reading"),
    Step("cluster", "grouping passages", "reading"),
    EXTRACT,
    CONCLUDE,
)


def _answer(run_log: TrialsLog) -> dict[str, Any] | None:
    from clinfo.pipelines.trials.answer import shown_json

    return shown_json(run_log) if run_log.started else None


TRIALS: Pipeline[TrialsRequest, TrialsLog] = Pipeline(
    "trials",
    STEPS,
    EVENTS,
    TrialsRequest,
    named("clinfo.pipelines.trials.assemble:assemble"),
    TrialsLog,
    _answer,
)
