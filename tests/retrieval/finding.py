"""Finds passages in two steps: an index gives candidates, a reranker orders them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clinfo.retrieval.asked import Asked
from clinfo.retrieval.index import Hit, Index, Only
from clinfo.retrieval.index.fusion import BM25, Fusion
from clinfo.retrieval.rerankers import Reranker, best, scored
from clinfo.retrieval.steps import Report, Step

if TYPE_CHECKING:
    from clinfo.retrieval.rerankers.provider import ProviderReranker

CANDIDATES = 100
"""Passages that a reranker is given."""


async def find(
    index: Index,
    asked: Asked,
    count: int = 10,
    only: Only = Only(),  # noqa: B008
    fusion: Fusion = BM25,
    reranker: Reranker | ProviderReranker | None = None,
    candidates: int = CANDIDATES,
    report: Report | None = None,
) -> tuple[Hit, ...]:
    """The ``count`` best passages of an index for what is asked, of those that ``only`` lets
    through; with a reranker the best of so many ``candidates``, under its scores.

    ``report`` is told what each step was given and kept. Raises UsageError, ModelError,
    BudgetReached, SourceError.
    """
    wanted = count if reranker is None else max(count, candidates)
    hits = await index.search(asked.words, wanted, only, fusion, report)
    if reranker is None:
        return hits
    scores = await scored(reranker, asked, [hit.passage for hit in hits])
    kept = tuple(replace(hits[place], score=scores[place]) for place in best(scores, count))
    if report is not None:
        ids = [tuple(hit.passage.id for hit in own) for own in (hits, kept)]
        report(Step("rerank", *ids))
    return kept
