"""The quotations of an article: its whole conclusion, and the one result sentence with figures
that is nearest to the question. Nothing is shortened and nothing is added.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clinfo.extractive.concepts import Concept, concepts
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
TOLD: Final = ("results", "conclusion")
_MOST: Final = 5
"""Sentences of a conclusion in an abstract that is not divided into sections."""


@dataclass(frozen=True)
class Quoted:
    """Sentences of an abstract, word for word: of its conclusion, one of its results, and
    ``first`` those that are quoted where one study stands for all, which name most of the question.
    """

    conclusion: tuple[AbstractSentence, ...]
    result: AbstractSentence | None
    first: tuple[AbstractSentence, ...] = ()

    @property
    def sentences(self) -> tuple[AbstractSentence, ...]:
        return (*self.conclusion, *((self.result,) if self.result is not None else ()))


class _Naming:
    """The concepts of a question that a text of an article names, and their worth."""

    def __init__(self, article: Article, question: str) -> None:
        self._asked = concepts(question)
        self._expansions = {
            **acronyms(f"{article.title} {article.abstract}"),
            **acronyms(question),
        }

    def __call__(self, text: str) -> tuple[bool, int, float]:
        """(whether it names the treatment that is asked about first, how many treatments it names,
        worth of all that it names).
        """
        named = self.named(text)
        treatments = [one for one in named if one.treats]
        first = next((one for one in self._asked if one.treats), None)
        return first in treatments, len(treatments), round(sum(one.value for one in named), 2)

    def named(self, text: str) -> list[Concept]:
        held = vocabulary(text, self._expansions)
        return [one for one in self._asked if one.part.is_in(held)]


def quoted(article: Article, question: str) -> Quoted:
    """The quotations of an article; without an abstract there are none.

    An abstract that comes to no conclusion is quoted with the sentence that names most of what is
    asked in the place of one: of its results, and without any of its later part, since it begins
    with what was not known.
    """
    sentences = [
        one
        for one in abstract_sentences(article)
        if one.role != "notice" and " " in one.text.strip()  # one word is a heading
    ]
    if not sentences:
        return Quoted((), None)
    naming = _Naming(article, question)
    conclusion = _conclusion(sentences)
    told = [one for one in sentences if one.role in TOLD]
    study = conclusion or any(one.role == "results" for one in told)
    best = _naming_most(told if study else sentences[len(sentences) // 3 :], naming)
    conclusion = conclusion or (best,)
    measured = [
        one
        for one in sentences
        if one.role == "results" and one not in conclusion and _MEASURED.search(one.text)
    ]

    def nearness(place: int) -> float:
        text = measured[place].text
        near = sum(one.value + (not one.main) * _FOR_OUTCOME for one in naming.named(text))
        near += _FOR_SIZE * bool(_SIZE.search(text))
        return near - _A_PLACE * place

    result = measured[max(range(len(measured)), key=nearness)] if measured else None
    return Quoted(conclusion, result, _first(conclusion, best, naming))


def _naming_most(sentences: Sequence[AbstractSentence], naming: _Naming) -> AbstractSentence:
    """The sentence that names most of the question: of those that name its treatment one of
    results or conclusions, of equals the last.
    """

    def rank(place: int) -> tuple[bool, bool, tuple[bool, int, float], int]:
        named = naming(sentences[place].text)
        return named[0], sentences[place].role in TOLD, named, place

    return sentences[max(range(len(sentences)), key=rank)]


def _first(
    conclusion: tuple[AbstractSentence, ...], best: AbstractSentence, naming: _Naming
) -> tuple[AbstractSentence, ...]:
    """The conclusion from its sentence on that names most, unless another sentence names more of
    the treatments than all of it.
    """
    if naming(best.text)[:2] > naming(" ".join(one.text for one in conclusion))[:2]:
        return (best,)
    return conclusion[max(range(len(conclusion)), key=lambda at: naming(conclusion[at].text)) :]


def _conclusion(sentences: Sequence[AbstractSentence]) -> tuple[AbstractSentence, ...]:
    """The sections that conclude; in an abstract without sections its end, from where it begins to
    conclude; none where nothing does.
    """
    found = [place for place, one in enumerate(sentences) if one.role == "conclusion"]
    if found and sentences[found[-1]].labelled:
        return tuple(sentences[place] for place in found)
    begin = next((at for at in reversed(found) if concludes(sentences[at].text)), len(sentences))
    return tuple(sentences[begin:][-_MOST:])
