"""The commands of docs/hosting.md, carried out."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import requests
from sqlalchemy import text

from tests.webapp.handmade import handmade
from tests.webapp.recorded import request as asked
from tests.webapp.recorded import stored
from tests.webapp.running import ROOT, bare_environment
from tests.webapp.serving import served
from tests.webapp.small_app import small_app
from webapp.storage.database import connect, migrate, revision_problem
from webapp.storage.store import Store

GUIDE = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")


def block(title: str) -> list[str]:
    """The lines of the first block of code of a section, without their comments."""
    section = re.split(r"^## ", GUIDE.split(f"\n## {title}\n")[1], flags=re.MULTILINE)[0]
    lines = re.search(r"(?:^ {4}.*\n)+", section, flags=re.MULTILINE)
    assert lines is not None
    return [line.partition("  #")[0].strip() for line in lines[0].splitlines()]


BEFORE = {
    "0004": ("DROP TABLE documents",),
    "0003": ("DROP INDEX ix_runs_parent", "ALTER TABLE runs DROP COLUMN parent"),
    "0002": ("DROP TABLE starts", "DROP TABLE tokens"),
    "0001": ("ALTER TABLE runs DROP COLUMN pipeline",),
}
"""What a revision lacks of the one after it, the newest first."""


@pytest.mark.slow
@pytest.mark.parametrize("revision", BEFORE)
def test_a_database_of_an_older_version_is_upgraded_as_the_guide_says(
    tmp_path: Path, revision: str
) -> None:
    """0001 is the schema of 0.1.0."""
    data = tmp_path / "data"
    url = f"sqlite:///{data / 'webapp.sqlite'}"
    migrate(url)
    engine = connect(url)
    store = Store(engine)
    run = stored(store, asked(), handmade(), visitor="a browser")
    before = store.events(run.id)
    with engine.begin() as connection:
        for one in list(BEFORE)[: list(BEFORE).index(revision) + 1]:
            for statement in BEFORE[one]:
                connection.execute(text(statement))
        connection.execute(text("UPDATE alembic_version SET version_num = :at"), {"at": revision})
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
