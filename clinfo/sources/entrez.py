"""The E-utilities through Bio.Entrez' public calls, over a transport of our own.

Bio.Entrez builds the requests; what it sends them with is replaced at one place (`_seam`), because it has no base
address, no time-outs, no limiter safe between threads, and tries again without reading the body. Ours does: a body is read
whole and judged before the status is, since the service reports failures with status 200 and throttles with pages of HTML.

Elsewhere in the process Bio.Entrez works as ever: the seam acts only where `_transport` is set.
"""

from __future__ import annotations

import functools
import hashlib
import io
import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from email.utils import parsedate_to_datetime
from http.cookiejar import DefaultCookiePolicy
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit
from urllib.request import Request

import Bio.Entrez
import requests
from requests.adapters import HTTPAdapter
from tenacity import RetryCallState, Retrying, retry_if_exception_type, wait_exponential, wait_random
from urllib3.exceptions import HTTPError as TransferError

from clinfo.errors import Cancelled, SourceError, UsageError
from clinfo.sources.limiter import Limiter, shared_limiter

NCBI = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/"
TOOL = "clinfo"
RATE_WITHOUT_KEY, RATE_WITH_KEY = 3.0, 10.0
"""Requests a second that NCBI allows an address, and an API key (E-utilities Help)."""
POST_FROM = 400
"""Encoded characters from which parameters are posted; NCBI asks for it from "several hundred" on."""
CONNECT_SECONDS = 10.0
ATTEMPTS = 8
UNREACHABLE_ATTEMPTS = 3
TOO_SLOW_ATTEMPTS = 2
_BACKOFF = wait_exponential(multiplier=0.25, max=10) + wait_random(0, 0.25)

_PASSING = re.compile(
    r"backend failed|time(?:d )?-?out|temporar|unavailable|try again|table is empty|empty response|internal|server error|"
    r"unable to obtain|connection|cannot retrieve|overload",
    re.IGNORECASE,
)
"""Error texts of the service that come and go."""
_LASTING = re.compile(r"\bretstart\b|cannot be larger than|invalid db|empty term|wildcard", re.IGNORECASE)
"""Error texts that a repetition brings back, also where they begin like an outage."""
_ENDS = {"efetch": re.compile(rb"</(?:Pubmed(?:Book)?ArticleSet|eFetchResult)>\s*$|<PubmedArticleSet\s*/>\s*$")}


class TooSlow(SourceError):
    """The service could not put this many records together in time: ask for fewer at once."""


class _Passing(Exception):
    """A failure that a repetition may mend. ``text`` is one clear clause for the message."""

    def __init__(self, text: str, *, retry_after: float | None = None, too_slow: bool = False, unreachable: bool = False) -> None:
        super().__init__(text)
        self.retry_after = retry_after
        self.too_slow = too_slow
        self.unreachable = unreachable


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

            @functools.wraps(original)  # takes over `previous`, the attribute where the original keeps its last call's time
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

    ``timeout`` is the longest wait in seconds for the next bytes of an answer, ``overall`` for a call with its
    repetitions. ``rate`` is in requests a second; None means NCBI's own limits for NCBI and none elsewhere. Clients of one
    address and key share one limiter. Raises UsageError where the address or a number cannot be used.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        email: str | None = None,
        rate: float | None = None,
        timeout: float = 30.0,
        overall: float = 180.0,
    ) -> None:
        self.address = (base_url or NCBI).rstrip("/") + "/"
        parts = urlsplit(self.address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError("the E-utilities' address must begin with http:// or https:// and name a host")
        if (rate is not None and not 0 < rate < float("inf")) or timeout <= 0 or overall <= 0:
            raise UsageError("the E-utilities' rate and time-outs must be more than 0")
        self.host = parts.hostname if parts.port is None else f"{parts.hostname}:{parts.port}"
        self._api_key = api_key or None
        self._email = email or ""
        self._timeout = timeout
        self._overall = overall
        self._limiter = self._limiter_for(parts.hostname, rate)
        self._session = requests.Session()
        self._session.headers["User-Agent"] = TOOL
        # Without cookies nothing in a session changes between calls, which makes it safe to share between threads.
        self._session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, HTTPAdapter(pool_maxsize=32))

    def esearch(self, term: str, limit: int, stop: threading.Event | None = None) -> dict[str, Any]:
        """ESearch in PubMed by relevance: the ``esearchresult`` object, its ``count`` a string of digits. Raises SourceError."""
        asked = {"db": "pubmed", "term": term, "sort": "relevance", "retmode": "json", "retmax": limit}
        with _seam(functools.partial(self._send, stop=stop or threading.Event())):
            answer = _entrez.esearch(**asked, **self._who)
        result: dict[str, Any] = json.loads(answer.read(), strict=False)["esearchresult"]
        return result

    def efetch(self, pmids: Sequence[str], stop: threading.Event | None = None) -> bytes:
        """EFetch of these PubMed records: citation XML, whole. Raises SourceError, TooSlow where fewer at once may do."""
        with _seam(functools.partial(self._send, stop=stop or threading.Event())):
            answer = _entrez.efetch(db="pubmed", id=list(pmids), retmode="xml", **self._who)
        return bytes(answer.read())

    def close(self) -> None:
        """Close the connections kept open."""
        self._session.close()

    @property
    def _who(self) -> dict[str, str | None]:
        # An empty email keeps Bio.Entrez from warning on stderr; it is left out of what is sent.
        return {"tool": TOOL, "email": self._email, "api_key": self._api_key}

    def _limiter_for(self, hostname: str, rate: float | None) -> Limiter | None:
        if rate is None:
            if not (hostname == "ncbi.nlm.nih.gov" or hostname.endswith(".ncbi.nlm.nih.gov")):
                return None
            rate = RATE_WITH_KEY if self._api_key else RATE_WITHOUT_KEY
        owner = hashlib.sha256(self._api_key.encode()).hexdigest() if self._api_key else ""
        return shared_limiter(f"{self.host} {owner}", rate)

    def _send(self, request: Request, stop: threading.Event) -> io.BytesIO:
        """The transport: the body of a good answer, after as many repetitions as make sense."""
        utility = urlsplit(request.full_url).path.rpartition("/")[2].removesuffix(".fcgi")
        data = request.data if isinstance(request.data, bytes) else b""
        fields = parse_qsl(data.decode() if request.method == "POST" else urlsplit(request.full_url).query)
        deadline = time.monotonic() + self._overall

        def sleep(seconds: float) -> None:
            stop.wait(seconds)

        tries = Retrying(
            retry=retry_if_exception_type(_Passing),
            wait=self._pause,
            stop=lambda state: self._is_last(state, deadline),
            sleep=sleep,
            reraise=True,
        )
        try:
            return io.BytesIO(tries(self._attempt, utility, fields, deadline, stop))
        except _Passing as failure:
            error = TooSlow if failure.too_slow else SourceError
            raise error(f"PubMed at {self.host} {failure}; given up", retryable=True) from None

    def _attempt(self, utility: str, fields: list[tuple[str, str]], deadline: float, stop: threading.Event) -> bytes:
        in_time = self._limiter is None or self._limiter.wait(stop, deadline)
        if stop.is_set():
            raise Cancelled("the search was stopped")
        if not in_time:
            waited = f"PubMed at {self.host} cannot be asked within {self._overall:g} seconds"
            raise SourceError(f"{waited}: it has had too many requests and wants a pause; given up", retryable=True)
        status, headers, body = self._exchange(utility, fields, deadline, stop)
        try:
            judge_body(utility, status, headers, body)
        except _Passing as failure:
            if self._limiter is not None and failure.retry_after:
                self._limiter.hold(min(failure.retry_after, self._overall))
            raise
        except SourceError as error:
            raise SourceError(f"PubMed at {self.host} {self._without_secrets(str(error), fields)}") from None
        return body

    def _exchange(
        self, utility: str, fields: list[tuple[str, str]], deadline: float, stop: threading.Event
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Send and read the whole body. What the HTTP library says is not passed on: it may hold the address with its key."""
        url = f"{self.address}{utility}.fcgi"
        seconds = (min(CONNECT_SECONDS, self._timeout), min(self._timeout, max(deadline - time.monotonic(), 0.1)))
        try:
            # A key is always posted: the address of a request gets into logs, its body does not.
            if utility == "efetch" or self._api_key or len(urlencode(fields)) > POST_FROM:
                reply = self._session.post(url, data=fields, timeout=seconds, stream=True)
            else:
                reply = self._session.get(url, params=fields, timeout=seconds, stream=True)
            with reply:
                body = bytearray()
                for piece in reply.iter_content(65_536):
                    body += piece
                    if stop.is_set():
                        raise Cancelled("the search was stopped")
                    if time.monotonic() > deadline:
                        raise _Passing("sent its answer too slowly")
                return reply.status_code, reply.headers, bytes(body)
        except requests.exceptions.SSLError:
            raise SourceError(f"PubMed at {self.host}: the certificate could not be verified") from None
        except requests.exceptions.ConnectTimeout:
            raise _Passing("did not let us connect in time", unreachable=True) from None
        except requests.exceptions.Timeout:
            raise _Passing(f"did not answer within {self._timeout:g} seconds") from None
        except requests.exceptions.ConnectionError as error:
            if re.search(r"NewConnectionError|NameResolutionError|ProxyError|Max retries exceeded", str(error)):
                raise _Passing("cannot be reached", unreachable=True) from None
            raise _Passing("broke the connection") from None
        except (requests.exceptions.InvalidURL, requests.exceptions.InvalidSchema, requests.exceptions.TooManyRedirects):
            raise SourceError(f"PubMed at {self.host}: the address cannot be used") from None
        except (requests.exceptions.RequestException, TransferError, OSError):
            raise _Passing("broke off its answer") from None

    def _pause(self, state: RetryCallState) -> float:
        """Seconds before the next attempt: short where nothing answers, else growing with jitter, at least as asked for."""
        failure = _failure(state)
        if failure is not None and failure.unreachable:
            return 0.25 * state.attempt_number
        asked = (failure.retry_after if failure is not None else None) or 0.0
        return max(asked, _BACKOFF(state))

    def _is_last(self, state: RetryCallState, deadline: float) -> bool:
        failure = _failure(state)
        most = ATTEMPTS
        if failure is not None and failure.unreachable:
            most = UNREACHABLE_ATTEMPTS
        elif failure is not None and failure.too_slow:
            most = TOO_SLOW_ATTEMPTS
        return state.attempt_number >= most or time.monotonic() + state.upcoming_sleep >= deadline

    def _without_secrets(self, text: str, fields: list[tuple[str, str]]) -> str:
        """An error text of the service, which may quote the query or the key, without them."""
        for name, value in fields:
            if name in ("term", "api_key", "email") and value:
                text = text.replace(value, "…")
        return text


def judge_body(utility: str, status: int, headers: Mapping[str, str], body: bytes) -> None:
    """Return where the body is a whole answer of ``utility``; else raise `_Passing` or SourceError with one clause.

    The body speaks first, then the status: the service reports errors with 200, and outages with 400.
    """
    beginning = body[:4000].decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    answer = _json(body) if beginning.startswith("{") else None
    message = _error_message(beginning, answer)
    if message and re.search(r"api.?key", message, re.IGNORECASE) and not re.search("rate limit", message, re.IGNORECASE):
        raise SourceError("refused the API key")
    if status == 429 or (message and re.search(r"rate limit|too many requests", message, re.IGNORECASE)):
        raise _Passing("is answering too many requests", retry_after=_retry_after(headers))
    if re.match(r"(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+)?html\b", beginning, re.IGNORECASE):
        if status in (403, 404, 410):
            raise SourceError(f"answered with a web page (HTTP status {status}); is the address right?")
        stated = "" if status == 200 else f" (HTTP status {status})"
        raise _Passing(f"answered with a web page instead of data{stated}", retry_after=_retry_after(headers))
    if not message and status >= 400:
        message = " ".join(re.sub(r"<[^>]*>", " ", beginning).split()) or f"HTTP status {status}"
    if message:
        message = " ".join(message.split())[:200]
        if status >= 500 or status == 408 or (_PASSING.search(message) and not _LASTING.search(message)):
            too_slow = utility == "efetch" and re.search(r"time-?out", message, re.IGNORECASE) is not None
            raise _Passing(f"failed ({message})", retry_after=_retry_after(headers), too_slow=too_slow)
        raise SourceError("finds the query too long" if status == 414 else f"rejected the request ({message})")
    if not beginning:
        raise _Passing("sent an empty answer")
    if utility == "esearch":
        result = answer.get("esearchresult") if isinstance(answer, dict) else None
        if not isinstance(result, dict):
            raise _Passing("sent an answer that is cut off or garbled")
        if not re.fullmatch(r"[0-9]+", str(result.get("count", ""))):
            raise _Passing("sent an answer without a number of hits")
    elif utility in _ENDS and not _ENDS[utility].search(body):
        raise _Passing("sent an answer that is cut off or garbled")


def _json(body: bytes) -> Any:
    try:
        return json.loads(body, strict=False)  # the service puts raw newlines into strings
    except ValueError:
        return None


def _error_message(beginning: str, answer: Any) -> str:
    if isinstance(answer, dict):
        result = answer.get("esearchresult")
        found = (result.get("ERROR") if isinstance(result, dict) else None) or answer.get("error") or answer.get("ERROR")
        return str(found) if found else ""
    found_xml = re.search(r"<ERROR>(.*?)</ERROR>", beginning, re.DOTALL | re.IGNORECASE)
    return found_xml[1] if found_xml else ""


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds of a Retry-After header, which holds seconds or a date; None where there is none."""
    stated = headers.get("Retry-After", "").strip()
    if stated.isdecimal():
        return float(stated)
    try:
        return max(0.0, parsedate_to_datetime(stated).timestamp() - time.time()) if stated else None
    except (ValueError, TypeError, OverflowError):
        return None


def _failure(state: RetryCallState) -> _Passing | None:
    raised = state.outcome.exception() if state.outcome is not None else None
    return raised if isinstance(raised, _Passing) else None
