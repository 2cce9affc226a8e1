"""The evidence on an answer's page: table, balance, doubts, and what is to be known of single
articles.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from clinfo.evidence.effect_words import number as figure
from clinfo.evidence.effect_words import places, stated
from clinfo.evidence.included_studies import led
from clinfo.records.answer import Answer, ReadArticle
from clinfo.records.appraisal import Effect, EvidenceRow
from clinfo.records.articles import Article
from clinfo.render.blocks import Block, Heading, Item, Items, Paragraph, Table
from clinfo.text.printable import one_line
from clinfo.views.wording import number

HEADER = ("No.", "Year", "Level", "Design", "n", "Finding")
TITLES = (*HEADER[:-1], "Title")
NOTHING = "–"
UNREADABLE = "judgement unreadable"
"""The words for an article that is kept because nobody could read whether it bears on the question.
"""
MOST_ROWS = 10
"""Rows of a table of titles, unless all are asked for."""
LEVELS = (
    "Level of evidence: Oxford CEBM 2011, from 1 (strongest) to 5, as far as an abstract states "
    "the design."
)
STRONGEST_FIRST = f"Guidelines and recent systematic reviews first, then by level. {LEVELS}"


def evidence(answer: Answer, articles: Iterable[Article]) -> list[Block]:
    """Balance, table and doubts; nothing where no article was summarised."""
    rows = answer.appraisal.rows
    findings = {one.id: finding_of(one) for one in answer.articles if one.summary is not None}
    if not rows:
        return _unappraised(answer, articles, findings, HEADER)
    blocks = _balance(answer)
    blocks += [Heading("Evidence"), Paragraph(STRONGEST_FIRST)]
    blocks.append(
        Table(
            HEADER,
            tuple(_row(row, also, findings.get(row.id, ""), answer) for row, also in led(rows)),
        )
    )
    if lines := [*reports(answer), *overlaps_told(answer)]:
        blocks.append(Items(tuple(Item(line) for line in lines)))
    if answer.appraisal.uncertainty:
        doubts = tuple(Item(one_line(text)) for text in answer.appraisal.uncertainty)
        blocks += [Heading("Why this is not certain"), Items(doubts)]
    return blocks


def titles_table(answer: Answer, articles: Iterable[Article], most: int | None) -> list[Block]:
    """The studies by title, ``most`` of them (None: all), each with the way it points and its
    effect.
    """
    rows = [
        (str(row.n), *_facts(row), f"{one_line(row.title)}\n{_way(row, also, answer)}".strip())
        for row, also in led(answer.appraisal.rows)
    ]
    if not rows:
        titles = {one.id: one_line(one.title) for one in answer.articles}
        return _unappraised(answer, articles, titles, TITLES)
    blocks: list[Block] = [
        Heading("Evidence"),
        Paragraph(STRONGEST_FIRST),
        Table(TITLES, tuple(rows[:most])),
    ]
    if more := len(rows[most:]) if most else 0:
        blocks.append(Paragraph(f"{number(more, 'more study', 'more studies')} (--all-rows)"))
    return blocks


def notices(answer: Answer) -> list[Block]:
    """Articles that were excluded for what became of them, and those used that carry a flag."""
    excluded = {one.id for one in answer.articles if "excluded" in one.flags}
    titles = {one.id: one.title for one in answer.articles}
    numbers = {reference.id: reference.n for reference in answer.references}
    items = []
    for notice in answer.article_notices:
        if notice.id in numbers:
            mark, said = f"[{numbers[notice.id]}]", one_line(notice.text)
        elif notice.id in excluded:
            mark, said = (
                "excluded",
                (
                    f"{one_line(titles.get(notice.id, notice.id)).rstrip('.')}. "
                    f"{one_line(notice.text)}"
                ),
            )
        else:
            continue
        items.append(Item(f"{said} (source: {notice.reported_by})", mark))
    return [Heading("Notices about these articles"), Items(tuple(items))] if items else []


def effect_text(effect: Effect) -> str:
    """``RR 0.75 (95 % CI 0.60 to 0.94)``, or the two arms' values: ``8.0 % against 8.4 % (p =
    0.02)``.
    """
    unit = f" {one_line(effect.unit)}" if effect.unit else ""
    if effect.against is not None:
        most = max(places(effect.estimate), places(effect.against))
        told = f" ({one_line(effect.p)})" if effect.p else ""
        return (
            f"{figure(effect.estimate, most)}{unit} against "
            f"{figure(effect.against, most)}{unit}{told}"
        )
    if effect.low is None or effect.high is None:
        return f"{effect.measure} {figure(effect.estimate, places(effect.estimate))}{unit}"
    estimate, _, interval = stated(effect).partition(" (")
    level = f"{effect.level:g} % CI " if effect.level is not None else ""
    return f"{effect.measure} {estimate}{unit} ({level}{interval}"


def flags_of(row: EvidenceRow, answer: Answer) -> tuple[str, ...]:
    """Return what is to be known of the article of a row, in a word or two each."""
    unreadable = any(one.id == row.id and one.relevant is None for one in answer.articles)
    return tuple(
        dict.fromkeys(
            [*(notice.kind for notice in row.notices), *([UNREADABLE] if unreadable else [])]
        )
    )


def _row(row: EvidenceRow, also: Sequence[int], finding: str, answer: Answer) -> tuple[str, ...]:
    cell = "\n".join(
        line for line in (finding or one_line(row.title), _details(row, also, answer)) if line
    )
    return (str(row.n), *_facts(row), cell)


def _facts(row: EvidenceRow) -> tuple[str, str, str, str]:
    """Year, level, design and size."""
    size = f"{row.sample_size:,}" if row.sample_size is not None else NOTHING
    level = str(row.level) if row.level is not None else NOTHING
    return str(row.year or NOTHING), level, one_line(row.design or NOTHING), size


def _pointing(row: EvidenceRow, answer: Answer) -> str:
    by_stance = answer.appraisal.balance is not None and answer.appraisal.balance.sides == "stance"
    return (
        (row.stance or "")
        if by_stance
        else row.effect_direction
        if row.effect_direction != "unclear"
        else ""
    )


def _way(row: EvidenceRow, also: Sequence[int], answer: Answer) -> str:
    """Return which way a study points, its effect, and what is to be known of it."""
    parts = [
        _pointing(row, answer),
        effect_text(row.effect) if row.effect else "",
        _also(also),
        *flags_of(row, answer),
    ]
    return " · ".join(part for part in parts if part)


def _details(row: EvidenceRow, also: Sequence[int], answer: Answer) -> str:
    """One line of what the abstract states beside the finding, and which way the study points."""
    parts = [
        _pointing(row, answer),
        f"in {one_line(row.population)}" if row.population else "",
        one_line(row.intervention or ""),
        f"against {one_line(row.comparator)}" if row.comparator else "",
        f"on {one_line(row.outcome)}" if row.outcome else "",
        effect_text(row.effect) if row.effect else "",
        f"{row.analysed:,} analysed" if row.analysed is not None else "",
        f"follow-up {one_line(row.follow_up)}" if row.follow_up else "",
        _also(also),
        *flags_of(row, answer),
    ]
    return " · ".join(part for part in parts if part)


def _also(also: Sequence[int]) -> str:
    """The further reports of a study, which have no row of their own."""
    return f"also reported in {', '.join(f'[{n}]' for n in also)}" if also else ""


def finding_of(read: ReadArticle) -> str:
    """The finding of a summary; one that its own abstract does not carry says so."""
    finding = one_line(read.summary.finding) if read.summary is not None else ""
    condemned = any(
        one.verdict in ("unsupported", "contradicted") and one.text in finding
        for one in read.summary_check
    )
    return f"(Not supported by its abstract:) {finding}" if condemned else finding


def _balance(answer: Answer) -> list[Block]:
    balance = answer.appraisal.balance
    if balance is None:
        return []
    blocks: list[Block] = [Heading("Balance of the studies retrieved")]
    blocks += [Paragraph(one_line(text)) for text in (balance.lead_text, balance.text) if text]
    if balance.conflict is not None:
        sides = "; ".join(
            f"{way}: {', '.join(f'[{n}]' for n in numbers)}"
            for way, numbers in balance.conflict.sides
        )
        differ = [Item(one_line(text)) for text in balance.conflict.differences]
        blocks.append(
            Paragraph(
                f"The strongest of them disagree – {sides}."
                + (" They differ in:" if differ else "")
            )
        )
        if differ:
            blocks.append(Items(tuple(differ)))
    return blocks


def reports(answer: Answer) -> list[str]:
    numbers = {reference.id: reference.n for reference in answer.references}
    said = []
    for group in answer.appraisal.groups:
        cited = [numbers[id] for id in group.ids if id in numbers]
        if len(cited) > 1:
            said.append(
                f"{', '.join(f'[{n}]' for n in cited)} report the same study and are counted once: "
                f"{one_line(group.reason)}."
            )
    return said


def overlaps_told(answer: Answer) -> list[str]:
    numbers = {reference.id: reference.n for reference in answer.references}
    said = []
    for overlap in answer.appraisal.overlaps:
        held = [numbers[id] for id in overlap.studies if id in numbers]
        if overlap.review in numbers and held:
            said.append(
                f"[{numbers[overlap.review]}] is a review whose reference list contains "
                f"{', '.join(f'[{n}]' for n in held)}."
            )
    return said


def _unappraised(
    answer: Answer, articles: Iterable[Article], told: dict[str, str], header: tuple[str, ...]
) -> list[Block]:
    """The table of a run that did not come as far as its appraisal; ``told`` is the last cell by
    article id.
    """
    years = {article.id: article.year for article in articles}
    read = {one.id: one.summary for one in answer.articles}
    rows = []
    for reference in answer.references:
        summary = read.get(reference.id)
        if summary is not None:
            size = f"{summary.sample_size:,}" if summary.sample_size is not None else NOTHING
            year = str(years.get(reference.id) or NOTHING)
            rows.append(
                (
                    str(reference.n),
                    year,
                    NOTHING,
                    one_line(summary.design or NOTHING),
                    size,
                    told[reference.id],
                )
            )
    return [Heading("Evidence"), Table(header, tuple(rows))] if rows else []
