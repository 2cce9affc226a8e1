"""The evidence of an answer as a page shows it: how the studies stand to each other, the
plots.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from clinfo.evidence import CONCERN, MOST_ROWS, WORDS, PlotGroup, counted, drawable
from clinfo.records import Answer, Effect, EvidenceRow
from clinfo.text import one_line
from clinfo.views import effect_text, number

_OF = {"RR": "risk", "OR": "odds", "HR": "hazard", "IRR": "rate"}
"""What a ratio compares, by its measure."""


@dataclass(frozen=True)
class Side:
    """The studies that point one way."""

    way: str
    text: str
    detail: str
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class EffectSize:
    """What study ``n`` found on an outcome: in words ("" where its figures have none) and as it is
    stated.
    """

    n: int
    words: str
    stated: str
    outcome: str


@dataclass(frozen=True)
class PlotTable:
    """A plot's numbers in words, for those who do not see it; ``rows`` are number, study, outcome,
    effect.

    ``height`` is about how many pixels it takes at a width of 960, so that the page keeps room for
    it.
    """

    number: int
    title: str
    alt: str
    height: int
    rows: tuple[tuple[int, str, str, str], ...]


def effect_sizes(answer: Answer) -> tuple[EffectSize, ...]:
    """The effect of the strongest study that measured what is asked and states one; nothing is
    pooled.
    """
    row = next((one for one in answer.appraisal.rows if one.effect and _measured(one)), None)
    if row is None or row.effect is None:
        return ()
    words, figures = in_words(row.effect), effect_text(row.effect)
    return (EffectSize(row.n, words, figures, one_line(row.outcome or "")),)


def _measured(row: EvidenceRow) -> bool:
    """Return whether the study counts among those that measured what is asked."""
    concern = any(notice.kind in CONCERN for notice in row.notices)
    return not row.unread and not concern and row.result != "not measured"


def in_words(effect: Effect) -> str:
    """A ratio as a clinician says it; of an interval that reaches no effect only that it does."""
    none = 1.0 if effect.scale == "ratio" else 0.0
    if effect.scale == "values":
        return ""
    if effect.low is not None and effect.high is not None and effect.low <= none <= effect.high:
        return "no clear difference"
    percent = abs(effect.estimate - 1) * 100
    if effect.measure not in _OF or not 0.5 <= percent < 100:
        return ""
    return f"{percent:.0f} % {'lower' if effect.estimate < 1 else 'higher'} {_OF[effect.measure]}"


def sides(answer: Answer) -> tuple[Side, ...]:
    """The studies by their result; in runs of older versions by stance or direction."""
    balance = answer.appraisal.balance
    if balance is None:
        return ()
    shown = []
    for way in dict.fromkeys(share.side for share in balance.shares):
        shares = [share for share in balance.shares if share.side == way]
        told = one_line("; ".join(counted(share.studies, share.design) for share in shares))
        numbers = tuple(sorted(n for share in shares for n in share.numbers))
        words = WORDS.get(way, way)  # type: ignore[call-overload]
        shown.append(Side(way, f"{len(numbers):,} {words}", told, numbers))
    return tuple(shown)


def plot_tables(answer: Answer, short: Mapping[int, str]) -> tuple[PlotTable, ...]:
    """The plots that can be drawn, by number, with their figures."""
    plots = []
    for place, group in enumerate(drawable(answer.appraisal.rows), 1):
        rows = tuple(
            (row.n, short.get(row.n, ""), one_line(row.outcome or ""), effect_text(row.effect))
            for row in group.rows
            if row.effect
        )
        studies = number(len(rows), "study", "studies")
        alt = (
            f"{one_line(group.title)} with intervals, {studies}; the table below gives the same "
            "numbers."
        )
        plots.append(PlotTable(place, one_line(group.title), alt, _height(group), rows))
    return tuple(plots)


def _height(group: PlotGroup) -> int:
    """Pixels at a width of 960, from the room that `clinfo.evidence.plot` gives headings, rows and
    their outcomes.
    """
    lines = 1.45 * len({row.design for row in group.rows}) + 2.35 * min(len(group.rows), MOST_ROWS)
    return round(115 * (2.2 + 0.19 * lines))
