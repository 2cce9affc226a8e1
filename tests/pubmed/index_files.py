"""Small citation files for the tests of the index, written as PubMed writes them."""

import gzip
import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.sax.saxutils import escape


def citation(
    pmid: int,
    title: str = "A title",
    abstract: Sequence[str] = (),
    version: int = 1,
    year: str | None = "2020",
    headings: Sequence[str] = (),
    keywords: Sequence[str] = (),
    affiliations: Sequence[str] = (),
    cites: Sequence[int] = (),
    types: Sequence[str] = ("Journal Article",),
) -> str:
    sections = "".join(f"<AbstractText>{escape(text)}</AbstractText>" for text in abstract)
    authors = "".join(
        f'<Author ValidYN="Y"><LastName>Ek</LastName><ForeName>Bo</ForeName><Initials>B</Initials>'
        f"<AffiliationInfo><Affiliation>{escape(text)}</Affiliation></AffiliationInfo></Author>"
        for text in affiliations
    )
    mesh = "".join(
        (
            '<MeshHeading><DescriptorName UI="D000001" '
            f'MajorTopicYN="N">{escape(name)}</DescriptorName></MeshHeading>'
        )
        for name in headings
    )
    words = "".join(f'<Keyword MajorTopicYN="N">{escape(word)}</Keyword>' for word in keywords)
    references = "".join(
        (
            "<Reference><Citation>x</Citation><ArticleIdList><ArticleId "
            f'IdType="pubmed">{cited}</ArticleId></ArticleIdList>'
            "</Reference>"
        )
        for cited in cites
    )
    dated = f"<PubDate><Year>{year}</Year></PubDate>" if year else "<PubDate></PubDate>"
    return (
        (
            '<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM"><PMID '
            f'Version="{version}">{pmid}</PMID>'
            '<Article PubModel="Print"><Journal><JournalIssue '
            f'CitedMedium="Internet">{dated}</JournalIssue>'
            f"<Title>Journal of Tests</Title><ISOAbbreviation>J Tests</ISOAbbreviation></Journal>"
            f"<ArticleTitle>{escape(title)}</ArticleTitle>"
        )
        + (f"<Abstract>{sections}</Abstract>" if sections else "")
        + (f'<AuthorList CompleteYN="Y">{authors}</AuthorList>' if authors else "")
        + "<Language>eng</Language><PublicationTypeList>"
        + "".join(f'<PublicationType UI="D016428">{name}</PublicationType>' for name in types)
        + "</PublicationTypeList></Article>"
        + (f"<MeshHeadingList>{mesh}</MeshHeadingList>" if mesh else "")
        + (f'<KeywordList Owner="NOTNLM">{words}</KeywordList>' if words else "")
        + "</MedlineCitation><PubmedData><PublicationStatus>ppublish</PublicationStatus>"
        f'<ArticleIdList><ArticleId IdType="pubmed">{pmid}</ArticleId></ArticleIdList>'
        + (f"<ReferenceList>{references}</ReferenceList>" if references else "")
        + "</PubmedData></PubmedArticle>"
    )


def deletion(*pmids: int) -> str:
    return (
        "<DeleteCitation>"
        + "".join(f'<PMID Version="1">{pmid}</PMID>' for pmid in pmids)
        + "</DeleteCitation>"
    )


def write(path: Path, records: Iterable[str], checksum: bool = False) -> Path:
    """A file of these records, packed where its name ends in .gz, with an .md5 file beside it if
    asked.
    """
    text = (
        '<?xml version="1.0" encoding="utf-8"?>\n<PubmedArticleSet>\n'
        + "\n".join(records)
        + "\n</PubmedArticleSet>\n"
    )
    data = gzip.compress(text.encode(), mtime=0) if path.suffix == ".gz" else text.encode()
    path.write_bytes(data)
    if checksum:
        path.with_name(path.name + ".md5").write_text(
            f"MD5({path.name})= {hashlib.md5(data).hexdigest()}\n"
        )
    return path
