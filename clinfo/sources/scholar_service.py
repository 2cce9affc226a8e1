"""Semantic Scholar's API over HTTP: requests spaced, repeated where that can help, and judged by
their bodies first.

The key travels in the header ``x-api-key`` and nowhere else; redirects are not followed, so it
reaches one address only.
"""

import functools
import json
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import requests

from clinfo.errors import QueryRejected, SourceError, UsageError
from clinfo.settings import SEMANTIC_SCHOLAR
from clinfo.sources.exchange import Reply, ServiceClient
from clinfo.sources.replies import TRANSIENT, Passing, retry_after, says, without
from clinfo.text.structured import well_formed_values

RATE = 1.0
"""Requests a second of a new API key; callers without one share a pool whose size is not
published.
"""
GRAPH, RECOMMENDATIONS = "graph/v1/", "recommendations/v1/"
ATTEMPTS = 10
MOST_BYTES = 64 * 2**20
"""Longest answer read; the service states 10 MB as its own limit."""

_NO_MORE = ("limit and/or offset", "offset + limit", "sum of offset and limit")
_TOO_LARGE = ("maximum size", "too large", "response size")


class Unknown(QueryRejected):
    """The service holds no paper of this id, or of any of these ids."""


class NoMore(QueryRejected):
    """The service does not return hits at this rank."""


class TooLarge(QueryRejected):
    """The answer would be larger than the service allows: ask for less at once."""


class ScholarService(ServiceClient):
    """A client of the API at one address (`ServiceClient`), or with another key.

    ``base_url`` ends in ``graph/v1/``; the recommendations are looked for beside it, and where it
    ends otherwise there are none. Raises UsageError where the key cannot be used either.
    """

    service, owner, domain = "Semantic Scholar", "Semantic Scholar's", "semanticscholar.org"
    overrun = "too many requests are waiting"
    attempts, longest_pause, most_bytes = ATTEMPTS, 30.0, MOST_BYTES

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        rate: float | None = None,
        timeout: float = 30.0,
        overall: float = 300.0,
        first_pause: float = 1.0,
        limits_dir: Path | None = None,
    ) -> None:
        super().__init__(
            base_url or SEMANTIC_SCHOLAR,
            api_key,
            rate,
            timeout,
            overall,
            first_pause,
            RATE,
            limits_dir,
        )
        if api_key and not (api_key.isascii() and api_key.isprintable() and " " not in api_key):
            raise UsageError(
                "the API key of Semantic Scholar contains characters that are not valid in a key"
            )

    @property
    def recommends(self) -> bool:
        """Return whether there is an address of the recommendations beside this one."""
        return self.address.endswith("/" + GRAPH)

    def search(
        self,
        query: str,
        fields: str,
        limit: int,
        offset: int = 0,
        dates: str = "",
        stop: threading.Event | None = None,
    ) -> dict[str, Any]:
        """One page of ``/paper/search``: ``total``, ``data`` (always a list) and, where there is
        more, ``next``.

        Raises SourceError, NoMore for a page that the service does not hand out.
        """
        asked = {"query": query, "fields": fields, "limit": str(limit), "offset": str(offset)}
        if dates:
            asked["publicationDateOrYear"] = dates
        answer: dict[str, Any] = self._ask("paper/search", asked, stop=stop)
        return {**answer, "data": answer.get("data") or []}

    def batch(
        self, ids: Sequence[str], fields: str, stop: threading.Event | None = None
    ) -> list[Any]:
        """``/paper/batch``: a paper for each id, None where there is none. Raises SourceError,
        Unknown where none is known.
        """
        answer: list[Any] = self._ask(
            "paper/batch", {"fields": fields}, {"ids": list(ids)}, stop=stop
        )
        return answer

    def linked(
        self, id: str, kind: str, fields: str, limit: int, stop: threading.Event | None = None
    ) -> list[Any]:
        """The entries of ``/paper/{id}/citations`` or ``references`` (``kind``). Raises
        SourceError, Unknown.
        """
        answer = self._ask(
            f"paper/{quote(id, safe=':/')}/{kind}",
            {"fields": fields, "limit": str(limit)},
            stop=stop,
        )
        return list(answer.get("data") or [])

    def recommended(
        self, id: str, fields: str, limit: int, stop: threading.Event | None = None
    ) -> list[Any]:
        """The papers of ``papers/forpaper/{id}`` of the recommendations. Raises SourceError,
        Unknown.
        """
        path = f"papers/forpaper/{quote(id, safe=':/')}"
        answer = self._ask(
            path, {"fields": fields, "limit": str(limit)}, base=RECOMMENDATIONS, stop=stop
        )
        return list(answer.get("recommendedPapers") or [])

    def _ask(
        self,
        path: str,
        asked: Mapping[str, str],
        posted: Mapping[str, Any] | None = None,
        base: str = GRAPH,
        stop: threading.Event | None = None,
    ) -> Any:
        """The JSON of a good answer, after as many repetitions as make sense."""
        url = (self.address if base == GRAPH else self.address.removesuffix(GRAPH) + base) + path
        headers = {"x-api-key": self._api_key} if self._api_key else {}
        texts = [*asked.values(), *(str(id) for id in (posted or {}).get("ids", ()))]

        def send(seconds: tuple[float, float]) -> requests.Response:
            try:
                return self._session.request(
                    "GET" if posted is None else "POST",
                    url,
                    params=asked,
                    json=posted,
                    headers=headers,
                    timeout=seconds,
                    stream=True,
                    allow_redirects=False,
                )
            except UnicodeEncodeError:
                raise QueryRejected(
                    "Semantic Scholar was not queried: the query contains characters that cannot "
                    "be sent"
                ) from None

        def read(reply: Reply) -> Any:
            keyed = self._api_key is not None
            return judge(path, *reply, [self._api_key or "", *texts], keyed=keyed)

        return self._repeated(functools.partial(self._judged, send, read), stop)


def judge(
    path: str,
    status: int,
    headers: Mapping[str, str],
    body: bytes,
    asked: Sequence[str] = (),
    keyed: bool = False,
) -> Any:
    """The JSON of a whole answer to ``path``; else raise, with one clause as the text, which quotes
    nothing of ``asked``.

    Raises `Passing` for what may be better next time, Unknown, NoMore, TooLarge, other
    QueryRejected, and SourceError for a key or an address that cannot be used.
    """
    answer = _parsed(body)
    told = _told(answer)
    said, later = without(told, asked, asked)[:200], retry_after(headers)
    throttled = status == 429 or (isinstance(answer, dict) and str(answer.get("code")) == "429")
    share = "" if keyed else "; without an API key (S2_API_KEY) all users share one limit"
    refused = "refused the API key" if keyed else "refused a request without an API key"
    unknown = says(told, ("no valid paper ids",)) or (
        status == 404 and says(told, ("paper",)) and says(told, ("not found",))
    )
    passing, wrong = status >= 500 or status == 408, "is the address right?"
    for holds, error in (
        (
            throttled or says(told, ("too many requests",)),
            Passing(f"is answering too many requests{share}", retry_after=later),
        ),
        (status in (401, 403), SourceError(f"{refused} (S2_API_KEY)")),
        (
            300 <= status < 400,
            SourceError(f"answered with a redirection (HTTP status {status}); {wrong}"),
        ),
        (unknown, Unknown(f"has no such paper ({said})")),
        (says(told, _NO_MORE), NoMore(f"does not return hits at this rank ({said})")),
        (
            says(told, _TOO_LARGE) or (told and status == 413),
            TooLarge(f"rejected the request because the answer is too large ({said})"),
        ),
        (
            told and (passing or says(told, TRANSIENT)),
            Passing(f"failed ({said})", retry_after=later),
        ),
        (
            told and status in (404, 405, 410),
            SourceError(f"answered with HTTP status {status} ({said}); {wrong}"),
        ),
        (told, QueryRejected(f"rejected the request ({said})")),
        (passing, Passing(f"failed (HTTP status {status})", retry_after=later)),
        (status == 414, QueryRejected("rejected the query as too long")),
        (
            status >= 400,
            SourceError(f"answered with HTTP status {status} and no reason; {wrong}"),
        ),
        (body.lstrip()[:1] == b"<", Passing("answered with a web page instead of data")),
        (not body.strip(), Passing("sent an empty answer")),
        (not _whole(path, answer), Passing("sent an answer that is cut off or garbled")),
    ):
        if holds:
            raise error
    return answer


def _whole(path: str, answer: Any) -> bool:
    """Return whether an answer has the form that belongs to its path."""
    if path == "paper/batch":
        return isinstance(answer, list)
    if not isinstance(answer, dict):
        return False
    if path == "paper/search":
        total, data = answer.get("total"), answer.get("data")
        counted = isinstance(total, int) and not isinstance(total, bool) and total >= 0
        return counted and (isinstance(data, list) or (data is None and not total))
    held = answer.get("recommendedPapers" if path.startswith("papers/") else "data", ...)
    return isinstance(held, list) or held is None


def _told(answer: Any) -> str:
    """Return what a body says went wrong, on one line; empty where it says nothing of the kind."""
    if not isinstance(answer, dict) or "data" in answer or "recommendedPapers" in answer:
        return ""
    found = answer.get("error") or answer.get("message") or ""
    if isinstance(found, dict):
        found = found.get("message") or ""
    return " ".join(str(found).split())


def _parsed(body: bytes) -> Any:
    try:
        return well_formed_values(json.loads(body))
    except (ValueError, RecursionError):
        return None
