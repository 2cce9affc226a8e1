"""Silos in a folder: the staged copy, and an index a silo; the built-in examples where none is
loaded.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any

from clinfo.errors import RecordError, UsageError
from clinfo.retrieval.index import Filed, Hit, Index, Only
from clinfo.retrieval.index.fusion import Fusion, fused
from clinfo.retrieval.index.local import LocalIndex, updated
from clinfo.retrieval.silos import SiloDocument, SiloHit
from clinfo.retrieval.silos.passages import brought, filed
from clinfo.retrieval.silos.staged import FILE_NAME, Staged, known

if TYPE_CHECKING:
    from clinfo.retrieval.embedders import Embedder
    from clinfo.settings import Settings

READER_WAITS = 10.0
"""Seconds that a search waits for a process that loads, where there is no index yet."""
_SAME = 4
"""Passages of one document that may stand above another document's best, at most, on average."""


class StoredSilos:
    """Silos that are loaded into a folder; the passages' indexes lie beside the staged copy, or on
    a Qdrant server.

    To be used from any number of threads. Raises RecordError, UsageError, SourceError.
    """

    def __init__(
        self,
        staged: Staged,
        folder: Path | None = None,
        embedder: Embedder | None = None,
        qdrant: tuple[str, str | None] | None = None,
    ) -> None:
        self.staged = staged
        self.folder = folder
        self._embedder = embedder
        self._qdrant = qdrant
        self._lock = threading.Lock()
        self._opened: dict[str, tuple[object, Index]] = {}

    def close(self) -> None:
        """Close the files."""
        self.staged.close()

    def names(self) -> Sequence[str]:
        """The silos there are, sorted."""
        return self.staged.names()

    def about(self, silo: str) -> Mapping[str, Any]:
        """Title, licence, date, version, source and number of documents of a silo, how many of them
        no index holds since a load was broken off, and a warning where it is old.
        """
        known(self.names(), silo)
        about = self.staged.about(silo)
        day = datetime.now(UTC).date()
        return {
            "title": about.title or silo,
            "licence": about.licence,
            "date": about.date,
            "version": about.version,
            "source": about.source,
            "documents": self.staged.count(silo),
            "unfinished": 0 if self.folder is None else self.staged.unfinished(silo),
            "warning": too_old(about.title or silo, about.date, day),
        }

    def document(self, silo: str, id: str) -> SiloDocument | None:
        """One document."""
        return self.staged.document(silo, id)

    def documents(self, silo: str) -> Sequence[SiloDocument]:
        """All documents of a silo in the order of their ids."""
        return self.staged.documents(silo)

    def search(
        self,
        silo: str,
        query: str,
        *,
        top_k: int = 10,
        sparse_k: int = 20,
        where: Mapping[str, str] | None = None,
    ) -> Sequence[SiloHit]:
        """The hits of one silo, best first: ``sparse_k`` documents by words and, with an embedder,
        ``top_k`` by meaning, fused by rank, each with its best passage.
        """
        known(self.names(), silo)
        index = self._index(silo)
        only = Only({name: (value,) for name, value in (where or {}).items()})
        depths = {"sparse": sparse_k, "dense": top_k if index.embedder is not None else 0}
        best: dict[str, Hit] = {}
        rankings: dict[str, list[str]] = {}
        for name, depth in depths.items():
            fusion = Fusion(**{"sparse": 0.0, "dense": 0.0} | {name: 1.0},
                            sparse_depth=depth * _SAME, dense_depth=depth * _SAME)  # fmt: skip
            found = _waited(index.search(query, depth * _SAME, only, fusion)) if depth else ()
            for hit in found:
                best.setdefault(hit.passage.document, hit)
            rankings[name] = list(dict.fromkeys(hit.passage.document for hit in found))[:depth]
        hits: list[SiloHit] = []
        for id, score in fused(rankings, Fusion(1.0, 1.0)):
            if (document := self.staged.document(silo, id)) is not None:
                one = Filed(best[id].passage, best[id].fields)
                hits.append(brought(document, one, score, query))
        return hits

    @contextmanager
    def changing(self, silo: str, wait: float = 600.0) -> Iterator[None]:
        """No other process changes the silo meanwhile. Raises RecordError where one still does
        after ``wait`` seconds.
        """
        if self.folder is None:
            yield
            return
        from filelock import FileLock, Timeout

        try:
            with FileLock(self.folder / f"{silo}.lock", timeout=wait):
                yield
        except Timeout:
            raise RecordError(f"the silo {silo} is being loaded by another process") from None

    def index_pending(self, silo: str) -> None:
        """Bring the silo's index up to what is staged, within `changing`; what is in it already is
        left as it is. An index of another embedder is made anew.
        """
        if self.folder is not None and self._qdrant is None and self._made_otherwise(silo):
            rmtree(self._place(silo))
            self.staged.unindex(silo)
        new, gone = self.staged.pending(silo)
        if not new and not gone:
            return
        items = [one for document in new for one in filed(document)]
        without = Only({"document": tuple(gone)}) if gone else None
        if self._qdrant is not None:
            index = self._at_server(silo)
            ids = tuple(one.id for one in new)
            stale = Only({"document": (*ids, *gone)})
            _waited(index.remove(stale))
            _waited(index.add(items))
        elif self.folder is None:
            everything = [one for own in self.documents(silo) for one in filed(own)]
            made = _waited(LocalIndex.of(everything, self._embedder))
            self._opened[silo] = (None, made)
        else:
            _waited(updated(self._place(silo), items, without, self._embedder))
        self.staged.indexed(silo, [one.id for one in new], gone)

    def _index(self, silo: str) -> Index:
        """The silo's index as it now is: another process may have loaded more."""
        with self._lock:
            current: object = None
            if self.folder is not None and self._qdrant is None:
                try:
                    current = (self._place(silo) / "current").read_text(encoding="ascii")
                except OSError:
                    current = ""
            before = self._opened.get(silo)
            if before is not None and before[0] == current:
                return before[1]
            if self._qdrant is not None:
                index: Index = self._at_server(silo)
            elif self.folder is None or not current:
                with self.changing(silo, READER_WAITS):
                    self.index_pending(silo)
                return self._opened[silo][1] if self.folder is None else self._read(silo)
            else:
                index = self._read(silo)
            self._opened[silo] = (current, index)
            return index

    def _read(self, silo: str) -> LocalIndex:
        """The index in the folder; one of another embedder is searched by words alone."""
        other = self._made_otherwise(silo)
        return LocalIndex.opened(self._place(silo), None if other else self._embedder)

    def _made_otherwise(self, silo: str) -> bool:
        """Whether the silo's index was made with another embedder than this."""
        try:
            LocalIndex.opened(self._place(silo), self._embedder)
        except RecordError:
            return False
        except UsageError:
            return True
        return self._embedder is None and LocalIndex.opened(self._place(silo)).has_vectors

    def _place(self, silo: str) -> Path:
        assert self.folder is not None
        return self.folder / silo

    def _at_server(self, silo: str) -> Any:
        from clinfo.retrieval.index.qdrant import QdrantIndex

        assert self._qdrant is not None
        url, key = self._qdrant
        return QdrantIndex.at(url, f"clinfo-{silo}", self._embedder, key)


def _waited(work: Coroutine[Any, Any, Any]) -> Any:
    """What a coroutine gives, whether or not a loop runs in this thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def silos_folder(settings: Settings) -> Path:
    """Where the silos of this machine lie."""
    return settings.data_dir / "silos"


def too_old(title: str, stated: str, day: date) -> str:
    """What is said of a silo whose date, or the beginning of one, is over a year before a day."""
    if not stated:
        return f"{title}: its date is not known"
    old = stated[:4].isdigit() and int(stated[:4]) * 12 + int(stated[5:7] or 12)
    if not old or day.year * 12 + day.month - old <= 12:
        return ""
    return f"{title}: its state is of {stated}; what is newer is not in it"


def open_silos(
    folder: Path,
    embedder: Embedder | None = None,
    qdrant: tuple[str, str | None] | None = None,
) -> StoredSilos:
    """The silos of a folder; the built-in examples where nothing is loaded into it. ``qdrant`` is
    address and key of the server that holds their indexes.
    """
    path = folder / FILE_NAME
    if path.is_file():
        staged = Staged(path)
        if staged.names():
            return StoredSilos(staged, folder, embedder, qdrant)
        staged.close()
    from clinfo.retrieval.silos.demo import demo_silos

    return demo_silos(embedder)


def open_silos_of(settings: Settings) -> StoredSilos:
    """The silos of this machine, with the embedder and the server that its settings name."""
    return open_silos(silos_folder(settings), embedder_of(settings), _server(settings))


def embedder_of(settings: Settings) -> Embedder | None:
    """The embedder that silos are loaded and searched with, where one is set: wordllama's vectors
    found less evidence than words alone (`benchmarks.copilot`).
    """
    from clinfo.retrieval.embedders import embedder_named

    return embedder_named(settings.embedder) if settings.embedder else None


def _server(settings: Settings) -> tuple[str, str | None] | None:
    if settings.qdrant_url is None:
        return None
    key = settings.qdrant_api_key
    return settings.qdrant_url, key.get_secret_value() if key is not None else None


@contextmanager
def loaded_silos(settings: Settings) -> Iterator[StoredSilos]:
    """The silos of this machine, to load into."""
    from clinfo.files import file_errors

    folder = silos_folder(settings)
    with file_errors(f"the folder {folder} cannot be made", RecordError):
        folder.mkdir(parents=True, exist_ok=True)
    silos = StoredSilos(
        Staged(folder / FILE_NAME), folder, embedder_of(settings), _server(settings)
    )
    try:
        yield silos
    finally:
        silos.close()
