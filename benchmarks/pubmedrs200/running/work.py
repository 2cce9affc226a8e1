"""The cells of a run carried out: many at a time in this process where they wait for models and
programs, one at a time in several processes where nothing but this machine's own work takes time.
"""

from __future__ import annotations

import asyncio
import os
import signal
import traceback
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Final

from filelock import FileLock

from benchmarks.pubmedrs200.processes import follow_parent, undisturbed
from benchmarks.pubmedrs200.running import audit
from benchmarks.pubmedrs200.running.cells import Outcome, failed, run_bare, run_chain
from benchmarks.pubmedrs200.running.external import run_command
from benchmarks.pubmedrs200.running.folder import WORKER_LOCK, spent
from benchmarks.pubmedrs200.running.planning import RunClock, Setup, open_source, request
from benchmarks.pubmedrs200.running.pool import Pool
from benchmarks.pubmedrs200.running.records import Cell, Record
from clinfo.errors import BudgetReached, ClinfoError
from clinfo.pipelines.literature.stages import LITERATURE
from clinfo.pipelines.opening import chat_model
from clinfo.runs.protocols import Budget
from clinfo.runs.spending import MemoryBudget
from clinfo.settings import load_settings

TRIES: Final = 2
"""Times that processes are started anew after one of them died."""
STOPPING: Final = 5.0
"""Seconds that cells under way are given to stop in good order."""


@dataclass(frozen=True)
class Ended:
    """A cell that came to its end; ``seconds`` are None where they are known already."""

    cell: Cell
    record: Record
    spent: float
    seconds: float | None
    stages: Mapping[str, float] = field(default_factory=dict)


class SharedBudget(MemoryBudget):
    """The money of a whole run. A reservation that does not fit waits for what calls under way give
    back; only when nothing is under way any more, and it still does not fit, it is refused.
    """

    def __init__(self, limit_usd: float | None, spent: float) -> None:
        super().__init__(limit_usd, spent)
        self._changed = asyncio.Condition()

    async def reserve(self, usd: float) -> str:
        async with self._changed:
            while True:
                try:
                    return await super().reserve(usd)
                except BudgetReached:
                    if not self._reserved:
                        raise
                await self._changed.wait()

    async def settle(self, token: str, usd: float) -> None:
        await super().settle(token, usd)
        async with self._changed:
            self._changed.notify_all()


class Worker:
    """Runs cells: settings, source and pool are opened once a process."""

    def __init__(self, setup: Setup, budget: Budget) -> None:
        self.setup, self.budget, self.root = setup, budget, Path(setup.root)
        self.clock = RunClock(setup.day)
        settings = load_settings()
        if setup.index is not None:
            settings = settings.model_copy(update={"index_dir": Path(setup.index)})
        self.source = (
            open_source(settings, setup.source, self.clock) if setup.source is not None else None
        )
        # Else repeats would be answered from the cache.
        self.settings = settings.model_copy(update={"cache": "off"})
        self.pool = Pool(Path(setup.pool)) if setup.pool is not None else None
        self.lookup = audit.Lookup(self.source)
        self.cancel = asyncio.Event()

    async def run(self, cell: Cell) -> Outcome:
        """Run a cell, whatever happens. Raises ClinfoError where the folder cannot be written."""
        try:
            return await self._outcome(cell)
        except Exception as error:
            problem = str(error)
            if not isinstance(error, (ClinfoError, OSError)):
                place = traceback.extract_tb(error.__traceback__)[-1]
                problem = (
                    f"internal error; please report it: {type(error).__name__} in "
                    f"{Path(place.filename).name}:{place.lineno}"
                )
            try:
                return Outcome("done", failed(self.root, cell, problem))
            except OSError as full:  # a disk without room, a folder that was taken away
                what = f"the run's folder cannot be written: {full.strerror or full}"
                raise ClinfoError(what) from None

    async def _outcome(self, cell: Cell) -> Outcome:
        setup, root, plan = self.setup, self.root, self.setup.plan
        system, asked = plan.system(cell.system), setup.asked[cell.id]
        budget: Budget = self.budget if setup.capped else MemoryBudget()
        if system.kind == "bare":
            model = chat_model(self.settings, system.models["all"], None)
            seed = plan.seed_of(cell.repeat)
            return await run_bare(root, cell, model, budget, self.clock, asked.question, seed)
        asks = request(plan, system, asked, cell.regime, cell.repeat)
        if system.kind == "command":
            of = (setup.folder, asked.question, asks, self.lookup)
            return await run_command(root, cell, system, *of)
        source = self.source
        if self.pool is not None:
            pooled = self.pool.source(cell.regime, cell.id)
            source, asks = pooled, replace(asks, source=pooled.name, own_queries=pooled.texts)
        assert source is not None
        chain = LITERATURE.assemble(
            self.settings, asks, budget=budget, source=source, clock=self.clock
        )
        return await run_chain(root, cell, chain, asks, self.lookup, self.cancel)

    def ended(self, cell: Cell, outcome: Outcome) -> Ended:
        assert outcome.record is not None
        of_command = self.setup.plan.system(cell.system).kind == "command"
        cost = 0.0 if of_command else spent(self.root, cell, outcome.record)
        return Ended(cell, outcome.record, cost, outcome.seconds, outcome.stages)


class Work:
    """The cells of a run. ``spent_out`` says why no more may be spent, "" while more may;
    ``interrupted`` that somebody stopped it.
    """

    def __init__(
        self, setup: Setup, concurrency: int, processes: int, limit: float | None, before: float
    ) -> None:
        self._setup, self._concurrency, self._processes = setup, concurrency, processes
        self._limit, self._before = limit, before
        self.spent_out = ""
        self.interrupted = False

    def run(self, cells: Sequence[Cell]) -> Iterator[Ended]:
        """Run all cells, as far as money and Ctrl-C allow. Raises ClinfoError."""
        if self._processes > 1 and len(cells) > 1:
            yield from self._in_processes(cells)
            return
        loop = asyncio.new_event_loop()
        steps = self._here(cells, loop)
        try:
            while True:
                try:
                    yield loop.run_until_complete(anext(steps))
                except StopAsyncIteration:
                    return
        finally:
            loop.run_until_complete(steps.aclose())  # type: ignore[attr-defined]
            loop.close()

    async def _here(
        self, cells: Sequence[Cell], loop: asyncio.AbstractEventLoop
    ) -> AsyncIterator[Ended]:
        worker = Worker(self._setup, SharedBudget(self._limit, self._before))
        waiting, tasks = list(reversed(cells)), dict[asyncio.Task[Outcome], Cell]()

        def stop() -> None:
            """Hand out nothing more; a chain stops in good order, what else runs is broken off."""
            self.interrupted = True
            worker.cancel.set()
            waiting.clear()
            for task, cell in tasks.items():
                if self._setup.plan.system(cell.system).kind != "chain":
                    task.cancel()

        self._on_signals(loop, stop)
        try:
            while waiting or tasks:
                while waiting and len(tasks) < self._concurrency and not self.spent_out:
                    cell = waiting.pop()
                    tasks[asyncio.create_task(worker.run(cell))] = cell
                if not tasks:
                    return
                limit = STOPPING if self.interrupted else None
                done, _ = await asyncio.wait(
                    tasks, timeout=limit, return_when=asyncio.FIRST_COMPLETED
                )
                if not done:
                    return  # something hangs; what is recorded is gone on from
                for task in done:
                    cell = tasks.pop(task)
                    if task.cancelled():
                        continue
                    outcome = task.result()
                    if outcome.end == "spent":
                        self.spent_out = outcome.problem
                    elif outcome.end == "done":
                        yield worker.ended(cell, outcome)
        finally:
            for task in tasks:
                task.cancel()
            if tasks:
                await asyncio.wait(tasks, timeout=STOPPING)

    def _on_signals(self, loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
        for one in (signal.SIGINT, signal.SIGTERM):
            try:
                loop.add_signal_handler(one, stop)
            except NotImplementedError:  # Windows
                signal.signal(one, lambda *_: loop.call_soon_threadsafe(stop))

    def _in_processes(self, cells: Sequence[Cell]) -> Iterator[Ended]:
        left = dict.fromkeys(cells)
        for attempt in range(1 + TRIES):
            pool = ProcessPoolExecutor(
                min(self._processes, len(left)), get_context("spawn"), _begin, (self._setup,)
            )
            try:
                with undisturbed():
                    futures = [pool.submit(_one, cell) for cell in left]
                for future in as_completed(futures):
                    ended = future.result()
                    del left[ended.cell]
                    yield ended
                return
            except KeyboardInterrupt:
                self.interrupted = True
                return
            except BrokenProcessPool:
                if attempt == TRIES:
                    raise ClinfoError(
                        "processes that run cells ended by themselves, again and again (too little "
                        "memory?); run the same command again, with --processes 1 if need be"
                    ) from None
            finally:
                pool.shutdown(wait=True, cancel_futures=True)


_here: list[tuple[Worker, asyncio.AbstractEventLoop, FileLock]] = []
"""The worker of a process of a pool, its loop and its lock."""


def _begin(setup: Setup) -> None:
    follow_parent()
    lock = FileLock(Path(setup.root) / WORKER_LOCK.format(os.getpid()))
    lock.acquire()
    _here.append((Worker(setup, MemoryBudget()), asyncio.new_event_loop(), lock))


def _one(cell: Cell) -> Ended:
    worker, loop, _ = _here[0]
    with suppress(AttributeError):
        asyncio.set_event_loop(loop)
    return worker.ended(cell, loop.run_until_complete(worker.run(cell)))
