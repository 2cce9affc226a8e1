"""What a call that carries out a run of its own records in the record of the run that calls it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from clinfo.pipelines.copilot.events import EVENTS, ToolProgressed
from clinfo.pipelines.copilot.run_log import CopilotLog
from clinfo.runs.events import CostIncurred, Event, to_json
from clinfo.runs.recorder import Recorder


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
