"""Limits of a host for its callers: calls a minute and at a time."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from clinfo.errors import ServiceError

MINUTE = 60.0


class TooManyCalls(ServiceError):
    """The host's limit of calls is reached; a later call may be taken."""


class Gate:
    """Lets in so many calls a minute, and so many at a time; a call that is not let in waits for
    nothing.
    """

    def __init__(
        self, a_minute: int, at_once: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._a_minute, self._at_once, self._clock = a_minute, at_once, clock
        self._begun: deque[float] = deque()
        self._running = 0

    @contextmanager
    def entered(self) -> Iterator[None]:
        """A place for a call. Raises TooManyCalls."""
        now = self._clock()
        while self._begun and self._begun[0] <= now - MINUTE:
            self._begun.popleft()
        if len(self._begun) >= self._a_minute:
            wait = int(self._begun[0] + MINUTE - now) + 1
            raise TooManyCalls(
                f"this server takes {self._a_minute:,} calls a minute; call again in {wait} s",
                retryable=True,
            )
        if self._running >= self._at_once:
            raise TooManyCalls(
                f"this server works on {self._at_once:,} calls at a time; call again when one has "
                "ended",
                retryable=True,
            )
        self._begun.append(now)
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1
