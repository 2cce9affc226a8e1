"""The scripted E-utilities server's answers: the utilities themselves, over a list of articles,
without HTTP or faults.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from lxml import etree
from lxml.builder import E

from benchmarks.servers.citation_xml import HEAD, TAIL, render
from benchmarks.servers.scripted import Reply, json_reply
from clinfo.pubmed.xml import read_article
from clinfo.records.articles import Article, MeshDescriptor, SearchRequest
from clinfo.sources.memory import Memory
from clinfo.text.terms import words

WINDOW = 9_999
MOST_POSTED = 10_000
MOST_WILDCARDS = 256
MOST_SIMILAR = 20
_DAYS = re.compile(
    r'(?:AND\s+)?\(\s*"(\d{1,4}(?:/\d\d/\d\d)?)"\[dp\]\s*:\s*"(\d{1,4}(?:/\d\d/\d\d)?)"\[dp\]\s*\)'
)
_PLACE = re.compile(r"(?:\bAND\s+)?#(\d+)\s*$|^\s*#(\d+)\s+AND\b")
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
        mesh: Iterable[MeshDescriptor],
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
        self._mesh = {mesh_uid(descriptor.ui): descriptor for descriptor in mesh}
        self._window = window
        self._full_texts = full_texts
        self._history: dict[str, list[tuple[str, list[str]]]] = {}
        self._lock = threading.Lock()

    def warm(self) -> None:
        """Build the index, so that the first request does not pay for it. Not to be called within
        an event loop.
        """
        self._search("a", 0)

    def add(self, articles: Iterable[Article]) -> None:
        """Take in more articles, as PubMed does every day."""
        more = list(articles)
        self._records |= {article.pmid: etree.tostring(render(article)) for article in more}
        self._articles |= {article.pmid or "": article for article in more}
        self._memory = Memory(self._articles.values())

    def answer(self, utility: str, params: Params, fields: Sequence[tuple[str, str]]) -> Reply:
        """The reply to one request; ``fields`` are the parameters as they came, repeated ones
        too.
        """
        if utility == "esearch.fcgi":
            return self._esearch(params)
        if utility == "efetch.fcgi":
            return self._efetch(params)
        if utility == "esummary.fcgi":
            return self._esummary(params)
        if utility == "elink.fcgi":
            return self._elink(params, [value for name, value in fields if name == "id"])
        if utility == "epost.fcgi":
            return self._epost(params)
        return Reply(404, b"<html><body>Not Found</body></html>", "text/html")

    def _esearch(self, params: Params) -> Reply:
        term, as_json = params.get("term", ""), params.get("retmode") == "json"
        start, asked = int(params.get("retstart", 0)), int(params.get("retmax", 20))
        database = params.get("db", "")
        if database not in ("pubmed", "mesh"):
            return _error(f"Invalid db name specified: {database}", as_json)
        if not term.strip():
            return _error("Empty term and query_key - nothing todo", as_json)
        if term.count("*") > MOST_WILDCARDS:
            return _error("Search Backend failed: Database is not available", as_json)
        said: dict[str, Any] = {}
        if database == "mesh":
            uids, said = self._mesh_found(term)
        else:
            found = self._found(term, params)
            if found is None:
                return _error("Unable to obtain query #1", as_json)
            uids = found
            if start >= self._window and len(uids) > start:
                last = (
                    "Search Backend failed: Exception:\n'retstart' cannot be larger than "
                    f"{self._window - 1}."
                )
                most = (
                    f"For PubMed, ESearch can only retrieve the first {self._window:,} records "
                    "matching the query."
                )
                return _error(f"{last} {most}", as_json)
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
        if params.get("usehistory") == "y":
            webenv, key = self._kept(database, uids, params.get("WebEnv"))
            result |= {"querykey": key, "webenv": webenv}
        result |= {
            "idlist": page,
            "translationset": [],
            "querytranslation": term,
            **said,
            **self._scripted.get(term, {}),
        }
        if params.get("rettype") == "count":
            result = {"count": result["count"]}
        if not as_json:
            return Reply(200, _esearch_xml(result))
        text = json.dumps(
            {"header": {"type": "esearch", "version": "0.3"}, "esearchresult": result}
        )
        return Reply(200, text.encode(), "application/json; charset=UTF-8")

    def _found(self, term: str, params: Params) -> list[str] | None:
        """PMIDs of all hits in the order asked for; None where the term names what no history
        holds.
        """
        only: list[set[str]] = []
        while True:
            if place := _PLACE.search(term):
                kept = self._history.get(params.get("WebEnv", ""), [])
                number = int(place[1] or place[2])
                if not 1 <= number <= len(kept):
                    return None
                only.append(set(kept[number - 1][1]))
                term = term[: place.start()] + term[place.end() :]
            elif named := _NAMED.search(term):
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

    def _kept(self, database: str, uids: list[str], webenv: str | None) -> tuple[str, str]:
        """Keep ids in a history: its WebEnv and their query_key there."""
        with self._lock:
            webenv = webenv or f"MCID_{len(self._history):024x}"
            places = self._history.setdefault(webenv, [])
            places.append((database, uids))
            return webenv, str(len(places))

    def _ids(self, params: Params) -> list[str] | None:
        """The ids that a request names, itself or by its place in a history; None where there is no
        such place.
        """
        if "query_key" not in params:
            return [uid.strip() for uid in params.get("id", "").split(",") if uid.strip()]
        kept, number = self._history.get(params.get("WebEnv", ""), []), int(params["query_key"])
        return kept[number - 1][1] if 1 <= number <= len(kept) else None

    def _efetch(self, params: Params) -> Reply:
        pmids = self._ids(params)
        if pmids is None:
            return Reply(
                400, b"<eFetchResult><ERROR>Unable to obtain query #1</ERROR></eFetchResult>\n"
            )
        if not pmids:
            return Reply(
                400,
                (
                    b"<eFetchResult><ERROR>ID list is empty! Possibly it has no correct "
                    b"IDs.</ERROR></eFetchResult>\n"
                ),
            )
        if "query_key" in params:
            start, most = int(params.get("retstart", 0)), int(params.get("retmax", 20))
            if start >= self._window:
                said = f"'retstart' cannot be larger than {self._window - 1}"
                return Reply(400, f"<eFetchResult><ERROR>{said}</ERROR></eFetchResult>\n".encode())
            pmids = pmids[start : min(start + most, self._window)]
        if params.get("db") == "pmc":
            return Reply(200, b"".join((_PMC_HEAD, *map(self._full_text, pmids), _PMC_TAIL)))
        records = [self._records[pmid] for pmid in dict.fromkeys(pmids) if pmid in self._records]
        return Reply(200, HEAD + b"\n".join(records) + TAIL)

    def _full_text(self, number: str) -> bytes:
        unknown = f'<Reply Id="{number}" error="The following PMCID is not available: {number}"/>'
        return self._full_texts.get(number, unknown.encode())

    def _esummary(self, params: Params) -> Reply:
        """JSON alone: document summaries of db=mesh and, in short, of db=pubmed."""
        header = {"type": "esummary", "version": "0.3"}
        uids = self._ids(params) or []
        if not uids:
            return json_reply(
                {"header": header, "esummaryresult": ["Empty id list - nothing todo"]}
            )
        result: dict[str, Any] = {"uids": uids}
        for uid in uids:
            if params.get("db") == "mesh" and uid in self._mesh:
                result[uid] = _mesh_summary(uid, self._mesh[uid])
            elif params.get("db") == "pubmed" and uid in self._articles:
                result[uid] = _summary(self._articles[uid])
            else:
                result[uid] = {"uid": uid, "error": "cannot get document summary"}
        return json_reply({"header": header, "result": result})

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

    def _epost(self, params: Params) -> Reply:
        database = params.get("db", "")
        if database not in ("pubmed", "mesh"):
            return _xml(E.ePostResult(E.ERROR(f"Invalid db name specified: {database}")))
        uids = [uid.strip() for uid in params.get("id", "").split(",") if uid.strip()]
        wrong = [uid for uid in uids if not uid.isdecimal()]
        problems = [
            E.ERROR(f"IDs contain invalid characters which was treated as delimiters: {uid}")
            for uid in wrong
        ]
        good = [uid for uid in uids if uid.isdecimal()]
        if not good or len(good) > MOST_POSTED:
            problems.append(
                E.ERROR(
                    "Empty ID list; Nothing to store"
                    if not good
                    else "Too many UIDs in the request"
                )
            )
            return _xml(E.ePostResult(*problems))
        webenv, key = self._kept(database, good, params.get("WebEnv"))
        return _xml(E.ePostResult(*problems, E.QueryKey(key), E.WebEnv(webenv)))

    def _mesh_found(self, term: str) -> tuple[list[str], dict[str, Any]]:
        """Descriptors of which a name or entry term holds all the words of a part of the term;
        parts are joined by OR.
        """
        found: dict[str, None] = {}
        lacking = []
        for part in re.split(r"\s+OR\s+", term):
            text = re.sub(r"\[[^\]]*\]", " ", part).replace('"', " ")
            wanted = words(text)
            uids = [
                uid
                for uid, one in self._mesh.items()
                if wanted and _mesh_has(one, wanted, '"' in part)
            ]
            found.update(dict.fromkeys(uids))
            lacking += [] if uids else [" ".join(text.split())]
        return list(found), {
            "errorlist": {"phrasesnotfound": lacking, "fieldsnotfound": []}
        } if lacking else {}


_LINKS = ("pubmed_pubmed", "pubmed_pubmed_citedin", "pubmed_pubmed_refs")


def mesh_uid(ui: str) -> str:
    """The id that db=mesh has for a descriptor: 68001249 for D001249."""
    return f"68{ui.removeprefix('D')}"


def _mesh_has(descriptor: MeshDescriptor, wanted: list[str], exact: bool) -> bool:
    names = [words(name) for name in (descriptor.heading, *descriptor.entry_terms)]
    return wanted in names if exact else any(set(wanted) <= set(name) for name in names)


def _mesh_summary(uid: str, descriptor: MeshDescriptor) -> dict[str, Any]:
    return {
        "uid": uid,
        "ds_meshterms": [descriptor.heading, *descriptor.entry_terms],
        "ds_meshui": descriptor.ui,
        "ds_recordtype": "descriptor",
        "ds_idxlinks": [
            {"parent": 0, "treenum": number, "children": []} for number in descriptor.tree_numbers
        ],
    }


def _summary(article: Article) -> dict[str, Any]:
    uid = article.pmid or ""
    ids = (("pubmed", article.pmid), ("doi", article.doi), ("pmc", article.pmcid))
    return {
        "uid": uid,
        "pubdate": article.published.text if article.published else "",
        "source": article.journal_abbreviation or "",
        "authors": [
            {"name": author.last, "authtype": "Author", "clusterid": ""}
            for author in article.authors
        ],
        "title": article.title,
        "volume": article.volume or "",
        "issue": article.issue or "",
        "pages": article.pages or "",
        "articleids": [
            {"idtype": kind, "idtypen": 1, "value": value} for kind, value in ids if value
        ],
        "fulljournalname": article.journal or "",
    }


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
    """The days that mindate and maxdate, or reldate, ask for; a year or month stands for all its
    days.
    """
    if "reldate" in params:
        return date.today() - timedelta(days=int(params["reldate"])), date.max
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


def _error(message: str, as_json: bool) -> Reply:
    """An error of ESearch, whose JSON is invalid where the message has a line break: it is not
    escaped.
    """
    if not as_json:
        return _xml(E.eSearchResult(E.ERROR(message)))
    text = json.dumps(
        {"header": {"type": "esearch", "version": "0.3"}, "esearchresult": {"ERROR": message}}
    )
    return Reply(200, text.replace("\\n", "\n").encode(), "application/json; charset=UTF-8")


def _xml(root: etree._Element) -> Reply:
    return Reply(200, etree.tostring(root, xml_declaration=True, encoding="UTF-8"))


def _esearch_xml(result: Mapping[str, Any]) -> bytes:
    root = E.eSearchResult(E.Count(result["count"]))
    for name, tag in (
        ("retmax", "RetMax"),
        ("retstart", "RetStart"),
        ("querykey", "QueryKey"),
        ("webenv", "WebEnv"),
    ):
        if name in result:
            root.append(E(tag, result[name]))
    if "idlist" in result:
        root.append(E.IdList(*(E.Id(pmid) for pmid in result["idlist"])))
        pairs = [
            E.Translation(E.From(pair["from"]), E.To(pair["to"]))
            for pair in result["translationset"]
        ]
        root.append(E.TranslationSet(*pairs))
        root.append(E.QueryTranslation(result["querytranslation"]))
    lists = (
        (
            "errorlist",
            "ErrorList",
            {"phrasesnotfound": "PhraseNotFound", "fieldsnotfound": "FieldNotFound"},
        ),
        (
            "warninglist",
            "WarningList",
            {
                "phrasesignored": "PhraseIgnored",
                "quotedphrasesnotfound": "QuotedPhraseNotFound",
                "outputmessages": "OutputMessage",
            },
        ),
    )
    for name, tag, members in lists:
        if name in result:
            root.append(
                E(
                    tag,
                    *(
                        E(members[kind], text)
                        for kind, texts in result[name].items()
                        for text in texts
                    ),
                )
            )
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8")
