"""Ranks the articles that a search found by BM25 over the concepts of the question, each opened to
the names that MeSH has for it, and tells which name all that the question is about.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from clinfo.extractive.concepts import Concept, concepts, read
from clinfo.lazy_dataclass import dataclass
from clinfo.records.articles import Article
from clinfo.text.terms import vocabulary

K1: Final = 1.2
B: Final = 0.75
"""The usual constants of BM25 (Robertson and Zaragoza 2009)."""
_TITLE: Final = 2.0
"""What a name in the title counts beside one in the abstract."""
ENOUGH: Final = 0.7
"""Share of the value of a question's concepts that an article about it names."""


@dataclass(frozen=True)
class Ranked:
    """An article with its score and the concepts of the question that it names and lacks."""

    article: Article
    score: float
    named: tuple[Concept, ...]
    lacking: tuple[Concept, ...]


def ranked(question: str, articles: Sequence[Article]) -> tuple[Ranked, ...]:
    """All articles, best first; equal scores in the order given."""
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
    found = []
    for article, row, length in zip(articles, counts, lengths, strict=True):
        norm = K1 * (1 - B + B * length / usual)
        score = sum(
            one.value * rare * count * (K1 + 1) / (count + norm)
            for one, count, rare in zip(asked, row, rarity, strict=True)
        )
        named = tuple(one for one, count in zip(asked, row, strict=True) if count)
        found.append(Ranked(article, score, named, tuple(one for one in asked if one not in named)))
    return tuple(sorted(found, key=lambda one: -one.score))


def gate(found: Sequence[Ranked]) -> tuple[Ranked, ...]:
    """Those of ranked articles that name enough of what is asked to be about it."""
    return tuple(
        one
        for one in found
        if sum(each.value for each in one.named)
        >= ENOUGH * sum(each.value for each in (*one.named, *one.lacking))
    )


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
