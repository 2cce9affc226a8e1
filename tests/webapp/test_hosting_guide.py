"""What docs/hosting.md tells a host to do, done."""

from __future__ import annotations

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
import requests
from alembic import command

from tests.webapp.handmade import handmade
from tests.webapp.recorded import request as asked
from tests.webapp.recorded import stored
from tests.webapp.running import ROOT, bare_environment
from tests.webapp.serving import served
from tests.webapp.small_app import QUESTION, small_app
from webapp.storage import database
from webapp.storage.database import connect, migrate, revision_problem
from webapp.storage.store import Store

GUIDE = (ROOT / "docs" / "hosting.md").read_text(encoding="utf-8")
PEOPLE = 100


def block(title: str) -> list[str]:
    """The lines of the first block of code of a section, without their comments."""
    section = re.split(r"^## ", GUIDE.split(f"\n## {title}\n")[1], flags=re.MULTILINE)[0]
    lines = re.search(r"(?:^ {4}.*\n)+", section, flags=re.MULTILINE)
    assert lines is not None
    return [line.partition("  #")[0].strip() for line in lines[0].splitlines()]


def refused(folder: Path, **web: object) -> int:
    """How many of `PEOPLE` of one address that ask and watch at a time are sent away."""
    with ExitStack() as stack:
        url = stack.enter_context(served(small_app(folder, **web)))
        pool = stack.enter_context(ThreadPoolExecutor(16))

        def ask(_: int) -> bool:
            browser = requests.Session()
            token = re.search(
                r'name="csrf_token"[^>]*value="([^"]+)"', browser.get(url, timeout=60).text
            )
            assert token is not None
            fields = {"csrf_token": token[1], "question": QUESTION, "source": "demo"}
            made = browser.post(
                url, data=fields | {"model": "extractive"}, allow_redirects=False, timeout=60
            )
            if made.status_code == 429:
                return False
            page = url + made.headers["Location"]
            assert browser.get(page, timeout=60).status_code == 200
            watch = browser.get(f"{page}/live", stream=True, timeout=60)
            stack.callback(watch.close)
            return watch.status_code == 200 and "event-stream" in watch.headers["Content-Type"]

        return list(pool.map(ask, range(PEOPLE))).count(False)


@pytest.mark.slow
@pytest.mark.parametrize("revision", database._revisions()[1:])
def test_a_database_of_an_older_version_is_upgraded_as_the_guide_says(
    tmp_path: Path, revision: str
) -> None:
    """0001 is the schema of 0.1.0."""
    data = tmp_path / "data"
    url = f"sqlite:///{data / 'webapp.sqlite'}"
    migrate(url)
    engine = connect(url)
    run = stored(Store(engine), asked(), handmade(), visitor="a browser")
    before = Store(engine).events(run.id)
    with engine.connect() as connection:
        connection.connection.dbapi_connection.execute("PRAGMA foreign_keys=OFF")
        with connection.begin():
            command.downgrade(database._alembic(connection), revision)
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
