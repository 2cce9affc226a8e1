"""The calls that a run of the literature chain may need at each stage, before it begins."""

from __future__ import annotations

import math

from clinfo.claims.registry import spec
from clinfo.records.articles import RunRequest
from clinfo.runs.spending import StagePlan

ABSTRACT_TOKENS = 450
"""Title and abstract of a PubMed article: 250 to 300 words, in tokens."""

SUMMARY_TOKENS = 150
PICO_QUERIES = 3
"""Queries that the strategy pico writes of one reply."""
INSTRUCTION_TOKENS = 600
"""The system messages of the default prompts and the format's instruction, rounded up."""
ARTICLE_TOKENS = INSTRUCTION_TOKENS + ABSTRACT_TOKENS
RELEVANT_SHARE = 0.5
"""Of the articles judged, as in the reference run of benchmarks/own/speed.py."""


def queries(request: RunRequest) -> StagePlan:
    calls = 0 if request.own_queries else 1 if request.strategy == "pico" else request.queries
    return StagePlan(calls, INSTRUCTION_TOKENS, 60)


def relevance(request: RunRequest) -> StagePlan:
    """Every query brings new articles; links that are followed may fill the list of articles to the
    last.
    """
    searched = len(request.own_queries) or (
        PICO_QUERIES if request.strategy == "pico" else request.queries
    )
    judged = (
        request.max_articles
        if request.chase
        else min(request.max_articles, searched * request.per_query)
    )
    return StagePlan(judged, ARTICLE_TOKENS, 40)


def summary(request: RunRequest) -> StagePlan:
    relevant = math.ceil(relevance(request).calls * RELEVANT_SHARE)
    if request.rerank is not None and relevant > 35:
        relevant = min(relevant, request.rerank)
    return StagePlan(relevant, ARTICLE_TOKENS, SUMMARY_TOKENS)


def synthesis(request: RunRequest) -> StagePlan:
    return StagePlan(
        1, INSTRUCTION_TOKENS + summary(request).calls * (ABSTRACT_TOKENS + SUMMARY_TOKENS), 350
    )


def tldr(request: RunRequest) -> StagePlan:
    return StagePlan(1, 2 * INSTRUCTION_TOKENS, 60)


def verify(request: RunRequest) -> StagePlan | None:
    """The sentences of the synthesis in two groups, those of the TL;DR, those of each summary; none
    without a model judge.
    """
    parts = spec(request.judge).model_reads
    if not parts:
        return None
    return StagePlan(
        3 + (summary(request).calls if "summary" in parts else 0), 2 * ARTICLE_TOKENS, 200
    )
