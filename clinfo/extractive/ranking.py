"""Ranks the articles that a search found by BM25 over the concepts of the question, each opened to
the names that MeSH has for it, and tells which name all that the question is about.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from clinfo.extractive.concepts import Concept, concepts, listed, read
from clinfo.lazy_dataclass import dataclass
from clinfo.records.articles import Article
from clinfo.text.terms import vocabulary

K1: Final = 1.2
B: Final = 0.75
"""The usual constants of BM25 (Robertson and Zaragoza 2009)."""
_TITLE: Final = 2.0
"""What a name in the title counts beside one in the abstract."""
NAMES_NOTHING: Final = "Title and abstract name nothing that is asked about."
LACKS: Final = "; they do not name "
"""Text in a reason before the concepts that an article lacks."""
ENOUGH: Final = 0.7
"""Share of the value of a question's concepts that an article about it names."""


@dataclass(frozen=True)
class Naming:
    """The concepts of a question that an article names, and those that it lacks."""

    named: tuple[Concept, ...]
    lacking: tuple[Concept, ...]

    @property
    def enough(self) -> bool:
        """Return whether the article names enough of what is asked to be about it."""
        whole = sum(one.value for one in (*self.named, *self.lacking))
        return bool(whole) and sum(one.value for one in self.named) >= ENOUGH * whole

    @property
    def said(self) -> str:
        """One line for a reader."""
        if not self.named:
            return NAMES_NOTHING
        lacks = f"{LACKS}{listed(self.lacking)}" if self.lacking else ""
        return f"Title and abstract name {listed(self.named)}{lacks}."


def naming(question: str, article: Article) -> Naming:
    """Return what of a question an article names, in title, abstract, keywords or headings."""
    text = read(article, question)
    named = tuple(one for one in concepts(question) if one.part.is_in(text))
    return Naming(named, tuple(one for one in concepts(question) if one not in named))


def ranked(question: str, articles: Sequence[Article]) -> tuple[Article, ...]:
    """The articles, best first; equal scores in the order given."""
    asked = concepts(question)
    texts = [read(one, question) for one in articles]
    titles = [vocabulary(one.title).running for one in articles]
    lengths = [len(text.running.split()) or 1 for text in texts]
    usual = sum(lengths) / (len(lengths) or 1)
    counts = [
        [
            max(_count(one, text.running), float(one.part.is_in(text)))
            + (_TITLE - 1) * _count(one, title)
            for one in asked
        ]
        for text, title in zip(texts, titles, strict=True)
    ]
    rarity = [
        _idf(sum(row[place] > 0 for row in counts), len(counts)) for place in range(len(asked))
    ]
    scores = {}
    for place, (row, length) in enumerate(zip(counts, lengths, strict=True)):
        norm = K1 * (1 - B + B * length / usual)
        scores[place] = sum(
            one.value * rare * count * (K1 + 1) / (count + norm)
            for one, count, rare in zip(asked, row, rarity, strict=True)
        )
    return tuple(articles[place] for place in sorted(scores, key=lambda one: -scores[one]))


def _count(concept: Concept, running: str) -> float:
    """How often a running text names a concept, by any of its names; where two begin at one place
    they count once.
    """
    places: set[int] = set()
    for _, form in concept.part.forms:
        at = running.find(form)
        while at >= 0:
            places.add(at)
            at = running.find(form, at + 1)
    return float(len(places))


def _idf(holding: int, count: int) -> float:
    """How much a concept tells articles apart; above zero also where all of them name it."""
    return math.log(2 + (count - holding + 0.5) / (holding + 0.5))
