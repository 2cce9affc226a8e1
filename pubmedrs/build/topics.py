"""Specialties and subspecialties with the words that they are searched with."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path

from clinfo.errors import UsageError
from clinfo.files import file_errors

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
