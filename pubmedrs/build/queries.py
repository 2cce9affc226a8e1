"""The search for a topic's systematic reviews, in PubMed's language."""

from __future__ import annotations

from datetime import date

from pubmedrs.build.topics import Topic

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
