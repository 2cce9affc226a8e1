"""Replies kept on disk, so that the same call is not made (and paid for) twice."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

MAX_BYTES = 1_000_000_000
LOCK_WAIT = 2.0
"""Seconds to wait for another process that writes; after that the cache is passed over this
once.
"""
CLOCKS_DIFFER = 60.0
"""Seconds that an entry may lie in the future."""

log = logging.getLogger("clinfo")
T = TypeVar("T")


class Cache:
    """A SQLite file of texts by key, with the time each was stored; safe between threads and
    between processes.

    Keys are digests (`key_of`), so what was asked cannot be read from the file. Values are the
    replies themselves and can: that is what a cache is for, which is why the file is readable by
    its owner only (0600, in a folder made 0700).

    What is stored or found under an ``owner`` (a run) is noted as used by it; `forget` takes away
    what no other owner used.

    A file that is damaged or cannot be written leads to one warning, kept in ``problem``, and from
    then on nothing is found and nothing stored; the file is left as it is. Beyond ``max_bytes`` the
    oldest entries make room. Without ``make_folder`` the folder must be there: one that was taken
    away meanwhile stays away.
    """

    def __init__(
        self,
        path: str | Path,
        max_bytes: int = MAX_BYTES,
        owner: str | None = None,
        make_folder: bool = True,
    ) -> None:
        self.path = Path(path)
        self.max_bytes = max_bytes
        self.owner = owner
        self._make_folder = make_folder
        self.problem: str | None = None
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._opened_by: int | None = None
        self._journalled = False  # what was forgotten may still be in SQLite's journal

    @staticmethod
    def key_of(*parts: object) -> str:
        """SHA-256 of ``parts`` (anything JSON can hold) in canonical JSON; equal parts give equal
        keys, everywhere.
        """
        canonical = json.dumps(parts, sort_keys=True, separators=(",", ":"), allow_nan=False)
        return hashlib.sha256(canonical.encode("ascii")).hexdigest()

    def get(self, key: str, max_age: float | None = None) -> str | None:
        """The text stored under ``key``, None if there is none, or with ``max_age`` if it is older
        than so many seconds, or of a time to come.
        """

        def found(connection: sqlite3.Connection) -> str | None:
            row = connection.execute(
                "SELECT value, stored FROM entries WHERE key = ?", (key,)
            ).fetchone()
            try:
                if row is None or (max_age is not None and not _fresh(row[1], max_age)):
                    return None
                value = str(row[0], "utf-8", "surrogatepass")
            except (TypeError, UnicodeDecodeError):  # one entry that is damaged counts as absent
                return None
            self._own(connection, key)
            return value

        return self._done(found, None)

    def put(self, key: str, value: str) -> None:
        """Store ``value`` under ``key``, replacing what was there."""
        data = value.encode("utf-8", "surrogatepass")

        def stored(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", (key, data, time.time())
            )
            self._own(connection, key)
            self._make_room(connection)

        if len(data) <= self.max_bytes // 2:
            self._done(stored, None)

    def forget(self, owner: str) -> int:
        """Take away the entries that ``owner`` used and no other owner did, from SQLite's journal
        too; how many.

        Where somebody is reading the file at that moment, the journal is left to the next call.
        """
        alone = (
            "SELECT key FROM owners WHERE owner = ? AND key NOT IN (SELECT key FROM owners WHERE "
            "owner != ?)"
        )

        def gone(connection: sqlite3.Connection) -> int:
            count = connection.execute(
                f"DELETE FROM entries WHERE key IN ({alone})", (owner, owner)
            ).rowcount
            connection.execute("DELETE FROM owners WHERE owner = ?", (owner,))
            return count

        def emptied(connection: sqlite3.Connection) -> bool:
            return bool(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])

        count = self._done(gone, 0)
        self._journalled = self._journalled or count > 0
        if self._journalled:
            self._journalled = self._done(emptied, True)
        return count

    def _done(self, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """The result of ``work`` as one transaction; ``otherwise`` where the file cannot be used,
        which is noted.
        """
        with self._lock:
            try:
                connection = self._open()
                if connection is None:
                    return otherwise
                with connection:
                    return work(connection)
            except (sqlite3.Error, OSError) as error:
                if not (isinstance(error, sqlite3.OperationalError) and "locked" in str(error)):
                    self.problem = (
                        f"the cache {self.path} cannot be used ({error}); continuing without it"
                    )
                    log.warning(self.problem)
                return otherwise

    def _own(self, connection: sqlite3.Connection, key: str) -> None:
        if self.owner is not None:
            connection.execute("INSERT OR IGNORE INTO owners VALUES (?, ?)", (key, self.owner))

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            if self._connection is not None and self._opened_by == os.getpid():
                self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection | None:
        if self.problem is not None:
            return None
        # A connection must not be used across fork(), so a child process opens its own.
        if self._connection is None or self._opened_by != os.getpid():
            self._connection = _opened(self.path, self._make_folder)
            self._opened_by = os.getpid()
        return self._connection

    def _make_room(self, connection: sqlite3.Connection) -> None:
        while _used_bytes(connection) > self.max_bytes:
            (rows,) = connection.execute("SELECT count(*) FROM entries").fetchone()
            if rows <= 1:
                return
            connection.execute(
                (
                    "DELETE FROM entries WHERE key IN (SELECT key FROM entries ORDER BY stored "
                    "LIMIT ?)"
                ),
                (rows // 10 + 1,),
            )
            connection.execute("DELETE FROM owners WHERE key NOT IN (SELECT key FROM entries)")


def _fresh(stored: float, max_age: float) -> bool:
    """Return whether an entry is young enough; one of tomorrow comes of a clock that was wrong."""
    age = time.time() - stored
    return -CLOCKS_DIFFER <= age <= max_age


def _opened(path: Path, make_folder: bool) -> sqlite3.Connection:
    if make_folder:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Created here with its mode, because SQLite would follow the umask; its -wal and -shm files
    # copy the mode.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    if path.stat().st_mode & 0o077:
        path.chmod(0o600)
    connection = sqlite3.connect(path, timeout=LOCK_WAIT, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, value BLOB NOT NULL, stored "
            "REAL NOT NULL)"
        )
        connection.execute("CREATE INDEX IF NOT EXISTS entries_by_age ON entries (stored)")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS owners (key TEXT, owner TEXT, PRIMARY KEY (key, owner)) "
            "WITHOUT ROWID"
        )
        connection.execute("CREATE INDEX IF NOT EXISTS owners_by_owner ON owners (owner)")
        connection.execute("PRAGMA secure_delete = ON")
        connection.commit()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _used_bytes(connection: sqlite3.Connection) -> int:
    pragmas = ("page_count", "freelist_count", "page_size")
    pages, free, size = (connection.execute(f"PRAGMA {pragma}").fetchone()[0] for pragma in pragmas)
    return int((pages - free) * size)
