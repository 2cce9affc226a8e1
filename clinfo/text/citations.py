"""Bracket numbers in a text: [1], [1,2], [1-3], [1; 3–5]."""

from __future__ import annotations

import re
from collections.abc import Iterable

from clinfo.lazy_dataclass import dataclass
from clinfo.text.regex import regex

CITATION = regex(r"\[\s?\d{1,3}(?:\s?[,;–—‑−-]\s?\d{1,3})*\s?\]")
_STATISTIC_BEFORE = regex(r"\b(?:CI|IQR|CrI|UI|range|interval)[\s:,=]*\Z")
_NUMBER = regex(r"\d+")


@dataclass(frozen=True)
class Mark:
    """A bracket at [start, end) of the text, with the numbers it names; a range stands for all the
    numbers in it.
    """

    start: int
    end: int
    numbers: tuple[int, ...]


def citation_marks(text: str) -> tuple[Mark, ...]:
    """The citations of ``text``, in order. Two numbers in brackets right after a word like CI are
    an interval instead.
    """
    found = (match for match in CITATION.finditer(text) if not _is_interval(text, match))
    return tuple(Mark(match.start(), match.end(), _numbers(match.group())) for match in found)


def brackets(numbers: Iterable[int]) -> str:
    """The numbers as citations: "[1], [4]"."""
    return ", ".join(f"[{number}]" for number in numbers)


def _is_interval(text: str, bracket: re.Match[str]) -> bool:
    """Return whether the bracket holds the two ends of an interval: "IQR [12-45]", "95 % CI [3,
    8]".
    """
    before = text[max(0, bracket.start() - 12) : bracket.start()]
    return (
        len(_NUMBER.findall(bracket.group())) == 2 and _STATISTIC_BEFORE.search(before) is not None
    )


def _numbers(bracket: str) -> tuple[int, ...]:
    numbers: list[int] = []
    after_dash = False
    for piece in re.findall(r"\d+|[–—‑−-]", bracket):
        if not piece.isdigit():
            after_dash = True
            continue
        number = int(piece)
        if after_dash and numbers and numbers[-1] < number:
            numbers.extend(range(numbers[-1] + 1, number))
        numbers.append(number)
        after_dash = False
    return tuple(dict.fromkeys(numbers))
