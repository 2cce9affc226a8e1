"""A process that runs cells: told which over its standard input, telling how they ended over its
standard output, in JSON lines.

It is started by `benchmarks.pubmedrs200.running.worker_pool`. Told to stop, it stops cells under
way in good order; when its input just ends, the crew was killed, and it leaves everything as if it
had been killed too, but for commands, which it ends. In: {"type": "cell", …}, {"type": "answer",
"token", "refusal"}, {"type": "stop"}; the first line is a `Setup`. Out: {"type": "ready"},
"reserve", "settle", and {"type": "ended", "cell", "end", …}.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Final

from benchmarks.pubmedrs200.running import audit
from benchmarks.pubmedrs200.running.bare_cell import run_bare
from benchmarks.pubmedrs200.running.chain_cell import Outcome, failed, run_chain
from benchmarks.pubmedrs200.running.command_cell import run_command
from benchmarks.pubmedrs200.running.folder import WORKER_LOCK, spent
from benchmarks.pubmedrs200.running.ledger import RemoteBudget
from benchmarks.pubmedrs200.running.plan import Asked, Plan, request
from benchmarks.pubmedrs200.running.pool import Pool
from benchmarks.pubmedrs200.running.reaper import Reaper
from benchmarks.pubmedrs200.running.records import Cell
from benchmarks.pubmedrs200.running.sources import RunClock, open_source
from clinfo.errors import ClinfoError
from clinfo.pipelines.literature.assemble import assemble
from clinfo.pipelines.opening import chat_model
from clinfo.runs.protocols import Budget, ChatModel
from clinfo.runs.spending import MemoryBudget
from clinfo.settings import load_settings
from clinfo.sources.protocols import ArticleSource

STOPPING: Final = 5.0
"""Seconds that cells under way are given to stop in good order."""


@dataclass(frozen=True)
class Setup:
    """The setup of a worker. ``source`` is None where nothing is searched; ``folder`` is where
    commands are run.
    """

    number: int
    root: str
    plan: Plan
    asked: dict[str, Asked]
    day: date
    source: str | None
    index: str | None
    pool: str | None
    folder: str
    capped: bool


class Worker:
    """Runs cells as they come, as many at a time as it is given."""

    def __init__(self, setup: Setup, say: Callable[[dict[str, Any]], None]) -> None:
        self._setup = setup
        self._say = say
        self._root = Path(setup.root)
        self._clock = RunClock(setup.day)
        settings = load_settings()
        if setup.index is not None:
            settings = settings.model_copy(update={"index_dir": Path(setup.index)})
        self._source: ArticleSource | None = (
            open_source(settings, setup.source, self._clock) if setup.source is not None else None
        )
        self._settings = settings.model_copy(
            update={"cache": "off"}
        )  # else repeats would be answered from the cache
        self._pool = Pool(Path(setup.pool)) if setup.pool is not None else None
        self._lookup = audit.Lookup(self._source)
        self._warden = Reaper()
        self._budget = RemoteBudget(say)
        self._cancel = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    def take(self, message: dict[str, Any]) -> bool:
        """Do what a message says; False where it says to stop."""
        if message["type"] == "cell":
            task = asyncio.create_task(self._run(Cell(**message["cell"])))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        elif message["type"] == "answer":
            self._budget.answered(message["token"], message["refusal"])
        return message["type"] not in ("stop", "gone")

    async def stop(self) -> None:
        """Stop all cells in good order: calls that are broken off are recorded at the most that
        they can have cost.
        """
        self._cancel.set()
        await self._end(
            {task for task in self._tasks if not task.get_name().startswith("chain")}, self._tasks
        )

    async def leave(self) -> None:
        """End the commands; nothing else is touched, so that the run goes on from where it is as
        after any other kill.
        """
        commands = {task for task in self._tasks if task.get_name().startswith("command")}
        await self._end(commands, commands)

    async def _end(
        self, broken_off: set[asyncio.Task[None]], awaited: set[asyncio.Task[None]]
    ) -> None:
        for task in broken_off:
            task.cancel()
        if awaited:
            await asyncio.wait(set(awaited), timeout=STOPPING)

    async def _run(self, cell: Cell) -> None:
        system = self._setup.plan.system(cell.system)
        task = asyncio.current_task()
        assert task is not None
        task.set_name(f"{system.kind} {cell.id}")
        try:
            outcome = await self._outcome(cell)
        except asyncio.CancelledError:
            outcome = Outcome("stopped")
        except Exception as error:
            outcome = self._failed(cell, error)
        record = outcome.record
        self._say(
            {
                "type": "ended",
                "cell": {
                    "system": cell.system,
                    "regime": cell.regime,
                    "repeat": cell.repeat,
                    "id": cell.id,
                },
                "end": outcome.end,
                "status": record.status if record else None,
                "leaks": [f"{leak.pmid} in {leak.where}: {leak.reason}" for leak in record.leaks]
                if record
                else [],
                "problem": (record.problem if record else "") or outcome.problem,
                "spent": spent(self._root, cell, record) if system.kind != "command" else 0.0,
                "seconds": outcome.seconds,
                "stages": dict(outcome.stages),
            }
        )

    def _failed(self, cell: Cell, error: Exception) -> Outcome:
        problem = str(error)
        if not isinstance(error, (ClinfoError, OSError)):
            place = traceback.extract_tb(error.__traceback__)[-1]
            problem = (
                f"internal error; please report it: {type(error).__name__} in "
                f"{Path(place.filename).name}:{place.lineno}"
            )
        try:
            return Outcome("done", failed(self._root, cell, problem))
        except (
            OSError
        ) as full:  # a disk without room, a folder that was taken away: nothing can be recorded
            return Outcome(
                "stopped", problem=f"the run's folder cannot be written: {full.strerror or full}"
            )

    async def _outcome(self, cell: Cell) -> Outcome:
        setup, root = self._setup, self._root
        system, asked = setup.plan.system(cell.system), setup.asked[cell.id]
        budget: Budget = self._budget if setup.capped else MemoryBudget()
        if system.kind == "bare":
            model = self._model(system.models["all"])
            return await run_bare(
                root,
                cell,
                model,
                budget,
                self._clock,
                asked.question,
                setup.plan.seed_of(cell.repeat),
            )
        asks = request(setup.plan, system, asked, cell.regime, cell.repeat)
        if system.kind == "command":
            return await run_command(
                root, cell, system, setup.folder, asked.question, asks, self._lookup, self._warden
            )
        source = self._source
        if self._pool is not None:
            pooled = self._pool.source(cell.regime, cell.id)
            source, asks = pooled, replace(asks, source=pooled.name, own_queries=pooled.texts)
        assert source is not None
        chain = assemble(self._settings, asks, budget=budget, source=source, clock=self._clock)
        return await run_chain(root, cell, chain, asks, self._lookup, self._cancel)

    def _model(self, name: str) -> ChatModel:
        return chat_model(self._settings, name, None)


async def _serve(
    setup: Setup, messages: asyncio.Queue[dict[str, Any]], say: Callable[[dict[str, Any]], None]
) -> None:
    worker = Worker(setup, say)
    say({"type": "ready"})
    while worker.take(message := await messages.get()):
        pass
    if message["type"] == "stop":
        await worker.stop()
    else:
        await worker.leave()
        os._exit(0)


def _listen(loop: asyncio.AbstractEventLoop, messages: asyncio.Queue[dict[str, Any]]) -> None:
    """Pass on lines of the standard input; its end says that whoever wrote them is gone."""
    with contextlib.suppress(RuntimeError):  # the loop is over
        for line in sys.stdin:
            with contextlib.suppress(ValueError):  # a line that was torn off with the parent
                loop.call_soon_threadsafe(messages.put_nowait, json.loads(line))
        loop.call_soon_threadsafe(messages.put_nowait, {"type": "gone"})


def main() -> None:
    """Serve until the input ends."""
    import msgspec
    from filelock import FileLock

    out = os.dup(1)
    os.dup2(2, 1)  # what libraries print is not a message
    lock = threading.Lock()

    def say(message: dict[str, Any]) -> None:
        data = json.dumps(message, ensure_ascii=False).encode() + b"\n"
        with lock, contextlib.suppress(BrokenPipeError):
            while data:
                data = data[os.write(out, data) :]

    setup = msgspec.json.decode(sys.stdin.readline(), type=Setup)

    async def serve() -> None:
        messages: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        threading.Thread(
            target=_listen, args=(asyncio.get_running_loop(), messages), daemon=True
        ).start()
        await _serve(setup, messages, say)

    with FileLock(Path(setup.root) / WORKER_LOCK.format(setup.number)):
        try:
            asyncio.run(serve())
        except ClinfoError as error:
            say({"type": "refused", "problem": str(error)})
        sys.stderr.flush()
    os._exit(0)  # threads of a source that hangs are not waited for


if __name__ == "__main__":
    main()
