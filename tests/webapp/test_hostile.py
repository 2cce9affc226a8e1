"""Hostile text from every side, through real HTTP to the real app: nothing of it becomes markup, a
header or a fault.

One run asks a hostile question with a hostile prompt of articles and of a model whose every text is
hostile; what the app then shows of it, in every form, is read with a parser. See
tests/webapp/browser for the same in a real browser.
"""

import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests
import rispy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree, html

from benchmarks.servers.eutils import EutilsServer
from benchmarks.servers.model import ModelServer
from clinfo.pipelines.literature.stages import PROMPTS
from tests.webapp.browser import hostile
from tests.webapp.running import SCRIPTED, Running, running_app
from tests.webapp.small_app import form_fields

pytestmark = pytest.mark.slow

TIMEOUT = 30
MARKUP = (
    "<script>window.__ran",
    "<img src=x onerror",
    '"><svg onload',
    "</textarea><script>",
    '<a href="javascript:',
    "<style>*{display",
)
TEMPLATES = "{{ 7*7 }} {% raw %} ${7*7} %(question)s {0.__class__}"
PROMPT = "tldr"
FORMS = ("md", "txt", "json", "csl.json", "ris", "bib", "nbib", "prisma-s.md")
BAD_IDS = (
    "..%2f..%2fetc%2fpasswd",
    "%0d%0aX-Injected:%20yes",
    "%ed%a0%80",
    "%3Cscript%3Ealert(1)%3C/script%3E",
    "A" * 24,
    "A" * 5_000,
    "-",
    "%25s%25n",
)
"""As they stand in an address."""


@dataclass
class Site:
    """The app with a run of hostile text that has ended, and the browser that started it from the
    form.
    """

    app: Running
    run_id: str
    browser: requests.Session

    def get(self, path: str, **more: Any) -> requests.Response:
        return self.browser.get(self.app.url + path, timeout=TIMEOUT, **more)


def token(app: Running, browser: requests.Session) -> str:
    return form_fields(browser.get(app.url, timeout=TIMEOUT).text)["csrf_token"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("hostile")
    with ModelServer(hostile.reply) as model, EutilsServer(hostile.articles()) as eutils:
        environment = {
            "OPENAI_API_BASE": model.url,
            "OPENAI_API_KEY": "sk-scripted",
            "CLINFO_EUTILS_URL": eutils.url,
            "CLINFO_EUTILS_RATE": "1000",
            "CLINFO_WEB_CONTACT": '"><script>window.__ran=1</script> desk@example.org',
            "CLINFO_WEB_SITE_NAME": "Ward <script>window.__ran=1</script>",
        }
        with running_app(folder, settings=environment) as app:
            browser = requests.Session()
            sent = {
                "csrf_token": token(app, browser),
                "question": hostile.QUESTION + " " + TEMPLATES,
                "query": f'zinc AND "{hostile.PIECES[1]}"\n\ncolds',
                "known": "7001",
                "model": SCRIPTED,
                "source": "pubmed",
                "allow_identifiers": "yes",
                f"prompt-{PROMPT}": PROMPTS.defaults()[PROMPT]
                + "{{question}} "
                + " ".join(hostile.PIECES[:4])
                + TEMPLATES.replace("0.", ""),
            }
            answer = browser.post(app.url, data=sent, timeout=TIMEOUT, allow_redirects=False)
            assert answer.status_code == 303, re.sub(r"<[^>]+>", " ", answer.text)[:3_000]
            run_id = answer.headers["Location"].rpartition("/")[2]
            ended = app.ended(run_id)
            assert ended["status"] == "done", ended
            assert ended["answer"]["tldr"], ended
            yield Site(app, run_id, browser)
            assert all(process.exit_status is None for process in app.processes)


def check_html(text: str) -> str:
    """Fail if anything in a page or a part of one runs or comes from elsewhere; its text."""
    for piece in MARKUP:
        assert piece not in text, text[max(0, text.index(piece) - 200) : text.index(piece) + 100]
    tree = html.fromstring(f"<div>{text}</div>" if "<html" not in text else text)
    for element in tree.iter(etree.Element):
        for name, value in element.attrib.items():
            assert not name.lower().startswith("on"), (element.tag, name)
            assert name.lower() != "style", (element.tag, value)
            if name.lower() in ("href", "src", "action", "formaction", "xlink:href", "data"):
                scheme = urlsplit(value.strip()).scheme.lower()
                assert scheme in ("", "http", "https", "mailto"), (element.tag, name, value)
        if element.tag == "script":
            assert (
                element.get("src", "").startswith("/static/")
                or element.get("type") == "application/json"
            )
            assert not element.get("src") or not (element.text or "").strip()
        assert element.tag not in ("style", "iframe", "object", "embed", "base"), element.tag
        if element.tag == "img":
            assert element.get("src", "").startswith("/"), element.attrib
    return " ".join(tree.itertext())


def check_headers(answer: requests.Response) -> None:
    assert "X-Injected" not in answer.headers
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert all(cookie.name in ("clinfo", "clinfo-form") for cookie in answer.cookies)


# ---- what the app shows of a hostile run


def test_the_page_of_the_run_is_text(site: Site) -> None:
    for path in ("", "/articles", "/articles?which=found", "/articles?which=relevant", "/delete"):
        answer = site.get(f"/runs/{site.run_id}{path}")
        check_headers(answer)
        assert answer.status_code == 200, path
        shown = check_html(answer.text)
        if not path:
            assert "{{ 7*7 }} {% raw %} ${7*7} %(question)s {0.__class__}" in shown
            assert "O'<b>Neil</b>" in shown or "Neil" in shown
            assert "[see](javascript:window.__ran=1)" in shown


@pytest.mark.parametrize("form", FORMS)
def test_files_cannot_run_and_hold_as_many_records_as_there_are(site: Site, form: str) -> None:
    answer = site.get(f"/runs/{site.run_id}.{form}?include=all")
    assert answer.status_code == 200
    check_headers(answer)
    assert answer.headers["Content-Type"].partition(";")[0] not in (
        "text/html",
        "application/xhtml+xml",
        "text/xml",
        "image/svg+xml",
    )
    assert re.fullmatch(
        r'(inline|attachment); filename="[A-Za-z0-9.-]+"', answer.headers["Content-Disposition"]
    )
    match form:
        case "ris":
            assert len(rispy.load(io.StringIO(answer.text))) == len(hostile.PMIDS)
        case "bib":
            assert len(re.findall(r"(?m)^@\w+\{", answer.text)) == len(hostile.PMIDS)
        case "nbib":
            assert len(re.findall(r"(?m)^PMID- ", answer.text)) == len(hostile.PMIDS)
        case "csl.json":
            assert len(json.loads(answer.text)) == len(hostile.PMIDS)
        case "json":
            assert json.loads(answer.text)["question"] == hostile.QUESTION + " " + TEMPLATES
        case "md" | "prisma-s.md":
            outside_code = re.sub(r"(?m)`[^`\n]*`|^    .*$", "", answer.text)
            assert not re.search(r"(?<!\\)<(script|img|svg|style|a|b)\b", outside_code)
            assert "](javascript:" not in outside_code.replace("\\]", "").replace("\\(", "")


def test_streams_hold_one_event_each_and_parts_of_pages_that_are_text(site: Site) -> None:
    for path, headers in (
        (f"/runs/{site.run_id}/live", {}),
        (f"/api/v1/runs/{site.run_id}/events", {"Last-Event-ID": "0"}),
    ):
        answer = site.get(path, headers=headers)
        assert answer.status_code == 200
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        check_headers(answer)
        answer.encoding = "utf-8"
        numbers = []
        for block in answer.text.split("\n\n"):
            for line in block.splitlines():
                assert re.match(r"(id: \d+$|event: \w+$|data: \{|retry: \d+$|:)", line), line[:100]
                if line.startswith("id: "):
                    numbers.append(int(line[4:]))
                if line.startswith("data: ") and path.endswith("/live"):
                    for patch in json.loads(line[6:])["patches"]:
                        check_html(patch["html"])
        assert numbers == sorted(set(numbers))
        assert numbers


# ---- addresses, headers, bodies


@pytest.mark.parametrize("bad", BAD_IDS)
def test_what_is_no_id_of_a_run(site: Site, bad: str) -> None:
    tails = ("", "/articles", "/live", "/delete", ".md", ".json", ".svg", "-2.svg")
    paths = [("GET", f"/runs/{bad}{tail}") for tail in tails] + [("GET", f"/?again={bad}")]
    paths += [
        ("POST", f"/runs/{bad}/{action}")
        for action in ("cancel", "resume", "again", "share", "key", "delete")
    ]
    paths += [(method, f"/api/v1/runs/{bad}") for method in ("GET", "DELETE", "PUT")]
    paths += [("GET", f"/api/v1/runs/{bad}/events")]
    paths += [
        ("POST", f"/api/v1/runs/{bad}/{action}") for action in ("cancel", "resume", "share", "key")
    ]
    form = {"csrf_token": token(site.app, site.browser)}
    for method, path in paths:
        body = {"json": {}} if path.startswith("/api/") else {"data": form}
        request = requests.Request(method, site.app.url + "/", **(body if method == "POST" else {}))
        prepared = site.browser.prepare_request(request)
        prepared.url = site.app.url + path  # as it stands, without being tidied
        answer = site.browser.send(prepared, timeout=TIMEOUT, allow_redirects=False)
        assert 300 <= answer.status_code < 500, (method, path[:80], answer.status_code)
        check_headers(answer)
        assert "alert(1)" not in answer.text
        assert "root:" not in answer.text
        if answer.headers["Content-Type"].startswith("text/html"):
            check_html(answer.text)


# ---- anything at all

_TEXT = st.text(max_size=40) | st.sampled_from(
    [*hostile.PIECES, "\r\nX-Injected: yes", "%00", "\x00", "9" * 400, "-1", "2020-02-30", "é" * 9]
)
_NAMES = st.sampled_from(
    """
    question model source query from to filter regime before drop queries per_query max_articles
    rerank seed max_seconds strict strategy known chase judge prompt-tldr prompt-pico again instead
    """.split()  # noqa: SIM905
)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(fields=st.dictionaries(_NAMES | st.text(max_size=10), _TEXT, max_size=8))
def test_any_form_is_answered(site: Site, fields: dict[str, str]) -> None:
    sent = {
        name.encode("utf-8", "surrogatepass"): text.encode("utf-8", "surrogatepass")
        for name, text in fields.items()
    }
    sent[b"csrf_token"] = token(site.app, site.browser).encode()
    answer = site.browser.post(site.app.url, data=sent, timeout=TIMEOUT, allow_redirects=False)
    assert answer.status_code in (303, 400, 422), answer.status_code
    check_headers(answer)
    if answer.status_code != 303:
        check_html(answer.text.replace("</textarea>", "</pre>").replace("<textarea", "<pre"))
