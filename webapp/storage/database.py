"""The connection to the database: SQLite by default, PostgreSQL for more than one machine."""

import os
import sqlite3
import time
from contextlib import AbstractContextManager, closing
from functools import cache
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from clinfo.errors import ClinfoError, UsageError
from webapp.storage.tables import metadata

BUSY_SECONDS: Final = 30.0
"""Seconds for which a transaction waits for another one, or for a connection of the pool."""

_MIGRATIONS: Final = Path(__file__).parent / "migrations"
_MIGRATION_LOCK: Final = 0x636C696E_666F
"""Number of the advisory lock under which a PostgreSQL database is migrated."""
_NEWER: Final = "the database was migrated by a newer version of this app"
_PARENT: Final = (
    "ALTER TABLE runs ADD COLUMN parent VARCHAR(64)",
    "CREATE INDEX ix_runs_parent ON runs (parent)",
)
_PIPELINE: Final = "ALTER TABLE runs ADD COLUMN pipeline VARCHAR(64) DEFAULT 'literature' NOT NULL"
_EARLIER: Final = {"0001": (_PIPELINE, *_PARENT), "0002": _PARENT, "0003": _PARENT, "0004": ()}
"""What the table of runs lacks in databases of versions before 0.3.0, by their revision."""
_HEADER: Final = b"SQLite format 3\0"
_FORMS: Final = (
    "it must be sqlite:////folder/file.sqlite or postgresql://user:password@host:5432/name"
)


def address(url: str) -> URL:
    """The parts of a database's address; nothing is opened. Raises UsageError for one that cannot
    be used, without repeating it.
    """
    try:
        found = make_url(url)
        if found.get_backend_name() == "postgresql":
            found.get_dialect().import_dbapi()
            return found
    except (ArgumentError, ValueError, ImportError):  # ValueError: a port that is not a number
        raise UsageError(f"DATABASE_URL cannot be used: {_FORMS}") from None
    if found.drivername not in ("sqlite", "sqlite+pysqlite"):
        raise UsageError(f"DATABASE_URL cannot be used: {_FORMS}")
    if not found.database or found.database == ":memory:" or found.database.startswith("file:"):
        raise UsageError(
            "DATABASE_URL must name a file: several processes and threads share the database"
        )
    return found


def connect(url: str) -> Engine:
    """An engine; nothing is connected yet. A SQLite file is made readable by its owner only.

    Raises UsageError for an address that cannot be used. No error of the engine repeats values,
    which may be questions.
    """
    parts = address(url)
    if parts.get_backend_name() == "sqlite":
        return _sqlite(parts)
    return create_engine(
        parts,
        hide_parameters=True,
        pool_pre_ping=True,
        # small hosted databases allow some twenty connections for all processes together
        pool_size=5,
        max_overflow=5,
        pool_timeout=BUSY_SECONDS,
        pool_recycle=1_800,
        connect_args={"connect_timeout": 10, "application_name": "clinfo"}
        if parts.get_driver_name() == "psycopg"
        else {},
    )


def existing(url: str) -> Engine:
    """`connect`, to a database that holds tables of this app. Raises UsageError where it is not
    there or holds none.

    A SQLite file is looked at before, as it is: nothing is made, and a file of somebody else's
    keeps its mode and its journal.
    """
    parts = address(url)
    if parts.get_backend_name() == "sqlite":
        path = Path(parts.database or "")
        if not path.is_file():
            raise UsageError(
                f"the database {path} does not exist; see DATABASE_URL and CLINFO_DATA_DIR"
            )
        try:
            with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as raw:
                found = {
                    name
                    for (name,) in raw.execute(
                        "SELECT name FROM sqlite_master WHERE type = 'table'"
                    )
                }
        except sqlite3.Error as error:
            raise UsageError(f"the database {path} cannot be used: {error}") from None
        if not {"alembic_version", "runs"} <= found:
            raise UsageError(
                f"the database {path} contains no tables of this app; see DATABASE_URL and "
                "CLINFO_DATA_DIR"
            )
    return connect(url)


def reading(engine: Engine) -> AbstractContextManager[Connection]:
    """A connection that sees one state of the database with each statement (SQLite: throughout)."""
    return engine.connect()


def writing(engine: Engine) -> AbstractContextManager[Connection]:
    """One transaction. On SQLite it is the only one that writes from its first statement on, so
    that it never fails half-way.
    """
    return engine.execution_options(sqlite_begin="IMMEDIATE").begin()


def _sqlite(parts: URL) -> Engine:
    _private(Path(parts.database or ""))
    engine = create_engine(
        parts,
        hide_parameters=True,
        pool_size=10,
        max_overflow=20,
        pool_timeout=BUSY_SECONDS,
        connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False},
    )

    # Python's driver would begin transactions when it sees fit; SQLAlchemy's manual has this way to
    # begin them ourselves.
    @event.listens_for(engine, "connect")
    def _set_up(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None
        _write_ahead(connection)
        for pragma in ("synchronous=NORMAL", "foreign_keys=ON", "secure_delete=ON"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql(
            f"BEGIN {connection.get_execution_options().get('sqlite_begin', 'DEFERRED')}"
        )

    return engine


def _private(path: Path) -> None:
    """Make the file where there is none; its owner alone may read it. Whatever is no SQLite file is
    left as it is.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.exists() and not path.is_file():
            raise UsageError(f"the database {path} cannot be used: it is not a file")
        with open(
            os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "rb"
        ) as file:  # SQLite gives its journal the same permissions
            header = file.read(len(_HEADER))
        if header not in (b"", _HEADER):
            raise UsageError(
                f"the database {path} cannot be used: the file already exists and is not a SQLite "
                "database"
            )
        path.chmod(0o600)
    except (OSError, ValueError) as error:  # ValueError: a NUL in its name
        reason = getattr(error, "strerror", None) or "it is not a valid file name"
        raise UsageError(
            f"the database {path} cannot be used: {reason} (DATABASE_URL, CLINFO_DATA_DIR)"
        ) from None


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Readers and a writer do not wait for each other; what was committed outlives a killed process
    (NORMAL is enough for that).
    """
    give_up = time.monotonic() + BUSY_SECONDS
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except (
            sqlite3.OperationalError
        ):  # another process has the file open at this moment; SQLite does not wait here
            if time.monotonic() > give_up:
                raise
            time.sleep(0.05)


def migrate(target: Engine | str) -> None:
    """Bring the database to the newest revision; a second process that does so at the same time
    waits, then finds it done.

    Raises UsageError for a PostgreSQL database that cannot hold all of Unicode, and for one of a
    newer version of this app.
    """
    engine = connect(target) if isinstance(target, str) else target
    try:
        with engine.connect() as connection:
            if engine.dialect.name == "sqlite":
                # Alembic changes a table by making a new one; with foreign keys on, dropping the
                # old one would delete all that refers to it. The pragma has no effect within a
                # transaction, so it comes before.
                raw = connection.connection.dbapi_connection
                assert isinstance(raw, sqlite3.Connection)
                raw.execute("PRAGMA foreign_keys=OFF")
                try:
                    connection = connection.execution_options(sqlite_begin="IMMEDIATE")
                    with connection.begin():
                        _to_newest(connection)
                        if connection.execute(text("PRAGMA foreign_key_check")).first() is not None:
                            raise ClinfoError(
                                "the migration would break references between rows; nothing was "
                                "changed"
                            )
                finally:
                    raw.execute("PRAGMA foreign_keys=ON")
            else:
                with connection.begin():
                    if connection.execute(text("SHOW server_encoding")).scalar_one() != "UTF8":
                        raise UsageError("the PostgreSQL database must have the encoding UTF8")
                    connection.execute(
                        text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _MIGRATION_LOCK}
                    )
                    _to_newest(connection)
    finally:
        if isinstance(target, str):
            engine.dispose()


def revision_problem(engine: Engine) -> str | None:
    """Return why the database cannot be used as it is, in one line; None where it answers and is at
    the newest revision.
    """
    try:
        with reading(engine) as connection:
            found = _revision(connection)
    except (SQLAlchemyError, sqlite3.Error):
        return "the database does not answer"
    if found == _revisions()[0]:
        return None
    if found is not None and found not in _revisions():
        return _NEWER
    at = f"is at revision {found}" if found else "has no tables yet"
    return f"the database {at}, this version needs {_revisions()[0]}: run python -m webapp migrate"


def _revision(connection: Connection) -> str | None:
    from alembic.runtime.migration import MigrationContext

    return MigrationContext.configure(connection).get_current_revision()


def _to_newest(connection: Connection) -> None:
    """Make the tables, or change those that are there. Raises UsageError."""
    from alembic import command

    found = _revision(connection)
    if found is not None and found not in _revisions():
        raise UsageError(_NEWER)
    if found is None or found in _EARLIER:
        for statement in _EARLIER.get(found or "", ()):
            connection.execute(text(statement))
        metadata.create_all(connection, checkfirst=found is not None)
        command.stamp(_alembic(connection), "head", purge=True)
    command.upgrade(_alembic(connection), "head")


def _alembic(connection: Connection | None = None) -> Any:
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    return config


@cache
def _revisions() -> tuple[str, ...]:
    """All that this version knows, the newest first."""
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory.from_config(_alembic()).walk_revisions()
    return (*(script.revision for script in scripts), *_EARLIER)


def forget_deleted(engine: Engine) -> None:
    """Take what was deleted out of SQLite's journal too, as far as nobody is reading it at the
    moment; never raises.
    """
    if engine.dialect.name != "sqlite":
        return
    try:
        with closing(engine.raw_connection()) as pooled:
            raw = pooled.dbapi_connection
            assert isinstance(raw, sqlite3.Connection)
            raw.execute("PRAGMA busy_timeout=500")
            try:
                raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            finally:
                raw.execute(f"PRAGMA busy_timeout={int(BUSY_SECONDS * 1_000)}")
    except (SQLAlchemyError, sqlite3.Error):
        pass


def backup(engine: Engine, path: Path) -> None:
    """Copy a SQLite database that is in use, whole and at one moment, to a new file that only its
    owner may read.

    Raises UsageError where the file is there already, and for PostgreSQL, which has ``pg_dump``.
    """
    if engine.dialect.name != "sqlite":
        raise UsageError("a PostgreSQL database is backed up with pg_dump --format=custom")
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        raise UsageError(f"{path} already exists; a backup overwrites nothing") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
    try:
        with closing(engine.raw_connection()) as pooled:
            pooled.cursor().execute("VACUUM INTO ?", (str(path),))  # one file, nothing beside it
        with closing(sqlite3.connect(path)) as copy:
            if copy.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
                raise ClinfoError(
                    "the copy is damaged; check the database itself (PRAGMA integrity_check)"
                )
    except BaseException:
        path.unlink(missing_ok=True)
        raise
