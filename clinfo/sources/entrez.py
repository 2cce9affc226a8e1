"""The E-utilities through Bio.Entrez' public calls, over a transport of our own.

Bio.Entrez builds the requests; what it sends them with is replaced at one place (`_seam`), because
it has no base address, no time-outs, no limiter safe between threads, and tries again without
reading the body. Ours does: a body is read whole and judged before the status is
(`clinfo.sources.replies`).

Elsewhere in the process Bio.Entrez works as ever: the seam acts only where `_transport` is set.
"""

import functools
import io
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit
from urllib.request import Request

import Bio.Entrez
import requests

from clinfo.errors import QueryRejected, SourceError, SourceUnavailable
from clinfo.pubmed.dates import written
from clinfo.pubmed.limits import MAX_STARS
from clinfo.settings import NCBI_EUTILS
from clinfo.sources.exchange import Reply, ServiceClient, TooSlow
from clinfo.sources.replies import judge, parsed, read_links, wildcards

__all__ = ["Eutils", "TooSlow"]

TOOL = "clinfo"
RATE_WITHOUT_KEY, RATE_WITH_KEY = 3.0, 10.0
"""Requests a second that NCBI allows an address, and an API key (E-utilities Help)."""
POST_FROM = 400
"""Encoded characters from which parameters are posted; NCBI asks for it from "several hundred"
on.
"""
ATTEMPTS = 8
MOST_BYTES = 256_000_000
"""Of one answer; two hundred long records have about 10 million."""
FIRST_PAUSE = 0.25
"""Seconds before the first repetition of a request."""

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


class Eutils(ServiceClient):
    """A client of the E-utilities at one address (`ServiceClient`)."""

    service, owner, domain = "PubMed", "the E-utilities'", "ncbi.nlm.nih.gov"
    overrun = "it received too many requests and asks for a pause"
    attempts, longest_pause, most_bytes = ATTEMPTS, 10.0, MOST_BYTES

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        email: str | None = None,
        rate: float | None = None,
        timeout: float = 30.0,
        overall: float = 180.0,
        limits_dir: Path | None = None,
    ) -> None:
        super().__init__(
            base_url or NCBI_EUTILS,
            api_key,
            rate,
            timeout,
            overall,
            FIRST_PAUSE,
            RATE_WITH_KEY if api_key else RATE_WITHOUT_KEY,
            limits_dir,
        )
        self._email = email or ""

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
        if term != term.encode(errors="ignore").decode():
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
                "mindate": written(mindate),
                "maxdate": written(maxdate),
                "datetype": datetype or "pdat",
            }
        body = self._ask("esearch", stop, **asked)
        result: dict[str, Any] = parsed(body)["esearchresult"]
        return result

    def efetch(
        self, ids: Sequence[str], stop: threading.Event | None = None, db: str = "pubmed"
    ) -> bytes:
        """EFetch of these records as XML, whole: citations of PubMed, articles of ``db`` "pmc".

        Raises SourceError, TooSlow where fewer at once may do.
        """
        return self._ask("efetch", stop, db=db, id=list(ids), retmode="xml")

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

    def _ask(self, utility: str, stop: threading.Event | None, **asked: Any) -> bytes:
        """The body of a good answer to this call of Bio.Entrez'."""
        # An empty email keeps Bio.Entrez from warning on stderr; it is left out of what is sent.
        who = {"tool": TOOL, "email": self._email, "api_key": self._api_key}
        with _seam(functools.partial(self._send, stop=stop)):
            answer = getattr(_entrez, utility)(**asked, **who)
        return bytes(answer.read())

    def _send(self, request: Request, stop: threading.Event | None) -> io.BytesIO:
        """The transport: the body of a good answer, after as many repetitions as make sense."""
        utility = urlsplit(request.full_url).path.rpartition("/")[2].removesuffix(".fcgi")
        data = request.data if isinstance(request.data, bytes) else b""
        fields = parse_qsl(
            data.decode() if request.method == "POST" else urlsplit(request.full_url).query
        )
        attempt = functools.partial(self._attempt, utility, fields)
        return io.BytesIO(self._repeated(attempt, stop))

    def _attempt(
        self, utility: str, fields: list[tuple[str, str]], deadline: float, stop: threading.Event
    ) -> bytes:
        """``utility`` may be followed by a space and what else tells how its answer is judged."""
        url = f"{self.address}{utility.partition(' ')[0]}.fcgi"

        def send(seconds: tuple[float, float]) -> requests.Response:
            # A key is always posted: the address of a request gets into logs, its body does not.
            if utility.startswith("efetch") or self._api_key or len(urlencode(fields)) > POST_FROM:
                return self._session.post(url, data=fields, timeout=seconds, stream=True)
            return self._session.get(url, params=fields, timeout=seconds, stream=True)

        def whole(reply: Reply) -> bytes:
            judge(utility, *reply, fields)
            return reply[2]

        return self._judged(send, whole, deadline, stop)
