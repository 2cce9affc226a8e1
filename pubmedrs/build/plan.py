"""The plan of a build. It is stored beside the answers, so that a resumed build cannot mix two
plans.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

from clinfo.errors import UsageError
from clinfo.files import file_errors
from clinfo.pubmed.limits import WINDOW
from pubmedrs.build.asking import BATCH
from pubmedrs.build.store import write_json

REVIEWS = '(systematic[sb] OR "systematic review"[pt])'
"""NLM's filter for systematic reviews, and the publication type by itself for records that the
filter has not reached.
"""
_EARLIEST, _LATEST = "1800/01/01", "3000/12/31"


def query_of(topic: Topic, since: date | None = None, until: date | None = None) -> str:
    """Systematic reviews in English with an abstract, about ``topic``, published from ``since`` to
    ``until`` (both included).
    """
    about = " OR ".join(_term(word) for word in topic.words)
    parts = [f"({about})", REVIEWS, "hasabstract", "english[la]"]
    if since is not None or until is not None:
        parts.append(f"{_day(since) or _EARLIEST}:{_day(until) or _LATEST}[dp]")
    return " AND ".join(parts)


def _term(word: str) -> str:
    if "[" in word:
        return word
    plain = " ".join(word.replace('"', " ").split())
    return f'"{plain}"[tiab]'


def _day(day: date | None) -> str:
    return "" if day is None else day.isoformat().replace("-", "/")


FILE = Path(__file__).resolve().parents[1] / "specialties.toml"


@dataclass(frozen=True)
class Topic:
    """A subspecialty, or a specialty as a whole, which then stands in both fields. ``words``: any
    of them makes a hit.
    """

    specialty: str
    subtopic: str
    words: tuple[str, ...]
    origin: str = ""

    @property
    def name(self) -> str:
        """Return how people read it."""
        return (
            self.specialty
            if self.subtopic == self.specialty
            else f"{self.specialty} / {self.subtopic}"
        )


@lru_cache(maxsize=4)
def read_topics(path: Path = FILE) -> tuple[Topic, ...]:
    """The topics of a data file in their order: the subspecialties of a specialty, then the
    specialty itself.

    Raises UsageError where the file cannot be read or does not say what it should.
    """
    try:
        with file_errors(f"{path.name} cannot be read"), path.open("rb") as stream:
            specialties = tomllib.load(stream)["specialty"]
        topics = [
            Topic(one["name"], sub["name"], tuple(sub["words"]), sub.get("origin", ""))
            for one in specialties
            for sub in [*one.get("subspecialties", []), one]
        ]
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError, AttributeError):
        raise UsageError(
            f"{path.name} contains no list of specialties with name and words"
        ) from None
    for topic in topics:
        if not topic.words or not all(
            isinstance(word, str) and word.strip() for word in topic.words
        ):
            raise UsageError(f"{path.name}: {topic.name} has no search words")
    return tuple(topics)


def chosen(topics: Sequence[Topic], names: Sequence[str]) -> tuple[Topic, ...]:
    """The topics that a name stands for: a specialty with all its subspecialties, or one
    subspecialty; all without a name.

    Case does not count. Raises UsageError that names the nearest ones where there is no such topic.
    """
    if not names:
        return tuple(topics)
    wanted = {name.strip().casefold() for name in names}
    known = {
        name.casefold(): name for topic in topics for name in (topic.specialty, topic.subtopic)
    }
    for name in names:
        if name.strip().casefold() not in known:
            raise UsageError(
                f'--specialty: there is no "{name.strip()}"; near it: '
                f"{', '.join(_nearest(name, list(known.values())))}"
            )
    return tuple(
        topic
        for topic in topics
        if wanted & {topic.specialty.casefold(), topic.subtopic.casefold()}
    )


def _nearest(name: str, known: list[str]) -> list[str]:
    from rapidfuzz import process

    return [found for found, _, _ in process.extract(name, known, limit=3)]


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
