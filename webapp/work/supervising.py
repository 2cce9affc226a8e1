"""Child processes that belong together: started, started again when they die, stopped together."""

import ctypes
import logging
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

logger = logging.getLogger(__name__)

FIRST_PAUSE, LONGEST_PAUSE = 0.2, 30.0
"""Seconds before a child that died is started again; doubled each time until it has lived for
`STEADY_SECONDS`.
"""
STEADY_SECONDS = 30.0
STOP_SECONDS = 20.0
"""Longest that a child may take to end when it is asked to; then it is killed."""
CANNOT_START = 2
"""Exit status of a child that cannot work as it is set up: starting it again would change
nothing.
"""
GUNICORN_CANNOT_START = (3, 4)
"""The exit statuses of gunicorn where a web process failed to boot, or could not load the app."""
_POLL_SECONDS = 0.1
_PR_SET_PDEATHSIG = 1


@dataclass
class Child:
    """A command under a name. ``pass_fds`` are open files that it inherits.

    ``hopeless`` are further exit statuses that mean `CANNOT_START` where it ends with them soon
    after its start: who has lived for `STEADY_SECONDS` can work as it is set up.
    """

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    pass_fds: tuple[int, ...] = ()
    hopeless: tuple[int, ...] = ()
    process: subprocess.Popen[bytes] | None = None
    began: float = 0.0
    due: float = 0.0
    pause: float = FIRST_PAUSE

    def start(self) -> None:
        self.began = time.monotonic()
        self.process = subprocess.Popen(
            list(self.command),
            env=dict(self.environment),
            pass_fds=self.pass_fds,
            preexec_fn=_end_with_parent if sys.platform == "linux" else None,
        )

    def cannot_start(self, ended: int) -> bool:
        """Return whether this exit status means that starting it again would change nothing."""
        return ended == CANNOT_START or (
            ended in self.hopeless and time.monotonic() - self.began < STEADY_SECONDS
        )


def supervise(
    children: Sequence[Child], stop: threading.Event, sleep: Callable[[float], object] = time.sleep
) -> int:
    """Keep ``children`` running until ``stop`` is set; the exit status: 0 where all ended as they
    should.

    Where a child says that it cannot work (`CANNOT_START`), all are stopped, and that is the
    status.
    """
    for child in children:
        child.start()
    status = 0
    while not stop.is_set() and status == 0:
        for child in children:
            if child.process is None:
                if time.monotonic() >= child.due:
                    child.start()
            elif (ended := child.process.poll()) is not None:
                if child.cannot_start(ended):
                    if ended != CANNOT_START:
                        logger.error(
                            "%s cannot start (status %d); all is stopped", child.name, ended
                        )
                    status = CANNOT_START
                    break
                _start_later(child, ended)
        sleep(_POLL_SECONDS)
    return max(status, _stopped(children))


def _start_later(child: Child, ended: int) -> None:
    if time.monotonic() - child.began >= STEADY_SECONDS:
        child.pause = FIRST_PAUSE
    logger.warning(
        "%s ended with status %d; starting it again in %g s", child.name, ended, child.pause
    )
    child.process = None
    child.due = time.monotonic() + child.pause
    child.pause = min(2 * child.pause, LONGEST_PAUSE)


def _stopped(children: Sequence[Child]) -> int:
    """Ask all to end, kill what does not; 1 where one had to be killed or did not end well."""
    running = [child for child in children if child.process is not None]
    for child in running:
        assert child.process is not None
        with suppress(ProcessLookupError):
            child.process.terminate()
    deadline = time.monotonic() + STOP_SECONDS
    status = 0
    for child in running:
        assert child.process is not None
        try:
            ended = child.process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            logger.warning("%s did not end and was killed", child.name)
            child.process.kill()
            ended = child.process.wait()
        if ended not in (0, -signal.SIGTERM, -signal.SIGINT, CANNOT_START):
            status = 1
    return status


def _end_with_parent() -> None:
    """Have the kernel stop this child when the supervisor is killed, so that no orphan keeps the
    port.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
