"""PubMed's citation XML, read record by record into `Article`.

One pass over lxml's iterparse: no network, no DTD, no entity of the document's own expanded, elements that are not known
here ignored. Markup inside titles and abstracts is flattened to its text, white space to single spaces.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from html.entities import name2codepoint
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, cast

from lxml import etree

from clinfo.errors import RecordError, SourceError
from clinfo.pubmed.dates import month_name, read_interval
from clinfo.records import Article, Author, Correction, DateInterval, Section, Unreadable

_RECORDS = ("PubmedArticle", "PubmedBookArticle", "MedlineCitation", "DeleteCitation")
_ROOTS = ("PubmedArticleSet", "PubmedBookArticleSet", "MedlineCitationSet", *_RECORDS)
_NOT_AVAILABLE = "[not available]"


@dataclass(frozen=True)
class DeletedIds:
    """Article ids that an update file takes back: their records are void wherever they were read."""

    ids: tuple[str, ...]


Item = Article | Unreadable | DeletedIds


def read_file(path: str | Path) -> Iterator[Item]:
    """The records of a citation file, ``.xml`` or ``.xml.gz``. Raises RecordError naming the file, also when it has none."""
    path = Path(path)
    found = False
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
        with gzip.open(path) if packed else path.open("rb") as stream:
            for item in read_citations(cast(BinaryIO, stream)):
                found = True
                yield item
    except OSError as error:
        raise RecordError(f"{path.name}: {error.strerror or error}") from error
    except (RecordError, SourceError) as error:
        raise RecordError(f"{path.name}: {error}") from error
    if not found:
        raise RecordError(f"{path.name}: holds no citations")


def read_citations(source: bytes | BinaryIO) -> Iterator[Item]:
    """The records of citation XML, in order: articles, records that could not be read, and lists of deleted ids.

    Roots: PubmedArticleSet, MedlineCitationSet, or a single record. An empty set yields nothing. A record that breaks the
    XML is yielded as `Unreadable` and the following ones still come, if ``source`` can be rewound. Raises RecordError where
    the text is empty, cut off or not citations (after the records that were whole), SourceError where it is an error
    message of the E-utilities.
    """
    stream = BytesIO(source) if isinstance(source, bytes) else source
    done = 0
    tags = (*_RECORDS, "ERROR")
    parser = etree.iterparse(stream, events=("end",), tag=tags, no_network=True, load_dtd=False, resolve_entities=False)
    try:
        for _, element in parser:
            parent = element.getparent()
            if element.tag == "ERROR":
                if message := _text(element):
                    raise SourceError(f"the service answered: {message[:200]}")
                continue
            if element.tag == "MedlineCitation" and parent is not None and parent.tag == "PubmedArticle":
                continue
            done += 1
            yield _read_record(element, done)
            element.clear()
            if parent is not None:
                while element.getprevious() is not None:
                    del parent[0]
    except etree.XMLSyntaxError as error:
        yield from _salvage(stream, done, error)
    except (EOFError, zlib.error) as error:
        raise RecordError(f"the file is cut off or damaged; {_counted(done)} before that") from error
    else:
        if parser.root.tag not in _ROOTS:
            raise _not_citations(f"<{parser.root.tag}")


def read_article(element: etree._Element) -> Article:
    """The article of one PubmedArticle, PubmedBookArticle or MedlineCitation element. Raises RecordError without a PMID."""
    if element.tag == "PubmedBookArticle":
        return _read_book(element)
    citation = element if element.tag == "MedlineCitation" else element.find("MedlineCitation")
    if citation is None:
        raise RecordError("the record has no MedlineCitation")
    pmid = _pmid(citation.find("PMID"))
    body = citation.find("Article")
    if body is None:
        raise RecordError("the record has no Article")
    own_ids = element.find("PubmedData/ArticleIdList")
    links = [
        Correction(link.get("RefType", ""), _text(link.find("RefSource")), _digits(link.find("PMID")))
        for link in citation.iterfind("CommentsCorrectionsList/CommentsCorrections")
    ]
    cited = [_digits(node) for node in element.iterfind("PubmedData//Reference/ArticleIdList/ArticleId[@IdType='pubmed']")]
    cited += [link.pmid for link in links if link.kind == "Cites"]
    vernacular = _text(body.find("VernacularTitle")) or None
    authors, complete = _authors(body.find("AuthorList"))
    days = [day for node in body.iterfind("ArticleDate") if (day := _day(node)) is not None]
    return Article(
        id=f"pmid:{pmid}",
        pmid=pmid,
        title=_title(body.find("ArticleTitle"), vernacular),
        sections=_sections(body.find("Abstract")),
        authors=authors,
        authors_complete=complete,
        journal=_text(body.find("Journal/Title")) or None,
        journal_abbreviation=_text(body.find("Journal/ISOAbbreviation"))
        or _text(citation.find("MedlineJournalInfo/MedlineTA"))
        or None,
        volume=_text(body.find("Journal/JournalIssue/Volume")) or None,
        issue=_text(body.find("Journal/JournalIssue/Issue")) or None,
        pages=_pages(body.find("Pagination")),
        published=_interval(body.find("Journal/JournalIssue/PubDate")),
        electronic=min(days, default=None),
        entered=_entered(element.find("PubmedData/History")),
        doi=_doi(own_ids, body),
        pmcid=_pmcid(own_ids, citation),
        vernacular_title=vernacular,
        languages=_texts(body, "Language"),
        publication_types=_texts(body, "PublicationTypeList/PublicationType"),
        mesh=_texts(citation, "MeshHeadingList/MeshHeading/DescriptorName"),
        keywords=_texts(citation, "KeywordList/Keyword"),
        databank_numbers=_texts(body, "DataBankList/DataBank/AccessionNumberList/AccessionNumber"),
        corrections=tuple(link for link in links if link.kind != "Cites"),
        references=tuple(dict.fromkeys(pmid for pmid in cited if pmid)),
        status=citation.get("Status"),
    )


def _read_book(element: etree._Element) -> Article:
    """A book or one of its chapters; a chapter's book stands in ``journal``, and its own date goes before the book's."""
    document = element.find("BookDocument")
    if document is None:
        raise RecordError("the record has no BookDocument")
    pmid = _pmid(document.find("PMID"))
    book_title = _text(document.find("Book/BookTitle"))
    vernacular = _text(document.find("VernacularTitle")) or None
    chapter = _text(document.find("ArticleTitle"))
    authors, complete = _authors(document.find("AuthorList[@Type='authors']"))
    if not authors:
        authors, complete = _authors(document.find("Book/AuthorList"))
    own_ids = document.find("ArticleIdList")
    if own_ids is None:
        own_ids = element.find("PubmedBookData/ArticleIdList")
    return Article(
        id=f"pmid:{pmid}",
        pmid=pmid,
        title=chapter or _title(document.find("Book/BookTitle"), vernacular),
        sections=_sections(document.find("Abstract")),
        authors=authors,
        authors_complete=complete,
        journal=book_title if chapter and book_title else None,
        volume=_text(document.find("Book/Volume")) or None,
        pages=_pages(document.find("Pagination")),
        published=_interval(document.find("ContributionDate")) or _interval(document.find("Book/PubDate")),
        entered=_entered(element.find("PubmedBookData/History")),
        doi=_doi(own_ids, document.find("Book")),
        pmcid=_pmcid(own_ids, document),
        vernacular_title=vernacular,
        languages=_texts(document, "Language"),
        publication_types=_texts(document, "PublicationType"),
        keywords=_texts(document, "KeywordList/Keyword"),
        status=_text(element.find("PubmedBookData/PublicationStatus")) or None,
    )


def _read_record(element: etree._Element, number: int) -> Item:
    if element.tag == "DeleteCitation":
        pmids = (_digits(node) for node in element.iterfind("PMID"))
        return DeletedIds(tuple(f"pmid:{pmid}" for pmid in pmids if pmid))
    try:
        return read_article(element)
    except RecordError as error:
        pmid = _digits(next(element.iter("PMID"), None))
        return Unreadable(f"pmid:{pmid}" if pmid else f"record {number}", str(error))


def _salvage(stream: BinaryIO, done: int, error: etree.XMLSyntaxError) -> Iterator[Item]:
    """Records after the first ``done`` of a document that is not well-formed, each parsed by itself."""
    if not stream.seekable():
        raise RecordError(f"the XML is damaged ({_one_line(error)}); {_counted(done)} before that") from error
    stream.seek(0)
    try:
        text = stream.read()
    except (EOFError, zlib.error):
        raise RecordError(f"the file is cut off or damaged; {_counted(done)} before that") from error
    message = re.search(rb"<ERROR>(.*?)</ERROR>", text, re.DOTALL)
    if message:
        raise SourceError(f"the service answered: {_one_line(message[1].decode('utf-8', 'replace'))}") from error
    names = b"PubmedArticle|PubmedBookArticle|DeleteCitation"
    if not re.search(rb"<Pubmed(?:Book)?Article[\s>]", text):
        names = b"MedlineCitation|DeleteCitation"
    starts = [match.start() for match in re.finditer(rb"<(?:" + names + rb")[\s>]", text)]
    if not starts:
        if re.search(rb"<(?:PubmedArticleSet|MedlineCitationSet)[\s>]", text):
            raise RecordError("the text is cut off before its first record") from error
        raise _not_citations(text[:2000].decode("utf-8", "replace")) from error
    whole = re.search(rb"</(?:PubmedArticleSet|MedlineCitationSet)\s*>\s*$", text) is not None
    for number, start in enumerate(starts[done:], start=done + 1):
        piece = text[start : starts[number] if number < len(starts) else len(text)]
        closed = re.match(rb"<(\w+).*</\1\s*>", piece, re.DOTALL)
        if closed is None and number == len(starts) and not whole:
            raise RecordError(f"the text is cut off inside record {number}; {_counted(number - 1)} before that") from error
        yield _read_piece(piece if closed is None else closed[0], number)
    if not whole:
        raise RecordError(f"the text is cut off after record {len(starts)}") from error


def _read_piece(piece: bytes, number: int) -> Item:
    parser = etree.XMLParser(no_network=True, load_dtd=False, resolve_entities=False)
    try:
        return _read_record(etree.fromstring(piece, parser), number)
    except etree.XMLSyntaxError as error:
        pmid = re.search(rb"<PMID[^>]*>\s*(\d+)", piece)
        return Unreadable(f"pmid:{pmid[1].decode()}" if pmid else f"record {number}", f"damaged XML: {_one_line(error)}")


def _not_citations(beginning: str) -> RecordError:
    beginning = beginning.lstrip("\ufeff \t\r\n")
    if not beginning:
        return RecordError("the text is empty where citation XML was expected")
    if re.search(r"<(?:!doctype\s+)?html\b", beginning, re.IGNORECASE):
        return RecordError("the text is a web page (HTML), not citation XML")
    root = re.match(r"(?:<[?!][^>]*>\s*)*<([\w:.-]+)", beginning)
    if root is None:
        return RecordError("the text is not XML")
    return RecordError(f"the XML is no set of PubMed citations (its root is {root[1]})")


def _counted(records: int) -> str:
    return f"{records} record{'' if records == 1 else 's'} read"


def _one_line(message: object) -> str:
    return " ".join(str(message).split())[:200]


def _text(element: etree._Element | None) -> str:
    """All text inside an element, markup dropped and tails kept, white space as single spaces."""
    return "" if element is None else " ".join("".join(_pieces(element)).split())


def _pieces(element: etree._Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if isinstance(child, etree._Entity):
            # left over where the document relies on its DTD for a named character
            yield chr(name2codepoint[child.name]) if child.name in name2codepoint else ""
        elif isinstance(child.tag, str) and etree.QName(child).localname != "annotation":
            yield from _pieces(child)
        yield child.tail or ""


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


def _title(element: etree._Element | None, vernacular: str | None) -> str:
    title = _text(element)
    if title.rstrip(". ").lower() in ("", _NOT_AVAILABLE):
        return vernacular or "[Not Available]."
    return title


def _sections(abstract: etree._Element | None) -> tuple[Section, ...]:
    if abstract is None:
        return ()
    sections = []
    for node in abstract.iterfind("AbstractText"):
        label = " ".join((node.get("Label") or "").split())
        if text := _text(node):
            named = label if label and label.upper() != "UNLABELLED" else None
            sections.append(Section(text, named, node.get("NlmCategory")))
    return tuple(sections)


def _authors(people: etree._Element | None) -> tuple[tuple[Author, ...], bool]:
    """Authors in order (names marked as invalid are misprints that the valid one follows), and whether the list is whole."""
    if people is None:
        return (), True
    authors = []
    for person in people.iterfind("Author"):
        if person.get("ValidYN") == "N":
            continue
        group, last, fore = (_text(person.find(tag)) for tag in ("CollectiveName", "LastName", "ForeName"))
        initials, suffix = _text(person.find("Initials")) or None, _text(person.find("Suffix")) or None
        if last or fore:
            authors.append(Author(last or fore, (fore or None) if last else None, initials, suffix))
        elif group:
            authors.append(Author(group, collective=True))
    return tuple(authors), people.get("CompleteYN") != "N"


def _pages(pagination: etree._Element | None) -> str | None:
    if pagination is None:
        return None
    first, last = _text(pagination.find("StartPage")), _text(pagination.find("EndPage"))
    return _text(pagination.find("MedlinePgn")) or "-".join(part for part in (first, last) if part) or None


def _interval(element: etree._Element | None) -> DateInterval | None:
    if element is None:
        return None
    stated = _text(element.find("MedlineDate"))
    if not stated:
        year, month, day, season = (_text(element.find(tag)) for tag in ("Year", "Month", "Day", "Season"))
        stated = " ".join(part for part in ((year, month_name(month), day) if month else (year, season)) if part)
    return read_interval(stated)


def _day(element: etree._Element) -> date | None:
    """A full date; where its day or month is missing, the last that it may mean."""
    interval = _interval(element)
    return None if interval is None else interval.end


def _entered(history: etree._Element | None) -> date | None:
    if history is None:
        return None
    for status in ("entrez", "pubmed"):
        node = history.find(f"PubMedPubDate[@PubStatus='{status}']")
        if node is not None and (day := _day(node)) is not None:
            return day
    return None


def _doi(own_ids: etree._Element | None, body: etree._Element | None) -> str | None:
    nodes = [] if own_ids is None else list(own_ids.iterfind("ArticleId[@IdType='doi']"))
    if body is not None:
        nodes += [node for node in body.iterfind("ELocationID[@EIdType='doi']") if node.get("ValidYN") != "N"]
    for node in nodes:
        found = re.search(r"10\.\d{2,9}/\S+", _text(node))
        if found:
            return found[0]
    return None


def _pmcid(own_ids: etree._Element | None, citation: etree._Element) -> str | None:
    ids = [] if own_ids is None else own_ids.findall("ArticleId")
    nodes = [node for node in ids if node.get("IdType") in ("pmc", "pmcid")]
    for node in (*nodes, *citation.iterfind("OtherID")):
        found = re.search(r"PMC\d+", _text(node))
        if found:
            return found[0]
    return None
