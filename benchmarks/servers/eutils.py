"""A scripted E-utilities server on loopback: ESearch (JSON), EFetch and ELink (XML), with
faults on demand.

    with EutilsServer(articles, latency=0.15, rate=3) as server:
        PubMed(base_url=server.url, rate=3)

Shapes are those recorded from NCBI: numbers as strings, errors with status 200, throttling as JSON
with status 429. The utilities are those of `clinfo.pubmed.eutils`, over articles in memory.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, cast

from lxml import etree
from werkzeug.datastructures import MultiDict
from werkzeug.test import Client

from benchmarks.servers.citation_xml import render
from benchmarks.servers.faults import Faults
from benchmarks.servers.scripted import Received, Reply, ScriptedServer, json_reply
from clinfo.pubmed.citation import Citation
from clinfo.pubmed.document import document
from clinfo.pubmed.eutils import PATH, EutilsApplication
from clinfo.pubmed.in_memory import InMemoryEngine
from clinfo.pubmed.limits import WINDOW
from clinfo.pubmed.plan import Plan, Sort
from clinfo.pubmed.search import Found, search
from clinfo.pubmed.xml import read_citation
from clinfo.records.articles import Article
from clinfo.text.terms import words

_PMC_HEAD = (
    b'<?xml version="1.0" ?>\n<!DOCTYPE pmc-articleset PUBLIC "-//NLM//DTD ARTICLE SET 2.0//EN" '
    b'"https://dtd.nlm.nih.gov/ncbi/pmc/articleset/nlm-articleset-2.0.dtd">\n<pmc-articleset>'
)
_PMC_TAIL = b"\n</pmc-articleset>\n"


class EutilsServer(ScriptedServer):
    """The utilities; ``latency`` to ``api_keys`` are those of `ScriptedServer`.

    ``source`` are Articles, or the bytes of a PubmedArticleSet whose records are then sent as they
    are. ``malformed`` are PMIDs whose records are
    sent as damaged XML. ``scripted`` holds, by term, fields that are put into ``esearchresult``
    (say ``errorlist``). ``window`` is how many hits are handed out for
    one search, ``full_texts`` the articles of db=pmc by the digits of their PMCIDs.
    """

    PATH = "/entrez/eutils/"
    KIND = "text/xml; charset=UTF-8"
    ERROR = Reply(500, b"<html><body>Internal Server Error</body></html>", "text/html")

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
        window: int = WINDOW,
        full_texts: Mapping[str, bytes] | None = None,
    ) -> None:
        if isinstance(source, bytes):
            elements = [
                node
                for node in etree.fromstring(source)
                if node.tag in ("PubmedArticle", "PubmedBookArticle")
            ]
            citations = [read_citation(node) for node in elements]
        else:
            citations = [Citation(article) for article in source]
            elements = [render(one.article) for one in citations]
        held = _Held(citations, [etree.tostring(node) for node in elements], malformed)
        self._utilities = Client(EutilsApplication(cast(Any, held), window))
        self._scripted, self._full_texts = scripted or {}, full_texts or {}
        super().__init__(latency=latency, rate=rate, faults=faults, api_keys=api_keys)

    def requests(self, utility: str) -> list[Received]:
        """Return what ``utility`` ("esearch", "efetch") was asked, in order of arrival."""
        with self._lock:
            return [entry for entry in self.log if entry.path.endswith(f"/{utility}.fcgi")]

    def answer(self, asked: Received) -> Reply:
        utility, params = asked.path.rpartition("/")[2], asked.params
        if utility == "efetch.fcgi" and params.get("db") == "pmc":
            numbers = params["id"].split(",")
            return Reply(200, b"".join((_PMC_HEAD, *map(self._full_text, numbers), _PMC_TAIL)))
        told = self._utilities.post(f"{PATH}{utility}", data=MultiDict(asked.fields))
        scripted = self._scripted.get(params.get("term", ""))
        if scripted and utility == "esearch.fcgi":
            form = json.loads(told.data)
            return json_reply({**form, "esearchresult": {**form["esearchresult"], **scripted}})
        return Reply(told.status_code, told.data, told.content_type)

    def _full_text(self, number: str) -> bytes:
        unknown = f'<Reply Id="{number}" error="The following PMCID is not available: {number}"/>'
        return self._full_texts.get(number, unknown.encode())

    def refused(self, asked: Received) -> Reply | None:
        key = asked.params.get("api_key")
        if key is None or self._api_keys is None or key in self._api_keys:
            return None
        return json_reply({"error": "API key invalid", "api-key": key, "type": "api key"}, 400)

    def too_many(self, asked: Received, count: int, limit: float) -> Reply:
        who = asked.params.get("api_key", "127.0.0.1")
        body = {"error": "API rate limit exceeded", "api-key": who}
        return json_reply(body | {"count": str(count), "limit": f"{limit:g}"}, 429)


class _Held:
    """Articles in memory, asked as `clinfo.pubmed.index.LocalIndex` is."""

    def __init__(
        self, citations: Sequence[Citation], records: Iterable[bytes], malformed: Collection[str]
    ) -> None:
        self._articles = {one.article.pmid or "": one.article for one in citations}
        self._records = dict(zip(self._articles, records, strict=True))
        for pmid in malformed:
            self._records[pmid] = self._records[pmid].replace(
                b"</ArticleTitle>", b"<b></ArticleTitle>", 1
            )
        self._engine = InMemoryEngine(map(document, citations))
        self.best = self._engine.best
        self._engine.ranking.known(())  # not in the first request's time

    def search(
        self, text: str, limit: int, offset: int = 0, sort: Sort = "relevance",
        history: Mapping[int, Plan] = {},
    ) -> Found:  # fmt: skip
        return search(
            text, self._engine, None, limit, offset, sort, None, history, leave_out_unfilled=True
        )

    def records(self, pmids: Iterable[str]) -> dict[str, bytes]:
        return {pmid: self._records[pmid] for pmid in pmids if pmid in self._records}

    def similar(self, pmid: str, limit: int) -> list[tuple[str, int]]:
        if pmid not in self._articles:
            return []
        query = " OR ".join(dict.fromkeys(words(self._articles[pmid].title)))
        found = [id.removeprefix("pmid:") for id in self.search(query, limit).ids]
        others = [pmid, *(one for one in found if one != pmid)]
        return [(one, 40_000_000 - 1_000 * rank) for rank, one in enumerate(others)]

    def citing(self, pmid: str) -> list[str]:
        return [other for other, one in self._articles.items() if pmid in one.references]

    def cited(self, pmid: str) -> list[str]:
        return list(self._articles[pmid].references) if pmid in self._articles else []
