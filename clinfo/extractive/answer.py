"""The answer without a language model: the finished studies that name most of what is asked, each
with its whole conclusion and one result, word for word. Nothing is judged and nothing is composed:
the first line counts, and singles out no study.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from clinfo.evidence.design import ANIMALS, POOLING, PROTOCOL, level, stated_design
from clinfo.evidence.table import NOTICES, groups
from clinfo.extractive.concepts import Coverage, asked, concepts
from clinfo.records.articles import Article, Part, Sentence, Span, Study
from clinfo.text.abstracts import AbstractSentence, abstract_sentences, conclusion, finished
from clinfo.text.terms import acronyms, vocabulary
from clinfo.text.wording import number

MOST: Final = 8
"""Studies that are quoted."""
_WEAK: Final = ("editorial or letter", "case report", "laboratory study", "economic evaluation")
_NOTHING_YET: Final = (PROTOCOL, ANIMALS)


@dataclass(frozen=True)
class _Found:
    """A study with what its record names of the question."""

    study: Study
    question: str
    design: str | None

    @cached_property
    def names(self) -> Coverage:
        """What of the question its title and abstract name, and do not."""
        record = f"{self.study.article.title}. {self.study.article.abstract}"
        held = vocabulary(record, acronyms(record) | acronyms(self.question))
        parts = asked(self.question)
        named = tuple(one for one in parts if one.named_in(held))
        return Coverage(named, tuple(one for one in parts if one not in named))

    @property
    def finished(self) -> bool:
        """Whether it is a study of people that has come to its results, as far as types tell."""
        return self.design not in _NOTHING_YET and finished(self.study.article)

    @cached_property
    def quoted(self) -> Quoted:
        return quoted(self.study.article, self.question)

    @property
    def place(self) -> tuple[int, int]:
        """Its place: by how much of the question it leaves unnamed, then by design, those that pool
        others before trials, then as it was found.
        """
        return len(self.names.lacking), _rank(self.design)


def answer(part: Part, question: str, studies: Sequence[Study]) -> tuple[Sentence, ...]:
    """The quotations of the synthesis; or as the TL;DR how many studies there are, and which of
    them are quoted.
    """
    found = [_Found(one, question, stated_design(one.article)) for one in _one_report_each(studies)]
    concluding = [one for one in found if one.finished and one.quoted.conclusion]
    about = [one for one in concluding if one.names.enough] or concluding
    told = sorted(about, key=lambda one: one.place)[:MOST]
    if part == "tldr":
        return (_opening(found, told),) if told else ()
    sentences: list[Sentence] = []
    for one in told:
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
    """How many studies there are, which are quoted, and what none of these names."""
    count = number(len(found), "study was found", "studies were found")
    nowhere = frozenset.intersection(*(frozenset(one.names.lacking) for one in told))
    lacking = [one.text for one in asked(told[0].question) if one in nowhere]
    lead = f"{count}; nothing was judged. "
    if lacking:
        lead += f"None of those quoted has the words {_listed(lacking)}. "
    numbers = tuple(one.study.n for one in told)
    text = f"Quoted below: {''.join(f'[{n}]' for n in numbers)}"
    return Sentence(
        "tldr", text, numbers, "quoted", "counted", (), lead, judges=(), counts_only=True
    )


def _lead(found: _Found) -> str:
    """The writer, and the words of the question that the record does not name."""
    lacking = [one.text for one in found.names.lacking]
    told = f" (not in this record in these words: {_listed(lacking)})" if lacking else ""
    return f"{_who(found)}{told}"


def _listed(words: Sequence[str]) -> str:
    return ", ".join(f"“{one}”" for one in words)


def _rank(design: str | None) -> int:
    if design in POOLING or design == "guideline":
        return 0
    if design is not None and (level(design)[0] == 2 or "trial" in design):
        return 1
    return 3 if design in _WEAK else 2


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
        "quoted word for word",
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


@dataclass(frozen=True)
class Quoted:
    """Sentences of an abstract, word for word: of its conclusion, and one of its results."""

    conclusion: tuple[AbstractSentence, ...]
    result: AbstractSentence | None = None


def quoted(article: Article, question: str) -> Quoted:
    """The quotations of an article; without an abstract that concludes there are none."""
    concluding = conclusion(article)
    told = [one for one in abstract_sentences(article) if one.role != "notice"]
    if not any(one.role for one in told):
        told = told[len(told) // 2 :]  # its first half tells what was asked and how
    measured = [
        one
        for one in told
        if one.role in ("results", None) and one not in concluding and _MEASURED.search(one.text)
    ]
    return Quoted(concluding, _nearest(measured, article, question))


def _nearest(
    sentences: Sequence[AbstractSentence], article: Article, question: str
) -> AbstractSentence | None:
    """The sentence that names most of what is asked, one that tells the size of an effect before
    others.
    """
    expansions = {**acronyms(f"{article.title} {article.abstract}"), **acronyms(question)}

    def nearness(one: AbstractSentence) -> tuple[int, bool]:
        held = vocabulary(one.text, expansions)
        named = [each for each in concepts(question) if each.part.is_in(held)]
        return len(named), bool(_SIZE.search(one.text))

    return max(sentences, key=nearness, default=None)
