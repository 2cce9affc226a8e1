"""The next free moment of a service, as one process knows it by itself."""

from __future__ import annotations

import math
import time
from typing import Protocol

LATE = 0.02
"""Seconds that a caller may wake too late without the next one being moved for it."""


class RateClock(Protocol):
    """The next free moment of a service, on the clock of `time.monotonic`. Called by one thread at
    a time.
    """

    def take(self, space: float) -> float:
        """0.0 where the moment has come, and the next is then set (`following`); else the seconds
        until it comes.
        """

    def push(self, seconds: float) -> None:
        """Move it to at least ``seconds`` from now."""


def following(moment: float, now: float, space: float) -> float:
    """The free moment after one taken ``now``, which had come at ``moment``.

    Being late counts for at most `LATE`, so any k + 1 requests take at least k spaces less `LATE`,
    however callers wake up.
    """
    return max(moment, now - LATE) + space


class OwnMoment:
    """The next free moment as this process knows it."""

    def __init__(self) -> None:
        self._next = -math.inf

    def take(self, space: float) -> float:
        now = time.monotonic()
        if self._next > now:
            return self._next - now
        self._next = following(self._next, now, space)
        return 0.0

    def push(self, seconds: float) -> None:
        self._next = max(self._next, time.monotonic() + seconds)
