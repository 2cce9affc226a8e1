"""The calls that a run of the literature chain may need at each stage, before it begins."""

from __future__ import annotations

import math

from clinfo.claims.registry import spec
from clinfo.pipelines.literature.one_call import in_one_call
from clinfo.pipelines.literature.tldr_first import tldr_first
from clinfo.records.articles import RunRequest
from clinfo.runs.spending import StagePlan

ABSTRACT_TOKENS = 450
"""Title and abstract of a PubMed article: 250 to 300 words, in tokens."""

SUMMARY_TOKENS = 350
TLDR_TOKENS = 60
QUERIES_OF_ONE_CALL = 3
"""Queries that the strategies kinds and pico write of one reply."""
INSTRUCTION_TOKENS = 400
"""The system messages of the default prompts and the format's instruction, rounded up."""
ARTICLE_TOKENS = INSTRUCTION_TOKENS + ABSTRACT_TOKENS
RELEVANT_SHARE = 0.5
"""Of the articles judged, as in the reference run of benchmarks/own/speed.py."""


def wanted(request: RunRequest) -> int:
    """Return how many queries are wanted; the records that came along count as one."""
    return len(request.own_queries) or (1 if request.documents else request.queries)


def queries(request: RunRequest) -> StagePlan:
    asked = not (request.own_queries or request.documents)
    calls = 0 if not asked else 1 if request.strategy != "seeds" else request.queries
    return StagePlan(calls, INSTRUCTION_TOKENS, 60)


def relevance(request: RunRequest) -> StagePlan:
    """Every query brings new articles; links that are followed may fill the list of articles to the
    last.
    """
    searched = QUERIES_OF_ONE_CALL if request.strategy != "seeds" else wanted(request)
    judged = (
        request.max_articles
        if request.chase
        else min(request.max_articles, searched * request.per_query)
    )
    along = SUMMARY_TOKENS * RELEVANT_SHARE if in_one_call(request) else 0
    return StagePlan(judged, ARTICLE_TOKENS, 40 + math.ceil(along))


def summary(request: RunRequest) -> StagePlan:
    calls = 0 if in_one_call(request) else _summarised(request)
    return StagePlan(calls, ARTICLE_TOKENS, SUMMARY_TOKENS)


def _summarised(request: RunRequest) -> int:
    """Articles that are summarised."""
    relevant = math.ceil(relevance(request).calls * RELEVANT_SHARE)
    if request.rerank is not None and relevant > 35:
        relevant = min(relevant, request.rerank)
    return relevant


def synthesis(request: RunRequest) -> StagePlan:
    read = INSTRUCTION_TOKENS + _summarised(request) * (ABSTRACT_TOKENS + SUMMARY_TOKENS)
    return StagePlan(1, read, 350 + (TLDR_TOKENS if tldr_first(request) else 0))


def tldr(request: RunRequest) -> StagePlan:
    return StagePlan(0 if tldr_first(request) else 1, 2 * INSTRUCTION_TOKENS, TLDR_TOKENS)


def verify(request: RunRequest) -> StagePlan | None:
    """TL;DR and synthesis in two groups, and what was mended; none without a model judge."""
    return StagePlan(3, 6 * ABSTRACT_TOKENS, 500) if spec(request.judge).model else None
