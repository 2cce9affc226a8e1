"""Where a passage begins so that it can be understood alone: with what introduces the list it is
of, and with what its first words point back to.
"""

from __future__ import annotations

import re
from typing import Final

from clinfo.text.sentences import sentence_spans

FURTHEST: Final = 900
"""Characters that a beginning may be moved back."""
_READ: Final = 2 * FURTHEST
"""Characters before a passage that are read."""
_ITEM = re.compile(r"\s*[-•*–]\s")
_POINTS_BACK = re.compile(
    r"\s*(?:this|that|it|its|they|their|them|such|other|also|however|both|he|she|\(see"
    r"|some of (?:the|these)|(?:[\w-]+\s+){0,5}?(?:these|those(?! who)))\b",
    re.IGNORECASE,
)
_PARAGRAPH = re.compile(r"\n\s*\n")


def with_lead(text: str, start: int, end: int) -> tuple[int, int]:
    """The passage [start, end) of a text, moved back to the sentence that introduces its first
    words: the one before a list, whose end is a colon, or what a pronoun points to. Where that is
    further than `FURTHEST`, or there is none, it begins after the list, or stays.
    """
    spans = _before(text, start)
    at = start
    while spans and start - at <= FURTHEST and _needs(text, at):
        at = spans.pop()
    if start - at <= FURTHEST and not _needs(text, at):
        return at, end
    after = next((a for a in _sentences(text, start, end) if not _needs(text, a)), start)
    return after, end


def _needs(text: str, at: int) -> bool:
    """Whether what begins at a place is an item of a list or points back."""
    if _ITEM.match(text, at) is not None or _POINTS_BACK.match(text, at) is not None:
        return True
    before = text[max(0, at - 3) : at]
    return bool(re.search(r"[-•*–]\s$", before))


def _before(text: str, start: int) -> list[int]:
    """Where the sentences before a place begin, in its paragraph and in the line above a list."""
    first = max(0, start - _READ)
    breaks = [one.end() for one in _PARAGRAPH.finditer(text, first, start)]
    first = breaks[-1] if breaks else first
    return _sentences(text, first, start)


def _sentences(text: str, start: int, end: int) -> list[int]:
    return [start + a for a, _ in sentence_spans(text[start:end])]
