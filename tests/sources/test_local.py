"""The local index as an article source."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from clinfo.errors import QueryRejected, SourceError
from clinfo.pubmed.index import LocalIndex, build
from clinfo.records.articles import SearchRequest, SearchResult
from clinfo.sources.local import Local
from clinfo.sources.registry import LinkedSource
from tests.pubmed.index_files import citation, write

pytest.importorskip("tantivy")


class Noon:
    def now(self) -> datetime:
        return datetime(2026, 5, 1, 12, tzinfo=UTC)

    def monotonic(self) -> float:
        return 0.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("local")
    records = [
        citation(
            1,
            "Aspirin after stroke",
            ("Aspirin lowered the risk of stroke.",),
            year="2010",
            cites=(2, 77),
        ),
        citation(2, "Aspirin in pregnancy", ("Preeclampsia was rarer.",), year="2020"),
        citation(
            3, "Stroke and aspirin again", ("Risk of stroke with aspirin.",), year=None, cites=(1,)
        ),
        citation(4, "Yoga", ("Back pain.",), year="2021"),
    ]
    build(
        [write(place / "a.xml", records)],
        place / "index",
        now=lambda: datetime(2026, 3, 1, tzinfo=UTC),
    )
    return place / "index"


@pytest.fixture
def source(folder: Path) -> Local:
    return Local(LocalIndex.open(folder), clock=Noon())


def search(source: Local, query: str, limit: int = 10, **fields: object) -> SearchResult:
    return asyncio.run(source.search(SearchRequest(query, limit, **fields)))  # type: ignore[arg-type]


def test_it_is_a_linked_source_that_says_which_index_it_is(source: Local) -> None:
    linked: LinkedSource = source
    assert (linked.name, linked.remote, linked.query_prompt) == ("local", False, "question2query")
    assert source.notices[0] == "Searched: 4 PubMed articles held here, to 1 Mar 2026."
    assert source.address == "index index, version 1 of 2026-03-01, 4 citations"


def test_a_search_tells_what_it_did(source: Local) -> None:
    found = search(source, "aspirin[tiab] AND stroke[tiab]")
    assert (set(found.ids), found.count, found.sort, found.outcome) == (
        {"pmid:1", "pmid:3"},
        2,
        "relevance",
        "complete",
    )
    assert found.sent_at == "2026-05-01T12:00:00+00:00"
    assert found.translation == '"aspirin"[Title/Abstract] AND "stroke"[Title/Abstract]'
    partly = search(source, "aspirin[tiab] OR garmin[tiab]", 1)
    assert (len(partly.ids), partly.count, partly.outcome) == (1, 3, "partly dropped")
    assert [one for one in partly.dropped if "garmin" in one]
    assert any("garmin" in warning for warning in partly.warnings)
    assert search(source, "garmin[tiab]").outcome == "zero"


def test_records_come_by_id_and_missing_ones_are_named(source: Local) -> None:
    fetched = asyncio.run(source.fetch(["pmid:4", "pmid:77", "doi:10.1/x", "pmid:1", "pmid:4"]))
    assert [article.title for article in fetched.articles] == ["Yoga", "Aspirin after stroke"]
    assert fetched.missing == ("pmid:77", "doi:10.1/x")


def test_links(source: Local) -> None:
    related = asyncio.run(source.related("pmid:1", 5))
    assert related.similar[0] == "pmid:3"
    assert (related.citing, related.cited) == (("pmid:3",), ("pmid:2",))
    assert asyncio.run(source.related("doi:10.1/x", 5)).similar == ()


def test_headings_are_checked_against_the_mesh_of_the_index(tmp_path: Path) -> None:
    from clinfo.settings import Settings
    from clinfo.sources.registry import article_source

    table = tmp_path / "mesh.jsonl"
    table.write_text(
        '{"ui": "D001241", "heading": "Aspirin", "entry_terms": ["Acetylsalicylic Acid"], '
        '"tree_numbers": []}\n'
    )
    build([write(tmp_path / "a.xml", [citation(1, "Aspirin", ())])], tmp_path / "index", mesh=table)
    settings = Settings(index_dir=tmp_path / "index", data_dir=tmp_path / "nothing", cache="off")
    match = article_source(settings, "local", None).mesh.match("acetylsalicylic acid")  # type: ignore[attr-defined]
    assert match.kind == "entry term"
    assert match.descriptor is not None
    assert match.descriptor.heading == "Aspirin"


def test_what_cannot_be_answered_is_a_source_error(folder: Path, source: Local) -> None:
    with pytest.raises(QueryRejected):
        search(source, " OR ".join(f"word{number}*[ti]" for number in range(300)))
    records = folder / "records.sqlite"
    whole = records.read_bytes()
    records.write_bytes(b"x" * len(whole))
    try:
        with pytest.raises(SourceError, match="the local index"):
            asyncio.run(source.fetch(["pmid:1"]))
    finally:
        records.write_bytes(whole)
