"""Access tokens: made and revoked on the command line, a user of their own over HTTP."""

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from flask import Flask
from sqlalchemy import Engine, update

from clinfo.errors import UsageError
from clinfo.records.articles import RunRequest
from tests.webapp.running import bare_environment
from tests.webapp.serving import served
from tests.webapp.small_app import QUESTION, parts, small_app
from webapp.storage import tokens
from webapp.storage.database import connect, migrate
from webapp.storage.tables import tokens as table

WEB = {"requests_rate": "600 per minute", "runs_rate": "3 per hour"}
ASKED = {"question": QUESTION, "model": "extractive", "source": "demo"}


@pytest.fixture
def url(app: Flask) -> Iterator[str]:
    with served(app) as address:
        yield f"{address}/api/v1"


def made(app: Flask, name: str, days: float | None = None) -> dict[str, str]:
    """The header of a new token."""
    return {"Authorization": f"Bearer {tokens.create(parts(app).store.engine, name, days)}"}


@pytest.mark.slow
def test_a_token_is_valid_until_it_is_revoked_or_expires(database_url: str) -> None:
    engine = connect(database_url)
    migrate(engine)
    first, second = tokens.create(engine, "ci"), tokens.create(engine, "lab.2", 30)
    assert re.fullmatch(r"clinfo_[A-Za-z0-9_-]{43}", first)
    assert (tokens.named(engine, first), tokens.named(engine, second)) == ("ci", "lab.2")
    for wrong in ("", "clinfo_", first[:-1], first + "x", "clinfo_" + "A" * 43, first.upper()):
        assert tokens.named(engine, wrong) is None
    listed = {token.name: token for token in tokens.every(engine)}
    assert listed["ci"].expires_at is None
    lasts = (listed["lab.2"].expires_at or 0) - listed["lab.2"].created_at
    assert lasts == pytest.approx(30 * 86_400)
    with pytest.raises(UsageError):
        tokens.create(engine, "ci")
    assert tokens.named(engine, first) == "ci"
    for name in ("", "a b", "-x", "x" * 61, "é", "a\n"):
        with pytest.raises(UsageError):
            tokens.create(engine, name)
    assert tokens.revoke(engine, "ci")
    assert not tokens.revoke(engine, "ci")
    assert tokens.named(engine, first) is None
    expire(engine, "lab.2")
    assert tokens.named(engine, second) is None
    assert [token.name for token in tokens.every(engine)] == ["lab.2"]
    engine.dispose()


def expire(engine: Engine, name: str) -> None:
    with engine.begin() as connection:
        past = update(table).where(table.c.name == name).values(expires_at=time.time() - 1)
        assert connection.execute(past).rowcount == 1


def test_the_database_holds_no_token(app: Flask, url: str, tmp_path: Path) -> None:
    headers = made(app, "ci")
    assert requests.post(f"{url}/runs", json=ASKED, headers=headers, timeout=30).status_code == 202
    secret = headers["Authorization"].removeprefix("Bearer clinfo_").encode()
    files = list(tmp_path.glob("webapp.sqlite*"))
    assert files
    assert not any(secret in file.read_bytes() for file in files)


def test_runs_of_a_token_are_its_own(app: Flask, url: str) -> None:
    mine, other = made(app, "ci"), made(app, "lab")
    run_id = requests.post(f"{url}/runs", json=ASKED, headers=mine, timeout=30).json()["id"]
    run, page = f"{url}/runs/{run_id}", f"{url.removesuffix('/api/v1')}/runs/{run_id}"
    for headers in ({}, other):
        for path in (run, f"{run}/events", page, f"{page}.json"):
            assert requests.get(path, headers=headers, timeout=30).status_code == 404
        assert requests.post(f"{run}/cancel", headers=headers, timeout=30).status_code == 404
        assert requests.delete(run, headers=headers, timeout=30).status_code == 404
    assert requests.get(run, headers=mine, timeout=30).json()["question"] == QUESTION
    with requests.get(f"{run}/events", headers=mine, stream=True, timeout=30) as stream:
        assert next(stream.iter_lines()) is not None
        assert stream.status_code == 200
    shared = requests.post(f"{run}/share", json={"shared": True}, headers=mine, timeout=30)
    assert shared.json()["shared"] is True
    assert requests.get(page, timeout=30).status_code == 200
    assert requests.delete(run, headers=other, timeout=30).status_code == 409
    assert requests.post(f"{run}/cancel", headers=mine, timeout=30).status_code == 200
    tokens.revoke(parts(app).store.engine, "ci")
    assert requests.delete(run, headers=mine, timeout=30).status_code == 401
    again = made(app, "ci")  # a new secret of the same name has its runs
    assert requests.delete(run, headers=again, timeout=30).status_code == 204


@pytest.mark.parametrize(
    "sent",
    [
        *("Bearer", "Bearer ", "Bearer x", "bearer clinfo_" + "A" * 43, "Bearer clinfo_"),
        *("Bearer " + "x" * 5_000, "Bearer clinfo_" + "A" * 43 + " b", "Bearer é"),
    ],
)
def test_a_wrong_token_is_nobody(app: Flask, url: str, sent: str) -> None:
    made(app, "ci")
    headers = {"Authorization": sent.encode()}
    for method, path in (("POST", "/runs"), ("GET", "/runs")):
        answer = requests.request(method, url + path, json=ASKED, headers=headers, timeout=30)
        assert answer.status_code == 401
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert answer.headers["WWW-Authenticate"].lower().startswith("bearer")
        assert answer.json()["status"] == 401
        assert "clinfo_" not in answer.text
    assert not any(parts(app).store.counts().values())


def test_guesses_are_few_and_lock_nobody_out_who_has_a_token(app: Flask, url: str) -> None:
    right, run_id = made(app, "ci"), parts(app).store.create(RunRequest(QUESTION)).id
    told = [
        requests.get(
            f"{url}/runs", headers={"Authorization": f"Bearer clinfo_{n:043}"}, timeout=30
        ).status_code
        for n in range(40)
    ]
    assert told == [401] * 30 + [429] * 10
    assert requests.get(f"{url}/runs", headers=right, timeout=30).status_code == 200
    guess = {"Authorization": f"Bearer clinfo_{'A' * 43}"}  # a stream is not counted otherwise
    answer = requests.get(f"{url}/runs/{run_id}/events", headers=guess, timeout=30)
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) >= 1


def test_behind_a_proxy_that_logs_people_in(tmp_path: Path) -> None:
    """It may send a token of its own along, which is none of ours; ours goes before its user."""
    app = small_app(tmp_path, user_header="X-Remote-User", trusted_proxies=1)
    ours, maria = made(app, "ci"), {"X-Remote-User": "maria"}
    with served(app) as address:

        def start(**headers: str) -> str:
            answer = requests.post(
                f"{address}/api/v1/runs", json=ASKED, headers=headers, timeout=30
            )
            return str(answer.json().get("id", answer.status_code))

        run = parts(app).store.get(start(**maria, Authorization="Bearer eyJhbGciOiJub25lIn0.e30."))
        assert run is not None
        assert run.owner == "maria"
        run = parts(app).store.get(start(**maria, **ours))
        assert run is not None
        assert run.owner not in (None, "maria", "ci")
        assert start(**maria, Authorization="Bearer clinfo_" + "A" * 43) == "401"
        assert start(Authorization="Bearer eyJhbGciOiJub25lIn0.e30.") == "401"
        # No user that a proxy names is a token.
        for name in (run.owner, "ci", "token ci", "token\\x1fci"):
            headers = {"X-Remote-User": str(name)}
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr("requests.models.check_header_validity", lambda _: None)
                seen = requests.get(f"{address}/api/v1/runs/{run.id}", headers=headers, timeout=30)
            assert seen.status_code in (400, 404)


@pytest.mark.slow
def test_the_command_makes_lists_and_revokes(tmp_path: Path) -> None:
    environment = {
        **bare_environment(),
        "DATABASE_URL": f"sqlite:///{tmp_path / 'webapp.sqlite'}",
        "CLINFO_DATA_DIR": str(tmp_path),
    }

    def command(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "webapp", *arguments],
            capture_output=True,
            text=True,
            env=environment,
            cwd=tmp_path,
            timeout=60,
        )

    assert command("token", "list").returncode == 2
    assert command("release").returncode == 0
    created = command("token", "create", "ci", "--expires", "90")
    assert re.fullmatch(r"clinfo_[A-Za-z0-9_-]{43}\n", created.stdout)
    assert command("token", "create", "ci").returncode == 2
    listed = command("token", "list").stdout
    assert listed.startswith("ci\t")
    assert created.stdout.strip() not in listed
    for days in ("0", "-1", "nan", "x", "99999"):
        assert command("token", "create", "lab", "--expires", days).returncode == 2
    assert command("token", "revoke", "ci").returncode == 0
    assert command("token", "revoke", "ci").returncode == 2
    assert command("token", "list").stdout == ""
