"""BM25 over articles: which are judged where a search finds too many, and which of the relevant
ones are summarised (section 2.2 of the paper).

What is judged is decided by the order of the search and BM25 together. Their ranks are combined as
the rankings of several queries are, by reciprocal rank fusion: an article's score is 1 / (60 + its
place in the fused search) + 1 / (60 + its place by BM25), and the best are kept. BM25 ranks titles
and abstracts for the words of the question and of the terms that it was understood as. What is kept
stays in the order of the search.
"""

from __future__ import annotations

from collections.abc import Sequence

from clinfo.pipelines.literature.search.retrieve import fuse
from clinfo.records.articles import Article, Pico
from clinfo.text.terms import stems

THRESHOLD = 35
"""Reranking happens only when more than this many articles are relevant, as in the published
system.
"""


def keep_best(
    question: str, articles: Sequence[Article], limit: int
) -> tuple[list[Article], list[Article]]:
    """(kept, dropped), each in the order given: the ``limit`` articles that BM25 ranks highest for
    the question.

    Equal scores go by the order given.
    """
    if len(articles) <= max(THRESHOLD, limit):
        return list(articles), []
    scores = bm25(question, articles)
    best = set(sorted(range(len(articles)), key=lambda place: (-scores[place], place))[:limit])
    kept = [article for place, article in enumerate(articles) if place in best]
    return kept, [article for place, article in enumerate(articles) if place not in best]


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


def bm25(text: str, articles: Sequence[Article]) -> list[float]:
    """The score of each article's title and abstract for the words of ``text``; at least one
    article is needed.

    BM25Plus, whose idf stays positive for words that stand in most of a small set.
    """
    from rank_bm25 import BM25Plus

    ranker = BM25Plus(
        [stems(f"{article.title}\n{article.abstract}") or [""] for article in articles]
    )
    return [float(score) for score in ranker.get_scores(stems(text))]
