"""MeSH descriptors on this machine: a table to look headings, entry terms and the tree up in.

The table is one SQLite file that nobody writes to once it is there (`write_table` puts a new one in its place), so opening
it costs a millisecond and a lookup reads a few pages. Names are compared by `clinfo.pubmed.words.key`, so that a heading's
brackets, commas and hyphens count as spaces.
"""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
import threading
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from clinfo.errors import RecordError
from clinfo.pubmed.words import key
from clinfo.records import MeshDescriptor, MeshMatch

FILE_NAME = "mesh.sqlite"
"""Name of the table's file in the folder of data (`clinfo.settings.Settings.data_dir`)."""
FORM = 1
"""Counted up when the table's columns change; a table of another form has to be loaded again."""
SUGGESTIONS = 3
"""Nearest headings that come with a text that is none."""
_MOST_EXPLODED = 512
_UI = re.compile(r"D[0-9]{6,9}")
_LEFT_OVER = 3600.0
"""Seconds after which a table that nobody put in its place is taken for abandoned; filling one takes two."""
Kind = Literal["heading", "entry term"]
_SCHEMA = """
    CREATE TABLE facts (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE descriptors (number INTEGER PRIMARY KEY, ui TEXT, heading TEXT, entry_terms TEXT, tree_numbers TEXT);
    CREATE TABLE names (key TEXT, descriptor INTEGER, PRIMARY KEY (key, descriptor)) WITHOUT ROWID;
    CREATE TABLE trees (tree_number TEXT, descriptor INTEGER, PRIMARY KEY (tree_number, descriptor)) WITHOUT ROWID;
    CREATE TABLE words (word TEXT PRIMARY KEY, descriptors BLOB) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class Edition:
    """Which MeSH a table holds: the year (None where the file does not tell), the file's name and SHA-256, numbers, loading time.

    ``loaded_at`` is ISO 8601, UTC.
    """

    year: int | None
    source: str
    sha256: str
    descriptors: int
    entry_terms: int
    loaded_at: str


def table_path(data_dir: Path) -> Path:
    """Where the table lies in the folder of data."""
    return data_dir / FILE_NAME


class MeshTable:
    """The MeSH table in one file, opened at the first lookup; to be used from any number of threads.

    Every method raises RecordError where the file is missing, damaged or of another form. Which descriptor a name means is
    said at `meant`.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._opened_by: int | None = None
        self._most_words = 0
        self._edition: Edition | None = None
        self._vocabulary: tuple[str, ...] = ()
        self._exploded = lru_cache(maxsize=_MOST_EXPLODED)(self._explode)

    @property
    def edition(self) -> Edition:
        """Which MeSH this is."""
        with self._lock:
            self._open()
            assert self._edition is not None
            return self._edition

    def descriptor(self, name: str) -> MeshDescriptor | None:
        """The descriptor with this unique identifier (``D001249``), heading or entry term."""
        if _UI.fullmatch(ui := name.strip().upper()) and (found := self._rows("SELECT * FROM descriptors WHERE ui = ?", (ui,))):
            return _descriptor(found[0])
        named = self._meant(name)
        return named[1] if named is not None else None

    def match(self, text: str) -> MeshMatch:
        """What MeSH holds for ``text``; where it holds nothing, with the nearest headings."""
        found = self._meant(text)
        return MeshMatch(text, *found) if found is not None else MeshMatch(text, "unknown", None, self.near(text))

    def longest(self, words: Sequence[str], start: int = 0) -> tuple[int, MeshDescriptor] | None:
        """The longest run of ``words`` (as of `clinfo.pubmed.words.words`) from ``start`` on that is a heading or an entry term.

        Gives the number of words and the descriptor, None where no run is one.
        """
        self._rows("SELECT 1", ())  # the table must be open for the number of words to be known
        runs = list(_runs(words[start : start + self._most_words]))
        if not runs:
            return None
        marks = ",".join("?" * len(runs))
        named = self._rows(f"SELECT DISTINCT key FROM names WHERE key IN ({marks})", runs)
        longest = max((name for (name,) in named), key=len, default="")
        found = self._meant(longest) if longest else None
        return (longest.count(" ") + 1, found[1]) if found is not None else None

    def explode(self, name: str) -> frozenset[str]:
        """The heading of ``name`` (identifier, heading or entry term) and all narrower ones, as keys; empty if there is none.

        What was asked for last is remembered, because queries come back to the same headings.
        """
        return self._exploded(name)

    def _explode(self, name: str) -> frozenset[str]:
        descriptor = self.descriptor(name)
        if descriptor is None:
            return frozenset()
        return frozenset((key(descriptor.heading), *(key(heading) for heading in self.narrower(descriptor))))

    def narrower(self, descriptor: MeshDescriptor) -> list[str]:
        """The headings below ``descriptor`` at any of its places in the tree, in alphabetical order."""
        below: set[int] = set()
        for place in descriptor.tree_numbers:
            # "/" is the character after ".", so this is all that begins with the number and a dot.
            found = self._rows("SELECT descriptor FROM trees WHERE tree_number > ? AND tree_number < ?", (f"{place}.", f"{place}/"))
            below.update(number for (number,) in found)
        headings = {row["heading"] for row in self._numbered(sorted(below)).values()} - {descriptor.heading}
        return sorted(headings, key=str.lower)

    def near(self, text: str, limit: int = SUGGESTIONS) -> tuple[str, ...]:
        """The headings that themselves or by an entry term come nearest to ``text``, nearest first; none that is far."""
        from clinfo.pubmed.mesh_nearest import nearest

        return nearest(self, text, limit)

    def close(self) -> None:
        """Close the file; the next lookup opens it again."""
        with self._lock:
            if self._connection is not None and self._opened_by == os.getpid():
                self._connection.close()
            self._connection = None

    def bearing(self, words: Sequence[str]) -> dict[str, array[int]]:
        """For each of ``words`` that occurs in any name: the numbers of the descriptors in whose names it does."""
        marks = ",".join("?" * len(words))
        return {word: array("I", blob) for word, blob in self._rows(f"SELECT * FROM words WHERE word IN ({marks})", words)}

    def vocabulary(self) -> Sequence[str]:
        """All words of headings and entry terms that are no numbers."""
        if not self._vocabulary:
            ((text,),) = self._rows("SELECT value FROM facts WHERE name = 'vocabulary'", ())
            self._vocabulary = tuple(text.split("\n"))
        return self._vocabulary

    def numbered(self, numbers: Sequence[int]) -> dict[int, MeshDescriptor]:
        """The descriptors with these numbers of this table."""
        return {number: _descriptor(row) for number, row in self._numbered(numbers).items()}

    def _meant(self, name: str) -> tuple[Kind, MeshDescriptor] | None:
        numbers = self._rows("SELECT descriptor FROM names WHERE key = ?", (key(name),))
        return meant(name, list(self.numbered([number for (number,) in numbers]).values())) if numbers else None

    def _numbered(self, numbers: Sequence[int]) -> dict[int, sqlite3.Row]:
        rows: dict[int, sqlite3.Row] = {}
        for start in range(0, len(numbers), 500):
            some = numbers[start : start + 500]
            marks = ",".join("?" * len(some))
            found = self._rows(f"SELECT * FROM descriptors WHERE number IN ({marks}) ORDER BY number", some)
            rows.update((row["number"], row) for row in found)
        return rows

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
        if not self.path.is_file():
            raise RecordError(f"there is no MeSH table at {self.path}: load NLM's file with python -m clinfo mesh load FILE")
        connection = sqlite3.connect(f"{self.path.resolve().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False)
        try:
            connection.row_factory = sqlite3.Row
            facts = dict(connection.execute("SELECT name, value FROM facts WHERE name != 'vocabulary'").fetchall())
            if facts["form"] != FORM:
                raise self._unusable(f"was made by another version (form {facts['form']}, not {FORM})")
            self._edition = Edition(**{field.name: facts[field.name] for field in fields(Edition)})
            self._most_words = facts["most_words"]
        except (sqlite3.Error, KeyError, RecordError) as error:
            connection.close()
            raise error if isinstance(error, RecordError) else self._unusable("cannot be read") from None
        self._connection, self._opened_by = connection, os.getpid()
        return connection

    def _unusable(self, why: str) -> RecordError:
        return RecordError(f"the MeSH table {self.path} {why}: load NLM's file again with python -m clinfo mesh load FILE")


def meant(name: str, descriptors: Sequence[MeshDescriptor]) -> tuple[Kind, MeshDescriptor] | None:
    """Which of ``descriptors`` is called ``name``, None if none is.

    A heading wins over an entry term. Where several bear a name that `clinfo.pubmed.words.key` takes for the same, the one
    that is spelt exactly so (but for case and spaces) wins, then the one with the lowest number, which is the oldest.
    """
    compared, exact = key(name), plain(name)
    called: list[tuple[bool, bool, int, Kind, MeshDescriptor]] = []
    for one in descriptors:
        is_heading = key(one.heading) == compared
        if is_heading or any(key(term) == compared for term in one.entry_terms):
            spelt = exact in map(plain, (one.heading, *one.entry_terms))
            called.append((not is_heading, not spelt, _number(one), "heading" if is_heading else "entry term", one))
    if not called:
        return None
    *_, kind, descriptor = min(called, key=lambda found: found[:3])
    return kind, descriptor


def plain(name: str) -> str:
    """``name`` in lower case with single spaces: two spellings that differ in nothing else are the same."""
    return " ".join(name.casefold().split())


def write_table(
    path: Path, descriptors: Iterable[MeshDescriptor], origin: Callable[[], tuple[int | None, str, str]]
) -> Edition:
    """Make a table of ``descriptors`` and put it at ``path``, in one step: whatever fails, a table that was there stays.

    ``origin`` tells the year, the file's name and its SHA-256 once all ``descriptors`` are read. Raises RecordError where the
    table cannot be written, and whatever ``descriptors`` raises.
    """
    in_order = sorted(descriptors, key=lambda one: (_number(one), one.ui))
    beside = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(path)
        edition = _filled(beside, in_order, *origin())
        with beside.open("rb+") as file:
            os.fsync(file.fileno())
        beside.replace(path)
        _sync_folder(path.parent)
        return edition
    except (sqlite3.Error, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise RecordError(f"the MeSH table {path} cannot be written: {reason}") from None
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)


def _filled(path: Path, descriptors: Sequence[MeshDescriptor], year: int | None, source: str, sha256: str) -> Edition:
    names: set[tuple[str, int]] = set()
    places: set[tuple[str, int]] = set()
    bearers: dict[str, set[int]] = {}
    for number, one in enumerate(descriptors, start=1):
        own = {key(name) for name in (one.heading, *one.entry_terms)} - {""}
        names.update((name, number) for name in own)
        places.update((place, number) for place in one.tree_numbers)
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
        connection.execute("PRAGMA journal_mode = OFF")  # a file that is not finished is thrown away
        connection.execute("PRAGMA synchronous = OFF")
        connection.executescript(_SCHEMA)
        connection.executemany("INSERT INTO facts VALUES (?, ?)", facts.items())
        connection.executemany("INSERT INTO descriptors VALUES (?, ?, ?, ?, ?)", _rows_of(descriptors))
        connection.executemany("INSERT INTO names VALUES (?, ?)", sorted(names))
        connection.executemany("INSERT INTO trees VALUES (?, ?)", sorted(places))
        packed = ((word, array("I", sorted(numbers)).tobytes()) for word, numbers in sorted(bearers.items()))
        connection.executemany("INSERT INTO words VALUES (?, ?)", packed)
        connection.execute("CREATE UNIQUE INDEX descriptors_by_ui ON descriptors (ui)")
    return edition


def _rows_of(descriptors: Iterable[MeshDescriptor]) -> Iterator[tuple[int, str, str, str, str]]:
    for number, one in enumerate(descriptors, start=1):
        yield number, one.ui, one.heading, "\n".join(one.entry_terms), "\n".join(one.tree_numbers)


def _descriptor(row: sqlite3.Row) -> MeshDescriptor:
    entry_terms, tree_numbers = (tuple(row[name].split("\n")) if row[name] else () for name in ("entry_terms", "tree_numbers"))
    return MeshDescriptor(row["ui"], row["heading"], entry_terms, tree_numbers)


def _number(descriptor: MeshDescriptor) -> int:
    return int(descriptor.ui[1:])


def _runs(words: Sequence[str]) -> Iterator[str]:
    run = ""
    for word in words:
        run = f"{run} {word}" if run else word
        yield run


def _remove_leftovers(path: Path) -> None:
    """Remove what loaders that were killed left beside the table."""
    for left in path.parent.glob(f".{path.name}.*"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > _LEFT_OVER:
                left.unlink()


def _sync_folder(folder: Path) -> None:
    """Have the new name reach the disk too, where the system can do that."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
