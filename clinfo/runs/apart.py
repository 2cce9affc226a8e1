"""Work on what came from outside, in a process of its own: one that can be killed, with limits on
memory and time.

The process runs `main`. It takes a function and its arguments on stdin and answers on stdout, as
pickles; it ends when either end is gone. It keeps a run alive, and is no sandbox.
"""

from __future__ import annotations

import asyncio
import ctypes
import math
import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TypeVar

from clinfo.errors import ClinfoError, RecordError
from clinfo.runs.engine import internal

T = TypeVar("T")

MOST_MEMORY: Final = 1_000_000_000
"""Bytes of addresses that the process may use (Linux)."""
MOST_SECONDS: Final = 60
"""Seconds of a processor that one work may take, however busy the machine is."""
_PR_SET_PDEATHSIG = 1


class Apart:
    """The process of one run, started at the first work, and again after it was lost. A work may
    take ``seconds``.
    """

    def __init__(self, seconds: int = MOST_SECONDS) -> None:
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._turn = asyncio.Lock()

    async def do(self, name: str, work: Callable[..., T], *given: Any) -> T:
        """Return what ``work``, a function of a module, gives in the process, one after the other.

        When it is cancelled the process is killed. Raises the ClinfoError that the work raises, and
        RecordError, which begins with ``name``, where it asks for more than it may.
        """
        async with self._turn:
            try:
                self._process = self._process or _started(self._seconds)
                answer = await asyncio.to_thread(_exchanged, self._process, (work, given))
            except (OSError, EOFError, pickle.UnpicklingError):
                self.close()
                most = f"{self._seconds} s and {MOST_MEMORY / 1e9:g} GB of memory"
                raise RecordError(f"{name}: could not be read within {most}") from None
            except BaseException:
                self.close()
                raise
        if isinstance(answer, _Fault):
            raise RecordError(f"{name}: {answer}")
        if isinstance(answer, ClinfoError):
            raise answer
        return answer  # type: ignore[no-any-return]

    def close(self) -> None:
        """Kill the process, whatever it does."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                assert pipe is not None
                pipe.close()


class _Fault(ClinfoError):
    """A fault of ours in a work."""


def _started(seconds: int) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    code = f"from {__name__} import main; main({os.getpid()}, {seconds})"
    command = [sys.executable, "-P", "-c", code]
    pipe = subprocess.PIPE
    return subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=environment
    )


def _exchanged(process: subprocess.Popen[bytes], job: object) -> Any:
    assert process.stdin is not None
    assert process.stdout is not None
    pickle.dump(job, process.stdin, pickle.HIGHEST_PROTOCOL)
    process.stdin.flush()
    return pickle.load(process.stdout)


# What the process does


def main(parent: int, seconds: int) -> None:
    """Do one work after the other, each within ``seconds``, until ``parent`` has no more or is
    gone.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is told, and ends this process
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            return
    source, target = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr  # a stray print must not get between the answers
    with suppress(EOFError, BrokenPipeError):
        while True:
            work, given = pickle.load(source)
            _limit(math.ceil(time.process_time()) + seconds)
            pickle.dump(_done(work, given), target, pickle.HIGHEST_PROTOCOL)
            target.flush()


def _done(work: Callable[..., object], given: tuple[object, ...]) -> object:
    try:
        return work(*given)
    except ClinfoError as error:
        return error
    except (MemoryError, RecursionError):
        raise SystemExit(1) from None
    except Exception as error:
        return _Fault(str(internal(error)))


def _limit(seconds: int) -> None:
    """Let the process take so many seconds of a processor in all; then it is killed."""
    if sys.platform == "win32":
        return
    import resource

    limits = {resource.RLIMIT_CPU: seconds, resource.RLIMIT_CORE: 0}
    if sys.platform == "linux":
        limits[resource.RLIMIT_AS] = MOST_MEMORY
    for which, most in limits.items():
        hard = resource.getrlimit(which)[1]
        resource.setrlimit(which, (most if hard < 0 else min(most, hard), hard))
