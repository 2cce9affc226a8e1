"""The writing of a table of MeSH on this machine. What can be asked of it is said at
`clinfo.terms.mesh.Mesh`.
"""

import contextlib
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from clinfo.errors import RecordError
from clinfo.records.articles import MeshDescriptor
from clinfo.terms.mesh import FORM, Edition, number_of
from clinfo.text.words import key

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
"""  # noqa: E501


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
        for left in path.parent.glob(f".{path.name}.*"):  # of loaders that were killed
            with contextlib.suppress(OSError):
                if time.time() - left.stat().st_mtime > _LEFT_OVER:
                    left.unlink()
        edition = _filled(beside, in_order, *origin())
        with beside.open("rb+") as file:
            os.fsync(file.fileno())
        beside.replace(path)
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
    for number, one in enumerate(descriptors, start=1):
        own = {key(name) for name in (one.heading, *one.entry_terms)} - {""}
        names.update((name, number) for name in own)
        places.update((place, number) for place in one.tree_numbers)
        actions.update((key(action), number) for action in one.actions)
    loaded_at = datetime.now(UTC).isoformat(timespec="seconds")
    entry_terms = sum(len(one.entry_terms) for one in descriptors)
    edition = Edition(year, source, sha256, len(descriptors), entry_terms, loaded_at)
    most_words = max((name.count(" ") + 1 for name, _ in names), default=0)
    facts: Mapping[str, Any] = {
        "form": FORM,
        "most_words": most_words,
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
        connection.execute("CREATE UNIQUE INDEX descriptors_by_ui ON descriptors (ui)")
    return edition
