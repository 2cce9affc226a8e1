"""Papers as Semantic Scholar gives them, read into articles. What it does not say stays empty.

{"paperId": …, "externalIds": {"PubMed": "…", "DOI": "…", "PubMedCentral": "…"}, "title": …,
 "abstract": …|null, "authors": [{"name": …}], "venue": …, "journal": {"name": …, "volume": …,
 "pages": …}|null, "year": …|null, "publicationDate": "YYYY-MM-DD"|null, "publicationTypes":
 […]|null}
"""

import re
from contextlib import suppress
from dataclasses import replace
from datetime import date
from typing import Any

from clinfo.pubmed.dates import published_ranges, read_days
from clinfo.records.articles import (
    Article,
    DateInterval,
    SearchRequest,
    Unreadable,
)
from clinfo.references.record import record
from clinfo.text.identifiers import find_doi, read_pmid
from clinfo.text.markup import unmarked

DATES = "year,publicationDate"
FIELDS = (
    f"title,abstract,authors,venue,publicationVenue,journal,publicationTypes,externalIds,{DATES}"
)
"""The fields requested for each paper; ``paperId`` always comes."""

_PAPER = re.compile(r"[0-9a-f]{40}")
_VOLUME_ISSUE = re.compile(r"(\d+) +(\d+(?:[-–/]\d+)?)")
"""A volume that holds the issue too, as many of the service's do: "279 1"."""


Dates = tuple[DateInterval | None, date | None]
"""The dates at which a paper appeared, as far as they are known: as cited, and before that day
online.
"""


def ids_of(paper: Any) -> tuple[str, ...]:
    """Every article id of a paper, the one that stands for it first: ``pmid:``, else ``doi:``, else
    ``s2:``; () for none.
    """
    if not isinstance(paper, dict):
        return ()
    pmid, doi, own = (
        read_pmid(_external(paper, "PubMed")),
        find_doi(_external(paper, "DOI")),
        paper.get("paperId"),
    )
    found = [f"pmid:{pmid}"] if pmid else []
    found += [f"doi:{doi}"] if doi else []
    return (*found, *([f"s2:{own}"] if isinstance(own, str) and _PAPER.fullmatch(own) else []))


def asked_as(id: str) -> str | None:
    """Return how the service is asked for an article id; None for an id that none of its papers can
    have.
    """
    kind, _, value = id.partition(":")
    if kind == "pmid" and read_pmid(value) == value:
        return f"PMID:{value}"
    if (
        kind == "doi"
        and find_doi(value) == value.lower()
        and value.isprintable()
        and not re.search(r"(?:^|/)\.{1,2}(?:/|$)", value)
    ):
        return f"DOI:{value}"
    return value if kind == "s2" and _PAPER.fullmatch(value) else None


def matched(asked: list[str], papers: list[Any]) -> dict[str, Any]:
    """The paper of each id asked, as far as one came: told by the ids it states, its place counts
    where it states none.

    A paper without the kind of id that was asked (a PMID that the service knows but does not show)
    is taken by its place among as many as were asked.
    """
    found: dict[str, Any] = {}
    wanted = set(asked)
    for paper in papers:
        for id in ids_of(paper):
            if id in wanted:
                found.setdefault(id, paper)
    if len(papers) == len(asked):
        for id, paper in zip(asked, papers, strict=True):
            stated = ids_of(paper)
            if (
                id not in found
                and stated
                and not any(one in wanted or _kind(one) == _kind(id) for one in stated)
            ):
                found[id] = paper
    return found


def read(id: str, paper: Any) -> Article | Unreadable:
    """A paper as the article of this id."""
    if not isinstance(paper, dict):
        return Unreadable(id, "Semantic Scholar sent something that is not a paper")
    title = _text(paper.get("title"))
    if not title:
        return Unreadable(id, "Semantic Scholar has no title for it")
    journal, venue = _object(paper.get("journal")), _object(paper.get("publicationVenue"))
    volume = _text(journal.get("volume"))
    both = _VOLUME_ISSUE.fullmatch(volume)
    people, kinds = (paper.get(name) or [] for name in ("authors", "publicationTypes"))
    pmid, doi, pmcid = (_external(paper, name) for name in ("PubMed", "DOI", "PubMedCentral"))
    published, electronic = dates_of(paper)
    made = record(
        0,
        title=title,
        abstract=_text(paper.get("abstract")),
        authors=[_text(_object(one).get("name")) for one in people],
        journal=_text(journal.get("name")) or _text(paper.get("venue")) or _text(venue.get("name")),
        volume=both[1] if both else volume,
        issue=both[2] if both else "",
        pages=_text(journal.get("pages")).replace(" ", ""),
        dates=[],
        pmid=read_pmid(pmid),
        doi=doi if find_doi(doi) else "",
        pmcid=f"PMC{pmcid.upper().removeprefix('PMC')}",
        languages=[],
        types=[re.sub(r"(?<=[a-z])(?=[A-Z])", " ", _text(one)) for one in kinds],
        keywords=[],
    )
    return replace(made.article, id=id, published=published, electronic=electronic)


def dates_of(paper: Any) -> Dates:
    """Return when a paper appeared. The year is the one cited; the day may be that of another form
    of it, mostly the one online.

    The service puts down a month without a day as its first day and a year alone as 1 January, so
    these days stand for the whole month and the whole year. A day in a year before the cited one
    counts as electronic; after it, as the date itself.
    """
    if not isinstance(paper, dict):
        return None, None
    year, day = paper.get("year"), _day(paper.get("publicationDate"))
    cited = (
        year if isinstance(year, int) and not isinstance(year, bool) and 1 <= year <= 9999 else None
    )
    if day is None:
        return _interval(f"{cited:04}") if cited else None, None
    whole = day.isoformat()[: 4 if day.month == 1 else 7]
    stated = _interval(whole if day.day == 1 else day.isoformat())
    if cited is not None and day.year < cited:
        return _interval(f"{cited:04}"), stated.end
    return stated, None


def may_lie_within(when: Dates, request: SearchRequest) -> bool:
    """Return whether the chain's rule may keep a paper of these dates; an undated one stays,
    because the chain says why it goes.
    """
    published, electronic = when
    found = [(published.start, published.end)] if published else []
    found += [(electronic, electronic)] if electronic else []
    within = (
        any(start <= last and end >= first for start, end in found)
        for first, last in published_ranges(request)
    )
    return not found or all(within)


def _kind(id: str) -> str:
    return id.partition(":")[0]


def _external(paper: dict[str, Any], name: str) -> str:
    value = _object(paper.get("externalIds")).get(name)
    return (
        str(value).strip() if isinstance(value, (str, int)) and not isinstance(value, bool) else ""
    )


def _text(value: Any) -> str:
    """Text on one line without markup; "" for anything else."""
    return unmarked(value) if isinstance(value, str) else ""


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _day(value: Any) -> date | None:
    with suppress(ValueError):
        return date.fromisoformat(value) if isinstance(value, str) else None
    return None


def _interval(text: str) -> DateInterval:
    """The days of a year, a month or a day, in digits."""
    first, last = read_days(text) or (date.min, date.max)
    return DateInterval(first, last, text)
