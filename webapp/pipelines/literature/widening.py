"""Ways to ask again more broadly after nothing was found: each way of `clinfo.views.unanswered`
with what it changes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from clinfo.pipelines.literature import NARROWING
from clinfo.records import Answer, RunRequest
from clinfo.views import Way, ways_to_widen

MOST_PER_QUERY = 200


def widenings(answer: Answer, request: RunRequest, sources: Sequence[str]) -> tuple[Way, ...]:
    """The ways that may help this answer, best first; ``sources`` are those that the host
    offers.
    """
    useless = {"pubmed"} - set(sources) | (
        {"per-query"} if request.per_query >= MOST_PER_QUERY else set()
    )
    ways = [way for way in ways_to_widen(answer) if way.name not in useless]
    if request.own_queries and answer.settings.get("own_queries"):
        ways.insert(
            0, Way("generated", "generate queries from the question instead of using your own")
        )
    return tuple(ways)


def without_flags(text: str) -> str:
    """Text without the flags of the command line that it names in parentheses."""
    return re.sub(r"\s*\(--[a-z-]+[^)]*\)", "", text)


def changes(name: str, request: RunRequest) -> dict[str, Any] | None:
    """The fields that a way changes, None for a name that is no way."""
    if name == "pubmed":
        return {"source": "pubmed"}
    if name == "per-query":
        return {"per_query": min(MOST_PER_QUERY, max(32, 2 * request.per_query))}
    if name == "articles":
        return {"max_articles": min(10_000, 2 * request.max_articles)}
    if name == "limits":
        return dict.fromkeys(NARROWING)
    if name == "generated":
        return {"query": None}
    return None
