"""Contrasts: what the figures of a sentence say of a difference between two arms, without its
words.

A p value, a ratio or difference with its interval, and two values set side by side ("12.3 vs 8.1",
"12.3 in A and 8.1 in B").
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from clinfo.lazy_dataclass import dataclass
from clinfo.text.figures import NumericExpression, find_figures
from clinfo.text.regex import anycase, regex

LEVEL = Decimal("0.05")
"""The level of significance that a p value is read by."""
_VALUES = frozenset({"percent", "spread", "quantity", "number", "count", "proportion"})
_BETWEEN = anycase(
    r"\b(?:vs?\.?|versus|compared\s(?:with|to)|as\scompared|against|and|than|whereas|while|but|"
    r"in\scontrast|respectively)(?!\w)|/|,"
)
_LISTED = regex(
    r"\s?(?:[^\s\w]{1,2}|\([^()]{0,30}\)[,;]?)?\s?(?:,|;|and|or|vs\.?|versus)?\s?(?:and\s)?"
)
_FAR = 110
"""Most characters between two values that are set side by side."""
_CHANGE_OVER_TIME = anycase(r"\bfrom\s[^.;]{0,40}$")
_NOT_SIGNIFICANT = anycase(
    r"\bp\s?(?:=|:)?\s?(?:NS|n\.s\.|not\ssignificant)|\(\s?NS\s?\)(?!\sgroup)|\bn\.s\."
)


@dataclass(frozen=True)
class Contrast:
    """The statement of numbers at ``start`` of a sentence.

    "significant" and "alike" come of p values and intervals; "up" and "down" of a ratio or
    difference, whose sign is that of the first arm against the second; "first higher" and "first
    lower" of two values side by side, the second at ``other``.
    """

    start: int
    says: Literal["significant", "alike", "up", "down", "first higher", "first lower"]
    other: int = -1


@lru_cache(maxsize=4096)
def contrasts(sentence: str) -> tuple[Contrast, ...]:
    """The contrasts that the figures of a sentence state, in order."""
    figures = find_figures(sentence)
    found = [*_p_values(sentence, figures), *_estimates(figures), *_pairs(sentence, figures)]
    return tuple(sorted(found, key=lambda contrast: contrast.start))


def _p_values(sentence: str, figures: tuple[NumericExpression, ...]) -> Iterator[Contrast]:
    for match in _NOT_SIGNIFICANT.finditer(sentence):
        yield Contrast(match.start(), "alike")
    for figure in figures:
        if figure.kind != "p value":
            continue
        value = figure.values[0]
        if figure.comparator in (">", "≥"):
            if value >= Decimal("0.01"):
                yield Contrast(figure.start, "alike")
        elif value < LEVEL or (value == LEVEL and figure.comparator in ("<", "≤")):
            yield Contrast(figure.start, "significant")
        elif figure.comparator == "=" or value > Decimal("0.1"):
            yield Contrast(figure.start, "alike")


def _estimates(figures: tuple[NumericExpression, ...]) -> Iterator[Contrast]:
    for place, figure in enumerate(figures):
        following = figures[place + 1] if place + 1 < len(figures) else None
        held = (
            following if following is not None and following.kind in ("interval", "range") else None
        )
        if held is not None and held.start - figure.end > 30:
            held = None
        if figure.kind in ("ratio", "difference") and figure.measure not in (
            "AUC",
            "NNT",
            "NNH",
            "RRR",
        ):
            null = Decimal(1) if figure.kind == "ratio" else Decimal(0)
            if held is not None and min(held.values) <= null <= max(held.values):
                yield Contrast(figure.start, "alike")
            elif figure.values[0] != null:
                if held is not None:
                    yield Contrast(figure.start, "significant")
                yield Contrast(figure.start, "up" if figure.values[0] > null else "down")
        elif (
            held is not None
            and held.kind == "interval"
            and figure.kind in _VALUES
            and len(figure.values) == 1
        ):
            low, high = min(held.values), max(held.values)
            if low < 0 < high:
                yield Contrast(figure.start, "alike")
            elif high < 0:
                yield Contrast(figure.start, "significant")
                yield Contrast(figure.start, "down")


def _pairs(sentence: str, figures: tuple[NumericExpression, ...]) -> Iterator[Contrast]:
    percents = {figure.start for figure in figures if figure.kind == "percent"}
    values = [
        figure
        for figure in figures
        if figure.kind in _VALUES and not _has_percent(figure, percents)
    ]
    paired = -1
    for run in _runs(sentence, values):
        one, other = _size(run[0]), _size(run[-1])
        paired = run[-1].start
        if one != other:
            yield Contrast(run[0].start, "first higher" if one > other else "first lower", paired)
    for first, second in pairwise(values):
        gap = sentence[first.end : second.start]
        if first.start <= paired or len(gap) > _FAR or _BETWEEN.search(gap) is None or ". " in gap:
            continue
        if first.unit != second.unit and first.unit is not None and second.unit is not None:
            continue
        if first.kind != second.kind and "spread" in (first.kind, second.kind):
            continue
        if _CHANGE_OVER_TIME.search(sentence, max(0, first.start - 45), first.start):
            continue
        one, other = _size(first), _size(second)
        if one != other:
            paired = second.start
            yield Contrast(
                first.start, "first higher" if one > other else "first lower", second.start
            )


def _runs(sentence: str, values: list[NumericExpression]) -> Iterator[list[NumericExpression]]:
    """Lists of three and more values of one kind: "53.9, 54.2 and 35.3"."""
    run: list[NumericExpression] = []
    for figure in values:
        gap = sentence[run[-1].end : figure.start] if run else ""
        if run and (figure.kind != run[-1].kind or _LISTED.fullmatch(gap) is None):
            if len(run) > 2:
                yield run
            run = []
        run.append(figure)
    if len(run) > 2:
        yield run


def _has_percent(figure: NumericExpression, percents: set[int]) -> bool:
    """Return whether a proportion or count has its per cent beside it: "30/50 (60 %)" is one value,
    not two.
    """
    return figure.kind in ("proportion", "count", "number") and any(
        figure.end + gap in percents for gap in range(4)
    )


def _size(figure: NumericExpression) -> Decimal:
    if figure.kind == "proportion" and figure.values[1]:
        return figure.values[0] / figure.values[1]
    return figure.values[0]
