"""The silos in SQLite: documents whole, their files, and their passages and the words in them.

It says what there is; all of a file comes in or nothing, so that a load may be killed at any moment
and be run again. Vectors lie beside the passages; a passage is pending until it has one.
"""

from __future__ import annotations

import math
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from clinfo.errors import RecordError, UsageError
from clinfo.learned_types import learned
from clinfo.retrieval.silos import SiloDocument
from clinfo.retrieval.silos.passages import Piece, pieces
from clinfo.retrieval.sparse import K1, B, searched_words

FILE_NAME = "staged.sqlite"
FORM = 2
"""Counted up when the tables change; silos of another form have to be loaded again."""
WAIT = 60.0
"""Seconds to wait for another writer."""
_SCHEMA = """
    CREATE TABLE IF NOT EXISTS silos (name TEXT PRIMARY KEY, title TEXT, licence TEXT, date TEXT, version TEXT, source TEXT) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS files (silo TEXT, name TEXT, hash TEXT, PRIMARY KEY (silo, name)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS documents (number INTEGER PRIMARY KEY, silo TEXT, id TEXT, file TEXT, hash TEXT, pending INTEGER, document BLOB, UNIQUE (silo, id));
    CREATE TABLE IF NOT EXISTS passages (number INTEGER PRIMARY KEY, owner INTEGER, silo TEXT, name TEXT, start INTEGER, past INTEGER, found_by TEXT, text TEXT, words INTEGER, pending INTEGER, vector BLOB);
    CREATE TABLE IF NOT EXISTS postings (silo TEXT, word TEXT, passage INTEGER, times INTEGER, PRIMARY KEY (silo, word, passage)) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS postings_of ON postings (passage);
    CREATE INDEX IF NOT EXISTS passages_of ON passages (owner);
    CREATE INDEX IF NOT EXISTS passages_named ON passages (silo, name);
    CREATE TABLE IF NOT EXISTS stale (silo TEXT, name TEXT, PRIMARY KEY (silo, name)) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS embedded (silo TEXT PRIMARY KEY, embedder TEXT) WITHOUT ROWID;
"""  # noqa: E501


@dataclass(frozen=True)
class Found:
    """A passage that a search found: its document's id, and its piece of that."""

    document: str
    piece: Piece


@dataclass(frozen=True)
class About:
    """The words of a silo's hits on their source; ``date`` is ISO 8601 or the beginning of it,
    empty where it is not known.
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
        self.kept = path is not None
        self._lock = threading.RLock()
        try:
            self._db = sqlite3.connect(
                path or ":memory:", timeout=WAIT, check_same_thread=False, isolation_level=None
            )
            if path is not None:
                self._db.execute("PRAGMA journal_mode = WAL")
            if self._form not in (0, FORM):
                raise RecordError(f"the silos in {path} have another form; load them again")
            if self._form != FORM:  # nobody who only reads waits for one who loads
                with self._changing() as db:
                    for statement in (*_SCHEMA.split(";"), f"PRAGMA user_version = {FORM}"):
                        db.execute(statement)
        except sqlite3.DatabaseError as error:
            raise RecordError(f"the silos in {path} cannot be opened: {error}") from None

    @property
    def _form(self) -> int:
        return int(self._first("PRAGMA user_version"))

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

    def _first(self, query: str, *values: str) -> str:
        """The first value of a query as text; "" where it brings nothing."""
        return next((str(value) for (value,) in self._rows(query, values)), "")

    def names(self) -> list[str]:
        """The silos with a document, sorted."""
        return [
            str(name) for (name,) in self._rows("SELECT DISTINCT silo FROM documents ORDER BY 1")
        ]

    def about(self, silo: str) -> About:
        """Return what is said of a silo; nothing where there is none."""
        rows = self._rows(f"SELECT {', '.join(_ABOUT)} FROM silos WHERE name = ?", (silo,))
        return About(*map(str, rows[0])) if rows else About()

    def file_hash(self, silo: str, file: str) -> str:
        """The hash of a file as it was last staged; empty where it was not."""
        return self._first("SELECT hash FROM files WHERE silo = ? AND name = ?", silo, file)

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
                    "INSERT INTO documents (silo, id, file, hash, document) VALUES (?, ?, ?, ?, ?)",
                    (silo, document.id, file, own, coded),
                ).lastrowid
                self._file(number, silo, document)
            lost = [id for id, (_, whose) in before.items() if whose == file and id not in seen]
            for id in lost:
                self._take_out(silo, id)
            db.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?)", (silo, file, hash))
        return changed, len(lost)

    def _file(self, number: Any, silo: str, document: SiloDocument) -> None:
        """File the passages of a document, to be found by their words."""
        for one in pieces(document):
            words = searched_words(one.text)
            own = self._db.execute(
                "INSERT INTO passages (owner, silo, name, start, past, found_by, text, words, "
                "pending) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1)",
                (number, silo, one.name, one.start, one.end, one.found_by, one.text, len(words)),
            ).lastrowid
            self._db.executemany(
                "INSERT INTO postings VALUES (?, ?, ?, ?)",
                [(silo, word, own, times) for word, times in Counter(words).items()],
            )

    def _take_out(self, silo: str, id: str) -> None:
        own = "(SELECT number FROM documents WHERE silo = ? AND id = ?)"
        places = f"(SELECT number FROM passages WHERE owner = {own})"
        if not self._rows("SELECT 1 FROM documents WHERE silo = ? AND id = ?", (silo, id)):
            return
        for what in (
            f"DELETE FROM postings WHERE passage IN {places}",
            "INSERT OR IGNORE INTO stale SELECT silo, name FROM passages WHERE pending = 0 "
            f"AND owner = {own}",
            f"DELETE FROM passages WHERE owner = {own}",
            f"DELETE FROM documents WHERE number = {own}",
        ):
            self._db.execute(what, (silo, id))

    def made(self, key: str) -> str:
        """The abstraction that a model made when it was asked what ``key`` stands for; "" where it
        was not.
        """
        try:
            return self._first("SELECT text FROM made WHERE key = ?", key)
        except sqlite3.OperationalError:  # nothing was kept so far
            return ""

    def keep(self, key: str, text: str) -> None:
        """Keep an abstraction, at once and for every load to come."""
        with self._changing() as db:
            db.execute("CREATE TABLE IF NOT EXISTS made (key TEXT PRIMARY KEY, text TEXT)")
            db.execute("INSERT OR REPLACE INTO made VALUES (?, ?)", (key, text))

    def embedder(self, silo: str) -> str:
        """The name of the embedder of a silo's vectors, "" where it has none."""
        return self._first("SELECT embedder FROM embedded WHERE silo = ?", silo)

    def reembed(self, silo: str, embedder: str) -> None:
        """Give up the vectors of a silo; it is to have those of another embedder ("" for none)."""
        with self._changing() as db:
            db.execute("UPDATE passages SET pending = 1, vector = NULL WHERE silo = ?", (silo,))
            db.execute("DELETE FROM stale WHERE silo = ?", (silo,))
            db.execute("INSERT OR REPLACE INTO embedded VALUES (?, ?)", (silo, embedder))

    def pending(self, silo: str, most: int) -> list[tuple[int, str, str]]:
        """Number, name and text of passages that have no vector yet."""
        where = "silo = ? AND pending = 1 ORDER BY number LIMIT ?"
        return self._rows(f"SELECT number, name, text FROM passages WHERE {where}", (silo, most))

    def embedded(self, vectors: Iterable[tuple[int, bytes | None]]) -> None:
        """Note that passages have these vectors, or, where these are None, have them elsewhere."""
        with self._changing() as db:
            db.executemany(
                "UPDATE passages SET pending = 0, vector = ? WHERE number = ?",
                [(vector, number) for number, vector in vectors],
            )

    def stale(self, silo: str) -> list[str]:
        """Names of passages that have a vector elsewhere and are none any more."""
        rows = self._rows("SELECT name FROM stale WHERE silo = ?", (silo,))
        return [str(name) for (name,) in rows]

    def forget(self, silo: str) -> None:
        """Note that `stale` passages have no vector elsewhere any more."""
        with self._changing() as db:
            db.execute("DELETE FROM stale WHERE silo = ?", (silo,))

    def vectors(self, silo: str) -> tuple[list[int], bytes]:
        """The numbers of the passages with vectors, and these one after another."""
        rows = self._rows(
            "SELECT number, vector FROM passages WHERE silo = ? AND vector NOTNULL ORDER BY number",
            (silo,),
        )
        return [number for number, _ in rows], b"".join(vector for _, vector in rows)

    @property
    def edition(self) -> tuple[int, int]:
        """Changes with all that anybody writes."""
        ((others,),) = self._rows("PRAGMA data_version")
        return int(others), self._db.total_changes

    def by_words(self, silo: str, query: str, limit: int) -> list[Found]:
        """Passages that hold words of a query, by BM25 (Lucene's variant), best first."""
        asked = list(dict.fromkeys(searched_words(query)))
        marks = ", ".join("?" * len(asked))
        there = self._rows(
            f"SELECT word, count(*) FROM postings WHERE silo = ? AND word IN ({marks}) "
            "GROUP BY word",
            (silo, *asked),
        )
        if not there:
            return []
        ((every, usual),) = self._rows(
            "SELECT count(*), avg(words) FROM passages WHERE silo = ?", (silo,)
        )
        rarity = [(word, math.log(1 + (every - n + 0.5) / (n + 0.5))) for word, n in there]
        rows = self._rows(
            f"WITH asked(own, rarity) AS (VALUES {', '.join(['(?, ?)'] * len(rarity))}) "
            "SELECT passage FROM asked JOIN postings ON postings.silo = ? AND word = own "
            "JOIN passages ON number = passage GROUP BY passage ORDER BY "
            "round(sum(rarity * times / (times + ? * (1 - ? + ? * words / ?))), 9) DESC, passage "
            "LIMIT ?",
            (*chain.from_iterable(rarity), silo, K1, B, B, usual, limit),
        )
        return self.found("number", [number for (number,) in rows], silo)

    def found(self, column: str, keys: Sequence[int | str], silo: str) -> list[Found]:
        """The passages of a silo under numbers or names, in their order."""
        held = {}
        for key in keys:
            for id, *piece in self._rows(
                "SELECT id, name, start, past, found_by, text FROM passages JOIN documents ON "
                f"documents.number = owner WHERE passages.{column} = ? AND passages.silo = ?",
                (key, silo),
            ):
                held[key] = Found(str(id), Piece(*piece))
        return list(held.values())

    def count(self, silo: str) -> int:
        """Number of documents."""
        return int(self._first("SELECT count(*) FROM documents WHERE silo = ?", silo))

    def unfinished(self, silo: str) -> int:
        """Number of documents that have a passage without a vector."""
        query = "SELECT count(DISTINCT owner) FROM passages WHERE silo = ? AND pending = 1"
        return int(self._first(query, silo))

    def document(self, silo: str, id: str) -> SiloDocument | None:
        """One document."""
        return next(iter(self._documents("silo = ? AND id = ?", (silo, id))), None)

    def documents(self, silo: str) -> list[SiloDocument]:
        """All documents of a silo in the order of their ids."""
        return self._documents("silo = ? ORDER BY id", (silo,))

    def _documents(self, where: str, values: Sequence[Any]) -> list[SiloDocument]:
        rows = self._rows(f"SELECT document FROM documents WHERE {where}", values)
        return [msgspec.json.decode(row, type=learned(SiloDocument)) for (row,) in rows]


def known(silos: Iterable[str], silo: str) -> None:
    """Raise UsageError for a silo that there is none of."""
    names = list(silos)
    if silo not in names:
        there = ", ".join(names) or "none; load files into one first"
        raise UsageError(f"there is no silo {silo[:40]!r}; there are: {there}")
