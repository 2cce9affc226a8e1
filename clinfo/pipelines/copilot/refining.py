"""Passages made short before the agent sees them, without losing where they stand."""

from __future__ import annotations

from typing import Final

from clinfo.text.sentences import sentence_spans
from clinfo.text.terms import is_content, stem, words

MOST: Final = 900
"""Characters of a passage that are shown, about 200 tokens; a single sentence may be longer."""


def refined(text: str, start: int, end: int, query: str, most: int = MOST) -> tuple[int, int]:
    """The run of whole sentences within [start, end) of ``text`` that names most of a query's
    words, at most ``most`` characters; of equal ones the longest, then the first.
    """
    if end - start <= most:
        return start, end
    spans = [(start + a, start + b) for a, b in sentence_spans(text[start:end])]
    wanted = _stems(query)
    held = [_stems(text[a:b]) & wanted for a, b in spans]
    best, place = (-1, -1), (start, min(end, start + most))
    for first, (a, _) in enumerate(spans):
        named: set[str] = set()
        for last in range(first, len(spans)):
            b = spans[last][1]
            if b - a > most and last > first:
                break
            named |= held[last]
            if (len(named), b - a) > best:
                best, place = (len(named), b - a), (a, b)
    return place[0], min(place[1], place[0] + 2 * most)


def _stems(text: str) -> set[str]:
    return {stem(word) for word in words(text) if is_content(word)}
