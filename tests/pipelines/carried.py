"""A run of any pipeline, carried out in this process."""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

from clinfo.runs.events import Answered, Event, dumps
from clinfo.runs.pipeline import Carrier


def events(
    carrier: Carrier[Any],
    asked: Any,
    after: Sequence[Event] = (),
    cancel_at: type[Event] | None = None,
) -> list[Event]:
    """The new events of a run, which is cancelled at the first of this type."""

    async def every() -> list[Event]:
        cancel, found = asyncio.Event(), []
        async for event in carrier.run(asked, after, cancel):
            found.append(event)
            if cancel_at is not None and isinstance(event, cancel_at):
                cancel.set()
        return found

    return asyncio.run(every())


def answer(found: Sequence[Event]) -> dict[str, Any]:
    assert isinstance(found[-1], Answered), found[-1]
    return found[-1].answer


def untimed(found: Sequence[Event]) -> dict[str, Any]:
    """The answer without what goes by the clock."""
    kept: dict[str, Any] = json.loads(json.dumps(answer(found)))
    kept["usage"]["by_stage"] = kept["timings"] = None
    return kept


def resumed_from_anywhere(
    pipeline: Any, run: Callable[[Sequence[Event]], list[Event]]
) -> list[Event]:
    """The events of a run, once each prefix of it has led to the same answer."""
    whole = run(())
    assert [*pipeline.events.loads([dumps(event) for event in whole])] == whole
    for end in range(1, len(whole)):
        rest = run(whole[:end])
        assert untimed(rest) == untimed(whole)
        keys = [event.key for event in (*whole[:end], *rest)]
        assert len(keys) == len(set(keys))
    return whole
