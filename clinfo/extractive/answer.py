"""The answer without a language model: the finished studies that name most of what is asked, each
with its whole conclusion and one result, word for word. Nothing is judged and nothing is composed.

A study stands first only where its own title and abstract name all that is asked; where none does,
the first line says how many studies were found, and quotes none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from clinfo.evidence.design import ANIMALS, POOLING, PROTOCOL, level, stated_design
from clinfo.evidence.table import NOTICES, groups
from clinfo.extractive.concepts import Concept, asked, concepts
from clinfo.records.articles import Article, Part, Sentence, Span, Study
from clinfo.text.abstracts import AbstractSentence, abstract_sentences, finished
from clinfo.text.abstracts import conclusion as concluding
from clinfo.text.terms import acronyms, vocabulary
from clinfo.text.wording import number

MOST: Final = 5
"""Studies that are quoted."""
QUOTED: Final = "quoted word for word"
UNJUDGED: Final = "nothing was judged."
_WEAK: Final = ("editorial or letter", "case report", "laboratory study", "economic evaluation")
_WEAKEST: Final = 3
_NOTHING_YET: Final = (PROTOCOL, ANIMALS)


@dataclass(frozen=True)
class _Found:
    """A study with what its title and its conclusion name of the question: all that is shown of
    it.
    """

    study: Study
    question: str
    design: str | None

    @property
    def record(self) -> str:
        """Its own words."""
        return f"{self.study.article.title}. {self.study.article.abstract}"

    def lacks(self, text: str) -> frozenset[Concept]:
        """What is asked and a text of its record does not name."""
        held = vocabulary(text, acronyms(self.record) | acronyms(self.question))
        return frozenset(one for one in asked(self.question) if not one.named_in(held))

    @cached_property
    def unnamed(self) -> frozenset[Concept]:
        """What of the question neither its title nor its abstract names."""
        return self.lacks(self.record)

    @property
    def finished(self) -> bool:
        """Whether it is a study of people that has come to its results, as far as types tell."""
        return self.design not in _NOTHING_YET and finished(self.study.article)

    @cached_property
    def quoted(self) -> Quoted:
        return quoted(self.study.article, self.question)

    @cached_property
    def shown(self) -> tuple[frozenset[Concept], frozenset[Concept]]:
        """What of the question its title does not name, and what its conclusion does not."""
        told = " ".join(one.text for one in self.quoted.conclusion)
        return self.lacks(self.study.article.title), self.lacks(told)

    @property
    def may_stand_first(self) -> bool:
        """Whether its record names all that is asked, the treatments and conditions where they are
        shown, and it is none of the weakest designs.
        """
        title, conclusion = self.shown
        subject = not any(one.main for one in title & conclusion)
        return subject and not self.unnamed and _rank(self.design) < _WEAKEST

    @property
    def place(self) -> tuple[bool, int, int]:
        """Its place: by how much of the question it shows, then by design, those that pool others
        before trials, then as it was found.
        """
        return not self.may_stand_first, sum(map(len, self.shown)), _rank(self.design)


def answer(part: Part, question: str, studies: Sequence[Study]) -> tuple[Sentence, ...]:
    """The quotations of the synthesis, or of the TL;DR the first of them, before which stands how
    many studies there are.

    Where no study may stand first, the TL;DR quotes none.
    """
    found = [_Found(one, question, stated_design(one.article)) for one in _one_report_each(studies)]
    told = sorted(
        (one for one in found if one.finished and one.quoted.conclusion), key=lambda one: one.place
    )
    if part == "tldr":
        return (_opening(found, told),) if told else ()
    sentences: list[Sentence] = []
    for one in told[:MOST]:
        begin = "\n\n" if sentences else ""
        sentences.append(
            _sentence(part, f"{begin}{_lead(one)}: ", one.study, one.quoted.conclusion)
        )
        if one.quoted.result is not None:
            sentences.append(_sentence(part, " ", one.study, (one.quoted.result,)))
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


def _opening(found: Sequence[_Found], told: Sequence[_Found]) -> Sentence:
    """How many studies there are, with the conclusion of the first where that may stand there, else
    its name alone.
    """
    count, best = number(len(found), "study was found", "studies were found"), told[0]
    lead = f"{count}; {UNJUDGED}"
    if best.may_stand_first:
        one = "One of them, not a summary: " if len(found) > 1 else ""
        lead = f"{lead} {one}{_lead(best)}: "
        return _sentence("tldr", lead, best.study, best.quoted.conclusion)
    nowhere = frozenset.intersection(*(one.unnamed for one in found))
    records = " ".join(one.record for one in found)
    lacking = [
        one.text for one in asked(best.question) if one in nowhere and not one.stands_in(records)
    ]
    if lacking:
        lead += f" None of these records has the words “{'”, “'.join(lacking)}”."
    lead = f"{lead} First below: {_who(best)}"
    return replace(_sentence("tldr", lead, best.study, ()), text=f" [{best.study.n}]")


def _lead(found: _Found) -> str:
    """The writer, and the words of the question that stand neither in title nor abstract."""
    words = (one for one in asked(found.question) if not one.stands_in(found.record))
    lacking = [f"“{one.text}”" for one in words]
    told = f" (not in this record in these words: {', '.join(lacking)})" if lacking else ""
    return f"{_who(found)}{told}"


def _rank(design: str | None) -> int:
    if design in POOLING or design == "guideline":
        return 0
    if design is not None and (level(design)[0] == 2 or "trial" in design):
        return 1
    return _WEAKEST if design in _WEAK else 2


def _who(found: _Found) -> str:
    """First author, year and design as far as the record tells them."""
    article, design = found.study.article, found.design or ""
    first = ""
    if article.authors:
        first = f"{article.authors[0].last}{' et al.' if len(article.authors) > 1 else ''}"
    else:
        design = (design or "study").capitalize()
    year = str(article.year) if article.year is not None else ""
    return ", ".join(filter(None, [first or design, year, design if first else ""]))


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


_MEASURED: Final = re.compile(
    r"\d\s?%|\b[pP]\s?[<>=≤≥]|\bCI\b|±|\b(?:OR|HR|RR|SMD|MD)\b\s?[=:,]?\s?\d"
    r"|\d[.·]\d+(?![\d.·]|\s?(?:m?g|[mµμ]?cg|[µμ]g|ml|mL|IU)\b)"
)
"""Notation of a measured result: a percentage, P, an interval, a ratio, a decimal that is no
dose.
"""
_SIZE: Final = re.compile(
    r"\d\s?%|\b(?:OR|HR|RR|SMD|MD)\b\s?[=:,]?\s?\d|\b(?:odds|hazard|risk|rate) ratio\b|±|\bCI\b"
)
_FOR_SIZE, _FOR_OUTCOME, _A_PLACE = 0.3, 0.5, 0.02
"""The worth of the size of an effect, which P alone does not give, beside a concept that a sentence
names, what more a concept counts that is no treatment or condition, and each place further down."""


@dataclass(frozen=True)
class Quoted:
    """Sentences of an abstract, word for word: of its conclusion, and one of its results."""

    conclusion: tuple[AbstractSentence, ...]
    result: AbstractSentence | None = None


def quoted(article: Article, question: str) -> Quoted:
    """The quotations of an article; without an abstract that concludes there are none."""
    conclusion = concluding(article)
    told = [one for one in abstract_sentences(article) if one.role != "notice"]
    if not any(one.role for one in told):
        told = told[len(told) // 2 :]  # its first half tells what was asked and how
    measured = [
        one
        for one in told
        if one.role in ("results", None) and one not in conclusion and _MEASURED.search(one.text)
    ]
    return Quoted(conclusion, _nearest(measured, article, question))


def _nearest(
    sentences: Sequence[AbstractSentence], article: Article, question: str
) -> AbstractSentence | None:
    """The sentence that names most of what is asked, one that tells the size of an effect before
    others.
    """
    expansions = {**acronyms(f"{article.title} {article.abstract}"), **acronyms(question)}

    def nearness(place: int) -> float:
        text = sentences[place].text
        held = vocabulary(text, expansions)
        named = [one for one in concepts(question) if one.part.is_in(held)]
        near = sum(one.value + (not one.main) * _FOR_OUTCOME for one in named)
        return near + _FOR_SIZE * bool(_SIZE.search(text)) - _A_PLACE * place

    return sentences[max(range(len(sentences)), key=nearness)] if sentences else None
