"""The evidence on an answer's page: table, doubts, and what is to be known of single
articles.
"""

from collections.abc import Iterable

from clinfo.records.answer import Answer
from clinfo.records.articles import Article
from clinfo.render.blocks import Block, Heading, Item, Paragraph, Table, section
from clinfo.text.wording import number
from clinfo.views.evidence import (
    STRONGEST_FIRST,
    EvidenceView,
    also_in,
    article_notices,
    evidence_rows,
    same_studies,
)

HEADER = ("No.", "Year", "Level", "Design", "n", "Finding")
TITLES = (*HEADER[:-1], "Title")
NOTHING = "–"
MOST_ROWS = 10
"""Rows of a table of titles, unless all are asked for."""


def evidence(answer: Answer, articles: Iterable[Article]) -> list[Block]:
    """Table and doubts; nothing where no article was summarised."""
    rows = evidence_rows(answer, articles)
    if not answer.appraisal.rows:
        return _unappraised(HEADER, [(*_facts(row), row.finding) for row in rows])
    cells = [f"{row.finding}\n{_details(row)}".strip() for row in rows]
    blocks: list[Block] = [Heading("Evidence"), Paragraph(STRONGEST_FIRST)]
    table = ((*_facts(row), cell) for row, cell in zip(rows, cells, strict=True))
    blocks.append(Table(HEADER, tuple(table)))
    blocks += section("", map(Item, same_studies(answer)))
    return [*blocks, *section("Why this is not certain", answer.appraisal.uncertainty)]


def titles_table(answer: Answer, articles: Iterable[Article], most: int | None) -> list[Block]:
    """The studies by title, ``most`` of them (None: all), each with the way it points and its
    effect.
    """
    views = evidence_rows(answer, articles)
    if not answer.appraisal.rows:
        return _unappraised(TITLES, [(*_facts(row), row.title) for row in views])
    rows = [
        (
            *_facts(row),
            f"{row.title}\n{_joined(row.told, row.effect, also_in(row), *row.flags)}".strip(),
        )
        for row in views
    ]
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
    items = (
        Item(f"{one.title}. {one.said}" if one.title else one.said, one.mark)
        for one in article_notices(answer)
    )
    return [*section("Notices about these articles", items)]


def _facts(row: EvidenceView) -> tuple[str, str, str, str, str]:
    """Number, year, level, design, and the people randomised, else those analysed."""
    size = f"{row.people:,}" if row.people is not None else NOTHING
    level = str(row.level) if row.level is not None else NOTHING
    return str(row.n), str(row.year or NOTHING), level, row.design or NOTHING, size


def _details(row: EvidenceView) -> str:
    """One line of what the abstract states beside the finding, and which way the study points."""
    return _joined(
        row.told,
        f"in {row.population}" if row.population else "",
        row.compared,
        f"on {row.outcome}" if row.outcome else "",
        row.effect,
        f"{row.analysed:,} analysed" if row.analysed is not None else "",
        f"follow-up {row.follow_up}" if row.follow_up else "",
        also_in(row),
        *row.flags,
    )


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


def _unappraised(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[Block]:
    """The table of a run that did not come as far as its appraisal."""
    return [*section("Evidence", Table(header, tuple(rows)))]
