"""What ELink and EPost answer, and PubMed as a source that knows what is linked to an article."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.servers.eutils import EutilsServer
from clinfo.cache import Cache
from clinfo.errors import QueryRejected, SourceUnavailable
from clinfo.records.articles import Article, Related
from clinfo.sources.entrez import Eutils
from clinfo.sources.pubmed import PubMed
from clinfo.sources.registry import LinkedSource
from clinfo.sources.replies import read_links
from tests.pubmedrs.build.servers import Front
from tests.shared_data import SHARED, needs_shared

TITLES = (
    "Sleep and rest in adults",
    "Sleep in adults",
    "Rest in adults",
    "Zinc for colds",
    "Sleep and rest in children",
)
ARTICLES = [
    Article(id=f"pmid:{number}", pmid=str(number), title=title)
    for number, title in enumerate(TITLES, 1)
]
ARTICLES[0] = replace(ARTICLES[0], references=("4", "2", "900", "2"))
ARTICLES[2] = replace(ARTICLES[2], references=("1",))
ARTICLES[4] = replace(ARTICLES[4], references=("1", "4"))
TABLE = "<eLinkResult><ERROR>Query failed: the BLOB address table is empty</ERROR></eLinkResult>"


def related(source: PubMed, id: str, limit: int = 10, fresh: bool = False) -> Related:
    return asyncio.run(source.related(id, limit, fresh))


def test_similar_citing_and_cited_articles() -> None:
    with EutilsServer(ARTICLES) as server:
        source: LinkedSource = PubMed(server.url)
        found = asyncio.run(source.related("pmid:1", 10))
        asked = {entry.params["linkname"]: entry.params for entry in server.requests("elink")}
    assert "pmid:1" not in found.similar
    assert set(found.similar) == {"pmid:2", "pmid:3", "pmid:5"}
    assert found.citing == ("pmid:5", "pmid:3")
    assert found.cited == ("pmid:900", "pmid:4", "pmid:2")
    assert asked["pubmed_pubmed"]["cmd"] == "neighbor_score"
    assert asked["pubmed_pubmed_citedin"]["cmd"] == asked["pubmed_pubmed_refs"]["cmd"] == "neighbor"


def test_no_more_than_the_limit_and_nothing_for_what_pubmed_cannot_know() -> None:
    with EutilsServer(ARTICLES) as server:
        source = PubMed(server.url)
        every = related(source, "pmid:1")
        first = Related(every.similar[:1], ("pmid:5",), ("pmid:900",))
        assert related(source, "pmid:1", 1) == first
        asked = len(server.log)
        assert related(source, "pmid:777") == Related()
        for id in ("doi:10.1/x", "s2:abc", "pmid:", "pmid:x", "pmid:٣"):
            assert related(source, id) == Related()
        assert related(source, "pmid:1", 0) == Related()
        assert len(server.log) == asked + 3


def test_errors_that_pass_are_asked_about_again_and_others_told() -> None:
    with EutilsServer(ARTICLES) as server:
        server.queue(200, TABLE)
        server.queue(200, "<eLinkResult><LinkSet><DbFrom>pubmed</DbFrom>")
        assert related(PubMed(server.url), "pmid:3").cited == ("pmid:1",)
        assert len(server.log) == 5
        server.queue(
            200, "<eLinkResult><LinkSet><ERROR>Invalid linkname</ERROR></LinkSet></eLinkResult>"
        )
        with pytest.raises(QueryRejected, match="Invalid linkname"):
            related(PubMed(server.url), "pmid:3")


def test_an_id_that_the_answer_leaves_out_is_no_id_without_links(tmp_path: Path) -> None:
    with Front("http://127.0.0.1:9/", links={"1": ["2"], "7": None}) as front:
        with pytest.raises(SourceUnavailable, match="sent no links for 1 of the 2 ids asked"):
            Eutils(front.url).elink(["1", "7"], "pubmed_pubmed_refs")
        source = PubMed(front.url, cache=Cache(tmp_path / "cache.sqlite"))
        for _ in range(2):  # nothing was kept
            with pytest.raises(SourceUnavailable, match="sent no links"):
                related(source, "pmid:7")


def links(*sets: str) -> bytes:
    return f"<?xml version='1.0'?><eLinkResult>{''.join(sets)}</eLinkResult>".encode()


@needs_shared
def test_answers_as_recorded_from_ncbi() -> None:
    folder = SHARED / "eutils"
    ((asked, found),) = read_links((folder / "elink1.xml").read_bytes(), "pubmed_pubmed").items()
    assert (asked, found[:3]) == ("9298984", ("9298984", "8794856", "9700164"))
    assert len(set(found)) == len(found) > 100
