"""A citation out of a parsed XML element, whatever the order and the contents of its record.

Elements that are not known here are ignored. Markup inside titles and abstracts is flattened to its
text (`clinfo.text.markup`), white space to single spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from functools import lru_cache

from lxml import etree

from clinfo.errors import RecordError
from clinfo.pubmed.citation import Citation, Heading, OtherAbstract, Qualifier
from clinfo.pubmed.dates import month_name, read_interval
from clinfo.records.articles import Article, Author, Book, Correction, DateInterval, Section
from clinfo.text.markup import line_of

HISTORY = {"entrez": "crdt", "pubmed": "edat", "medline": "mhda"}
"""PubStatus of a day in a record's history, and the date field that searches it."""
_NOT_AVAILABLE = "[not available]"
_DOI = re.compile(r"10\.\d{2,9}/\S+")
_PMCID = re.compile(r"PMC\d+")


def read_citation(element: etree._Element) -> Citation:
    """The whole citation of one PubmedArticle, PubmedBookArticle or MedlineCitation element. Raises
    RecordError without a PMID.
    """
    if element.tag == "PubmedBookArticle":
        return _read_book(element)
    citation = element if element.tag == "MedlineCitation" else element.find("MedlineCitation")
    if citation is None:
        raise RecordError("the record has no MedlineCitation")
    pmid = _pmid(citation.find("PMID"))
    body = citation.find("Article")
    if body is None:
        raise RecordError("the record has no Article")
    data = element.find("PubmedData")
    own_ids = None if data is None else data.find("ArticleIdList")
    links = [
        Correction(
            link.get("RefType", ""), line_of(link.find("RefSource")), _digits(link.find("PMID"))
        )
        for link in citation.iterfind("CommentsCorrectionsList/CommentsCorrections")
    ]
    cited = [*_cited(data), *(link.pmid for link in links if link.kind == "Cites")]
    vernacular = line_of(body.find("VernacularTitle")) or None
    people = body.find("AuthorList")
    electronic = _days(body.iterfind("ArticleDate"))
    history = _history(data)
    headings = tuple(filter(None, map(_heading, citation.iterfind("MeshHeadingList/MeshHeading"))))
    ids, places = _ids(own_ids), _places(body)
    others = tuple(
        (node.get("Source") or "", text)
        for node in citation.iterfind("OtherID")
        if (text := line_of(node))
    )
    article = Article(
        id=f"pmid:{pmid}",
        pmid=pmid,
        title=_title(line_of(body.find("ArticleTitle")), vernacular),
        sections=_sections(body.find("Abstract")) or _other_sections(citation),
        authors=_people(people, "Author"),
        authors_complete=people is None or people.get("CompleteYN") != "N",
        journal=line_of(body.find("Journal/Title")) or None,
        journal_abbreviation=line_of(body.find("Journal/ISOAbbreviation"))
        or line_of(citation.find("MedlineJournalInfo/MedlineTA"))
        or None,
        volume=line_of(body.find("Journal/JournalIssue/Volume")) or None,
        issue=line_of(body.find("Journal/JournalIssue/Issue")) or None,
        pages=_pages(body.find("Pagination")),
        published=_interval(body.find("Journal/JournalIssue/PubDate")),
        electronic=min(electronic, default=None),
        entered=history.get("crdt") or history.get("edat"),
        doi=_doi_in((*ids, *places)),
        pmcid=_pmcid_in(ids, others),
        vernacular_title=vernacular,
        languages=_texts(body, "Language"),
        publication_types=_texts(body, "PublicationTypeList/PublicationType"),
        mesh=tuple(dict.fromkeys(heading.descriptor for heading in headings)),
        keywords=_texts(citation, "KeywordList/Keyword"),
        databank_numbers=_texts(body, "DataBankList/DataBank/AccessionNumberList/AccessionNumber"),
        corrections=tuple(link for link in links if link.kind != "Cites"),
        references=_unique(cited),
        status=citation.get("Status"),
    )
    persons = [
        *body.iterfind("AuthorList/Author"),
        *citation.iterfind("InvestigatorList/Investigator"),
    ]
    return Citation(
        article=article,
        headings=headings,
        substances=_unique(
            (name, "" if (number := line_of(node.find("RegistryNumber"))) == "0" else number)
            for node in citation.iterfind("ChemicalList/Chemical")
            if (name := line_of(node.find("NameOfSubstance")))
        ),
        supplementary=_texts(citation, "SupplMeshList/SupplMeshName"),
        other_abstracts=_other_abstracts(citation),
        affiliations=_unique(
            line_of(node)
            for person in persons
            for node in person.iterfind("AffiliationInfo/Affiliation")
        ),
        author_identifiers=_unique(
            _bare(line_of(node)) for person in persons for node in person.iterfind("Identifier")
        ),
        investigators=tuple(
            person
            for people in citation.iterfind("InvestigatorList")
            for person in _people(people, "Investigator")
        ),
        personal_subjects=_people(citation.find("PersonalNameSubjectList"), "PersonalNameSubject"),
        grants=_unique(
            ", ".join(
                text
                for tag in ("GrantID", "Acronym", "Agency", "Country")
                if (text := line_of(node.find(tag)))
            )
            for node in body.iterfind("GrantList/Grant")
        ),
        identifiers=tuple(dict.fromkeys((("pubmed", pmid), *ids, *places, *others))),
        days=_days_of(
            electronic,
            history,
            _days(citation.iterfind("DateCompleted")),
            _days(citation.iterfind("DateRevised")),
        ),
        all_electronic=electronic,
        issns=_unique(
            (
                line_of(body.find("Journal/ISSN")),
                line_of(citation.find("MedlineJournalInfo/ISSNLinking")),
            )
        ),
        nlm_id=line_of(citation.find("MedlineJournalInfo/NlmUniqueID")) or None,
        medline_journal=line_of(citation.find("MedlineJournalInfo/MedlineTA")) or None,
        country=line_of(citation.find("MedlineJournalInfo/Country")) or None,
        subsets=_texts(citation, "CitationSubset"),
        databanks=tuple(dict.fromkeys(_databanks(body))),
        conflict=line_of(citation.find("CoiStatement")) or None,
        copyright=line_of(body.find("Abstract/CopyrightInformation")) or None,
        space_flight=_texts(citation, "SpaceFlightMission"),
        gene_symbols=_texts(citation, "GeneSymbolList/GeneSymbol"),
        general_notes=_texts(citation, "GeneralNote"),
        publication_status=line_of(element.find("*/PublicationStatus")) or None,
        publication_model=body.get("PubModel") or None,
        indexing_method=citation.get("IndexingMethod") or None,
        owner=citation.get("Owner") or None,
        version=_version_of(citation.find("PMID")),
    )


def _read_book(element: etree._Element) -> Citation:
    """A book or one of its chapters; a chapter's book stands in ``journal``, and its own date goes
    before the book's.
    """
    document = element.find("BookDocument")
    if document is None:
        raise RecordError("the record has no BookDocument")
    pmid = _pmid(document.find("PMID"))
    book_title = line_of(document.find("Book/BookTitle"))
    vernacular = line_of(document.find("VernacularTitle")) or None
    chapter = line_of(document.find("ArticleTitle"))
    people = document.find("AuthorList[@Type='authors']")
    authors = _people(people, "Author")
    if not authors:
        people = document.find("Book/AuthorList")
        authors = _people(people, "Author")
    data = element.find("PubmedBookData")
    own_ids = document.find("ArticleIdList")
    if own_ids is None and data is not None:
        own_ids = data.find("ArticleIdList")
    history = _history(data)
    book = document.find("Book")
    ids, places = _ids(own_ids), () if book is None else _places(book)
    isbns = _texts(document, "Book/Isbn")
    editors = tuple(
        person
        for path in ("AuthorList[@Type='editors']", "Book/AuthorList[@Type='editors']")
        for people in document.iterfind(path)
        for person in _people(people, "Author")
    )
    place = line_of(document.find("Book/Publisher/PublisherLocation")) or None
    publisher = line_of(document.find("Book/Publisher/PublisherName")) or None
    article = Article(
        id=f"pmid:{pmid}",
        pmid=pmid,
        title=chapter or _title(book_title, vernacular),
        sections=_sections(document.find("Abstract")),
        authors=authors,
        authors_complete=people is None or people.get("CompleteYN") != "N",
        journal=book_title if chapter and book_title else None,
        volume=line_of(document.find("Book/Volume")) or None,
        pages=_pages(document.find("Pagination")),
        published=_interval(document.find("ContributionDate"))
        or _interval(document.find("Book/PubDate")),
        entered=history.get("crdt") or history.get("edat"),
        doi=_doi_in((*ids, *places)),
        pmcid=_pmcid_in(ids, ()),
        vernacular_title=vernacular,
        languages=_texts(document, "Language"),
        publication_types=_texts(document, "PublicationType"),
        keywords=_texts(document, "KeywordList/Keyword"),
        references=_unique(_cited(data)),
        status=None if data is None else line_of(data.find("PublicationStatus")) or None,
        book=Book(
            book_title if chapter and book_title else None,
            editors,
            line_of(document.find("Book/Edition")) or None,
            publisher,
            place,
            isbns[0] if isbns else None,
        ),
    )
    persons = list(document.iter("Author", "Investigator"))
    return Citation(
        article=article,
        other_abstracts=_other_abstracts(document),
        affiliations=_unique(
            line_of(node)
            for person in persons
            for node in person.iterfind("AffiliationInfo/Affiliation")
        ),
        author_identifiers=_unique(
            _bare(line_of(node)) for person in persons for node in person.iterfind("Identifier")
        ),
        investigators=tuple(
            person
            for path in ("InvestigatorList", "Book/InvestigatorList")
            for people in document.iterfind(path)
            for person in _people(people, "Investigator")
        ),
        editors=editors,
        grants=_unique(
            ", ".join(
                text
                for tag in ("GrantID", "Acronym", "Agency", "Country")
                if (text := line_of(node.find(tag)))
            )
            for node in document.iterfind("GrantList/Grant")
        ),
        identifiers=tuple(dict.fromkeys((("pubmed", pmid), *ids, *places))),
        days=_days_of((), history, (), _days(document.iterfind("DateRevised"))),
        country=place,
        publication_status=line_of(element.find("*/PublicationStatus")) or None,
        version=_version_of(document.find("PMID")),
        book=book_title or None,
        collection=line_of(document.find("Book/CollectionTitle")) or None,
        isbns=isbns,
        publisher=publisher,
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


def _texts(element: etree._Element, path: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for node in element.iterfind(path) if (text := line_of(node))))


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
    nodes = () if abstract is None else abstract.iterfind("AbstractText")
    return tuple(
        Section(text, _label(node.get("Label") or ""), node.get("NlmCategory") or None)
        for node in nodes
        if (text := line_of(node))
    )


def _other_sections(citation: etree._Element) -> tuple[Section, ...]:
    """The abstract of a record that has none of its own: the first beside it in English."""
    others = citation.iterfind("OtherAbstract")
    english = (node for node in others if node.get("Language") in (None, "eng"))
    return next(filter(None, map(_sections, english)), ())


def _other_abstracts(citation: etree._Element) -> tuple[OtherAbstract, ...]:
    found = []
    for node in citation.iterfind("OtherAbstract"):
        parts = _sections(node)
        if parts:
            text = " ".join(
                f"{part.label}: {part.text}" if part.label else part.text for part in parts
            )
            found.append(
                OtherAbstract(text, node.get("Type") or None, node.get("Language") or None)
            )
    return tuple(found)


def _people(people: etree._Element | None, tag: str) -> tuple[Author, ...]:
    """Persons and groups in order; names marked as invalid are misprints that the valid one
    follows.
    """
    found = []
    for node in () if people is None else people.iterfind(tag):
        if node.get("ValidYN") == "N":
            continue
        last, fore, initials, suffix, group = (
            line_of(node.find(name)) or None
            for name in ("LastName", "ForeName", "Initials", "Suffix", "CollectiveName")
        )
        if last or fore:
            found.append(Author(last or fore or "", last and fore, initials, suffix))
        elif group:
            found.append(Author(group, collective=True))
    return tuple(found)


def _heading(node: etree._Element) -> Heading | None:
    descriptor = node.find("DescriptorName")
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
            for qualifier in node.iterfind("QualifierName")
        ),
    )


def _pages(pagination: etree._Element | None) -> str | None:
    if pagination is None:
        return None
    whole, *ends = (line_of(pagination.find(tag)) for tag in ("MedlinePgn", "StartPage", "EndPage"))
    return whole or "-".join(filter(None, ends)) or None


def _interval(element: etree._Element | None) -> DateInterval | None:
    if element is None:
        return None
    year, month, day, season, whole = (
        line_of(element.find(tag)) for tag in ("Year", "Month", "Day", "Season", "MedlineDate")
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


def _history(data: etree._Element | None) -> dict[str, date]:
    days: dict[str, date] = {}
    for node in () if data is None else data.iterfind("History/PubMedPubDate"):
        store = HISTORY.get(node.get("PubStatus") or "")
        if store and store not in days and (found := _days([node])):
            days[store] = found[0]
    return days


def _cited(data: etree._Element | None) -> Iterator[str | None]:
    nodes = (
        ()
        if data is None
        else data.iterfind(".//Reference/ArticleIdList/ArticleId[@IdType='pubmed']")
    )
    yield from map(_digits, nodes)


def _ids(own_ids: etree._Element | None) -> tuple[tuple[str, str], ...]:
    nodes = () if own_ids is None else own_ids.iterfind("ArticleId")
    return tuple((node.get("IdType") or "", text) for node in nodes if (text := line_of(node)))


def _places(body: etree._Element) -> tuple[tuple[str, str], ...]:
    """The electronic places of an article (DOI, PII) that are not marked as invalid."""
    nodes = (node for node in body.iterfind("ELocationID") if node.get("ValidYN") != "N")
    return tuple((node.get("EIdType") or "", text) for node in nodes if (text := line_of(node)))


def _databanks(body: etree._Element) -> Iterator[tuple[str, str]]:
    for bank in body.iterfind("DataBankList/DataBank"):
        name = line_of(bank.find("DataBankName"))
        yield from (
            (name, number) for number in _texts(bank, "AccessionNumberList/AccessionNumber") or [""]
        )
