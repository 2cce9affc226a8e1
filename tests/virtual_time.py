"""An event loop whose time passes only while there is nothing to do: a slow machine makes no run of
fakes miss its deadline.

    asyncio.Runner(loop_factory=virtual_loop).run(…)   `asyncio.sleep(30)` is over at once, and 30 s are gone

For code without sockets; waiting for what never comes raises.
"""  # noqa: E501

import asyncio
import selectors
from typing import Any

from clinfo.runs.clock import SystemClock


class _Leaping(selectors.SelectSelector):
    """Waits for nothing: its time leaps to where waiting would have ended."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if timeout is None:
            raise RuntimeError("nothing is left that could happen")
        self.now += timeout
        return []


class _VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._leaping = _Leaping()
        super().__init__(self._leaping)

    def time(self) -> float:
        return self._leaping.now

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> asyncio.Future[Any]:
        """Do at once what would be done in a thread."""
        done: asyncio.Future[Any] = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:
            done.set_exception(error)
        return done


def virtual_loop() -> asyncio.AbstractEventLoop:
    """A loop whose time begins at 0."""
    return _VirtualLoop()


class LoopClock(SystemClock):
    """The clock of the running event loop, whichever it is; the date is today's."""

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()
