"""The calls that a run of the literature chain may need, before it begins."""

from __future__ import annotations

import math

from clinfo.claims.registry import spec
from clinfo.pipelines.literature.declared import JUDGE_STAGE
from clinfo.records.articles import RunRequest
from clinfo.runs.spending import StagePlan

ABSTRACT_TOKENS = 450
"""Title and abstract of a PubMed article: 250 to 300 words, in tokens."""

SUMMARY_TOKENS = 150
PICO_QUERIES = 3
"""Queries that the strategy pico writes of one reply."""
INSTRUCTION_TOKENS = 600
"""The system messages of the default prompts and the format's instruction, rounded up."""


def plan(request: RunRequest, relevant_share: float = 0.5) -> dict[str, StagePlan]:
    """The calls a run may need: every query brings new articles and ``relevant_share`` of them (0 to 1) are relevant.

    Links that are followed may fill the list of articles to the last.

    Half is the share in the reference run of benchmarks/own/speed.py.
    """
    pico = request.strategy == "pico"
    generated = 0 if request.own_queries else 1 if pico else request.queries
    searched = len(request.own_queries) or (PICO_QUERIES if pico else request.queries)
    judged = request.max_articles if request.chase else min(request.max_articles, searched * request.per_query)
    relevant = math.ceil(judged * relevant_share)
    if request.rerank is not None and relevant > 35:
        relevant = min(relevant, request.rerank)
    article = INSTRUCTION_TOKENS + ABSTRACT_TOKENS
    planned = {
        "question2query": StagePlan(generated, INSTRUCTION_TOKENS, 60),
        "relevance": StagePlan(judged, article, 40),
        "summary": StagePlan(relevant, article, SUMMARY_TOKENS),
        "synthesis": StagePlan(1, INSTRUCTION_TOKENS + relevant * (ABSTRACT_TOKENS + SUMMARY_TOKENS), 350),
        "tldr": StagePlan(1, 2 * INSTRUCTION_TOKENS, 60),
    }
    if parts := spec(request.judge).model_reads:  # the synthesis in two groups, the TL;DR, each summary
        planned[JUDGE_STAGE] = StagePlan(3 + (relevant if "summary" in parts else 0), 2 * article, 200)
    return planned
