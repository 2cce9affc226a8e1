"""The scripted Semantic Scholar behaves on the wire as the real one is documented and was recorded
to.
"""

from __future__ import annotations

from datetime import date

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
