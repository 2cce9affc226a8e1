"""The files that a version leaves on disk, made with that version: ``python -m tests.kept.make
FOLDER`` (a new, empty folder).

Run it once, before a format may change, and keep what it made; README.md says what that is.
"""

import asyncio
import gzip
import json
import shutil
import sqlite3
import subprocess
import sys
import tarfile
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.servers.eutils import EutilsServer
from benchmarks.servers.model import ModelServer
from clinfo.cache import Cache
from clinfo.llm.litellm_model import LiteLLMModel
from clinfo.pipelines.literature.events import LiteratureLog
from clinfo.pipelines.literature.stages import LITERATURE
from clinfo.pubmed.index import build
from clinfo.records.articles import Article, SearchRequest, Section
from clinfo.runs import saved
from clinfo.runs.clock import SystemClock
from clinfo.runs.protocols import Message, ModelRequest
from clinfo.sources.pubmed import PubMed
from tests.pubmed.index_files import citation, deletion, write
from tests.webapp.handmade import handmade
from tests.webapp.handmade import request as asked_by_hand
from tests.webapp.recorded import app_in, events_of, request, stored

QUESTION = "Does yoga lower blood pressure?"
FLAGS = ("--model", "extractive", "--source", "demo", "--strict", "--judge", "rules")
MODEL = "openai/scripted"
ASKED = ModelRequest(
    "summary",
    (Message("system", "Be brief."), Message("user", "What of moonwort?")),
    max_tokens=100,
    seed=7,
)
REPLY = "Moonwort was not studied [1]."
SOUGHT = SearchRequest("moonwort", 16)
FOUND = Article(
    "pmid:7",
    "Moonwort for sleep",
    pmid="7",
    sections=(Section("Sleep was 12% longer.", "RESULTS", "RESULTS"),),
)


def runs(folder: Path) -> None:
    """A run to its end, and one torn off in the middle of a line while its articles were read."""
    path = folder / "finished.jsonl"
    subprocess.run(
        [sys.executable, "-m", "clinfo", "ask", QUESTION, *FLAGS, "--save", str(path)],
        check=True,
        capture_output=True,
    )
    lines = path.read_bytes().splitlines(keepends=True)
    middle = next(place for place, line in enumerate(lines) if b'"article_summarised"' in line) + 1
    (folder / "cut.jsonl").write_bytes(b"".join(lines[:middle]) + lines[middle][:40])


def cache(folder: Path) -> None:
    """A model's reply and PubMed's answers, with the addresses under which they are found again."""
    held = Cache(folder / "cache.sqlite", owner="a run")
    with ModelServer(lambda _: REPLY) as model, EutilsServer([FOUND]) as eutils:
        asyncio.run(
            LiteLLMModel(MODEL, held, api_base=model.url, api_key="sk-scripted").complete(ASKED)
        )
        source = PubMed(eutils.url, cache=held, clock=SystemClock())
        asyncio.run(source.search(SOUGHT))
        asyncio.run(source.fetch([FOUND.id]))
        (folder / "cache.json").write_text(
            json.dumps({"model": model.url, "eutils": eutils.url}) + "\n"
        )
    held.close()


def web(folder: Path) -> None:
    """The web app's database: two answered runs (one by a language model), one that failed and one
    whose worker died.
    """
    store = app_in(folder).extensions["clinfo"].store
    half = saved.read(folder / "cut.jsonl", LITERATURE)
    begun = LiteratureLog(half).started
    assert begun is not None
    made = {
        "done": stored(store, request(), events_of(request(), folder)),
        "by a model": stored(store, asked_by_hand(), handmade()),
        "failed": stored(
            store,
            begun.request,
            half,
            "failed",
            problem="The source did not answer.",
            retryable=True,
        ),
        "left": stored(store, begun.request, half, "running"),
    }
    store.engine.dispose()
    (folder / "web.json").write_text(
        json.dumps({name: run.id for name, run in made.items()}) + "\n"
    )
    shutil.rmtree(folder / "data", ignore_errors=True)


def index(folder: Path) -> None:
    """Two versions of a small local index."""
    one = [
        citation(
            number,
            f"Aspirin after stroke, trial {number}",
            ("Aspirin lowered the risk.",),
            headings=("Aspirin",),
        )
        for number in range(1, 9)
    ]
    two = [
        deletion(1),
        citation(9, "Warfarin after stroke", ("Bleeding was commoner.",), cites=(2,)),
    ]
    made = folder / "index"
    for name, records in (("a.xml", one), ("b.xml", two)):
        build([write(folder / name, records)], made, now=lambda: datetime(2026, 11, 22, tzinfo=UTC))
        (folder / name).unlink()
    with tarfile.open(folder / "index.tar.gz", "w:gz") as packed:
        packed.add(made, "index")
    shutil.rmtree(made)


def main(folder: Path) -> None:
    folder.mkdir(parents=True)
    for part in (runs, cache, web, index):
        part(folder)
    for path in folder.glob("*.sqlite"):
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
        connection.close()
    for path in [*folder.glob("*.sqlite"), *folder.glob("*.jsonl")]:
        Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
        path.unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
