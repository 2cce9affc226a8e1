"""Selects the articles to judge when a search finds too many: search order and BM25 decide
together.

The two ranks are combined as the rankings of several queries are, by reciprocal rank fusion: an
article's score is 1 / (60 + its place in the fused search) + 1 / (60 + its place by BM25), and the
best are kept. BM25 ranks titles and abstracts for the words of the question and of the terms that
it was understood as. What is kept stays in the order of the search.
"""

from __future__ import annotations

from collections.abc import Sequence

from clinfo.pipelines.literature.search.rerank import bm25
from clinfo.pipelines.literature.search.retrieve import fuse
from clinfo.records.articles import Article, Pico


def screened(
    question: str, understood: Pico | None, articles: Sequence[Article], limit: int
) -> tuple[list[Article], list[Article]]:
    """(kept, left out), each in the order given, which is that of the search; ``limit`` articles
    are kept.

    Equal scores go by the better of an article's two places, and then by its place in the search.
    """
    if len(articles) <= limit:
        return list(articles), []
    terms = (
        []
        if understood is None
        else [
            *understood.population,
            *understood.intervention,
            *understood.comparator,
            *understood.outcome,
        ]
    )
    scores = bm25(" ".join([question, *terms]), articles)
    by_words = sorted(range(len(articles)), key=lambda place: (-scores[place], place))
    best = set(
        fuse([[article.id for article in articles], [articles[place].id for place in by_words]])[
            :limit
        ]
    )
    return [one for one in articles if one.id in best], [
        one for one in articles if one.id not in best
    ]
