"""Nothing that identifies a patient leaves the machine by a command: filters, prompts, searches,
sentences to judge. Status 6.
"""

import json
import re
from pathlib import Path

import pytest

from benchmarks.servers.clinical import clinical_reply
from benchmarks.servers.eutils import EutilsServer
from benchmarks.servers.model import ModelServer
from clinfo.pipelines.literature.stages import PROMPTS
from clinfo.records.articles import Article
from tests.cli.process import clinfo

PATIENT = "Mrs Patel"
ASKED = ("ask", "Does zinc shorten the common cold?", "--model", "extractive")
NOWHERE = {"CLINFO_EUTILS_URL": "http://127.0.0.1:9/"}
FORBIDDEN = {"CLINFO_IDENTIFIERS": "refuse"}


@pytest.mark.slow
@pytest.mark.parametrize("where", ["filter", "prompt synthesis"])
def test_filters_and_edited_prompts_are_looked_at_like_the_question(tmp_path: Path, where: str):
    more = ["--filter", f"{PATIENT} AND english[la]"]
    if where != "filter":
        texts = PROMPTS.defaults()
        texts["synthesis"] += f"\nIt is for {PATIENT}.\n"
        more = ["--prompts", str(folder(tmp_path / "prompts", texts))]
    done = clinfo(*ASKED, *more, cwd=tmp_path, **NOWHERE)
    assert (done.returncode, done.stdout) == (6, "")
    assert f"The {where} " in done.stderr
    assert "a name (" in done.stderr
    assert "Patel" not in done.stderr
    assert (
        clinfo(*ASKED, *more, "--allow-identifiers", cwd=tmp_path, **NOWHERE).returncode == 4
    )  # nobody answered


def test_default_prompts_and_the_comments_of_a_prompt_identify_nobody(tmp_path: Path):
    texts = {
        name: f"# by {PATIENT}, tel. 0161 496 0712\n{text}"
        for name, text in PROMPTS.defaults().items()
    }
    done = clinfo(
        *ASKED, "--prompts", str(folder(tmp_path / "prompts", texts)), cwd=tmp_path, **NOWHERE
    )
    assert done.returncode == 4


def folder(path: Path, texts: dict[str, str]) -> Path:
    path.mkdir()
    for name, text in texts.items():
        (path / f"{name}.md").write_text(text, encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("way", ["query", "file", "filter", "export"])
def test_a_search_elsewhere_is_refused_before_anything_is_sent(tmp_path: Path, way: str):
    (tmp_path / "strategy.txt").write_text(
        f"#1 zinc\n#2 {PATIENT}\n#3 #1 AND #2\n", encoding="utf-8"
    )
    asked = {
        "query": [f"zinc {PATIENT}"],
        "file": ["@strategy.txt"],
        "filter": ["zinc", "--filter", PATIENT],
        "export": [f"zinc {PATIENT}", "--all"],
    }[way]
    with EutilsServer((Article("pmid:1", "Zinc", "1"),)) as server:
        done = clinfo("search", *asked, cwd=tmp_path, CLINFO_EUTILS_URL=server.url)
        assert (done.returncode, done.stdout) == (6, "")
        assert f"The {'filter' if way == 'filter' else 'query'} " in done.stderr
        assert "a name (" in done.stderr
        assert "Patel" not in done.stderr
        assert server.log == []
        allowed = clinfo(
            "search", *asked, "--allow-identifiers", cwd=tmp_path, CLINFO_EUTILS_URL=server.url
        )
        assert allowed.returncode in (0, 3)
        assert server.log
        refused = clinfo(
            "search",
            *asked,
            "--allow-identifiers",
            cwd=tmp_path,
            CLINFO_EUTILS_URL=server.url,
            **FORBIDDEN,
        )
    assert (refused.returncode, "never sends patient identifiers" in refused.stderr) == (2, True)


@pytest.mark.slow
def test_a_search_here_and_one_for_an_author_are_made(tmp_path: Path):
    assert clinfo("search", f"yoga OR {PATIENT}", "--source", "demo", cwd=tmp_path).returncode in (
        0,
        3,
    )
    with EutilsServer((Article("pmid:1", "Zinc", "1"),)) as server:
        assert clinfo(
            "search", "zinc OR John Smith[au]", cwd=tmp_path, CLINFO_EUTILS_URL=server.url
        ).returncode in (0, 3)


def rows(path: Path, *sentences: str) -> str:
    article = {
        "n": 1,
        "title": "Zinc for colds",
        "abstract": "Colds were 2 days shorter with zinc than with placebo.",
    }
    lines = [
        {"id": id, "sentence": text, "cites": [1], "articles": [article]}
        for id, text in enumerate(sentences)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path.name


@pytest.mark.slow
def test_a_sentence_for_a_model_elsewhere_is_refused_and_its_row_named(tmp_path: Path):
    file = rows(
        tmp_path / "rows.jsonl",
        "Is zinc for the elderly.",
        f"{PATIENT} had a shorter cold.",
        "Zinc helps.",
    )
    asked = ("verify", file, "--judge", "both", "--model", "openai/judge")
    with ModelServer(clinical_reply) as server:
        here = {"OPENAI_API_BASE": server.url, "OPENAI_API_KEY": "k", "CLINFO_CACHE": "off"}
        # The model's own address is none of this machine; what is sent there comes to the server by
        # way of a proxy.
        away = {
            **here,
            "OPENAI_API_BASE": "http://model.invalid/v1",
            "HTTP_PROXY": server.url.removesuffix("/v1"),
            "NO_PROXY": "",
        }
        done = clinfo(*asked, cwd=tmp_path, **away)
        assert done.returncode == 6
        assert re.search(r"line 2 of rows\.jsonl .* a name \(.*1 to 9\)", done.stderr)
        assert "Patel" not in done.stderr
        assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [0]
        assert len(server.received) == 1
        assert "Patel" not in str(server.received[0].body)
        assert clinfo(*asked, "--allow-identifiers", cwd=tmp_path, **away).returncode == 0
        assert "Patel" in str(server.received[-1].body)
        assert clinfo(*asked, cwd=tmp_path, **here).returncode == 0
        refused = clinfo(*asked, "--allow-identifiers", cwd=tmp_path, **here, **FORBIDDEN)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "never sends patient identifiers" in refused.stderr
    assert clinfo("verify", file, cwd=tmp_path).returncode == 0


@pytest.mark.slow
def test_rows_before_one_that_cannot_be_used_are_judged_also_by_a_model(tmp_path: Path):
    file = rows(tmp_path / "rows.jsonl", "Colds were 2 days shorter with zinc.", "Zinc helps.")
    (tmp_path / file).write_text((tmp_path / file).read_text() + "{\n", encoding="utf-8")
    with ModelServer(clinical_reply) as server:
        more = {"OPENAI_API_BASE": server.url, "OPENAI_API_KEY": "k", "CLINFO_CACHE": "off"}
        done = clinfo(
            "verify", file, "--judge", "model", "--model", "openai/judge", cwd=tmp_path, **more
        )
    assert (done.returncode, done.stdout.count("\n")) == (2, 2)
    assert "line 3 of rows.jsonl is not JSON" in done.stderr
