"""A text in pieces, some of them marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Marked:
    """A piece of a text; ``kind`` says in words why it is marked, None where it is not."""

    text: str
    kind: str | None = None


def marked(text: str, spans: Sequence[tuple[int, int]], kinds: Sequence[str]) -> list[Marked]:
    """``text`` in pieces, those at ``spans`` (code points) marked with ``kinds``; what overlaps or
    lies outside is cut to fit.
    """
    pieces, end = [], 0
    for (start, stop), kind in sorted(zip(spans, kinds, strict=True)):
        start, stop = max(start, end), min(stop, len(text))
        if start >= stop:
            continue
        if start > end:
            pieces.append(Marked(text[end:start]))
        pieces.append(Marked(text[start:stop], kind))
        end = stop
    if end < len(text):
        pieces.append(Marked(text[end:]))
    return pieces
