"""Visitors: who asks, and which runs they may see and change."""

import re
from hashlib import sha256
from pathlib import Path

import pytest
import requests
from flask import Flask
from flask.testing import FlaskClient
from itsdangerous import URLSafeSerializer

from clinfo.records.articles import RunRequest
from tests.webapp.serving import served
from tests.webapp.small_app import QUESTION, SECRET, form_fields, parts, small_app
from webapp.records import NotFound, Refused, Visitor
from webapp.visitors import (
    YEAR,
    changeable,
    visible,
    visitor,
)

PROXY = {"trusted_proxies": 1, "user_header": "X-Remote-User"}
REQUEST = RunRequest(question=QUESTION, models={"tldr": "extractive"}, source="demo")


def token(client: FlaskClient) -> str:
    """The form's token against cross-site requests."""
    return form_fields(client.get("/").text)["csrf_token"]


def start(client: FlaskClient, **headers: str) -> str:
    """Start a run from the form; its id."""
    answer = client.post("/", data=form_fields(client.get("/").text), headers=headers)
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"].rpartition("/")[2]


def test_reading_leaves_no_cookie_by_which_a_browser_is_known(app: Flask) -> None:
    client = app.test_client()
    run = parts(app).store.create(REQUEST)
    for path in (
        "/",
        "/runs",
        "/how",
        f"/runs/{run.id}",
        f"/api/v1/runs/{run.id}",
        "/nothing",
        "/static/style.css",
    ):
        client.get(path)
    assert client.get_cookie("clinfo") is None


def test_a_run_started_from_the_form_is_remembered_with_its_browser(app: Flask) -> None:
    client = app.test_client()
    first, second = parts(app).store.get(start(client)), parts(app).store.get(start(client))
    assert first is not None
    assert second is not None
    assert first.visitor == second.visitor
    assert first.visitor is not None
    cookie = client.get_cookie("clinfo")
    assert cookie is not None
    assert cookie.http_only
    assert cookie.same_site == "Lax"
    assert cookie.max_age == YEAR
    value = URLSafeSerializer(SECRET, salt="clinfo browser").loads(cookie.value)
    assert len(value) >= 22  # 128 bits
    assert first.visitor == sha256(value.encode()).hexdigest()
    assert parts(app).store.of_visitor(first.visitor, None)


@pytest.mark.parametrize(
    "forged",
    [
        "",
        "x",
        '"me"',
        "e30.e30",
        URLSafeSerializer("another secret", salt="clinfo browser").dumps("me"),
        "é",
    ],
)
def test_a_forged_cookie_is_nobodys(app: Flask, forged: str) -> None:
    client = app.test_client()
    client.set_cookie("clinfo", str(forged))
    with client:
        client.get("/healthz")
        assert visitor().browser is None


# ---- a browser that was given another's cookie


def test_over_https_a_cookie_that_a_neighbouring_host_set_is_not_read(tmp_path: Path) -> None:
    """Browsers take names that begin with __Host- from this host over HTTPS only."""
    app = small_app(tmp_path, https=True)
    attacker, victim = app.test_client(), app.test_client()
    for client in (attacker, victim):
        client.environ_base["wsgi.url_scheme"] = "https"
    start(attacker)
    planted = attacker.get_cookie("__Host-clinfo")
    assert planted is not None
    victim.set_cookie("clinfo", planted.value)
    victim.set_cookie("__Secure-clinfo", planted.value)
    run = parts(app).store.get(start(victim))
    assert run is not None
    kept = victim.get_cookie("__Host-clinfo")
    assert kept is not None
    assert kept.value != planted.value
    assert attacker.delete(f"/api/v1/runs/{run.id}").status_code == 409
    assert run.id not in attacker.get("/runs").text
    assert [one["id"] for one in attacker.get("/api/v1/runs").json["runs"]] != [run.id]


def test_where_a_proxy_names_users_anothers_cookie_opens_nothing(tmp_path: Path) -> None:
    app = small_app(tmp_path, **PROXY)
    attacker, victim = app.test_client(), app.test_client()
    start(attacker)
    planted = attacker.get_cookie("clinfo")
    assert planted is not None
    victim.set_cookie("clinfo", planted.value)
    run_id = start(victim, **{"X-Remote-User": "maria"})
    for path in (f"/runs/{run_id}", f"/api/v1/runs/{run_id}"):
        assert attacker.get(path).status_code == 404
    assert run_id not in attacker.get("/api/v1/runs").text
    assert run_id in victim.get("/api/v1/runs", headers={"X-Remote-User": "maria"}).text


def test_a_planted_form_cookie_lets_no_other_site_ask(app: Flask) -> None:
    """An attacker who plants the cookie of a form knows its token: the page tells it."""
    attacker, victim = app.test_client(), app.test_client()
    known = token(attacker)
    planted = attacker.get_cookie("clinfo-form")
    assert planted is not None
    victim.set_cookie("clinfo-form", planted.value)
    form = {"csrf_token": known, "question": QUESTION, "model": "extractive", "source": "demo"}
    for headers in (
        {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "same-site", "Origin": "http://localhost:9"},
        {"Origin": "https://evil.example"},
    ):
        assert victim.post("/", data=form, headers=headers).status_code == 403
    assert not any(parts(app).store.counts().values())


# ---- users whom a proxy names


@pytest.mark.parametrize("name", ["x" * 201, "a\x00b", "a\x1bb", "a\u0085b"])
def test_a_name_that_cannot_be_used_is_refused_rather_than_forgotten(
    tmp_path: Path, name: str
) -> None:
    app = small_app(tmp_path, **PROXY)
    answer = app.test_client().post(
        "/api/v1/runs", json={"question": QUESTION}, environ_base={"HTTP_X_REMOTE_USER": name}
    )
    assert answer.status_code == 400
    assert sum(parts(app).store.counts().values()) == 0


def test_addresses_are_believed_for_exactly_as_many_hops_as_are_trusted(tmp_path: Path) -> None:
    forwarded = {"X-Forwarded-For": "203.0.113.9, 198.51.100.7, 192.0.2.44"}
    for hops, address in (
        (0, "127.0.0.1"),
        (1, "192.0.2.44"),
        (2, "198.51.100.7"),
        (3, "203.0.113.9"),
        (4, "127.0.0.1"),
    ):
        folder = tmp_path / str(hops)
        folder.mkdir()
        app = small_app(folder, trusted_proxies=hops, requests_rate="1 per hour")
        with served(app) as url:
            assert (
                requests.get(f"{url}/robots.txt", headers=forwarded, timeout=10).status_code == 200
            )
        with app.test_request_context("/"):
            from flask import current_app

            from webapp.hosting.limits import counted_as

            counts, rates = (
                current_app.extensions["clinfo_counts"],
                current_app.extensions["clinfo_rates"]["requests"],
            )
            assert (
                counts.wait_for(rates, "requests", counted_as(Visitor(None, None, address))) > 0
            ), hops
            assert (
                counts.wait_for(rates, "requests", counted_as(Visitor(None, None, "192.0.2.99")))
                == 0
            )


# ---- whose run it is


def seen(app: Flask, run_id: str, who: Visitor) -> tuple[bool, bool]:
    """Return whether ``who`` may see and may change a run, as pages are told."""
    with app.test_request_context("/"):
        from flask import g

        g.visitor = who
        try:
            visible(run_id)
        except NotFound:
            with pytest.raises(NotFound):
                changeable(run_id)
            return False, False
        try:
            changeable(run_id)
        except Refused:
            return True, False
        return True, True


def test_whose_a_run_is(app: Flask) -> None:
    store = parts(app).store
    nobody, browser, other = (Visitor(name, None, "") for name in (None, "a" * 64, "b" * 64))
    maria, eve = Visitor("a" * 64, "maria", ""), Visitor("a" * 64, "eve", "")
    everybody = (nobody, browser, other, maria, eve)
    programs, browsers = store.create(REQUEST), store.create(REQUEST, visitor="a" * 64)
    private, shared = (store.create(REQUEST, visitor="a" * 64, owner="maria") for _ in range(2))
    shared = store.share(shared.id, True)
    assert {seen(app, programs.id, who) for who in everybody} == {(True, True)}
    assert [seen(app, browsers.id, who) for who in everybody] == [
        (True, False),
        (True, True),
        (True, False),
        (True, True),
        (True, True),
    ]
    assert [seen(app, private.id, who) for who in everybody] == [(False, False)] * 3 + [
        (True, True),
        (False, False),
    ]
    assert [seen(app, shared.id, who) for who in everybody] == [(True, False)] * 3 + [
        (True, True),
        (True, False),
    ]


def test_another_users_run_looks_like_one_that_is_not_there(tmp_path: Path) -> None:
    app = small_app(tmp_path, **PROXY)
    client = app.test_client()
    private = parts(app).store.create(REQUEST, owner="maria").id
    as_eve = {"X-Remote-User": "eve"}

    def answers(run_id: str) -> list[tuple[int, str]]:
        told = []
        for method, path in (
            ("GET", ""),
            ("GET", "/events"),
            ("DELETE", ""),
            ("POST", "/cancel"),
            ("POST", "/resume"),
            ("POST", "/share"),
        ):
            answer = client.open(
                f"/api/v1/runs/{run_id}{path}", method=method, headers=as_eve, json={"shared": True}
            )
            told.append((answer.status_code, re.sub(r"urn:clinfo:request:\w+", "", answer.text)))
        page = client.get(f"/runs/{run_id}", headers=as_eve)
        return [*told, (page.status_code, page.text)]

    assert answers(private) == answers("A" * len(private))
    assert {status for status, _ in answers(private)} == {404}
    assert parts(app).store.get(private) is not None
