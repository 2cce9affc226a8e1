"""The check that an answer kept to its regime: everything it used is checked again, by the chain's
one rule, after the fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from benchmarks.pubmedrs200.running.records import Leak
from clinfo.errors import ClinfoError
from clinfo.pipelines.literature.search.retrieve import exclusion_reason
from clinfo.records.articles import Article, RunRequest
from clinfo.sources.registry import ArticleSource

SOURCE: Final = "the source review itself"
_NAMED: Final = re.compile(
    r"(?:PMID\W{0,3}|pubmed\.ncbi\.nlm\.nih\.gov/|nih\.gov/pubmed/)([1-9]\d{0,8})(?!\d)",
    re.IGNORECASE,
)
_DOI: Final = re.compile(r"\b10\.\d{4,9}/\S")
_SURE_DIGITS: Final = 7
"""A number of so many digits that equals a PMID is that PMID; a shorter one has to be called so."""


class Lookup:
    """Records of the run's source by PMID, asked for once. Without a source nothing is known."""

    def __init__(self, source: ArticleSource | None) -> None:
        self._source = source
        self._known: dict[str, Article | None] = {}

    async def articles(self, pmids: Iterable[str]) -> Mapping[str, Article]:
        """The records that the source has of these PMIDs; none of those that it could not be asked
        for.
        """
        wanted = list(dict.fromkeys(pmids))
        new = [pmid for pmid in wanted if pmid not in self._known]
        if new and self._source is not None:
            try:
                fetched = await self._source.fetch([f"pmid:{pmid}" for pmid in new])
            except ClinfoError:
                new = []  # asked again when next needed
            else:
                self._known |= {
                    article.pmid: article for article in fetched.articles if article.pmid
                }
            for pmid in new:
                self._known.setdefault(pmid, None)
        return {pmid: found for pmid in wanted if (found := self._known.get(pmid)) is not None}

    async def held(self, pmids: Iterable[str]) -> Mapping[str, Article | None] | None:
        """The record of each of these PMIDs, None where the source has none; None for all where it
        could not be asked for one.
        """
        wanted = list(dict.fromkeys(pmids))
        if self._source is None:
            return None
        await self.articles(wanted)
        return (
            {pmid: self._known[pmid] for pmid in wanted}
            if all(pmid in self._known for pmid in wanted)
            else None
        )

    async def doi(self, pmid: str) -> str:
        """The DOI of a record, "" where the source does not say."""
        found = (await self.articles([pmid])).get(pmid)
        return found.doi or "" if found else ""


def of_articles(
    used: Iterable[tuple[str, Article]], request: RunRequest, own_doi: str = ""
) -> tuple[Leak, ...]:
    """The articles among ``used`` (where, article) that the request forbids. A record without a
    PMID is known by its DOI.
    """
    leaks: dict[str, Leak] = {}
    for where, article in used:
        reason = exclusion_reason(article, request)
        if (
            reason is None
            and request.drop
            and own_doi
            and (article.doi or "").lower() == own_doi.lower()
        ):
            reason = f"{SOURCE}, by its DOI"
        if reason is not None:
            leaks.setdefault(
                article.pmid or article.id, Leak(article.pmid or article.id, where, reason)
            )
    return tuple(leaks.values())


def later(used: Mapping[str, Article | None], request: RunRequest) -> tuple[str, ...]:
    """The PMIDs among ``used`` that are higher than that of the review, in the restricted regime,
    of no known day of entry.

    PMIDs grow with the day on which records are entered into PubMed, so these were probably entered
    after the review; ``used`` has the record of each PMID, None where there is none.
    """
    if request.before is None or not request.drop:
        return ()
    own = int(request.drop[0])
    return tuple(
        pmid
        for pmid, one in used.items()
        if int(pmid) > own and (one is None or one.entered is None)
    )


def of_text(texts: Mapping[str, str], request: RunRequest, own_doi: str = "") -> tuple[Leak, ...]:
    """The dropped articles that ``texts`` (by where) name by PMID, and the source by its DOI."""
    leaks = []
    for pmid in request.drop:
        for where, text in texts.items():
            if named(text, pmid):
                leaks.append(Leak(pmid, where, f"{SOURCE}, by its PMID"))
            elif names_doi(text, own_doi):
                leaks.append(Leak(pmid, where, f"{SOURCE}, by its DOI"))
    return tuple(leaks)


def named(text: str, pmid: str) -> bool:
    """Return whether a text names this PMID."""
    if len(pmid) >= _SURE_DIGITS and re.search(rf"(?<![\d.]){pmid}(?!\d|\.\d)", text):
        return True
    return pmid in pmids_named(text)


def names_doi(text: str, doi: str) -> bool:
    """Return whether a text holds this DOI, and not merely a longer one that begins with it, as
    that of a later version does.
    """
    return (
        bool(doi)
        and re.search(rf"{re.escape(doi)}(?![\w-]|[./]\w)", text, re.IGNORECASE) is not None
    )


def pmids_named(text: str) -> list[str]:
    """The PMIDs that a text calls so, or links to."""
    return list(dict.fromkeys(_NAMED.findall(text)))


async def of_others(
    used: Sequence[tuple[str, str]],
    texts: Mapping[str, str],
    references: Sequence[Mapping[str, Any]],
    request: RunRequest,
    lookup: Lookup,
) -> tuple[tuple[Leak, ...], tuple[str, ...]]:
    """Return what an external system used (where, PMID), said and listed: (leaks, what could not be
    checked, see `Record`).

    Dates are needed in the restricted regime only. The source review counts wherever it is named,
    its DOI included; a reference without PMID may be that review unless both their DOIs are known.
    """
    own_doi = await lookup.doi(request.drop[0]) if request.drop else ""
    places: dict[str, str] = {}
    for where, pmid in (
        *used,
        *(("text", pmid) for text in texts.values() for pmid in pmids_named(text)),
    ):
        places.setdefault(pmid, where)
    leaks = {
        pmid: Leak(pmid, where, "dropped on request")
        for pmid, where in places.items()
        if pmid in request.drop
    }
    written = {"text": "\n".join(texts.values()), "references": "\n".join(_strings(references))}
    for leak in of_text(written, request, own_doi):
        leaks.setdefault(leak.pmid, leak)
    unchecked: list[str] = []
    if request.before is not None:
        dated = {pmid: where for pmid, where in places.items() if pmid not in leaks}
        known = await lookup.articles(dated)
        unchecked = [pmid for pmid in dated if pmid not in known or not _is_dated(known[pmid])]
        for leak in of_articles(
            ((dated[pmid], one) for pmid, one in known.items() if pmid not in unchecked),
            request,
            own_doi,
        ):
            leaks.setdefault(leak.pmid, leak)
    for number, reference in enumerate(references, 1):
        told_apart = bool(own_doi) and any(_DOI.search(text) for text in _strings(reference))
        if reference["pmid"] is None and (
            request.before is not None or (request.drop and not told_apart)
        ):
            unchecked.append(f"reference {number} without PMID")
    return tuple(leaks.values()), tuple(unchecked)


def _is_dated(article: Article) -> bool:
    return article.published is not None or article.electronic is not None


def _strings(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _strings(part)
