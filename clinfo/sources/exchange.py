"""A client of a source's service over HTTP: what those of PubMed and of Semantic Scholar share.

Requests are spaced and repeated where that can help; an answer is read whole.
"""

import hashlib
import http.client
import io
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from http.cookiejar import DefaultCookiePolicy
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urljoin, urlsplit

import requests
from requests.adapters import HTTPAdapter
from tenacity import (
    RetryCallState,
    Retrying,
    retry_if_exception_type,
    wait_exponential,
    wait_random,
)
from urllib3.exceptions import HTTPError as TransferError

from clinfo.errors import Cancelled, SourceError, SourceUnavailable, UsageError
from clinfo.sources.limiter import shared_limiter
from clinfo.sources.replies import Passing

CONNECT_SECONDS = 10.0
UNREACHABLE_ATTEMPTS = 3
TOO_SLOW_ATTEMPTS = 2

T = TypeVar("T")
Reply = tuple[int, Mapping[str, str], bytes]
"""Status, headers and the whole body."""


class TooSlow(SourceUnavailable):
    """The service could not put this many records together in time: ask for fewer at once."""


class ServiceClient:
    """A client of a service at one address, to be used from any number of threads.

    ``timeout`` is the longest wait in seconds for the next bytes of an answer, ``overall`` for a
    call with its repetitions, ``first_pause`` before the first of these. ``rate`` is in requests a
    second; None means the service's ``own_rate`` at its own ``domain`` and none elsewhere. Clients
    of one address and key share one limiter, in this process and by files in ``limits_dir`` in all
    processes of this machine (default: the user's cache folder).
    Raises UsageError where the address or a number cannot be used.
    """

    service: str
    """Its name in messages."""
    owner: str
    """The word before "address" in a message."""
    domain: str
    overrun: str
    """The message where no place among the requests comes free in time."""
    attempts: int
    longest_pause: float
    most_bytes: int
    """Of a whole answer, uncompressed."""

    def __init__(
        self,
        address: str,
        api_key: str | None,
        rate: float | None,
        timeout: float,
        overall: float,
        first_pause: float,
        own_rate: float,
        limits_dir: Path | None,
    ) -> None:
        self.address = address.rstrip("/") + "/"
        parts = urlsplit(self.address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(
                f"{self.owner} address must begin with http:// or https:// and name a host"
            )
        if (rate is not None and not 0 < rate < float("inf")) or timeout <= 0 or overall <= 0:
            raise UsageError(f"{self.owner} rate and time-outs must be more than 0")
        self.host = parts.hostname if parts.port is None else f"{parts.hostname}:{parts.port}"
        self._api_key = api_key or None
        self._timeout = timeout
        self._overall = overall
        self._first_pause = first_pause
        if rate is None and f".{parts.hostname}".endswith(f".{self.domain}"):
            rate = own_rate
        self._limiter = None
        if rate is not None:
            owner = hashlib.sha256(self._api_key.encode()).hexdigest() if self._api_key else ""
            self._limiter = shared_limiter(f"{self.host} {owner}", rate, limits_dir)
        self._session = open_session("clinfo")

    def close(self) -> None:
        """Close the connections kept open."""
        self._session.close()

    @property
    def _named(self) -> str:
        return f"{self.service} at {self.host}"

    def _repeated(
        self, attempt: Callable[[float, threading.Event], T], stop: threading.Event | None
    ) -> T:
        """The result of ``attempt`` by its deadline, after as many repetitions as make sense."""
        stop = stop or threading.Event()
        deadline = time.monotonic() + self._overall
        tries = Retrying(
            retry=retry_if_exception_type(Passing),
            wait=self._pause,
            stop=lambda state: self._is_last(state, deadline),
            sleep=stop.wait,  # type: ignore[arg-type]
            reraise=True,
        )
        try:
            return tries(attempt, deadline, stop)
        except Passing as failure:
            error = TooSlow if failure.too_slow else SourceUnavailable
            raise error(f"{self._named} {failure}; the request was abandoned") from None

    def _judged(
        self,
        send: Callable[[tuple[float, float]], requests.Response],
        judge: Callable[[Reply], T],
        deadline: float,
        stop: threading.Event,
    ) -> T:
        """The result of ``judge`` for the answer to one request, sent when its turn has come."""
        in_time = self._limiter is None or self._limiter.wait(stop, deadline)
        if stop.is_set():
            raise Cancelled("the search was stopped")
        if not in_time:
            raise SourceUnavailable(
                f"{self._named} cannot be queried within {self._overall:g} seconds: "
                f"{self.overrun}; the request was abandoned"
            )
        reply = self._exchange(send, deadline, stop)
        try:
            return judge(reply)
        except Passing as failure:
            if self._limiter is not None and failure.retry_after:
                self._limiter.hold(min(failure.retry_after, self._overall))
            raise
        except SourceError as error:
            raise type(error)(f"{self._named} {error}") from None

    def _pause(self, state: RetryCallState) -> float:
        """Seconds before the next attempt: short where nothing answers, else growing with jitter,
        at least as asked for.
        """
        first, failure = self._first_pause, failure_of(state)
        if failure is not None and failure.unreachable:
            return min(0.25, first) * state.attempt_number
        asked = (failure.retry_after if failure is not None else None) or 0.0
        growing = wait_exponential(multiplier=first, max=self.longest_pause)
        return max(asked, (growing + wait_random(0, first))(state))

    def _is_last(self, state: RetryCallState, deadline: float) -> bool:
        failure = failure_of(state)
        most = self.attempts
        if failure is not None and failure.unreachable:
            most = UNREACHABLE_ATTEMPTS
        elif failure is not None and failure.too_slow:
            most = TOO_SLOW_ATTEMPTS
        return state.attempt_number >= most or time.monotonic() + state.upcoming_sleep >= deadline

    def _exchange(
        self,
        send: Callable[[tuple[float, float]], requests.Response],
        deadline: float,
        stop: threading.Event,
    ) -> Reply:
        """The reply that ``send`` gets, which is handed its time-outs (connect, read) in seconds.

        What the HTTP library says is not passed on, since it may hold a key or the query. Raises
        `Passing` for what may be better next time, SourceError for an address, certificate or size
        that cannot be used, and Cancelled.
        """
        seconds = (
            min(CONNECT_SECONDS, self._timeout),
            min(self._timeout, max(deadline - time.monotonic(), 0.1)),
        )
        answered_by(deadline)
        try:
            with send(seconds) as reply:
                body = bytearray()
                for piece in _pieces(reply):
                    body += piece
                    if stop.is_set():
                        raise Cancelled("the search was stopped")
                    if time.monotonic() > deadline:
                        raise Passing("sent its answer too slowly")
                    if len(body) > self.most_bytes:
                        raise SourceError(f"{self._named} sent far more than requested")
                return reply.status_code, reply.headers, bytes(body)
        except (requests.exceptions.RequestException, TransferError, OSError) as error:
            raise self._told(error) from None

    def _told(self, error: Exception) -> Exception:
        """What a fault of the connection is to a reader; the first of its kinds counts."""
        wrong = requests.exceptions
        late = Passing("did not accept the connection in time", unreachable=True)
        nowhere = r"NewConnectionError|NameResolutionError|ProxyError|Max retries exceeded"
        waited = f"did not answer within {self._timeout:g} seconds"
        passing: tuple[tuple[type[Exception], Exception], ...] = (
            (wrong.SSLError, SourceError(f"{self._named}: the certificate could not be verified")),
            (wrong.ConnectTimeout, late),
            (wrong.Timeout, Passing(waited)),
            (
                wrong.ConnectionError,
                Passing("cannot be reached", unreachable=True)
                if re.search(nowhere, str(error))
                else Passing("closed the connection"),
            ),
            *(
                (kind, SourceError(f"{self._named}: the address cannot be used"))
                for kind in (wrong.InvalidURL, wrong.InvalidSchema, wrong.TooManyRedirects)
            ),  # also one that it sends the request on to
        )
        found = (told for kind, told in passing if isinstance(error, kind))
        return next(found, Passing("interrupted its answer"))


def open_session(user_agent: str) -> requests.Session:
    """A session that any number of threads may use: without cookies nothing in it changes between
    calls.
    """
    session = _Session()
    session.max_redirects = 5
    session.headers["User-Agent"] = user_agent
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    for scheme in ("http://", "https://"):
        session.mount(scheme, _InTimeAdapter(pool_maxsize=32))
    return session


class _Session(requests.Session):
    """Follows no server to another one: what is asked, and a key, are for the one named."""

    def get_redirect_target(self, resp: requests.Response) -> str | None:
        target = super().get_redirect_target(resp)
        if target is not None:
            here, there = urlsplit(resp.url), urlsplit(urljoin(resp.url, target))
            downgraded = (here.scheme, there.scheme) == ("https", "http")
            upgraded = (here.scheme, there.scheme) == ("http", "https")
            if (
                there.hostname != here.hostname
                or downgraded
                or (there.port != here.port and not upgraded)
            ):
                raise requests.exceptions.InvalidURL("redirected to another server")
        return target


# A time-out of the HTTP library counts from byte to byte, so that a server which sends its headers
# (or the sizes of its chunks) drop by drop would hold a thread for ever.
_now = threading.local()


def answered_by(deadline: float) -> None:
    """Have what `open_session` made end the answers to requests of this thread at ``deadline``, a
    moment of the monotonic clock, however it is sent.
    """
    _now.deadline = deadline


class _InTime(io.RawIOBase):
    """The bytes of a connection until a deadline, and TimeoutError from then on."""

    def __init__(self, raw: io.RawIOBase, deadline: float) -> None:
        self._raw, self._deadline = raw, deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        if time.monotonic() > self._deadline:
            raise TimeoutError
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Response(http.client.HTTPResponse):
    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        deadline = getattr(_now, "deadline", float("inf"))
        self.fp = io.BufferedReader(_InTime(self.fp.detach(), deadline))


class _InTimeAdapter(HTTPAdapter):
    def get_connection_with_tls_context(self, *given: Any, **named: Any) -> Any:
        pool: Any = super().get_connection_with_tls_context(*given, **named)
        if pool.ConnectionCls.response_class is not _Response:
            pool.ConnectionCls = type(
                "InTime", (pool.ConnectionCls,), {"response_class": _Response}
            )
        return pool


def failure_of(state: RetryCallState) -> Passing | None:
    """Return what made the last attempt fail, where another one may help."""
    raised = state.outcome.exception() if state.outcome is not None else None
    return raised if isinstance(raised, Passing) else None


def _pieces(reply: requests.Response) -> Iterator[bytes]:
    """The body as it comes in: what is there, without waiting for a piece to be full, so that a
    slow one is noticed.
    """
    if not hasattr(reply.raw, "read1"):  # urllib3 before 2.1
        yield from reply.iter_content(1_024)
        return
    while piece := reply.raw.read1(65_536, decode_content=True):
        yield piece
