"""Backup and restore as docs/hosting.md has it, while runs are being written."""

from __future__ import annotations

import sqlite3
import stat
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from clinfo.errors import UsageError
from clinfo.pipelines.literature.events import SynthesisText
from clinfo.records.articles import RunRequest
from tests.webapp.servers import absent, fresh_database, postgresql_program
from webapp.storage.database import backup, connect, existing, migrate, revision_problem
from webapp.storage.store import Store

pytestmark = pytest.mark.slow


def write(store: Store, run_id: str, count: int, stop: threading.Event | None = None) -> int:
    """Append events one by one; how many."""
    found = store.claim("w", 60)
    assert found is not None
    assert found[0].id == run_id
    for seq in range(count):
        if stop is not None and stop.is_set():
            return seq
        store.append(
            found[1],
            [(SynthesisText(attempt=0, piece=seq, text="x" * 500, seq=seq), float(seq))],
            60,
        )
    return count


@contextmanager
def under_load(store: Store) -> Iterator[str]:
    """The id of a run to which events are being appended."""
    run_id = store.create(RunRequest("Does zinc help?")).id
    stop = threading.Event()
    with ThreadPoolExecutor(1) as thread:
        writing = thread.submit(write, store, run_id, 100_000, stop)
        try:
            while not writing.done() and store.heads([run_id])[run_id].last_seq < 50:
                pass
            yield run_id
        finally:
            stop.set()
        assert writing.result() > 50


def check(restored: Store, done: str, running: str, at_least: int) -> None:
    """The restored database has all of the run that was done, and the other one as it was at some
    moment; and goes on.
    """
    assert revision_problem(restored.engine) is None
    assert [event.seq for event in restored.events(done)] == list(range(40))
    found = restored.get(running)
    assert found is not None
    assert found.last_seq >= at_least
    assert [event.seq for event in restored.events(running)] == list(range(found.last_seq + 1))
    restored.create(RunRequest("Does it go on?"))


def test_a_sqlite_database_in_use_is_backed_up_and_restored(tmp_path: Path) -> None:
    engine = connect(f"sqlite:///{tmp_path / 'webapp.sqlite'}")
    migrate(engine)
    store = Store(engine)
    done = store.create(RunRequest("Does yoga help?")).id
    write(store, done, 40)
    copy = tmp_path / "backup.sqlite"
    with under_load(store) as running:
        at_least = store.heads([running])[running].last_seq
        backup(engine, copy)
    engine.dispose()
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.glob("backup*")) == [
        "backup.sqlite"
    ]  # one file is all of it

    place = tmp_path / "restored" / "webapp.sqlite"
    place.parent.mkdir()
    copy.rename(place)
    restored = connect(f"sqlite:///{place}")
    check(Store(restored), done, running, at_least)
    restored.dispose()


def test_postgresql_is_backed_up_with_its_own_programs(postgresql: str) -> None:
    dump, restore = postgresql_program("pg_dump"), postgresql_program("pg_restore")
    if dump is None or restore is None:
        absent("postgresql", "pg_dump is not installed")
    with fresh_database(postgresql) as first, fresh_database(postgresql) as second:
        engine = connect(first)
        migrate(engine)
        with pytest.raises(UsageError, match="pg_dump"):
            backup(engine, Path("x"))
        store = Store(engine)
        done = store.create(RunRequest("Does yoga help?")).id
        write(store, done, 40)
        with under_load(store) as running:
            at_least = store.heads([running])[running].last_seq
            address = first.replace("+psycopg", "")
            dumped = subprocess.run(
                [dump, "--format=custom", address], check=True, capture_output=True, timeout=120
            ).stdout
        target = second.replace("+psycopg", "")
        subprocess.run(
            [
                restore,
                "--no-owner",
                "--exit-on-error",
                "--single-transaction",
                f"--dbname={target}",
            ],
            input=dumped,
            check=True,
            capture_output=True,
            timeout=120,
        )
        restored = connect(second)
        check(Store(restored), done, running, at_least)
        restored.dispose()
        engine.dispose()


def test_only_a_database_of_ours_is_there_to_be_copied(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        existing(f"sqlite:///{tmp_path / 'none.sqlite'}")
    foreign = tmp_path / "foreign.sqlite"
    with closing(sqlite3.connect(foreign)) as raw:
        raw.execute("CREATE TABLE runs (distance)")
    foreign.chmod(0o644)
    before = foreign.read_bytes()
    with pytest.raises(UsageError, match="no tables of this app"):
        existing(f"sqlite:///{foreign}")
    assert (foreign.read_bytes(), stat.S_IMODE(foreign.stat().st_mode)) == (before, 0o644)
    assert list(tmp_path.iterdir()) == [foreign]
    migrate(f"sqlite:///{tmp_path / 'ours.sqlite'}")
    assert revision_problem(existing(f"sqlite:///{tmp_path / 'ours.sqlite'}")) is None


@pytest.mark.parametrize(
    "content", [b"root:x:0:0:root:/root:/bin/sh\n", b"x", b"SQLite format 2\0 and so on"]
)
def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "passwd"
    file.write_bytes(content)
    file.chmod(0o644)
    for opened in (connect, existing):
        with pytest.raises(UsageError, match="database") as refused:
            opened(f"sqlite:///{file}")
        assert "\n" not in str(refused.value)
    assert (file.read_bytes(), stat.S_IMODE(file.stat().st_mode)) == (content, 0o644)
    with pytest.raises(UsageError, match="not a file"):
        connect(f"sqlite:///{tmp_path}")
