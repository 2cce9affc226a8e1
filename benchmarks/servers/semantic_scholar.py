"""A scripted Semantic Scholar on loopback: search, batches, links and recommendations, with faults
on demand.

    with ScholarServer([paper_of(article) for article in articles], rate=1) as server:
        SemanticScholar(server.url)

Papers are objects as the service sends them. A search looks for all words of the query in title and
abstract; a word with a hyphen finds nothing, as documented; operators are words. Error bodies are
those recorded from the service.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from benchmarks.servers.faults import Faults
from benchmarks.servers.scripted import Received, Reply, ScriptedServer, json_reply
from clinfo.records.articles import Article

GRAPH, RECOMMENDATIONS = "/graph/v1/", "/recommendations/v1/"
WINDOW, PAGE, BATCH = 1_000, 100, 500
TOO_MANY = {
    "message": (
        "Too Many Requests. Please wait and try again or apply for a key for higher rate limits. "
        "https://www.semanticscholar.org/product/api#api-key-form"
    ),
    "code": "429",
}
_FIELDS = frozenset(
    {
        "paperId",
        "externalIds",
        "title",
        "abstract",
        "venue",
        "publicationVenue",
        "year",
        "journal",
        "authors",
    }
    | {"publicationTypes", "publicationDate"}
)

Paper = Mapping[str, Any]


def paper_id(text: str) -> str:
    """An id of the service's form, always the same for a text."""
    return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


def paper_of(article: Article, **changes: Any) -> dict[str, Any]:
    """An article as the service would send it, with ``changes`` of single fields."""
    ids = {"PubMed": article.pmid, "DOI": article.doi, "PubMedCentral": article.pmcid}
    day = article.published.start if article.published else None
    whole = article.published is not None and article.published.start == article.published.end
    return {
        "paperId": paper_id(article.id),
        "externalIds": {
            "CorpusId": len(article.title),
            **{name: value for name, value in ids.items() if value},
        },
        "title": article.title,
        "abstract": article.abstract or None,
        "venue": article.journal or "",
        "year": article.year,
        "publicationDate": day.isoformat() if day and whole else None,
        "journal": {"name": article.journal, "volume": article.volume, "pages": article.pages}
        if article.journal
        else None,
        "authors": [
            {"authorId": None, "name": " ".join(filter(None, (one.fore, one.last, one.suffix)))}
            for one in article.authors
        ],
        "publicationTypes": [one.replace(" ", "") for one in article.publication_types] or None,
        **changes,
    }


class ScholarServer(ScriptedServer):
    """``latency`` to ``api_keys`` are those of `ScriptedServer`, a key being needed where they are
    given. ``cites`` holds by paperId the papers that it cites, ``recommends`` those that are
    recommended for it.
    """

    PATH = GRAPH
    KIND = "application/json"
    ERROR = json_reply({"message": "Internal server error"}, 500)

    def __init__(
        self,
        papers: Iterable[Paper] = (),
        *,
        cites: Mapping[str, Sequence[str]] | None = None,
        recommends: Mapping[str, Sequence[str]] | None = None,
        latency: float = 0.0,
        rate: float | None = None,
        faults: Faults | None = None,
        api_keys: Collection[str] | None = None,
    ) -> None:
        self._papers = {paper["paperId"]: paper for paper in papers}
        self._cites = cites or {}
        self._recommends = recommends or {}
        super().__init__(latency=latency, rate=rate, faults=faults, api_keys=api_keys)

    def requests(self, path: str) -> list[Received]:
        """Return what was asked of paths that end so ("paper/search", "/citations"), in order of
        arrival.
        """
        with self._lock:
            return [entry for entry in self.log if entry.path.endswith(path)]

    def too_many(self, asked: Received, count: int, limit: float) -> Reply:
        return json_reply(TOO_MANY, 429)

    def refused(self, asked: Received) -> Reply | None:
        if self._api_keys is None or asked.headers.get("x-api-key") in self._api_keys:
            return None
        return json_reply({"message": "Forbidden"}, 403)

    def answer(self, asked: Received) -> Reply:
        return self._found(asked.method, asked.path, asked.params, asked.body)

    def _found(self, method: str, path: str, params: Mapping[str, str], body: Any) -> Reply:
        if unknown := sorted(set(params.get("fields", "title").split(",")) - _FIELDS):
            return json_reply(
                {"error": f"Unrecognized or unsupported fields: [{', '.join(unknown)}]"}, 400
            )
        fields = params.get("fields", "title").split(",")
        if path == f"{GRAPH}paper/search" and method == "GET":
            return self._search(params, fields)
        if path == f"{GRAPH}paper/batch" and method == "POST":
            return self._batch(body, fields)
        if found := re.fullmatch(f"{GRAPH}paper/(.+)/(citations|references)", path):
            return self._links(found[1], found[2], params, fields)
        if found := re.fullmatch(f"{RECOMMENDATIONS}papers/forpaper/(.+)", path):
            if (paper := self._named(found[1])) is None:
                return json_reply({"error": "Paper not found"}, 404)
            near = self._recommends.get(paper["paperId"], ())[: int(params.get("limit", 100))]
            return json_reply(
                {"recommendedPapers": [_shown(self._papers[id], fields) for id in near]}
            )
        return json_reply({"message": "Not Found"}, 404)

    def _search(self, params: Mapping[str, str], fields: list[str]) -> Reply:
        limit, offset = int(params.get("limit", PAGE)), int(params.get("offset", 0))
        if not params.get("query", "").strip():
            return json_reply({"error": "Missing required parameter: 'query'"}, 400)
        if limit > PAGE or limit < 1:
            return json_reply({"error": f"limit must be at most {PAGE}"}, 400)
        if offset + limit > WINDOW:
            return json_reply(
                {"error": "Requested data for this limit and/or offset is not available"}, 400
            )
        words = [word.casefold() for word in params["query"].replace('"', " ").split()]
        ranked = []
        for place, paper in enumerate(self._papers.values()):
            held = re.findall(r"\w+", f"{paper['title']} {paper.get('abstract') or ''}".casefold())
            if all(word in held for word in words) and _within(
                paper, params.get("publicationDateOrYear", ":")
            ):
                ranked.append((-sum(map(held.count, words)), place, paper))
        hits = [paper for _, _, paper in sorted(ranked, key=lambda one: one[:2])]
        page = hits[offset : offset + limit]
        answer: dict[str, Any] = {"total": len(hits), "offset": offset}
        if offset + len(page) < min(len(hits), WINDOW):
            answer["next"] = offset + len(page)
        return json_reply({**answer, "data": [_shown(paper, fields) for paper in page]})

    def _batch(self, body: Any, fields: list[str]) -> Reply:
        ids = body.get("ids") if isinstance(body, dict) else None
        if not isinstance(ids, list) or not 1 <= len(ids) <= BATCH:
            return json_reply({"error": f"Number of ids must be between 1 and {BATCH}"}, 400)
        found = [self._named(id) for id in ids]
        if not any(found):
            return json_reply({"error": "No valid paper ids given"}, 400)
        return json_reply([_shown(paper, fields) if paper else None for paper in found])

    def _links(self, id: str, kind: str, params: Mapping[str, str], fields: list[str]) -> Reply:
        paper = self._named(id)
        if paper is None:
            return json_reply({"error": f"Paper with id {id} not found"}, 404)
        own = paper["paperId"]
        linked = (
            self._cites.get(own, ())
            if kind == "references"
            else [one for one, cited in self._cites.items() if own in cited]
        )
        name = "citedPaper" if kind == "references" else "citingPaper"
        page = linked[: int(params.get("limit", 100))]
        return json_reply(
            {"offset": 0, "data": [{name: _shown(self._papers[one], fields)} for one in page]}
        )

    def _named(self, id: str) -> Paper | None:
        kind, _, value = id.partition(":")
        names = {"PMID": "PubMed", "DOI": "DOI", "PMCID": "PubMedCentral"}
        if kind.upper() not in names:
            return self._papers.get(id)
        name = names[kind.upper()]
        for paper in self._papers.values():
            if str((paper.get("externalIds") or {}).get(name, "")).casefold() == value.casefold():
                return paper
        return None


def _within(paper: Paper, wanted: str) -> bool:
    """Return whether a paper lies in a range; one without a date counts as 1 January of its year.
    Prefixes of dates are allowed.
    """
    held = paper.get("publicationDate") or f"{paper['year']}-01-01"
    first, _, last = wanted.partition(":") if ":" in wanted else (wanted, "", wanted)
    return held >= first and (not last or held[: len(last)] <= last)


def _shown(paper: Paper, fields: list[str]) -> dict[str, Any]:
    return {name: value for name, value in paper.items() if name == "paperId" or name in fields}
