"""Real servers for tests: a PostgreSQL and a Redis of their own, on free ports, with all their
files in a temporary folder.

Where one is not installed, tests that need it are skipped, or fail where CLINFO_TEST_REQUIRE names
it ("postgresql,redis").
"""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.required import absent
from tests.webapp.running import free_port

_START_SECONDS = 60.0


def postgresql_program(name: str) -> Path | None:
    """A program of the newest PostgreSQL server that is installed; Debian keeps those of servers
    out of PATH.
    """
    debian = sorted(
        Path("/usr/lib/postgresql").glob(f"*/bin/{name}"),
        key=lambda path: float(path.parent.parent.name),
    )
    if debian:
        return debian[-1]
    found = shutil.which(name)
    return Path(found) if found else None


@contextmanager
def running_postgresql() -> Iterator[str]:
    """The address of a fresh PostgreSQL server's database; without fsync. Skips where PostgreSQL is
    not installed.
    """
    initdb, postgres = postgresql_program("initdb"), postgresql_program("postgres")
    if initdb is None or postgres is None:
        absent("postgresql", "PostgreSQL is not installed")
    folder = Path(tempfile.mkdtemp(prefix="clinfo-pg-"))
    try:
        account: dict[str, Any] = {"cwd": folder, "start_new_session": True}
        if os.geteuid() == 0:  # which PostgreSQL refuses to run as
            try:
                shutil.chown(folder, "postgres", "postgres")
            except LookupError:
                absent("postgresql", "there is no account postgres to run PostgreSQL under")
            account |= {"user": "postgres", "group": "postgres", "extra_groups": []}
        data = folder / "data"
        command = [
            str(initdb),
            "-D",
            str(data),
            "-U",
            "clinfo",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C",
            "--no-sync",
        ]
        subprocess.run(command, check=True, capture_output=True, timeout=120, **account)

        def start(port: int) -> list[str]:
            options = {
                "listen_addresses": "127.0.0.1",
                "port": port,
                "unix_socket_directories": folder,
                "fsync": "off",
                "max_connections": 200,
                "shared_buffers": "32MB",
            }
            return [
                str(postgres),
                "-D",
                str(data),
                *(f"-c{name}={value}" for name, value in options.items()),
            ]

        def ready(port: int) -> bool:
            import psycopg

            try:
                psycopg.connect(
                    f"postgresql://clinfo@127.0.0.1:{port}/postgres", connect_timeout=2
                ).close()
            except psycopg.OperationalError:
                return False
            return True

        with _served(start, ready, folder / "log", signal.SIGINT, account) as port:
            yield f"postgresql://clinfo@127.0.0.1:{port}/postgres"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running_redis() -> Iterator[str]:
    """The address of a fresh Redis server that keeps nothing on disk. Skips where Redis is not
    installed.
    """
    program = shutil.which("redis-server")
    if program is None:
        absent("redis", "Redis is not installed")
    folder = Path(tempfile.mkdtemp(prefix="clinfo-redis-"))
    try:

        def start(port: int) -> list[str]:
            where = ["--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder)]
            return [str(program), *where, "--save", "", "--appendonly", "no"]

        def ready(port: int) -> bool:
            import redis

            try:
                with redis.Redis(port=port, socket_timeout=2) as client:
                    return bool(client.ping())
            except redis.RedisError:
                return False

        with _served(
            start, ready, folder / "log", signal.SIGTERM, {"cwd": folder, "start_new_session": True}
        ) as port:
            yield f"redis://127.0.0.1:{port}/0"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _served(
    start: Callable[[int], list[str]],
    ready: Callable[[int], bool],
    log: Path,
    stop: signal.Signals,
    account: dict[str, Any],
) -> Iterator[int]:
    """The port of a server, started again on another one where somebody was faster to take it."""
    for attempt in range(5):
        port = free_port()
        with log.open("wb") as written:
            process = subprocess.Popen(
                start(port),
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=written,
                preexec_fn=_end_with_us,
                **account,
            )
        try:
            give_up = time.monotonic() + _START_SECONDS
            while process.poll() is None and not ready(port):
                if time.monotonic() > give_up:
                    pytest.fail(f"the server did not start in {_START_SECONDS:.0f} s: {_end(log)}")
                time.sleep(0.05)
            if process.poll() is None:
                yield port
                return
            if attempt == 4:
                pytest.fail(f"the server ended with {process.returncode}: {_end(log)}")
        finally:
            if process.poll() is None:
                process.send_signal(stop)
                try:
                    process.wait(20)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def _end_with_us() -> None:
    """Linux ends the server with the tests, also where those are killed; elsewhere it then
    stays.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGINT)  # PR_SET_PDEATHSIG


def _end(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")[-2_000:]


@contextmanager
def fresh_database(server: str) -> Iterator[str]:
    """The address of an empty database on a PostgreSQL server, dropped afterwards with whatever
    still uses it.
    """
    import psycopg

    name = f"test_{uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
    try:
        yield f"postgresql+psycopg{server.removeprefix('postgresql').rpartition('/')[0]}/{name}"
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """``postgresql://…`` of a server that lives as long as the tests; each process of pytest-xdist
    has one of its own.
    """
    with running_postgresql() as address:
        yield address


@pytest.fixture
def postgresql_url(postgresql: str) -> Iterator[str]:
    """``postgresql+psycopg://…`` of an empty database, for one test."""
    with fresh_database(postgresql) as address:
        yield address


@pytest.fixture(scope="session")
def redis_server() -> Iterator[str]:
    """``redis://…`` of a server that lives as long as the tests; whoever counts on its being empty
    flushes it first.
    """
    with running_redis() as address:
        yield address


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of either kind, for one test: the test runs once with each, and slowly
    with PostgreSQL.
    """
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'webapp.sqlite'}"
    address: str = request.getfixturevalue("postgresql_url")
    return address
