"""The scripted E-utilities server behaves on the wire as the real one was recorded to."""

from __future__ import annotations

import time

import pytest
import requests
from lxml import etree

from benchmarks.servers.eutils import EutilsServer, render_set
from benchmarks.servers.faults import Faults
from clinfo.pubmed.xml import read_citations, read_file
from clinfo.records import Article, Section
from tests.shared_data import SHARED, needs_shared

ARTICLES = [
    Article(id=f"pmid:{number}", pmid=str(number), title="Rest" if number % 2 else "Sleep", sections=(Section("Text & more < 5"),))
    for number in range(1, 41)
]


def esearch(server: EutilsServer, **params: str) -> requests.Response:
    return requests.get(f"{server.url}esearch.fcgi", params={"db": "pubmed", **params}, timeout=5)


def test_json_search_with_numbers_as_strings_and_no_empty_lists() -> None:
    with EutilsServer(ARTICLES) as server:
        answer = esearch(server, term="rest", retmode="json", retmax="3", sort="relevance").json()
    assert answer["header"] == {"type": "esearch", "version": "0.3"}
    assert answer["esearchresult"] == {
        "count": "20",
        "retmax": "3",
        "retstart": "0",
        "idlist": ["1", "11", "13"],
        "translationset": [],
        "querytranslation": "rest",
    }


def test_xml_is_the_default_and_newest_first_without_sort() -> None:
    scripted = {
        "rest": {
            "translationset": [{"from": "rest", "to": '"rest"[MeSH Terms]'}],
            "errorlist": {"phrasesnotfound": ["x"], "fieldsnotfound": []},
            "warninglist": {"quotedphrasesnotfound": ['"y"'], "outputmessages": ["No items found."]},
        }
    }
    with EutilsServer(ARTICLES, scripted=scripted) as server:
        reply = requests.post(f"{server.url}esearch.fcgi", data={"db": "pubmed", "term": "rest", "retmax": "2"}, timeout=5)
        root = etree.fromstring(reply.content)
    assert root.tag == "eSearchResult"
    assert (root.findtext("Count"), root.findtext("RetMax")) == ("20", "2")
    assert [node.text for node in root.iterfind("IdList/Id")] == ["39", "37"]
    assert root.findtext("TranslationSet/Translation/To") == '"rest"[MeSH Terms]'
    assert root.findtext("ErrorList/PhraseNotFound") == "x"
    assert root.findtext("WarningList/QuotedPhraseNotFound") == '"y"'


def test_errors_come_with_status_200() -> None:
    with EutilsServer(ARTICLES) as server:
        empty = esearch(server, term=" ", retmode="json")
        assert empty.status_code == 200
        assert empty.json()["esearchresult"] == {"ERROR": "Empty term and query_key - nothing todo"}
        wrong = esearch(server, db="pubmud", term="rest")
        assert etree.fromstring(wrong.content).findtext("ERROR") == "Invalid db name specified: pubmud"


def test_fetching_leaves_out_unknown_ids_and_reads_back_as_it_was() -> None:
    with EutilsServer(ARTICLES) as server:
        reply = requests.post(f"{server.url}efetch.fcgi", data={"db": "pubmed", "id": "7,999, 2"}, timeout=5)
        assert list(read_citations(reply.content)) == [ARTICLES[6], ARTICLES[1]]
        none = requests.get(f"{server.url}efetch.fcgi", params={"db": "pubmed", "id": "999"}, timeout=5)
        assert list(read_citations(none.content)) == []
        assert requests.get(f"{server.url}efetch.fcgi", timeout=5).status_code == 400


def test_requests_beyond_the_rate_get_429_with_ncbis_body() -> None:
    with EutilsServer(ARTICLES, rate=3) as server:
        replies = [esearch(server, term="rest", retmode="json") for _ in range(5)]
        assert [reply.status_code for reply in replies] == [200, 200, 200, 429, 429]
        assert replies[3].json() == {"error": "API rate limit exceeded", "api-key": "127.0.0.1", "count": "4", "limit": "3"}


def test_latency_and_log() -> None:
    with EutilsServer(ARTICLES, latency=0.2) as server:
        start = time.monotonic()
        esearch(server, term="rest")
        assert 0.2 <= time.monotonic() - start < 1
        (entry,) = server.requests("esearch")
        assert (entry.method, entry.params["term"], entry.fault) == ("GET", "rest", "none")
        assert server.requests("efetch") == []


def test_a_wrong_key_is_refused() -> None:
    with EutilsServer(ARTICLES, api_keys={"right"}) as server:
        assert esearch(server, term="rest", api_key="right").status_code == 200
        wrong = esearch(server, term="rest", api_key="wrong")
        assert (wrong.status_code, wrong.json()["error"]) == (400, "API key invalid")


@pytest.mark.parametrize(
    ("fault", "status", "body"),
    [("rate_429", 429, '{"error"'), ("rate_500", 500, "<html>"), ("empty", 200, ""), ("html", 200, "<!DO")],
)
def test_faults_that_answer(fault: str, status: int, body: str) -> None:
    with EutilsServer(ARTICLES, faults=Faults(**{fault: 1.0})) as server:  # type: ignore[arg-type]
        reply = esearch(server, term="rest", retmode="json")
        assert reply.status_code == status
        assert reply.text.startswith(body)
        assert bool(reply.text) == bool(body)


def test_faults_that_do_not() -> None:
    with EutilsServer(ARTICLES, faults=Faults(cut=1.0)) as server, pytest.raises(requests.RequestException):
        esearch(server, term="rest")
    with EutilsServer(ARTICLES, faults=Faults(hang=1.0)) as server, pytest.raises(requests.Timeout):
        requests.get(f"{server.url}esearch.fcgi", params={"db": "pubmed", "term": "rest"}, timeout=0.3)


def test_records_given_as_xml_are_sent_as_they_are() -> None:
    text = render_set(ARTICLES[:2]).replace(b"<Journal>", b'<Journal x="kept">')
    with EutilsServer(text) as server:
        assert esearch(server, term="rest", retmode="json").json()["esearchresult"]["count"] == "1"
        assert b'x="kept"' in requests.get(f"{server.url}efetch.fcgi", params={"id": "1"}, timeout=5).content


@needs_shared
@pytest.mark.parametrize("name", ["pmc_trial_citations", "pubmedqa_citations", "pubmedrs200_source_reviews"])
def test_real_articles_survive_being_rendered(name: str) -> None:
    articles = [item for item in read_file(SHARED / "citations" / f"{name}.xml.gz") if isinstance(item, Article)]
    assert len(articles) > 200
    assert list(read_citations(render_set(articles))) == articles
