"""Files that older versions left on disk can be opened: saved runs, caches, databases of the web
app, local indexes.
"""

import asyncio
import gzip
import json
import sqlite3
import subprocess
import tarfile
import time
from contextlib import closing
from pathlib import Path

import pytest

from clinfo.cache import Cache
from clinfo.cli.flags import Format
from clinfo.llm.litellm_model import LiteLLMModel
from clinfo.pipelines.literature.stages import LITERATURE
from clinfo.runs import saved
from clinfo.runs.clock import SystemClock
from clinfo.settings import Settings
from clinfo.sources.pubmed import PubMed
from tests.cli.process import clinfo, command, environment
from tests.kept import make
from tests.webapp.recorded import app_in
from webapp.pipelines.literature.read_pages import FORMS
from webapp.records import ENDED
from webapp.settings import WebSettings
from webapp.work.worker import Worker

KEPT = sorted(
    path for path in Path(__file__).parent.iterdir() if (path / "finished.jsonl.gz").exists()
)


@pytest.fixture(params=KEPT, ids=lambda path: path.name)
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder with the files of one version, unpacked."""
    for path in request.param.iterdir():
        if path.suffix == ".gz" and ".tar" not in path.suffixes:
            (tmp_path / path.stem).write_bytes(gzip.decompress(path.read_bytes()))
        elif path.suffix == ".json":
            (tmp_path / path.name).write_bytes(path.read_bytes())
    with tarfile.open(request.param / "index.tar.gz") as packed:
        packed.extractall(tmp_path, filter="data")
    return tmp_path


@pytest.mark.parametrize("form", Format)
def test_a_finished_run_is_shown_in_every_form(kept: Path, form: Format) -> None:
    asked = command("ask", "--replay", "finished.jsonl", "--format", form)
    shown = subprocess.run(asked, cwd=kept, env=environment(), capture_output=True, timeout=60)
    assert shown.returncode == 0, shown.stderr
    packed = shown.stdout.startswith(b"PK")  # Word and Excel files are archives
    assert packed or b"23334063" in shown.stdout or b"yoga" in shown.stdout


def test_a_finished_run_is_told_event_by_event(kept: Path) -> None:
    shown = clinfo("ask", "--replay", "finished.jsonl", "--events", cwd=kept)
    assert (shown.returncode, len(shown.stdout.splitlines())) == (
        0,
        len(saved.read(kept / "finished.jsonl", LITERATURE)),
    )
    assert json.loads(shown.stdout.splitlines()[-1])["answer"]["tldr"].startswith(
        "Yes: 3 of the 5 relevant studies"
    )


def test_a_run_that_was_cut_off_is_shown_as_far_as_it_went(kept: Path) -> None:
    assert clinfo("ask", "--replay", "cut.jsonl", cwd=kept).returncode == 130
    again = clinfo("ask", make.QUESTION, *make.FLAGS, "--save", "cut.jsonl", cwd=kept)
    assert again.returncode == 2
    assert "choose another file" in again.stderr


def test_what_the_cache_holds_is_not_asked_again(kept: Path) -> None:
    with sqlite3.connect(kept / "cache.sqlite") as connection:
        connection.execute(
            "UPDATE entries SET stored = ?", (time.time(),)
        )  # what a source said is used for a day
    connection.close()
    addresses = json.loads((kept / "cache.json").read_text())  # where nobody listens
    with closing(Cache(kept / "cache.sqlite")) as cache:
        model = LiteLLMModel(
            make.MODEL, cache, api_base=addresses["model"], api_key="sk-scripted", give_up_after=1.0
        )
        reply = asyncio.run(model.complete(make.ASKED))
        assert (reply.text, reply.cached, cache.problem) == (make.REPLY, True, None)
        source = PubMed(addresses["eutils"], cache=cache, clock=SystemClock())
        assert asyncio.run(source.search(make.SOUGHT)).ids == (make.FOUND.id,)
        (found,) = asyncio.run(source.fetch([make.FOUND.id])).articles
        assert (found.id, found.title, found.abstract) == (
            make.FOUND.id,
            make.FOUND.title,
            make.FOUND.abstract,
        )


def test_the_pages_and_exports_of_the_web_app(kept: Path) -> None:
    client = app_in(kept).test_client()
    ids = json.loads((kept / "web.json").read_text())
    for name, run_id in ids.items():
        page = client.get(f"/runs/{run_id}")
        assert page.status_code == 200, name
        assert (
            "Does drug A reduce mortality" if name == "by a model" else make.QUESTION
        ) in page.get_data(as_text=True)
        assert client.get(f"/runs/{run_id}/articles").status_code == 200
        assert client.get(f"/api/v1/runs/{run_id}").status_code == 200
        for suffix in FORMS:
            assert client.get(f"/runs/{run_id}.{suffix}").status_code == 200, (name, suffix)
    answer = client.get(f"/api/v1/runs/{ids['done']}").get_json()["answer"]
    assert answer == client.get(f"/runs/{ids['done']}.json").get_json()
    verdicts = {
        one["verdict"]
        for one in client.get(f"/runs/{ids['by a model']}.json").get_json()["sentences"]
    }
    assert {"supported", "partial", "unsupported"} <= verdicts


def test_a_worker_says_that_it_cannot_go_on_with_what_an_older_version_left(kept: Path) -> None:
    app = app_in(kept)
    store, left = (
        app.extensions["clinfo"].store,
        json.loads((kept / "web.json").read_text())["left"],
    )
    settings = WebSettings(
        database_url=f"sqlite:///{kept}/runs.sqlite", models=("extractive",), lease_seconds=5.0
    )
    worker = Worker(settings, Settings(cache="off", data_dir=kept / "data"), store)

    async def until_ended() -> None:
        stop = asyncio.Event()
        task = asyncio.create_task(worker.work(stop))
        for _ in range(1_200):
            await asyncio.sleep(0.05)
            if store.get(left).status in ENDED:
                break
        stop.set()
        await asyncio.wait_for(task, 60)

    asyncio.run(until_ended())
    assert store.get(left).status == "failed"
    assert "cannot be resumed" in store.get(left).problem
    assert app.test_client().get(f"/runs/{left}").status_code == 200


def test_an_index_answers_as_of_each_version(kept: Path) -> None:
    pytest.importorskip("tantivy")
    from clinfo.pubmed.index import LocalIndex

    found = {}
    for version in (1, 2):
        with closing(LocalIndex.open(kept / "index", as_of=version)) as opened:
            found[version] = {
                id.removeprefix("pmid:") for id in opened.search("aspirin AND stroke[ti]", 20).ids
            }
            assert [article.title for article in opened.articles(["2"])] == [
                "Aspirin after stroke, trial 2"
            ]
    assert found == {1: {str(n) for n in range(1, 9)}, 2: {str(n) for n in range(2, 9)}}
    shown = clinfo("index", "search", "index", "warfarin[ti]", "--ids", cwd=kept)
    assert (shown.returncode, shown.stdout) == (0, "9\n")
