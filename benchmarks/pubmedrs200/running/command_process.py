"""The process of an external system: asked one JSON line, listened to until it ends, and ended with
all that it started.

It is started without a shell and sees no environment but PATH, HOME, LANG and what its entry names.
What it writes is given back as it came; a process that does not end in time, fails, or writes
nothing or too much gave no answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from benchmarks.pubmedrs200.running.reaper import Reaper
from benchmarks.pubmedrs200.running.records import System

MAX_OUTPUT: Final = 16 * 1024 * 1024
"""Bytes of an answer: a JSON answer with all that was read has some hundred thousand."""
MAX_PROBLEM: Final = 200
ENDING: Final = 2.0
"""Seconds that a command which was ended is waited for."""
_KEPT: Final = ("PATH", "HOME", "LANG")
_STDERR_KEPT: Final = 8_192
_TRACEBACK: Final = "Traceback (most recent call last)"
_RAISED: Final = re.compile(r"[^\W\d][\w.]*(?::.*)?")
"""The line after a Python traceback that names what was raised, whatever it is called; those of the
traceback are indented.
"""
_EXCEPTION: Final = re.compile(
    r'(?:Exception in thread "[^"]*" |Uncaught )?[\w.]*(?:Error|Exception|Exit|Interrupt)(?::|$)'
)
"""As programs in Python, JavaScript and Java name what ended them."""


class Unusable(Exception):
    """The reason why a command's output is no answer, in one line."""


async def ask(system: System, folder: str, line: str, warden: Reaper) -> bytes:
    """Return what the command wrote when told ``line``. Raises Unusable.

    Its process group is ended whatever happens, to this process too.
    """
    environment = {
        name: os.environ[name] for name in (*_KEPT, *system.environment) if name in os.environ
    }
    pipe = asyncio.subprocess.PIPE
    warden.ready()
    try:
        process = await asyncio.create_subprocess_exec(
            *system.command,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            env=environment,
            cwd=folder,
            start_new_session=True,
        )
    except OSError as error:
        raise Unusable(
            f"{Path(system.command[0]).name} cannot be started: {error.strerror or 'unknown'}"
        ) from None
    warden.began(process.pid)
    said = _Tail()
    try:
        async with asyncio.timeout(system.timeout):
            _, output, _ = await asyncio.gather(
                _tell(process, line), _output(process), said.read(process)
            )
            status = await process.wait()
    except TimeoutError:
        if process.returncode is None:
            raise Unusable(f"it did not end within {system.timeout:g} s{said.last}") from None
        open_still = (
            "it ended, but something that it started kept its output open for more than "
            f"{system.timeout:g} s"
        )
        raise Unusable(f"{open_still}{said.last}") from None
    finally:
        _end(process)
        with contextlib.suppress(
            TimeoutError
        ):  # something that it started, and that left its group, may hold its output open
            async with asyncio.timeout(ENDING):
                await process.wait()
        warden.ended(process.pid)
    if status:
        raise Unusable(f"it ended with the exit status {status}{said.last}")
    if not output.strip():
        raise Unusable(f"it answered nothing{said.last}")
    return output


async def _tell(process: asyncio.subprocess.Process, line: str) -> None:
    assert process.stdin is not None
    with contextlib.suppress(
        ConnectionError
    ):  # a program that reads nothing may answer all the same
        process.stdin.write(line.encode() + b"\n")
        await process.stdin.drain()
        process.stdin.close()
        await process.stdin.wait_closed()


async def _output(process: asyncio.subprocess.Process) -> bytes:
    """Return what a command writes; one that writes too much is ended, and read to its end, since
    asyncio waits for that.
    """
    assert process.stdout is not None
    output, over = bytearray(), False
    while piece := await process.stdout.read(65_536):
        if not over:
            output += piece
        if len(output) > MAX_OUTPUT:
            output, over = bytearray(), True
            _end(process)
    if over:
        raise Unusable(f"it wrote more than {MAX_OUTPUT // 1024 // 1024} MB")
    return bytes(output)


class _Tail:
    """The end of what a command writes to its standard error."""

    def __init__(self) -> None:
        self._text = b""

    async def read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stderr is not None
        while piece := await process.stderr.read(65_536):
            self._text = (self._text + piece)[-_STDERR_KEPT:]

    @property
    def last(self) -> str:
        """``: `` and the exception with what follows it, else the last line, cut; "" where there is
        none.
        """
        lines = [line for line in self._text.decode(errors="replace").splitlines() if line.strip()]
        return f": {shown(' '.join(lines[_exception(lines) :]))}" if lines else ""


def _exception(lines: Sequence[str]) -> int:
    """The place of the line that names the last exception: messages may go on over further lines.
    Else the last.
    """
    traces = [place for place, line in enumerate(lines) if line.startswith(_TRACEBACK)]
    if traces:
        for place in range(traces[-1] + 1, len(lines)):
            if _RAISED.fullmatch(lines[place]):
                return place
    return next(
        (place for place in reversed(range(len(lines))) if _EXCEPTION.match(lines[place])),
        len(lines) - 1,
    )


def _end(process: asyncio.subprocess.Process) -> None:
    """End a process with all that it started, where the system can."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        elif process.returncode is None:
            process.kill()


def shown(text: str) -> str:
    """Return what a program wrote, in one line that can be printed, cut."""
    text = " ".join(
        "".join(character if character.isprintable() else " " for character in text).split()
    )
    return text if len(text) <= MAX_PROBLEM else text[: MAX_PROBLEM - 1] + "…"
