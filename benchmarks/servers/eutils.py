"""A scripted E-utilities server on loopback: ESearch (JSON), EFetch and ELink (XML), with
faults on demand.

    with EutilsServer(articles, latency=0.15, rate=3) as server:
        PubMed(base_url=server.url, rate=3)

Shapes are those recorded from NCBI: numbers as strings, errors with status 200, throttling as JSON
with status 429. The utilities are those of `clinfo.pubmed.eutils`, over articles in memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from benchmarks.servers.citation_xml import render_set
from benchmarks.servers.eutils_answers import Answers
from benchmarks.servers.faults import Faults
from benchmarks.servers.scripted import Received, Reply, ScriptedServer, json_reply
from clinfo.pubmed.limits import WINDOW
from clinfo.records.articles import Article

__all__ = ["EutilsServer", "Received", "render_set"]


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
        self._answers = Answers(source, malformed, scripted or {}, window, full_texts or {})
        super().__init__(latency=latency, rate=rate, faults=faults, api_keys=api_keys)

    def requests(self, utility: str) -> list[Received]:
        """Return what ``utility`` ("esearch", "efetch") was asked, in order of arrival."""
        with self._lock:
            return [entry for entry in self.log if entry.path.endswith(f"/{utility}.fcgi")]

    def answer(self, asked: Received) -> Reply:
        return self._answers.answer(asked.path.rpartition("/")[2], asked.fields)

    def refused(self, asked: Received) -> Reply | None:
        key = asked.params.get("api_key")
        if key is None or self._api_keys is None or key in self._api_keys:
            return None
        return json_reply({"error": "API key invalid", "api-key": key, "type": "api key"}, 400)

    def too_many(self, asked: Received, count: int, limit: float) -> Reply:
        who = asked.params.get("api_key", "127.0.0.1")
        body = {"error": "API rate limit exceeded", "api-key": who}
        return json_reply(body | {"count": str(count), "limit": f"{limit:g}"}, 429)
