"""The calls of a run, before it begins: which stages share one, and how many each may need."""

import math
from collections.abc import Mapping, Sequence
from typing import Final

from clinfo.records.articles import RunRequest
from clinfo.records.request import EXTRACTIVE
from clinfo.runs.spending import StagePlan

READING: Final = "reading"
"""The prompt of the call that does both."""
WRITTEN_AT_ONCE: Final = ("synthesis", "tldr")
"""The stages, and the prompts, that may share a call."""
REPLACED: Final = ("relevance", "summary")
"""The stages, and the prompts, in whose place it stands."""


def in_one_call(request: RunRequest) -> bool:
    """Return whether a run judges and summarises in one call: one model does both, it is no rule,
    neither prompt was edited, and nothing is reranked in between.
    """
    return _one_call(request, REPLACED) and not request.rerank


def edited(prompts: Mapping[str, str], names: Sequence[str]) -> bool:
    """Return whether a text for one of the prompts of these names differs from the default one."""
    from clinfo.pipelines.literature.stages import PROMPTS

    given = [name for name in names if name in prompts]
    defaults = PROMPTS.defaults() if given else {}
    return any(prompts[name].strip() != defaults[name].strip() for name in given)


def _one_call(request: RunRequest, stages: Sequence[str]) -> bool:
    """Return whether one language model has the stages, and no prompt of theirs was edited."""
    one, other = (request.models.get(stage) for stage in stages)
    return one == other != EXTRACTIVE and not edited(request.prompts, stages)


def tldr_first(request: RunRequest) -> bool:
    """Return whether one call writes both: one language model does both, and neither prompt was
    edited.
    """
    return _one_call(request, WRITTEN_AT_ONCE)


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


def planned(request: RunRequest) -> dict[str, StagePlan]:
    """The calls of a run by stage.

    Every query brings new articles; links that are followed may fill the list of articles to the
    last. TL;DR and synthesis are judged in two groups, and then what was mended.
    """
    given, several = request.own_queries or request.documents, request.strategy != "seeds"
    once, tldr = in_one_call(request), TLDR_TOKENS if tldr_first(request) else 0
    found = (QUERIES_OF_ONE_CALL if several else wanted(request)) * request.per_query
    judged = request.max_articles if request.chase else min(request.max_articles, found)
    relevant = math.ceil(judged * RELEVANT_SHARE)
    if request.rerank is not None and relevant > 35:
        relevant = min(relevant, request.rerank)
    along = math.ceil(SUMMARY_TOKENS * RELEVANT_SHARE) if once else 0
    read = INSTRUCTION_TOKENS + relevant * (ABSTRACT_TOKENS + SUMMARY_TOKENS)
    return {
        "question2query": StagePlan(
            0 if given else 1 if several else request.queries, INSTRUCTION_TOKENS, 60
        ),
        "relevance": StagePlan(judged, ARTICLE_TOKENS, 40 + along),
        "summary": StagePlan(0 if once else relevant, ARTICLE_TOKENS, SUMMARY_TOKENS),
        "synthesis": StagePlan(1, read, 350 + tldr),
        "tldr": StagePlan(0 if tldr else 1, 2 * INSTRUCTION_TOKENS, TLDR_TOKENS),
        "resolve": StagePlan(1, 2 * INSTRUCTION_TOKENS, 80),
        "verify": StagePlan(3, 6 * ABSTRACT_TOKENS, 500),
    }
