"""A scripted E-utilities server on loopback: ESearch and EFetch over a list of articles, with faults on demand.

    with EutilsServer(articles, latency=0.15, rate=3) as server:
        PubMed(base_url=server.url, rate=3)

Shapes are those recorded from NCBI: numbers as strings, errors with status 200, throttling as JSON with status 429.
Searching is that of `clinfo.sources.memory`, with ranges of [dp] obeyed; translations and warnings are scripted.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections import deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from lxml import etree
from lxml.builder import E

from benchmarks.servers.faults import Fault, Faults
from clinfo.pubmed.xml import read_article
from clinfo.records import Article, SearchRequest
from clinfo.sources.memory import Memory

PATH = "/entrez/eutils/"
WINDOW = 9_999
_HTML = b"<!DOCTYPE html>\n<html><head><title>NCBI</title></head><body><h1>Service under maintenance</h1></body></html>\n"
_HEAD = (
    b'<?xml version="1.0" ?>\n<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2025//EN" '
    b'"https://dtd.nlm.nih.gov/ncbi/pubmed/out/pubmed_250101.dtd">\n<PubmedArticleSet>\n'
)
_DAYS = re.compile(r'(?:AND\s+)?\(\s*"(\d{1,4}(?:/\d\d/\d\d)?)"\[dp\]\s*:\s*"(\d{1,4}(?:/\d\d/\d\d)?)"\[dp\]\s*\)')


@dataclass(frozen=True)
class Received:
    """A request as it came; ``at`` is time.monotonic() in seconds, ``fault`` what was done to it."""

    method: str
    path: str
    params: Mapping[str, str]
    at: float
    fault: Fault


@dataclass(frozen=True)
class Reply:
    """What goes back over the wire."""

    status: int
    body: bytes
    kind: str = "text/xml; charset=UTF-8"
    headers: Mapping[str, str] = field(default_factory=dict)


class EutilsServer:
    """A context manager; ``url`` is the base address and ``log`` what was received.

    ``source`` are Articles, or the bytes of a PubmedArticleSet whose records are then sent as they are. ``latency`` is in
    seconds a call; ``rate`` in requests a second, beyond which 429 is answered; ``api_keys`` are those accepted (None: any).
    ``malformed`` are PMIDs whose records are sent as damaged XML. ``scripted`` holds, by term, fields that are put into
    ``esearchresult`` (say ``errorlist``). ``queue`` makes the next request get a reply of your own.
    """

    def __init__(
        self,
        source: Iterable[Article] | bytes = (),
        *,
        latency: float = 0.0,
        rate: float | None = None,
        faults: Faults | None = None,
        api_keys: Collection[str] | None = None,
        malformed: Collection[str] = (),
        scripted: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        if isinstance(source, bytes):
            elements = [node for node in etree.fromstring(source) if node.tag in ("PubmedArticle", "PubmedBookArticle")]
            articles = [read_article(node) for node in elements]
        else:
            articles = list(source)
            elements = [render(article) for article in articles]
        self._records = {article.pmid: etree.tostring(node) for article, node in zip(articles, elements, strict=True)}
        for pmid in malformed:
            self._records[pmid] = self._records[pmid].replace(b"</ArticleTitle>", b"<b></ArticleTitle>", 1)
        self._memory = Memory(articles)
        self._latency = latency
        self._rate = rate
        self._faults = faults or Faults()
        self._api_keys = api_keys
        self._scripted = scripted or {}
        self._queued: deque[Reply] = deque()
        self._arrived: deque[float] = deque()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self.log: list[Received] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler(), bind_and_activate=False)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._server.request_queue_size = 128

    def __enter__(self) -> EutilsServer:
        self._memory.rank("", 0)  # builds the index, so that the first request does not pay for it
        self._server.server_bind()
        self._server.server_activate()
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        """Base address, to which ``esearch.fcgi`` is appended."""
        return f"http://127.0.0.1:{self._server.server_address[1]}{PATH}"

    def queue(self, status: int, body: bytes | str, headers: Mapping[str, str] | None = None) -> None:
        """Answer the next request not yet promised a reply with this one."""
        data = body.encode() if isinstance(body, str) else body
        self._queued.append(Reply(status, data, headers=headers or {}))

    def requests(self, utility: str) -> list[Received]:
        """What ``utility`` ("esearch", "efetch") was asked, in order of arrival."""
        with self._lock:
            return [entry for entry in self.log if entry.path.endswith(f"/{utility}.fcgi")]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._answer(urlsplit(self.path).query)

            def do_POST(self) -> None:
                self._answer(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode())

            def _answer(self, encoded: str) -> None:
                path, params = urlsplit(self.path).path, dict(parse_qsl(encoded))
                fault, reply = owner._receive(self.command, path, params)
                if fault == "hang":
                    owner._closing.wait(owner._faults.hang_seconds)
                    self.close_connection = True
                    return
                self.send_response(reply.status)
                for name, value in {"Content-Type": reply.kind, **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                if fault == "cut":
                    self.wfile.write(reply.body[: len(reply.body) // 2])
                    self.close_connection = True
                else:
                    self.wfile.write(reply.body)

            def log_message(self, format: str, *args: object) -> None:
                """Requests are kept in the server's ``log``, not printed."""

        return Handler

    def _receive(self, method: str, path: str, params: dict[str, str]) -> tuple[Fault, Reply]:
        now = time.monotonic()
        with self._lock:
            fault = self._faults.draw()
            self.log.append(Received(method, path, params, now, fault))
            while self._arrived and now - self._arrived[0] >= 1:
                self._arrived.popleft()
            self._arrived.append(now)
            crowd = len(self._arrived)
            queued = self._queued.popleft() if self._queued else None
        if self._latency:
            self._closing.wait(self._latency)
        if queued is not None:
            return "none", queued
        if fault == "429" or (self._rate is not None and crowd > self._rate):
            return "none", _throttled(params, crowd, self._rate or 3)
        if fault == "500":
            return "none", Reply(500, b"<html><body>Internal Server Error</body></html>", "text/html")
        if fault == "html":
            return "none", Reply(200, _HTML, "text/html")
        if fault == "empty":
            return "none", Reply(200, b"")
        key = params.get("api_key")
        if key is not None and self._api_keys is not None and key not in self._api_keys:
            return "none", _json_reply({"error": "API key invalid", "api-key": key, "type": "api key"}, 400)
        utility = path.rpartition("/")[2]
        if utility == "esearch.fcgi":
            return fault, self._esearch(params)
        if utility == "efetch.fcgi":
            return fault, self._efetch(params)
        return "none", Reply(404, b"<html><body>Not Found</body></html>", "text/html")

    def _esearch(self, params: dict[str, str]) -> Reply:
        term, as_json = params.get("term", ""), params.get("retmode") == "json"
        start, most = int(params.get("retstart", 0)), min(int(params.get("retmax", 20)), WINDOW)
        if params.get("db") != "pubmed":
            return _error(f"Invalid db name specified: {params.get('db', '')}", as_json)
        if not term.strip():
            return _error("Empty term and query_key - nothing todo", as_json)
        request = _with_days(SearchRequest(query=term, limit=WINDOW))
        found = asyncio.run(self._memory.search(request))
        pmids = [id.removeprefix("pmid:") for id in found.ids]
        if params.get("sort") != "relevance":
            pmids.sort(key=int, reverse=True)
        pmids = pmids[start : start + most]
        result = {
            "count": str(found.count),
            "retmax": str(len(pmids)),
            "retstart": str(start),
            "idlist": pmids,
            "translationset": [],
            "querytranslation": term,
            **self._scripted.get(term, {}),
        }
        if as_json:
            return _json_reply({"header": {"type": "esearch", "version": "0.3"}, "esearchresult": result})
        return Reply(200, _esearch_xml(result))

    def _efetch(self, params: dict[str, str]) -> Reply:
        pmids = [pmid.strip() for pmid in params.get("id", "").split(",") if pmid.strip()]
        if not pmids:
            return Reply(400, b"<eFetchResult><ERROR>ID list is empty! Possibly it has no correct IDs.</ERROR></eFetchResult>\n")
        records = [self._records[pmid] for pmid in dict.fromkeys(pmids) if pmid in self._records]
        return Reply(200, _HEAD + b"\n".join(records) + b"\n</PubmedArticleSet>\n")


def render_set(articles: Iterable[Article]) -> bytes:
    """A PubmedArticleSet with these articles."""
    return _HEAD + b"\n".join(etree.tostring(render(article)) for article in articles) + b"\n</PubmedArticleSet>\n"


def render(article: Article) -> etree._Element:
    """A PubmedArticle element that reads back as ``article``, as far as PubMed's format holds its fields."""
    body = E.Article(
        E.Journal(
            E.JournalIssue(*_filled("Volume", article.volume), *_filled("Issue", article.issue), *_pub_date(article)),
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
            body[-1].append(E.AbstractText(section.text, {name: value for name, value in names.items() if value}))
    if article.authors:
        body.append(E.AuthorList(CompleteYN="Y" if article.authors_complete else "N"))
        for author in article.authors:
            if author.collective:
                body[-1].append(E.Author(E.CollectiveName(author.last), ValidYN="Y"))
            else:
                named = (("LastName", author.last), ("ForeName", author.fore), ("Initials", author.initials))
                parts = [part for tag, text in (*named, ("Suffix", author.suffix)) for part in _filled(tag, text)]
                body[-1].append(E.Author(*parts, ValidYN="Y"))
    body.extend(E.Language(language) for language in article.languages)
    if article.databank_numbers:
        numbers = [E.AccessionNumber(number) for number in article.databank_numbers]
        body.append(E.DataBankList(E.DataBank(E.DataBankName("ClinicalTrials.gov"), E.AccessionNumberList(*numbers))))
    if article.publication_types:
        body.append(E.PublicationTypeList(*(E.PublicationType(kind) for kind in article.publication_types)))
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
        citation.append(E.MeshHeadingList(*(E.MeshHeading(E.DescriptorName(heading)) for heading in article.mesh)))
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
            data[-1].append(E.Reference(E.Citation(""), E.ArticleIdList(E.ArticleId(pmid, IdType="pubmed"))))
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
    return [E.PubDate(*(E(tag, text) for tag, text in zip(("Year", "Month", "Day"), stated.groups(), strict=True) if text))]


def _with_days(request: SearchRequest) -> SearchRequest:
    """The request with a [dp] range of its query made into limits."""
    found = _DAYS.search(request.query)
    if found is None:
        return request
    first, last = found.groups()
    query = (request.query[: found.start()] + request.query[found.end() :]).strip() or request.query
    return SearchRequest(query, request.limit, published_from=_day(first, date.min), published_to=_day(last, date.max))


def _day(text: str, otherwise: date) -> date:
    year, *rest = (int(part) for part in text.split("/"))
    return date(year, *rest) if rest else otherwise


def _throttled(params: Mapping[str, str], count: int, limit: float) -> Reply:
    who = params.get("api_key", "127.0.0.1")
    body = {"error": "API rate limit exceeded", "api-key": who, "count": str(count), "limit": f"{limit:g}"}
    return _json_reply(body, 429)


def _json_reply(value: Any, status: int = 200) -> Reply:
    return Reply(status, json.dumps(value).encode(), "application/json; charset=UTF-8")


def _error(message: str, as_json: bool) -> Reply:
    if as_json:
        return _json_reply({"header": {"type": "esearch", "version": "0.3"}, "esearchresult": {"ERROR": message}})
    return Reply(200, etree.tostring(E.eSearchResult(E.ERROR(message)), xml_declaration=True, encoding="UTF-8"))


def _esearch_xml(result: Mapping[str, Any]) -> bytes:
    pairs = [E.Translation(E.From(pair["from"]), E.To(pair["to"])) for pair in result["translationset"]]
    root = E.eSearchResult(
        E.Count(result["count"]),
        E.RetMax(result["retmax"]),
        E.RetStart(result["retstart"]),
        E.IdList(*(E.Id(pmid) for pmid in result["idlist"])),
        E.TranslationSet(*pairs),
        E.QueryTranslation(result["querytranslation"]),
    )
    lists = (
        ("errorlist", "ErrorList", {"phrasesnotfound": "PhraseNotFound", "fieldsnotfound": "FieldNotFound"}),
        (
            "warninglist",
            "WarningList",
            {"phrasesignored": "PhraseIgnored", "quotedphrasesnotfound": "QuotedPhraseNotFound", "outputmessages": "OutputMessage"},
        ),
    )
    for name, tag, members in lists:
        if name in result:
            root.append(E(tag, *(E(members[kind], text) for kind, texts in result[name].items() for text in texts)))
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")
