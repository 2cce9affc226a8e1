"""How runs of few steps, one after the other, are shown while they go on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from clinfo.runs.events import CostIncurred, Warned
from clinfo.runs.run_log import RunLog
from clinfo.runs.usage import usage_of
from clinfo.views import counts
from clinfo.views.steps import Step, StepState
from webapp.records import Head
from webapp.watch.shown import Listed, LivePipeline, Shown, Status, ending


def in_order(pipeline: str, steps: Mapping[str, tuple[str, str]]) -> LivePipeline:
    """A pipeline whose ``steps`` have a title and what is done in words, by the key of the event
    that ends each.
    """
    keys, titles = list(steps), list(steps.values())

    def done(run_log: RunLog) -> int:
        return next((at for at, key in enumerate(keys) if key not in run_log), len(keys))

    def states(run_log: RunLog, request: Any) -> list[Step]:
        now = done(run_log)

        def state(at: int) -> StepState:
            return "done" if at < now else "now" if at == now else "to come"

        return [
            Step(key, title, f"{pipeline}-part", state(at), "")
            for at, (key, (title, _)) in enumerate(steps.items())
        ]

    def status(run_log: RunLog, request: Any, head: Head) -> Status:
        now = done(run_log)
        share = 100 * now // len(keys)
        if (said := ending(head, "", share)) is not None:
            return said
        if now == len(keys):
            return Status("done", "The answer is ready", done=100)
        return Status("running", f"{titles[now][1].capitalize()} …", done=share)

    return LivePipeline(
        pipeline,
        f"watch/{pipeline}.html",
        "watch/trials_parts.html",
        {"notes": ("ul", "notes")},
        states,
        _parts,
        status,
        lambda run_log: None,
    )


def _parts(run_log: RunLog, request: Any, run_id: str) -> Iterator[Shown | Listed]:
    told = [event.text for event in run_log.all(Warned)]
    yield Listed("notes", "note", {f"note-{n}": text for n, text in enumerate(told)})
    calls = run_log.all(CostIncurred)
    yield Shown("used", "used", counts.used(usage_of(calls)) if calls else "")
    started = run_log.begun
    yield Shown("notices", "plain_notices", started.notices if started else ())
