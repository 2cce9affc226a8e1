"""What each step of a retrieval was given and kept, so that recall at each can be measured."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """A step with the ids of the passages that went in and came out, in order."""

    name: str
    given: tuple[str, ...]
    kept: tuple[str, ...]


Report = Callable[[Step], None]
"""Is told each step as it is done."""


def recall(steps: Iterable[Step], wanted: Collection[str]) -> dict[str, float]:
    """By step, the share of the passages wanted that it kept; 1 where none is wanted."""
    sought = set(wanted)
    return {
        step.name: len(sought & set(step.kept)) / len(sought) if sought else 1.0 for step in steps
    }
