"""The transport under Bio.Entrez, against real HTTP on loopback."""

import contextlib
import json
import socket
import threading
import warnings
from collections.abc import Iterator
from typing import Literal
from urllib.parse import urlsplit

import pytest

from benchmarks.servers.eutils import EutilsServer
from benchmarks.servers.faults import Faults
from clinfo.errors import (
    Cancelled,
    QueryRejected,
    SourceError,
    WindowExceeded,
)
from clinfo.records.articles import Article, Section
from clinfo.sources import entrez
from clinfo.sources.entrez import Eutils
from clinfo.sources.limiter import MARGIN

ARTICLES = [
    Article(
        id=f"pmid:{number}",
        pmid=str(number),
        title=f"Rest and sleep {number}",
        sections=(Section("Rest helped."),),
    )
    for number in range(1, 31)
]
KEY = "0123456789abcdef-secret"


def search_body(**fields: object) -> str:
    return json.dumps({"header": {"type": "esearch"}, "esearchresult": fields})


def client(server: EutilsServer, **options: object) -> Eutils:
    return Eutils(server.url, **{"timeout": 30.0, **options})  # type: ignore[arg-type]


def test_the_request_and_its_answer() -> None:
    with EutilsServer(ARTICLES) as server, warnings.catch_warnings():
        warnings.simplefilter("error")
        answer = client(server, email="a@example.org").esearch("sleep", 5)
        assert (answer["count"], len(answer["idlist"])) == ("30", 5)
        (asked,) = server.log
    assert (asked.method, asked.path) == ("GET", "/entrez/eutils/esearch.fcgi")
    assert asked.params == {
        "db": "pubmed",
        "term": "sleep",
        "sort": "relevance",
        "retmode": "json",
        "retmax": "5",
        "tool": "clinfo",
        "email": "a@example.org",
    }


def test_a_key_never_stands_in_an_address() -> None:
    with EutilsServer(ARTICLES, api_keys={KEY}) as server:
        assert client(server, api_key=KEY).esearch("sleep", 1)["count"] == "30"
        (asked,) = server.log
    assert (asked.method, asked.params["api_key"]) == ("POST", KEY)


def test_long_queries_and_all_fetches_are_posted() -> None:
    with EutilsServer(ARTICLES) as server:
        one = client(server)
        long = " OR ".join(["sleep", *['"rest & nöthing + else"'] * 60])
        assert one.esearch(long, 3)["count"] == "30"
        assert b"Rest and sleep 7" in one.efetch(["7"])
        searched, fetched = server.log
    assert (searched.method, searched.params["term"]) == ("POST", long)
    assert (fetched.method, fetched.params["id"], fetched.params["retmode"]) == ("POST", "7", "xml")


PASSING = [
    (429, '{"error":"API rate limit exceeded","api-key":"127.0.0.1","count":"5","limit":"3"}'),
    (200, '{"error":"API rate limit exceeded","api-key":"127.0.0.1","count":"5","limit":"3"}'),
    (200, "<!DOCTYPE html>\n<html><body>down</body></html>"),
    (502, "<html><body>Bad Gateway</body></html>"),
    (500, ""),
    (200, ""),
    (200, search_body(ERROR="Search Backend failed: Database is not available")),
    (400, '{"error":"temporarily unavailable"}'),
    (200, '{"header":{"type":"esearch"},"esearchresult":{"count":"3","idl'),
    (200, search_body(retmax="0", idlist=[])),
    (200, "[]"),
]


@pytest.mark.parametrize(("status", "body"), PASSING)
def test_what_passes_is_tried_again(status: int, body: str) -> None:
    with EutilsServer(ARTICLES) as server:
        server.queue(status, body)
        assert client(server).esearch("sleep", 1)["count"] == "30"
        assert len(server.log) == 2


BEYOND = """{"header":{"type":"esearch","version":"0.3"},"esearchresult":{"ERROR":"Search Backend failed: Exception:
'retstart' cannot be larger than 9998. For PubMed, ESearch can only retrieve the first 9,999 records matching the query."}}"""  # noqa: E501
"""As recorded: invalid JSON, with a raw line break in a string."""
LASTING = [
    (
        200,
        search_body(ERROR="Empty term and query_key - nothing todo"),
        "rejected the request",
        QueryRejected,
    ),
    (200, search_body(ERROR="Invalid db name specified: pubmud"), "Invalid db name", QueryRejected),
    (200, BEYOND, "at this rank .*9998", WindowExceeded),
    (500, BEYOND, "at this rank .*9998", WindowExceeded),
    (400, "<ERROR>retstart is too large</ERROR>", "at this rank", WindowExceeded),
    (400, "Bad request: something is wrong", "something is wrong", QueryRejected),
    (404, "<html><body>Not Found</body></html>", "is the address right", SourceError),
    (403, '{"error":"Forbidden"}', "Forbidden", SourceError),
    (414, "", "too long", QueryRejected),
    (414, "<html><body>Request-URI Too Long</body></html>", "too long", QueryRejected),
    (
        400,
        f'{{"error":"API key invalid","api-key":"{KEY}","type":"api key"}}',
        "refused the API key",
        SourceError,
    ),
    (
        200,
        search_body(ERROR="Too many wildcards in the query; Search Backend failed"),
        "wildcards",
        QueryRejected,
    ),
]


@pytest.mark.parametrize(("status", "body", "said", "kind"), LASTING)
def test_what_lasts_is_said_at_once_in_one_line_without_the_key(
    status: int, body: str, said: str, kind: type[SourceError]
) -> None:
    with EutilsServer(ARTICLES) as server:
        server.queue(status, body)
        with pytest.raises(SourceError, match=said) as raised:
            client(server, api_key=KEY).esearch("sleep", 1)
        assert len(server.log) == 1
    assert type(raised.value) is kind
    assert not raised.value.retryable
    assert "\n" not in str(raised.value)
    assert KEY not in str(raised.value)
    assert KEY not in repr(raised.value.__context__)
    assert "127.0.0.1" in str(raised.value)


def test_neither_the_query_nor_the_key_stands_in_an_error_that_quotes_them() -> None:
    with EutilsServer(ARTICLES) as server:
        server.queue(400, f"Cannot parse my private words with {KEY}")
        with pytest.raises(SourceError) as raised:
            client(server, api_key=KEY).esearch("my private words", 1)
    assert str(raised.value).endswith("rejected the request (Cannot parse … with …)")


def test_too_many_wildcards_are_counted_before_the_query_is_sent() -> None:
    with EutilsServer(ARTICLES) as server:
        one = client(server)
        allowed = " OR ".join(["sleep*", *(f"word{number:04}*" for number in range(255))])
        assert one.esearch(allowed, 1)["count"] == "30"
        with pytest.raises(QueryRejected, match=r"257 .*256") as raised:
            one.esearch(f"{allowed} OR more*", 1)
        assert len(server.log) == 1
    assert "word" not in str(raised.value).replace("truncated words", "")


@pytest.mark.parametrize("broken", ["cut", "reset"])
def test_an_answer_whose_connection_ends_or_is_reset_half_way_is_asked_for_again(
    broken: Literal["cut", "reset"],
) -> None:
    with EutilsServer(ARTICLES) as server:
        one = client(server)
        server.queue(
            200,
            search_body(count="7", idlist=[str(number) for number in range(40_000)]),
            broken=broken,
        )
        assert one.esearch("sleep", 1)["count"] == "30"
        server.queue(
            200, b"<PubmedArticleSet>" + b" " * 400_000 + b"</PubmedArticleSet>", broken=broken
        )
        assert b"Rest and sleep 7" in one.efetch(["7"])
        assert len(server.log) == 4


def test_a_silent_server_is_left_after_the_time_out() -> None:
    silent = pytest.raises(SourceError, match=r"did not answer within 0\.2 seconds")
    with EutilsServer(ARTICLES, faults=Faults(hang=1.0)) as server, silent:
        client(server, timeout=0.2, overall=0.5).esearch("sleep", 1)


def test_an_address_where_nothing_listens_is_given_up_after_three_tries(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses: list[float] = []
    pause = Eutils._pause
    monkeypatch.setattr(Eutils, "_pause", lambda *given: pauses.append(pause(*given)) or pauses[-1])
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.raises(
        SourceError,
        match=rf"PubMed at 127\.0\.0\.1:{port} cannot be reached; the request was abandoned",
    ):
        Eutils(f"http://127.0.0.1:{port}/entrez/eutils", api_key=KEY).esearch("sleep", 1)
    assert pauses == [0.25, 0.5, 0.75]  # the last is not made


def test_retry_after_is_honoured() -> None:
    with EutilsServer(ARTICLES) as server:
        server.queue(429, '{"error":"API rate limit exceeded"}', headers={"Retry-After": "2"})
        client(server).esearch("sleep", 1)
        first, second = server.log
    assert 2.0 <= second.at - first.at < 15


@pytest.mark.parametrize(
    "asked", ["3600", "999999999999999", "9" * 400, "Fri, 31 Dec 9999 23:59:59 GMT", "soon"]
)
def test_a_pause_asked_for_holds_nobody_beyond_the_time_for_a_call(asked: str) -> None:
    with EutilsServer(ARTICLES) as server:
        for _ in range(8):
            server.queue(429, '{"error":"API rate limit exceeded"}', headers={"Retry-After": asked})
        for overall in (1.0, 0.3):  # the second call finds the pause that the first was asked for
            # On a busy machine the time for a call may be over while an answer is still coming.
            with pytest.raises(
                SourceError, match=r"too many requests|too slowly|did not answer"
            ) as raised:
                client(server, rate=500.0, overall=overall).esearch("sleep", 1)
            assert raised.value.retryable


def test_the_limits_of_ncbi_hold_for_ncbi_alone() -> None:
    def space(client: Eutils) -> float | None:
        return None if client._limiter is None else client._limiter.space

    assert space(Eutils()) == pytest.approx((1 + MARGIN) / 3)
    assert space(Eutils(api_key="k")) == pytest.approx((1 + MARGIN) / 10)
    assert (
        Eutils(api_key="k")._limiter
        is Eutils("https://eutils.ncbi.nlm.nih.gov/entrez/eutils", api_key="k")._limiter
    )
    assert Eutils(api_key="k")._limiter is not Eutils()._limiter
    assert space(Eutils("http://localhost:1/e")) is None
    assert space(Eutils("https://ncbi.nlm.nih.gov.example.org/")) is None
    assert space(Eutils("http://localhost:2/e", rate=5)) == pytest.approx((1 + MARGIN) / 5)


def test_a_call_can_be_stopped_while_it_waits() -> None:
    with EutilsServer(ARTICLES, faults=Faults(rate_500=1.0)) as server:
        stop = threading.Event()
        threading.Timer(0.3, stop.set).start()
        with pytest.raises(Cancelled):
            client(server).esearch("sleep", 1, stop)
        assert len(server.log) < entrez.ATTEMPTS


@contextlib.contextmanager
def sending(*parts: bytes, again: bytes = b"", every: float = 0.1) -> Iterator[str]:
    """The address of a server that sends ``parts`` to each request, then ``again`` for ever."""
    over = threading.Event()

    def answer(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            connection.recv(65_536)
            for part in parts:
                connection.sendall(part)
            while again and not over.wait(every):
                connection.sendall(again)

    def serve() -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=answer, args=listening.accept()[:1], daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        over.set()


@pytest.mark.parametrize("place", ["file:///etc/passwd", "http://localhost:{port}/esearch.fcgi"])
def test_neither_query_nor_key_follow_a_redirection_to_another_server(place: str) -> None:
    with EutilsServer(ARTICLES, api_keys={KEY}) as other:
        there = place.format(port=urlsplit(other.url).port)
        head = f"HTTP/1.1 307 Moved\r\nLocation: {there}\r\nContent-Length: 0\r\n\r\n"
        with sending(head.encode()) as url, pytest.raises(SourceError, match="cannot be used"):
            Eutils(url, api_key=KEY).esearch("sleep", 1)
        assert other.log == []
