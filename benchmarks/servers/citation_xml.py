"""Articles as PubMed's citation XML, for servers that hand them out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

from lxml import etree
from lxml.builder import E

from clinfo.records.articles import Article

HEAD = (
    b'<?xml version="1.0" ?>\n<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st '
    b'January 2025//EN" '
    b'"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n<PubmedArticleSet>\n'
)
TAIL = b"\n</PubmedArticleSet>\n"


def render_set(articles: Iterable[Article]) -> bytes:
    """A PubmedArticleSet with these articles."""
    return HEAD + b"\n".join(etree.tostring(render(article)) for article in articles) + TAIL


def render(article: Article) -> etree._Element:
    """A PubmedArticle element that reads back as ``article``, as far as PubMed's format holds its
    fields.
    """
    body = E.Article(
        E.Journal(
            E.JournalIssue(
                *_filled("Volume", article.volume),
                *_filled("Issue", article.issue),
                *_pub_date(article),
            ),
            *_filled("Title", article.journal),
            *_filled("ISOAbbreviation", article.journal_abbreviation),
        ),
        E.ArticleTitle(article.title),
    )
    if article.pages:
        body.append(E.Pagination(E.MedlinePgn(article.pages)))
    if article.sections:
        body.append(E.Abstract())
        for section in article.sections:
            names = {"Label": section.label, "NlmCategory": section.category}
            body[-1].append(
                E.AbstractText(
                    section.text, {name: value for name, value in names.items() if value}
                )
            )
    if article.authors:
        body.append(E.AuthorList(CompleteYN="Y" if article.authors_complete else "N"))
        for author in article.authors:
            if author.collective:
                body[-1].append(E.Author(E.CollectiveName(author.last), ValidYN="Y"))
            else:
                named = (
                    ("LastName", author.last),
                    ("ForeName", author.fore),
                    ("Initials", author.initials),
                )
                parts = [
                    part
                    for tag, text in (*named, ("Suffix", author.suffix))
                    for part in _filled(tag, text)
                ]
                body[-1].append(E.Author(*parts, ValidYN="Y"))
    body.extend(E.Language(language) for language in article.languages)
    if article.databank_numbers:
        numbers = [E.AccessionNumber(number) for number in article.databank_numbers]
        body.append(
            E.DataBankList(
                E.DataBank(E.DataBankName("ClinicalTrials.gov"), E.AccessionNumberList(*numbers))
            )
        )
    if article.publication_types:
        body.append(
            E.PublicationTypeList(*(E.PublicationType(kind) for kind in article.publication_types))
        )
    body.extend(_filled("VernacularTitle", article.vernacular_title))
    if article.electronic is not None:
        body.append(E.ArticleDate(*_ymd(article.electronic), DateType="Electronic"))
    citation = E.MedlineCitation(E.PMID(article.pmid or "", Version="1"), body)
    if article.status:
        citation.set("Status", article.status)
    if article.corrections:
        citation.append(E.CommentsCorrectionsList())
        for link in article.corrections:
            parts = [E.RefSource(link.citation), *_filled("PMID", link.pmid)]
            citation[-1].append(E.CommentsCorrections(*parts, RefType=link.kind))
    if article.mesh:
        citation.append(
            E.MeshHeadingList(
                *(E.MeshHeading(E.DescriptorName(heading)) for heading in article.mesh)
            )
        )
    if article.keywords:
        citation.append(E.KeywordList(*(E.Keyword(word) for word in article.keywords)))
    data = E.PubmedData()
    if article.entered is not None:
        data.append(E.History(E.PubMedPubDate(*_ymd(article.entered), PubStatus="entrez")))
    ids = (("pubmed", article.pmid), ("doi", article.doi), ("pmc", article.pmcid))
    data.append(E.ArticleIdList(*(E.ArticleId(value, IdType=kind) for kind, value in ids if value)))
    if article.references:
        data.append(E.ReferenceList())
        for pmid in article.references:
            data[-1].append(
                E.Reference(E.Citation(""), E.ArticleIdList(E.ArticleId(pmid, IdType="pubmed")))
            )
    return E.PubmedArticle(citation, data)


def _filled(tag: str, text: str | None) -> list[etree._Element]:
    return [E(tag, text)] if text else []


def _ymd(day: date) -> list[etree._Element]:
    return [E.Year(f"{day.year}"), E.Month(f"{day.month:02}"), E.Day(f"{day.day:02}")]


def _pub_date(article: Article) -> list[etree._Element]:
    if article.published is None:
        return []
    stated = re.fullmatch(r"(\d{4})(?: ([A-Z][a-z]{2})(?: (\d{1,2}))?)?", article.published.text)
    if stated is None:
        return [E.PubDate(E.MedlineDate(article.published.text))]
    return [
        E.PubDate(
            *(
                E(tag, text)
                for tag, text in zip(("Year", "Month", "Day"), stated.groups(), strict=True)
                if text
            )
        )
    ]
