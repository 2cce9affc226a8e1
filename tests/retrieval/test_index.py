"""The hybrid index by the same tests: in memory, in a folder, in Qdrant's local mode, and in
Qdrant's own engine where it is installed.
"""

from __future__ import annotations

import asyncio
import threading
import zlib
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from clinfo.errors import RecordError, SourceError, UsageError
from clinfo.retrieval.chunking import by_section
from clinfo.retrieval.embedders import unit
from clinfo.retrieval.index import Filed, Index, Only, days, filed
from clinfo.retrieval.index import dense as dense_module
from clinfo.retrieval.index.dense import DenseIndex
from clinfo.retrieval.index.fusion import BM25, HYBRID, Fusion, fused
from clinfo.retrieval.index.local import LocalIndex, updated
from clinfo.retrieval.index.qdrant import QdrantIndex
from clinfo.retrieval.readers.plain import of_text
from clinfo.retrieval.steps import Step, recall
from tests.retrieval.qdrant_engine import Engine

if TYPE_CHECKING:
    from clinfo.retrieval.embedders import Vectors

DENSE = Fusion(0.0, 1.0)
QDRANT = ("qdrant", "engine")
SAME = {"infarction": "attack", "myocardial": "heart"}


class ByWord:
    """Vectors of the words that a text holds, in which synonyms are one word."""

    remote = False

    def __init__(self, name: str = "by word") -> None:
        self.name = name
        self.asked: list[str] = []

    async def vectors(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        made = np.zeros((len(texts), 64), np.float32)
        for row, text in zip(made, texts, strict=True):
            for word in text.lower().replace(".", "").split():
                row[zlib.crc32(SAME.get(word, word).encode()) % 64] += 1
        return unit(made)


def note(number: int, text: str, **fields: str) -> list[Filed]:
    document = of_text(text, f"note:{number}")
    return filed(document, by_section(document), **fields)


NOTES = [
    *note(1, "Heart attack last night.", patient="ann", visit="1", date="2020-03-01"),
    *note(2, "Sleeps well after aspirin.", patient="ann", visit="2", date="2020-05"),
    *note(3, "Aspirin stopped, heart rate normal.", patient="ann", visit="2", date=""),
    *note(4, "Heart attack, aspirin given.", patient="bob", visit="1", date="2020-03-02"),
    *note(5, "Skin cream twice a day.", patient="bob", visit="3", date="2021"),
]


def qdrant(kind: str, folder: Path) -> Any:
    """A client of a Qdrant without collections."""
    client = pytest.importorskip("qdrant_client").QdrantClient(":memory:")
    if kind == "qdrant":
        return client
    return Engine(pytest.importorskip("qdrant_edge"), folder)


def made(kind: str, folder: Path, embedder: ByWord | None) -> Index:
    async def run() -> Index:
        if kind in QDRANT:
            index = QdrantIndex(qdrant(kind, folder), "notes", embedder)
            await index.add(NOTES)
            return index
        index = await LocalIndex.of(NOTES, embedder)
        if kind == "folder":
            index.save(folder / "index")
            return LocalIndex.opened(folder / "index", embedder)
        return index

    return asyncio.run(run())


@pytest.fixture(params=["memory", "folder", *QDRANT])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Index:
    return made(request.param, tmp_path, ByWord())


def found(index: Index, text: str, *arguments: Any, **named: Any) -> list[str]:
    hits = asyncio.run(index.search(text, *arguments, **named))
    return [hit.passage.document.removeprefix("note:") for hit in hits]


def test_words_find_words_and_meaning_finds_other_words(index: Index) -> None:
    assert len(index) == 5
    assert found(index, "myocardial infarction") == []
    assert found(index, "myocardial infarction", 2, fusion=DENSE) == ["1", "4"]
    assert found(index, "aspirin stopped", 1) == ["3"]
    assert set(found(index, "aspirin infarction", 3, fusion=Fusion(1.0, 1.0))) == {"2", "3", "4"}
    assert found(index, "", fusion=HYBRID) == []


@pytest.mark.parametrize("fusion", [BM25, DENSE, HYBRID])
def test_what_is_not_let_through_is_not_ranked(index: Index, fusion: Fusion) -> None:
    def only(**fields: str) -> Only:
        return Only({name: tuple(values.split()) for name, values in fields.items()})

    query = "heart attack aspirin skin"
    assert set(found(index, query, 5, only(patient="bob"), fusion)) == {"4", "5"}
    assert set(found(index, query, 5, only(patient="ann", visit="2 3"), fusion)) == {"2", "3"}
    assert found(index, query, 1, only(patient="bob", visit="3"), fusion) == ["5"]
    for nobody in (only(patient="eve"), only(doctor="who"), only(patient="")):
        assert found(index, query, 5, nobody, fusion) == []


def test_dates_known_in_part_count_where_they_may_lie_within(index: Index) -> None:
    def within(since: str, until: str) -> set[str]:
        query = "heart attack aspirin skin"
        return set(found(index, query, 5, Only(since=since, until=until)))

    assert within("2020-03-02", "") == {"2", "4", "5"}
    assert within("", "2020-03-01") == {"1"}
    assert within("2020-05-20", "2020-05-21") == {"2"}
    assert within("2020-05", "2020") == {"2"}
    assert within("2021-07", "2021-07") == {"5"}
    assert within("", "") == {"1", "2", "3", "4", "5"}


def test_each_step_tells_what_it_was_given_and_kept(index: Index) -> None:
    steps: list[Step] = []
    only = Only({"patient": ("ann",)})
    asyncio.run(index.search("heart attack", 1, only, HYBRID, steps.append))
    ids = {item.passage.document: item.passage.id for item in NOTES}
    kept = {step.name: set(step.kept) for step in steps}
    ann = {ids[f"note:{number}"] for number in (1, 2, 3)}
    assert list(kept) == ["filter", "sparse", "dense", "fuse"]
    assert set(steps[0].given) == set(ids.values())
    assert kept["filter"] == kept["dense"] == set(steps[1].given) == ann
    assert kept["sparse"] == {ids["note:1"], ids["note:3"]}
    assert steps[-1].kept == (ids["note:1"],)
    assert recall(steps, {ids["note:1"], ids["note:3"]}) == {
        "filter": 1.0,
        "sparse": 1.0,
        "dense": 1.0,
        "fuse": 0.5,
    }


def test_a_search_by_meaning_needs_an_embedder(tmp_path: Path) -> None:
    index = made("memory", tmp_path, None)
    assert found(index, "skin") == ["5"]
    with pytest.raises(UsageError):
        found(index, "skin", fusion=HYBRID)


def test_hits_carry_the_passage_its_fields_and_ranks(index: Index) -> None:
    (hit,) = asyncio.run(index.search("skin cream", 1, fusion=Fusion(1.0, 1.0)))
    assert hit.passage == NOTES[4].passage
    assert hit.fields == NOTES[4].fields
    assert hit.ranks == {"sparse": 1, "dense": 1}
    assert hit.score == pytest.approx(2 / 61)


def test_a_folder_is_changed_without_asking_again_for_what_stays(tmp_path: Path) -> None:
    folder, embedder = tmp_path / "index", ByWord()

    async def run() -> None:
        await updated(folder, NOTES[:3], embedder=embedder)
        reader = LocalIndex.opened(folder, embedder)
        await updated(folder, note(3, "Aspirin again.", patient="ann"), embedder=embedder)
        assert [hit.passage.text for hit in await reader.search("stopped")] == [
            NOTES[2].passage.text
        ]  # a reader keeps what it opened
        after = LocalIndex.opened(folder, embedder)
        assert await after.search("stopped") == ()
        assert len(after) == 3
        assert len(embedder.asked) == 4
        gone = await updated(folder, without=Only({"visit": ("1", "2")}), embedder=embedder)
        assert len(gone) == 1
        left = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
        assert b"last night" not in left
        assert b"Aspirin again" in left

    asyncio.run(run())


def test_notes_of_one_name_of_two_patients_are_two(tmp_path: Path) -> None:
    async def run() -> None:
        folder = tmp_path / "index"
        await updated(folder, note(1, "Aspirin for ann.", subject="ann"))
        after = await updated(folder, note(1, "Aspirin for bob.", subject="bob"))
        assert len(after) == 2

    asyncio.run(run())


def test_readers_see_one_generation_while_another_is_written(tmp_path: Path) -> None:
    folder, seen = tmp_path / "index", []
    asyncio.run(updated(folder, NOTES, embedder=ByWord()))
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            index = LocalIndex.opened(folder, ByWord())
            seen.append((len(index), len(found(index, "aspirin", fusion=DENSE))))

    thread = threading.Thread(target=read)
    thread.start()
    try:
        for number in range(30):
            gone = Only({"patient": ("bob",)}) if number % 2 else None
            new = () if number % 2 else NOTES[3:]
            asyncio.run(updated(folder, new, gone, ByWord()))
    finally:
        stop.set()
        thread.join()
    assert set(seen) == {(3, 3), (5, 5)}


def test_what_was_made_otherwise_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    with pytest.raises(RecordError):
        LocalIndex.opened(folder)
    asyncio.run(updated(folder, NOTES, embedder=ByWord()))
    with pytest.raises(UsageError):
        LocalIndex.opened(folder, ByWord("another"))
    with pytest.raises(UsageError):
        asyncio.run(updated(folder, NOTES[:1]))
    assert found(LocalIndex.opened(folder), "skin") == ["5"]
    about = next(folder.glob("*/about.json"))
    about.write_text(about.read_text().replace('"form":1', '"form":0'))
    with pytest.raises(RecordError):
        LocalIndex.opened(folder)
    about.unlink()
    with pytest.raises(RecordError):
        LocalIndex.opened(folder)


@pytest.mark.parametrize("kind", QDRANT)
def test_a_collection_of_another_embedder_is_refused(kind: str, tmp_path: Path) -> None:
    client = qdrant(kind, tmp_path)
    asyncio.run(QdrantIndex(client, "notes", ByWord()).add(NOTES[:2]))
    with pytest.raises(UsageError):
        asyncio.run(QdrantIndex(client, "notes", ByWord("another")).add(NOTES[2:]))
    assert found(QdrantIndex(client, "other", ByWord()), "aspirin", fusion=HYBRID) == []


@pytest.mark.parametrize("kind", QDRANT)
def test_a_collection_loses_what_is_removed(kind: str, tmp_path: Path) -> None:
    client = qdrant(kind, tmp_path)
    index = QdrantIndex(client, "notes", ByWord())
    asyncio.run(index.add([*NOTES, *NOTES]))
    asyncio.run(index.remove(Only({"patient": ("ann",)})))
    assert (len(index), found(index, "heart")) == (2, ["4"])


@pytest.mark.parametrize("kind", ["local", *QDRANT])
def test_an_empty_collection_finds_nothing(kind: str, tmp_path: Path) -> None:
    if kind in QDRANT:
        index: Index = QdrantIndex(qdrant(kind, tmp_path), "none", ByWord())
    else:
        asyncio.run(updated(tmp_path / "index", embedder=ByWord()))
        index = LocalIndex.opened(tmp_path / "index", ByWord())
    assert (len(index), found(index, "heart", fusion=HYBRID)) == (0, [])


def test_the_graph_finds_what_the_exact_search_does(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("usearch")
    draws = np.random.default_rng(1)
    vectors = unit(draws.normal(size=(3000, 32)))
    exact = DenseIndex.built(vectors)
    monkeypatch.setattr(dense_module, "EXACT", 100)
    graph = DenseIndex.built(vectors)
    graph.save(tmp_path)
    graph = DenseIndex.opened(tmp_path)
    some = np.flatnonzero(draws.random(3000) < 0.2)
    few = some[:80]
    for allowed, least in ((None, 0.95), (some, 0.95), (few, 1.0)):
        same = [
            len({*graph.nearest(query, 10, allowed)} & {*exact.nearest(query, 10, allowed)})
            for query in vectors[:50]
        ]
        assert sum(same) / 500 >= least
        if allowed is not None:
            assert {*graph.nearest(vectors[0], 10, allowed)} <= set(allowed.tolist())


def test_rankings_are_fused_by_weight() -> None:
    rankings = {"sparse": ["a", "b", "c"], "dense": ["c", "b", "d"]}
    equal = [key for key, _ in fused(rankings, Fusion(1.0, 1.0))]
    assert equal == ["c", "b", "a", "d"]
    assert [key for key, _ in fused(rankings, Fusion(1.0, 0.01))] == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("date", "first", "last"),
    [
        ("2020", 20200101, 20201231),
        ("2020-02", 20200201, 20200231),
        ("2020-02-03T10:00", 20200203, 20200203),
        ("", 0, 0),
        ("in May", 0, 0),
    ],
)
def test_a_date_in_part_is_a_range_of_days(date: str, first: int, last: int) -> None:
    assert days(date) == (first, last)


@pytest.mark.parametrize(("status", "retryable"), [(503, True), (403, False), (None, True)])
def test_a_server_that_fails_is_told_by_whether_it_may_answer_later(
    status: int | None, retryable: bool
) -> None:
    pytest.importorskip("qdrant_client")

    class Refuses(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status or 500)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:
            """Nothing."""

    server = HTTPServer(("127.0.0.1", 0), Refuses)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        if status is None:  # nobody listens
            server.server_close()
        index = QdrantIndex.at(f"http://127.0.0.1:{server.server_address[1]}", "notes")
        with pytest.raises(SourceError) as caught:
            found(index, "heart")
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert caught.value.retryable == retryable
