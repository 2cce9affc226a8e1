"""E-utilities over a local index, as a WSGI application: what asks NCBI asks this instead, and
PubMed holds still.

ESearch, EFetch, ESummary, ELink, EPost and EInfo of db=pubmed; GET and POST, XML and JSON, history,
the window of 9,999 records, and errors in the bodies where NCBI has them. Not here: other databases
and utilities, links that are only told about, the order that PubMed calls best match (BM25 stands
for it), orders by a name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from clinfo.errors import ClinfoError, QueryRejected
from clinfo.pubmed import eutils_links
from clinfo.pubmed import eutils_shapes as shapes
from clinfo.pubmed.eutils_history import History, Kept
from clinfo.pubmed.eutils_shapes import JSON, TEXT, XML, Form
from clinfo.pubmed.fields import field_of
from clinfo.pubmed.limits import MOST_POSTED, WINDOW
from clinfo.pubmed.plan import Keys
from clinfo.pubmed.query import parse, printed
from clinfo.pubmed.repairs import in_field
from clinfo.pubmed.tree import Boolean

if TYPE_CHECKING:
    from werkzeug.wrappers import Request, Response

    from clinfo.pubmed.index import LocalIndex
    from clinfo.pubmed.plan import Sort

PATH = "/entrez/eutils/"
_NEWEST = ("", "pub date", "pubdate", "publication date", "most recent", "recently added", "date")
_BETWEEN_IDS = re.compile(r"[,\s]+")
_DATES = {"pdat": "dp", "dp": "dp", "edat": "edat", "mdat": "lr", "crdt": "crdt", "mhda": "mhda"}


class _Refused(Exception):
    """The error of a utility, with the status it comes under."""

    def __init__(self, message: str, status: int = 200) -> None:
        super().__init__(message)
        self.status = status


class EutilsApplication:
    """A WSGI application over one opened index. ``window`` is lowered in tests only;
    ``idle_seconds`` is the history's life.
    """

    def __init__(
        self, index: LocalIndex, window: int = WINDOW, idle_seconds: float | None = None
    ) -> None:
        self._index = index
        self._window = window
        self._history = History() if idle_seconds is None else History(idle_seconds)
        self._utilities: dict[str, Callable[[_Asked], Form | tuple[bytes, str]]] = {
            "esearch": self._esearch,
            "efetch": self._efetch,
            "esummary": self._esummary,
            "elink": self._elink,
            "epost": self._epost,
            "einfo": self._einfo,
        }

    def __call__(self, environ: Any, start_response: Any) -> Iterable[bytes]:
        from werkzeug.wrappers import Request

        return self._response(Request(environ))(environ, start_response)

    def _response(self, request: Request) -> Response:
        from werkzeug.exceptions import HTTPException
        from werkzeug.wrappers import Response

        name = re.sub(r"\.f?cgi$", "", request.path.removeprefix(PATH))
        utility = self._utilities.get(name) if request.path.startswith(PATH) else None
        if utility is None:
            return Response(
                "<html><body><h1>Not Found</h1></body></html>", 404, mimetype="text/html"
            )
        try:
            asked, status = _Asked(request), 200
            try:
                answer = utility(asked)
            except _Refused as refusal:
                answer, status = {"ERROR": str(refusal)}, refusal.status
            except (
                ClinfoError
            ) as error:  # the index is damaged: no client may take that for nothing found
                answer, status = {"ERROR": f"Search Backend failed: {error}"}, 500
        except HTTPException as error:  # a body too large or cut off
            return error.get_response()
        if isinstance(answer, dict):
            if "ERROR" in answer and name not in ("efetch", "einfo", "epost", "elink"):
                name = "esearch"
            answer = shapes.rendered(name, answer, asked.as_json)
        return Response(answer[0], status, content_type=answer[1])

    # ---- ESearch

    def _esearch(self, asked: _Asked) -> Form:
        database = asked.database
        if database != "pubmed":
            raise _Refused(f"Invalid db name specified: {database}")
        answer = self._search_pubmed(asked)
        return {"Count": answer["Count"]} if asked.one("rettype") == "count" else answer

    def _search_pubmed(self, asked: _Asked) -> Form:
        web_env, query_key = asked.one("WebEnv"), asked.whole("query_key", None)
        kept = self._kept(web_env) if web_env else {}
        term = asked.one("term").strip()
        if query_key is not None:
            if query_key not in kept:
                raise _Refused(f"Unable to obtain query #{query_key}")
            term = f"#{query_key} AND ({term})" if term else f"#{query_key}"
        if not term:
            raise _Refused("Empty term and query_key - nothing todo")
        if field := asked.one("field").strip():
            term = _in_field(term, field)
        if limits := _dated(asked):
            term = f"{_closed(term)} AND {limits}"
        start, most = asked.whole("retstart", 0), asked.whole("retmax", 20)
        assert start is not None
        assert most is not None
        messages = []
        if start + most > self._window:
            if most > self._window:
                messages.append(
                    f"Restrictions achieved. start and count adjusted to {start}, "
                    f"{max(self._window - start, 0)}"
                )
            most = max(self._window - start, 0)
        sort, said = _order(asked.one("sort"))
        messages += said
        history = {number: entry.plan for number, entry in kept.items()}
        try:
            found = self._index.search(term, limit=most, offset=start, sort=sort, history=history)
        except QueryRejected as error:
            raise _Refused(f"Search Backend failed: {error}") from None
        if start >= self._window < found.count:
            raise _Refused(_window_text(self._window))
        translation = found.translation
        ids = [id.removeprefix("pmid:") for id in found.ids]
        stored: Form = {}
        if asked.one("usehistory") == "y":
            stored = self._history.keep(Kept(translation.plan, sort), web_env)
        return shapes.search_form(
            found.count,
            start,
            ids,
            translation.text,
            history=stored,
            translation_set=list(translation.translation_set),
            errors={
                "PhraseNotFound": list(translation.phrases_not_found),
                "FieldNotFound": list(translation.fields_not_found),
            },
            warnings={
                "PhraseIgnored": list(translation.phrases_ignored),
                "QuotedPhraseNotFound": list(translation.quoted_phrases_not_found),
                "OutputMessage": [*translation.messages, *messages],
            },
        )

    # ---- records

    def _efetch(self, asked: _Asked) -> tuple[bytes, str]:
        if asked.database != "pubmed":
            raise _Refused(f"Invalid db name specified: {asked.database}", 400)
        pmids = self._asked_for(asked, MOST_POSTED)
        if not pmids:
            raise _Refused("ID list is empty! Possibly it has no correct IDs.", 400)
        mode, form = asked.one("retmode"), asked.one("rettype")
        if form == "docsum":
            return self._summaries(pmids, asked)
        records = self._index.records(pmids)
        present = [pmid for pmid in pmids if pmid in records]
        if mode == "json":
            return shapes.as_json(present), JSON
        if form in ("uilist", "uid") and mode == "xml":
            return shapes.rendered("uilist", {"Id": present}, in_json=False)
        if form in ("uilist", "uid"):
            return "".join(f"{pmid}\n" for pmid in present).encode(), TEXT
        if mode == "text" or form in ("medline", "abstract"):
            from clinfo.pubmed import eutils_text
            from clinfo.pubmed.xml import element_of

            write = eutils_text.medline if form == "medline" else eutils_text.abstracts
            text = write(element_of(records[pmid]) for pmid in present)
            return text.encode(errors="replace"), TEXT
        body = b"\n".join(_whole(records[pmid]) for pmid in present)
        return shapes.ARTICLE_SET_HEAD + body + shapes.ARTICLE_SET_END, XML

    def _esummary(self, asked: _Asked) -> tuple[bytes, str]:
        if asked.database != "pubmed":
            raise _Refused(f"Invalid db name specified: {asked.database}")
        pmids = self._asked_for(asked, MOST_POSTED)
        if not pmids:
            raise _Refused("Empty id list - nothing todo")
        return self._summaries(pmids, asked)

    def _summaries(self, pmids: Sequence[str], asked: _Asked) -> tuple[bytes, str]:
        from clinfo.pubmed import eutils_summary

        records = self._index.records(pmids)
        if asked.as_json:
            result: dict[str, Any] = {"uids": list(pmids)}
            result |= {pmid: eutils_summary.missing(pmid) for pmid in pmids}
            result |= {pmid: eutils_summary.summary(record) for pmid, record in records.items()}
            return shapes.as_json(
                {"header": {"type": "esummary", "version": "0.3"}, "result": result}
            ), JSON
        v2 = asked.one("version") == "2.0"
        write = eutils_summary.summaries_v2 if v2 else eutils_summary.summaries_v1
        held = [records[pmid] for pmid in pmids if pmid in records]
        return write(held, [pmid for pmid in pmids if pmid not in records]), XML

    def _asked_for(self, asked: _Asked, most: int) -> list[str]:
        """The PMIDs of a request: listed, or of a search in the history, no further than the
        window.
        """
        if ids := asked.ids:
            return list(dict.fromkeys(id for id in ids if id.isdecimal()))[:most]
        web_env, number = asked.one("WebEnv"), asked.whole("query_key", None)
        if not web_env or number is None:
            return []
        kept = self._kept(web_env).get(number)
        if kept is None:
            raise _Refused(f"Unable to obtain query #{number}", 400)
        start, count = asked.whole("retstart", 0) or 0, asked.whole("retmax", most)
        if start >= self._window:
            raise _Refused(_window_text(self._window), 400)
        count = min(most if count is None else count, most, self._window - start)
        if kept.pmids is not None:
            return list(kept.pmids[start : start + count])
        _, ids = self._index.best(kept.plan, count, start, kept.sort)
        return [id.removeprefix("pmid:") for id in ids]

    # ---- links, history

    def _elink(self, asked: _Asked) -> Form:
        source, target = asked.one("dbfrom") or "pubmed", asked.one("db") or "pubmed"
        named = asked.one("linkname")
        names = [named] if named in eutils_links.LINKS else eutils_links.names(source, target)
        command = asked.one("cmd") or "neighbor"
        groups = asked.id_groups
        if not groups:
            groups = [pmids] if (pmids := self._asked_for(asked, MOST_POSTED)) else []
        if not groups:
            raise _Refused("Empty id list - nothing todo")
        if command not in ("neighbor", "neighbor_score", "neighbor_history"):
            raise _Refused(f"cmd={command} is not supported here")
        if not names or (named and named not in names):
            raise _Refused(f"no links from {source} to {target} {named} are available here")
        linked = [(group, self._links(group, names)) for group in groups]
        return {
            "LinkSet": [
                {
                    "DbFrom": source,
                    "IdList": {"Id": group},
                    **(
                        self._kept_links(links, asked.one("WebEnv"))
                        if command == "neighbor_history"
                        else _shown_links(links, scored=command == "neighbor_score")
                    ),
                }
                for group, links in linked
            ]
        }

    def _links(self, pmids: list[str], names: Sequence[str]) -> dict[str, list[tuple[str, int]]]:
        """By the name of a link, the ids to which it leads from any of these, best first."""
        links: dict[str, list[tuple[str, int]]] = {}
        for name in names:
            merged: dict[str, int] = {}
            for pmid in pmids:
                for id, score in eutils_links.linked(self._index, pmid, name):
                    merged[id] = max(score, merged.get(id, 0))
            if merged:
                links[name] = sorted(merged.items(), key=lambda one: (-one[1], -int(one[0])))
        return links

    def _kept_links(self, links: Mapping[str, Sequence[tuple[str, int]]], web_env: str) -> Form:
        histories = []
        for name, found in links.items():
            kept = self._history.keep(_listed([id for id, _ in found]), web_env)
            web_env = kept["WebEnv"]
            histories.append({**_named_link(name), "QueryKey": kept["QueryKey"]})
        return {"LinkSetDbHistory": histories, "WebEnv": web_env}

    def _epost(self, asked: _Asked) -> Form:
        if asked.database != "pubmed":
            raise _Refused(f"Invalid db name specified: {asked.database}")
        ids = asked.ids
        good = list(dict.fromkeys(id for id in ids if id.isdecimal()))
        if not good:
            raise _Refused("Empty id list - nothing todo")
        if len(good) > MOST_POSTED:
            raise _Refused(f"too many ids: {len(good)}; at most {MOST_POSTED} can be posted")
        wrong = [id for id in ids if not id.isdecimal()]
        kept = self._history.keep(_listed(good), asked.one("WebEnv"))
        return ({"InvalidIdList": {"Id": wrong}} if wrong else {}) | kept

    def _einfo(self, asked: _Asked) -> Form:
        database = asked.one("db").lower()
        if not database:
            return {"DbList": {"DbName": ["pubmed"]}}
        if database != "pubmed":
            raise _Refused(f"Can not retrieve DbInfo for db={database}")
        return {"DbInfo": [eutils_links.described(self._index)]}

    def _kept(self, web_env: str) -> dict[int, Kept]:
        kept = self._history.all(web_env)
        if kept is None:
            raise _Refused(
                "Unable to obtain query: the history under this WebEnv has expired or never was",
                400,
            )
        return kept


class _Asked:
    """The parameters of a request, wherever they stand; NCBI takes their names in any case (WebEnv,
    webenv).
    """

    def __init__(self, request: Request) -> None:
        self._values: dict[str, list[str]] = {}
        for name, values in request.values.lists():
            self._values.setdefault(name.lower(), []).extend(values)

    def one(self, name: str) -> str:
        """The first value, "" where there is none."""
        return self._values.get(name.lower(), [""])[0]

    def whole(self, name: str, default: int | None) -> int | None:
        """A whole number of 0 or more; anything else counts as not given."""
        text = self.one(name).strip()
        return int(text) if text.isdecimal() and len(text) < 10 else default

    @property
    def database(self) -> str:
        return self.one("db").lower() or "pubmed"

    @property
    def as_json(self) -> bool:
        return self.one("retmode") == "json"

    @property
    def id_groups(self) -> list[list[str]]:
        """The ids of each ``id=``, which may list several, parted by commas, blanks or lines."""
        values = self._values.get("id", [])
        groups = [list(filter(None, _BETWEEN_IDS.split(value))) for value in values]
        return [group for group in groups if group]

    @property
    def ids(self) -> list[str]:
        return [id for group in self.id_groups for id in group]


def _listed(pmids: Sequence[str]) -> Kept:
    return Kept(Keys("pmid", frozenset(pmids)), pmids=pmids)


def _named_link(name: str) -> Form:
    return {"DbTo": eutils_links.target(name), "LinkName": name}


def _shown_links(links: Mapping[str, Sequence[tuple[str, int]]], scored: bool) -> Form:
    sets = [
        {
            **_named_link(name),
            "Link": [{"Id": id, **({"Score": score} if scored else {})} for id, score in found],
        }
        for name, found in links.items()
    ]
    return {"LinkSetDb": sets} if sets else {}


def _window_text(window: int) -> str:
    return (
        f"Search Backend failed: Exception:\n'retstart' cannot be larger than {window - 1}. For "
        "PubMed, ESearch can only retrieve "
        f"the first {window:,} records matching the query."
    )


def _in_field(term: str, field: str) -> str:
    """The term with this tag at each of its parts that has none."""
    tree, named = parse(term).tree, field_of(field)
    if named is None or not isinstance(tree, Boolean):
        return f"{term}[{field}]"
    return in_field(tree, named.code)


def _closed(term: str) -> str:
    """The term as it is where it stays apart from what is put behind it, else as it is read: no
    operator or bracket left open.
    """
    parsed = parse(term)
    is_open = any(
        remark.code in ("dangling-operator", "unbalanced-parenthesis") for remark in parsed.remarks
    )
    return printed(parsed.tree) if is_open and parsed.tree is not None else term


def _dated(asked: _Asked) -> str:
    """The limits of dates that stand beside the term, as a term; "" where there are none."""
    field = _DATES.get(asked.one("datetype").lower() or "edat")
    if field is None:
        return ""
    first, last, days = (
        asked.one("mindate").strip(),
        asked.one("maxdate").strip(),
        asked.whole("reldate", None),
    )
    if days is not None:
        today = date.today()
        first, last = f"{today - timedelta(days=min(days, 700_000)):%Y/%m/%d}", f"{today:%Y/%m/%d}"
    if not first or not last:
        return ""
    return f"{_day(first)}:{_day(last)}[{field}]"


def _order(asked: str) -> tuple[Sort, list[str]]:
    """The order of the engine, newest first without one as the live service has been seen to; and
    what to say of one that is not known.
    """
    name = asked.strip().lower().replace("+", " ").replace("_", " ")
    if name in ("relevance", "best match"):
        return "relevance", []
    return "pub_date", [] if name in _NEWEST else [f"Unknown sort schema '{asked}' ignored"]


def _day(text: str) -> str:
    """A date of digits and slashes; whatever else stands there could be taken for a part of the
    query.
    """
    return "".join(char for char in text if char.isdecimal() or char == "/") or "0"


def _whole(record: bytes) -> bytes:
    """A record as a PubmedArticle, also one of the older kind that stands alone."""
    return (
        b"<PubmedArticle>" + record + b"</PubmedArticle>"
        if record.startswith(b"<MedlineCitation")
        else record
    )
