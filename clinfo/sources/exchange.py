"""One request of a source's service and its whole answer: what the clients of PubMed and of
Semantic Scholar share.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping
from http.cookiejar import DefaultCookiePolicy

import requests
from requests.adapters import HTTPAdapter
from tenacity import RetryCallState
from urllib3.exceptions import HTTPError as TransferError

from clinfo.errors import Cancelled, SourceError
from clinfo.sources.replies import Passing, pieces

CONNECT_SECONDS = 10.0


def open_session(user_agent: str) -> requests.Session:
    """A session that any number of threads may use: without cookies nothing in it changes between
    calls.
    """
    session = requests.Session()
    session.headers["User-Agent"] = user_agent
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    for scheme in ("http://", "https://"):
        session.mount(scheme, HTTPAdapter(pool_maxsize=32))
    return session


def exchange(
    send: Callable[[tuple[float, float]], requests.Response],
    service: str,
    timeout: float,
    deadline: float,
    stop: threading.Event,
    most_bytes: int | None = None,
) -> tuple[int, Mapping[str, str], bytes]:
    """Status, headers and the whole body of what ``send`` gets, which is handed its time-outs
    (connect, read) in seconds.

    ``service`` names it for messages; what the HTTP library says is not passed on, since it may
    hold a key or the query. Raises `Passing` for what may be better next time, SourceError for an
    address, certificate or size that cannot be used, and Cancelled.
    """
    seconds = (min(CONNECT_SECONDS, timeout), min(timeout, max(deadline - time.monotonic(), 0.1)))
    try:
        with send(seconds) as reply:
            body = bytearray()
            for piece in pieces(reply):
                body += piece
                if stop.is_set():
                    raise Cancelled("the search was stopped")
                if time.monotonic() > deadline:
                    raise Passing("sent its answer too slowly")
                if most_bytes is not None and len(body) > most_bytes:
                    raise SourceError(f"{service} sent far more than requested")
            return reply.status_code, reply.headers, bytes(body)
    except requests.exceptions.SSLError:
        raise SourceError(f"{service}: the certificate could not be verified") from None
    except requests.exceptions.ConnectTimeout:
        raise Passing("did not accept the connection in time", unreachable=True) from None
    except requests.exceptions.Timeout:
        raise Passing(f"did not answer within {timeout:g} seconds") from None
    except requests.exceptions.ConnectionError as error:
        if re.search(
            r"NewConnectionError|NameResolutionError|ProxyError|Max retries exceeded", str(error)
        ):
            raise Passing("cannot be reached", unreachable=True) from None
        raise Passing("closed the connection") from None
    except (
        requests.exceptions.InvalidURL,
        requests.exceptions.InvalidSchema,
        requests.exceptions.TooManyRedirects,
    ):
        raise SourceError(f"{service}: the address cannot be used") from None
    except (requests.exceptions.RequestException, TransferError, OSError):
        raise Passing("interrupted its answer") from None


def failure_of(state: RetryCallState) -> Passing | None:
    """Return what made the last attempt fail, where another one may help."""
    raised = state.outcome.exception() if state.outcome is not None else None
    return raised if isinstance(raised, Passing) else None
