"""PubMed's citation XML, read record by record in constant memory, plain or gzip.

The stream is cut into records (`clinfo.pubmed.record_splitter`), and each is read by itself, by
lxml and `clinfo.pubmed.elements`. No network, no DTD, no entity of the document's own expanded,
elements that are not known ignored. One damaged record does not spoil the others.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, TypeVar

from lxml import etree

from clinfo.errors import RecordError, SourceError
from clinfo.pubmed import elements
from clinfo.pubmed.citation import Citation
from clinfo.pubmed.record_splitter import Piece, cut
from clinfo.records.articles import Article, Unreadable


@dataclass(frozen=True)
class DeletedIds:
    """Article ids that an update file takes back: their records are void wherever they were
    read.
    """

    ids: tuple[str, ...]


@dataclass(frozen=True)
class Record:
    """A PubmedArticle, PubmedBookArticle or MedlineCitation: ``raw``, its XML as it stands in the
    file, but in UTF-8.
    """

    raw: bytes
    citation: Citation


Item = Article | Unreadable | DeletedIds
Entry = Record | Unreadable | DeletedIds
_Read = TypeVar("_Read")
_MATHML = b' xmlns:mml="http://www.w3.org/1998/Math/MathML"'


def read_file(path: str | Path) -> Iterator[Item]:
    """The articles of a citation file, ``.xml`` or ``.xml.gz``. Raises RecordError naming the file,
    also when it has none.
    """
    yield from of_file(path, read_citations)


def read_file_records(path: str | Path) -> Iterator[Entry]:
    """The records of a citation file, as `read_file` reads its articles."""
    yield from of_file(path, read_records)


def read_citations(source: bytes | BinaryIO) -> Iterator[Item]:
    """The articles of citation XML, plain or gzip, in the document's order, with unreadable records
    and deleted ids among them.

    Raises SourceError where the document is a service's error message, RecordError where it is not
    a citation XML or is cut off; what came before that has been delivered by then. Each error is
    one line.
    """
    for one in read_records(source):
        yield one.citation.article if isinstance(one, Record) else one


def read_records(source: bytes | BinaryIO) -> Iterator[Entry]:
    """The same with all that a record holds, and with its XML."""
    return map(entry, cut(BytesIO(source) if isinstance(source, bytes) else source))


def entry(piece: Piece) -> Entry:
    """Return what a piece of a document is: a record mostly, deleted ids, something damaged."""
    try:
        element = parsed(piece)
        if element.tag == "DeleteCitation":
            pmids = ((node.text or "").strip() for node in element.iterfind("PMID"))
            return DeletedIds(
                tuple(f"pmid:{pmid}" for pmid in pmids if re.fullmatch("[0-9]+", pmid))
            )
        return Record(piece.raw, elements.read_citation(element))
    except RecordError as error:
        pmid = re.search(rb"<PMID[^>]*>\s*([0-9]+)\s*<", piece.raw)
        return Unreadable(
            f"pmid:{pmid[1].decode()}" if pmid else f"record {piece.number}", str(error)
        )


def element_of(record: bytes) -> etree._Element:
    """A record's XML in UTF-8 as an element. Raises RecordError where it is damaged."""
    return parsed(Piece("", record))


def read_article(record: etree._Element | bytes) -> Article:
    """The article of one record, an element or its XML in UTF-8. Raises as `read_citation`."""
    return read_citation(record).article


def read_citation(record: etree._Element | bytes) -> Citation:
    """The citation of one PubmedArticle, PubmedBookArticle or MedlineCitation, an element or its
    XML in UTF-8.

    Raises RecordError where it is damaged, or has no PMID or no article.
    """
    return elements.read_citation(element_of(record) if isinstance(record, bytes) else record)


def of_file(path: str | Path, read: Callable[[BinaryIO], Iterator[_Read]]) -> Iterator[_Read]:
    """Return what ``read`` yields of a file. Raises RecordError, which names the file, also where
    that is nothing.
    """
    path = Path(path)
    found = False
    try:
        with path.open("rb") as stream:
            for item in read(stream):
                found = True
                yield item
    except OSError as error:
        raise RecordError(f"{path.name}: {error.strerror or error}") from error
    except (RecordError, SourceError) as error:
        raise RecordError(f"{path.name}: {error}") from error
    if not found:
        raise RecordError(f"{path.name}: contains no citations")


def parsed(piece: Piece) -> etree._Element:
    """A record as an element. A document type of no content makes characters that only NLM's DTD
    names no error.
    """
    parser = etree.XMLParser(
        no_network=True,
        load_dtd=False,
        resolve_entities=False,
        remove_comments=True,
        remove_pis=True,
    )
    namespaces = (
        piece.namespaces if b"xmlns:mml" in piece.namespaces else piece.namespaces + _MATHML
    )
    try:
        around = etree.fromstring(
            b'<!DOCTYPE r SYSTEM "r"><r' + namespaces + b">" + piece.raw + b"</r>", parser
        )
    except etree.XMLSyntaxError as error:
        raise RecordError(f"damaged XML: {' '.join(str(error).split())[:200]}") from error
    if len(around) != 1 or not isinstance(around[0].tag, str):
        raise RecordError("damaged XML: not one element")
    return around[0]
