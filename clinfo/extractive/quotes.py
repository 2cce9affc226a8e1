"""The quotations of an article: its whole conclusion, and the one result sentence with figures
that is nearest to the question. Nothing is shortened and nothing is added.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clinfo.extractive.concepts import concepts
from clinfo.records.articles import Article
from clinfo.text.abstracts import AbstractSentence, abstract_sentences, concludes
from clinfo.text.terms import acronyms, vocabulary

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
_MOST: Final = 5
"""Sentences of a conclusion in an abstract that is not divided into sections."""
_LAST: Final = 2
"""Those taken for it where none says that it concludes."""


@dataclass(frozen=True)
class Quoted:
    """Sentences of an abstract, word for word: of its conclusion, and one of its results."""

    conclusion: tuple[AbstractSentence, ...]
    result: AbstractSentence | None

    @property
    def sentences(self) -> tuple[AbstractSentence, ...]:
        return (*self.conclusion, *((self.result,) if self.result is not None else ()))


def quoted(article: Article, question: str) -> Quoted:
    """The quotations of an article; without an abstract there are none.

    An abstract that comes to no conclusion is quoted with its last result in the place of one.
    """
    sentences = [
        one
        for one in abstract_sentences(article)
        if one.role != "notice" and " " in one.text.strip()  # one word is a heading
    ]
    conclusion = _conclusion(sentences)
    measured = [
        one
        for one in sentences
        if one.role == "results" and one not in conclusion and _MEASURED.search(one.text)
    ]
    if not measured:
        return Quoted(conclusion, None)
    expansions = {
        **acronyms(f"{article.title} {article.abstract}"),
        **acronyms(question),
    }

    def nearness(place: int) -> float:
        text = measured[place].text
        held = vocabulary(text, expansions)
        near = sum(
            one.value + (not one.main) * _FOR_OUTCOME
            for one in concepts(question)
            if one.part.is_in(held)
        )
        near += _FOR_SIZE * bool(_SIZE.search(text))
        return near - _A_PLACE * place

    return Quoted(conclusion, measured[max(range(len(measured)), key=nearness)])


def _conclusion(sentences: Sequence[AbstractSentence]) -> tuple[AbstractSentence, ...]:
    """The sections that conclude; in an abstract without sections its end, from where it begins to
    conclude; else the last result.
    """
    found = [place for place, one in enumerate(sentences) if one.role == "conclusion"]
    if found and sentences[found[-1]].labelled:
        return tuple(sentences[place] for place in found)
    if any(one.labelled for one in sentences):
        return tuple([one for one in sentences if one.role == "results"][-1:])
    begin = next((at for at in reversed(found) if concludes(sentences[at].text)), -_LAST)
    return tuple(sentences[begin:][-_MOST:])
