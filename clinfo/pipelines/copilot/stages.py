"""The stages of a tumour that texts name: what is said of one stage answers for no other."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from clinfo.pipelines.copilot.refining import MOST
from clinfo.text.regex import anycase

_ONE: Final = r"(?:0|iv|i{1,3})(?:[a-c]\d?)?"
_NEXT: Final = rf"\s*(?:,|and|or|to|-|–|/|through)+\s*(?:stage\s+)?{_ONE}"
_NAMED = anycase(rf"\bstages?\s+{_ONE}(?:{_NEXT})*\b")
_NUMBER = anycase(r"\b(0|iv|i{1,3})(?:[a-c]\d?)?\b")
_ORDER: Final = ("0", "I", "II", "III", "IV")
_RANGE = anycase(r"\bto\b|-|–|\bthrough\b")
_LETTERED = anycase(rf"\b(?:in\s+)?stage\s+({_ONE})\b")
_SHORT: Final = 80
"""Characters up to which a last line without an end may be the next heading."""


_CAME_BACK = anycase(
    r"\b(?:has |have |had |is |are )?(?:c[ao]m(?:e|es|ing) back|returned|reappeared)\b"
    r"(?!\s+to\b)(?:\s+again\b)?"
    r"(?:\s+(?:after|following|despite)\s+[\w-]+(?:\s+(?:and|plus|with)\s+[\w-]+)?)?"
)
"""With what it came back after, which is not what is looked for: remission, a medicine."""


def in_words_of_pages(query: str) -> str:
    """A query with the words for what "came back" that pages have: recurrent, relapsed."""
    return _CAME_BACK.sub("is recurrent or relapsed", query)


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


def described(question: str, text: str) -> tuple[int, int] | None:
    """Where a text describes the one stage that a question names ("In stage IIIB, …", else "In
    stage III, …"), up to the next stage by number; None where it does not.
    """
    named = {one.upper() for one in _LETTERED.findall(question)}
    if len(named) != 1 or len(stages(question)) != 1:
        return None
    (number,) = stages(question)
    for stage in (*named, number):
        begin = re.search(rf"(?i)\b(?:stage {stage} )?in stage {stage}\b(?! and| or)", text)
        if begin is not None:
            further = _LETTERED.finditer(text, begin.end())
            ends = (one.start() for one in further if number not in stages(one[0]))
            return begin.start(), min(next(ends, len(text)), begin.start() + MOST)
    return None


def not_described(question: str, texts: Iterable[str]) -> str:
    """The stage with a letter that a question names and none of some texts does; "" where none."""
    held = {one.upper() for text in texts for one in _LETTERED.findall(text)}
    asked = (one.upper() for one in _LETTERED.findall(question) if re.search("(?i)[a-c]", one))
    return next((one for one in asked if one not in held), "")


def end_before_heading(text: str, start: int, end: int) -> int:
    """The end of a passage [start, end) of a text without the next part's heading in its last
    line.
    """
    lines = re.match(r"(?s)(.*\S)\s*\n\s*(\S[^\n]*?)\s*\Z", text[start:end])
    if lines is None or len(lines[2]) > _SHORT or lines[2][-1] in ".:;!?,)" or lines[2][0] in "-*•":
        return end
    return start + lines.end(1)
