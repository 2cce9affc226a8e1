"""Upper bounds of durations that a busy machine does not break."""

from __future__ import annotations

from collections.abc import Callable


def until_below(bound: float, measure: Callable[[], float], tries: int = 10) -> list[float]:
    """What ``measure`` gives in seconds, again until one is below ``bound`` or there are ``tries``.

    A machine that stands still makes some durations longer and none shorter; a fault that costs time makes all of them longer.
    """
    found: list[float] = []
    while len(found) < tries and (not found or found[-1] >= bound):
        found.append(measure())
    return found
