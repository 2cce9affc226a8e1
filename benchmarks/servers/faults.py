"""Faults of a scripted server, drawn from a seed so that a run can be repeated."""

from __future__ import annotations

import random
import threading
from dataclasses import dataclass, field
from typing import Literal, get_args

Fault = Literal["none", "429", "500", "hang", "cut", "empty", "html"]
FAULTS: tuple[Fault, ...] = get_args(Fault)


@dataclass
class Faults:
    """Share of requests (0 to 1 each, together at most 1) that go wrong in each way.

    ``cut`` sends part of the body and closes the connection, ``hang`` sends nothing for
    ``hang_seconds``, ``html`` is a web page with status 200. The n-th request to arrive gets the
    n-th draw, whichever it is.
    """

    rate_429: float = 0
    rate_500: float = 0
    hang: float = 0
    cut: float = 0
    empty: float = 0
    html: float = 0
    hang_seconds: float = 60
    seed: int = 0
    _random: random.Random = field(init=False, repr=False, compare=False)
    _lock: threading.Lock = field(
        default_factory=threading.Lock, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        if min(self._shares()) < 0 or sum(self._shares()) > 1:
            raise ValueError("shares of faults must not be negative and must sum to at most 1")
        self._random = random.Random(self.seed)

    def draw(self) -> Fault:
        """Return what happens to the next request; safe to call from any thread."""
        with self._lock:
            left = self._random.random()
        for fault, share in zip(FAULTS[1:], self._shares(), strict=True):
            if left < share:
                return fault
            left -= share
        return "none"

    def _shares(self) -> tuple[float, ...]:
        return (self.rate_429, self.rate_500, self.hang, self.cut, self.empty, self.html)
