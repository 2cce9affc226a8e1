"""A reference list compared with a source's records and a retraction list: every reference has a
result, none is left out.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from clinfo.errors import QueryRejected, RecordError
from clinfo.files import file_errors
from clinfo.integrity.notices import RECORD, notices
from clinfo.integrity.reference_lists import Listed, ReferenceList, read_reference_list
from clinfo.integrity.retractions import Retractions
from clinfo.records.appraisal import Notice, NoticeKind
from clinfo.records.articles import Article, SearchRequest
from clinfo.references.reading import decoded
from clinfo.sources.registry import ArticleSource
from clinfo.text.identifiers import find_doi

How = Literal["record", "list", "not found", "not identified"]
"""By what a reference was checked: the source's record (and the list where there is one); the list
alone; or by nothing, because there is no record and no list, or neither PMID nor DOI."""

DOIS_AT_ONCE = 20
"""DOIs of one search; a query of so many stays within what an address may hold."""
PMIDS_AT_ONCE = 1_000
BESIDE = 2
"""Words beside an identifier up to which a line is no title ("see", a label)."""
UNLIKE = 45.0
"""Per cent of shared words below which two titles are told to differ (rapidfuzz's token set
ratio).
"""
MOST_BYTES = 32_000_000
"""Of a list; 25 MB hold 70,000 references with their abstracts."""


@dataclass(frozen=True)
class Checked:
    """One reference: how it was checked, its record where there is one, what is to be known, and
    what is odd about it.
    """

    listed: Listed
    how: How
    record: Article | None = None
    notices: tuple[Notice, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def retracted(self) -> bool:
        return any(one.kind == "retracted" for one in self.notices)


def reference_list(path: Path) -> ReferenceList:
    """The references of a file. Raises UsageError where it cannot be opened, RecordError where it
    holds none that can be read.
    """
    with file_errors(f"the file {path.name} cannot be opened"), path.open("rb") as stream:
        raw = stream.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise RecordError(
            f"{path.name} is longer than {MOST_BYTES // 1_000_000} MB: divide it into several files"
        )
    try:
        return read_reference_list(decoded(raw), path.name)
    except RecordError as error:
        raise RecordError(f"{path.name} {error}") from None


async def check(
    references: Sequence[Listed],
    source: ArticleSource | None,
    retractions: Retractions | None,
    fresh: bool = False,
) -> tuple[Checked, ...]:
    """The references in their order, checked. Without a source the list alone is asked. Raises
    SourceError.
    """
    by_pmid: dict[str, Article] = {}
    by_doi: dict[str, Article] = {}
    unreadable: dict[str, str] = {}
    if source is not None:
        pmids = dict.fromkeys(one.article.pmid for one in references if one.article.pmid)
        by_pmid, unreadable = await _fetched(source, [f"pmid:{pmid}" for pmid in pmids], fresh)
        # A DOI is looked for where no PMID was found, and where the record that was found has
        # another one.
        dois = dict.fromkeys(
            one.article.doi for one in references if one.article.doi and not _fits(one, by_pmid)
        )
        by_doi = await _by_doi(source, [doi for doi in dois if doi], fresh)
    records = {one.place: _records(one, by_pmid, by_doi) for one in references}
    every = [
        *(record for found in records.values() for record in found),
        *(one.article for one in references),
    ]
    told = _told(every, retractions)
    checked = tuple(
        _checked(one, records[one.place], told, unreadable, source, retractions)
        for one in references
    )
    return tuple(_repeats(checked))


def _repeats(checked: Sequence[Checked]) -> Iterator[Checked]:
    """The references, each that names the article of an earlier one with a remark that says so."""
    seen: dict[str, int] = {}
    for one in checked:
        named = [id for id in (one.listed.article.pmid, one.listed.article.doi) if id]
        ids = [one.record.id] if one.record else named
        first = next((seen[id] for id in ids if id in seen), None)
        again = f"it is the same as reference {first}"
        yield one if first is None else replace(one, remarks=(*one.remarks, again))
        for id in ids:
            seen.setdefault(id, one.listed.place)


def _fits(one: Listed, by_pmid: Mapping[str, Article]) -> bool:
    record = by_pmid.get(one.article.pmid or "")
    return record is not None and find_doi(record.doi) in ("", one.article.doi)


def _records(
    one: Listed, by_pmid: Mapping[str, Article], by_doi: Mapping[str, Article]
) -> list[Article]:
    """The record that the PMID leads to, and the one that the DOI leads to where it is another."""
    found = [by_pmid.get(one.article.pmid or ""), by_doi.get(one.article.doi or "")]
    return list({record.id: record for record in found if record is not None}.values())


async def _fetched(
    source: ArticleSource, ids: Sequence[str], fresh: bool
) -> tuple[dict[str, Article], dict[str, str]]:
    """Articles by PMID, and why the record of an id could not be read."""
    found: dict[str, Article] = {}
    unreadable: dict[str, str] = {}
    for start in range(0, len(ids), PMIDS_AT_ONCE):
        fetched = await source.fetch(ids[start : start + PMIDS_AT_ONCE], fresh)
        found.update((article.pmid, article) for article in fetched.articles if article.pmid)
        unreadable.update((one.id, one.reason) for one in fetched.unreadable)
    return found, unreadable


async def _by_doi(source: ArticleSource, dois: Sequence[str], fresh: bool) -> dict[str, Article]:
    """Articles by DOI, searched for many at a time; one that a query cannot hold is not found."""
    sayable = [doi for doi in dois if not set(doi) & set('"*[]')]
    ids: dict[str, None] = {}
    for start in range(0, len(sayable), DOIS_AT_ONCE):
        some = sayable[start : start + DOIS_AT_ONCE]
        try:
            ids.update(dict.fromkeys(await _search(source, some, fresh)))
        except QueryRejected:
            for doi in some:
                try:
                    ids.update(dict.fromkeys(await _search(source, [doi], fresh)))
                except QueryRejected:
                    continue
    articles, _ = await _fetched(source, list(ids), fresh)
    wanted = set(dois)
    found: dict[str, Article] = {}
    for article in articles.values():
        doi = find_doi(article.doi)
        if doi in wanted and (
            doi not in found
            or "published erratum" in {kind.lower() for kind in found[doi].publication_types}
        ):
            found[doi] = article
    return found


async def _search(source: ArticleSource, dois: Sequence[str], fresh: bool) -> tuple[str, ...]:
    query = " OR ".join(f'"{doi}"[aid]' for doi in dois)
    return (await source.search(SearchRequest(query, limit=5 * len(dois), fresh=fresh))).ids


def _told(articles: Sequence[Article], retractions: Retractions | None) -> dict[str, list[Notice]]:
    """Notices by id: of the records, and of the references as the file has them, which go by their
    number.
    """
    distinct = {article.id: article for article in articles}
    told: dict[str, list[Notice]] = {}
    for one in notices(list(distinct.values()), retractions):
        told.setdefault(one.id, []).append(one)
    return told


def _checked(
    one: Listed,
    records: Sequence[Article],
    told: Mapping[str, list[Notice]],
    unreadable: Mapping[str, str],
    source: ArticleSource | None,
    retractions: Retractions | None,
) -> Checked:
    found = _merged([told.get(record.id, []) for record in records], told.get(one.article.id, []))
    if not one.identified:
        return Checked(
            one,
            "not identified",
            None,
            found,
            ("it has no PMID or DOI, so it could not be checked",),
        )
    if records:
        return Checked(one, "record", records[0], found, tuple(_oddities(one, records)))
    beside = (
        ""
        if retractions is not None
        else ", and no retraction list is loaded, so it was not checked"
    )
    remarks: tuple[str, ...] = ()
    if source is not None:
        unread = unreadable.get(f"pmid:{one.article.pmid}")
        why = (
            f"its record could not be read ({unread})"
            if unread
            else f"it was not found in {name_of(source)}"
        )
        remarks = (why + beside,)
    return Checked(one, "list" if retractions is not None else "not found", None, found, remarks)


def name_of(source: ArticleSource) -> str:
    """Return what a source is called; a file without its folders."""
    return source.name.replace("\\", "/").rpartition("/")[2] or source.name


def _merged(
    of_records: Sequence[Sequence[Notice]], as_written: Sequence[Notice]
) -> tuple[Notice, ...]:
    """The records' notices, and those on the reference as the file has it of which no record says
    anything.
    """
    merged: dict[str, Notice] = {one.kind: one for told in reversed(of_records) for one in told}
    own = {one.kind for one in of_records[0]} if of_records else set()
    for one in as_written:
        # A record knows better than a list or an old file which version it is.
        newer = {
            "retracted": {"retraction notice", "retracted and republished"},
            "preprint": {"preprint with a published version"},
        }
        if one.kind not in merged and not own & newer.get(one.kind, set()):
            merged[one.kind] = (
                replace(one, reported_by="the reference itself")
                if one.reported_by == RECORD
                else one
            )
    return tuple(merged.values())


def _oddities(one: Listed, records: Sequence[Article]) -> list[str]:
    """Return what does not fit between a reference and the records that its identifiers lead to."""
    from rapidfuzz import fuzz, utils

    record, by_pmid = records[0], records[0].pmid == one.article.pmid
    odd: list[str] = []
    if one.article.pmid and not by_pmid:
        odd.append(f"its PMID was not found; its DOI belongs to PMID {record.pmid}")
    if len(records) > 1:
        odd.append(
            f"its PMID and its DOI belong to different articles: the DOI to PMID {records[1].pmid}"
        )
    elif by_pmid and one.article.doi and (held := find_doi(record.doi)) and held != one.article.doi:
        odd.append(f"its PMID belongs to an article with another DOI: {held}")
    names = [name for name in (record.title, record.vernacular_title) if name]
    ids = [id for id in (one.article.pmid, one.article.doi) if id]
    words = one.article.title.casefold().split()
    own = [word for word in words if not any(id in word for id in ids)]
    if words and names and (own == words or len(own) > BESIDE):
        alike = max(
            fuzz.token_set_ratio(one.article.title, name, processor=utils.default_process)
            for name in names
        )
        if alike < UNLIKE:
            odd.append(
                f"its {'PMID' if by_pmid else 'DOI'} belongs to an article with another title: "
                f"{record.title}"
            )
    return odd


def reference_form(one: Checked) -> dict[str, Any]:
    """One reference: what it says of itself, by what it was checked, its notices and remarks."""
    article = one.listed.article
    notices = [
        {key: value for key, value in asdict(notice).items() if key != "id"}
        for notice in one.notices
    ]
    return {
        "n": one.listed.place,
        "line": one.listed.line,
        "pmid": article.pmid,
        "doi": article.doi,
        "title": article.title,
        "checked_by": one.how,
        "record": one.record.id if one.record else None,
        "record_title": one.record.title if one.record else None,
        "notices": notices,
        "remarks": list(one.remarks),
    }


def reference_counts(checked: Sequence[Checked]) -> dict[str, Any]:
    """Counts of references by what they were checked with, and `kinds_found`."""
    how = Counter(one.how for one in checked)
    return {
        "references": len(checked),
        "by_record": how["record"],
        "by_list_alone": how["list"],
        "not_found": how["not found"],
        "not_identified": how["not identified"],
        "kinds": kinds_found(checked),
    }


def kinds_found(checked: Sequence[Checked]) -> dict[str, int]:
    """Counts of references with a notice of each kind, gravest first."""
    counted = Counter[str](notice.kind for one in checked for notice in one.notices)
    return {kind: counted[kind] for kind in get_args(NoticeKind) if counted[kind]}
