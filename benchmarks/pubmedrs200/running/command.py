"""``python -m benchmarks run``: questions × systems × regimes × repeats, each cell once, whatever
interrupts it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from benchmarks.pubmedrs200.running import closing, decisions, references, timings
from benchmarks.pubmedrs200.running import plan as plans
from benchmarks.pubmedrs200.running import pool as pools
from benchmarks.pubmedrs200.running.arguments import parser
from benchmarks.pubmedrs200.running.folder import (
    done,
    held,
    partial_path,
    read_record,
    spent,
    tidy,
    write_text,
)
from benchmarks.pubmedrs200.running.ledger import Ledger
from benchmarks.pubmedrs200.running.preparing import Prepared, notices, prepare
from benchmarks.pubmedrs200.running.progress import Progress
from benchmarks.pubmedrs200.running.records import Cell, Record
from benchmarks.pubmedrs200.running.worker_pool import WorkerPool
from clinfo.errors import BudgetReached, Cancelled, ClinfoError, ServiceError, UsageError
from clinfo.text.printable import one_line
from clinfo.views.wording import number


def main(argv: list[str]) -> None:
    """Run, or resume a run; ends the process with its exit status."""
    arguments = parser().parse_args(argv)
    try:
        status = run(arguments)
    except ClinfoError as error:
        print(f"python -m benchmarks run: {error}", file=sys.stderr)
        status = error.exit_status
    except OSError as error:
        where = one_line(str(error.filename or "a file"))
        print(
            f"python -m benchmarks run: {where}: {error.strerror or 'cannot be read or written'}",
            file=sys.stderr,
        )
        status = UsageError.exit_status
    except KeyboardInterrupt:
        status = Cancelled.exit_status
    sys.exit(status)


def run(arguments: argparse.Namespace) -> int:
    """The exit status: 0 done, 4 with failed cells, 5 at the cost cap, 130 interrupted. Raises
    ClinfoError.
    """
    ready = prepare(arguments)
    for line in notices(arguments, ready.setup.plan.systems):
        print(line, file=sys.stderr)
    with held(ready.root):
        form = plans.write_or_compare(ready.root / "run.json", ready.form)
        ready = replace(ready, setup=replace(ready.setup, day=date.fromisoformat(form["day"])))
        if arguments.record is not None:
            pools.check_free(Path(arguments.record), form, _first_chain(ready.setup.plan))
        return _Run(ready, form, arguments).go()


class _Run:
    def __init__(
        self, ready: Prepared, form: dict[str, Any], arguments: argparse.Namespace
    ) -> None:
        self.ready = ready
        self.form = form
        self.root = ready.root
        self.arguments = arguments
        self.interrupted = False
        self.commands = {
            system.name for system in ready.setup.plan.systems if system.kind == "command"
        }

    def go(self) -> int:
        plan, root = self.ready.setup.plan, self.root
        cells = list(plan.cells())
        tidy(root, cells, self.arguments.retry_failed)
        records = {cell: done(root, cell, self.arguments.retry_failed) for cell in cells}
        lacking = self._lacking(records.values())
        todo = [cell for cell in cells if records[cell] is None or cell in lacking]
        costs = {
            cell: spent(root, cell, record)
            for cell, record in records.items()
            if cell.system not in self.commands
        }
        self.costs = costs
        before: Counter[str] = Counter(
            record.status
            for cell, record in records.items()
            if record is not None and cell not in lacking
        )
        self.progress = Progress(len(cells), before, sum(costs.values()), self.arguments.quiet)
        if todo:
            for name in (closing.PREDICTIONS, closing.QUARANTINE):
                (root / name).unlink(missing_ok=True)
            if before:
                self.progress.say(f"going on: {before.total():,} of {len(cells):,} are done")
            ledger = Ledger(self.arguments.max_cost, sum(costs.values()))
            crew = WorkerPool(
                self.ready.setup,
                self.ready.processes,
                self.ready.concurrency,
                ledger,
                self._ended,
                self._died,
            )
            try:
                asyncio.run(self._work(crew, todo))
            finally:
                self.progress.close()
            if crew.spent_out:
                advice = "run the same command with a higher --max-cost to resume"
                self.progress.say(f"python -m benchmarks run: {crew.spent_out}; {advice}")
        else:
            crew = None
        tidy(root, cells, False)
        return self._close(crew)

    async def _work(self, crew: WorkerPool, todo: list[Cell]) -> None:
        loop = asyncio.get_running_loop()

        def stop() -> None:
            self.interrupted = True
            crew.stop()

        for one in (signal.SIGINT, signal.SIGTERM):
            try:
                loop.add_signal_handler(one, stop)
            except NotImplementedError:  # Windows
                signal.signal(one, lambda *_: loop.call_soon_threadsafe(stop))
        await crew.run(todo)

    def _ended(self, cell: Cell, message: dict[str, Any]) -> None:
        if message["seconds"] is not None:
            timings.append(self.root, cell, message["seconds"], message["stages"])
        self.progress.spent += message["spent"] - self.costs.get(cell, 0.0)
        self.costs[cell] = message["spent"]
        self._tell(cell, message["status"], message["problem"], message["leaks"])

    def _lacking(self, records: Iterable[Record | None]) -> set[Cell]:
        """Cells of commands that answered and of whose references the source, where there is one,
        has still to be asked.
        """
        if self.ready.setup.source is None:
            return set()
        found = (
            record
            for record in records
            if record is not None and record.cell.system in self.commands
        )
        return {record.cell for record in found if references.are_lacking(self.root, record)}

    def _died(self, cell: Cell) -> None:
        from benchmarks.pubmedrs200.running.chain_cell import failed

        record = failed(self.root, cell, "the process that ran it ended unexpectedly, twice")
        self._tell(cell, record.status, record.problem, [])

    def _tell(self, cell: Cell, status: str, problem: str, leaks: list[str]) -> None:
        where = f"{cell.system} {cell.regime} {cell.repeat} {cell.id}"
        if status == "failed":
            self.progress.say(f"failed: {where}: {problem}")
        for leak in leaks:
            self.progress.say(f"leaked, quarantined: {where}: {leak}")
        self.progress.ended(status)

    def _close(self, crew: WorkerPool | None) -> int:
        plan = self.ready.setup.plan
        rows = closing.close(self.root, plan, self.ready.reviews)
        count = sum(row.statuses.total() for row in rows.values())
        left = len(list(plan.cells())) - count
        left += (
            sum(partial_path(self.root, cell).exists() for cell in plan.cells()) if not left else 0
        )
        for line in closing.table(rows, left):
            print(line)
        if not left:
            if self.ready.labels:
                self._decide()
            print(
                f"predictions: {self.root / closing.PREDICTIONS}; records: {self.root / 'records'}"
            )
            if sum(row.statuses["leaked"] for row in rows.values()):
                print(
                    "quarantined, and left out of the predictions: "
                    f"{self.root / closing.QUARANTINE}"
                )
            if self.arguments.record is not None:
                self._record()
        if self.interrupted:
            self.progress.say("interrupted; run the same command again to resume")
            return Cancelled.exit_status
        if lacking := self._lacking(read_record(self.root, cell) for cell in plan.cells()):
            answers = number(len(lacking), "answer", "answers")
            lost = (
                f"the source could not be reached for the articles that {answers} of external "
                "systems cited: no figures of support"
            )
            self.progress.say(f"{lost}; run the same command again to retry")
        if crew is not None and crew.spent_out:
            return BudgetReached.exit_status
        failures = sum(row.statuses["failed"] for row in rows.values())
        if failures:
            self.progress.say(f"{failures:,} failed; to run them again, add --retry-failed")
            return ServiceError.exit_status
        return 0

    def _decide(self) -> None:
        """Print accuracy and macro F1 of yes, no and maybe, and write them."""
        found = decisions.decided(self.root, self.ready.setup.plan, self.ready.labels)
        for line in decisions.lines(found):
            print(line)
        text = json.dumps(decisions.measured(found), ensure_ascii=False, indent=1)
        write_text(self.root / decisions.FILE, text + "\n")

    def _record(self) -> None:
        folder = Path(self.arguments.record)
        without = pools.record(folder, self.root, self.form, _first_chain(self.ready.setup.plan))
        print(f"candidates recorded: {folder}")
        if without:
            self.progress.say(
                f"no candidates to record for {number(len(without), 'question')}, first "
                f"{without[0]}"
            )


def _first_chain(plan: plans.Plan) -> str:
    """The system whose candidates --record freezes."""
    return next(system.name for system in plan.systems if system.kind == "chain")
