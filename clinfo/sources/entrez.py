"""The E-utilities through Bio.Entrez' public calls, over a transport of our own.

Bio.Entrez builds the requests; what it sends them with is replaced at one place (`_seam`), because
it has no base address, no time-outs, no limiter safe between threads, and tries again without
reading the body. Ours does: a body is read whole and judged before the status is
(`clinfo.sources.replies`).

Elsewhere in the process Bio.Entrez works as ever: the seam acts only where `_transport` is set.
"""

from __future__ import annotations

import functools
import hashlib
import io
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit
from urllib.request import Request

import Bio.Entrez
import requests
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    wait_exponential,
    wait_random,
)

from clinfo.errors import Cancelled, QueryRejected, SourceError, SourceUnavailable, UsageError
from clinfo.pubmed.limits import MAX_STARS
from clinfo.settings import NCBI_EUTILS
from clinfo.sources.exchange import exchange, failure_of, open_session
from clinfo.sources.limiter import RateLimiter, default_limits_dir, shared_limiter
from clinfo.sources.linking import read_links
from clinfo.sources.replies import Passing, judge, parsed, wildcards

TOOL = "clinfo"
RATE_WITHOUT_KEY, RATE_WITH_KEY = 3.0, 10.0
"""Requests a second that NCBI allows an address, and an API key (E-utilities Help)."""
POST_FROM = 400
"""Encoded characters from which parameters are posted; NCBI asks for it from "several hundred"
on.
"""
ATTEMPTS = 8
UNREACHABLE_ATTEMPTS = 3
TOO_SLOW_ATTEMPTS = 2
_BACKOFF = wait_exponential(multiplier=0.25, max=10) + wait_random(0, 0.25)


class TooSlow(SourceUnavailable):
    """The service could not put this many records together in time: ask for fewer at once."""


_entrez: Any = Bio.Entrez
_Transport = Callable[[Request], io.BytesIO]
_transport: ContextVar[_Transport | None] = ContextVar("clinfo_entrez_transport", default=None)
_seam_lock = threading.Lock()


@contextmanager
def _seam(transport: _Transport) -> Iterator[None]:
    """Within: Bio.Entrez' calls of this thread or task go through ``transport``."""
    with _seam_lock:
        if not hasattr(_entrez._open, "clinfo_seam"):
            original = _entrez._open

            @functools.wraps(
                original
            )  # takes over `previous`, the attribute where the original keeps its last call's time
            def opened(request: Request) -> Any:
                chosen = _transport.get()
                return original(request) if chosen is None else chosen(request)

            opened.clinfo_seam = True  # type: ignore[attr-defined]
            _entrez._open = opened
    token = _transport.set(transport)
    try:
        yield
    finally:
        _transport.reset(token)


class Eutils:
    """A client of the E-utilities at one address, to be used from any number of threads.

    ``timeout`` is the longest wait in seconds for the next bytes of an answer, ``overall`` for a
    call with its repetitions. ``rate`` is in requests a second; None means NCBI's own limits for
    NCBI and none elsewhere. Clients of one address and key share one limiter, in this process and
    by files in ``limits_dir`` in all processes of this machine (default: the user's cache folder);
    ``limiter`` takes its place, say for a whole site. Raises UsageError where the address or a
    number cannot be used.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        email: str | None = None,
        rate: float | None = None,
        timeout: float = 30.0,
        overall: float = 180.0,
        limiter: RateLimiter | None = None,
        limits_dir: Path | None = None,
    ) -> None:
        self.address = (base_url or NCBI_EUTILS).rstrip("/") + "/"
        parts = urlsplit(self.address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(
                "the E-utilities' address must begin with http:// or https:// and name a host"
            )
        if (rate is not None and not 0 < rate < float("inf")) or timeout <= 0 or overall <= 0:
            raise UsageError("the E-utilities' rate and time-outs must be more than 0")
        self.host = parts.hostname if parts.port is None else f"{parts.hostname}:{parts.port}"
        self._api_key = api_key or None
        self._email = email or ""
        self._timeout = timeout
        self._overall = overall
        self._limiter = (
            limiter if limiter is not None else self._limiter_for(parts.hostname, rate, limits_dir)
        )
        self._session = open_session(TOOL)

    def esearch(
        self,
        term: str,
        limit: int,
        stop: threading.Event | None = None,
        db: str = "pubmed",
        sort: str = "relevance",
        start: int = 0,
        mindate: date | None = None,
        maxdate: date | None = None,
        datetype: str | None = None,
    ) -> dict[str, Any]:
        """ESearch: the ``esearchresult`` object, its ``count`` a string of digits. Raises
        SourceError.

        ``limit`` ids from place ``start`` on (0: the count alone, with every warning). ``mindate``
        and ``maxdate`` go together and include both days; ``datetype`` says which date: pdat, edat,
        crdt or mdat.
        """
        if (stars := wildcards(term)) > MAX_STARS:
            more = f"{stars} truncated words (*); PubMed accepts at most {MAX_STARS}"
            raise QueryRejected(f"PubMed was not queried: the query has {more}")
        if not _can_be_sent(term):
            raise QueryRejected(
                "PubMed was not queried: the query contains characters that cannot be sent"
            )
        asked: dict[str, Any] = {
            "db": db,
            "term": term,
            "sort": sort,
            "retmode": "json",
            "retmax": limit,
        }
        if start:
            asked["retstart"] = start
        if mindate is not None and maxdate is not None:
            asked |= {
                "mindate": _day(mindate),
                "maxdate": _day(maxdate),
                "datetype": datetype or "pdat",
            }
        body = self._ask("esearch", stop, **asked)
        result: dict[str, Any] = parsed(body)["esearchresult"]
        return result

    def esummary(
        self, ids: Sequence[str], stop: threading.Event | None = None, db: str = "pubmed"
    ) -> dict[str, Any]:
        """ESummary: the ``result`` object, one entry an id beside ``uids``; an id unknown there has
        an ``error`` in its entry.

        Raises SourceError.
        """
        if not ids:
            return {"uids": []}
        body = self._ask("esummary", stop, db=db, id=list(ids), retmode="json")
        result: dict[str, Any] = parsed(body)["result"]
        return result

    def efetch(self, pmids: Sequence[str], stop: threading.Event | None = None) -> bytes:
        """EFetch of these PubMed records: citation XML, whole. Raises SourceError, TooSlow where
        fewer at once may do.
        """
        return self._ask("efetch", stop, db="pubmed", id=list(pmids), retmode="xml")

    def elink(
        self,
        ids: Sequence[str],
        linkname: str,
        scored: bool = False,
        stop: threading.Event | None = None,
    ) -> dict[str, tuple[str, ...]]:
        """ELink from PubMed to PubMed: for each id the ids linked to it, best first where
        ``scored``, else in order.

        ``linkname`` is pubmed_pubmed (similar articles, the only one with scores, the article
        itself among them), pubmed_pubmed_citedin or pubmed_pubmed_refs. Raises SourceError, also
        where the answer says nothing of one of the ids: that is not to have no links.
        """
        command = "neighbor_score" if scored else "neighbor"
        # A list repeats `id=` and is answered id by id; ids joined by commas would be answered all
        # in one.
        body = self._ask(
            "elink",
            stop,
            dbfrom="pubmed",
            db="pubmed",
            cmd=command,
            linkname=linkname,
            id=list(ids),
            retmode="xml",
        )
        try:
            found = read_links(body, linkname)
        except SourceError as error:
            raise type(error)(f"PubMed at {self.host} {error}", retryable=error.retryable) from None
        if left_out := sum(id not in found for id in ids):
            raise SourceUnavailable(
                f"PubMed at {self.host} sent no links for {left_out:,} of the {len(ids):,} ids "
                "asked"
            )
        return {id: found[id] for id in ids}

    def close(self) -> None:
        """Close the connections kept open."""
        self._session.close()

    def _ask(self, utility: str, stop: threading.Event | None, **asked: Any) -> bytes:
        """The body of a good answer to this call of Bio.Entrez'."""
        with _seam(functools.partial(self._send, stop=stop or threading.Event())):
            answer = getattr(_entrez, utility)(**asked, **self._who)
        return bytes(answer.read())

    @property
    def _who(self) -> dict[str, str | None]:
        # An empty email keeps Bio.Entrez from warning on stderr; it is left out of what is sent.
        return {"tool": TOOL, "email": self._email, "api_key": self._api_key}

    def _limiter_for(
        self, hostname: str, rate: float | None, folder: Path | None
    ) -> RateLimiter | None:
        if rate is None:
            if not (hostname == "ncbi.nlm.nih.gov" or hostname.endswith(".ncbi.nlm.nih.gov")):
                return None
            rate = RATE_WITH_KEY if self._api_key else RATE_WITHOUT_KEY
        owner = hashlib.sha256(self._api_key.encode()).hexdigest() if self._api_key else ""
        return shared_limiter(f"{self.host} {owner}", rate, folder or default_limits_dir())

    def _send(self, request: Request, stop: threading.Event) -> io.BytesIO:
        """The transport: the body of a good answer, after as many repetitions as make sense."""
        utility = urlsplit(request.full_url).path.rpartition("/")[2].removesuffix(".fcgi")
        data = request.data if isinstance(request.data, bytes) else b""
        fields = parse_qsl(
            data.decode() if request.method == "POST" else urlsplit(request.full_url).query
        )
        deadline = time.monotonic() + self._overall

        def sleep(seconds: float) -> None:
            stop.wait(seconds)

        tries = Retrying(
            retry=retry_if_exception_type(Passing),
            wait=self._pause,
            stop=lambda state: self._is_last(state, deadline),
            sleep=sleep,
            reraise=True,
        )
        try:
            return io.BytesIO(tries(self._attempt, utility, fields, deadline, stop))
        except Passing as failure:
            error = TooSlow if failure.too_slow else SourceUnavailable
            raise error(f"PubMed at {self.host} {failure}; the request was abandoned") from None

    def _attempt(
        self, utility: str, fields: list[tuple[str, str]], deadline: float, stop: threading.Event
    ) -> bytes:
        in_time = self._limiter is None or self._limiter.wait(stop, deadline)
        if stop.is_set():
            raise Cancelled("the search was stopped")
        if not in_time:
            waited = f"PubMed at {self.host} cannot be queried within {self._overall:g} seconds"
            raise SourceUnavailable(
                f"{waited}: it received too many requests and asks for a pause; the request was "
                "abandoned"
            )
        status, headers, body = self._exchange(utility, fields, deadline, stop)
        try:
            judge(utility, status, headers, body, fields)
        except Passing as failure:
            if self._limiter is not None and failure.retry_after:
                self._limiter.hold(min(failure.retry_after, self._overall))
            raise
        except SourceError as error:
            raise type(error)(f"PubMed at {self.host} {error}") from None
        return body

    def _exchange(
        self, utility: str, fields: list[tuple[str, str]], deadline: float, stop: threading.Event
    ) -> tuple[int, Mapping[str, str], bytes]:
        url = f"{self.address}{utility}.fcgi"

        def send(seconds: tuple[float, float]) -> requests.Response:
            # A key is always posted: the address of a request gets into logs, its body does not.
            if utility == "efetch" or self._api_key or len(urlencode(fields)) > POST_FROM:
                return self._session.post(url, data=fields, timeout=seconds, stream=True)
            return self._session.get(url, params=fields, timeout=seconds, stream=True)

        return exchange(send, f"PubMed at {self.host}", self._timeout, deadline, stop)

    def _pause(self, state: RetryCallState) -> float:
        """Seconds before the next attempt: short where nothing answers, else growing with jitter,
        at least as asked for.
        """
        failure = failure_of(state)
        if failure is not None and failure.unreachable:
            return 0.25 * state.attempt_number
        asked = (failure.retry_after if failure is not None else None) or 0.0
        return max(asked, _BACKOFF(state))

    def _is_last(self, state: RetryCallState, deadline: float) -> bool:
        failure = failure_of(state)
        most = ATTEMPTS
        if failure is not None and failure.unreachable:
            most = UNREACHABLE_ATTEMPTS
        elif failure is not None and failure.too_slow:
            most = TOO_SLOW_ATTEMPTS
        return state.attempt_number >= most or time.monotonic() + state.upcoming_sleep >= deadline


def _can_be_sent(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _day(day: date) -> str:
    return day.isoformat().replace("-", "/")
