"""What was made of a citation file, kept in the cache's folder so that the next question of it
starts at once.

One entry a file, named by its path: the checksum of the file and of this program's own reading of
it, then citations and engine as a pickle of a few classes. A pickle is a program: only an entry
that the user owns, and nobody else can write, is read. Written under another name first, so that
any number of processes may read and write it.
"""

from __future__ import annotations

import gc
import hashlib
import io
import logging
import os
import pickle
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clinfo.files import whole_file

if TYPE_CHECKING:
    from clinfo.sources.memory import State

MAX_BYTES = 2_000_000_000
"""Of all entries together; beyond it those that were used longest ago make room."""
_ENDING = ".engine"
_VALUES = ("clinfo.records.articles", "clinfo.pubmed.citation", "clinfo.pubmed.document")
"""Modules of which an entry may hold any class."""
_OTHERS = {
    ("clinfo.pubmed.in_memory", "InMemoryEngine"),
    ("clinfo.pubmed.in_memory", "Ranking"),
    ("clinfo.sources.memory", "State"),
    ("datetime", "date"),
    ("rank_bm25", "BM25Plus"),
    ("builtins", "set"),
    ("builtins", "frozenset"),
}

log = logging.getLogger("clinfo")


class KeptFile:
    """The entry of one citation file in ``folder``. Where it cannot be read or written, there is
    none; nothing is raised for it.
    """

    def __init__(self, folder: Path, file: str) -> None:
        self._file = Path(file)
        self._name = self._file.name
        name = hashlib.sha256(os.fsencode(self._file.absolute())).hexdigest()[:32]
        self._entry = folder / (name + _ENDING)
        self._head = b""

    def load(self) -> State | None:
        """What was stored of the file as it is now, None where there is nothing or it is stale."""
        with suppress(OSError):
            self._head = _checksum(self._file) + _program()
            with self._entry.open("rb") as entry:
                if not _is_own(os.fstat(entry.fileno())):
                    return None
                if entry.read(len(self._head)) != self._head:
                    log.info("%s has changed: it is read again", self._name)
                    return None
                with _without_garbage_collection():
                    state = _load(entry)
            os.utime(self._entry)
            return state
        return None

    def store(self, state: State) -> None:
        """Keep it for the next `load`, in place of what was kept of the file before."""
        if not self._head:
            return
        with suppress(OSError):
            self._entry.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            data = pickle.dumps(state, pickle.HIGHEST_PROTOCOL)
            if len(data) > MAX_BYTES // 2:
                return
            unique = f".{os.getpid()}-{threading.get_ident()}"
            with whole_file(self._entry, encoding=None, partial=unique) as file:
                os.fchmod(file.fileno(), 0o600)
                file.write(self._head)
                file.write(data)
            log.info("%s is kept in the cache for the next question", self._name)
            self._make_room()

    def _make_room(self) -> None:
        entries = sorted(
            ((one.stat(), one) for one in self._entry.parent.glob(f"*{_ENDING}")),
            key=lambda each: -each[0].st_mtime,
        )
        total = 0
        for stat, one in entries:
            total += stat.st_size
            if total > MAX_BYTES and one != self._entry:
                one.unlink(missing_ok=True)


class _Unpickler(pickle.Unpickler):
    """Makes values of a few classes only."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _OTHERS or module in _VALUES:
            found = super().find_class(module, name)
            if isinstance(found, type) and found.__module__ == module:
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is not kept here")


def _load(entry: io.BufferedReader) -> State | None:
    from clinfo.sources.memory import State

    try:
        state = _Unpickler(entry).load()
    except Exception:  # a damaged pickle may raise anything
        return None
    return state if isinstance(state, State) else None


def _is_own(entry: os.stat_result) -> bool:
    """Return whether the user alone can have written a file; on Windows its folder says so."""
    return os.name == "nt" or (entry.st_uid == os.geteuid() and not entry.st_mode & 0o022)


def _checksum(file: Path) -> bytes:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").digest()


@cache
def _program() -> bytes:
    """Checksum of all that a file is read with: another version may read it otherwise."""
    root = Path(__file__).parent.parent
    digest = hashlib.sha256((root / "lazy_dataclass.py").read_bytes())
    for room in ("pubmed", "records", "references", "sources", "terms", "text"):
        for part in sorted((root / room).rglob("*.[pt][yx]*")):
            if part.suffix in (".py", ".txt"):
                digest.update(part.read_bytes())
    return digest.digest()


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Millions of values that all stay are not looked through again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
