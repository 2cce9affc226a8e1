"""``clinfo doctor``: it tells what is set and reachable, and never a key."""

import json

import pytest

from benchmarks.servers.scripted import Reply, ScriptedServer
from tests.cli.process import clinfo
from tests.sources.test_entrez import sending

KEYS = {
    "NCBI_API_KEY": "secret-one",
    "S2_API_KEY": "secret-two",
    "OPENAI_API_KEY": "secret-three",
    "ANTHROPIC_API_KEY": "secret-four",
}


def _models(asked):
    right = asked.path == "/v1/models" and asked.headers["authorization"] == "Bearer secret-three"
    return Reply(200 if right or asked.path.endswith("einfo.fcgi") else 401, b"")


@pytest.fixture
def server():
    with ScriptedServer(_models) as running:
        yield running.url.removeprefix("http://")


def test_what_is_there_and_what_is_not(server, tmp_path):
    done = clinfo(
        "doctor",
        "--json",
        cwd=tmp_path,
        CLINFO_MODEL="openai/some",
        OPENAI_API_BASE=f"http://{server}/v1",
        CLINFO_EUTILS_URL=f"http://user:pass@{server}/entrez",
        **KEYS,
    )
    assert done.returncode == 0, done.stderr
    assert not [value for value in (*KEYS.values(), "pass@") if value in done.stdout + done.stderr]
    found = {
        finding["name"]: (finding["ok"], finding["detail"])
        for finding in json.loads(done.stdout)["findings"]
    }
    assert found["model"] == (True, "openai/some")
    assert found["NCBI_API_KEY"] == (True, "set")
    assert found["NCBI_EMAIL"] == (None, "not set")
    assert found["PubMed"] == (True, f"http://{server}/entrez/einfo.fcgi answered 200")
    assert found["model server"] == (True, f"http://{server}/v1/models answered 200")


@pytest.mark.slow
def test_what_the_local_sources_are(tmp_path):
    reached = {
        "CLINFO_EUTILS_URL": "http://127.0.0.1:9/",
        "CLINFO_DATA_DIR": str(tmp_path / "data"),
    }
    done = clinfo(
        "doctor", cwd=tmp_path, S2_API_KEY="secret-two", CLINFO_INDEX_DIR="index", **reached
    )
    *amiss, well = done.stdout.splitlines()
    assert "S2_API_KEY set" in well
    assert "· MeSH 2020, 29,643 headings" in well
    assert any(line.startswith("NO  local index") for line in amiss)
    asthma = {
        "ui": "D001249",
        "heading": "Asthma",
        "entry_terms": [],
        "tree_numbers": ["C08.127.108"],
    }
    (tmp_path / "mesh.jsonl").write_text(json.dumps(asthma) + "\n")
    assert clinfo("mesh", "load", "mesh.jsonl", cwd=tmp_path, **reached).returncode == 0
    (tmp_path / "one.xml").write_text(
        "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article><ArticleTitle>Zinc</ArticleTitle></Article>"
        "</MedlineCitation></PubmedArticle></PubmedArticleSet>"
    )
    assert (
        clinfo("index", "build", "one.xml", "--out", "index", cwd=tmp_path, **reached).returncode
        == 0
    )
    done = clinfo("doctor", cwd=tmp_path, CLINFO_INDEX_DIR="index", **reached)
    well = done.stdout.splitlines()[-1]
    assert "· MeSH, 1 heading" in well
    assert "local index index index, version 1 of" in well


def test_missing_things_do_not_fail_it(tmp_path):
    done = clinfo("doctor", cwd=tmp_path, CLINFO_EUTILS_URL="http://127.0.0.1:9/")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert len(lines) == len(set(lines)) <= 10
    assert lines[0].startswith("NO  PubMed")
    assert lines[1].startswith("--  model")
    assert lines[-1].startswith("ok  clinfo")
    assert "model server" not in done.stdout


def test_a_setting_that_cannot_be_used(tmp_path):
    (tmp_path / "file").touch()
    done = clinfo(
        "doctor", cwd=tmp_path, CLINFO_DATA_DIR="file", CLINFO_EUTILS_URL="http://127.0.0.1:9/"
    )
    assert "file (is no folder)" in done.stdout
    wrong = {"CLINFO_CONCURRENCY": "many", "CLINFO_SOURCE": "pubmedd"}
    done = clinfo("doctor", cwd=tmp_path, **wrong)
    assert (done.returncode, done.stdout) == (2, "")
    assert all(done.stderr.count(setting) == 1 for setting in wrong)
    assert "'pubmedd' is not known (did you mean pubmed?); choose" in done.stderr
    assert done.stderr.count("\n") == 1
    done = clinfo("doctor", "--json", cwd=tmp_path, **wrong)
    told = json.dumps([one for one in json.loads(done.stdout)["findings"] if one["ok"] is False])
    assert done.returncode == 2
    assert all(one in told for one in wrong)


def test_a_server_that_never_ends_its_answer_holds_nothing_up(tmp_path):
    with sending(b"HTTP/1.1 200 OK\r\nX-Slow: ", again=b"x") as slow:
        done = clinfo("doctor", "--json", cwd=tmp_path, CLINFO_EUTILS_URL=slow)
    with sending(b"HTTP/1.1 200 OK\r\n\r\n", again=b" " * 100, every=0.01) as endless:
        other = clinfo("doctor", "--json", cwd=tmp_path, CLINFO_EUTILS_URL=endless)
    for one, reached in ((done, False), (other, True)):
        (found,) = [f for f in json.loads(one.stdout)["findings"] if f["name"] == "PubMed"]
        assert found["ok"] is reached
