"""A citation out of a parsed XML element, whatever the order and the contents of its record.

Elements that are not known here are ignored. Markup inside titles and abstracts is flattened to its
text, white space to single spaces. `clinfo.pubmed.fast_reader` reads the same out of the text of a
record in NLM's usual form, several times as fast.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from functools import lru_cache
from html.entities import name2codepoint

from lxml import etree

from clinfo.errors import RecordError
from clinfo.pubmed.citation import Citation, Heading, OtherAbstract, Qualifier
from clinfo.pubmed.dates import month_name, read_interval
from clinfo.records.articles import Article, Author, Book, Correction, DateInterval, Section

HISTORY = {"entrez": "crdt", "pubmed": "edat", "medline": "mhda"}
"""PubStatus of a day in a record's history, and the date field that searches it."""
_NOT_AVAILABLE = "[not available]"
_DOI = re.compile(r"10\.\d{2,9}/\S+")
_PMCID = re.compile(r"PMC\d+")


def read_article(element: etree._Element) -> Article:
    """The article of one PubmedArticle, PubmedBookArticle or MedlineCitation element. Raises
    RecordError without a PMID.
    """
    return read_citation(element).article


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
            link.get("RefType", ""), _text(link.find("RefSource")), _digits(link.find("PMID"))
        )
        for link in citation.iterfind("CommentsCorrectionsList/CommentsCorrections")
    ]
    cited = [*_cited(data), *(link.pmid for link in links if link.kind == "Cites")]
    vernacular = _text(body.find("VernacularTitle")) or None
    people = body.find("AuthorList")
    electronic = _days(body.iterfind("ArticleDate"))
    history = _history(data)
    headings = tuple(filter(None, map(_heading, citation.iterfind("MeshHeadingList/MeshHeading"))))
    ids, places = _ids(own_ids), _places(body)
    others = tuple(
        (node.get("Source") or "", text)
        for node in citation.iterfind("OtherID")
        if (text := _text(node))
    )
    article = Article(
        id=f"pmid:{pmid}",
        pmid=pmid,
        title=title_or(_text(body.find("ArticleTitle")), vernacular),
        sections=_sections(body.find("Abstract")),
        authors=_people(people, "Author"),
        authors_complete=people is None or people.get("CompleteYN") != "N",
        journal=_text(body.find("Journal/Title")) or None,
        journal_abbreviation=_text(body.find("Journal/ISOAbbreviation"))
        or _text(citation.find("MedlineJournalInfo/MedlineTA"))
        or None,
        volume=_text(body.find("Journal/JournalIssue/Volume")) or None,
        issue=_text(body.find("Journal/JournalIssue/Issue")) or None,
        pages=_pages(body.find("Pagination")),
        published=_interval(body.find("Journal/JournalIssue/PubDate")),
        electronic=min(electronic, default=None),
        entered=history.get("crdt") or history.get("edat"),
        doi=doi_in((*ids, *places)),
        pmcid=pmcid_in(ids, others),
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
            substance(name, _text(node.find("RegistryNumber")))
            for node in citation.iterfind("ChemicalList/Chemical")
            if (name := _text(node.find("NameOfSubstance")))
        ),
        supplementary=_texts(citation, "SupplMeshList/SupplMeshName"),
        other_abstracts=_other_abstracts(citation),
        affiliations=_unique(
            _text(node)
            for person in persons
            for node in person.iterfind("AffiliationInfo/Affiliation")
        ),
        author_identifiers=_unique(
            bare_identifier(_text(node))
            for person in persons
            for node in person.iterfind("Identifier")
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
                if (text := _text(node.find(tag)))
            )
            for node in body.iterfind("GrantList/Grant")
        ),
        identifiers=tuple(dict.fromkeys((("pubmed", pmid), *ids, *places, *others))),
        days=days_of(
            electronic,
            history,
            _days(citation.iterfind("DateCompleted")),
            _days(citation.iterfind("DateRevised")),
        ),
        all_electronic=electronic,
        issns=_unique(
            (
                _text(body.find("Journal/ISSN")),
                _text(citation.find("MedlineJournalInfo/ISSNLinking")),
            )
        ),
        nlm_id=_text(citation.find("MedlineJournalInfo/NlmUniqueID")) or None,
        medline_journal=_text(citation.find("MedlineJournalInfo/MedlineTA")) or None,
        country=_text(citation.find("MedlineJournalInfo/Country")) or None,
        subsets=_texts(citation, "CitationSubset"),
        databanks=tuple(dict.fromkeys(_databanks(body))),
        conflict=_text(citation.find("CoiStatement")) or None,
        copyright=_text(body.find("Abstract/CopyrightInformation")) or None,
        space_flight=_texts(citation, "SpaceFlightMission"),
        gene_symbols=_texts(citation, "GeneSymbolList/GeneSymbol"),
        general_notes=_texts(citation, "GeneralNote"),
        publication_status=None if data is None else _text(data.find("PublicationStatus")) or None,
        publication_model=body.get("PubModel") or None,
        indexing_method=citation.get("IndexingMethod") or None,
        owner=citation.get("Owner") or None,
        version=version_of(citation.find("PMID")),
    )


def _read_book(element: etree._Element) -> Citation:
    """A book or one of its chapters; a chapter's book stands in ``journal``, and its own date goes
    before the book's.
    """
    document = element.find("BookDocument")
    if document is None:
        raise RecordError("the record has no BookDocument")
    pmid = _pmid(document.find("PMID"))
    book_title = _text(document.find("Book/BookTitle"))
    vernacular = _text(document.find("VernacularTitle")) or None
    chapter = _text(document.find("ArticleTitle"))
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
    place = _text(document.find("Book/Publisher/PublisherLocation")) or None
    publisher = _text(document.find("Book/Publisher/PublisherName")) or None
    article = Article(
        id=f"pmid:{pmid}",
        pmid=pmid,
        title=chapter or title_or(book_title, vernacular),
        sections=_sections(document.find("Abstract")),
        authors=authors,
        authors_complete=people is None or people.get("CompleteYN") != "N",
        journal=book_title if chapter and book_title else None,
        volume=_text(document.find("Book/Volume")) or None,
        pages=_pages(document.find("Pagination")),
        published=_interval(document.find("ContributionDate"))
        or _interval(document.find("Book/PubDate")),
        entered=history.get("crdt") or history.get("edat"),
        doi=doi_in((*ids, *places)),
        pmcid=pmcid_in(ids, ()),
        vernacular_title=vernacular,
        languages=_texts(document, "Language"),
        publication_types=_texts(document, "PublicationType"),
        keywords=_texts(document, "KeywordList/Keyword"),
        references=_unique(_cited(data)),
        status=None if data is None else _text(data.find("PublicationStatus")) or None,
        book=Book(
            book_title if chapter and book_title else None,
            editors,
            _text(document.find("Book/Edition")) or None,
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
            _text(node)
            for person in persons
            for node in person.iterfind("AffiliationInfo/Affiliation")
        ),
        author_identifiers=_unique(
            bare_identifier(_text(node))
            for person in persons
            for node in person.iterfind("Identifier")
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
                if (text := _text(node.find(tag)))
            )
            for node in document.iterfind("GrantList/Grant")
        ),
        identifiers=tuple(dict.fromkeys((("pubmed", pmid), *ids, *places))),
        days=days_of((), history, (), _days(document.iterfind("DateRevised"))),
        country=place,
        publication_status=None if data is None else _text(data.find("PublicationStatus")) or None,
        version=version_of(document.find("PMID")),
        book=book_title or None,
        collection=_text(document.find("Book/CollectionTitle")) or None,
        isbns=isbns,
        publisher=publisher,
    )


def plain(text: str) -> str:
    """``text`` with its white space as single spaces."""
    return " ".join(text.split())


def title_or(title: str, vernacular: str | None) -> str:
    """The title; where there is none, the vernacular title."""
    if title.rstrip(". ").lower() in ("", _NOT_AVAILABLE):
        return vernacular or "[Not Available]."
    return title


def label_of(text: str) -> str | None:
    """The label of a section as printed."""
    label = plain(text)
    return label if label and label.upper() != "UNLABELLED" else None


def person(last: str, fore: str, initials: str, suffix: str, group: str) -> Author | None:
    """An author of the names of a record, each empty where there is none."""
    if last or fore:
        return Author(
            last or fore, (fore or None) if last else None, initials or None, suffix or None
        )
    return Author(group, collective=True) if group else None


def pages_of(whole: str, first: str, last: str) -> str | None:
    """Pages as MedlinePgn has them, else from StartPage to EndPage."""
    return whole or "-".join(part for part in (first, last) if part) or None


def stated_interval(
    year: str, month: str, day: str, season: str, whole: str
) -> DateInterval | None:
    """The interval that a PubDate means; ``whole`` is its MedlineDate."""
    if not whole:
        whole = " ".join(
            part for part in ((year, month_name(month), day) if month else (year, season)) if part
        )
    return _kept_interval(whole)


_kept_interval = lru_cache(maxsize=1 << 12)(read_interval)


def substance(name: str, number: str) -> tuple[str, str]:
    """A substance with its registry number, which MEDLINE writes as 0 where there is none."""
    return name, "" if number == "0" else number


def bare_identifier(text: str) -> str:
    """An author's identifier without the address in front of it that some are written with."""
    return text.rstrip("/").rpartition("/")[2] if "://" in text else text


def doi_in(identifiers: Iterable[tuple[str, str]]) -> str | None:
    """The first DOI among the identifiers of an article."""
    for kind, value in identifiers:
        if kind == "doi" and (found := _DOI.search(value)):
            return found[0]
    return None


def pmcid_in(
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


def days_of(
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


def version_of(pmid: etree._Element | None) -> int:
    version = "" if pmid is None else pmid.get("Version") or ""
    return int(version) if re.fullmatch(r"[0-9]{1,9}", version) else 1


def _text(element: etree._Element | None) -> str:
    """All text inside an element, markup dropped and tails kept, white space as single spaces."""
    if element is None:
        return ""
    return plain("".join(_pieces(element)) if len(element) else element.text or "")


def _pieces(element: etree._Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if isinstance(child, etree._Entity):
            # left over where the document relies on its DTD for a named character
            yield chr(name2codepoint[child.name]) if child.name in name2codepoint else ""
        elif isinstance(child.tag, str) and etree.QName(child).localname != "annotation":
            yield from _pieces(child)
        yield child.tail or ""


def _unique(texts: Iterable) -> tuple:  # type: ignore[type-arg]
    return tuple(dict.fromkeys(text for text in texts if text))


def _texts(element: etree._Element, path: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for node in element.iterfind(path) if (text := _text(node))))


def _digits(element: etree._Element | None) -> str | None:
    text = _text(element)
    return text if re.fullmatch(r"[0-9]+", text) else None


def _pmid(element: etree._Element | None) -> str:
    pmid = _digits(element)
    if pmid is None:
        raise RecordError("the record has no PMID")
    return pmid


def _sections(abstract: etree._Element | None) -> tuple[Section, ...]:
    nodes = () if abstract is None else abstract.iterfind("AbstractText")
    return tuple(
        Section(text, label_of(node.get("Label") or ""), node.get("NlmCategory") or None)
        for node in nodes
        if (text := _text(node))
    )


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
        names = [
            _text(node.find(name))
            for name in ("LastName", "ForeName", "Initials", "Suffix", "CollectiveName")
        ]
        if (author := person(*names)) is not None:
            found.append(author)
    return tuple(found)


def _heading(node: etree._Element) -> Heading | None:
    descriptor = node.find("DescriptorName")
    if descriptor is None or not (name := _text(descriptor)):
        return None
    return Heading(
        name,
        descriptor.get("UI") or None,
        descriptor.get("MajorTopicYN") == "Y",
        tuple(
            Qualifier(
                _text(qualifier), qualifier.get("UI") or None, qualifier.get("MajorTopicYN") == "Y"
            )
            for qualifier in node.iterfind("QualifierName")
        ),
    )


def _pages(pagination: etree._Element | None) -> str | None:
    if pagination is None:
        return None
    return pages_of(
        *(_text(pagination.find(tag)) for tag in ("MedlinePgn", "StartPage", "EndPage"))
    )


def _interval(element: etree._Element | None) -> DateInterval | None:
    if element is None:
        return None
    return stated_interval(
        *(_text(element.find(tag)) for tag in ("Year", "Month", "Day", "Season", "MedlineDate"))
    )


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
    return tuple((node.get("IdType") or "", text) for node in nodes if (text := _text(node)))


def _places(body: etree._Element) -> tuple[tuple[str, str], ...]:
    """The electronic places of an article (DOI, PII) that are not marked as invalid."""
    nodes = (node for node in body.iterfind("ELocationID") if node.get("ValidYN") != "N")
    return tuple((node.get("EIdType") or "", text) for node in nodes if (text := _text(node)))


def _databanks(body: etree._Element) -> Iterator[tuple[str, str]]:
    for bank in body.iterfind("DataBankList/DataBank"):
        name = _text(bank.find("DataBankName"))
        yield from (
            (name, number) for number in _texts(bank, "AccessionNumberList/AccessionNumber") or [""]
        )
