"""Processes that share work: started anew rather than forked, and ended with the one that started
them.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager


def cores() -> int:
    """The processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def undisturbed() -> Iterator[None]:
    """Keep Ctrl-C waiting, and away for good from processes that are started meanwhile: it is this
    process that ends them.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def follow_parent() -> None:
    """Prepare a new process: leave Ctrl-C to the one that started it, and end when that one is
    killed.
    """
    from multiprocessing import parent_process
    from multiprocessing.connection import wait
    from threading import Thread

    def follow() -> None:
        if (parent := parent_process()) is not None:
            wait([parent.sentinel])
            os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=follow, daemon=True).start()
