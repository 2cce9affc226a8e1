"""The worker processes of a run: given cells, their ends heard, the dead ones replaced, all stopped
together.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import benchmarks
from benchmarks.pubmedrs200.running.ledger import Ledger
from benchmarks.pubmedrs200.running.records import Cell
from benchmarks.pubmedrs200.running.worker import STOPPING, Setup
from clinfo.errors import ClinfoError

TRIES: Final = 2
"""Attempts at a cell whose worker dies."""
DEATHS: Final = 5
"""So many workers in a row that die before they are ready, and the run is given up."""


class WorkerHandle:
    """One worker process and the cells that it has."""

    def __init__(self, number: int, process: asyncio.subprocess.Process) -> None:
        self.number = number
        self.process = process
        self.cells: list[Cell] = []
        self.ready = False

    def tell(self, message: dict[str, Any]) -> None:
        if self.process.stdin is not None and not self.process.stdin.is_closing():
            with contextlib.suppress(ConnectionError):
                self.process.stdin.write(json.dumps(message, ensure_ascii=False).encode() + b"\n")


class WorkerPool:
    """Runs cells in ``processes`` processes, ``concurrency`` at a time in each.

    ``ended`` hears of every cell that came to its end (`benchmarks.pubmedrs200.running.worker`'s
    message), ``died`` of one whose workers died.
    """

    def __init__(
        self,
        setup: Setup,
        processes: int,
        concurrency: int,
        ledger: Ledger,
        ended: Callable[[Cell, dict[str, Any]], None],
        died: Callable[[Cell], None],
    ) -> None:
        self._setup = setup
        self._processes = processes
        self._concurrency = concurrency
        self._ledger = ledger
        self._ended = ended
        self._died = died
        self._hands: dict[int, WorkerHandle] = {}
        self._cells: deque[Cell] = deque()
        self._tries: Counter[Cell] = Counter()
        self._started = 0
        self._deaths = 0
        self._problem = ""
        self._stopping = False
        self.spent_out = ""
        """The reason why no more may be spent; "" while more may."""
        self._changed = asyncio.Event()

    def stop(self) -> None:
        """Hand out nothing more, and have the cells under way stopped."""
        self._stopping = True
        for hand in self._hands.values():
            hand.tell({"type": "stop"})
        self._changed.set()

    async def run(self, cells: Iterable[Cell]) -> None:
        """Run all cells, as far as money and `stop` allow. Raises ClinfoError where workers cannot
        work.
        """
        self._cells = deque(cells)
        listeners: set[asyncio.Task[None]] = set()
        try:
            while True:
                self._changed.clear()
                while not self._over() and len(self._hands) < min(self._processes, self._open()):
                    hand = await self._hire()
                    task = asyncio.create_task(self._listen(hand))
                    listeners.add(task)
                    task.add_done_callback(listeners.discard)
                if self._problem or (
                    self._over() and not any(hand.cells for hand in self._hands.values())
                ):
                    break
                self._give()
                if self._stopping:
                    await self._last_ones()
                    break
                await self._changed.wait()
        finally:
            await self._dismiss()
            if listeners:
                await asyncio.wait(listeners)
        if self._problem:
            raise ClinfoError(self._problem)

    def _over(self) -> bool:
        return self._stopping or bool(self.spent_out) or not self._cells

    def _open(self) -> int:
        """Processes that have, or could have, something to do."""
        busy = sum(bool(hand.cells) for hand in self._hands.values())
        return busy + -(-len(self._cells) // self._concurrency)

    def _give(self) -> None:
        """Cells go one by one to whoever has fewest, so that all processes have something to do."""
        while not self._over():
            hands = [
                hand
                for hand in self._hands.values()
                if hand.ready and len(hand.cells) < self._concurrency
            ]
            if not hands:
                return
            hand = min(hands, key=lambda one: len(one.cells))
            cell = self._cells.popleft()
            hand.cells.append(cell)
            form = {
                "system": cell.system,
                "regime": cell.regime,
                "repeat": cell.repeat,
                "id": cell.id,
            }
            hand.tell({"type": "cell", "cell": form})

    async def _hire(self) -> WorkerHandle:
        import msgspec

        number, self._started = self._started, self._started + 1
        root = str(Path(benchmarks.__file__).resolve().parents[1])
        path = os.pathsep.join(part for part in (root, os.environ.get("PYTHONPATH")) if part)
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "benchmarks.pubmedrs200.running.worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,  # Ctrl-C is for this process; it tells the others
            limit=1 << 24,
        )
        hand = self._hands[number] = WorkerHandle(number, process)
        assert process.stdin is not None
        with contextlib.suppress(ConnectionError):
            process.stdin.write(msgspec.json.encode(replace(self._setup, number=number)) + b"\n")
        return hand

    async def _listen(self, hand: WorkerHandle) -> None:
        assert hand.process.stdout is not None
        async for line in hand.process.stdout:
            with (
                contextlib.suppress(ValueError),
                self._writing(),
            ):  # a line torn off when the worker died
                self._hear(hand, json.loads(line))
        await hand.process.wait()
        with self._writing():
            self._gone(hand)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """A folder that can no longer be written (a full disk) ends the run; the workers are still
        listened to till they end.
        """
        try:
            yield
        except OSError as error:
            self._problem = (
                self._problem or f"the run's folder cannot be written: {error.strerror or error}"
            )
            self._changed.set()

    def _hear(self, hand: WorkerHandle, message: dict[str, Any]) -> None:
        kind = message["type"]
        if kind == "ready":
            hand.ready, self._deaths = True, 0
        elif kind == "refused":
            self._problem = message["problem"]
        elif kind == "reserve":
            token = message["token"]

            def reply(refusal: str) -> None:
                hand.tell({"type": "answer", "token": token, "refusal": refusal})

            self._ledger.reserve(hand.number, token, message["usd"], reply)
        elif kind == "settle":
            self._ledger.settle(message["token"], message["usd"])
        elif kind == "ended":
            cell = Cell(**message["cell"])
            hand.cells.remove(cell)
            if message["end"] == "done":
                self._ended(cell, message)
            elif message["end"] == "spent":
                self.spent_out = message["problem"]
            elif message["problem"]:
                self._problem = message["problem"]
        self._changed.set()

    def _gone(self, hand: WorkerHandle) -> None:
        """A worker has ended; unless it was told to, its cells go to others once."""
        del self._hands[hand.number]
        self._ledger.lost(hand.number)
        if not self._stopping:
            for cell in reversed(hand.cells):
                self._tries[cell] += 1
                if self._tries[cell] < TRIES:
                    self._cells.appendleft(cell)
                else:
                    self._died(cell)
            if not hand.ready:
                self._deaths += 1
                if self._deaths >= DEATHS and not self._problem:
                    self._problem = (
                        f"{DEATHS} worker processes in a row ended before they were ready; what "
                        "they wrote stands above"
                    )
        hand.cells = []
        self._changed.set()

    async def _last_ones(self) -> None:
        """Wait for workers that stop."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOPPING + 2):
                while self._hands:
                    self._changed.clear()
                    await self._changed.wait()

    async def _dismiss(self) -> None:
        self._stopping = True
        for hand in list(self._hands.values()):
            hand.tell({"type": "stop"})
            if hand.process.stdin is not None:
                hand.process.stdin.close()
        await self._last_ones()
        for hand in list(self._hands.values()):
            with contextlib.suppress(ProcessLookupError):
                hand.process.kill()
