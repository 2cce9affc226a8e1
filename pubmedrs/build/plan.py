"""The plan of a build. It is stored beside the answers, so that a resumed build cannot mix two
plans.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from clinfo.errors import UsageError
from clinfo.pubmed.limits import WINDOW
from pubmedrs.build.asking import BATCH
from pubmedrs.build.store import write_json
from pubmedrs.build.topics import Topic, query_of

PER_TOPIC = 500


@dataclass(frozen=True)
class Plan:
    """Topics to search, limits of the publication date (both days included), PMIDs taken a topic,
    and the most accepted reviews.

    ``most`` None: all. ``batch`` is how many records are asked for at once.
    """

    topics: tuple[Topic, ...]
    since: date | None = None
    until: date | None = None
    per_topic: int = PER_TOPIC
    most: int | None = None
    batch: int = BATCH

    @property
    def queries(self) -> tuple[tuple[Topic, str], ...]:
        """Each topic with the search that is sent for it."""
        return tuple((topic, query_of(topic, self.since, self.until)) for topic in self.topics)


def checked(plan: Plan) -> Plan:
    """The plan itself. Raises UsageError where it cannot be carried out."""
    if not 1 <= plan.per_topic <= WINDOW:
        raise UsageError(
            f"--per-topic must be from 1 to {WINDOW:,}, the most that PubMed returns for a search"
        )
    if plan.most is not None and plan.most < 1:
        raise UsageError("--max must be 1 or more")
    if not 1 <= plan.batch <= BATCH:
        raise UsageError(f"--batch must be from 1 to {BATCH}")
    if plan.since is not None and plan.until is not None and plan.until < plan.since:
        raise UsageError("--to lies before --from")
    return plan


def begun(plan: Plan, service: str, today: date, path: Path) -> date:
    """The day on which this build was begun: ``today`` where ``path`` does not exist yet, which is
    then written.

    ``service`` is the host asked. Raises UsageError where the folder belongs to a build with
    another plan or another service.
    """
    settings = _settings(plan, service)
    if not path.exists():
        write_json(path, {**settings, "day": today.isoformat()})
        return today
    try:
        kept = json.loads(path.read_bytes())
        day = date.fromisoformat(kept.pop("day"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise UsageError(
            f"{path.name} is damaged: remove the folder and start again, or choose another --out"
        ) from None
    for name in settings:
        if kept.get(name) != settings[name]:
            raise UsageError(
                f"this folder holds a build with other settings ({name}); choose another --out for "
                "this one"
            )
    return day


def _settings(plan: Plan, service: str) -> dict[str, Any]:
    # How many are asked for at once changes nothing in what comes of it.
    return {
        "schema": 1,
        "service": service,
        "from": plan.since.isoformat() if plan.since else None,
        "to": plan.until.isoformat() if plan.until else None,
        "per_topic": plan.per_topic,
        "max": plan.most,
        "queries": [
            {"specialty": topic.specialty, "subtopic": topic.subtopic, "query": query}
            for topic, query in plan.queries
        ],
    }
