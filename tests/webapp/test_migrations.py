"""Migrations: to the newest revision, many processes at once, and no row lost where a table is made
anew; backup and restore as docs/hosting.md has it.
"""

import multiprocessing
import shutil
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Engine, inspect, text

import webapp.storage.database
from clinfo.errors import ClinfoError, UsageError
from clinfo.records.articles import RunRequest
from clinfo.runs.events import Warned
from webapp.storage.database import connect, existing, migrate, revision_problem
from webapp.storage.store import Store
from webapp.storage.tables import metadata

pytestmark = pytest.mark.slow

_NEXT = '''
"""A table changed in a way for which SQLite needs a new one."""

import sqlalchemy as sa
from alembic import op

revision = "next"
down_revision = {newest!r}


def upgrade() -> None:
    with op.batch_alter_table("runs") as table:
        table.alter_column("visitor", new_column_name="browser")
        table.add_column(sa.Column("colour", sa.Text, nullable=False, server_default="blue"))
    {more}
'''


@pytest.fixture
def engine(database_url: str) -> Iterator[Engine]:
    made = connect(database_url)
    yield made
    made.dispose()


def differences(engine: Engine) -> list[object]:
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        return list(compare_metadata(context, metadata))


def with_a_run(engine: Engine) -> str:
    store = Store(engine)
    run_id = store.create(RunRequest("Does zinc help?"), visitor="v").id
    found = store.claim("w", 10)
    assert found is not None
    store.append(
        found[1],
        [(Warned(about=str(seq), text="é\0", seq=seq), 1.0) for seq in range(3)],
        10,
        end="done",
    )
    return run_id


def test_the_migrated_tables_are_those_that_are_declared(engine: Engine) -> None:
    problem = revision_problem(engine)
    assert problem is not None
    assert "python -m webapp migrate" in problem
    migrate(engine)
    assert revision_problem(engine) is None
    assert differences(engine) == []
    found = inspect(engine)
    for table in metadata.tables.values():  # which compare_metadata does not look at
        assert found.get_pk_constraint(table.name)["constrained_columns"] == [
            column.name for column in table.primary_key
        ]
        assert {each["options"].get("ondelete") for each in found.get_foreign_keys(table.name)} == {
            constraint.ondelete for constraint in table.foreign_key_constraints
        }


def _migrate(url: str) -> None:
    migrate(url)


def test_many_processes_may_migrate_at_once(engine: Engine, database_url: str) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_migrate, args=(database_url,)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0] * 4
    assert revision_problem(engine) is None
    with_a_run(engine)


@pytest.fixture
def next_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The revisions with a further one, which a later version of the web app might have."""
    folder = tmp_path / "migrations"
    shutil.copytree(
        webapp.storage.database._MIGRATIONS, folder, ignore=shutil.ignore_patterns("__pycache__")
    )
    file = folder / "versions" / "next.py"
    file.write_text(
        _NEXT.format(newest=webapp.storage.database._revisions()[0], more=""), encoding="utf-8"
    )
    monkeypatch.setattr(webapp.storage.database, "_MIGRATIONS", folder)
    webapp.storage.database._revisions.cache_clear()
    yield file
    webapp.storage.database._revisions.cache_clear()


@pytest.mark.parametrize(
    "fault", ["op.execute('SELECT * FROM nowhere')", "op.execute('DELETE FROM runs')"]
)
def test_a_migration_that_fails_changes_nothing(
    engine: Engine, next_revision: Path, fault: str
) -> None:
    if engine.dialect.name == "postgresql" and "DELETE" in fault:
        pytest.skip("on PostgreSQL the events go with their run at once")
    complete = next_revision.read_text(encoding="utf-8")
    next_revision.unlink()
    webapp.storage.database._revisions.cache_clear()
    migrate(engine)
    run_id = with_a_run(engine)
    next_revision.write_text(complete.replace("\n    \n", f"\n    {fault}\n"), encoding="utf-8")
    webapp.storage.database._revisions.cache_clear()
    with pytest.raises(Exception, match=r"nowhere|break references") as raised:
        migrate(engine)
    assert ("nowhere" in str(raised.value)) != isinstance(raised.value, ClinfoError)
    problem = revision_problem(engine)
    assert problem is not None
    assert differences(engine) == []
    found = Store(engine).get(run_id)
    assert found is not None
    assert found.visitor == "v"
    assert len(Store(engine).events(run_id)) == 3


def test_a_database_of_a_newer_version_is_left_alone(engine: Engine) -> None:
    migrate(engine)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = 'future'"))
    assert "newer version" in (revision_problem(engine) or "")
    with pytest.raises(UsageError, match="newer version"):
        migrate(engine)


def test_a_database_that_does_not_answer_is_a_problem(tmp_path: Path) -> None:
    away = connect("postgresql+psycopg://nobody@127.0.0.1:1/nothing")
    assert revision_problem(away) == "the database does not answer"
    file = tmp_path / "x.sqlite"
    engine = connect(f"sqlite:///{file}")
    file.write_bytes(b"This is not a database, and never was one. " * 100)
    assert revision_problem(engine) == "the database does not answer"


def test_a_postgresql_database_must_hold_all_of_unicode(postgresql: str) -> None:
    with psycopg.connect(postgresql, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS latin")
        connection.execute(
            "CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
        )
    with pytest.raises(UsageError, match="UTF8"):
        migrate(
            "postgresql+psycopg"
            + postgresql.removeprefix("postgresql").replace("/postgres", "/latin")
        )


# ---- backup and restore, while runs are being written


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
