"""Document summaries of PubMed citations as ESummary gives them: JSON, XML of version 1 and of
version 2.0.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from clinfo.pubmed.citation import citation_line
from clinfo.pubmed.eutils_shapes import Form, element
from clinfo.pubmed.eutils_text import time_of, written
from clinfo.pubmed.xml import element_of, read_citation
from clinfo.records.articles import Author
from clinfo.text.languages import ENGLISH_NAMES
from clinfo.text.words import key

_DTD = "https://eutils.ncbi.nlm.nih.gov/eutils/dtd"
_STATUS = {"ppublish": "4", "epublish": "3", "aheadofprint": "10"}
_RECORD_STATUS = {
    "MEDLINE": "PubMed - indexed for MEDLINE",
    "Completed": "PubMed - indexed for MEDLINE",
    "OLDMEDLINE": "PubMed - OLDMEDLINE",
    "PubMed-not-MEDLINE": "PubMed",
    "In-Process": "PubMed - in process",
    "In-Data-Review": "PubMed - in process",
    "Publisher": "PubMed - as supplied by publisher",
}
_ID_TYPES = {"pubmed": 1, "doi": 3, "pii": 4, "pmc": 8}


def summary(record: bytes) -> dict[str, Any]:
    """The summary of a record, as the JSON answer holds it. What the record does not say is
    empty, as in PubMed's.
    """
    citation = read_citation(record)
    article = citation.article
    names = [_name(author) for author in article.authors]
    identifiers = dict.fromkeys((("pubmed", article.pmid or ""), *citation.identifiers))
    abbreviation = article.journal_abbreviation or citation.medline_journal or ""
    starts = article.published.start if article.published else article.electronic
    return {
        "uid": article.pmid or "",
        "pubdate": article.published.text if article.published else "",
        "epubdate": written(article.electronic) if article.electronic else "",
        "source": abbreviation,
        "authors": [
            {
                "name": name,
                "authtype": "CollectiveName" if author.collective else "Author",
                "clusterid": "",
            }
            for name, author in zip(names, article.authors, strict=True)
        ],
        "lastauthor": names[-1] if names else "",
        "title": article.title,
        "sorttitle": key(article.title),
        "volume": article.volume or "",
        "issue": article.issue or "",
        "pages": "" if ("pii", article.pages) in citation.identifiers else article.pages or "",
        "lang": list(article.languages),
        "nlmuniqueid": citation.nlm_id or "",
        "issn": citation.issns[0] if citation.issns else "",
        "essn": "",
        "pubtype": list(article.publication_types),
        "recordstatus": _RECORD_STATUS.get(article.status or "", "PubMed"),
        "pubstatus": _STATUS.get(citation.publication_status or "", ""),
        "articleids": [
            {"idtype": kind, "idtypen": _ID_TYPES.get(kind, 8), "value": value}
            for kind, value in identifiers
        ],
        "history": [
            {"pubstatus": node.get("PubStatus", ""), "date": time_of(node)}
            for node in element_of(record).iterfind(".//History/PubMedPubDate")
        ],
        "references": [
            {
                "refsource": link.citation,
                "reftype": link.kind,
                "pmid": int(link.pmid) if link.pmid else 0,
                "note": "",
            }
            for link in article.corrections
        ],
        "attributes": ["Has Abstract"] if article.sections else [],
        "pmcrefcount": "",
        "fulljournalname": article.journal or "",
        "elocationid": f"doi: {article.doi}" if article.doi else "",
        "doctype": "chapter" if citation.book else "citation",
        "srccontriblist": [],
        "booktitle": citation.book or "",
        "medium": "",
        "edition": "",
        "publisherlocation": "",
        "publishername": citation.publisher or "",
        "srcdate": "",
        "reportnumber": "",
        "availablefromurl": "",
        "locationlabel": "",
        "doccontriblist": [],
        "docdate": "",
        "bookname": "",
        "chapter": "",
        "sortpubdate": starts.strftime("%Y/%m/%d 00:00") if starts else "",
        "sortfirstauthor": names[0] if names else "",
        "vernaculartitle": article.vernacular_title or "",
    }


def missing(pmid: str) -> dict[str, str]:
    """Return what stands in the JSON answer for an id without a record."""
    return {"uid": pmid, "error": "cannot get document summary"}


def summaries_v1(records: Sequence[bytes], absent: Sequence[str]) -> bytes:
    """ESummary's XML of version 1, the default."""
    documents = "".join(map(_document_v1, records))
    errors = "".join(
        f"<ERROR>UID={escape(pmid)}: cannot get document summary</ERROR>\n" for pmid in absent
    )
    return (
        '<?xml version="1.0" encoding="UTF-8" ?>\n<!DOCTYPE eSummaryResult PUBLIC "-//NLM//DTD '
        'esummary v1 20041029//EN" '
        f'"{_DTD}/20041029/esummary-v1.dtd">\n<eSummaryResult>\n'
        f"{documents}{errors}</eSummaryResult>\n"
    ).encode(errors="replace")


def _document_v1(record: bytes) -> str:
    form, citation = summary(record), read_citation(record)
    ids = {one["idtype"]: one["value"] for one in form["articleids"]}
    dates = {one["pubstatus"]: one["date"] for one in form["history"]}
    items = [
        _item("PubDate", "Date", form["pubdate"]),
        _item("EPubDate", "Date", form["epubdate"]),
        _item("Source", "String", form["source"]),
        _list("AuthorList", [("Author", "String", one["name"]) for one in form["authors"]]),
        _item("LastAuthor", "String", form["lastauthor"]),
        _item("Title", "String", form["title"]),
        _item("Volume", "String", form["volume"]),
        _item("Issue", "String", form["issue"]),
        _item("Pages", "String", form["pages"]),
        _list(
            "LangList",
            [
                ("Lang", "String", ENGLISH_NAMES.get(language, language))
                for language in form["lang"]
            ],
        ),
        _item("NlmUniqueID", "String", form["nlmuniqueid"]),
        _item("ISSN", "String", form["issn"]),
        _item("ESSN", "String", form["essn"]),
        _list("PubTypeList", [("PubType", "String", kind) for kind in form["pubtype"]]),
        _item("RecordStatus", "String", form["recordstatus"]),
        _item("PubStatus", "String", citation.publication_status or ""),
        _list("ArticleIds", [(kind, "String", value) for kind, value in ids.items()]),
        _item("DOI", "String", citation.article.doi) if citation.article.doi else "",
        _list("History", [(name, "Date", day) for name, day in dates.items()]),
        _list("References", []),
        _item("HasAbstract", "Integer", "1" if form["attributes"] else "0"),
        _item("PmcRefCount", "Integer", "0"),
        _item("FullJournalName", "String", form["fulljournalname"]),
        _item("ELocationID", "String", form["elocationid"]),
        _item("SO", "String", citation_line(citation.article)),
    ]
    return f"<DocSum>\n<Id>{escape(form['uid'])}</Id>\n{''.join(items)}</DocSum>\n\n"


def _item(name: str, kind: str, value: str) -> str:
    return f"<Item Name={quoteattr(name)} Type={quoteattr(kind)}>{escape(value)}</Item>\n"


def _list(name: str, items: Sequence[tuple[str, str, str]]) -> str:
    return f'<Item Name="{name}" Type="List">{"".join(_item(*item) for item in items)}</Item>\n'


_LISTS_V2 = {
    "authors": ("Authors", "Author"),
    "articleids": ("ArticleIds", "ArticleId"),
    "history": ("History", "PubMedPubDate"),
    "references": ("References", "Reference"),
    "lang": ("Lang", "string"),
    "pubtype": ("PubType", "flag"),
    "attributes": ("Attributes", "flag"),
}
_NAMES_V2 = {
    "pubdate": "PubDate",
    "epubdate": "EPubDate",
    "source": "Source",
    "lastauthor": "LastAuthor",
    "title": "Title",
    "sorttitle": "SortTitle",
    "volume": "Volume",
    "issue": "Issue",
    "pages": "Pages",
    "nlmuniqueid": "NlmUniqueID",
    "issn": "ISSN",
    "essn": "ESSN",
    "recordstatus": "RecordStatus",
    "pubstatus": "PubStatus",
    "pmcrefcount": "PmcRefCount",
    "fulljournalname": "FullJournalName",
    "elocationid": "ELocationID",
    "doctype": "DocType",
    "booktitle": "BookTitle",
    "publishername": "PublisherName",
    "sortpubdate": "SortPubDate",
    "sortfirstauthor": "SortFirstAuthor",
    "vernaculartitle": "VernacularTitle",
    "name": "Name",
    "authtype": "AuthType",
    "clusterid": "ClusterID",
    "idtype": "IdType",
    "idtypen": "IdTypeN",
    "value": "Value",
    "date": "Date",
    "refsource": "RefSource",
    "reftype": "RefType",
    "pmid": "PMID",
    "note": "Note",
}


def summaries_v2(records: Sequence[bytes], absent: Sequence[str]) -> bytes:
    """ESummary's XML of version 2.0."""
    documents = [_document_v2(summary(record)) for record in records]
    documents += [{"@uid": pmid, "error": "cannot get document summary"} for pmid in absent]
    whole = {"DocumentSummarySet": {"@status": "OK", "DocumentSummary": documents}}
    return (
        '<?xml version="1.0" encoding="UTF-8" ?>\n<!DOCTYPE eSummaryResult PUBLIC "-//NLM//DTD '
        'esummary pubmed 20190709//EN" '
        f'"{_DTD}/20190709/esummary_pubmed.dtd">\n{element("eSummaryResult", whole)}'
    ).encode(errors="replace")


def _document_v2(form: Mapping[str, Any]) -> Form:
    document: Form = {"@uid": form["uid"]}
    for name, value in form.items():
        if name in _LISTS_V2:
            outer, inner = _LISTS_V2[name]
            document[outer] = {inner: [_entry_v2(one) for one in value]}
        elif name in _NAMES_V2:
            document[_NAMES_V2[name]] = value
    return document


def _entry_v2(one: Any) -> Any:
    fields = {"pubstatus": "PubStatus", **_NAMES_V2}
    return {fields[name]: text for name, text in one.items()} if isinstance(one, dict) else one


def _name(author: Author) -> str:
    parts = (author.last, author.initials, author.suffix)
    return author.last if author.collective else " ".join(part for part in parts if part)
