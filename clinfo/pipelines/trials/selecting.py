"""Chooses the passages of a study's papers: so many of each (URCA's uniform retrieval), or the best
wherever they stand.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain

from clinfo.pipelines.trials.quoting import whole
from clinfo.pipelines.trials.records import Quote, TrialsRequest
from clinfo.retrieval.documents import Asked, Document, Passage, Span
from clinfo.retrieval.rerankers import Reranker, best
from clinfo.retrieval.sparse import searched_words

Scored = tuple[Passage, float]
Cut = Mapping[str, Sequence[Passage]]
TABLES = 4
"""Tables of a paper that are read for their numbers, besides those that passages are part of."""
SHOWN = 5
"""Passages of a paper that are shown where nobody says what it concludes."""


def share(k: int, beta: float, papers: int, most: int) -> int:
    """The passages taken of each of so many papers: ceil(min(k + β·ln S, N_max) / S).

    URCA, Algorithm 1; the paper leaves the base of the logarithm, β and N_max open.
    """
    if papers < 1:
        return 0
    return math.ceil(min(k + beta * math.log(papers), most) / papers)


def chosen(request: TrialsRequest, asked: Asked, papers: Cut, reranker: Reranker) -> list[Scored]:
    """The passages that a study is read from by the request's method, with their scores."""
    each = share(request.k, request.beta, len(papers), request.most)
    every = [one for own in papers.values() for one in own]
    match request.method:
        case "no-rag":
            return []
        case "abstracts":
            return [(one, 0.0) for one in every if one.section[:1] == ("Abstract",)]
        case "rag" | "instruct-rag":
            return together(asked, papers, reranker, request.k)
        case "urca-global":
            return together(asked, papers, reranker, each * len(papers))
        case "raptor":
            return together(asked, papers, reranker, len(every))
        case "numbers":
            return uniform(asked, papers, reranker, 2 * each, TABLES)
        case _:
            return uniform(asked, papers, reranker, each)


def uniform(
    asked: Asked, papers: Cut, reranker: Reranker, each: int, tables: int = 0
) -> list[Scored]:
    """The ``each`` best passages of every paper with their scores, paper by paper, and of its best
    ``tables`` the best piece, though it is not among these.

    Scores of one paper are compared among themselves only, so that no paper is left out.
    """
    found: list[Scored] = []
    for passages in papers.values():
        scores = reranker.scores(asked, passages)
        order = best(scores, len(passages))
        held: dict[tuple[Span, ...], int] = {}
        for place in order:
            if passages[place].kind == "table":
                held.setdefault(passages[place].repeated, place)
        further = [place for place in list(held.values())[:tables] if place not in order[:each]]
        found += [(passages[place], scores[place]) for place in (*order[:each], *further)]
    return found


def together(asked: Asked, papers: Cut, reranker: Reranker, count: int) -> list[Scored]:
    """The ``count`` best passages over all papers, from the best."""
    passages = [one for own in papers.values() for one in own]
    scores = reranker.scores(asked, passages)
    return [(passages[place], scores[place]) for place in best(scores, count)]


def bearing(
    passages: Sequence[Passage], papers: Mapping[str, Document], outcome: str
) -> tuple[Quote, ...]:
    """The first passages of each paper as quotations, tables whole; none where no passage has a
    word of the outcome.
    """
    words = set(searched_words(outcome))
    if not any(words & set(searched_words(one.text)) for one in passages):
        return ()
    found: dict[str, dict[Quote, None]] = {}
    for one in passages:
        own = found.setdefault(one.document, {})
        if len(own) < SHOWN:
            own.setdefault(Quote(one.document, *whole(one, papers[one.document])))
    return tuple(chain.from_iterable(found.values()))
