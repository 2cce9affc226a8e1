"""Chooses the passages of a study's papers: so many of each (URCA's uniform retrieval), or the best
wherever they stand.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from clinfo.retrieval.asked import Asked
from clinfo.retrieval.documents import Passage
from clinfo.retrieval.rerankers import Reranker, best

Scored = tuple[Passage, float]


def share(k: int, beta: float, papers: int, most: int) -> int:
    """The passages taken of each of so many papers: ceil(min(k + β·ln S, N_max) / S).

    URCA, Algorithm 1; the paper leaves the base of the logarithm, β and N_max open.
    """
    if papers < 1:
        return 0
    return math.ceil(min(k + beta * math.log(papers), most) / papers)


def uniform(
    asked: Asked,
    papers: Mapping[str, Sequence[Passage]],
    reranker: Reranker,
    each: int,
) -> list[Scored]:
    """The ``each`` best passages of every paper with their scores, paper by paper.

    Scores of one paper are compared among themselves only, so that no paper is left out.
    """
    chosen: list[Scored] = []
    for passages in papers.values():
        scores = reranker.scores(asked, passages)
        chosen += [(passages[place], scores[place]) for place in best(scores, each)]
    return chosen


def together(
    asked: Asked, papers: Mapping[str, Sequence[Passage]], reranker: Reranker, count: int
) -> list[Scored]:
    """The ``count`` best passages over all papers, from the best."""
    passages = [one for own in papers.values() for one in own]
    scores = reranker.scores(asked, passages)
    return [(passages[place], scores[place]) for place in best(scores, count)]
