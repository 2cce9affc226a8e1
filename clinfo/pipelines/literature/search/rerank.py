"""BM25 over articles: to keep the best of the relevant ones before they are summarised (section 2.2
of the paper).
"""

from __future__ import annotations

from collections.abc import Sequence

from clinfo.records.articles import Article
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
