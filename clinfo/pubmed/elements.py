"""A citation out of a parsed XML element, whatever the order and the contents of its record.

Elements that are not known here are ignored. Markup inside titles and abstracts is flattened to its
text (`clinfo.text.markup`), white space to single spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from functools import lru_cache
from typing import Any

from lxml import etree

from clinfo.errors import RecordError
from clinfo.pubmed.citation import Citation, Heading, OtherAbstract, Qualifier
from clinfo.pubmed.dates import month_name, read_interval
from clinfo.records.articles import Article, Author, Book, Correction, DateInterval, Section
from clinfo.text.identifiers import electronic_page
from clinfo.text.markup import line_of

HISTORY = {"entrez": "crdt", "pubmed": "edat", "medline": "mhda"}
"""PubStatus of a day in a record's history, and the date field that searches it."""
_NOT_AVAILABLE = "[not available]"
_DOI = re.compile(r"10\.\d{2,9}/\S+")
_PMCID = re.compile(r"PMC\d+")


class _Node:
    """An element with its children by their tags, looked through once; one that is not there has
    none.
    """

    __slots__ = ("element", "held")

    def __init__(self, element: etree._Element | None) -> None:
        self.element = element
        self.held: dict[str, list[etree._Element]] = {}
        for child in () if element is None else element:
            self.held.setdefault(child.tag, []).append(child)

    def first(self, tag: str) -> etree._Element | None:
        return self.held[tag][0] if tag in self.held else None

    def node(self, tag: str) -> _Node:
        return _Node(self.first(tag))

    def line(self, tag: str) -> str:
        return line_of(self.held[tag][0]) if tag in self.held else ""

    def each(self, tag: str, inner: str = "") -> list[etree._Element]:
        """The children of this tag, or theirs of the tag ``inner``."""
        found = self.held.get(tag, [])
        return found if not inner else [one for each in found for one in each if one.tag == inner]

    def lines(self, tag: str, inner: str = "") -> tuple[str, ...]:
        return _unique(map(line_of, self.each(tag, inner)))

    def get(self, name: str) -> str | None:
        return None if self.element is None else self.element.get(name) or None


def read_citation(element: etree._Element) -> Citation:
    """The whole citation of one PubmedArticle, PubmedBookArticle or MedlineCitation element. Raises
    RecordError without a PMID.
    """
    if element.tag == "PubmedBookArticle":
        return _read_book(element)
    inner = element if element.tag == "MedlineCitation" else element.find("MedlineCitation")
    if inner is None:
        raise RecordError("the record has no MedlineCitation")
    citation, data = _Node(inner), _Node(element.find("PubmedData"))
    pmid = _pmid(citation.first("PMID"))
    body = citation.node("Article")
    if body.element is None:
        raise RecordError("the record has no Article")
    journal, info = body.node("Journal"), citation.node("MedlineJournalInfo")
    printed, abstract = journal.node("JournalIssue"), body.node("Abstract")
    links = [
        Correction(
            one.get("RefType", ""), line_of(one.find("RefSource")), _digits(one.find("PMID"))
        )
        for one in citation.each("CommentsCorrectionsList", "CommentsCorrections")
    ]
    cited = [*_cited(data), *(link.pmid for link in links if link.kind == "Cites")]
    vernacular = body.line("VernacularTitle") or None
    people = body.node("AuthorList")
    electronic = _days(body.each("ArticleDate"))
    history = _history(data)
    headings = tuple(filter(None, map(_heading, citation.each("MeshHeadingList", "MeshHeading"))))
    ids, places = _ids(data.each("ArticleIdList", "ArticleId")), _places(body)
    others = tuple(
        (one.get("Source") or "", text)
        for one in citation.each("OtherID")
        if (text := line_of(one))
    )
    article = Article(
        id=f"pmid:{pmid}",
        pmid=pmid,
        title=_title(body.line("ArticleTitle"), vernacular),
        sections=_sections(abstract.element) or _other_sections(citation),
        authors=_people(people.each("Author")),
        authors_complete=people.get("CompleteYN") != "N",
        journal=journal.line("Title") or None,
        journal_abbreviation=journal.line("ISOAbbreviation") or info.line("MedlineTA") or None,
        volume=printed.line("Volume") or None,
        issue=printed.line("Issue") or None,
        pages=_pages(body.node("Pagination"))
        or next(
            (page for kind, pii in places if kind == "pii" and (page := electronic_page(pii))), None
        ),
        published=_interval(printed.first("PubDate")),
        electronic=min(electronic, default=None),
        entered=history.get("crdt") or history.get("edat"),
        doi=_doi_in((*ids, *places)),
        pmcid=_pmcid_in(ids, others),
        vernacular_title=vernacular,
        languages=body.lines("Language"),
        publication_types=body.lines("PublicationTypeList", "PublicationType"),
        mesh=tuple(dict.fromkeys(heading.descriptor for heading in headings)),
        major=_unique(
            one.descriptor
            for one in headings
            if one.major or any(part.major for part in one.qualifiers)
        ),
        keywords=citation.lines("KeywordList", "Keyword"),
        databank_numbers=_unique(number for _, number in _databanks(body)),
        corrections=tuple(link for link in links if link.kind != "Cites"),
        references=_unique(cited),
        status=citation.get("Status"),
    )
    investigators = citation.each("InvestigatorList", "Investigator")
    return Citation(
        article=article,
        headings=headings,
        substances=_unique(
            (name, "" if (number := one.line("RegistryNumber")) == "0" else number)
            for one in map(_Node, citation.each("ChemicalList", "Chemical"))
            if (name := one.line("NameOfSubstance"))
        ),
        supplementary=citation.lines("SupplMeshList", "SupplMeshName"),
        other_abstracts=_other_abstracts(citation),
        investigators=_people(investigators),
        personal_subjects=_people(citation.each("PersonalNameSubjectList", "PersonalNameSubject")),
        **_beside([*people.each("Author"), *investigators], body),
        identifiers=tuple(dict.fromkeys((("pubmed", pmid), *ids, *places, *others))),
        days=_days_of(
            electronic,
            history,
            _days(citation.each("DateCompleted")),
            _days(citation.each("DateRevised")),
        ),
        all_electronic=electronic,
        issns=_unique((journal.line("ISSN"), info.line("ISSNLinking"))),
        nlm_id=info.line("NlmUniqueID") or None,
        medline_journal=info.line("MedlineTA") or None,
        country=info.line("Country") or None,
        subsets=citation.lines("CitationSubset"),
        databanks=tuple(dict.fromkeys(_databanks(body))),
        conflict=citation.line("CoiStatement") or None,
        copyright=abstract.line("CopyrightInformation") or None,
        space_flight=citation.lines("SpaceFlightMission"),
        gene_symbols=citation.lines("GeneSymbolList", "GeneSymbol"),
        general_notes=citation.lines("GeneralNote"),
        publication_status=data.line("PublicationStatus") or None,
        publication_model=body.get("PubModel"),
        indexing_method=citation.get("IndexingMethod"),
        owner=citation.get("Owner"),
        version=_version_of(citation.first("PMID")),
    )


def _beside(persons: list[etree._Element], body: _Node) -> dict[str, Any]:
    """Affiliations, identifiers and grants of a citation."""
    nodes = [_Node(person) for person in persons]
    grants = (
        ", ".join(
            text for tag in ("GrantID", "Acronym", "Agency", "Country") if (text := one.line(tag))
        )
        for one in map(_Node, body.each("GrantList", "Grant"))
    )
    return {
        "affiliations": _unique(
            text for one in nodes for text in one.lines("AffiliationInfo", "Affiliation")
        ),
        "author_identifiers": _unique(
            _bare(line_of(node)) for one in nodes for node in one.each("Identifier")
        ),
        "grants": _unique(grants),
    }


def _read_book(element: etree._Element) -> Citation:
    """A book or one of its chapters; a chapter's book stands in ``journal``, and its own date goes
    before the book's.
    """
    document = _Node(element.find("BookDocument"))
    if document.element is None:
        raise RecordError("the record has no BookDocument")
    pmid = _pmid(document.first("PMID"))
    data, book = _Node(element.find("PubmedBookData")), document.node("Book")
    publisher = book.node("Publisher")
    title, chapter = book.line("BookTitle"), document.line("ArticleTitle")
    vernacular = document.line("VernacularTitle") or None
    own = [one for one in document.each("AuthorList") if one.get("Type") == "authors"]
    people = _Node(own[0] if own else None)
    if not (authors := _people(people.each("Author"))):
        people = book.node("AuthorList")
        authors = _people(people.each("Author"))
    ids = _ids(
        document.each("ArticleIdList", "ArticleId") or data.each("ArticleIdList", "ArticleId")
    )
    history, places, isbns = _history(data), _places(book), book.lines("Isbn")
    editors = tuple(
        person
        for node in (document, book)
        for people_of in node.each("AuthorList")
        if people_of.get("Type") == "editors"
        for person in _people(people_of)
    )
    article = Article(
        id=f"pmid:{pmid}",
        pmid=pmid,
        title=chapter or _title(title, vernacular),
        sections=_sections(document.first("Abstract")),
        authors=authors,
        authors_complete=people.get("CompleteYN") != "N",
        journal=title if chapter and title else None,
        volume=book.line("Volume") or None,
        pages=_pages(document.node("Pagination")),
        published=_interval(document.first("ContributionDate")) or _interval(book.first("PubDate")),
        entered=history.get("crdt") or history.get("edat"),
        doi=_doi_in((*ids, *places)),
        pmcid=_pmcid_in(ids, ()),
        vernacular_title=vernacular,
        languages=document.lines("Language"),
        publication_types=document.lines("PublicationType"),
        keywords=document.lines("KeywordList", "Keyword"),
        references=_unique(_cited(data)),
        status=data.line("PublicationStatus") or None,
        book=Book(
            title if chapter and title else None,
            editors,
            book.line("Edition") or None,
            publisher.line("PublisherName") or None,
            publisher.line("PublisherLocation") or None,
            isbns[0] if isbns else None,
        ),
    )
    return Citation(
        article=article,
        other_abstracts=_other_abstracts(document),
        investigators=_people(
            one
            for node in (document, book)
            for one in node.each("InvestigatorList", "Investigator")
        ),
        editors=editors,
        **_beside(list(document.element.iter("Author", "Investigator")), document),
        identifiers=tuple(dict.fromkeys((("pubmed", pmid), *ids, *places))),
        days=_days_of((), history, (), _days(document.each("DateRevised"))),
        country=publisher.line("PublisherLocation") or None,
        publication_status=data.line("PublicationStatus") or None,
        version=_version_of(document.first("PMID")),
        book=title or None,
        collection=book.line("CollectionTitle") or None,
        isbns=isbns,
        publisher=publisher.line("PublisherName") or None,
    )


def _title(title: str, vernacular: str | None) -> str:
    """The title; where there is none, the vernacular title."""
    if title.rstrip(". ").lower() in ("", _NOT_AVAILABLE):
        return vernacular or "[Not Available]."
    return title


_kept_interval = lru_cache(maxsize=1 << 12)(read_interval)


def _bare(text: str) -> str:
    """An author's identifier without the address in front of it that some are written with."""
    return text.rstrip("/").rpartition("/")[2] if "://" in text else text


def _doi_in(identifiers: Iterable[tuple[str, str]]) -> str | None:
    """The first DOI among the identifiers of an article."""
    for kind, value in identifiers:
        if kind == "doi" and (found := _DOI.search(value)):
            return found[0]
    return None


def _pmcid_in(
    identifiers: Iterable[tuple[str, str]], others: Iterable[tuple[str, str]]
) -> str | None:
    """The first PMC id among an article's identifiers, else among its OtherIDs."""
    values = [value for kind, value in identifiers if kind in ("pmc", "pmcid")] + [
        value for _, value in others
    ]
    for value in values:
        if found := _PMCID.search(value):
            return found[0]
    return None


def _days_of(
    electronic: tuple[date, ...],
    history: dict[str, date],
    completed: tuple[date, ...],
    revised: tuple[date, ...],
) -> dict[str, date]:
    """The days of a citation by date field."""
    days = {"epdat": min(electronic)} if electronic else {}
    days.update(history)
    if completed:
        days["dcom"] = completed[0]
    if revised:
        days["lr"] = revised[0]
    return days


def _version_of(pmid: etree._Element | None) -> int:
    version = "" if pmid is None else pmid.get("Version") or ""
    return int(version) if re.fullmatch(r"[0-9]{1,9}", version) else 1


def _unique(texts: Iterable) -> tuple:  # type: ignore[type-arg]
    return tuple(dict.fromkeys(text for text in texts if text))


def _digits(element: etree._Element | None) -> str | None:
    text = line_of(element)
    return text if re.fullmatch(r"[0-9]+", text) else None


def _pmid(element: etree._Element | None) -> str:
    pmid = _digits(element)
    if pmid is None:
        raise RecordError("the record has no PMID")
    return pmid


def _label(text: str) -> str | None:
    """The label of a section as printed."""
    label = " ".join(text.split())
    return label if label and label.upper() != "UNLABELLED" else None


def _sections(abstract: etree._Element | None) -> tuple[Section, ...]:
    nodes = () if abstract is None else abstract
    return tuple(
        Section(text, _label(node.get("Label") or ""), node.get("NlmCategory") or None)
        for node in nodes
        if node.tag == "AbstractText" and (text := line_of(node))
    )


def _other_sections(citation: _Node) -> tuple[Section, ...]:
    """The abstract of a record that has none of its own: the first beside it in English."""
    english = (
        node for node in citation.each("OtherAbstract") if node.get("Language") in (None, "eng")
    )
    return next(filter(None, map(_sections, english)), ())


def _other_abstracts(citation: _Node) -> tuple[OtherAbstract, ...]:
    found = []
    for node in citation.each("OtherAbstract"):
        parts = _sections(node)
        if parts:
            text = " ".join(
                f"{part.label}: {part.text}" if part.label else part.text for part in parts
            )
            found.append(
                OtherAbstract(text, node.get("Type") or None, node.get("Language") or None)
            )
    return tuple(found)


def _people(people: Iterable[etree._Element]) -> tuple[Author, ...]:
    """Persons and groups in order; names marked as invalid are misprints that the valid one
    follows.
    """
    found = []
    for one in people:
        if one.get("ValidYN") == "N":
            continue
        node = _Node(one)
        last, fore, initials, suffix, group = (
            node.line(name) or None
            for name in ("LastName", "ForeName", "Initials", "Suffix", "CollectiveName")
        )
        if last or fore:
            found.append(Author(last or fore or "", last and fore, initials, suffix))
        elif group:
            found.append(Author(group, collective=True))
    return tuple(found)


def _heading(node: etree._Element) -> Heading | None:
    descriptor = next((one for one in node if one.tag == "DescriptorName"), None)
    if descriptor is None or not (name := line_of(descriptor)):
        return None
    return Heading(
        name,
        descriptor.get("UI") or None,
        descriptor.get("MajorTopicYN") == "Y",
        tuple(
            Qualifier(
                line_of(qualifier),
                qualifier.get("UI") or None,
                qualifier.get("MajorTopicYN") == "Y",
            )
            for qualifier in node
            if qualifier.tag == "QualifierName"
        ),
    )


def _pages(pagination: _Node) -> str | None:
    whole, *ends = (pagination.line(tag) for tag in ("MedlinePgn", "StartPage", "EndPage"))
    return whole or "-".join(filter(None, ends)) or None


def _interval(element: etree._Element | None) -> DateInterval | None:
    if element is None:
        return None
    node = _Node(element)
    year, month, day, season, whole = (
        node.line(tag) for tag in ("Year", "Month", "Day", "Season", "MedlineDate")
    )
    parts = (year, month_name(month), day) if month else (year, season)
    return _kept_interval(whole or " ".join(filter(None, parts)))


def _days(elements: Iterable[etree._Element]) -> tuple[date, ...]:
    """Full dates; where a day or month is missing, the last that it may mean."""
    return tuple(
        dict.fromkeys(
            interval.end for element in elements if (interval := _interval(element)) is not None
        )
    )


def _history(data: _Node) -> dict[str, date]:
    days: dict[str, date] = {}
    for node in data.each("History", "PubMedPubDate"):
        store = HISTORY.get(node.get("PubStatus") or "")
        if store and store not in days and (found := _days([node])):
            days[store] = found[0]
    return days


def _cited(data: _Node) -> Iterator[str | None]:
    for one in data.each("ReferenceList"):
        for node in one.iter("ArticleId"):
            if node.get("IdType") == "pubmed":
                yield _digits(node)


def _ids(nodes: Iterable[etree._Element]) -> tuple[tuple[str, str], ...]:
    return tuple((node.get("IdType") or "", text) for node in nodes if (text := line_of(node)))


def _places(body: _Node) -> tuple[tuple[str, str], ...]:
    """The electronic places of an article (DOI, PII) that are not marked as invalid."""
    nodes = (node for node in body.each("ELocationID") if node.get("ValidYN") != "N")
    return tuple((node.get("EIdType") or "", text) for node in nodes if (text := line_of(node)))


def _databanks(body: _Node) -> Iterator[tuple[str, str]]:
    for bank in map(_Node, body.each("DataBankList", "DataBank")):
        name = bank.line("DataBankName")
        yield from (
            (name, number)
            for number in bank.lines("AccessionNumberList", "AccessionNumber") or [""]
        )
