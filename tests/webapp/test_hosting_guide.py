"""The commands of docs/hosting.md, carried out."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import requests
from alembic import command
from sqlalchemy import MetaData, Table, select

from tests.webapp.handmade import handmade
from tests.webapp.recorded import request as asked
from tests.webapp.recorded import stored
from tests.webapp.running import ROOT, bare_environment
from tests.webapp.serving import served
from tests.webapp.small_app import small_app
from webapp.storage import database
from webapp.storage.database import connect, migrate, revision_problem
from webapp.storage.store import Store

GUIDE = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")


def block(title: str) -> list[str]:
    """The lines of the first block of code of a section, without their comments."""
    section = re.split(r"^## ", GUIDE.split(f"\n## {title}\n")[1], flags=re.MULTILINE)[0]
    lines = re.search(r"(?:^ {4}.*\n)+", section, flags=re.MULTILINE)
    assert lines is not None
    return [line.partition("  #")[0].strip() for line in lines[0].splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize("revision", database._revisions()[1:])
def test_a_database_of_an_older_version_is_upgraded_as_the_guide_says(
    tmp_path: Path, revision: str
) -> None:
    """0001 is the schema of 0.1.0."""
    data = tmp_path / "data"
    url, newest = (f"sqlite:///{data / name}.sqlite" for name in ("webapp", "newest"))
    migrate(newest)
    store = Store(connect(newest))
    run = stored(store, asked(), handmade(), visitor="a browser")
    before = store.events(run.id)
    engine = connect(url)
    with engine.begin() as connection:
        command.upgrade(database._alembic(connection), revision)
        for name in ("runs", "events"):
            table = Table(name, MetaData(), autoload_with=connection)
            with store.engine.connect() as there:
                rows = there.execute(select(*table.columns)).mappings().all()
            connection.execute(table.insert(), [dict(row) for row in rows])
    assert revision_problem(engine) is not None
    engine.dispose()

    environment = bare_environment() | {"CLINFO_DATA_DIR": str(data), "HOME": str(tmp_path)}
    told = [
        line.removeprefix("runuser -u clinfo -- ").replace("/var/lib/clinfo", str(data))
        for line in block("Upgrade")
        if "python -m webapp " in line
    ]
    assert [line.split()[3] for line in told] == ["backup", "release"]
    for line in told:
        done = subprocess.run(
            [sys.executable, *line.split()[1:]],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr

    engine = connect(url)
    assert revision_problem(engine) is None
    assert (Store(engine).get(run.id), Store(engine).events(run.id)) == (run, before)
    old = connect(f"sqlite:///{data / 'before.sqlite'}")
    assert revision in (revision_problem(old) or "")
    with served(small_app(tmp_path, database_url=url)) as site:
        assert requests.get(f"{site}/runs/{run.id}", timeout=60).status_code == 200
