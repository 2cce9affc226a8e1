"""The evidence of an answer as a page shows it: how the studies stand to each other, the
plots.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from clinfo.evidence.balance import points
from clinfo.evidence.effect_words import number as figure
from clinfo.evidence.forest import MOST_ROWS, PlotGroup, drawable
from clinfo.evidence.included_studies import FLAGS, SILENT, designs, side_order
from clinfo.evidence.uncertainty import ABSTRACTS_ONLY
from clinfo.records.answer import Answer
from clinfo.records.appraisal import Balance, Effect, EvidenceRow
from clinfo.render.folded import doubt_in_words
from clinfo.text.printable import one_line
from clinfo.views.evidence import effect_text
from clinfo.views.wording import number

MOST_DOUBTS = 3
"""Reasons for doubt told beside the TL;DR."""
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
class Sure:
    """How sure an answer is: a word, and why."""

    word: str
    why: str


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


def strongest(answer: Answer) -> str:
    """The strongest source in a few words."""
    balance = answer.appraisal.balance
    lead = next(
        (row for row in answer.appraisal.rows if balance is not None and row.n == balance.lead),
        None,
    )
    if lead is None:
        return ""
    parts = [one_line(lead.design or "study of unstated design"), str(lead.year or "")]
    parts += [f"n = {lead.sample_size:,}" if lead.sample_size is not None else ""]
    parts += [f"level {lead.level} of 5" if lead.level is not None else ""]
    return ", ".join(part for part in parts if part)


def effect_sizes(answer: Answer) -> tuple[EffectSize, ...]:
    """The effect of the strongest study that answers the question and states one; where the
    strongest disagree, that of each side. Nothing is pooled.
    """
    balance = answer.appraisal.balance
    rows = [row for row in answer.appraisal.rows if row.effect and _answers(row, balance)]
    if balance is not None and balance.conflict is not None:
        sides = [[row for row in rows if row.n in ns] for _, ns in balance.conflict.sides]
        chosen = [side[0] for side in sides if side]
    else:
        chosen = rows[:1]
    return tuple(
        EffectSize(
            row.n,
            in_words(row.effect),
            effect_text(row.effect),
            one_line(row.outcome or ""),
        )
        for row in chosen
        if row.effect
    )


def others(answer: Answer) -> str:
    """The range of like effects, where the first of `effect_sizes` is a ratio that more studies
    state than are shown.
    """
    sizes = effect_sizes(answer)
    for group in drawable(answer.appraisal.rows):
        values = [row.effect.estimate for row in group.rows if row.effect]
        shown = sizes and sizes[0].n in {row.n for row in group.rows}
        if shown and group.scale == "ratio" and len(values) > len(sizes):
            return (
                f"{group.measure} {figure(min(values), 2)} to {figure(max(values), 2)} over all "
                "studies that state it"
            )
    return ""


def _answers(row: EvidenceRow, balance: Balance | None) -> bool:
    """Return whether the study is one that the balance counts on a side."""
    if row.unread or any(notice.kind in FLAGS for notice in row.notices):
        return False
    if balance is not None and balance.sides == "stance":
        return row.stance in ("supports", "contradicts", "mixed")
    return row.effect_direction != "unclear"


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


def how_sure(answer: Answer) -> Sure | None:
    """How far the answer can be relied on, from its verdicts, its balance and its doubts; it
    grades nothing. None before the appraisal.
    """
    appraisal = answer.appraisal
    if not appraisal.uncertainty:
        return None
    unsettled = appraisal.balance is not None and appraisal.balance.conflict is not None
    # That the strongest disagree stands first, and is what "not settled" says.
    doubts = [doubt_in_words(one) for one in appraisal.uncertainty[unsettled:]]
    told = "; ".join(doubts[:MOST_DOUBTS])
    more = len(doubts) - MOST_DOUBTS
    why = f"{told}; and {more} more" if more > 0 else told
    if answer.unverified:
        return Sure("Not verified", why)
    if unsettled:
        return Sure("The strongest studies disagree", why)
    if appraisal.uncertainty == (ABSTRACTS_ONLY,):
        balance = appraisal.balance
        shares = balance.shares if balance is not None else ()
        ways = {share.side for share in shares} - set(SILENT)
        if len(ways) > 1 or "mixed" in ways:
            return Sure("Mixed evidence", "the studies do not all point one way")
        return Sure("No reservation was found", "only abstracts were read")
    return Sure("With reservations", why)


def sides(answer: Answer) -> tuple[Side, ...]:
    """The studies by the way they point."""
    balance = answer.appraisal.balance
    if balance is None:
        return ()
    sides = []
    for way in sorted({share.side for share in balance.shares}, key=side_order):
        shares = [share for share in balance.shares if share.side == way]
        count = sum(share.studies for share in shares)
        told = [
            designs(share.studies, share.design)
            + (f" ({number(share.participants, 'participant')})" if share.participants else "")
            for share in shares
        ]
        numbers = tuple(sorted(n for share in shares for n in share.numbers))
        sides.append(
            Side(
                way,
                f"{count:,} {points(way, balance.sides, count)}",
                one_line("; ".join(told)),
                numbers,
            )
        )
    return tuple(sides)


def conflict(answer: Answer) -> tuple[Side, ...]:
    """The sides of the strong studies that disagree; none where they do not."""
    balance = answer.appraisal.balance
    if balance is None or balance.conflict is None:
        return ()
    return tuple(
        Side(way, points(way, balance.sides, len(numbers)), "", tuple(numbers))
        for way, numbers in balance.conflict.sides
    )


def differences(answer: Answer) -> tuple[str, ...]:
    """In what the sides of a conflict differ, in words."""
    balance = answer.appraisal.balance
    return (
        balance.conflict.differences if balance is not None and balance.conflict is not None else ()
    )


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
    """Pixels at a width of 960, from the room that `clinfo.evidence.forest` gives headings, rows
    and their outcomes.
    """
    lines = 1.7 * len({row.design for row in group.rows}) + 2.55 * min(len(group.rows), MOST_ROWS)
    return round(96 * (1.8 + 0.19 * lines))
