"""The cells of a run carried out, as many at a time as wait for models and programs."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

from benchmarks.pubmedrs200.running import audit
from benchmarks.pubmedrs200.running.cells import Outcome, failed, run_bare, run_chain
from benchmarks.pubmedrs200.running.external import run_command
from benchmarks.pubmedrs200.running.planning import Prepared
from benchmarks.pubmedrs200.running.records import Cell
from clinfo.cli.running import interrupt_sets
from clinfo.errors import ClinfoError
from clinfo.pipelines.literature.batch import under_way
from clinfo.pipelines.literature.stages import LITERATURE
from clinfo.pipelines.opening import chat_model
from clinfo.runs.protocols import Budget
from clinfo.runs.spending import MemoryBudget


class Work:
    """The cells of a run, by the loop of a batch of questions. ``spent_out`` says why no more may
    be spent, "" while more may. ``before`` are the US dollars spent by earlier starts.
    """

    def __init__(self, ready: Prepared, before: float) -> None:
        self._ready, self._root = ready, ready.root
        # Else repeats would be answered from the cache.
        self._settings = ready.settings.model_copy(update={"cache": "off"})
        self._budget = MemoryBudget(ready.max_cost, before)
        self._lookup = audit.Lookup(ready.source)
        self._cancel = asyncio.Event()
        self.spent_out = ""

    @property
    def interrupted(self) -> bool:
        """Return whether somebody stopped it."""
        return self._cancel.is_set()

    async def ends(self, cells: Sequence[Cell]) -> AsyncIterator[tuple[Cell, Outcome]]:
        """All cells as they end, as far as money and Ctrl-C allow. Raises ClinfoError."""
        left = takewhile(lambda _: not self.spent_out, cells)
        with interrupt_sets(self._cancel):
            async with aclosing(
                under_way(left, self._run, self._ready.concurrency, self._cancel)
            ) as done:
                async for cell, outcome in done:
                    if outcome.end == "spent":
                        self.spent_out = outcome.problem
                    elif outcome.end == "done":
                        yield cell, outcome

    async def _run(self, cell: Cell) -> Outcome:
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
                return Outcome("done", failed(self._root, cell, problem))
            except OSError as full:  # a disk without room, a folder that was taken away
                what = f"the run's folder cannot be written: {full.strerror or full}"
                raise ClinfoError(what) from None

    async def _outcome(self, cell: Cell) -> Outcome:
        ready, root, plan = self._ready, self._root, self._ready.plan
        system, question = plan.system(cell.system), ready.reviews[cell.id].question
        budget: Budget = self._budget if ready.max_cost is not None else MemoryBudget()
        if system.kind == "bare":
            model = chat_model(self._settings, system.models["all"], None)
            seed = plan.seed_of(cell.repeat)
            return await run_bare(root, cell, model, budget, ready.clock, question, seed)
        asks = ready.request(system, cell.regime, cell.repeat, cell.id)
        if system.kind == "command":
            of = (str(ready.folder), question, asks, self._lookup)
            return await run_command(root, cell, system, *of)
        source = ready.source
        if ready.pool is not None:
            pooled = ready.pool.source(cell.regime, cell.id)
            source, asks = pooled, replace(asks, source=pooled.name, own_queries=pooled.texts)
        assert source is not None
        chain = LITERATURE.assemble(
            self._settings, asks, budget=budget, source=source, clock=ready.clock
        )
        return await run_chain(root, cell, chain, asks, self._lookup, self._cancel)
