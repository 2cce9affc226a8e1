"""Security headers, cookies, cross-site request forgery, caching, proxies: over real HTTP."""

import re
from pathlib import Path

import pytest
import requests
from flask import Flask

from tests.webapp.serving import served
from tests.webapp.small_app import QUESTION, count, form_fields, small_app
from webapp.hosting.headers import HEADERS, HSTS

TIMEOUT = 20


@pytest.fixture
def run_id(url: str) -> str:
    return str(
        requests.post(f"{url}/api/v1/runs", json={"question": QUESTION}, timeout=TIMEOUT).json()[
            "id"
        ]
    )


def form(url: str) -> tuple[requests.Session, dict[str, str]]:
    """A browser that has the form open, and what it would send."""
    session = requests.Session()
    return session, form_fields(session.get(url, timeout=TIMEOUT).text)


def test_every_answer_has_the_headers(url: str, run_id: str) -> None:
    pages = [
        "/",
        "/runs",
        "/how",
        f"/runs/{run_id}",
        "/nothing",
        "/runs/nothing",
        f"/runs/{run_id}.json",
        "/static/style.css",
    ]
    for path in [
        *pages,
        f"/api/v1/runs/{run_id}",
        "/healthz",
        "/readyz",
        "/metrics",
        "/openapi.json",
        "/robots.txt",
    ]:
        answer = requests.get(url + path, timeout=TIMEOUT)
        for name, value in HEADERS.items():
            assert answer.headers.get(name) == value, (path, name)
        assert "Strict-Transport-Security" not in answer.headers
        assert answer.headers["X-Request-ID"]


def test_the_policy_allows_no_inline_code_and_no_other_host() -> None:
    policy = dict(part.split(" ", 1) for part in HEADERS["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert {
        policy[name]
        for name in ("script-src", "style-src", "img-src", "font-src", "connect-src", "form-action")
    } == {"'self'"}
    assert {policy[name] for name in ("base-uri", "frame-ancestors")} == {"'none'"}
    assert policy["require-trusted-types-for"] == "'script'"
    assert "unsafe" not in HEADERS["Content-Security-Policy"]


SAID = "This page was reached by http://"


def test_over_plain_http_the_page_says_what_to_set(tmp_path: Path) -> None:
    """A site that is set to HTTPS, reached without: its cookie is not kept, its form not taken."""
    app = small_app(tmp_path, https=None)
    with served(app) as url:
        page = requests.get(url, timeout=TIMEOUT).text
        assert SAID in page
        assert "CLINFO_WEB_HTTPS=false" in page
        assert "CLINFO_WEB_TRUSTED_PROXIES" in page
        session, fields = form(url)  # which, as a browser, does not send back a secure cookie
        refused = session.post(url, data=fields, timeout=TIMEOUT)
        assert refused.status_code == 400
        assert "Open it by https://" in refused.text
        assert count(app) == 0
        for over_https in (
            {"Sec-Fetch-Site": "same-origin"},
            {"X-Forwarded-Proto": "https"},
            {"Cookie": "__Host-clinfo-form=old"},
        ):
            assert SAID not in requests.get(url, headers=over_https, timeout=TIMEOUT).text
            stale = requests.post(url, data=fields, headers=over_https, timeout=TIMEOUT)
            assert stale.status_code == 400
            assert "open for too long" in stale.text


def test_over_https_browsers_are_told_to_stay_there(tmp_path: Path) -> None:
    for https in (True, None):  # not said counts as https
        folder = tmp_path / str(https)
        folder.mkdir()
        app = small_app(folder, https=https)
        with served(app) as url:
            answer = requests.get(url, timeout=TIMEOUT)
        assert answer.headers["Strict-Transport-Security"] == HSTS
        cookie = answer.headers["Set-Cookie"]
        assert cookie.startswith("__Host-")
        assert {"Secure", "HttpOnly", "SameSite=Lax", "Path=/"} <= {
            part.strip() for part in cookie.split(";")
        }
        assert "Domain" not in cookie


# ---- caching


def test_what_holds_a_run_is_kept_nowhere(url: str, run_id: str) -> None:
    for path in (f"/runs/{run_id}", "/runs", f"/?again={run_id}", "/nothing"):
        assert "no-store" in requests.get(url + path, timeout=TIMEOUT).headers["Cache-Control"], (
            path
        )
    session, sent = form(url)
    assert (
        "no-store"
        in session.post(url, data=sent | {"question": ""}, timeout=TIMEOUT).headers["Cache-Control"]
    )
    assert (
        "public"
        not in requests.get(f"{url}/api/v1/runs/{run_id}", timeout=TIMEOUT).headers["Cache-Control"]
    )


def test_static_files_are_kept_under_the_version_that_they_have(app: Flask, url: str) -> None:
    page = requests.get(url, timeout=TIMEOUT).text
    address = re.search(r'href="(/static/style\.css\?v=[0-9a-f]{12})"', page)
    assert address is not None
    answer = requests.get(url + address[1], timeout=TIMEOUT)
    assert "immutable" in answer.headers["Cache-Control"]
    assert "Set-Cookie" not in answer.headers
    for other in ("/static/style.css", "/static/style.css?v=000000000000"):
        assert requests.get(url + other, timeout=TIMEOUT).headers["Cache-Control"] == "no-cache"
    tag = answer.headers["ETag"]
    assert (
        requests.get(url + address[1], headers={"If-None-Match": tag}, timeout=TIMEOUT).status_code
        == 304
    )


# ---- what other sites send


def test_a_form_needs_its_token(app: Flask, url: str) -> None:
    session, sent = form(url)
    for wrong in (None, "", "x", form(url)[1]["csrf_token"]):
        refused = session.post(
            url, data=sent | {"csrf_token": wrong}, timeout=TIMEOUT
        )  # None: left out
        assert refused.status_code == 400
        assert "Nothing was started" in refused.text
    assert (
        requests.post(url, data=sent, timeout=TIMEOUT).status_code == 400
    )  # the token without its cookie
    assert count(app) == 0
    assert session.post(url, data=sent, timeout=TIMEOUT, allow_redirects=False).status_code == 303
    assert count(app) == 1


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 202),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "null"}, 202),
        ({"Sec-Fetch-Site": "none"}, 202),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://[broken"}, 403),
        ({"Origin": "OWN"}, 202),
    ],
)
def test_the_api_refuses_what_a_page_of_another_site_sends(
    app: Flask, url: str, headers: dict[str, str], status: int
) -> None:
    headers = {name: url if value == "OWN" else value for name, value in headers.items()}
    answer = requests.post(
        f"{url}/api/v1/runs", json={"question": QUESTION}, headers=headers, timeout=TIMEOUT
    )
    assert answer.status_code == status
    assert count(app) == (status == 202)


# ---- proxies


def test_scheme_and_host_are_believed_from_trusted_proxies_only(tmp_path: Path) -> None:
    said = {
        "X-Forwarded-Proto": "https",
        "X-Forwarded-Host": "clinfo.example",
        "Origin": "https://clinfo.example",
    }
    for hops, status in ((0, 403), (1, 202)):
        folder = tmp_path / str(hops)
        folder.mkdir()
        with served(small_app(folder, trusted_proxies=hops)) as url:
            answer = requests.post(
                f"{url}/api/v1/runs", json={"question": QUESTION}, headers=said, timeout=TIMEOUT
            )
            assert answer.status_code == status


@pytest.mark.parametrize(
    ("web", "host", "status"),
    [
        ({}, "localhost:8000", 200),
        ({}, "127.0.0.1", 200),
        ({}, "[::1]:8000", 200),
        ({}, "rebound.example", 400),
        ({"host": "0.0.0.0"}, "clinfo.example", 200),
        ({"trusted_proxies": 1}, "clinfo.example", 200),
        ({"hosts": ("clinfo.example",)}, "clinfo.example:443", 200),
        ({"hosts": ("clinfo.example",)}, "Clinfo.Example.", 200),
        ({"hosts": ("clinfo.example",)}, "localhost", 400),
    ],
)
def test_a_site_answers_under_its_own_names(
    tmp_path: Path, web: dict[str, object], host: str, status: int
) -> None:
    visitor = small_app(tmp_path, **web).test_client()
    assert visitor.get("/how", headers={"Host": host}).status_code == status
    assert visitor.get("/healthz", headers={"Host": "10.1.2.3:8000"}).status_code == 200
