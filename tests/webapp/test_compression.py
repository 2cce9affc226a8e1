"""gzip over real HTTP: what is compressed and what is not, byte for byte the same text."""

from __future__ import annotations

import re

import pytest
import requests
from flask import Flask

from tests.webapp.handmade import handmade
from tests.webapp.recorded import request as asked
from tests.webapp.recorded import stored

TIMEOUT = 20
PLAIN = {"Accept-Encoding": "identity"}


@pytest.fixture
def run(app: Flask, url: str) -> str:
    return f"{url}/runs/{stored(app.extensions['clinfo'].store, asked(), handmade()).id}"


def get(address: str, **headers: str) -> requests.Response:
    answer = requests.get(address, headers={"Accept-Encoding": "gzip"} | headers, timeout=TIMEOUT)
    assert answer.status_code in (200, 304), answer.text[:300]
    return answer


def without_tokens(text: str) -> str:
    return re.sub(r'name="csrf_token"[^>]*', "", text)


@pytest.mark.parametrize("path", ["", ".md", ".json"])
def test_texts_are_compressed_and_the_same(run: str, path: str) -> None:
    small = get(run + path)
    whole = requests.get(run + path, headers=PLAIN, timeout=TIMEOUT)
    assert small.headers["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in whole.headers
    assert int(small.headers["Content-Length"]) < len(whole.content) / 2
    assert without_tokens(small.text) == without_tokens(whole.text)
    for answer in (small, whole):
        assert "Accept-Encoding" in answer.headers["Vary"]


def test_sheets_and_scripts_are_compressed_and_kept(url: str, run: str) -> None:
    links = re.findall(r'"(/static/[^"]+\.(?:css|js)[^"]*)"', get(run).text)
    assert len(links) >= 3
    for link in links:
        small = get(url + link)
        whole = requests.get(url + link, headers=PLAIN, timeout=TIMEOUT)
        assert small.content == whole.content
        assert "immutable" in small.headers["Cache-Control"]
        if len(whole.content) >= 1_000:
            assert small.headers["Content-Encoding"] == "gzip"
        again = get(url + link, **{"If-None-Match": small.headers["ETag"]})
        assert again.status_code == 304


def test_what_a_stranger_may_have_written_into_a_page_is_not_compressed(url: str) -> None:
    """Its size would tell how much of it stands in the page's secrets (BREACH)."""
    for path in ("/?question=csrf_token+value", "/runs?q=yoga"):
        assert "Content-Encoding" not in get(url + path).headers
    assert get(f"{url}/").headers["Content-Encoding"] == "gzip"


def test_event_streams_are_not_compressed(run: str) -> None:
    stream = requests.get(
        run.replace("/runs/", "/api/v1/runs/") + "/events",
        headers={"Accept-Encoding": "gzip"},
        stream=True,
        timeout=TIMEOUT,
    )
    with stream:
        assert stream.headers["Content-Type"].startswith("text/event-stream")
        assert "Content-Encoding" not in stream.headers
        assert next(stream.iter_lines()) != b""
