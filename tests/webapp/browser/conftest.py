"""One app and one browser for all browser tests, and tabs that notice whatever goes wrong in them.

A test that opens a tab fails at its end when anything was written to the console as an error, a
script failed, the content security policy was violated, a dialog opened, another host was asked for
anything, or hostile text ran (`SENTINEL`).
"""

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Error, Page, ViewportSize, expect, sync_playwright

from benchmarks.servers import workload
from benchmarks.servers.clinical import clinical_reply
from benchmarks.servers.eutils import EutilsServer
from benchmarks.servers.model import ModelServer
from tests.required import absent
from tests.sources.test_full_texts import article
from tests.webapp.browser import chromium
from tests.webapp.browser.hostile import articles as hostile_articles
from tests.webapp.running import DEMO_QUESTION, SCRIPTED, Running, running_app

PHONE: ViewportSize = {"width": 375, "height": 740}
DESK: ViewportSize = {"width": 1280, "height": 900}
WAIT = 20_000
"""Milliseconds that a page is given to become what a test waits for."""
expect.set_options(timeout=WAIT)
FULL_TEXTS = {"11": article("11", "Itching was lower with zinc cream than placebo (P = 0.01).")}
"""Articles of PubMed Central, by the digits of their PMCIDs."""
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
"""Rules of axe that every page and state keeps."""
SENTINEL = "__ran"
"""The name that hostile text sets on ``window`` if it runs."""

_TELL_VIOLATIONS = """
document.addEventListener('securitypolicyviolation', event =>
  console.error('CSP violation: ' + event.violatedDirective + ' ' + event.blockedURI + ' ' + event.sample));
"""  # noqa: E501


@dataclass
class Script:
    """The replies of the scripted model: a plain clinical model unless a test says otherwise."""

    reply: Callable[[dict[str, Any]], str] = clinical_reply

    def __call__(self, body: dict[str, Any]) -> str:
        return self.reply(body)


@dataclass
class World:
    """The app, the model that its scripted runs ask, and the E-utilities that its source pubmed
    asks.
    """

    app: Running
    model: ModelServer
    script: Script

    def pace(self, first_token: float, per_token: float = 0.0) -> None:
        """From now on the model takes this many seconds to its first token, and for each token."""
        self.model.first_token, self.model.per_token = first_token, per_token

    def prompts_received(self) -> str:
        """All that the model was asked so far."""
        return "\n".join(
            message["content"]
            for received in list(self.model.received)
            for message in received.body["messages"]
        )


@pytest.fixture(scope="session")
def _world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    _require_chromium()
    script = Script()
    folder = tmp_path_factory.mktemp("app")
    articles = [*workload.articles(), *hostile_articles()]
    with (
        ModelServer(script) as model,
        EutilsServer(articles, scripted=workload.searches(), full_texts=FULL_TEXTS) as eutils,
    ):
        settings = {
            "OPENAI_API_BASE": model.url,
            "OPENAI_API_KEY": "sk-scripted",
            "CLINFO_EUTILS_URL": eutils.url,
            "CLINFO_EUTILS_RATE": "10000",
            "CLINFO_CACHE": "off",
        }
        with running_app(folder, settings=settings) as app:
            app.ended(app.ask(model=SCRIPTED))  # the worker has imported what it needs
            yield World(app, model, script)


@pytest.fixture
def world(_world: World) -> Iterator[World]:
    """The world with a quick, plain model, and nothing received."""
    _world.model.received.clear()
    yield _world
    _world.pace(0.0)
    _world.script.reply = clinical_reply


@pytest.fixture(scope="session")
def finished_run(_world: World) -> str:
    """The id of a run of the extractive model on the demo corpus, started by a program, that is
    done.
    """
    run_id = _world.app.ask(question=DEMO_QUESTION)
    assert _world.app.ended(run_id)["status"] == "done"
    return run_id


# Not for the session: while Playwright is there its event loop counts as running, and no test
# beside these could start one.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    _require_chromium()
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=str(chromium.PATH), args=chromium.ARGUMENTS
        )
        yield launched
        launched.close()


@dataclass
class Tabs:
    """Opens tabs, each as a browser of its own (cookies and storage apart), and gathers what goes
    wrong in them.
    """

    browser: Browser
    base_url: str
    faults: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)
    _contexts: list[Any] = field(default_factory=list)

    def open(
        self,
        path: str = "/",
        *,
        viewport: ViewportSize = DESK,
        scheme: Literal["light", "dark"] = "light",
        javascript: bool = True,
        touch: bool = False,
        motion: Literal["no-preference", "reduce"] = "no-preference",
    ) -> Page:
        """A new tab at ``path``."""
        context = self.browser.new_context(
            base_url=self.base_url,
            viewport=viewport,
            color_scheme=scheme,
            java_script_enabled=javascript,
            has_touch=touch,
            is_mobile=touch,
            reduced_motion=motion,
            locale="en-GB",
        )
        context.set_default_timeout(WAIT)
        context.add_init_script(_TELL_VIOLATIONS)
        context.on("page", self._listen)
        self._contexts.append(context)
        page = context.new_page()
        page.goto(path)
        return page

    def allow(self, pattern: str) -> None:
        """A fault that this test brings about on purpose."""
        self.allowed.append(pattern)

    def _listen(self, page: Page) -> None:
        def fault(kind: str) -> Callable[[Any], None]:
            return lambda what: self.faults.append(f"{kind}: {what}")

        page.on(
            "console",
            lambda said: (
                self.faults.append(f"console: {said.text}") if said.type == "error" else None
            ),
        )
        page.on("pageerror", fault("script"))
        page.on("crash", fault("crash"))
        page.on("dialog", self._dialog)
        page.on("request", self._request)

    def _dialog(self, dialog: Any) -> None:
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Any) -> None:
        if not request.url.startswith((self.base_url + "/", "blob:", "data:", "about:")):
            self.faults.append(f"asked elsewhere: {request.url}")

    def close(self) -> list[str]:
        """Close all tabs; what went wrong that was not allowed."""
        for context in self._contexts:
            for page in context.pages:
                with suppress(Error):  # a tab without JavaScript, or one that is gone
                    if page.evaluate(f"() => typeof window.{SENTINEL}") != "undefined":
                        self.faults.append(f"hostile text ran on {page.url}")
            context.close()
        return [
            fault
            for fault in self.faults
            if not any(re.search(pattern, fault) for pattern in self.allowed)
        ]


@pytest.fixture
def tabs(browser: Browser, world: World) -> Iterator[Tabs]:
    opened = Tabs(browser, world.app.url)
    yield opened
    assert opened.close() == []


def violations(page: Page) -> list[Any]:
    """The violations that axe finds on a page as it stands, and what is wider than the screen."""
    if page.evaluate("() => typeof window.axe") == "undefined":
        page.evaluate(Axe().axe_script)
    options = {"resultTypes": ["violations"], "runOnly": {"type": "tag", "values": TAGS}}
    found = [
        (one["id"], [(node["target"], node["failureSummary"]) for node in one["nodes"][:3]])
        for one in page.evaluate("options => axe.run(options)", options)["violations"]
    ]
    wide = page.evaluate(
        """() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll('body *')]
             .filter(one => one.getBoundingClientRect().right > innerWidth + 1).slice(0, 5)
             .map(one => one.outerHTML.slice(0, 120))"""  # noqa: E501
    )
    return [*found, *wide]


def clean(page: Page) -> None:
    """`violations` are none. Whole pages and states are for the table of `test_axe`."""
    assert violations(page) == [], page.url


def _require_chromium() -> None:
    if not chromium.PATH.exists():
        absent("chromium", f"there is no {chromium.PATH}")
