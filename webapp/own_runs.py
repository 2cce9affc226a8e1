"""The page of one's own runs: what is looked for, a page of what was found."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

from clinfo.errors import FieldError
from webapp.records import ENDED, Status, Visitor, Wanted, cursor_of, place_of
from webapp.services import services
from webapp.visitors import may_see

WORDS: Final[Mapping[Status, str]] = {
    "queued": "waiting",
    "running": "running",
    "done": "answered",
    "failed": "failed",
    "cancelled": "cancelled",
    "key_needed": "needs a key",
}
"""The statuses in words."""
PAGE: Final = 25
"""Runs of a page."""
MOST_WORDS: Final = 20
"""Words of a search; more are not looked for."""


def own_runs(who: Visitor, asked: Mapping[str, str]) -> dict[str, Any]:
    """Return what the template of the page shows. ``asked``: ``q`` words of the question,
    ``status``, ``day`` (UTC), ``cursor`` where the page begins. Raises FieldError.
    """
    words, status, day, cursor = (
        asked.get(name, "").strip() for name in ("q", "status", "day", "cursor")
    )
    wanted = Wanted(
        tuple(words.split()[:MOST_WORDS]),
        next((one for one in WORDS if one == status), None),
        _within(day) if day else None,
    )
    if status and wanted.status is None:
        raise FieldError("status", f"must be one of: {', '.join(WORDS)}")
    after = place_of(cursor) if cursor else None
    if cursor and after is None:
        raise FieldError("cursor", "must be what the page before led to")
    found = services().store.of_visitor(who.browser, who.user, PAGE + 1, after, wanted)
    runs = found[:PAGE]
    sought = {name: said for name, said in (("q", words), ("status", status), ("day", day)) if said}
    return {
        "runs": [run for run in runs if may_see(who, run)],
        "days": {run.id: datetime.fromtimestamp(run.created_at, UTC) for run in runs},
        "words": WORDS,
        "ended": ENDED,
        "sought": sought,
        "searchable": bool(runs or sought or cursor),
        "later": bool(cursor),
        "earlier": cursor_of(runs[-1]) if len(found) > PAGE else None,
        "deleted": "deleted" in asked,
    }


def _within(day: str) -> tuple[float, float]:
    """The seconds of a day (UTC). Raises FieldError."""
    try:
        first = datetime.combine(date.fromisoformat(day), datetime.min.time(), UTC)
        return first.timestamp(), (first + timedelta(days=1)).timestamp()
    except (ValueError, OverflowError):
        raise FieldError("day", "must be a day such as 2026-11-23") from None
