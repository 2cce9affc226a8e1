"""Reads what stands in one cell of a table: a number with what is written beside it."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from clinfo.lazy_dataclass import dataclass
from clinfo.text.regex import anycase, regex

Shape = Literal["plain", "percent", "spread", "share", "bracket", "of", "interval"]
"""``plain`` 12.3; ``percent`` 34 %; ``spread`` 9.2 ± 0.9; ``share`` 12 (34.3%); ``bracket`` 38.1
(9.5); ``of`` 12/35; ``interval`` 0.98 [0.5 to 1.4].
"""
NUMBER = (
    r"(?:[-−–‐‑+]?\s?(?:[1-9]\d{0,2}(?:,\d{3})+(?!\d)|\d{1,3}(?:[\s\u2009\u202f]\d{3})+(?![\d.])|\d+)"
    r"(?:[.·]\s?\d+|,\d{1,2}(?!\d)|(?<=\b0),\d+)?|[-−–]?\s?[.·]\d+)"
)
_UNIT = r"(?:\s?(?:%|[a-zµ²³/]{1,7}))?"
_MORE = r"(?:,?\s?[(\[][^()\[\]]*\d[^()\[\]]*[)\]])?"
"""A range, an interval or a size that stands behind."""
_MARK = r"(?:\^\S{1,8}|[*†‡§¶#$€⌘¤]+|(?<=\d)[a-h](?:,\s?[a-h])*(?![a-z]))"
_MARKS = regex(rf"\s*{_MARK}")
_PERCENT = regex(rf"[(\[]?{NUMBER}\s?%")
_SIGN = regex(r"[-−–‐‑]")
_COMMA = regex(r",(?=\d{1,2}$)|(?<=\b0),")
"""A comma that marks decimals."""
_SHAPES: tuple[tuple[Shape, re.Pattern[str]], ...] = (
    (
        "spread",
        anycase(
            rf"(?P<a>{NUMBER}){_UNIT}\s?(?:\(\s?)?(?:±|\+/?[-−–])\s?(?P<b>{NUMBER}){_UNIT}\s?\)?"
            rf"{_MORE}"
            rf"|(?P<a2>{NUMBER}){_UNIT}\s?[(\[,]\s?(?:SDs?|SEM?|s\.d\.|±)\s?[=:]?\s?±?\s?(?P<b2>{NUMBER})"
            rf"{_UNIT}\s?[)\]]?{_MORE}"
        ),
    ),
    ("share", regex(rf"(?P<a>{NUMBER})\s?[(\[/,;]\s?(?P<b>{NUMBER})\s?%\s?[)\]]?")),
    ("percent", regex(rf"[(\[]?\s?(?P<a>{NUMBER})\s?%\s?[)\]]?(?:\s?\(\s?(?P<n>{NUMBER})\s?\))?")),
    ("plain", regex(rf"[(\[]?\s?(?P<a>{NUMBER})\s?[)\]]?")),
    ("bracket", regex(rf"(?P<a>{NUMBER})\s?[(\[]\s?(?P<b>{NUMBER})\s?[)\]]{_MORE}")),
    (
        "of",
        regex(
            rf"(?P<a>{NUMBER})\s?(?:/|of|out of)\s?(?P<b>{NUMBER})"
            rf"(?:\s?[,(\[]?\s?{NUMBER}\s?%?\s?[)\]]?)?"
            rf"|{NUMBER}\s?%\s?[,(\[]\s?(?P<a2>{NUMBER})\s?(?:/|of|out of)\s?(?P<b2>{NUMBER})"
            rf"\s?[)\]]"
        ),
    ),
    (
        "interval",
        regex(
            rf"(?P<a>{NUMBER})\s?%?\s?[(\[]\s?(?:95\s?%\s?CI\s?[:,=]?\s?)?(?P<b>{NUMBER})\s?%?\s?"
            rf"(?:,|;|to|[-−–]|/)\s?(?P<c>{NUMBER})\s?%?\s?[)\]]"
            rf"|[(\[]?\s?(?P<b2>{NUMBER})\s?%?\s?(?:to|[,;–])\s?(?P<c2>{NUMBER})\s?%?\s?[)\]]?"
        ),
    ),
)


@dataclass(frozen=True)
class CellValue:
    """The numbers of a cell: ``first`` the value itself (nan where a cell holds an interval alone),
    ``second`` what stands beside it (a spread, a percentage, a whole, the lower end), ``third`` an
    upper end; ``bracketed`` where the whole cell is in brackets,
    ``percent`` where the value is written with a per cent sign.
    """

    shape: Shape
    first: float
    second: float | None = None
    third: float | None = None
    bracketed: bool = False
    percent: bool = False


@lru_cache(maxsize=8192)
def read_cell(text: str) -> CellValue | None:
    """The value of a cell, without its footnote marks; None where it holds no number alone."""
    clean = _MARKS.sub("", text).strip()
    if not clean or len(clean) > 60:
        return None
    for shape, pattern in _SHAPES:
        if (found := pattern.fullmatch(clean)) is None:
            continue
        groups = {name: _number(value) for name, value in found.groupdict().items() if value}
        first = groups.get("a", groups.get("a2"))
        second = groups.get("b", groups.get("b2", groups.get("n")))
        third = groups.get("c", groups.get("c2"))
        if shape == "percent" and second is not None:
            shape, first, second = "share", second, first
        value = float("nan") if first is None else first
        percent = _PERCENT.match(clean) is not None
        return CellValue(shape, value, second, third, clean[0] in "([", percent)
    return None


def _number(written: str) -> float:
    sign = -1 if _SIGN.match(written.strip()) else 1
    decimals = _COMMA.sub(".", written.replace("·", "."))
    return sign * float(re.sub(r"[^\d.]", "", decimals))
