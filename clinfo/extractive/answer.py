"""The answer without a language model: the best studies that name what is asked, each with its
whole conclusion and one result, word for word. Nothing is judged and nothing is composed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from clinfo.evidence.design import PROTOCOL, stated_design
from clinfo.evidence.studies import NOTICES, groups
from clinfo.extractive.concepts import Concept, concepts, listed, read
from clinfo.extractive.quotes import Quoted, quoted
from clinfo.extractive.relevance import judge, named_somewhere
from clinfo.records.articles import Article, Part, Sentence, Span, Study
from clinfo.text.abstracts import AbstractSentence
from clinfo.text.wording import number

MOST: Final = 5
"""Studies that are quoted."""
QUOTED: Final = "quoted word for word"
_SAYS: Final = 0.5
"""The value from which a concept that a study does not name is told: any word of medicine."""


def answer(part: Part, question: str, studies: Sequence[Study]) -> tuple[Sentence, ...]:
    """The quotations of the synthesis, or of the TL;DR the first study's conclusion; none where no
    study has an abstract to quote.

    The words of the program, who wrote what and, before the TL;DR, how many studies there are,
    stand before a quotation as its lead.
    """
    studies = _one_report_each(studies)
    best = list(_best(question, studies))
    if part == "tldr":
        return tuple(
            _sentence(part, _opening(question, studies, study.article), study, found.first)
            for study, found in best[:1]
        )
    sentences: list[Sentence] = []
    for study, found in best[:MOST]:
        begin = "\n\n" if sentences else ""
        lead = f"{begin}{_lead(study.article, question)}: "
        sentences.append(_sentence(part, lead, study, found.conclusion))
        if found.result is not None:
            sentences.append(_sentence(part, " ", study, (found.result,)))
    return tuple(sentences)


def _one_report_each(studies: Sequence[Study]) -> list[Study]:
    """The studies, each by its fullest report; a notice of a correction or retraction is none."""
    reports = {
        one.article.id: one
        for one in studies
        if not NOTICES.intersection(one.article.publication_types)
    }
    articles = [one.article for one in reports.values()]
    found = groups(articles, {one.id: stated_design(one) for one in articles})
    return [
        max((reports[id] for id in group.ids), key=lambda one: len(one.article.abstract))
        for group in found
    ]


def _opening(question: str, studies: Sequence[Study], first: Article) -> str:
    """The words before the first quotation: how many studies name what is asked, or what none of
    them names, and whose words follow.
    """
    asked = concepts(question)
    texts = [read(study.article, question) for study in studies]
    named = [one for one in asked if any(one.part.is_in(text) for text in texts)]
    lacking = [one for one in asked if one not in named]
    whole = sum(all(one.part.is_in(text) for one in named) for text in texts)
    who = _lead(first, question)
    if lacking or not whole:
        unnamed = _either(lacking) if lacking else f"all of {listed(named)}"
        these = f"None of these {len(texts):,} studies names"
        these = these if len(texts) > 1 else "The study found does not name"
        return f"{these} {unnamed}; closest: {who}: "
    if whole < len(texts):
        count = f"{whole:,} of {len(texts):,} studies found {_names(whole)} all of"
    else:
        count = f"{number(whole, 'study was', 'studies were')} found that {_names(whole)}"
    return f"{count} {listed(named)}. {who}: "


def _names(studies: int) -> str:
    return "names" if studies == 1 else "name"


def _either(found: Sequence[Concept]) -> str:
    return " or ".join(one.said for one in found)


def _best(question: str, studies: Sequence[Study]) -> Iterator[tuple[Study, Quoted]]:
    """The studies that can be quoted, the most relevant first, protocols last; none that names less
    of the question than the first, ordinary words aside.
    """
    asked = named_somewhere(question, [study.article for study in studies])
    read = [(judge(asked, study.article), study) for study in studies]
    read.sort(key=lambda one: (stated_design(one[1].article) == PROTOCOL, -one[0].score))
    first: float | None = None
    for reading, study in read:
        found = quoted(study.article, question)
        if not found.conclusion:
            continue
        named = sum(unit.value for unit in reading.present if unit.value >= _SAYS)
        first = named if first is None else first
        if named >= first:
            yield study, found


def _lead(article: Article, question: str) -> str:
    """The writer, and what of the question its record does not name."""
    text = read(article, question)
    lacking = [one for one in concepts(question) if _says(one) and not one.part.is_in(text)]
    return f"{_who(article)} (does not name {_either(lacking)})" if lacking else _who(article)


def _says(concept: Concept) -> bool:
    return concept.main or concept.value >= _SAYS


def _who(article: Article) -> str:
    """First author, year and design as far as the record tells them; else its title."""
    design = stated_design(article) or ""
    if not article.authors:
        first, design = (design.capitalize(), "") if design else (article.title.rstrip("."), "")
    else:
        first = f"{article.authors[0].last}{' et al.' if len(article.authors) > 1 else ''}"
    year = str(article.year) if article.year is not None else ""
    return ", ".join(filter(None, [first, year, design]))


def _sentence(
    part: Part,
    lead: str,
    study: Study,
    quoted: Sequence[AbstractSentence],
) -> Sentence:
    text = " ".join(one.text for one in quoted)
    return Sentence(
        part,
        f"“{text}” [{study.n}]",
        (study.n,),
        "quoted",
        QUOTED,
        tuple(Span(study.n, "abstract", one.start, one.end) for one in quoted),
        lead,
        judges=(),
    )
