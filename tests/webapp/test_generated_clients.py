"""A client that openapi-python-client makes from /openapi.json, used against the app as real
processes: started, waited for, read by its types, cancelled, deleted.
"""

from __future__ import annotations

import importlib
import json
import re
import shutil
import subprocess
import textwrap
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
import requests

from clinfo.pipelines.cohort.store import build
from tests.pipelines.cohort.notes import RECORDS
from tests.webapp.running import DEMO_QUESTION, ROOT, SCRIPTED, Running, running_app
from tests.webapp.servers import absent
from webapp.storage import tokens
from webapp.storage.database import connect

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Its language model is slow enough for a run to be cancelled in the middle; it offers what a
    host may offer, so that clients know all of it.
    """
    folder = tmp_path_factory.mktemp("app")
    build(RECORDS, folder / "ward")
    more = {
        "CLINFO_WEB_CHART": "true",
        "CLINFO_WEB_COPILOT": "true",
        "CLINFO_WEB_COHORTS": json.dumps({"Ward": str(folder / "ward")}),
        "CLINFO_PATIENTS_DIR": str(folder / "patients"),
    }
    with running_app(folder, scripted={"first_token": 20.0}, settings=more) as made:
        yield made


def program(name: str) -> str:
    """A generator that is installed, else the test is skipped."""
    return shutil.which(name) or absent(name, f"{name} is not installed")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Any]:
    """The modules of the package that openapi-python-client makes without a warning, by name, with
    the settings of docs/using.md.
    """
    folder, generator = tmp_path_factory.mktemp("python"), program("openapi-python-client")
    guide = (ROOT / "docs" / "using.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^    content_type_overrides:\n(?:      .+\n)+", guide, re.MULTILINE)
    (folder / "client.yml").write_text(f"post_hooks: []\n{textwrap.dedent(shown)}")
    url = request.getfixturevalue("app").url
    command = [generator, "generate", "--url", f"{url}/openapi.json"]
    where = ["--meta", "none", "--output-path", str(folder / "clinfo_client")]
    settings = ["--config", str(folder / "client.yml"), "--fail-on-warning"]
    done = subprocess.run(
        [*command, *where, *settings], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield lambda name: importlib.import_module(f"clinfo_client.{name}")


def test_a_client_in_python(made: Any, app: Running) -> None:
    def call(name: str, *given: Any, by: Any = None, **more: Any) -> Any:
        return made(f"api.runs.{name}").sync(*given, client=by or client, **more)

    models = made("models")
    client = made("client").Client(base_url=app.url)
    fields = models.AskFields(
        question=DEMO_QUESTION, source=models.AskFieldsSourceType1.DEMO, max_articles=12
    )
    started = call("start_run", body=fields)
    assert isinstance(started, models.Started)
    assert started.url == f"{app.url}/runs/{started.id}"
    repeated = [call("start_run", body=fields, idempotency_key="a-b-c") for _ in range(2)]
    assert repeated[0].id == repeated[1].id != started.id
    run = ended(call, started.id)
    assert (run.status, run.problem) == (models.RunStatus.DONE, None)
    answer = run.answer
    assert isinstance(answer, models.Answer)
    assert answer.question == DEMO_QUESTION
    assert 0 < answer.counts.judged <= 12
    assert all(isinstance(one.verdict, models.SentenceVerdict) for one in answer.sentences)
    assert {one.n for one in answer.references} >= {
        n for sentence in answer.sentences for n in sentence.cites
    }
    same = requests.get(f"{app.url}/api/v1/runs/{started.id}", timeout=30).json()
    assert run.to_dict() == same  # nothing was lost in the types, nothing added
    assert call("export_json", started.id).to_dict() == same["answer"]
    assert call("export_bib", started.id).startswith("@article{")

    slow = call("start_run", body=models.AskFields(question=DEMO_QUESTION, model=SCRIPTED)).id
    give_up = time.monotonic() + 60
    while (run := call("get_run", slow)).status != models.RunStatus.RUNNING:
        assert time.monotonic() < give_up, run
        time.sleep(0.05)
    assert isinstance(call("cancel_run", slow), models.RunState)
    assert ended(call, slow).status == models.RunStatus.CANCELLED

    token = tokens.create(connect(app.engine_url), "ci")
    with_token = made("client").AuthenticatedClient(base_url=app.url, token=token)
    for _ in range(2):
        call("start_run", body=fields, by=with_token)
    listed = call("list_runs", by=with_token)
    assert isinstance(listed, models.Runs)
    assert [one.question for one in listed.runs] == [DEMO_QUESTION] * 2
    assert (listed.runs[0].created_at > listed.runs[1].created_at, listed.next_) == (True, None)
    cohort = call(
        "start_run",
        body=models.CohortRunFields(pipeline="cohort", query="condition epilepsy"),
        by=with_token,
    )
    run = ended(partial(call, by=with_token), cohort.id)
    assert isinstance(run.answer, models.CohortAnswer)
    assert [one["id"] for one in run.to_dict()["answer"]["members"]] == ["ada"]
    made("api.runs.delete_run").sync_detailed(cohort.id, client=with_token)
    assert call("list_runs").runs == []
    assert call("get_run", listed.runs[0].id).status == 404
    nobody = made("client").AuthenticatedClient(base_url=app.url, token="clinfo_x")
    assert call("list_runs", by=nobody).status == 401
    made("api.runs.delete_run").sync_detailed(started.id, client=client)
    assert call("get_run", started.id).status == 404
    refused = call("start_run", body=models.AskFields(question=" "))
    assert isinstance(refused, models.Problem)
    assert [error.field for error in refused.errors] == ["question"]


def ended(call: Any, run_id: str) -> Any:
    give_up = time.monotonic() + 60
    while (run := call("get_run", run_id)).status in ("queued", "running"):
        assert time.monotonic() < give_up
        time.sleep(0.1)
    return run
