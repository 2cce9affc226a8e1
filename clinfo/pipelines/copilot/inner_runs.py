"""A whole run of another pipeline within a call of a tool: each event is recorded as it happens, so
that a copilot that is resumed goes on in it and pays for nothing again, and a call that is broken
off ends it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from clinfo.pipelines import pipeline
from clinfo.pipelines.copilot.events import EVENTS, ToolProgressed
from clinfo.pipelines.copilot.run_log import CopilotLog
from clinfo.pipelines.copilot.tools import Host, Progress
from clinfo.runs.events import CostIncurred, Event, to_json
from clinfo.runs.recorder import Recorder
from clinfo.runs.run_log import RunLog

Asked = Callable[[Sequence[Event], float | None], AsyncIterator[Event]]
"""The new events of a run, by those to go on from and the most US dollars of the whole run."""


async def carried_out(name: str, host: Host, progress: Progress, ask: Asked) -> list[Event]:
    """All events of the run of the pipeline ``name`` within a call."""
    kinds = pipeline(name).events
    before = [one for form in progress.before if (one := kinds.from_json(dict(form)))]
    events, paid = list(before), RunLog(before).spent_usd
    async with host.set_aside() as money:
        asked = ask(before, None if money.most is None else paid + money.most)
        try:
            async with aclosing(asked) as new:  # type: ignore[type-var]
                async for event in new:
                    progress.put(event)
                    events.append(event)
        finally:
            money.spent = RunLog(events).spent_usd - paid
    return events


class CallProgress:
    """A run that a tool carries out itself, in the record of this one."""

    def __init__(self, recorder: Recorder[CopilotLog], call: str) -> None:
        self._recorder, self._call = recorder, call
        held = [one for one in recorder.run_log.all(ToolProgressed) if one.call == call]
        self.before: Sequence[Mapping[str, Any]] = [one.form for one in held]
        for one in held:
            event = EVENTS.from_json(dict(one.form))
            if isinstance(
                event, CostIncurred
            ):  # the run may have been killed before it was counted
                self._count(event)

    def put(self, event: Event) -> None:
        """Record an event, and what it cost as a cost of this run. The event goes first: a reply
        that is not recorded would be paid a second time.
        """
        self._recorder.emit(ToolProgressed(call=self._call, n=event.seq, form=to_json(event)))
        if isinstance(event, CostIncurred):
            self._count(event)

    def _count(self, cost: CostIncurred) -> None:
        call = f"{self._call} {cost.call}"
        self._recorder.emit(replace(cost, call=call, where="tools", reply=""))
