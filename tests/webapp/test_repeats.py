"""Requests that are sent again (Idempotency-Key), and one's own runs page by page."""

from collections.abc import Iterator
from uuid import uuid4

import pytest
import requests
from flask import Flask
from sqlalchemy import update

from clinfo.records.articles import RunRequest
from tests.webapp.serving import served
from tests.webapp.small_app import QUESTION, count, parts
from webapp.api import PAGE
from webapp.records import Repeated, Start
from webapp.storage import tokens
from webapp.storage.database import connect, migrate
from webapp.storage.store import STARTS_KEPT, Store
from webapp.storage.tables import runs

WEB = {"trusted_proxies": 1, "user_header": "X-Remote-User", "runs_rate": "4 per hour"}
ASKED = {"question": QUESTION, "model": "extractive", "source": "demo", "seed": 3}


@pytest.fixture
def url(app: Flask) -> Iterator[str]:
    with served(app) as address:
        yield f"{address}/api/v1/runs"


def start(url: str, key: str, body: object = ASKED, **headers: str) -> requests.Response:
    headers = {"Idempotency-Key": key, **headers}
    return requests.post(url, json=body, headers=headers, timeout=30)


def test_the_same_request_starts_one_run(app: Flask, url: str) -> None:
    key = str(uuid4())
    first = start(url, key)
    reordered = dict(reversed(ASKED.items()))
    for again in [start(url, key, reordered) for _ in range(6)]:  # more than may be started
        assert (again.status_code, again.json()) == (202, first.json())
        assert again.headers["Location"] == first.headers["Location"]
    assert count(app) == 1
    assert start(url, str(uuid4())).json()["id"] != first.json()["id"]
    parts(app).store.ask_cancel(first.json()["id"])
    assert start(url, key).json() == first.json()


def test_another_request_with_the_same_key_is_refused(app: Flask, url: str) -> None:
    key = str(uuid4())
    run_id = start(url, key).json()["id"]
    for other in (ASKED | {"seed": 4}, ASKED | {"question": "Is zinc safe?"}, {"question": ""}):
        answer = start(url, key, other)
        assert answer.status_code == 422
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert [error["field"] for error in answer.json()["errors"]] == ["Idempotency-Key"]
        assert run_id not in answer.text
    assert count(app) == 1


def test_a_key_is_its_users_own(app: Flask, url: str) -> None:
    key, store = str(uuid4()), parts(app).store
    token = {"Authorization": f"Bearer {tokens.create(store.engine, 'ci')}"}
    askers = ({}, {"X-Remote-User": "maria"}, {"X-Remote-User": "eve"}, token)
    elsewhere = {"X-Forwarded-For": "2001:db8::1"}
    household = {"X-Forwarded-For": "2001:db8::2"}
    ids = [start(url, key, **headers).json()["id"] for headers in (*askers, elsewhere)]
    assert len(set(ids)) == 5
    assert start(url, key, **token).json()["id"] == ids[3]
    assert start(url, key, **household).json()["id"] == ids[4]


@pytest.mark.parametrize("key", ["", "a b", "x" * 256, "é", "a\x7f"])
def test_what_cannot_be_a_key_is_refused(app: Flask, url: str, key: str) -> None:
    answer = requests.post(
        url, json=ASKED, headers={"Idempotency-Key": key.encode("latin-1")}, timeout=30
    )
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "Idempotency-Key"
    assert count(app) == 0


def test_a_deleted_run_takes_its_key_along(app: Flask, url: str) -> None:
    key = str(uuid4())
    run_id = start(url, key).json()["id"]
    assert requests.delete(f"{url}/{run_id}", timeout=30).status_code == 204
    assert start(url, key, {"question": "Is zinc safe?"}).status_code == 202


@pytest.mark.slow
def test_the_key_is_unique_in_the_database_and_kept_for_a_day(database_url: str) -> None:
    engine, now = connect(database_url), [1_000_000.0]
    migrate(engine)
    store = Store(engine, lambda: now[0])
    first = store.create(RunRequest(QUESTION), start=Start("k", "a"))
    with pytest.raises(Repeated):
        store.create(RunRequest(QUESTION), start=Start("k", "b"))
    assert store.counts()["queued"] == 1  # nothing is left of the second
    now[0] += STARTS_KEPT - 1
    assert store.started("k") == (first, "a")
    now[0] += 1
    assert store.started("k") is None
    second = store.create(RunRequest(QUESTION), start=Start("k", "b"))
    assert store.started("k") == (second, "b")
    engine.dispose()


# ---- one's own runs


def pages(url: str, **headers: str) -> list[list[str]]:
    """The ids of all pages."""
    found, cursor = [], ""
    while cursor is not None:
        answer = requests.get(url, params={"cursor": cursor}, headers=headers, timeout=30)
        assert answer.status_code == 200, answer.text
        assert answer.headers["Cache-Control"] == "no-store"
        found.append([run["id"] for run in answer.json()["runs"]])
        cursor = answer.json()["next"]
    return found


def test_ones_own_runs_come_newest_first_page_by_page(app: Flask, url: str) -> None:
    store = parts(app).store
    mine = [store.create(RunRequest(QUESTION), owner="maria").id for _ in range(2 * PAGE + 3)]
    store.create(RunRequest(QUESTION), owner="eve")
    with store.engine.begin() as connection:  # two of them at the same moment, across two pages
        at = store.get(mine[PAGE + 3])
        assert at is not None
        same = update(runs).where(runs.c.id.in_(mine[PAGE + 2 : PAGE + 4]))
        connection.execute(same.values(created_at=at.created_at))
    found = pages(url, **{"X-Remote-User": "maria"})
    assert [len(page) for page in found] == [PAGE, PAGE, 3]
    shown = [run_id for page in found for run_id in page]
    assert sorted(shown) == sorted(mine)
    twins = set(mine[PAGE + 2 : PAGE + 4])
    assert [one for one in shown if one not in twins] == [
        one for one in reversed(mine) if one not in twins
    ]
    assert len(pages(url, **{"X-Remote-User": "eve"})[0]) == 1


@pytest.mark.parametrize(
    "cursor", ["x", "1_", "1.0", "nan_x", "1e9_abc", "1.0_a b", "1.0_\x00", "9" * 400 + ".0_x"]
)
def test_a_cursor_that_no_page_gave_is_refused(url: str, cursor: str) -> None:
    answer = requests.get(url, params={"cursor": cursor}, timeout=30)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "cursor"
