"""How to ask again more widely where nothing was found: each way of `clinfo.views.unanswered` with what it changes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from clinfo.records.answer import Answer
from clinfo.records.articles import RunRequest
from clinfo.views.unanswered import ways_to_widen

MOST_PER_QUERY = 200
_FLAGS = re.compile(r"\s*\((--[a-z-]+)[^)]*\)")
_LIMITS = re.compile(r"^lift the limits set by (?P<flags>.*)$")
_NAMES = {"--filter": "the filter", "--from": "the first date", "--to": "the last date"}


@dataclass(frozen=True)
class Widening:
    """A way to ask more widely, as a clause. ``name`` is what `changes` knows it by, "" where the visitor has to write.

    ``field`` is the field of the form that it is written in.
    """

    name: str
    text: str
    field: str = "question"


def widenings(answer: Answer, request: RunRequest, sources: Sequence[str]) -> tuple[Widening, ...]:
    """The ways that may help this answer, best first; ``sources`` are those that the host offers."""
    made = []
    for way in ways_to_widen(answer):
        flag = found[1] if (found := _FLAGS.search(way)) else ""
        text = without_flags(way)
        name = {"--source": "pubmed", "--per-query": "per-query", "--max-articles": "articles"}.get(flag, "")
        if limits := _LIMITS.match(way):
            name, text = "limits", f"lift the limits set by {_named(limits['flags'])}"
        if name == "pubmed" and "pubmed" not in sources:
            continue
        if name == "per-query" and request.per_query >= MOST_PER_QUERY:
            continue
        made.append(Widening(name, text, "query" if flag == "--query" else "question"))
    if request.own_queries and answer.settings.get("own_queries"):
        made.insert(0, Widening("generated", "let queries be written from the question instead of your own"))
    return tuple(made)


def without_flags(text: str) -> str:
    """Text of `clinfo.render` without the flags of the command line that it names in parentheses."""
    return _FLAGS.sub("", text)


def changes(name: str, request: RunRequest) -> dict[str, Any] | None:
    """The fields that a way changes, None for a name that is no way."""
    if name == "pubmed":
        return {"source": "pubmed"}
    if name == "per-query":
        return {"per_query": min(MOST_PER_QUERY, max(32, 2 * request.per_query))}
    if name == "articles":
        return {"max_articles": min(10_000, 2 * request.max_articles)}
    if name == "limits":
        return {"filter": None, "from": None, "to": None}
    if name == "generated":
        return {"query": None}
    return None


def _named(flags: str) -> str:
    for flag, name in _NAMES.items():
        flags = flags.replace(flag, name)
    return flags
