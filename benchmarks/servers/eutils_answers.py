"""The scripted E-utilities server's answers: the utilities themselves, over a list of articles,
without HTTP or faults.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from lxml import etree
from lxml.builder import E

from benchmarks.servers.citation_xml import HEAD, TAIL, render
from benchmarks.servers.scripted import Reply, json_reply
from clinfo.pubmed.xml import read_article
from clinfo.records.articles import Article, SearchRequest
from clinfo.sources.memory import Memory
from clinfo.text.terms import words

WINDOW = 9_999
MOST_WILDCARDS = 256
MOST_SIMILAR = 20
_DAYS = re.compile(
    r'(?:AND\s+)?\(\s*"(\d{1,4}(?:/\d\d/\d\d)?)"\[dp\]\s*:\s*"(\d{1,4}(?:/\d\d/\d\d)?)"\[dp\]\s*\)'
)
_NAMED = re.compile(r"(?:\bAND\s+)?\(((?:\s*\d+\[pmid\](?:\s+OR\b)?)+)\s*\)\s*$", re.IGNORECASE)
_WITHOUT_ENTRY = re.compile(
    r'\bNOT\s+\("(\d{4}/\d\d/\d\d)"\[edat\]\s*:\s*"(\d{4}/\d\d/\d\d)"\[edat\]\)\s*$', re.IGNORECASE
)

Params = Mapping[str, str]

_PMC_HEAD = (
    b'<?xml version="1.0" ?>\n<!DOCTYPE pmc-articleset PUBLIC "-//NLM//DTD ARTICLE SET 2.0//EN" '
    b'"https://dtd.nlm.nih.gov/ncbi/pmc/articleset/nlm-articleset-2.0.dtd">\n<pmc-articleset>'
)
_PMC_TAIL = b"\n</pmc-articleset>\n"


class Answers:
    """The utilities over articles, or over the bytes of a PubmedArticleSet. Parameters as of
    `EutilsServer`.
    """

    def __init__(
        self,
        source: Iterable[Article] | bytes,
        malformed: Collection[str],
        scripted: Mapping[str, Mapping[str, Any]],
        window: int,
        full_texts: Mapping[str, bytes],
    ) -> None:
        if isinstance(source, bytes):
            elements = [
                node
                for node in etree.fromstring(source)
                if node.tag in ("PubmedArticle", "PubmedBookArticle")
            ]
            articles = [read_article(node) for node in elements]
        else:
            articles = list(source)
            elements = [render(article) for article in articles]
        self._records = {
            article.pmid: etree.tostring(node)
            for article, node in zip(articles, elements, strict=True)
        }
        for pmid in malformed:
            self._records[pmid] = self._records[pmid].replace(
                b"</ArticleTitle>", b"<b></ArticleTitle>", 1
            )
        self._articles = {article.pmid or "": article for article in articles}
        self._memory = Memory(articles)
        self._scripted = scripted
        self._window = window
        self._full_texts = full_texts

    def warm(self) -> None:
        """Build the index, so that the first request does not pay for it. Not to be called within
        an event loop.
        """
        self._search("a", 0)

    def answer(self, utility: str, params: Params, fields: Sequence[tuple[str, str]]) -> Reply:
        """The reply to one request; ``fields`` are the parameters as they came, repeated ones
        too.
        """
        if utility == "esearch.fcgi":
            return self._esearch(params)
        if utility == "efetch.fcgi":
            return self._efetch(params)
        if utility == "elink.fcgi":
            return self._elink(params, [value for name, value in fields if name == "id"])
        return Reply(404, b"<html><body>Not Found</body></html>", "text/html")

    def _esearch(self, params: Params) -> Reply:
        term = params.get("term", "")
        start, asked = int(params.get("retstart", 0)), int(params.get("retmax", 20))
        database = params.get("db", "")
        if database != "pubmed":
            return _error(f"Invalid db name specified: {database}")
        if not term.strip():
            return _error("Empty term and query_key - nothing todo")
        if term.count("*") > MOST_WILDCARDS:
            return _error("Search Backend failed: Database is not available")
        said: dict[str, Any] = {}
        uids = self._found(term, params)
        if start >= self._window and len(uids) > start:
            last = (
                "Search Backend failed: Exception:\n'retstart' cannot be larger than "
                f"{self._window - 1}."
            )
            most = (
                f"For PubMed, ESearch can only retrieve the first {self._window:,} records "
                "matching the query."
            )
            return _error(f"{last} {most}")
        if start + asked > self._window:
            asked = max(self._window - start, 0)
            adjusted = f"Restrictions achieved. start and count adjusted to {start}, {asked}"
            said = {
                "warninglist": {
                    "phrasesignored": [],
                    "quotedphrasesnotfound": [],
                    "outputmessages": [adjusted],
                }
            }
        page = uids[start : start + asked]
        result: dict[str, Any] = {
            "count": str(len(uids)),
            "retmax": str(len(page)),
            "retstart": str(start),
        }
        result |= {
            "idlist": page,
            "translationset": [],
            "querytranslation": term,
            **said,
            **self._scripted.get(term, {}),
        }
        header = {"type": "esearch", "version": "0.3"}
        return json_reply({"header": header, "esearchresult": result})

    def _found(self, term: str, params: Params) -> list[str]:
        """PMIDs of all hits in the order asked for."""
        only: list[set[str]] = []
        while True:
            if named := _NAMED.search(term):
                only.append(set(re.findall(r"\d+", named[1])))
                term = term[: named.start()]
            elif days := _WITHOUT_ENTRY.search(term):
                first, last = (_iso(text) for text in days.groups())
                only.append(
                    {
                        pmid
                        for pmid, article in self._articles.items()
                        if not _entered(article, first, last)
                    }
                )
                term = term[: days.start()]
            else:
                break
        if term.strip():
            pmids = [id.removeprefix("pmid:") for id in self._search(term, len(self._articles))]
        else:
            pmids = list(self._articles)
        stretch = _stretch(params)
        if stretch is not None:
            pmids = [
                pmid
                for pmid in pmids
                if _dated(self._articles[pmid], params.get("datetype", "pdat"), *stretch)
            ]
        pmids = [pmid for pmid in pmids if all(pmid in allowed for allowed in only)]
        if params.get("sort") != "relevance":
            pmids.sort(key=int, reverse=True)
        return pmids

    def _search(self, term: str, limit: int) -> tuple[str, ...]:
        return asyncio.run(self._memory.search(_with_days(SearchRequest(term, limit)))).ids

    def _efetch(self, params: Params) -> Reply:
        pmids = [uid.strip() for uid in params.get("id", "").split(",") if uid.strip()]
        if not pmids:
            return Reply(
                400,
                (
                    b"<eFetchResult><ERROR>ID list is empty! Possibly it has no correct "
                    b"IDs.</ERROR></eFetchResult>\n"
                ),
            )
        if params.get("db") == "pmc":
            return Reply(200, b"".join((_PMC_HEAD, *map(self._full_text, pmids), _PMC_TAIL)))
        records = [self._records[pmid] for pmid in dict.fromkeys(pmids) if pmid in self._records]
        return Reply(200, HEAD + b"\n".join(records) + TAIL)

    def _full_text(self, number: str) -> bytes:
        unknown = f'<Reply Id="{number}" error="The following PMCID is not available: {number}"/>'
        return self._full_texts.get(number, unknown.encode())

    def _elink(self, params: Params, repeated: list[str]) -> Reply:
        """XML alone, as recorded: one LinkSet an ``id=``; ids joined by commas are answered
        together, in one.
        """
        if params.get("dbfrom") != "pubmed" or params.get("db", "pubmed") != "pubmed":
            return _xml(
                E.eLinkResult(E.ERROR(f"Invalid db name specified: {params.get('db', '')}"))
            )
        names = params.get("linkname", ",".join(_LINKS)).split(",")
        root = E.eLinkResult()
        for group in repeated:
            pmids = [pmid.strip() for pmid in group.split(",") if pmid.strip()]
            links = E.LinkSet(E.DbFrom("pubmed"), E.IdList(*(E.Id(pmid) for pmid in pmids)))
            for name in names:
                scored: dict[str, int] = {}
                for pmid in pmids:
                    for other, score in self._linked(pmid, name):
                        scored.setdefault(other, score)
                if scored:
                    links.append(E.LinkSetDb(E.DbTo("pubmed"), E.LinkName(name)))
                for other, score in scored.items():
                    given = [E.Score(str(score))] if params.get("cmd") == "neighbor_score" else []
                    links[-1].append(E.Link(E.Id(other), *given))
            root.append(links)
        return _xml(root)

    def _linked(self, pmid: str, name: str) -> list[tuple[str, int]]:
        """PMIDs linked to an article under a name, with a score; like PubMed's, similar articles
        begin with itself.
        """
        article = self._articles.get(pmid)
        if article is None:
            return []
        if name == "pubmed_pubmed_refs":
            return [(other, 0) for other in article.references]
        if name == "pubmed_pubmed_citedin":
            return [(other, 0) for other, one in self._articles.items() if pmid in one.references]
        if name != "pubmed_pubmed":
            return []
        query = " OR ".join(dict.fromkeys(words(article.title)))
        found = self._search(query, MOST_SIMILAR)
        others = [id.removeprefix("pmid:") for id in found if id != article.id]
        return [(other, 40_000_000 - 1_000 * rank) for rank, other in enumerate([pmid, *others])]


_LINKS = ("pubmed_pubmed", "pubmed_pubmed_citedin", "pubmed_pubmed_refs")


def _with_days(request: SearchRequest) -> SearchRequest:
    """The request with a [dp] range of its query made into limits."""
    found = _DAYS.search(request.query)
    if found is None:
        return request
    first, last = found.groups()
    query = (request.query[: found.start()] + request.query[found.end() :]).strip() or request.query
    return SearchRequest(
        query,
        request.limit,
        published_from=_day(first, date.min),
        published_to=_day(last, date.max),
    )


def _day(text: str, otherwise: date) -> date:
    year, *rest = (int(part) for part in text.split("/"))
    return date(year, *rest) if rest else otherwise


def _iso(text: str) -> date:
    return date.fromisoformat(text.replace("/", "-"))


def _stretch(params: Params) -> tuple[date, date] | None:
    """The days that mindate and maxdate ask for; a year or month stands for all its
    days.
    """
    if "mindate" not in params or "maxdate" not in params:
        return None
    first = [int(part) for part in params["mindate"].split("/")]
    last = [int(part) for part in params["maxdate"].split("/")]
    start = date(*[*first, 1, 1][:3])
    year, month, day = [*last, 12, 31][:3] if len(last) != 2 else (*last, 31)
    while True:
        try:
            return start, date(year, month, day)
        except ValueError:
            day -= 1


def _dated(article: Article, kind: str, first: date, last: date) -> bool:
    if kind == "pdat":
        return (
            article.published is not None
            and article.published.start <= last
            and article.published.end >= first
        )
    return _entered(article, first, last)


def _entered(article: Article, first: date, last: date) -> bool:
    return article.entered is not None and first <= article.entered <= last


def _error(message: str) -> Reply:
    """An error of ESearch, whose JSON is invalid where the message has a line break: it is not
    escaped.
    """
    text = json.dumps(
        {"header": {"type": "esearch", "version": "0.3"}, "esearchresult": {"ERROR": message}}
    )
    return Reply(200, text.replace("\\n", "\n").encode(), "application/json; charset=UTF-8")


def _xml(root: etree._Element) -> Reply:
    return Reply(200, etree.tostring(root, xml_declaration=True, encoding="UTF-8"))
