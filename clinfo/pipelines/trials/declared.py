"""The declaration of the trials pipeline: its steps, its events, its request."""

from __future__ import annotations

from clinfo.pipelines.trials.events import EVENTS
from clinfo.pipelines.trials.run_log import TrialsLog
from clinfo.pipelines.trials.stages import CONCLUDE, EXTRACT, PICO
from clinfo.records.trials import TrialsRequest
from clinfo.runs.pipeline import Pipeline, Step, named

_HERE = "clinfo.pipelines.trials"
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


TRIALS: Pipeline[TrialsRequest, TrialsLog] = Pipeline(
    "trials",
    STEPS,
    EVENTS,
    TrialsRequest,
    named(f"{_HERE}.work:work"),
    named(f"{_HERE}.answer:folded"),
    TrialsLog,
    named(f"{_HERE}.papers:shelf"),
    recorded=named(f"{_HERE}.answer:recorded"),
    requested=named(f"{_HERE}.request:request_of"),
    declared=f"{_HERE}.request:OPTIONS",
)
