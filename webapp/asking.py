"""From what a visitor asks to a run in the queue: the host's rules, the chain's checks, the guard. Form and API call this."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from webapp.records import StoredRun, Visitor

FIELDS = frozenset(
    ["question", "model", "models", "source", "query", "from", "to", "filter", "regime", "before", "drop", "queries", "per_query", "max_articles", "rerank", "seed", "max_seconds", "strict", "prompts", "api_key", "strategy", "known", "chase", "term_counts", "judge", "fresh", "allow_identifiers"]
)
"""What may be asked over HTTP: the ask flags, and the visitor's own key."""


def ask(fields: Mapping[str, Any], who: Visitor, *, again_of: str | None = None) -> StoredRun:
    """A run of ``fields`` (None counts as not given), queued, its worker woken.

    Not given: the first model and source on offer, the host's deadline, strict true. Raises FieldError, PromptError,
    IdentifiersFound (before anything is stored), Busy (queue full, or no worker for the visitor's key).
    """
    raise NotImplementedError


def give_key(run_id: str, api_key: str) -> StoredRun:
    """Seal a visitor's key for a live worker and queue the run. Raises FieldError, NotFound, Refused, Busy."""
    raise NotImplementedError


def fields_of(run: StoredRun) -> dict[str, Any]:
    """What was asked, as `ask` takes it, for "run again" and "run again with changes"; never a key."""
    raise NotImplementedError
