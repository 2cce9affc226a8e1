"""A whole run of another pipeline within a call of a tool: each event is recorded as it happens, so
that a copilot that is resumed goes on in it and pays for nothing again, and a call that is broken
off ends it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing

from clinfo.pipelines import pipeline
from clinfo.pipelines.copilot.tools import Host, Progress
from clinfo.runs.events import Event
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
