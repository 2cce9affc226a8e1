"""The scripted E-utilities server behaves on the wire as the real one was recorded to."""

from __future__ import annotations

import json

import pytest
import requests
from lxml import etree

from benchmarks.servers.eutils import EutilsServer, render_set
from benchmarks.servers.faults import Faults
from clinfo.pubmed.xml import read_citations, read_file
from clinfo.records.articles import Article, Section
from tests.shared_data import SHARED, needs_shared

ARTICLES = [
    Article(
        id=f"pmid:{number}",
        pmid=str(number),
        title="Rest" if number % 2 else "Sleep",
        sections=(Section("Text & more < 5"),),
    )
    for number in range(1, 41)
]


def esearch(server: EutilsServer, **params: str) -> requests.Response:
    return requests.get(f"{server.url}esearch.fcgi", params={"db": "pubmed", **params}, timeout=30)


def test_json_search_with_numbers_as_strings_and_no_empty_lists() -> None:
    with EutilsServer(ARTICLES) as server:
        answer = esearch(server, term="rest", retmode="json", retmax="3", sort="relevance").json()
    assert answer["header"] == {"type": "esearch", "version": "0.3"}
    found = answer["esearchresult"]["idlist"]
    assert len({pmid for pmid in found if int(pmid) % 2}) == 3
    assert answer["esearchresult"] == {
        "count": "20",
        "retmax": "3",
        "retstart": "0",
        "idlist": found,
        "translationset": [],
        "querytranslation": "rest",
    }


def test_errors_come_with_status_200() -> None:
    with EutilsServer(ARTICLES) as server:
        empty = esearch(server, term=" ", retmode="json")
        assert empty.status_code == 200
        assert empty.json()["esearchresult"] == {"ERROR": "Empty term and query_key - nothing todo"}
        wrong = esearch(server, db="pubmud", term="rest")
        assert (
            etree.fromstring(wrong.content).findtext("ERROR") == "Invalid db name specified: pubmud"
        )


def test_requests_beyond_the_rate_get_429_with_ncbis_body() -> None:
    with EutilsServer(ARTICLES, rate=3) as server:
        replies = [esearch(server, term="rest", retmode="json") for _ in range(5)]
        assert [reply.status_code for reply in replies] == [200, 200, 200, 429, 429]
        assert replies[3].json() == {
            "error": "API rate limit exceeded",
            "api-key": "127.0.0.1",
            "count": "4",
            "limit": "3",
        }


@pytest.mark.parametrize(
    ("fault", "status", "body"),
    [
        ("rate_429", 429, '{"error"'),
        ("rate_500", 500, "<html>"),
        ("empty", 200, ""),
        ("html", 200, "<!DO"),
    ],
)
def test_faults_that_answer(fault: str, status: int, body: str) -> None:
    with EutilsServer(ARTICLES, faults=Faults(**{fault: 1.0})) as server:  # type: ignore[arg-type]
        reply = esearch(server, term="rest", retmode="json")
        assert reply.status_code == status
        assert reply.text.startswith(body)
        assert bool(reply.text) == bool(body)


def test_the_window_is_that_of_pubmed() -> None:
    with EutilsServer(ARTICLES, window=10) as server:
        clipped = esearch(server, term="rest", retmode="json", retmax="20000").json()[
            "esearchresult"
        ]
        assert (clipped["count"], clipped["retmax"], len(clipped["idlist"])) == ("20", "10", 10)
        assert clipped["warninglist"]["outputmessages"] == [
            "Restrictions achieved. start and count adjusted to 0, 10"
        ]
        last = esearch(server, term="rest", retmode="json", retstart="9", retmax="2").json()[
            "esearchresult"
        ]
        assert len(last["idlist"]) == 1
        beyond = esearch(server, term="rest", retmode="json", retstart="10")
        assert beyond.status_code == 200
        with pytest.raises(requests.exceptions.JSONDecodeError):
            beyond.json()
        assert (
            "cannot be larger than 9"
            in json.loads(beyond.text, strict=False)["esearchresult"]["ERROR"]
        )
        in_xml = etree.fromstring(esearch(server, term="rest", retstart="10").content)
        assert "cannot be larger than 9" in (in_xml.findtext("ERROR") or "")


@pytest.mark.slow
@needs_shared
@pytest.mark.parametrize(
    "name", ["pmc_trial_citations", "pubmedqa_citations", "pubmedrs200_source_reviews"]
)
def test_real_articles_survive_being_rendered(name: str) -> None:
    articles = [
        item
        for item in read_file(SHARED / "citations" / f"{name}.xml.gz")
        if isinstance(item, Article)
    ]
    assert len(articles) > 200
    assert list(read_citations(render_set(articles))) == articles
