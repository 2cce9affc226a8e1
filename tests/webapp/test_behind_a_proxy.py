"""The app as a real process behind a proxy, attacked: forged addresses, users and host names, as a
visitor sends them and the proxy hands them on.
"""

import json
import socket
from collections.abc import Iterator

import pytest

from tests.webapp.running import Running, running_app
from tests.webapp.small_app import QUESTION
from webapp.storage.database import connect
from webapp.storage.store import Store

BODY = json.dumps({"question": QUESTION, "source": "demo"}).encode()
SITE = "clinfo.example"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    settings = {
        "CLINFO_WEB_TRUSTED_PROXIES": "1",
        "CLINFO_WEB_USER_HEADER": "X-Remote-User",
        "CLINFO_WEB_HOSTS": f"{SITE},127.0.0.1",
        "CLINFO_WEB_RUNS_RATE": "3 per hour",
    }
    with running_app(tmp_path_factory.mktemp("app"), settings=settings) as made:
        yield made


def sent(
    url: str, *headers: str, path: str = "/api/v1/runs", body: bytes = BODY
) -> tuple[int, str]:
    """Status and body of the answer to a request that is written byte by byte, as no client of ours
    would write it.
    """
    lines = [f"POST {path} HTTP/1.1", "Content-Type: application/json", "Connection: close"]
    lines += [f"Content-Length: {len(body)}", *headers]
    host, _, port = url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), 20) as connection:
        connection.sendall("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body)
        connection.settimeout(20)
        answer = b""
        while part := connection.recv(65_536):
            answer += part
    head, _, content = answer.partition(b"\r\n\r\n")
    return int(head.split(b" ", 2)[1]), content.decode()


FORGED = [
    "X-Forwarded-For: 203.0.113.{n}",
    "X-Forwarded-For: 203.0.113.{n}, 198.51.100.{n}",
    "X_Forwarded_For: 203.0.113.{n}",
    "Forwarded: for=203.0.113.{n}",
    "X-Real-IP: 203.0.113.{n}",
    "True-Client-IP: 203.0.113.{n}",
    "X-Forwarded-For: [2001:db8:{n}::1]",
    "X-Forwarded-For: ,,203.0.113.{n},",
]


def test_a_visitor_behind_a_proxy_that_appends_has_one_address(app: Running) -> None:
    """Whatever stands before, the last address is the one that the proxy wrote."""
    told = []
    for n, forged in enumerate(FORGED):
        forged = forged.format(n=n)
        if forged.startswith("X-Forwarded-For"):
            lines = [f"{forged}, 192.0.2.7"]
            other = [forged, "X-Forwarded-For: 192.0.2.7"]  # some proxies add a line instead
        else:
            lines = [forged, "X-Forwarded-For: 192.0.2.7"]
            other = lines[::-1]
        told += [sent(app.url, f"Host: {SITE}", *each)[0] for each in (lines, other)]
    assert told == [202] * 3 + [429] * (len(told) - 3)


@pytest.mark.parametrize(
    "headers",
    [
        ("X_Remote_User: maria",),
        ("X-Remote-User : maria",),
        ("X-Remote-User:", "X_Remote_User: maria"),
        ("Remote-User: maria", "X-Forwarded-User: maria", "REMOTE_USER: maria"),
    ],
)
def test_nobody_becomes_a_user_by_another_spelling(app: Running, headers: tuple[str, ...]) -> None:
    """The proxy takes out what a visitor sent under the header's name, and that name only."""
    address = f"X-Forwarded-For: 192.0.2.{sum(map(len, headers)) % 256}"
    status, text = sent(app.url, f"Host: {SITE}", address, *headers)
    assert status in (202, 400)
    if status == 202:
        run = Store(connect(app.engine_url)).get(json.loads(text)["id"])
        assert run is not None
        assert run.owner is None


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (("Host: evil.example",), 400),
        ((f"Host: {SITE}", "X-Forwarded-Host: evil.example"), 400),
        ((f"Host: {SITE}", f"X-Forwarded-Host: {SITE}, evil.example"), 400),
        ((f"Host: {SITE}", "Host: evil.example"), 400),
        ((f"Host: {SITE}@evil.example",), 400),
        ((f"Host: {SITE}:80@evil.example",), 400),
        ((f"Host: {SITE} evil.example",), 400),
        (("Host: ",), 400),
        ((f"Host: {SITE}", "X-Forwarded-Server: evil.example", "X-Original-URL: /evil"), 202),
        ((f"Host: {SITE}", "X-Forwarded-Prefix: /evil", "SCRIPT_NAME: /evil"), 202),
        ((f"Host: {SITE}", "X-Forwarded-Port: 666", "X-Forwarded-Scheme: evil"), 202),
    ],
)
def test_no_answer_leads_to_another_host(
    app: Running, headers: tuple[str, ...], status: int
) -> None:
    address = f"X-Forwarded-For: 198.51.100.{sum(map(len, headers)) % 256}"
    told, text = sent(app.url, *headers, address)
    assert (told, "evil" in text) == (status, False)
    if status == 202:
        assert json.loads(text)["url"].startswith(f"http://{SITE}/runs/")
