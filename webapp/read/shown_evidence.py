"""The evidence of an answer as a page shows it: how the studies stand to each other, the
plots.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from clinfo.evidence.balance import points
from clinfo.evidence.forest import MOST_ROWS, PlotGroup, drawable
from clinfo.evidence.included_studies import designs, side_order
from clinfo.records.answer import Answer
from clinfo.text.printable import one_line
from clinfo.views.evidence import effect_text
from clinfo.views.wording import number


@dataclass(frozen=True)
class Side:
    """The studies that point one way."""

    way: str
    text: str
    detail: str
    numbers: tuple[int, ...]


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
