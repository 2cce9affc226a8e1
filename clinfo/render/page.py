"""The content of the page of an answer, in order, independent of the output format.

Everything is read from the answer; only the years of publication come from the articles, which an
answer does not hold.
"""

import re
from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Literal

from clinfo.records.answer import Answer, Reference
from clinfo.records.articles import Article, Part, Sentence
from clinfo.render.blocks import Block, Heading, Item, Items, Paragraph, Table, section
from clinfo.render.search_report import how_searched
from clinfo.sources import registry
from clinfo.text.wording import day, listed, number, one_line, printable
from clinfo.views.counts import (
    VERDICTS,
    Marks,
    checked,
    funnel,
    left_on_the_way,
    marked,
    models_in_words,
    of_part,
    reason_of,
    taken,
)
from clinfo.views.evidence import (
    STRONGEST_FIRST,
    EvidenceView,
    also_in,
    article_notices,
    evidence_rows,
    same_studies,
)
from clinfo.views.first_line import OutcomeLine, best_source, caveat, outcomes, tally_text
from clinfo.views.queries import (
    near_misses,
    query_view,
    resolved_as,
    unanswered,
    ways_to_widen,
)

Extent = Literal["short", "usual", "whole"]
"""The extent of a page: TL;DR, synthesis and what they cite; with a table of the studies; or
everything.
"""

DETAILS = "(--details)"
NOT_ADVICE = "Not medical advice: read the studies cited before you act on this."
MOST_PARAGRAPHS = 3
"""Paragraphs of a synthesis that a page of the usual extent holds; of quotations all."""


def page(
    answer: Answer,
    articles: Iterable[Article] = (),
    finished: bool = True,
    extent: Extent = "whole",
    all_rows: bool = False,
) -> list[Block]:
    """The blocks of an answer's page. ``articles`` are the run's, for the years of publication; a
    run that did not come to its end is not ``finished``, and its page says so. ``all_rows`` lets a
    page of the usual extent hold every study.
    """
    whole = extent == "whole"
    blocks: list[Block] = [Heading(one_line(answer.question), 1)]
    blocks += [Paragraph(resolved_as(answer.resolved))] if answer.resolved else []
    if not finished:
        blocks.append(Paragraph("Not finished: this was done before the run stopped."))
    if answer.synthesis or answer.tldr:
        blocks += _texts(answer, extent)
    else:
        blocks += [*(_unanswered(answer) if finished else ()), *_caveat(answer)]
    if extent != "short":
        blocks += evidence(answer, articles, whole, None if all_rows or whole else MOST_ROWS)
    if extent != "short":
        blocks += _withheld(answer)
        blocks += notices(answer)
    blocks += _references(answer.references, whole)
    if whole or not answer.references:
        blocks += _searched(answer)
    blocks += section("Warnings", answer.warnings if extent != "short" else ())
    if not whole:
        more = 0 if answer.quoted else len(_paragraphs(answer.synthesis)) - MOST_PARAGRAPHS
        return [
            *blocks,
            *section("More", _folded(answer, extent, max(0, more))),
            Paragraph(NOT_ADVICE),
        ]
    return [
        *blocks,
        Heading("About this answer", folded=True),
        Paragraph(figures(answer)),
        Paragraph(made_with(answer)),
        Paragraph(NOT_ADVICE),
    ]


def _texts(answer: Answer, extent: Extent) -> list[Block]:
    """TL;DR and synthesis, with a mark after each sentence that is not supported and the reasons
    below.
    """
    marks, whole = Marks(), extent == "whole"
    blocks: list[Block] = []
    if answer.tldr:
        mark = " (not verified)" if answer.unverified else ""
        blocks += [Heading(f"TL;DR{mark}"), Paragraph(_text(answer, "tldr", marks, whole))]
    blocks += [Paragraph(f"{one}.") for one in [tally_text(answer)] if one]
    told = [_outcome(one) for one in outcomes(answer)]
    told[1:1] = _rated(answer)  # after the size
    blocks += section("", told)
    blocks += _caveat(answer)
    if answer.synthesis:
        blocks += [Heading("Synthesis"), Paragraph(_text(answer, "synthesis", marks, whole))]
    if not answer.sentences:
        return [*blocks, Paragraph("These sentences were not checked.")]
    blocks.append(Paragraph(checked(answer, brief=not whole)))
    blocks += section("", (Item(reason, f"({letter})") for reason, letter in marks.items()))
    if answer.refused_tldr and not answer.settings.get("strict"):
        blocks += [
            Heading("TL;DR refused"),
            Paragraph(f"{REFUSED} “{one_line(answer.refused_tldr)}”"),
        ]
    return blocks


def _rated(answer: Answer) -> Iterator[Item]:
    """The certainty and the best source, where a model told them."""
    if answer.certainty:
        yield Item(f"Certainty: {answer.certainty}")
    if best := best_source(answer):
        yield Item(f"Best source: [{best.n}] {best.text}")


def _outcome(line: OutcomeLine) -> Item:
    """The effect on an outcome, with its citation."""
    words = f"{line.words}, " if line.words else ""
    return Item(f"{line.outcome}: {words}{line.stated} [{line.n}]")


def _caveat(answer: Answer) -> list[Block]:
    """The worth of the lines above in one paragraph."""
    told = list(caveat(answer))
    edited = answer.settings.get("prompts_edited")
    if isinstance(edited, list | tuple) and edited:
        told.append(f"Made with edited prompts: {listed([str(one) for one in edited])}")
    return [Paragraph(f"{'. '.join(told)}.")] if told else []


REFUSED = (
    "The model wrote another TL;DR, which its sources do not support or which does not answer the "
    "question. Do not rely on it:"
)


def _text(answer: Answer, part: Part, marks: Marks, whole: bool) -> str:
    sentences = of_part(answer, part)
    if not sentences:
        text = printable(answer.tldr if part == "tldr" else answer.synthesis).strip()
        return text if whole else "\n\n".join(_paragraphs(text)[:MOST_PARAGRAPHS])
    every = whole or answer.quoted  # the first line says which studies are quoted
    return marked(sentences if every else _first_paragraphs(sentences), marks)


def _paragraphs(text: str) -> list[str]:
    return [part for part in re.split(r"\n\s*\n", text.strip()) if part]


def _first_paragraphs(sentences: list[Sentence]) -> list[Sentence]:
    """The sentences of the first `MOST_PARAGRAPHS` paragraphs."""
    kept: list[Sentence] = []
    paragraphs = 1
    for sentence in sentences:
        paragraphs += bool(kept) and sentence.lead.count("\n") > 1
        if paragraphs > MOST_PARAGRAPHS:
            break
        kept.append(sentence)
    return kept


def _withheld(answer: Answer) -> list[Block]:
    """The text that is no answer, each sentence with what the checks found of it."""
    if not answer.withheld_text:
        return []
    heading = Heading("The withheld text: do not rely on it")
    if not answer.sentences:
        return [heading, Paragraph(printable(answer.withheld_text).strip())]
    sentences = [*of_part(answer, "synthesis"), *of_part(answer, "tldr")]
    items = tuple(
        Item(f"{printable(one.text)} – {reason_of(one) or VERDICTS[one.verdict]}")
        for one in sentences
    )
    return [heading, Items(items)]


def _unanswered(answer: Answer) -> list[Block]:
    """Return what stands in place of a synthesis where a run came to its end without one."""
    why = unanswered(answer)
    if answer.withheld_text:
        return [Heading(why.heading), Paragraph(why.said)]
    if not why.widen:
        return [
            Heading(why.heading),
            Paragraph(f"{why.said} This does not mean that there are no such studies."),
        ]
    near = [f"{one.title} ({one.reason})" for one in near_misses(answer)]
    told = [Paragraph("The nearest, by what they name of the question:")] if near else []
    ways = (f"{way.text}{f' ({way.flag})' if way.flag else ''}." for way in ways_to_widen(answer))
    return [
        Heading(why.heading),
        Paragraph(why.said),
        *told,
        *section("", near),
        Paragraph("This does not mean that no such studies exist. To search more broadly:"),
        *section("", ways),
    ]


def _references(references: tuple[Reference, ...], whole: bool) -> list[Block]:
    """The articles cited, and with ``whole`` those that are relevant and not cited."""
    items = []
    for reference in (one for one in references if whole or one.cited):
        flags = f" ({one_line('; '.join(reference.flags))})" if reference.flags else ""
        mark = f"[{reference.n}]{'*' if whole and reference.cited else ''}"
        items.append(Item(one_line(reference.citation) + flags, mark, reference.url))
    heading = "References (* cited above)" if whole else "References"
    return [*section(heading, items)]


def _searched(answer: Answer) -> list[Block]:
    if not answer.queries:
        return []
    views = [query_view(query, place) for place, query in enumerate(answer.queries, 1)]
    items = [Item(_query(view), f"{view.name}.") for view in views]
    blocks: list[Block] = [Heading("What was searched", folded=True), Items(tuple(items))]
    if left_out := _left_out(answer):
        blocks.append(Paragraph(left_out))
    how = map(Item, how_searched(answer))
    return [*blocks, *section("How the search was done", how, folded=True)]


def _query(query: SimpleNamespace) -> str:
    """``text → 1,234 hits, best 16 retrieved`` (or ``→ failed``) and below it what the source said
    about it.
    """
    breadth = f"{query.breadth}: " if query.breadth else ""
    lines = [f"{breadth}{query.text} → {', '.join(filter(None, (query.hits, query.taken)))}"]
    lines += [f"sent as: {query.sent}"] if query.sent else []
    lines += [f"read as: {query.translation}"] if query.translation else []
    return "\n".join([*lines, *(f"note: {note}" for note in query.notes)])


def _left_out(answer: Answer) -> str:
    """One line on the articles that the answer does not use."""
    named = listed([*map(str, left_on_the_way(answer))])
    return f"Left out: {named}; the JSON form of this answer gives the reasons." if named else ""


def figures(answer: Answer) -> str:
    """One line of counts, time, tokens and cost."""
    found, *others = funnel(answer)
    return " · ".join(
        [f"{number(found.count, 'article')} found", *map(str, others), *taken(answer)]
    )


def made_with(answer: Answer) -> str:
    """One line of models, source, day and version."""
    settings = answer.settings
    shown = models_in_words(answer)
    regime = settings.get("regime", "unrestricted")
    parts = [
        f"{'Model' if len(shown) == 1 else 'Models'}: {listed(shown)}" if shown else "",
        f"source: {registry.title(str(settings['source']))}" if "source" in settings else "",
        f"regime: {regime}" if regime != "unrestricted" else "",
        f"searched on {day(answer.searched_on)}",
        f"clinfo {settings['version']}" if "version" in settings else "",
    ]
    return " · ".join(part for part in parts if part)


def _folded(answer: Answer, extent: Extent, paragraphs: int) -> list[str]:
    """The lines for a page of this extent that leaves out so many ``paragraphs`` of the
    synthesis.
    """
    more = [number(paragraphs, "more paragraph")] if paragraphs else []
    if extent == "short":
        more += [number(len(answer.warnings), "warning")] if answer.warnings else []
        more += ["the text withheld"] if answer.withheld_text else []
        return [f"{', '.join([*more, 'evidence, search and settings'])} {DETAILS}"]
    counts, appraisal = answer.counts, answer.appraisal
    uncited = sum(not reference.cited for reference in answer.references)
    doubts = number(len(appraisal.uncertainty), "reason")
    left = counts.found - counts.cited
    found = f"{number(counts.found, 'article')} found" + (
        f", {left:,} of them not cited, and why" if left > 0 else ""
    )
    lines = [
        *more,
        f"Why this is not certain: {doubts}" if appraisal.uncertainty else "",
        (
            "Findings, populations and outcomes of the "
            f"{number(len(appraisal.rows), 'study', 'studies')}"
        )
        if appraisal.rows
        else "",
        number(uncited, "reference that is not cited", "references that are not cited")
        if uncited
        else "",
        f"The search: {number(len(answer.queries), 'query', 'queries')}, {found}"
        if answer.references
        else "",
        "Models, settings, time and cost",
    ]
    return [f"{line} {DETAILS}" for line in lines if line]


HEADER = ("No.", "Year", "Level", "Design", "n", "Finding")
TITLES = (*HEADER[:-1], "Title")
NOTHING = "–"
MOST_ROWS = 10
"""Rows of a table of titles, unless all are asked for."""


def evidence(
    answer: Answer, articles: Iterable[Article], whole: bool, most: int | None
) -> list[Block]:
    """The studies, each with the way it points and its effect: ``whole`` by their findings, with
    all that the abstracts state and the doubts, else ``most`` of them (None: all) by title. Nothing
    where no article was summarised.
    """
    rows = evidence_rows(answer, articles)
    known, cells = bool(answer.appraisal.rows), []
    for row in rows:
        brief = _joined(row.told, row.effect, also_in(row), *row.flags)
        told = (_details(row) if whole else brief) if known else ""
        cells.append((*_facts(row), f"{row.finding if whole else row.title}\n{told}".strip()))
    table = Table(HEADER if whole else TITLES, tuple(cells[: most if known else None]))
    if not known:
        return [*section("Evidence", table)]
    blocks: list[Block] = [Heading("Evidence"), Paragraph(STRONGEST_FIRST), table]
    if whole:
        blocks += section("", map(Item, same_studies(answer)))
        blocks += section("Why this is not certain", answer.appraisal.uncertainty)
    if more := len(cells[most:]) if most else 0:
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
