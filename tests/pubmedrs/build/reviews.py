"""Citation records of reviews for the tests, written as PubMed writes them."""

from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from tests.pubmed.index_files import write

SECTIONS = (
    ("BACKGROUND", "Acne is common."),
    ("METHODS", "We searched three databases."),
    (
        "RESULTS",
        (
            "Twelve studies were included. Zinc reduced lesions by half compared with placebo (RR "
            "0.50, 95% CI 0.40 to 0.62)."
        ),
    ),
    ("CONCLUSIONS", "Zinc reduces acne lesions."),
)


def review(
    pmid: int,
    title: str = "Does zinc help against acne? A systematic review.",
    sections: Sequence[tuple[str, str]] = SECTIONS,
    types: Sequence[str] = ("Journal Article", "Systematic Review"),
    printed: str = "<Year>2021</Year><Month>Nov</Month>",
    electronic: tuple[int, int, int] | None = (2021, 6, 22),
    entered: tuple[int, int, int] | None = (2021, 6, 23),
    cites: Sequence[tuple[str, str]] = (),
    pmcid: str = "",
    doi: str = "",
    corrections: str = "",
) -> str:
    """A record; ``cites`` are pairs of PMID and DOI, either may be empty. A section without label
    is plain text.
    """
    texts = "".join(
        f'<AbstractText Label="{escape(label)}">{escape(text)}</AbstractText>'
        if label
        else f"<AbstractText>{escape(text)}</AbstractText>"
        for label, text in sections
    )
    kinds = "".join(f'<PublicationType UI="D000000">{kind}</PublicationType>' for kind in types)
    listed = "".join(
        "<Reference><Citation>x</Citation><ArticleIdList>"
        + (f'<ArticleId IdType="pubmed">{cited}</ArticleId>' if cited else "")
        + (f'<ArticleId IdType="doi">{other}</ArticleId>' if other else "")
        + "</ArticleIdList></Reference>"
        for cited, other in cites
    )
    return (
        (
            '<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM"><PMID '
            f'Version="1">{pmid}</PMID>'
            '<Article PubModel="Print-Electronic"><Journal><JournalIssue CitedMedium="Internet">'
            f"<PubDate>{printed}</PubDate></JournalIssue><Title>Journal of Tests</Title></Journal>"
            f"<ArticleTitle>{escape(title)}</ArticleTitle>"
        )
        + (f"<Abstract>{texts}</Abstract>" if texts else "")
        + f"<Language>eng</Language><PublicationTypeList>{kinds}</PublicationTypeList>"
        + (
            f'<ArticleDate DateType="Electronic">{_day(electronic)}</ArticleDate>'
            if electronic
            else ""
        )
        + f"</Article>{corrections}</MedlineCitation><PubmedData>"
        + (
            f'<History><PubMedPubDate PubStatus="entrez">{_day(entered)}</PubMedPubDate></History>'
            if entered
            else ""
        )
        + "<PublicationStatus>ppublish</PublicationStatus>"
        + f'<ArticleIdList><ArticleId IdType="pubmed">{pmid}</ArticleId>'
        + (f'<ArticleId IdType="doi">{doi}</ArticleId>' if doi else "")
        + (f'<ArticleId IdType="pmc">{pmcid}</ArticleId>' if pmcid else "")
        + "</ArticleIdList>"
        + (f"<ReferenceList>{listed}</ReferenceList>" if listed else "")
        + "</PubmedData></PubmedArticle>"
    )


def full_text(number: str, cites: Sequence[tuple[str, str]]) -> str:
    """A JATS article of PMC with a reference list of pairs of PMID and DOI."""
    listed = "".join(
        (
            f'<ref id="r{place}"><element-citation '
            'publication-type="journal"><article-title>x</article-title>'
        )
        + (f'<pub-id pub-id-type="doi">{doi}</pub-id>' if doi else "")
        + (f'<pub-id pub-id-type="pmid">{pmid}</pub-id>' if pmid else "")
        + "</element-citation></ref>"
        for place, (pmid, doi) in enumerate(cites)
    )
    return (
        '<article article-type="review-article"><front><article-meta>'
        f'<article-id pub-id-type="pmc">{number}</article-id></article-meta></front>'
        f"<back><ref-list>{listed}</ref-list></back></article>"
    )


def not_available(number: str) -> str:
    """Return what PMC says in place of an article that it does not have."""
    return f'<error id="{number}">The following PMCID is not available: {number}</error>'


def full_texts(*articles: str) -> bytes:
    """PMC's answer with these articles."""
    return (
        f'<?xml version="1.0" ?>\n<pmc-articleset>{"".join(articles)}\n</pmc-articleset>'.encode()
    )


def citations(path: Path, records: Sequence[str]) -> Path:
    """A citation file of these records."""
    return write(path, records)


def _day(day: tuple[int, int, int]) -> str:
    return f"<Year>{day[0]}</Year><Month>{day[1]}</Month><Day>{day[2]}</Day>"
