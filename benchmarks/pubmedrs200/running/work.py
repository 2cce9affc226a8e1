"""The cells of a run carried out, as many at a time as wait for models and programs."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path

from benchmarks.pubmedrs200.running import audit
from benchmarks.pubmedrs200.running.cells import Outcome, failed, run_bare, run_chain
from benchmarks.pubmedrs200.running.external import run_command
from benchmarks.pubmedrs200.running.folder import spent
from benchmarks.pubmedrs200.running.planning import RunClock, Setup, open_source, request
from benchmarks.pubmedrs200.running.pool import Pool
from benchmarks.pubmedrs200.running.records import Cell, Record
from clinfo.cli.running import interrupt_sets
from clinfo.errors import ClinfoError
from clinfo.pipelines.literature.batch import under_way
from clinfo.pipelines.literature.stages import LITERATURE
from clinfo.pipelines.opening import chat_model
from clinfo.runs.protocols import Budget
from clinfo.runs.spending import MemoryBudget
from clinfo.settings import load_settings


@dataclass(frozen=True)
class Ended:
    """A cell that came to its end; ``seconds`` are None where they are known already."""

    cell: Cell
    record: Record
    spent: float
    seconds: float | None
    stages: Mapping[str, float] = field(default_factory=dict)


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
    """The cells of a run, by the loop of a batch of questions. ``spent_out`` says why no more may
    be spent, "" while more may; ``interrupted`` that somebody stopped it.
    """

    def __init__(self, setup: Setup, concurrency: int, limit: float | None, before: float) -> None:
        self._setup, self._concurrency = setup, concurrency
        self._limit, self._before = limit, before
        self.spent_out = ""
        self.interrupted = False

    async def ends(self, cells: Sequence[Cell]) -> AsyncIterator[Ended]:
        """All cells as they end, as far as money and Ctrl-C allow. Raises ClinfoError."""
        worker = Worker(self._setup, MemoryBudget(self._limit, self._before))
        left = takewhile(lambda _: not self.spent_out, cells)
        with interrupt_sets(worker.cancel):
            async with aclosing(
                under_way(left, worker.run, self._concurrency, worker.cancel)
            ) as done:
                async for cell, outcome in done:
                    if outcome.end == "spent":
                        self.spent_out = outcome.problem
                    elif outcome.end == "done":
                        yield worker.ended(cell, outcome)
        self.interrupted = worker.cancel.is_set()
