"""MeSH descriptors on this machine: a table to look headings, entry terms and the tree up in.

The table is one SQLite file that nobody writes to once it is there (`write_table` puts a new one in
its place), so opening it costs a millisecond and a lookup reads a few pages. What can be asked of
it is said at `clinfo.terms.mesh.Mesh`.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from clinfo.errors import RecordError
from clinfo.files import sync_folder
from clinfo.records.articles import MeshDescriptor
from clinfo.terms.mesh import Edition, Mesh, number_of
from clinfo.text.words import key

FILE_NAME = "mesh.sqlite"
"""Name of the table's file in the folder of data (`clinfo.settings.Settings.data_dir`)."""
FORM = 1
"""Counted up when the table's columns change; a table of another form has to be loaded again."""
_LEFT_OVER = 3600.0
"""Seconds after which a table that nobody put in its place is taken for abandoned; filling one
takes two.
"""
_SCHEMA = """
    CREATE TABLE facts (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE descriptors (number INTEGER PRIMARY KEY, ui TEXT, heading TEXT, entry_terms TEXT, tree_numbers TEXT);
    CREATE TABLE names (key TEXT, descriptor INTEGER, PRIMARY KEY (key, descriptor)) WITHOUT ROWID;
    CREATE TABLE trees (tree_number TEXT, descriptor INTEGER, PRIMARY KEY (tree_number, descriptor)) WITHOUT ROWID;
    CREATE TABLE actions (action TEXT, descriptor INTEGER, PRIMARY KEY (action, descriptor)) WITHOUT ROWID;
    CREATE TABLE words (word TEXT PRIMARY KEY, descriptors BLOB) WITHOUT ROWID;
"""  # noqa: E501


def table_path(data_dir: Path) -> Path:
    """Return where the table lies in the folder of data."""
    return data_dir / FILE_NAME


class MeshTable(Mesh):
    """The MeSH table in one file, opened at the first lookup; to be used from any number of
    threads.

    Every method raises RecordError where the file is missing, damaged or of another form.
    """

    def __init__(self, path: str | Path) -> None:
        super().__init__()
        self.path = Path(path)
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._opened_by: int | None = None
        self._longest_name = 0
        self._edition: Edition | None = None
        self._vocabulary: tuple[str, ...] = ()

    @property
    def edition(self) -> Edition:
        """Return which MeSH this is."""
        with self._lock:
            self._open()
            assert self._edition is not None
            return self._edition

    def close(self) -> None:
        """Close the file; the next lookup opens it again."""
        super().close()
        with self._lock:
            if self._connection is not None and self._opened_by == os.getpid():
                self._connection.close()
            self._connection = None

    def bearing(self, words: Sequence[str]) -> dict[str, array[int]]:
        """For each of ``words`` that occurs in any name: the numbers of the descriptors in whose
        names it does.
        """
        marks = ",".join("?" * len(words))
        return {
            word: array("I", blob)
            for word, blob in self._rows(f"SELECT * FROM words WHERE word IN ({marks})", words)
        }

    def vocabulary(self) -> Sequence[str]:
        """All words of headings and entry terms that are no numbers."""
        if not self._vocabulary:
            ((text,),) = self._rows("SELECT value FROM facts WHERE name = 'vocabulary'", ())
            self._vocabulary = tuple(text.split("\n"))
        return self._vocabulary

    def names(self) -> Iterator[tuple[str, int]]:
        """All names as keys, each with the number of the first descriptor that bears it."""
        return map(tuple, self._rows("SELECT key, min(descriptor) FROM names GROUP BY key", ()))

    def numbered(self, numbers: Sequence[int]) -> dict[int, MeshDescriptor]:
        """The descriptors with these numbers of this table."""
        rows: dict[int, MeshDescriptor] = {}
        for start in range(0, len(numbers), 500):
            some = numbers[start : start + 500]
            marks = ",".join("?" * len(some))
            found = self._rows(
                f"SELECT * FROM descriptors WHERE number IN ({marks}) ORDER BY number", some
            )
            rows.update((row["number"], _descriptor(row)) for row in found)
        return rows

    def _identified(self, ui: str) -> MeshDescriptor | None:
        found = self._rows("SELECT * FROM descriptors WHERE ui = ?", (ui,))
        return _descriptor(found[0]) if found else None

    def _called(self, name: str) -> list[int]:
        return [
            number
            for (number,) in self._rows("SELECT descriptor FROM names WHERE key = ?", (name,))
        ]

    def _known(self, names: Sequence[str]) -> list[str]:
        marks = ",".join("?" * len(names))
        return [
            name
            for (name,) in self._rows(
                f"SELECT DISTINCT key FROM names WHERE key IN ({marks})", names
            )
        ]

    def _below(self, place: str) -> set[int]:
        # "/" is the character after ".", so this is all that begins with the number and a dot.
        found = self._rows(
            "SELECT descriptor FROM trees WHERE tree_number > ? AND tree_number < ?",
            (f"{place}.", f"{place}/"),
        )
        return {number for (number,) in found}

    def places(self) -> dict[str, int]:
        """The number of the descriptor at each tree number."""
        rows = self._rows("SELECT tree_number, descriptor FROM trees", ())
        return {row["tree_number"]: row["descriptor"] for row in rows}

    def _acting(self, action: str) -> set[int]:
        if not self._rows("SELECT 1 FROM sqlite_master WHERE name = 'actions'", ()):
            return set()  # made before actions were kept
        return {
            number
            for (number,) in self._rows(
                "SELECT descriptor FROM actions WHERE action = ?", (action,)
            )
        }

    def _most_words(self) -> int:
        with self._lock:
            self._open()
            return self._longest_name

    def _rows(self, sql: str, values: Sequence[object]) -> list[sqlite3.Row]:
        with self._lock:
            try:
                return self._open().execute(sql, values).fetchall()
            except (sqlite3.Error, OverflowError) as error:
                raise self._unusable(f"is damaged ({error})") from None

    def _open(self) -> sqlite3.Connection:
        # A connection must not be used across fork(), so a child process opens its own.
        if self._connection is not None and self._opened_by == os.getpid():
            return self._connection
        connection = self._connect()
        try:
            connection.row_factory = sqlite3.Row
            facts = dict(
                connection.execute(
                    "SELECT name, value FROM facts WHERE name != 'vocabulary'"
                ).fetchall()
            )
            if facts["form"] != FORM:
                raise self._unusable(
                    f"was written by another version (form {facts['form']}, not {FORM})"
                )
            self._edition = Edition(**{field.name: facts[field.name] for field in fields(Edition)})
            self._longest_name = facts["most_words"]
        except (sqlite3.Error, KeyError, RecordError) as error:
            connection.close()
            raise (
                error if isinstance(error, RecordError) else self._unusable("cannot be read")
            ) from None
        self._connection, self._opened_by = connection, os.getpid()
        return connection

    def _connect(self) -> sqlite3.Connection:
        if not self.path.is_file():
            raise RecordError(
                f"there is no MeSH table at {self.path}: load NLM's file with clinfo mesh load FILE"
            )
        place = f"{self.path.resolve().as_uri()}?mode=ro&immutable=1"
        return sqlite3.connect(place, uri=True, check_same_thread=False)

    def _unusable(self, why: str) -> RecordError:
        return RecordError(
            f"the MeSH table {self.path} {why}: load NLM's file again with clinfo mesh load FILE"
        )


def write_table(
    path: Path,
    descriptors: Iterable[MeshDescriptor],
    origin: Callable[[], tuple[int | None, str, str]],
) -> Edition:
    """Make a table of ``descriptors`` and put it at ``path``, in one step: whatever fails, a table
    that was there stays.

    ``origin`` tells the year, the file's name and its SHA-256 once all ``descriptors`` are read.
    Raises RecordError where the table cannot be written, and whatever ``descriptors`` raises.
    """
    in_order = sorted(descriptors, key=lambda one: (number_of(one), one.ui))
    beside = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(path)
        edition = _filled(beside, in_order, *origin())
        with beside.open("rb+") as file:
            os.fsync(file.fileno())
        beside.replace(path)
        sync_folder(path.parent)
        return edition
    except (sqlite3.Error, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise RecordError(f"the MeSH table {path} cannot be written: {reason}") from None
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)


def _filled(
    path: Path, descriptors: Sequence[MeshDescriptor], year: int | None, source: str, sha256: str
) -> Edition:
    names: set[tuple[str, int]] = set()
    places: set[tuple[str, int]] = set()
    actions: set[tuple[str, int]] = set()
    bearers: dict[str, set[int]] = {}
    for number, one in enumerate(descriptors, start=1):
        own = {key(name) for name in (one.heading, *one.entry_terms)} - {""}
        names.update((name, number) for name in own)
        places.update((place, number) for place in one.tree_numbers)
        actions.update((key(action), number) for action in one.actions)
        for word in {word for name in own for word in name.split()}:
            bearers.setdefault(word, set()).add(number)
    loaded_at = datetime.now(UTC).isoformat(timespec="seconds")
    entry_terms = sum(len(one.entry_terms) for one in descriptors)
    edition = Edition(year, source, sha256, len(descriptors), entry_terms, loaded_at)
    most_words = max((name.count(" ") + 1 for name, _ in names), default=0)
    facts: Mapping[str, Any] = {
        "form": FORM,
        "most_words": most_words,
        "vocabulary": "\n".join(sorted(word for word in bearers if not word.isdigit())),
        **asdict(edition),
    }
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "PRAGMA journal_mode = OFF"
        )  # a file that is not finished is thrown away
        connection.execute("PRAGMA synchronous = OFF")
        connection.executescript(_SCHEMA)
        connection.executemany("INSERT INTO facts VALUES (?, ?)", facts.items())
        connection.executemany(
            "INSERT INTO descriptors VALUES (?, ?, ?, ?, ?)",
            (
                (at, one.ui, one.heading, "\n".join(one.entry_terms), "\n".join(one.tree_numbers))
                for at, one in enumerate(descriptors, start=1)
            ),
        )
        connection.executemany("INSERT INTO names VALUES (?, ?)", sorted(names))
        connection.executemany("INSERT INTO trees VALUES (?, ?)", sorted(places))
        connection.executemany("INSERT INTO actions VALUES (?, ?)", sorted(actions))
        packed = (
            (word, array("I", sorted(numbers)).tobytes())
            for word, numbers in sorted(bearers.items())
        )
        connection.executemany("INSERT INTO words VALUES (?, ?)", packed)
        connection.execute("CREATE UNIQUE INDEX descriptors_by_ui ON descriptors (ui)")
    return edition


def _descriptor(row: sqlite3.Row) -> MeshDescriptor:
    entry_terms, tree_numbers = (
        tuple(row[name].split("\n")) if row[name] else ()
        for name in ("entry_terms", "tree_numbers")
    )
    return MeshDescriptor(row["ui"], row["heading"], entry_terms, tree_numbers)


def _remove_leftovers(path: Path) -> None:
    """Remove what loaders that were killed left beside the table."""
    for left in path.parent.glob(f".{path.name}.*"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > _LEFT_OVER:
                left.unlink()
