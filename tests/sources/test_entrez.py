"""The transport under Bio.Entrez, against real HTTP on loopback."""

from __future__ import annotations

import json
import socket
import threading
import time
import warnings

import pytest
from Bio import Entrez

from benchmarks.servers.eutils import EutilsServer
from benchmarks.servers.faults import FAULTS, Faults
from clinfo.errors import Cancelled, SourceError, UsageError
from clinfo.records import Article, Section
from clinfo.sources.entrez import Eutils, TooSlow, _seam, judge_body

ARTICLES = [
    Article(id=f"pmid:{number}", pmid=str(number), title=f"Rest and sleep {number}", sections=(Section("Rest helped."),))
    for number in range(1, 31)
]
KEY = "0123456789abcdef-secret"


def search_body(**fields: object) -> str:
    return json.dumps({"header": {"type": "esearch"}, "esearchresult": fields})


def client(server: EutilsServer, **options: object) -> Eutils:
    return Eutils(server.url, **{"timeout": 2.0, **options})  # type: ignore[arg-type]


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


@pytest.mark.parametrize("slash", ["", "/"])
def test_the_trailing_slash_of_the_address_does_not_matter(slash: str) -> None:
    with EutilsServer(ARTICLES) as server:
        assert Eutils(server.url.rstrip("/") + slash).esearch("sleep", 1)["count"] == "30"


def test_long_queries_and_all_fetches_are_posted() -> None:
    with EutilsServer(ARTICLES) as server:
        one = client(server)
        long = " OR ".join(["sleep", *['"rest & nöthing + else"'] * 60])
        assert one.esearch(long, 3)["count"] == "30"
        assert b"Rest and sleep 7" in one.efetch(["7"])
        searched, fetched = server.log
    assert (searched.method, searched.params["term"]) == ("POST", long)
    assert (fetched.method, fetched.params["id"], fetched.params["retmode"]) == ("POST", "7", "xml")


def test_other_users_of_bio_entrez_are_left_alone() -> None:
    with EutilsServer(ARTICLES) as server:
        client(server).esearch("sleep", 1)
    assert Entrez.email is None
    assert Entrez.api_key is None
    assert isinstance(Entrez._open.previous, (int, float))
    sent = []
    with _seam(lambda request: sent.append(request)):  # type: ignore[arg-type,func-returns-value]
        Entrez.einfo(email="a@example.org")
        with _seam(lambda request: sent.append("inner")):  # type: ignore[arg-type,func-returns-value]
            Entrez.einfo(email="a@example.org")
    assert sent[0].full_url.startswith("https://eutils.ncbi.nlm.nih.gov/entrez/eutils/einfo.fcgi?")
    assert sent[1:] == ["inner"]


def test_a_seam_of_one_thread_is_not_seen_by_another() -> None:
    with EutilsServer(ARTICLES) as first, EutilsServer(ARTICLES[:3]) as second:
        counts: dict[str, set[str]] = {"first": set(), "second": set()}

        def ask(name: str, server: EutilsServer) -> None:
            one = client(server)
            for _ in range(10):
                counts[name].add(one.esearch("sleep", 1)["count"])

        threads = [threading.Thread(target=ask, args=pair) for pair in (("first", first), ("second", second))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert counts == {"first": {"30"}, "second": {"3"}}


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


LASTING = [
    (200, search_body(ERROR="Empty term and query_key - nothing todo"), "rejected the request"),
    (200, search_body(ERROR="Invalid db name specified: pubmud"), "Invalid db name"),
    (200, '{"esearchresult":{"ERROR":"Search Backend failed: Exception:\n\'retstart\' cannot be larger than 9998"}}', "9998"),
    (400, "Bad request: something is wrong", "something is wrong"),
    (404, "<html><body>Not Found</body></html>", "is the address right"),
    (403, '{"error":"Forbidden"}', "Forbidden"),
    (414, "", "too long"),
    (400, f'{{"error":"API key invalid","api-key":"{KEY}","type":"api key"}}', "refused the API key"),
]


@pytest.mark.parametrize(("status", "body", "said"), LASTING)
def test_what_lasts_is_said_at_once_in_one_line_without_the_key(status: int, body: str, said: str) -> None:
    with EutilsServer(ARTICLES) as server:
        server.queue(status, body)
        with pytest.raises(SourceError, match=said) as raised:
            client(server, api_key=KEY).esearch("sleep", 1)
        assert len(server.log) == 1
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


def test_a_fetch_that_is_cut_off_in_its_body_or_by_the_line_is_tried_again() -> None:
    with EutilsServer(ARTICLES) as server:
        server.queue(200, "<?xml version='1.0'?><PubmedArticleSet><PubmedArticle><MedlineCitation>")
        server.queue(200, "<PubmedArticleSet>", headers={"Transfer-Encoding": "identity", "X-Note": "short"})
        server.queue(200, "<eFetchResult><ERROR>Unable to obtain query #1</ERROR></eFetchResult>")
        assert client(server).efetch(["3"]).endswith(b"</PubmedArticleSet>\n")
        assert len(server.log) == 4


def test_a_fetch_too_large_for_the_service_is_told_apart() -> None:
    body = "<eFetchResult><ERROR>External viewer error: Empty Response. Status: Timeout</ERROR></eFetchResult>"
    with EutilsServer(ARTICLES) as server:
        server.queue(400, body)
        server.queue(400, body)
        with pytest.raises(TooSlow, match="Timeout"):
            client(server).efetch(["3", "4"])
        assert len(server.log) == 2


def test_all_faults_at_once_end_in_the_answers_of_a_faultless_server() -> None:
    faults = Faults(rate_429=0.08, rate_500=0.05, hang=0.03, cut=0.03, empty=0.03, html=0.03, hang_seconds=5, seed=29)
    with EutilsServer(ARTICLES, faults=faults) as server:
        one = client(server, timeout=0.4)
        results: list[tuple[str, int]] = []

        def ask(number: int) -> None:
            count = one.esearch(f"{number}", 1)["count"]
            results.append((count, one.efetch([str(number)]).count(b"<PubmedArticle>")))

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(1, 21)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert {entry.fault for entry in server.log} == set(FAULTS)
    assert results == [("1", 1)] * 20


def test_attempts_are_limited_and_the_last_failure_is_told() -> None:
    with EutilsServer(ARTICLES, faults=Faults(rate_500=1.0)) as server:
        start = time.monotonic()
        with pytest.raises(SourceError, match=r"PubMed at 127\.0\.0\.1:\d+ answered with a web page .*500\); given up") as raised:
            client(server, overall=2.0).esearch("sleep", 1)
        assert raised.value.retryable
        assert 2 <= len(server.log) <= 8
        assert time.monotonic() - start < 15


def test_a_silent_server_is_left_after_the_time_out() -> None:
    with EutilsServer(ARTICLES, faults=Faults(hang=1.0)) as server:
        start = time.monotonic()
        with pytest.raises(SourceError, match=r"did not answer within 0\.2 seconds"):
            client(server, timeout=0.2, overall=0.5).esearch("sleep", 1)
        assert time.monotonic() - start < 5


def test_an_address_where_nothing_listens_is_given_up_after_three_quick_tries() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    start = time.monotonic()
    with pytest.raises(SourceError, match=rf"PubMed at 127\.0\.0\.1:{port} cannot be reached; given up"):
        Eutils(f"http://127.0.0.1:{port}/entrez/eutils", api_key=KEY).esearch("sleep", 1)
    assert time.monotonic() - start < 5


def test_retry_after_is_honoured() -> None:
    with EutilsServer(ARTICLES) as server:
        server.queue(429, '{"error":"API rate limit exceeded"}', headers={"Retry-After": "2"})
        client(server).esearch("sleep", 1)
        first, second = server.log
    assert 2.0 <= second.at - first.at < 4


def test_a_wait_longer_than_the_time_left_is_not_begun() -> None:
    with EutilsServer(ARTICLES) as server:
        server.queue(429, '{"error":"API rate limit exceeded"}', headers={"Retry-After": "3600"})
        with pytest.raises(SourceError, match="too many requests"):
            client(server, overall=30.0).esearch("sleep", 1)
        assert len(server.log) == 1


@pytest.mark.parametrize("asked", ["20", "999999999999999", "9" * 400, "Fri, 31 Dec 9999 23:59:59 GMT", "soon"])
def test_a_pause_asked_for_holds_nobody_beyond_the_time_for_a_call(asked: str) -> None:
    with EutilsServer(ARTICLES) as server:
        for _ in range(8):
            server.queue(429, '{"error":"API rate limit exceeded"}', headers={"Retry-After": asked})
        start = time.monotonic()
        for overall in (1.0, 0.3):  # the second call finds the pause that the first was asked for
            with pytest.raises(SourceError, match="too many requests") as raised:
                client(server, rate=500.0, overall=overall).esearch("sleep", 1)
            assert raised.value.retryable
        assert time.monotonic() - start < 3


def test_clients_of_one_address_share_a_limiter_that_repetitions_pass_too() -> None:
    with EutilsServer(ARTICLES, rate=20) as server:
        clients = [client(server, rate=20.0) for _ in range(3)]
        server.queue(200, "")
        server.queue(200, "")
        threads = [threading.Thread(target=one.esearch, args=("sleep", 1)) for one in clients for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        times = [entry.at for entry in server.log]
    assert len(times) == 26, "a request beyond the limit was answered 429 and repeated"
    assert times[-1] - times[0] >= 25 / 20


def test_the_limits_of_ncbi_hold_for_ncbi_alone() -> None:
    def space(client: Eutils) -> float | None:
        return None if client._limiter is None else client._limiter.space

    assert space(Eutils()) == pytest.approx(1.05 / 3)
    assert space(Eutils(api_key="k")) == pytest.approx(1.05 / 10)
    assert Eutils(api_key="k")._limiter is Eutils("https://eutils.ncbi.nlm.nih.gov/entrez/eutils", api_key="k")._limiter
    assert Eutils(api_key="k")._limiter is not Eutils()._limiter
    assert space(Eutils("http://localhost:1/e")) is None
    assert space(Eutils("https://ncbi.nlm.nih.gov.example.org/")) is None
    assert space(Eutils("http://localhost:2/e", rate=5)) == pytest.approx(1.05 / 5)


def test_a_call_can_be_stopped_while_it_waits() -> None:
    with EutilsServer(ARTICLES, faults=Faults(rate_500=1.0)) as server:
        stop = threading.Event()
        threading.Timer(0.3, stop.set).start()
        start = time.monotonic()
        with pytest.raises(Cancelled):
            client(server).esearch("sleep", 1, stop)
        assert time.monotonic() - start < 3


@pytest.mark.parametrize("options", [{"base_url": "ftp://x/"}, {"base_url": "eutils"}, {"rate": 0}, {"rate": -1.0}, {"timeout": 0}])
def test_settings_that_cannot_be_used(options: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="E-utilities"):
        Eutils(**options)  # type: ignore[arg-type]


def test_an_empty_set_of_records_is_an_answer() -> None:
    assert judge_body("efetch", 200, {}, b"<?xml version='1.0'?><PubmedArticleSet></PubmedArticleSet>\n") is None
    assert judge_body("efetch", 200, {}, b"<PubmedArticleSet/>") is None
