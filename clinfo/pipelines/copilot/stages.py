"""The stages of a tumour that texts name: what is said of one stage answers for no other."""

from __future__ import annotations

import re
from typing import Final

from clinfo.text.regex import anycase

_ONE: Final = r"(?:0|iv|i{1,3})(?:[a-c]\d?)?"
_NEXT: Final = rf"\s*(?:,|and|or|to|-|–|/|through)+\s*(?:stage\s+)?{_ONE}"
_NAMED = anycase(rf"\bstages?\s+{_ONE}(?:{_NEXT})*\b")
_NUMBER = anycase(r"\b(0|iv|i{1,3})(?:[a-c]\d?)?\b")
_ORDER: Final = ("0", "I", "II", "III", "IV")
_RANGE = anycase(r"\bto\b|-|–|\bthrough\b")
_SHORT: Final = 80
"""Characters up to which a last line without an end may be the next heading."""


def stages(text: str) -> frozenset[str]:
    """The stages that a text names, 0 and I to IV; IIIA is of III, and a range has all between."""
    found = set[str]()
    for match in _NAMED.finditer(text):
        own = [_ORDER.index(one.upper()) for one in _NUMBER.findall(match[0])]
        whole = range(min(own), max(own) + 1) if _RANGE.search(match[0]) else own
        found.update(_ORDER[at] for at in whole)
    return frozenset(found)


def of_other_stages(question: str, passage: str) -> bool:
    """Whether a passage names stages, and none of those that the question names."""
    asked, told = stages(question), stages(passage)
    return bool(asked and told) and not asked & told


def end_before_heading(text: str, start: int, end: int) -> int:
    """The end of a passage [start, end) of a text without the next part's heading in its last
    line.
    """
    lines = re.match(r"(?s)(.*\S)\s*\n\s*(\S[^\n]*?)\s*\Z", text[start:end])
    if lines is None or len(lines[2]) > _SHORT or lines[2][-1] in ".:;!?,)" or lines[2][0] in "-*•":
        return end
    return start + lines.end(1)
