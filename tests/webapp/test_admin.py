"""The host's page over real HTTP, on a SQLite file and on a real PostgreSQL server."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lxml.html
import pytest
import requests
from flask import Flask
from nacl.public import PrivateKey
from sqlalchemy import insert, update

from clinfo.runs.events import CostIncurred, Event, RunFailed
from tests.webapp.serving import Feed, served
from tests.webapp.small_app import QUESTION, parts, small_app
from webapp.hosting.admin import overview
from webapp.storage.database import writing
from webapp.storage.tables import runs, spending

TOKEN = "a-token-of-the-host-0123456789-abcdef"
SECRETS = (QUESTION, "yoga", "Jane Roe", "b" * 64, "owner-of-this", TOKEN)
DAY = 86_400.0


@pytest.fixture
def app(database_url: str, tmp_path: Path) -> Iterator[Flask]:
    app = small_app(
        tmp_path,
        database_url=database_url,
        admin_token=TOKEN,
        daily_budget=4.0,
        requests_rate="100 per minute",
    )
    yield app
    parts(app).store.engine.dispose()


def call(seq: int, model: str, cost_usd: float | None) -> CostIncurred:
    reply = f"Jane Roe asked: {QUESTION}\0"  # NUL, which PostgreSQL's JSON does not take
    return CostIncurred(
        seq=seq, call=str(seq), where="tldr", model=model, reply=reply, cost_usd=cost_usd
    )


def filled(app: Flask) -> None:
    """A run that a model failed, one of two days ago, one that runs and two that wait."""
    store, now = parts(app).store, time.time()
    failed = RunFailed(
        seq=3, problem=f"Jane Roe: {QUESTION}", error="ModelError", exit_status=4, retryable=True
    )
    made: list[Event] = [
        call(0, "openai/small", 0.5),
        call(1, "openai/large", 1.25),
        call(2, "openai/small", None),
    ]
    for events, age in ((made, 2 * DAY), ([*made, failed], 0.0)):
        feed = Feed(store, owner="owner-of-this")
        assert feed.lease is not None
        end = "failed" if failed in events else "done"
        told = [(one, now) for one in events]
        store.append(feed.lease, told, 600.0, end=end, problem=f"Jane Roe: {QUESTION}")  # type: ignore[arg-type]
        with writing(store.engine) as connection:
            values = {"created_at": now - age, "visitor": "b" * 64}
            connection.execute(update(runs).where(runs.c.id == feed.id).values(**values))
    Feed(store)
    for _ in range(2):
        Feed(store, claim=False)
    store.register("worker-a", bytes(PrivateKey.generate().public_key))
    day = time.strftime("%Y-%m-%d", time.gmtime(now))
    with writing(store.engine) as connection:
        row = {"day": day, "spent": 1_750_000_000, "reserved": 250_000_000}
        connection.execute(insert(spending).values(**row))


def told(page: str) -> dict[str, list[str]]:
    """The numbers of the page by the words before them."""
    tree: Any = lxml.html.fromstring(page)
    found = tree.xpath("//main//dl/div | //main//tbody/tr")
    rows = [[cell.text_content() for cell in row] for row in found]
    return {name.strip(): [one.strip() for one in numbers] for name, *numbers in rows}


def test_the_page_says_in_numbers_how_the_site_stands(app: Flask) -> None:
    filled(app)
    with served(app) as url:
        answer = requests.get(
            f"{url}/admin", headers={"Authorization": f"Bearer {TOKEN}"}, timeout=30
        )
        found = told(answer.text)
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    assert (found["Waiting"], found["Running"], found["Workers alive"]) == (["2"], ["1"], ["1"])
    assert found["Today"] == ["$1.75, $0.2500 set aside"]
    assert found["Budget of a day"] == ["$4.00, 50 % used"]
    assert found["openai/large"] == ["$1.25", "$2.50"]
    assert found["openai/small"] == ["$0.5000", "$1.00"]
    assert found["Ask, failed"] == ["1", "1"]
    assert found["Ask, answered"] == ["0", "1"]
    assert found["a model"] == ["1", "1"]
    assert "2 calls without a known price" in answer.text
    assert [one for one in SECRETS if one in answer.text] == []
    assert not re.search(r"/runs/\w{20}", answer.text)


def test_an_empty_site_and_one_whose_worker_died_have_a_page_too(app: Flask) -> None:
    store = parts(app).store
    assert overview(store, 15.0)["runs"] == []
    with served(app) as url:
        answer = requests.get(
            f"{url}/admin", headers={"Authorization": f"Bearer {TOKEN}"}, timeout=30
        )
    for said in ("Nobody asked.", "Nothing failed.", "No model was asked.", "no run goes on"):
        assert said in answer.text
    feed = Feed(store)
    assert feed.lease is not None
    store.append(feed.lease, [], 600.0, end="failed", problem="5 workers in a row stopped")
    assert [(*row,) for row in overview(store, 15.0)["failures"]] == [("", 1, 1)]


def test_a_browser_gives_the_token_once_and_can_leave(
    app: Flask, capfd: pytest.CaptureFixture[str]
) -> None:
    filled(app)
    with served(app) as url, requests.Session() as browser:

        def page() -> str:
            return browser.get(f"{url}/admin", timeout=30).text

        def sent(**fields: str) -> requests.Response:
            token = re.search(r'name="csrf_token" value="([^"]+)"', page())
            assert token is not None
            data = {"csrf_token": token[1], **fields}
            return browser.post(f"{url}/admin", data=data, timeout=30)

        asked = browser.get(f"{url}/admin", timeout=30)
        assert "Spending" not in asked.text
        assert asked.headers["Cache-Control"] == "no-store"
        head = browser.head(f"{url}/admin", timeout=30)
        assert (head.status_code, head.content) == (200, b"")
        wrong = sent(token=TOKEN[:-1])
        assert (wrong.status_code, "This is not the token." in wrong.text) == (401, True)
        assert browser.post(f"{url}/admin", data={"token": TOKEN}, timeout=30).status_code == 400
        shown = sent(token=TOKEN)
        assert (shown.status_code, shown.url, "Spending" in shown.text) == (
            200,
            f"{url}/admin",
            True,
        )
        (cookie,) = [one for one in browser.cookies if one.name == "clinfo-host"]
        assert cookie.has_nonstandard_attr("HttpOnly")
        assert TOKEN not in str(cookie.value)
        with requests.Session() as other:
            other.cookies.set("clinfo-host", str(cookie.value)[:-2] + "xx")
            assert "Spending" not in other.get(f"{url}/admin", timeout=30).text
        assert "Spending" not in sent().text
    assert TOKEN not in capfd.readouterr().err


def test_whoever_guesses_is_slowed_down(app: Flask) -> None:
    with served(app) as url:
        wrong = {"Authorization": "Bearer clinfo_guess"}
        found = [requests.get(f"{url}/admin", headers=wrong, timeout=30) for _ in range(6)]
    statuses = [one.status_code for one in found]
    assert statuses[0] == 401
    assert found[0].headers["WWW-Authenticate"] == "Bearer"
    assert statuses[-1] == 429
    assert int(found[-1].headers["Retry-After"]) > 0


def test_a_site_without_the_setting_has_no_such_page(tmp_path: Path) -> None:
    with served(small_app(tmp_path)) as url:
        for method in ("GET", "HEAD"):
            answer = requests.request(method, f"{url}/admin", headers={"X-Any": TOKEN}, timeout=30)
            assert answer.status_code == 404
        assert requests.post(f"{url}/admin", data={"token": TOKEN}, timeout=30).status_code == 404
