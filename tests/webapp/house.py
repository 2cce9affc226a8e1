"""A whole house in the tests: one app with all that a host can switch on, and its forms sent as a
browser without scripts sends them.
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jsonschema_rs
import lxml.html
import requests

from benchmarks.servers.eutils import EutilsServer
from benchmarks.servers.model import ModelServer, Raw
from clinfo.pipelines.cohort.store import build
from tests.pipelines.cohort.notes import RECORDS
from tests.pipelines.copilot.silos import call, calling, claims, scripted
from tests.sources.test_full_texts import article
from tests.webapp.running import SCRIPTED, Running, running_app
from webapp.storage import tokens
from webapp.storage.database import connect

NOWHERE = "openai/nowhere"
"""A model on offer whose provider answers no request."""
ADMIN = "the token of the host of a house of tests"
HOSTILE = "<script>window.__ran=1</script>"
ITCHING = "Itching was significantly less frequent with zinc cream than with placebo (P = 0.01)."
FULL_TEXTS = {number: article(number, ITCHING) for number in ("11", "12")}
"""Articles of PubMed Central, by the digits of their PMCIDs."""

_STEPS = [
    calling(
        call("search", {"silo": "civic", "query": "BRAF V600E melanoma vemurafenib"}),
        call("search", {"silo": "cancergov", "query": "melanoma"}),
        thought=f"CIViC first. {HOSTILE}",
    ),
    calling(call("no_such_tool", {"query": "x"}), thought="Another one."),
]


def _written(body: dict[str, Any]) -> str:
    """An answer of the first passage's first sentence, of what no passage says, and a conflict."""
    text = body["messages"][-1]["content"]
    passage = re.search(r"\[1\] .*?\n(.*?)\n?</?\w", text, re.DOTALL)
    assert passage, text
    sentence = re.split(r"(?<=\.) ", passage[1].strip().splitlines()[-1])[0]
    return claims(
        (sentence, [1]),
        ("Dabrafenzumab cures everybody.", [99]),
        bottom_line={"text": sentence, "sources": [1]},
        conflicts=[{"about": "how often it helps", "sources": [1, 2]}],
        not_found=[{"silo": "cancergov", "what": "a choice between drugs"}],
    )


@contextmanager
def whole_house(folder: Path) -> Iterator[Running]:
    """The app; its patients, ward and full texts are made up, and its model is a script."""
    copilot = scripted(_STEPS, _written)

    def reply(body: dict[str, Any]) -> Any:
        return Raw({}, 500) if body["model"] == "nowhere" else copilot(body)

    build(RECORDS, folder / "ward")
    with ModelServer(reply) as model, EutilsServer(full_texts=FULL_TEXTS) as eutils:
        settings = {
            "CLINFO_WEB_CHART": "true",
            "CLINFO_WEB_COPILOT": "true",
            "CLINFO_WEB_ADMIN_TOKEN": ADMIN,
            "CLINFO_WEB_COHORTS": json.dumps({"Ward": str(folder / "ward")}),
            "CLINFO_PATIENTS_DIR": str(folder / "patients"),
            "CLINFO_WEB_MODELS": f"extractive,{SCRIPTED},{NOWHERE}",
            "OPENAI_API_BASE": model.url,
            "OPENAI_API_KEY": "sk-test",
            "CLINFO_JUDGE": "rules",
            "CLINFO_SOURCE": "demo",
            "CLINFO_EUTILS_URL": eutils.url,
            "CLINFO_EUTILS_RATE": "1000",
        }
        with running_app(folder, settings=settings) as app:
            yield app


def send(
    app: Running,
    path: str,
    browser: requests.Session | None = None,
    files: Mapping[str, tuple[str, Any] | list[tuple[str, Any]]] | None = None,
    **fields: Any,
) -> tuple[requests.Session, requests.Response]:
    """Fill the form of a page in and send it."""
    browser, files = browser or requests.Session(), files or {}
    page = lxml.html.fromstring(browser.get(app.url + path, timeout=60).text)
    form = next(
        one for one in page.forms if "question" in one.fields and "csrf_token" in one.fields
    )
    attached = form.xpath(".//input[@type='file']/@name")
    data = [pair for pair in form.form_values() if pair[0] not in (*fields, *attached)]
    for name, given in fields.items():
        data += [(name, one) for one in (given if isinstance(given, list) else [given])]
    sent = [(name, one) for name, all in files.items() for one in all]
    where = app.url + path.partition("?")[0]
    return browser, browser.post(where, data=data, files=sent, timeout=60)


def run_of(answer: requests.Response) -> str:
    """The id of the run that a form began."""
    assert answer.status_code == 200, answer.text
    return str(answer.url.rsplit("/", 1)[1])


def ended(browser: requests.Session, app: Running, answer: requests.Response) -> str:
    """The id of the run that a form began, once it is done."""
    run_id = run_of(answer)
    app.session.cookies.update(browser.cookies)
    assert app.ended(run_id)["status"] == "done", app.logs()
    return run_id


def text_of(page: str) -> str:
    """The words of a page, without its frame."""
    return re.sub(r"\s+", " ", lxml.html.fromstring(page).xpath("//main")[0].text_content())


def led_to(answer: requests.Response, where: str) -> bool:
    """Return whether a refused form leads to the field where something is wrong."""
    page = lxml.html.fromstring(answer.text)
    link = page.xpath(f"//div[@role='alert']//a[@href='#{where}']")
    return answer.status_code == 422 and bool(link) and bool(page.xpath(f"//*[@id='{where}']"))


def known(app: Running, name: str) -> dict[str, str]:
    """The header of a new access token."""
    return {"Authorization": f"Bearer {tokens.create(connect(app.engine_url), name)}"}


def described(app: Running, **values: object) -> None:
    """Fail where a value is not what the OpenAPI document says of the schema of that name."""
    made = requests.get(f"{app.url}/openapi.json", timeout=60).json()
    for name, value in values.items():
        schema = {"$ref": f"#/components/schemas/{name}", "components": made["components"]}
        jsonschema_rs.Draft202012Validator(schema).validate(value)
