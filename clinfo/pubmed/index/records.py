"""The records of an index: the XML of every citation as it was read, packed, with the version in
which it came.

One SQLite file holds them beside the lists of versions and files, so that one transaction moves all
of it on. The key of a record is its PMID and the number of its version in one integer; what an
index held at version N is, of each PMID, the last row up to N, and a row without data is a
deletion.
"""

import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from clinfo.errors import RecordError, UsageError
from clinfo.files import sync_folder
from clinfo.pubmed.index.schema import FORM

if TYPE_CHECKING:
    import zstandard


FILE_NAME = "records.sqlite"
VERSION_BITS = 16
LAST_VERSION = (1 << VERSION_BITS) - 1
LEVEL = 3
"""Of zstandard's compression: higher ones save 5 % and cost as much time as the parsing."""
DICTIONARY_BYTES = 112 * 1024
FEWEST_SAMPLES = 200
"""A dictionary made of fewer records than this is not better than none."""
_LOCK_WAIT = 30.0
"""Seconds that a reader waits for the moment in which a builder's transaction ends."""
_TABLES = """
    CREATE TABLE records (id INTEGER PRIMARY KEY, edition INTEGER NOT NULL, data BLOB);
    CREATE TABLE dictionaries (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
    CREATE TABLE versions (
        number INTEGER PRIMARY KEY, day TEXT NOT NULL, built_at TEXT NOT NULL, citations INTEGER NOT NULL, mesh TEXT,
        mesh_year INTEGER
    );
    CREATE TABLE files (
        place INTEGER PRIMARY KEY, name TEXT NOT NULL, md5 TEXT NOT NULL, version INTEGER NOT NULL, bytes INTEGER NOT NULL,
        xml_bytes INTEGER NOT NULL, citations INTEGER NOT NULL, deleted INTEGER NOT NULL, unreadable INTEGER NOT NULL
    );
    CREATE TABLE progress (version INTEGER NOT NULL, step INTEGER NOT NULL);
"""  # noqa: E501


@dataclass(frozen=True)
class LoadedFile:
    """A citation file that an index holds: ``md5`` of it as it lies on disk, the version that it
    came with, what was in it.
    """

    name: str
    md5: str
    version: int
    bytes: int
    xml_bytes: int
    citations: int
    deleted: int
    unreadable: int


@dataclass(frozen=True)
class Version:
    """An index as it stood after a build. ``day`` is ISO 8601; ``mesh`` is the file of its MeSH
    table in the index's folder.
    """

    number: int
    day: str
    built_at: str
    citations: int
    mesh: str | None = None
    mesh_year: int | None = None


def packer(dictionary: bytes | None) -> Callable[[bytes], bytes]:
    """A function that packs records for the store; one for each thread or process."""
    import zstandard

    prepared = None
    if dictionary:
        prepared = zstandard.ZstdCompressionDict(dictionary)
        prepared.precompute_compress(level=LEVEL)
    return zstandard.ZstdCompressor(level=LEVEL, dict_data=prepared, write_checksum=False).compress


def trained(samples: Sequence[bytes]) -> bytes | None:
    """A dictionary for records like these, None where there are too few to learn from."""
    import zstandard

    if len(samples) < FEWEST_SAMPLES:
        return None
    try:
        return zstandard.train_dictionary(DICTIONARY_BYTES, list(samples)).as_bytes()
    except zstandard.ZstdError:  # records too short or too much alike to need one
        return None


class Records:
    """The store, read from any number of threads. Raises RecordError where the file is missing or
    damaged.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self._local = threading.local()
        self._opened: list[sqlite3.Connection] = []
        self._decompressors: dict[int, zstandard.ZstdCompressionDict] = {}
        self._lock = threading.Lock()

    def versions(self) -> list[Version]:
        """All versions, oldest first."""
        rows = self._rows(
            "SELECT number, day, built_at, citations, mesh, mesh_year FROM versions ORDER BY number"
        )
        return [Version(*row) for row in rows]

    def files(self, version: int | None = None) -> list[LoadedFile]:
        """The files that the version holds, in the order in which they were loaded; None for all,
        of an unfinished build too.
        """
        rows = self._rows(
            """SELECT name, md5, version, bytes, xml_bytes, citations, deleted, unreadable FROM files
               WHERE version <= ? ORDER BY place""",  # noqa: E501
            (LAST_VERSION if version is None else version,),
        )
        return [LoadedFile(*row) for row in rows]

    def read(self, pmids: Iterable[int], version: int) -> Iterator[tuple[int, bytes]]:
        """(PMID, XML) of those that the version holds, in the order asked."""
        last = "SELECT data FROM records WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1"
        for pmid in pmids:
            if pmid.bit_length() + VERSION_BITS > 63:
                continue
            for (data,) in self._rows(last, (row_of(pmid, 0), row_of(pmid, version))):
                if data is not None:
                    yield pmid, self._unpacked(data)

    def close(self) -> None:
        """Close the connections of all threads."""
        with self._lock:
            for connection in self._opened:
                connection.close()
            self._opened.clear()
            self._local = threading.local()

    def _rows(self, statement: str, values: Sequence[object] = ()) -> list[tuple]:  # type: ignore[type-arg]
        try:
            return self._connection().execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise RecordError(f"the index's records cannot be read: {error}") from error

    def _connection(self) -> sqlite3.Connection:
        found: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if found is None:
            # Closing happens in one thread for all; each connection is otherwise used in its own.
            address = f"{self._path.absolute().as_uri()}?mode=ro"
            found = sqlite3.connect(address, uri=True, timeout=_LOCK_WAIT, check_same_thread=False)
            self._local.connection = found
            with self._lock:
                self._opened.append(found)
        return found

    def _unpacked(self, data: bytes) -> bytes:
        import zstandard

        try:
            number = zstandard.get_frame_parameters(data).dict_id
            dictionary = self._decompressors.get(number) if number else None
            if number and dictionary is None:
                for (stored,) in self._rows(
                    "SELECT data FROM dictionaries WHERE id = ?", (number,)
                ):
                    dictionary = self._decompressors[number] = zstandard.ZstdCompressionDict(stored)
            return zstandard.ZstdDecompressor(dict_data=dictionary).decompress(data)
        except (zstandard.ZstdError, MemoryError) as error:  # a damaged head may claim any length
            raise RecordError("a record of the index is damaged") from error


def row_of(pmid: int, version: int) -> int:
    """Key of the row that a record of this PMID has if it came with this version."""
    return pmid << VERSION_BITS | version


class RecordWriter:
    """The store of the one process that builds. Everything between two calls of `commit` counts
    together or not at all.
    """

    def __init__(self, folder: Path) -> None:
        path = folder / FILE_NAME
        fresh = not path.exists()
        self._connection = sqlite3.connect(path, timeout=_LOCK_WAIT, isolation_level=None)
        run = self._connection.execute
        if fresh:
            run("PRAGMA page_size = 16384")
        run("PRAGMA journal_mode = WAL")  # readers go on reading while a build writes
        run("PRAGMA synchronous = FULL")
        run("PRAGMA cache_size = -65536")
        run("BEGIN IMMEDIATE")
        if not run("SELECT 1 FROM sqlite_master WHERE name = 'progress'").fetchone():
            for statement in _TABLES.split(";"):
                run(statement)
            run("INSERT INTO progress VALUES (0, 0)")
        run("COMMIT")
        run("BEGIN IMMEDIATE")

    # Where the build stands

    @property
    def progress(self) -> tuple[int, int]:
        """(version being built or built last, its last step; 0 when it is finished)."""
        version, step = self._connection.execute("SELECT version, step FROM progress").fetchone()
        return int(version), int(step)

    def note_progress(self, version: int, step: int) -> None:
        self._connection.execute("UPDATE progress SET version = ?, step = ?", (version, step))

    def versions(self) -> list[Version]:
        rows = self._connection.execute(
            "SELECT number, day, built_at, citations, mesh, mesh_year FROM versions ORDER BY number"
        )
        return [Version(*row) for row in rows]

    def add_version(self, version: Version) -> None:
        self._connection.execute("INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?)", astuple(version))

    def loaded(self) -> set[tuple[str, str]]:
        """(name, md5) of every file that is loaded."""
        return set(self._connection.execute("SELECT name, md5 FROM files"))

    def add_file(self, one: LoadedFile) -> None:
        self._connection.execute(
            "INSERT INTO files VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)", astuple(one)
        )

    def dictionary(self) -> bytes | None:
        """The dictionary that records are packed with, None where there is none yet."""
        row = self._connection.execute(
            "SELECT data FROM dictionaries ORDER BY rowid DESC LIMIT 1"
        ).fetchone()
        return None if row is None else bytes(row[0])

    def add_dictionary(self, data: bytes) -> None:
        import zstandard

        number = zstandard.ZstdCompressionDict(data).dict_id()
        self._connection.execute(
            "INSERT OR REPLACE INTO dictionaries VALUES (?, ?)", (number, data)
        )

    # Records

    def highest(self) -> int:
        """The highest PMID of any row, -1 where there is none."""
        row = self._connection.execute("SELECT max(id) FROM records").fetchone()[0]
        return -1 if row is None else int(row) >> VERSION_BITS

    def held(self, pmid: int) -> int | None:
        """The PMID Version of the record that is held of this PMID, None where there is none or it
        was deleted.
        """
        row = self._connection.execute(
            (
                "SELECT edition, data IS NULL FROM records WHERE id BETWEEN ? AND ? ORDER BY "
                "id DESC LIMIT 1"
            ),
            (pmid << VERSION_BITS, pmid << VERSION_BITS | LAST_VERSION),
        ).fetchone()
        return None if row is None or row[1] else int(row[0])

    def put(self, rows: Iterable[tuple[int, int, bytes | None]]) -> None:
        """Store (row, PMID Version, packed XML or None for a deletion)."""
        self._connection.executemany("INSERT OR REPLACE INTO records VALUES (?, ?, ?)", rows)

    def drop(self, version: int) -> None:
        """Forget a version that is not the last one, and the records that no other version has."""
        run = self._connection.execute
        run("DELETE FROM versions WHERE number = ?", (version,))
        run(f"""
            DELETE FROM records WHERE id IN (
                SELECT id FROM (SELECT id, lead(id) OVER (ORDER BY id) AS next FROM records)
                WHERE next >> {VERSION_BITS} = id >> {VERSION_BITS} AND NOT EXISTS (
                    SELECT 1 FROM versions
                    WHERE number >= id & {LAST_VERSION} AND number < next & {LAST_VERSION}
                )
            )""")

    def commit(self) -> None:
        self._connection.execute("COMMIT")
        self._connection.execute("BEGIN IMMEDIATE")

    def close(self) -> None:
        """Drop what was not committed, and leave one plain file where nobody reads it just now."""
        self._connection.rollback()
        try:
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._connection.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.Error:  # readers are at it: the next build tidies up
            pass
        finally:
            self._connection.close()


BUILD_IT = "clinfo index build FILE… --out DIR"


class Folder:
    """The paths of the parts of an index.

    index.json          which form the folder has
    lock                held by the process that builds
    records.sqlite      records, versions, files, and how far a build has come
    versions/N/         the search engine's files as of version N; nobody writes to them
    mesh-N.sqlite       the MeSH table that came with version N
    steps/N-K/          the search engine's files after step K of the build of version N
    work/               where a build writes; worth nothing once it has stopped

    The search engine never changes a file, it writes new ones, so states share their files as hard
    links.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock, self.work, self.records = path / "lock", path / "work", path / FILE_NAME

    def version(self, number: int) -> Path:
        return self.path / "versions" / str(number)

    def step(self, version: int, number: int) -> Path:
        return self.path / "steps" / f"{version}-{number}"

    def mesh(self, version: int) -> Path:
        return self.path / f"mesh-{version}.sqlite"

    def check(self) -> None:
        """Raise UsageError where this is not an index, or one of another form."""
        try:
            form = json.loads((self.path / "index.json").read_text("utf-8"))["form"]
        except FileNotFoundError:
            if self.path.exists():
                raise UsageError(
                    f"{self.path} is not a local index; build one with {BUILD_IT}"
                ) from None
            raise UsageError(
                f"no local index exists at {self.path}; build one with {BUILD_IT}"
            ) from None
        except OSError as error:
            raise UsageError(f"{self.path} cannot be read: {error.strerror or error}") from None
        except (ValueError, KeyError, TypeError):
            raise RecordError(
                f"{self.path / 'index.json'} is damaged; build the index again in another folder"
            ) from None
        if form != FORM:
            raise UsageError(
                f"{self.path} is an index of another version (form {form}; this program reads form "
                f"{FORM}): "
                "build it again in another folder"
            )

    def create(self) -> None:
        """Make an empty index here, unless there is one. Raises UsageError where the folder holds
        something else.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        named = self.path / "index.json"
        if named.exists():
            self.check()
            return
        strangers = [
            one.name for one in self.path.iterdir() if one.name not in ("lock", "index.json.new")
        ]
        if strangers:
            raise UsageError(
                f"{self.path} holds other files ({sorted(strangers)[0]} …) but no index: name a "
                "new or empty folder"
            )
        written = named.with_name("index.json.new")
        written.write_text(json.dumps({"schema": 1, "form": FORM}) + "\n", "utf-8")
        written.replace(named)

    def clear_work(self) -> None:
        """Remove what a build that stopped has left."""
        shutil.rmtree(self.work, ignore_errors=True)

    def clear_steps(self, but: Path | None = None) -> None:
        """Remove all steps ``but`` one, and half-made states."""
        for area in ("steps", "versions"):
            if (self.path / area).is_dir():
                for one in (self.path / area).iterdir():
                    if one.name.startswith(".") or (area == "steps" and one != but):
                        shutil.rmtree(one, ignore_errors=True)


def share(state: Path, target: Path) -> None:
    """Make ``target`` a state with the same files; it is there whole or not at all."""
    target.parent.mkdir(parents=True, exist_ok=True)
    half = target.with_name(f".{target.name}")
    shutil.rmtree(half, ignore_errors=True)
    shutil.copytree(state, half, copy_function=_link, ignore=shutil.ignore_patterns("*.lock"))
    sync_folder(half)
    shutil.rmtree(target, ignore_errors=True)
    half.rename(target)
    sync_folder(target.parent)


def _link(file: str, target: str) -> None:
    try:
        os.link(file, target)
    except OSError:
        shutil.copy2(file, target)  # a file system without hard links


def size_of(folder: Path) -> int:
    """Bytes of all files below the folder, shared ones counted once."""
    seen: dict[tuple[int, int], int] = {}
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                status = os.lstat(os.path.join(place, name))
                seen[status.st_dev, status.st_ino] = status.st_size
    return sum(seen.values())
