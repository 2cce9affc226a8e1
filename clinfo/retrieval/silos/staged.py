"""The staged copy of silos: documents whole, their files, and a full-text search, in SQLite.

It says what there is; the indexes are made of it and can be made again. A document is pending
until an index holds it, so that a load which was killed at any moment is resumed by the next.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from clinfo.errors import RecordError, UsageError
from clinfo.learned_types import learned
from clinfo.retrieval.silos import SiloDocument
from clinfo.retrieval.sparse import searched_words

FILE_NAME = "staged.sqlite"
FORM = 1
"""Counted up when the tables change; silos of another form have to be loaded again."""
WAIT = 60.0
"""Seconds to wait for another writer."""
_SCHEMA = """
    CREATE TABLE IF NOT EXISTS silos (name TEXT PRIMARY KEY, title TEXT, licence TEXT, date TEXT, version TEXT, source TEXT) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS files (silo TEXT, name TEXT, hash TEXT, PRIMARY KEY (silo, name)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS documents (number INTEGER PRIMARY KEY, silo TEXT, id TEXT, file TEXT, hash TEXT, pending INTEGER, document BLOB, UNIQUE (silo, id));
    CREATE TABLE IF NOT EXISTS gone (silo TEXT, id TEXT, PRIMARY KEY (silo, id)) WITHOUT ROWID;
    CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(title, text, abstractions);
"""  # noqa: E501


@dataclass(frozen=True)
class About:
    """What a silo's hits say of their source; ``date`` is ISO 8601 or the beginning of it, empty
    where it is not known.
    """

    title: str = ""
    licence: str = ""
    date: str = ""
    version: str = ""
    source: str = ""

    def over(self, other: About) -> About:
        """This, and where it says nothing what ``other`` says."""
        return About(*(getattr(self, name) or getattr(other, name) for name in _ABOUT))


_ABOUT = ("title", "licence", "date", "version", "source")


class Staged:
    """The staged copy at a path, or in memory; to be used from any number of threads.

    Raises RecordError where the file is damaged or of another form.
    """

    def __init__(self, path: Path | None) -> None:
        self._lock = threading.RLock()
        try:
            self._db = sqlite3.connect(
                path or ":memory:", timeout=WAIT, check_same_thread=False, isolation_level=None
            )
            if path is not None:
                self._db.execute("PRAGMA journal_mode = WAL")
            (form,) = self._db.execute("PRAGMA user_version").fetchone()
            if form not in (0, FORM):
                raise RecordError(f"the silos in {path} have another form; load them again")
            if form != FORM:  # nobody who only reads waits for one who loads
                self._db.executescript(_SCHEMA + f"PRAGMA user_version = {FORM};")
        except sqlite3.DatabaseError as error:
            raise RecordError(f"the silos in {path} cannot be opened: {error}") from None

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it happens, or nothing."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                self._db.execute("ROLLBACK")
                raise

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._db.execute(query, values).fetchall()

    def names(self) -> list[str]:
        """The silos with a document, sorted."""
        return [
            str(name) for (name,) in self._rows("SELECT DISTINCT silo FROM documents ORDER BY 1")
        ]

    def about(self, silo: str) -> About:
        """What is said of a silo; nothing where there is none."""
        rows = self._rows(f"SELECT {', '.join(_ABOUT)} FROM silos WHERE name = ?", (silo,))
        return About(*map(str, rows[0])) if rows else About()

    def file_hash(self, silo: str, file: str) -> str:
        """The hash of a file as it was last staged; empty where it was not."""
        rows = self._rows("SELECT hash FROM files WHERE silo = ? AND name = ?", (silo, file))
        return str(rows[0][0]) if rows else ""

    def stage(
        self, silo: str, about: About, file: str, hash: str, documents: Iterable[SiloDocument]
    ) -> tuple[int, int]:
        """Put what a file holds in place of what it held, all or nothing; say how many documents
        are new or changed, and how many were taken out.
        """
        with self._changing() as db:
            db.execute(
                "INSERT OR REPLACE INTO silos VALUES (?, ?, ?, ?, ?, ?)",
                (silo, *(getattr(about.over(self.about(silo)), name) for name in _ABOUT)),
            )
            before = {
                str(id): (str(known), str(whose))
                for id, known, whose in db.execute(
                    "SELECT id, hash, file FROM documents WHERE silo = ?", (silo,)
                )
            }
            changed, seen = 0, set()
            for document in documents:
                seen.add(document.id)
                coded = msgspec.json.encode(document)
                own = sha256(coded).hexdigest()
                if before.get(document.id) == (own, file):
                    continue
                self._take_out(silo, document.id)
                changed += 1
                number = db.execute(
                    "INSERT INTO documents (silo, id, file, hash, pending, document) "
                    "VALUES (?, ?, ?, ?, 1, ?)",
                    (silo, document.id, file, own, coded),
                ).lastrowid
                said = (document.title, document.text, " ".join(document.abstractions.values()))
                db.execute(
                    "INSERT INTO words (rowid, title, text, abstractions) VALUES (?, ?, ?, ?)",
                    (number, *(" ".join(searched_words(one)) for one in said)),
                )
                db.execute("DELETE FROM gone WHERE silo = ? AND id = ?", (silo, document.id))
            lost = [id for id, (_, whose) in before.items() if whose == file and id not in seen]
            for id in lost:
                self._take_out(silo, id)
                db.execute("INSERT OR REPLACE INTO gone VALUES (?, ?)", (silo, id))
            db.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?)", (silo, file, hash))
        return changed, len(lost)

    def _take_out(self, silo: str, id: str) -> None:
        for (number,) in self._rows(
            "SELECT number FROM documents WHERE silo = ? AND id = ?", (silo, id)
        ):
            self._db.execute("DELETE FROM words WHERE rowid = ?", (number,))
            self._db.execute("DELETE FROM documents WHERE number = ?", (number,))

    def made(self, key: str) -> str:
        """The abstraction that a model made when it was asked what ``key`` stands for; "" where it
        was not.
        """
        try:
            rows = self._rows("SELECT text FROM made WHERE key = ?", (key,))
        except sqlite3.OperationalError:  # nothing was kept so far
            return ""
        return str(rows[0][0]) if rows else ""

    def keep(self, key: str, text: str) -> None:
        """Keep an abstraction, at once and for every load to come."""
        with self._changing() as db:
            db.execute("CREATE TABLE IF NOT EXISTS made (key TEXT PRIMARY KEY, text TEXT)")
            db.execute("INSERT OR REPLACE INTO made VALUES (?, ?)", (key, text))

    def pending(self, silo: str) -> tuple[list[SiloDocument], list[str]]:
        """Documents that no index holds yet, and ids of those taken out that one may hold."""
        new = self._documents("silo = ? AND pending = 1", (silo,))
        gone = self._rows("SELECT id FROM gone WHERE silo = ?", (silo,))
        return new, [str(id) for (id,) in gone]

    def indexed(self, silo: str, new: Iterable[str], gone: Iterable[str]) -> None:
        """Note that the silo's index holds these documents and no longer those."""
        with self._changing() as db:
            db.executemany(
                "UPDATE documents SET pending = 0 WHERE silo = ? AND id = ?",
                [(silo, id) for id in new],
            )
            db.executemany(
                "DELETE FROM gone WHERE silo = ? AND id = ?", [(silo, id) for id in gone]
            )

    def unindex(self, silo: str) -> None:
        """Note that the silo's index is to be made again."""
        with self._changing() as db:
            db.execute("UPDATE documents SET pending = 1 WHERE silo = ?", (silo,))

    def count(self, silo: str) -> int:
        """Number of documents."""
        ((count,),) = self._rows("SELECT count(*) FROM documents WHERE silo = ?", (silo,))
        return int(str(count))

    def unfinished(self, silo: str) -> int:
        """Number of documents that are staged and that no index holds yet."""
        query = "SELECT count(*) FROM documents WHERE silo = ? AND pending = 1"
        ((count,),) = self._rows(query, (silo,))
        return int(str(count))

    def document(self, silo: str, id: str) -> SiloDocument | None:
        """One document."""
        return next(iter(self._documents("silo = ? AND id = ?", (silo, id))), None)

    def documents(self, silo: str) -> list[SiloDocument]:
        """All documents of a silo in the order of their ids."""
        return self._documents("silo = ? ORDER BY id", (silo,))

    def holding(self, silo: str, query: str, limit: int = 20) -> list[SiloDocument]:
        """Documents that hold words of a query, by FTS5's BM25 of title, text and abstractions,
        best first: the search for one who looks for a known document.
        """
        asked = " OR ".join(f'"{word}"' for word in dict.fromkeys(searched_words(query)))
        if not asked:
            return []
        return self._documents(
            "silo = ? AND number IN (SELECT rowid FROM words WHERE words MATCH ?) ORDER BY "
            "(SELECT rank FROM words WHERE words MATCH ? AND rowid = number), id LIMIT ?",
            (silo, asked, asked, limit),
        )

    def _documents(self, where: str, values: Sequence[Any]) -> list[SiloDocument]:
        rows = self._rows(f"SELECT document FROM documents WHERE {where}", values)
        return [msgspec.json.decode(row, type=learned(SiloDocument)) for (row,) in rows]


def known(silos: Iterable[str], silo: str) -> None:
    """Raise UsageError for a silo that there is none of."""
    names = list(silos)
    if silo not in names:
        there = ", ".join(names) or "none; clinfo copilot load SILO FILES makes one"
        raise UsageError(f"there is no silo {silo[:40]!r}; there are: {there}")
