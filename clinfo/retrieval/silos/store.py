"""Silos that are loaded, and the built-in examples where none is: searched by words, and by meaning
with an embedder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clinfo.errors import RecordError
from clinfo.retrieval.fusion import fused
from clinfo.retrieval.silos import SiloDocument, SiloHit
from clinfo.retrieval.silos.demo import stage_demo
from clinfo.retrieval.silos.passages import Piece, brought
from clinfo.retrieval.silos.staged import FILE_NAME, Staged, known
from clinfo.retrieval.silos.vectors import SiloVectors

if TYPE_CHECKING:
    from clinfo.retrieval.embedders import Embedder
    from clinfo.settings import Settings

_SAME = 4
"""Passages of one document that may stand above another document's best, at most, on average."""


class StoredSilos:
    """Silos that are loaded; vectors lie beside the passages, or on a Qdrant server.

    To be used from any number of threads. Raises RecordError, UsageError, SourceError.
    """

    def __init__(
        self,
        staged: Staged,
        embedder: Embedder | None = None,
        qdrant: tuple[str, str | None] | None = None,
    ) -> None:
        self.staged = staged
        self._vectors: SiloVectors | None = None
        if embedder is not None and qdrant is not None:
            from clinfo.retrieval.silos.qdrant import QdrantVectors

            self._vectors = QdrantVectors(staged, embedder, QdrantVectors.client(*qdrant))
        elif embedder is not None:
            self._vectors = SiloVectors(staged, embedder)

    def close(self) -> None:
        """Close the files."""
        self.staged.close()

    def names(self) -> Sequence[str]:
        """The silos there are, sorted."""
        return self.staged.names()

    def about(self, silo: str) -> Mapping[str, Any]:
        """Title, licence, date, version, source and number of documents of a silo, how many of them
        have no vector since a load was broken off.
        """
        known(self.names(), silo)
        about = self.staged.about(silo)
        return {
            "title": about.title or silo,
            "licence": about.licence,
            "date": about.date,
            "version": about.version,
            "source": about.source,
            "documents": self.staged.count(silo),
            "unfinished": self.staged.unfinished(silo) if self.staged.embedder(silo) else 0,
        }

    def document(self, silo: str, id: str) -> SiloDocument | None:
        """One document."""
        return self.staged.document(silo, id)

    def documents(self, silo: str) -> Sequence[SiloDocument]:
        """All documents of a silo in the order of their ids."""
        return self.staged.documents(silo)

    def search(
        self, silo: str, query: str, *, top_k: int = 10, sparse_k: int = 20
    ) -> Sequence[SiloHit]:
        """The hits of one silo, best first: ``sparse_k`` documents by words and, with an embedder,
        ``top_k`` by meaning, fused by rank, each with its best passage.
        """
        known(self.names(), silo)
        rankings = [(self.staged.by_words(silo, query, sparse_k * _SAME), sparse_k)]
        if self._vectors is not None and top_k:
            if not self.staged.kept:  # the examples get theirs when they are first searched
                self._vectors.complete(silo)
            rankings.append((self._vectors.nearest(silo, query, top_k * _SAME), top_k))
        best: dict[str, Piece] = {}
        for one in chain.from_iterable(found for found, _ in rankings):
            best.setdefault(one.document, one.piece)
        hits: list[SiloHit] = []
        by_search = ([*dict.fromkeys(one.document for one in own)][:k] for own, k in rankings)
        for id, score in fused(by_search).items():
            if (document := self.staged.document(silo, id)) is not None:
                hits.append(brought(document, best[id], score, query))
        return hits

    def index_pending(self, silo: str) -> None:
        """Have vectors made of what has none, by the embedder; those of another are given up."""
        if self._vectors is not None:
            self._vectors.complete(silo)
        elif self.staged.embedder(silo):
            self.staged.reembed(silo, "")


def silos_folder(settings: Settings) -> Path:
    """Return where the silos of this machine lie."""
    return settings.data_dir / "silos"


def open_silos(
    folder: Path,
    embedder: Embedder | None = None,
    qdrant: tuple[str, str | None] | None = None,
) -> StoredSilos:
    """The silos of a folder; the built-in examples where nothing is loaded into it. ``qdrant`` is
    address and key of the server that holds their vectors.
    """
    path = folder / FILE_NAME
    if path.is_file():
        staged = Staged(path)
        if staged.names():
            return StoredSilos(staged, embedder, qdrant)
        staged.close()
    staged = Staged(None)
    stage_demo(staged)
    return StoredSilos(staged, embedder)


def open_silos_of(settings: Settings) -> StoredSilos:
    """The silos of this machine, with the embedder and the server that its settings name."""
    return open_silos(silos_folder(settings), *_searched_with(settings))


def _searched_with(
    settings: Settings,
) -> tuple[Embedder | None, tuple[str, str | None] | None]:
    """The embedder that silos are loaded and searched with, where one is set (wordllama's vectors
    found less evidence than words alone, `benchmarks.copilot`), and address and key of the server
    of their vectors.
    """
    from clinfo.retrieval.embedders import embedder_named

    url, key = settings.qdrant_url, settings.qdrant_api_key
    embedder = embedder_named(settings.embedder) if settings.embedder else None
    server = None if url is None else (url, key.get_secret_value() if key is not None else None)
    return embedder, server


@contextmanager
def loaded_silos(settings: Settings) -> Iterator[StoredSilos]:
    """The silos of this machine, to load into."""
    from clinfo.files import file_errors

    folder = silos_folder(settings)
    with file_errors(f"the folder {folder} cannot be made", RecordError):
        folder.mkdir(parents=True, exist_ok=True)
    silos = StoredSilos(Staged(folder / FILE_NAME), *_searched_with(settings))
    try:
        yield silos
    finally:
        silos.close()
