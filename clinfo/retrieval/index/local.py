"""An index in this process, in memory or in a folder that many processes may read.

A folder holds generations; a new one is written beside the old and then made the current one in a
single step, so that readers see the old or the new and never half of either.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import msgspec

from clinfo.errors import RecordError, UsageError
from clinfo.files import file_errors
from clinfo.retrieval.index import Filed, Hit, Index, Only, hit
from clinfo.retrieval.index.dense import EXACT, DenseIndex
from clinfo.retrieval.index.records import Records
from clinfo.retrieval.sparse import SparseIndex, searched_words

if TYPE_CHECKING:
    from clinfo.retrieval.embedders import Embedder

FORM = 1
"""Counted up when the shape of the files changes; a folder of another form is to be built anew."""
PATIENCE = 600.0
"""Seconds to wait for another writer."""


class LocalIndex(Index):
    """A collection in this process; `of` makes one in memory, `opened` reads one from a folder."""

    def __init__(
        self,
        records: Records,
        sparse: SparseIndex,
        dense: DenseIndex | None = None,
        embedder: Embedder | None = None,
    ) -> None:
        super().__init__(embedder)
        self._records = records
        self._by_words = sparse
        self._by_meaning = dense

    @classmethod
    async def of(
        cls, items: Iterable[Filed], embedder: Embedder | None = None, kept: Any = None
    ) -> LocalIndex:
        """An index in memory; ``kept`` are vectors already made of the first items.

        Raises UsageError, ModelError, BudgetReached.
        """
        items = list(items)
        vectors = None
        if embedder is not None and items:
            import numpy as np

            known = 0 if kept is None else len(kept)
            made = await embedder.vectors([item.passage.text for item in items[known:]])
            vectors = np.concatenate([kept, made]) if known and len(made) else made
            vectors = kept if known == len(items) else vectors
            vectors = vectors.astype(np.float16) if len(items) > EXACT else vectors

        def built() -> LocalIndex:
            words = [searched_words(item.passage.text) for item in items]
            dense = None if vectors is None else DenseIndex.built(vectors)
            return cls(Records.of(items), SparseIndex(words), dense, embedder)

        return await asyncio.to_thread(built)

    @classmethod
    def opened(cls, folder: Path, embedder: Embedder | None = None) -> LocalIndex:
        """The current generation of a folder.

        Raises RecordError where there is none that can be read, UsageError where it was made with
        another embedder.
        """
        while True:
            own = _current(folder)
            try:
                return cls._of_generation(own, embedder)
            except FileNotFoundError as error:  # replaced in the meantime: the next one
                if _current(folder) == own:
                    raise RecordError(f"the index {folder} is damaged: {error}") from None

    @classmethod
    def _of_generation(cls, own: Path, embedder: Embedder | None) -> LocalIndex:
        about = msgspec.json.decode((own / "about.json").read_bytes())
        if about["form"] != FORM:
            raise RecordError(f"the index {own.parent} has another form; build it anew")
        if embedder is not None and about["embedder"] != embedder.name:
            made = about["embedder"] or "none"
            raise UsageError(
                f"the index {own.parent} was made with the embedder {made}, not {embedder.name}"
            )
        dense = DenseIndex.opened(own) if about["embedder"] and about["passages"] else None
        return cls(Records.opened(own), SparseIndex.opened(own / "words"), dense, embedder)

    def save(self, folder: Path) -> None:
        """Make this the current generation of a folder. Raises RecordError."""
        with file_errors(f"the index {folder} cannot be written", RecordError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            name = uuid4().hex
            own = folder / f"{name}.part"
            own.mkdir(mode=0o700)
            self._records.save(own)
            self._by_words.save(own / "words")
            if self._by_meaning is not None:
                self._by_meaning.save(own)
            embedder = self.embedder.name if self.embedder else ""
            about = {"form": FORM, "embedder": embedder, "passages": len(self)}
            (own / "about.json").write_bytes(msgspec.json.encode(about))
            own.rename(folder / name)
            (folder / f"{name}.current").write_text(name, encoding="ascii")
            (folder / f"{name}.current").rename(folder / "current")
            for other in folder.iterdir():
                if other.is_dir() and other.name not in (name, "lock"):
                    shutil.rmtree(other, ignore_errors=True)

    @property
    def has_vectors(self) -> bool:
        """Whether vectors were made of the passages."""
        return self._by_meaning is not None

    def __len__(self) -> int:
        return len(self._records)

    def _sparse(self, text: str, depth: int, only: Only) -> list[int]:
        return self._by_words.best(searched_words(text), depth, self._records.allowed(only))

    def _dense(self, vector: Any, depth: int, only: Only) -> list[int]:
        if self._by_meaning is None:
            return []
        return self._by_meaning.nearest(vector, depth, self._records.allowed(only))

    def _hits(
        self, order: Sequence[tuple[int, float]], rankings: Mapping[str, Sequence[int]]
    ) -> tuple[Hit, ...]:
        return tuple(hit(self._records[key], key, score, rankings) for key, score in order)

    def _ids(self, keys: Sequence[int] | None, only: Only) -> tuple[str, ...]:
        if keys is None:
            allowed = self._records.allowed(only)
            keys = range(len(self)) if allowed is None else [int(place) for place in allowed]
        return tuple(self._records[key].passage.id for key in keys)


async def updated(
    folder: Path,
    items: Iterable[Filed] = (),
    without: Only | None = None,
    embedder: Embedder | None = None,
) -> LocalIndex:
    """The index of a folder with new passages in place of those of the same documents, less what
    ``without`` lets through; written as its current generation, one writer at a time.

    Vectors of what stays are not made again; a folder that is not there is begun. What is left out
    is gone from the folder afterwards. Raises RecordError, UsageError, ModelError, BudgetReached.
    """
    from filelock import FileLock, Timeout

    new = list(items)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = FileLock(folder / "lock", thread_local=False)
    try:
        await asyncio.to_thread(lock.acquire, PATIENCE)
    except Timeout:
        raise RecordError(f"the index {folder} is being written by another process") from None
    try:
        stay: list[Filed] = []
        kept: Any = None
        if (folder / "current").exists():
            before = LocalIndex.opened(folder, embedder)
            if before._by_meaning is not None and embedder is None:
                raise UsageError(f"the index {folder} has vectors; name its embedder")
            documents = {_of(item) for item in new}
            allowed = before._records.allowed(without) if without else None
            gone = {int(place) for place in allowed} if allowed is not None else set()
            places = [
                place
                for place, item in enumerate(before._records)
                if place not in gone and _of(item) not in documents
            ]
            stay = [before._records[place] for place in places]
            kept = before._by_meaning.vectors[places] if before._by_meaning is not None else None
        made = await LocalIndex.of([*stay, *new], embedder, kept)
        await asyncio.to_thread(made.save, folder)
        return made
    finally:
        lock.release()


def _of(item: Filed) -> tuple[Any, Any]:
    """The document of a passage and whose it is: two patients may each have a "note1"."""
    return item.fields["document"], item.fields.get("subject")


def _current(folder: Path) -> Path:
    try:
        return folder / (folder / "current").read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        raise RecordError(f"{folder} holds no index") from None
