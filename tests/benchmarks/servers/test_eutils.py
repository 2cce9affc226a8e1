"""The scripted E-utilities server behaves on the wire as the real one was recorded to."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from datetime import date

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


def test_xml_is_the_default_and_newest_first_without_sort() -> None:
    scripted = {
        "rest": {
            "translationset": [{"from": "rest", "to": '"rest"[MeSH Terms]'}],
            "errorlist": {"phrasesnotfound": ["x"], "fieldsnotfound": []},
            "warninglist": {
                "quotedphrasesnotfound": ['"y"'],
                "outputmessages": ["No items found."],
            },
        }
    }
    with EutilsServer(ARTICLES, scripted=scripted) as server:
        reply = requests.post(
            f"{server.url}esearch.fcgi",
            data={"db": "pubmed", "term": "rest", "retmax": "2"},
            timeout=30,
        )
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
        assert (
            etree.fromstring(wrong.content).findtext("ERROR") == "Invalid db name specified: pubmud"
        )


def test_fetching_leaves_out_unknown_ids_and_reads_back_as_it_was() -> None:
    with EutilsServer(ARTICLES) as server:
        reply = requests.post(
            f"{server.url}efetch.fcgi", data={"db": "pubmed", "id": "7,999, 2"}, timeout=30
        )
        assert list(read_citations(reply.content)) == [ARTICLES[6], ARTICLES[1]]
        none = requests.get(
            f"{server.url}efetch.fcgi", params={"db": "pubmed", "id": "999"}, timeout=30
        )
        assert list(read_citations(none.content)) == []
        assert requests.get(f"{server.url}efetch.fcgi", timeout=30).status_code == 400


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


def test_latency_and_log() -> None:
    with EutilsServer(ARTICLES, latency=0.2) as server:
        start = time.monotonic()
        esearch(server, term="rest")
        assert time.monotonic() - start >= 0.2
        entry = server.requests("esearch")[-1]
        assert (entry.method, entry.params["term"], entry.fault) == ("GET", "rest", "none")
        assert server.requests("efetch") == []


@pytest.mark.slow
def test_a_wrong_key_is_refused() -> None:
    with EutilsServer(ARTICLES, api_keys={"right"}) as server:
        assert esearch(server, term="rest", api_key="right").status_code == 200
        wrong = esearch(server, term="rest", api_key="wrong")
        assert (wrong.status_code, wrong.json()["error"]) == (400, "API key invalid")


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


def test_faults_that_do_not() -> None:
    with (
        EutilsServer(ARTICLES, faults=Faults(cut=1.0)) as server,
        pytest.raises(requests.RequestException),
    ):
        esearch(server, term="rest")
    with EutilsServer(ARTICLES, faults=Faults(hang=1.0)) as server, pytest.raises(requests.Timeout):
        requests.get(
            f"{server.url}esearch.fcgi", params={"db": "pubmed", "term": "rest"}, timeout=0.3
        )


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


def test_history_holds_hits_in_order_but_does_not_lift_the_window() -> None:
    with EutilsServer(ARTICLES, window=10) as server:
        first = esearch(
            server, term="rest", retmode="json", usehistory="y", sort="pub_date", retmax="0"
        ).json()["esearchresult"]
        assert first["querykey"] == "1"
        both = {"WebEnv": first["webenv"], "usehistory": "y", "retmode": "json"}
        second = esearch(server, term="#1 AND sleep", **both).json()["esearchresult"]
        assert (second["count"], second["querykey"], second["webenv"]) == (
            "0",
            "2",
            first["webenv"],
        )
        assert esearch(server, term="#1", **both).json()["esearchresult"]["count"] == "20"
        assert (
            "Unable to obtain"
            in esearch(server, term="#9", **both).json()["esearchresult"]["ERROR"]
        )

        def fetch(**params: str) -> requests.Response:
            where = {"db": "pubmed", "WebEnv": first["webenv"], "query_key": "1"}
            return requests.get(f"{server.url}efetch.fcgi", params={**where, **params}, timeout=30)

        assert [item.pmid for item in read_citations(fetch(retstart="8", retmax="5").content)] == [
            "23",
            "21",
        ]
        assert fetch(retstart="10").status_code == 400
        assert b"retstart" in fetch(retstart="10").content


def test_dates_as_parameters() -> None:
    dated = [
        replace(article, entered=date(2020, 1 + int(article.pmid or 0) % 12, 1))
        for article in ARTICLES
    ]
    with EutilsServer(dated) as server:

        def count(**params: str) -> str:
            return str(
                esearch(server, term="rest", retmode="json", **params).json()["esearchresult"][
                    "count"
                ]
            )

        assert count(datetype="edat", mindate="2020/02", maxdate="2020/02") == "4"
        assert count(datetype="edat", mindate="2020", maxdate="2020/02/01") == "4"
        assert count(datetype="edat", mindate="2021", maxdate="2025") == "0"
        assert count(datetype="pdat", mindate="1900", maxdate="2025") == "0"
        assert count(mindate="2021") == "20"


def test_links_one_to_one_or_mixed() -> None:
    cited = [
        replace(ARTICLES[0], references=("2", "900")),
        replace(ARTICLES[2], references=("2",)),
        *ARTICLES[3:],
    ]
    with EutilsServer(cited) as server:

        def elink(**params: str | list[str]) -> etree._Element:
            reply = requests.get(
                f"{server.url}elink.fcgi",
                params={"dbfrom": "pubmed", "db": "pubmed", **params},
                timeout=30,
            )
            return etree.fromstring(reply.content)

        apart = elink(id=["1", "3"], linkname="pubmed_pubmed_refs")
        assert [[node.text for node in one.iterfind(".//Link/Id")] for one in apart] == [
            ["2", "900"],
            ["2"],
        ]
        mixed = elink(id="1,3", linkname="pubmed_pubmed_refs")
        assert [[node.text for node in one.iterfind(".//Link/Id")] for one in mixed] == [
            ["2", "900"]
        ]
        assert [
            node.text
            for node in elink(id="3", linkname="pubmed_pubmed_citedin").iterfind(".//Link/Id")
        ] == []
        similar = elink(id="1", cmd="neighbor_score", linkname="pubmed_pubmed")
        assert similar.findtext("LinkSet/LinkSetDb/Link/Id") == "1"
        scores = [int(node.text or 0) for node in similar.iterfind(".//Score")]
        assert scores == sorted(scores, reverse=True)
        assert len(scores) > 5
        assert "Invalid db name" in (elink(id="1", dbfrom="gene").findtext("ERROR") or "")


def test_posting_with_and_without_errors() -> None:
    with EutilsServer(ARTICLES) as server:

        def epost(**data: str) -> etree._Element:
            return etree.fromstring(
                requests.post(
                    f"{server.url}epost.fcgi", data={"db": "pubmed", **data}, timeout=30
                ).content
            )

        assert epost(id="1,2").findtext("QueryKey") == "1"
        partly = epost(id="1,x,y")
        assert (len(partly.findall("ERROR")), partly.findtext("QueryKey")) == (2, "1")
        none = epost(id="x,y")
        assert (len(none.findall("ERROR")), none.findtext("QueryKey")) == (3, None)
        assert epost(db="nothing", id="1").findtext("ERROR") == "Invalid db name specified: nothing"


def test_summaries() -> None:
    with EutilsServer(ARTICLES) as server:
        reply = requests.get(
            f"{server.url}esummary.fcgi",
            params={"db": "pubmed", "id": "1,999", "retmode": "json"},
            timeout=30,
        )
    result = reply.json()["result"]
    assert result["uids"] == ["1", "999"]
    assert (result["1"]["title"], result["999"]["error"]) == ("Rest", "cannot get document summary")


def test_too_many_wildcards_look_like_an_outage() -> None:
    with EutilsServer(ARTICLES) as server:
        answer = esearch(server, term="rest* OR " * 257, retmode="json")
    assert (answer.status_code, answer.json()["esearchresult"]["ERROR"][:22]) == (
        200,
        "Search Backend failed:",
    )


def test_a_count_alone_strips_every_warning() -> None:
    scripted = {"rest": {"warninglist": {"quotedphrasesnotfound": ['"y"']}}}
    with EutilsServer(ARTICLES, scripted=scripted) as server:
        assert esearch(server, term="rest", retmode="json", rettype="count").json()[
            "esearchresult"
        ] == {"count": "20"}


def test_replies_of_ones_own_may_be_broken_off() -> None:
    with EutilsServer(ARTICLES) as server:
        for broken in ("cut", "reset"):
            server.queue(200, "x" * 1000, broken=broken)  # type: ignore[arg-type]
            with pytest.raises(requests.RequestException):
                esearch(server, term="rest")


def test_articles_that_come_while_it_runs_and_answers_that_were_throttled() -> None:
    with EutilsServer(ARTICLES, rate=2) as server:
        server.add([Article(id="pmid:900", pmid="900", title="Rest")])
        assert esearch(server, term="rest", retmode="json").json()["esearchresult"]["count"] == "21"
        assert (
            b"<PMID"
            in requests.get(f"{server.url}efetch.fcgi", params={"id": "900"}, timeout=30).content
        )
        assert esearch(server, term="rest").status_code == 429
        assert server.throttled == 1


def test_records_given_as_xml_are_sent_as_they_are() -> None:
    text = render_set(ARTICLES[:2]).replace(b"<Journal>", b'<Journal x="kept">')
    with EutilsServer(text) as server:
        assert esearch(server, term="rest", retmode="json").json()["esearchresult"]["count"] == "1"
        assert (
            b'x="kept"'
            in requests.get(f"{server.url}efetch.fcgi", params={"id": "1"}, timeout=30).content
        )


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
