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
from clinfo.text.abstracts import AbstractSentence, abstract_sentences
from clinfo.text.abstracts import conclusion as concluding
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
