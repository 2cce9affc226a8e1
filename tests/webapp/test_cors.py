"""Pages of other sites that the host lets use the API (CLINFO_WEB_CORS_ORIGINS), over real HTTP, as
browsers send it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.webapp.serving import served
from tests.webapp.small_app import QUESTION, parts, small_app
from tests.webapp.test_headers import form
from webapp.storage import tokens

TOOLS = "https://tools.example.org"
EVIL = "https://evil.example"
ASKED = {"question": QUESTION, "model": "extractive", "source": "demo"}
ALLOW = "Access-Control-Allow-Origin"


def asked_before(url: str, origin: str, method: str = "POST") -> requests.Response:
    """The question of a browser before it sends a page's request (a preflight)."""
    headers = {
        "Origin": origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "authorization,content-type,idempotency-key",
        "Sec-Fetch-Site": "cross-site",
        "Sec-Fetch-Mode": "cors",
    }
    return requests.options(url, headers=headers, timeout=30)


def from_page(origin: str, **headers: str) -> dict[str, str]:
    return {"Origin": origin, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors", **headers}


def shared(answer: requests.Response) -> dict[str, str]:
    return {
        name.lower(): value
        for name, value in answer.headers.items()
        if name.lower().startswith("access-control")
    }


@pytest.fixture(params=[TOOLS, "*"])
def served_app(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Any, str]]:
    app = small_app(tmp_path, cors_origins=request.param)
    with served(app) as url:
        yield app, url


def test_a_page_that_may_asks_reads_and_deletes_with_a_token(served_app: tuple[Any, str]) -> None:
    app, url = served_app
    api = f"{url}/api/v1/runs"
    token = {"Authorization": f"Bearer {tokens.create(parts(app).store.engine, 'ci')}"}
    for path, method in ((api, "POST"), (f"{api}/{'A' * 24}", "DELETE"), (api, "GET")):
        answer = asked_before(path, TOOLS, method)
        assert (answer.status_code, answer.content) == (204, b"")
        assert answer.headers[ALLOW] == TOOLS
        assert method in answer.headers["Access-Control-Allow-Methods"]
        allowed = answer.headers["Access-Control-Allow-Headers"].lower()
        assert {"authorization", "content-type", "idempotency-key"} <= set(allowed.split(", "))
    headers = from_page(TOOLS, **token)
    answer = requests.post(api, json=ASKED, headers=headers, timeout=30)
    assert answer.status_code == 202
    assert answer.headers[ALLOW] == TOOLS
    assert "Location" in answer.headers["Access-Control-Expose-Headers"]
    run = f"{api}/{answer.json()['id']}"
    assert requests.get(run, headers=headers, timeout=30).json()["status"] == "queued"
    assert requests.delete(run, headers=headers, timeout=30).status_code == 204
    for refused in (  # a page may read why it was refused
        requests.get(run, headers=headers, timeout=30),
        requests.get(api, headers=headers | {"Authorization": "Bearer x"}, timeout=30),
        requests.post(api, json={}, headers=headers, timeout=30),
    ):
        assert refused.status_code in (404, 401, 422)
        assert refused.headers[ALLOW] == TOOLS


def test_credentials_are_never_allowed_and_caches_told_apart(served_app: tuple[Any, str]) -> None:
    _, url = served_app
    for answer in (
        asked_before(f"{url}/api/v1/runs", TOOLS),
        requests.get(f"{url}/api/v1/runs", headers=from_page(TOOLS), timeout=30),
        requests.get(f"{url}/api/v1/runs", timeout=30),
    ):
        assert "access-control-allow-credentials" not in shared(answer)
        assert "Origin" in answer.headers["Vary"]
    assert not shared(requests.get(f"{url}/api/v1/runs", timeout=30))


def test_what_the_readers_browser_sends_along_is_not_the_pages(tmp_path: Path) -> None:
    """Neither a cookie nor a proxy's login: with a page that may, only a token counts."""
    app = small_app(tmp_path, cors_origins="*", trusted_proxies=1, user_header="X-Remote-User")
    with served(app) as url:
        session, sent = form(url)
        page = session.post(url, data=sent, allow_redirects=False, timeout=30)
        run_id = page.headers["Location"].rpartition("/")[2]
        assert parts(app).store.get(run_id).visitor is not None  # type: ignore[union-attr]
        api, maria = f"{url}/api/v1/runs", {"X-Remote-User": "maria"}
        private = requests.post(api, json=ASKED, headers=maria, timeout=30).json()["id"]
        for origin in (TOOLS, EVIL):
            for headers in (from_page(origin), from_page(origin, **maria)):
                assert session.get(api, headers=headers, timeout=30).json()["runs"] == []
                deleted = session.delete(f"{api}/{run_id}", headers=headers, timeout=30)
                assert deleted.status_code == 409
                cancelled = session.post(f"{api}/{private}/cancel", headers=headers, timeout=30)
                assert cancelled.status_code == 404
                started = session.post(api, json=ASKED, headers=headers, timeout=30).json()["id"]
                run = parts(app).store.get(started)
                assert run is not None
                assert (run.visitor, run.owner) == (None, None)
        assert session.delete(f"{api}/{run_id}", timeout=30).status_code == 204


@pytest.mark.parametrize(
    "origin",
    [
        *(EVIL, "null", "", "https://tools.example.org.evil.example", "http://tools.example.org"),
        *("https://tools.example.org:444", "https://sub.tools.example.org", "tools.example.org"),
        *("https://tools.example.org/", "https://evil.example@tools.example.org", "*"),
    ],
)
def test_other_pages_may_not(tmp_path: Path, origin: str) -> None:
    app = small_app(tmp_path, cors_origins=f"{TOOLS}, https://another.example")
    with served(app) as url:
        assert not shared(asked_before(f"{url}/api/v1/runs", origin))
        answer = requests.post(
            f"{url}/api/v1/runs", json=ASKED, headers=from_page(origin), timeout=30
        )
        assert (answer.status_code, shared(answer)) == (403, {})
        assert not shared(requests.get(f"{url}/api/v1/runs", headers=from_page(origin), timeout=30))
        assert sum(parts(app).store.counts().values()) == 0


def test_only_the_api_is_opened(served_app: tuple[Any, str]) -> None:
    app, url = served_app
    run_id = requests.post(f"{url}/api/v1/runs", json=ASKED, timeout=30).json()["id"]
    for path in ("/", "/runs", f"/runs/{run_id}", f"/runs/{run_id}.json", "/metrics", "/api/v1x"):
        assert not shared(asked_before(url + path, TOOLS)), path
        assert not shared(requests.get(url + path, headers=from_page(TOOLS), timeout=30)), path
    session, sent = form(url)
    answer = session.post(url, data=sent, headers=from_page(TOOLS), timeout=30)
    assert answer.status_code == 403
    assert sum(parts(app).store.counts().values()) == 1
