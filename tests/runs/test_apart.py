"""Work in a process of its own: what it gives, and what becomes of it when it goes too far."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from clinfo.errors import RecordError, UsageError
from clinfo.runs.apart import MOST_MEMORY, Apart

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
FOR_EVER = "while True: pass"
PARENT = f"""
import asyncio
from clinfo.runs.apart import Apart

async def main():
    apart = Apart()
    await apart.do("a", len, "abc")
    print(apart._process.pid, flush=True)
    await apart.do("b", exec, {FOR_EVER!r})

asyncio.run(main())
"""


def children() -> set[int]:
    """The processes that this one has started and that still run."""
    found: set[int] = set()
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread that ended meanwhile
            found |= {int(child) for child in (task / "children").read_text().split()}
    return found


def refused(*given: Any) -> None:
    raise UsageError("no such paper")


def faulty(*given: Any) -> None:
    print("a stray word")
    raise KeyError("what a paper says")


def done(work: Callable[[Apart], Awaitable[Any]], seconds: int = 60) -> Any:
    """The result of ``work``; no process is left behind."""
    before = children()

    async def whole() -> Any:
        apart = Apart(seconds)
        try:
            return await work(apart)
        finally:
            apart.close()

    try:
        return asyncio.run(whole())
    finally:
        assert children() <= before


def test_errors_come_back_and_faults_name_the_paper_and_none_of_its_words() -> None:
    async def fails(apart: Apart) -> None:
        with pytest.raises(UsageError, match="no such paper"):
            await apart.do("a.xml", refused)
        with pytest.raises(RecordError) as told:
            await apart.do("b.xml", faulty)
        assert str(told.value).startswith("b.xml: internal error; please report it: KeyError in")
        assert await apart.do("c.xml", len, "abc") == 3

    done(fails)


@pytest.mark.parametrize(
    ("work", "given"),
    [
        pytest.param(bytearray, 2 * MOST_MEMORY, id="memory"),
        pytest.param(exec, FOR_EVER, id="time"),
        pytest.param(os.abort, None, id="abort"),
    ],
)
def test_what_asks_for_too_much_is_lost_by_name_and_the_next_is_done(
    work: Callable[..., Any], given: Any
) -> None:
    async def lost(apart: Apart) -> Any:
        with pytest.raises(RecordError, match=r"^big\.pdf: could not be read within 1 s"):
            await apart.do("big.pdf", work, *(() if given is None else (given,)))
        return await apart.do("small.pdf", len, "abc")

    assert done(lost, seconds=1) == 3


def test_cancelling_kills_the_process() -> None:
    before = children()

    async def cancelled(apart: Apart) -> None:
        working = asyncio.create_task(apart.do("a", exec, FOR_EVER))
        while children() <= before:
            await asyncio.sleep(0.01)
        working.cancel()
        with pytest.raises(asyncio.CancelledError):
            await working
        assert children() <= before

    done(cancelled)


def test_the_process_ends_with_a_parent_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = Path("/proc") / parent.stdout.readline().decode().strip()
        assert child.exists()
        parent.send_signal(signal.SIGKILL)
    while child.exists() and ") Z " not in (child / "stat").read_text():
        time.sleep(0.01)  # or the test runs out of time
