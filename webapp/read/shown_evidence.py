"""The evidence of an answer as a page shows it: how the studies stand to each other, the table, the
plots, the notices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from clinfo.evidence.balance import points
from clinfo.evidence.forest import MOST_ROWS, PlotGroup, drawable
from clinfo.evidence.included_studies import designs, led, side_order
from clinfo.records.answer import Answer
from clinfo.records.appraisal import EvidenceRow
from clinfo.records.articles import Article
from clinfo.render.evidence import effect_text, finding_of, flags_of
from clinfo.text.printable import one_line
from clinfo.views.wording import number

ARROWS = {"increased": "↑", "decreased": "↓", "no difference": "↔", "mixed": "↕", "unclear": "?"}
ANSWERS = {
    "supports": "supports the claim",
    "contradicts": "contradicts the claim",
    "mixed": "is mixed",
    "other outcomes": "other outcomes",
}


@dataclass(frozen=True)
class Side:
    """The studies that point one way."""

    way: str
    text: str
    detail: str
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class ShownRow:
    """A row of the evidence table; "" or None where the abstract does not say.

    ``way`` is how the study answers the question where the studies are counted so, else the
    direction of its effect, which alone has an ``arrow``: that an effect "increased" beside the
    question whether something lowers it would be misread. ``also`` are the citation numbers of
    further reports of the study.
    """

    n: int
    short: str
    finding: str
    design: str
    year: int | None
    level: int | None
    level_reason: str
    size: int | None
    population: str
    intervention: str
    outcome: str
    effect: str
    arrow: str
    way: str
    follow_up: str
    notices: tuple[str, ...]
    also: tuple[int, ...] = ()


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


def evidence_rows(
    answer: Answer, articles: Mapping[str, Article], short: Mapping[int, str]
) -> tuple[ShownRow, ...]:
    """The evidence table, strongest first; before the appraisal what the summaries say, by rank."""
    findings = {one.id: finding_of(one) for one in answer.articles if one.summary is not None}
    if answer.appraisal.rows:
        by_stance = (
            answer.appraisal.balance is not None and answer.appraisal.balance.sides == "stance"
        )
        return tuple(
            _row(row, findings.get(row.id, ""), short, by_stance, answer, also)
            for row, also in led(answer.appraisal.rows)
        )
    read = {one.id: one for one in answer.articles}
    rows = []
    for reference in answer.references:
        summary = read[reference.id].summary
        if summary is None:
            continue
        row = EvidenceRow(
            reference.id,
            reference.n,
            reference.title,
            articles[reference.id].year,
            summary.design,
            None,
            "the run stopped before the appraisal of the studies",
            summary.sample_size,
            summary.population,
            None,
            None,
            None,
            None,
            summary.effect_direction or "unclear",
            summary.stance,
            None,
            0,
        )
        rows.append(_row(row, findings[reference.id], short, False, answer))
    return tuple(rows)


def _row(
    row: EvidenceRow,
    finding: str,
    short: Mapping[int, str],
    by_stance: bool,
    answer: Answer,
    also: tuple[int, ...] = (),
) -> ShownRow:
    intervention = one_line(row.intervention or "")
    if row.comparator:
        intervention = f"{intervention} against {one_line(row.comparator)}".strip()
    return ShownRow(
        n=row.n,
        short=short.get(row.n, one_line(row.title)),
        finding=finding or one_line(row.title),
        design=one_line(row.design or ""),
        year=row.year,
        level=row.level,
        level_reason=one_line(row.level_reason),
        size=row.sample_size,
        population=one_line(row.population or ""),
        intervention=intervention,
        outcome=one_line(row.outcome or ""),
        effect=effect_text(row.effect) if row.effect else "",
        arrow="" if by_stance else ARROWS[row.effect_direction],
        way=(ANSWERS[row.stance] if row.stance else "unclear")
        if by_stance
        else row.effect_direction,
        follow_up=one_line(row.follow_up or ""),
        notices=flags_of(row, answer),
        also=also,
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


def article_notices(answer: Answer) -> tuple[tuple[str, str, bool], ...]:
    """(which article, what is to be known of it, whether it is retracted)."""
    excluded = {one.id for one in answer.articles if "excluded" in one.flags}
    titles = {one.id: one.title for one in answer.articles}
    numbers = {reference.id: reference.n for reference in answer.references}
    told = []
    for notice in answer.article_notices:
        said = f"{one_line(notice.text)} (source: {notice.reported_by})"
        red = notice.kind == "retracted"
        if notice.id in numbers:
            told.append((f"[{numbers[notice.id]}]", said, red))
        elif notice.id in excluded:
            told.append(
                (f"excluded: {one_line(titles.get(notice.id, notice.id)).rstrip('.')}", said, red)
            )
    return tuple(told)
