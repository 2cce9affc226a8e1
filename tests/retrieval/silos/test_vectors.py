"""Silos searched by meaning: vectors in SQLite, and on a Qdrant server (its client in memory)."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from benchmarks.servers.scripted import Reply, ScriptedServer
from clinfo.errors import SourceError
from clinfo.retrieval.embedders import unit
from clinfo.retrieval.silos import SiloDocument
from clinfo.retrieval.silos.qdrant import QdrantVectors
from clinfo.retrieval.silos.staged import FILE_NAME, About, Staged
from clinfo.retrieval.silos.store import StoredSilos, open_silos

if TYPE_CHECKING:
    from clinfo.retrieval.embedders import Vectors

SAME = {"infarction": "attack", "myocardial": "heart"}
TEXTS = {
    "1": "Heart attack last night.",
    "2": "Sleeps well after aspirin.",
    "3": "Aspirin stopped, heart rate normal.",
    "4": "Heart attack, aspirin given.",
    "5": "Skin cream twice a day.",
}


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


def staged(path: Path | None = None, texts: dict[str, str] = TEXTS) -> Staged:
    made = Staged(path)
    documents = [SiloDocument("notes", id, "", text, {}, {}) for id, text in texts.items()]
    made.stage("notes", About(), "file", "", documents)
    return made


@pytest.fixture(params=["here", "qdrant"])
def opened(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[StoredSilos, ByWord]:
    embedder, server = ByWord(), None
    if request.param == "qdrant":
        client = pytest.importorskip("qdrant_client").QdrantClient(":memory:")
        monkeypatch.setattr(QdrantVectors, "client", lambda url, key: client)
        server = "http://q:6333/", None
    silos = StoredSilos(staged(tmp_path / FILE_NAME), embedder, server)
    silos.index_pending("notes")
    return silos, embedder


def found(silos: StoredSilos, query: str, most: int = 10) -> list[str]:
    return [hit.document.id for hit in silos.search("notes", query, top_k=most)]


def test_only_what_is_new_is_embedded(opened: tuple[StoredSilos, ByWord]) -> None:
    silos, embedder = opened
    asked = len(embedder.asked)
    changed = {**TEXTS, "1": "Skin rash.", "6": "Myocardial infarction."}
    del changed["4"]
    documents = [SiloDocument("notes", id, "", text, {}, {}) for id, text in changed.items()]
    silos.staged.stage("notes", About(), "file", "", documents)
    assert silos.about("notes")["unfinished"] == 2
    silos.index_pending("notes")
    assert embedder.asked[asked:] == ["Skin rash.", "Myocardial infarction."]
    assert found(silos, "heart attack", 1)[0] in ("3", "6")
    assert "4" not in found(silos, "infarction")
    assert found(silos, "infarction", 1)[0] == "6"


def test_vectors_of_another_embedder_are_not_compared_and_made_anew(tmp_path: Path) -> None:
    first, other = ByWord(), ByWord("another")
    StoredSilos(staged(tmp_path / FILE_NAME), first).index_pending("notes")
    silos = open_silos(tmp_path, other)
    assert found(silos, "infarction") == []
    assert other.asked == []
    silos.index_pending("notes")
    assert found(silos, "myocardial infarction", 2) == ["1", "4"]
    open_silos(tmp_path).index_pending("notes")
    assert found(open_silos(tmp_path, other), "infarction") == []


@pytest.mark.parametrize(("status", "retryable"), [(503, True), (403, False), (None, True)])
def test_a_server_that_fails_is_told_by_whether_it_may_answer_later(
    status: int | None, retryable: bool
) -> None:
    pytest.importorskip("qdrant_client")

    with ScriptedServer(lambda _: Reply(status or 500, b"")) as server:
        address = server.url
        if status is None:  # nobody listens
            server.__exit__()
        silos = StoredSilos(staged(), ByWord(), (address, None))
        with pytest.raises(SourceError) as caught:
            silos.index_pending("notes")
    assert caught.value.retryable == retryable
