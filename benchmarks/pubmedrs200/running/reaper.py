"""A small process beside a worker that ends the worker's commands when the worker is gone, however
it went.

It reads ``+GROUP`` and ``-GROUP``, process groups that began and ended, a line each, and at the end
of its input kills those left.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys


class Reaper:
    """Tells the process of commands under way; it is started before the first. Does nothing where
    there are no process groups.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def ready(self) -> None:
        """Start the process before the first command, so that it is told of that at once."""
        if not hasattr(os, "killpg"):
            return
        if self._process is None:
            command = [sys.executable, "-I", "-S", __file__]
            nowhere = subprocess.DEVNULL
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=nowhere,
                stderr=nowhere,
                bufsize=0,
                start_new_session=True,
            )

    def began(self, group: int) -> None:
        """A command runs in this process group."""
        self._tell(f"+{group}\n")

    def ended(self, group: int) -> None:
        """It is over, with all that it started in its group."""
        self._tell(f"-{group}\n")

    def _tell(self, line: str) -> None:
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(
                BrokenPipeError
            ):  # somebody killed it; commands then run to their end after a kill of ours
                self._process.stdin.write(line.encode())


def watch() -> None:
    """Read to the end of the standard input, then kill what is left."""
    running: set[int] = set()
    for line in sys.stdin:
        (running.add if line.startswith("+") else running.discard)(int(line[1:]))
    for group in running:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    watch()
