"""The scripted Semantic Scholar behaves on the wire as the real one is documented and was recorded
to.
"""

from __future__ import annotations

from datetime import date

import pytest
import requests

from benchmarks.servers.faults import Faults
from benchmarks.servers.semantic_scholar import ScholarServer, paper_id, paper_of
from clinfo.records.articles import Article, DateInterval, Section

YEAR = DateInterval(date(2015, 1, 1), date(2015, 12, 31), "2015")
PAPERS = [
    paper_of(
        Article(
            f"pmid:{n}",
            f"Rest {n}",
            pmid=str(n),
            doi=f"10.1000/R{n}",
            sections=(Section("sleep " * n),),
            published=YEAR,
        ),
        **({"publicationDate": "2015-06-30"} if n == 3 else {}),
    )
    for n in range(1, 131)
]


def get(server: ScholarServer, path: str, **params: object) -> requests.Response:
    return requests.get(
        f"{server.url}{path}",
        params={name: str(value) for name, value in params.items()},
        timeout=30,
    )


def test_pages_of_a_search_by_relevance() -> None:
    with ScholarServer(PAPERS) as server:
        first = get(
            server, "paper/search", query="sleep rest", fields="externalIds", limit=100
        ).json()
        last = get(
            server, "paper/search", query="sleep rest", offset=first["next"], limit=100
        ).json()
        assert (first["total"], first["offset"], first["next"], len(first["data"])) == (
            130,
            0,
            100,
            100,
        )
        assert set(first["data"][0]) == {"paperId", "externalIds"}
        assert first["data"][0]["externalIds"]["PubMed"] == "130"
        assert ("next" in last, len(last["data"]), set(last["data"][0])) == (
            False,
            30,
            {"paperId", "title"},
        )
        assert get(server, "paper/search", query="sleep-rest").json() == {
            "total": 0,
            "offset": 0,
            "data": [],
        }
        assert get(server, "paper/search", query="sleep AND rest").json()["total"] == 0


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        ("2015", 130),
        ("2015:", 130),
        (":2014-12-31", 0),
        ("2015-01-01", 129),
        ("2015-06", 1),
        ("2015-02:2015-06", 1),
        (":2015-01-01", 129),
        ("2016:", 0),
        ("2014:2016", 130),
    ],
)
def test_dates_undated_papers_count_as_the_first_of_january(wanted: str, count: int) -> None:
    with ScholarServer(PAPERS) as server:
        assert (
            get(server, "paper/search", query="sleep", publicationDateOrYear=wanted).json()["total"]
            == count
        )


def test_a_batch_keeps_its_order_with_null_for_what_is_unknown() -> None:
    with ScholarServer(PAPERS) as server:

        def batch(ids: list[str]) -> requests.Response:
            return requests.post(
                f"{server.url}paper/batch",
                params={"fields": "title"},
                json={"ids": ids},
                timeout=30,
            )

        found = batch(["PMID:7", "PMID:999", "DOI:10.1000/r8", paper_id("pmid:9")]).json()
        assert [one and one["title"] for one in found] == ["Rest 7", None, "Rest 8", "Rest 9"]
        nothing = batch(["PMID:999"])
        assert (nothing.status_code, nothing.json()) == (400, {"error": "No valid paper ids given"})
        assert batch(["PMID:1"] * 501).status_code == 400


def test_links_and_recommendations() -> None:
    one, two = paper_id("pmid:1"), paper_id("pmid:2")
    with ScholarServer(PAPERS, cites={one: [two]}, recommends={one: [two]}) as server:
        references = get(server, "paper/PMID:1/references", fields="externalIds").json()
        assert [entry["citedPaper"]["paperId"] for entry in references["data"]] == [two]
        citations = get(server, "paper/DOI:10.1000/R2/citations").json()
        assert [entry["citingPaper"]["paperId"] for entry in citations["data"]] == [one]
        near = requests.get(
            server.url.replace("graph", "recommendations") + "papers/forpaper/PMID:1", timeout=30
        ).json()
        assert [entry["paperId"] for entry in near["recommendedPapers"]] == [two]
        unknown = get(server, "paper/PMID:999/citations")
        assert (unknown.status_code, unknown.json()) == (
            404,
            {"error": "Paper with id PMID:999 not found"},
        )


def test_refusals() -> None:
    with ScholarServer(PAPERS, api_keys=["right"], faults=Faults()) as server:
        assert (
            get(server, "paper/search", query="x").status_code,
            get(server, "paper/search", query="x").json(),
        ) == (
            403,
            {"message": "Forbidden"},
        )
    with ScholarServer(PAPERS, faults=Faults(rate_429=1)) as server:
        refused = get(server, "paper/search", query="x")
        assert (refused.status_code, refused.json()["code"], "Retry-After" in refused.headers) == (
            429,
            "429",
            False,
        )
    with ScholarServer(PAPERS) as server:
        assert "error" in get(server, "paper/search", query="x", fields="abstrct").json()
        assert get(server, "paper/search", query="x", limit=101).status_code == 400
        assert "not available" in get(server, "paper/search", query="x", offset=950).json()["error"]


def test_the_rate_is_kept_to() -> None:
    with ScholarServer(PAPERS, rate=2) as server:
        statuses = [get(server, "paper/search", query="x").status_code for _ in range(4)]
    assert statuses == [200, 200, 429, 429]
    assert server.throttled == 2
