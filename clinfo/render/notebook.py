"""Answers of every pipeline, a batch's and the hits of a search as they are shown in a notebook."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from clinfo.pipelines.chart.records import ChartAnswer
from clinfo.pipelines.copilot.records import CopilotAnswer
from clinfo.pipelines.literature.events import LiteratureLog
from clinfo.pipelines.trials.records import TrialsAnswer
from clinfo.records.answer import Answer
from clinfo.records.appraisal import EvidenceRow
from clinfo.records.articles import Article, Sentence
from clinfo.references import ieee
from clinfo.render import batch_table, chart_page, cohort_rows, copilot_page, trials_page
from clinfo.render.blocks import Block, Heading, Item, Paragraph, Table, section
from clinfo.render.cohort import in_words, worth_knowing
from clinfo.render.copilot import silo_name
from clinfo.render.html import fragment
from clinfo.render.page import page
from clinfo.render.trials import study_view
from clinfo.text.wording import number, one_line, printable

ROWS = 50
"""Rows of a table of patients, or of hits with their abstracts; of the others it is said how many
there are."""


def literature(answer: Answer, run_log: LiteratureLog) -> str:
    """The whole page of an answer, with the passages that its sentences rest on. That it is no
    advice stands first, since the last sections are folded.
    """
    links = {reference.n: reference.url for reference in answer.references}
    question, *blocks, advice = page(answer, run_log.articles, "answer" in run_log)
    passages = _passages(answer, run_log.articles)
    return fragment([question, advice, *blocks, *passages], links)


def _passages(answer: Answer, articles: Iterable[Article]) -> Iterator[Block]:
    held = {article.id: article for article in articles}
    of = {reference.n: held.get(reference.id) for reference in answer.references}
    yield from section("Passages", _rested_on(answer.sentences, of), folded=True)


def _rested_on(sentences: Iterable[Sentence], of: Mapping[int, Article | None]) -> dict[Item, None]:
    said: dict[Item, None] = {}
    for sentence in sentences:
        for span in sentence.spans:
            if article := of.get(span.n):
                text = article.title if span.field == "title" else article.abstract
                said[Item(f"“{one_line(text[span.start : span.end])}”", f"[{span.n}]")] = None
    return said


def verdict(one: Sentence, articles: Sequence[Article]) -> str:
    """A sentence with its verdict, what is noted of it, and the passages that it rests on."""
    told = [("Verdict", one.verdict.replace("_", " ")), ("Reason", one.reason)]
    rows = (*told, *(("Note", one_line(note)) for note in one.notes))
    table = Table(("Sentence", one_line(one.text)), rows)
    passages = section("Passages", _rested_on([one], dict(enumerate(articles, 1))))
    return fragment([table, *passages])


def evidence(rows: Iterable[EvidenceRow]) -> str:
    """The evidence table in its own order."""
    header = ("No.", "Year", "Level", "Design", "n", "Title", "Result")
    cells = (
        (one.n, one.year, one.level, one.design, one.sample_size, one.title, one.result)
        for one in rows
    )
    shown = (tuple(one_line(str(one or "–")) for one in row) for row in cells)
    return fragment([Table(header, tuple(shown))])


def trials(answer: TrialsAnswer, _: object) -> str:
    """The page, with a table of the studies before it."""
    question, *rest = trials_page(answer)
    views = [study_view(study, answer) for study in answer.studies]
    header = ("Study", "Conclusion", "Favours", "Numbers", "Effect")
    rows = [(v.name, v.conclusion, v.favours, v.numbers, v.effect or v.stated) for v in views]
    return fragment([question, Table(header, tuple(rows)), *rest])


def chart(answer: ChartAnswer, _: object) -> str:
    """The page, with a table of the notes found, best first."""
    rows = tuple(
        (n.date[:10] or "undated", n.category, n.id, "\n".join(f"“{s.text}”" for s in n.spans))
        for n in answer.notes
    )
    table = Table(("Date", "Kind", "Note", "Words"), rows)
    return fragment([*chart_page(answer), *section("Notes", table, folded=True)])


def copilot(answer: CopilotAnswer, _: object) -> str:
    """The page, with a table of the passages that tools brought."""
    rows = tuple(
        (f"{s.n}", silo_name(answer, s.silo), s.title, s.level, s.date, one_line(s.quote))
        for s in answer.sources
    )
    table = Table(("No.", "Source", "Document", "Level", "Date", "Passage"), rows)
    return fragment([*copilot_page(answer), *section("Passages", table, folded=True)])


def cohort(answer: Mapping[str, Any]) -> str:
    """The form, how many are left after each criterion, and the sentences behind members."""
    left = tuple(
        (row["criterion"], str(row["alone"]), str(row["left"])) for row in answer["attrition"]
    )
    header, *rows = cohort_rows(answer)
    return fragment(
        [
            Heading(one_line(f"Read as: {answer['text']}"), 1),
            *map(Paragraph, worth_knowing(answer)),
            Table(("Criterion", "Alone", "Left"), left),
            Paragraph(in_words(answer["counts"])),
            *_first(header, rows),
        ]
    )


def hits(articles: Sequence[Article]) -> str:
    """A table of articles, and their abstracts."""
    links = {n: article.url for n, article in enumerate(articles, 1)}
    rows = [
        (f"[{n}]", str(one.year or ""), one_line(one.title), one.journal or "", one.id)
        for n, one in enumerate(articles, 1)
    ]
    abstracts = tuple(
        Item(f"{ieee(one)}\n{printable(one.abstract)}", f"[{n}]")
        for n, one in enumerate(articles[:ROWS], 1)
    )
    return fragment(
        [
            Paragraph(number(len(articles), "hit")),
            *_first(("No.", "Year", "Title", "Journal", "Id"), rows),
            *section("Abstracts", abstracts, folded=True),
        ],
        links,
    )


def batch(rows: Iterable[Mapping[str, Any]]) -> str:
    """The table of a batch's answers."""
    return fragment([batch_table.table(rows)])


def _first(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[Block]:
    if rows:
        yield Table(header, tuple(islice(rows, ROWS)))
    if more := len(rows[ROWS:]):
        yield Paragraph(f"and {number(more, 'more row')}")
