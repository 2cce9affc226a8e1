"""``clinfo integrity`` and ``clinfo retractions``, as processes of their own."""

import json
import re

import pytest

from benchmarks.servers.citation_xml import render_set
from benchmarks.servers.eutils import EutilsServer
from clinfo.records.articles import Article, Correction
from tests.cli.process import clinfo

ARTICLES = [
    Article(
        "pmid:11",
        "Rest after surgery of the knee",
        "11",
        doi="10.1000/rest",
        corrections=(Correction("RetractionIn", "J Tests. 2003;3:1", "90"),),
    ),
    Article("pmid:12", "Walking before surgery of the hip", "12", doi="10.1000/walking"),
    Article("pmid:13", "Rest and walking: a review", "13", references=("11", "12")),
]
LIST = "11\n10.1000/walking\n13\n98\nAble A. Nothing to go by.\n"


@pytest.fixture
def run(tmp_path):
    (tmp_path / "list.txt").write_text(LIST, encoding="utf-8")
    (tmp_path / "some.xml").write_bytes(render_set(ARTICLES))
    (tmp_path / "retracted.txt").write_text("98\n12\n", encoding="utf-8")

    def command(*arguments: str, **more: str):
        return clinfo(*arguments, cwd=tmp_path, CLINFO_DATA_DIR=str(tmp_path / "data"), **more)

    return command


def test_a_list_is_loaded_told_and_replaced(run, tmp_path) -> None:
    none = run("retractions")
    assert (none.returncode, none.stderr) == (0, "")
    assert none.stdout.startswith(
        f"there is no retraction list at {tmp_path / 'data' / 'retractions.msgpack.gz'}: load one "
        "with"
    )
    assert json.loads(run("retractions", "--json").stdout)["loaded"] is False
    loaded = run("retractions", "load", "retracted.txt")
    assert (loaded.returncode, loaded.stderr) == (0, "")
    first, second, third, _ = loaded.stdout.splitlines()
    assert first == "loaded 2 entries (2 retractions) on 2 retracted articles"
    assert second == "from retracted.txt (PMIDs, 2 entries)"
    assert third.startswith("loaded 20")
    assert run("retractions").stdout == loaded.stdout.removeprefix("loaded ")
    (tmp_path / "other.txt").write_text("5\nodd\n6\n", encoding="utf-8")
    assert "1 line could not be read" in run("retractions", "load", "other.txt").stdout
    form = json.loads(run("retractions", "--json").stdout)
    assert (
        form["schema"],
        form["name"],
        form["entries"],
        form["counts"]["retracted articles"],
    ) == (1, "other.txt", 2, 2)


@pytest.mark.slow
def test_a_file_that_is_no_list_leaves_what_was_loaded(run, tmp_path) -> None:
    run("retractions", "load", "retracted.txt")
    (tmp_path / "page.csv").write_text("<html>", encoding="utf-8")
    refused = run("retractions", "load", "page.csv")
    assert (refused.returncode, refused.stdout) == (4, "")
    assert refused.stderr.startswith("clinfo: page.csv has an unknown format")
    assert run("retractions", "load", "none.csv").returncode == 2
    assert run("retractions").stdout.startswith("2 entries")
    (tmp_path / "data" / "retractions.msgpack.gz").write_bytes(b"damaged")
    for arguments in (["retractions"], ["integrity", "list.txt", "--source", "some.xml"]):
        done = run(*arguments)
        assert done.returncode == 4
        assert "clinfo retractions load" in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_references_with_trouble_then_the_counts(run) -> None:
    done = run("integrity", "list.txt", "--source", "some.xml")
    assert (done.returncode, done.stderr) == (0, "")
    *troubled, counts = done.stdout.strip().split("\n\n")
    assert [block.splitlines()[0] for block in troubled] == [
        "1. PMID 11: Rest after surgery of the knee",
        "3. PMID 13: Rest and walking: a review",
        "4. PMID 98",
        "5. Able A. Nothing to go by.",
    ]
    assert re.search(r"RETRACTED .*PMID 90.*source: PubMed", troubled[0])
    told, found, missing = counts.splitlines()
    assert re.findall(r"\b\d+\b", told) == ["5", "3", "1", "1"]
    assert re.findall(r"[\w ]+: \d", found) == [" retracted: 1", " cites retracted articles: 1"]
    assert "retractions load" in missing


@pytest.mark.slow
def test_with_a_list_as_json_and_with_a_status_for_scripts(run, tmp_path) -> None:
    run("retractions", "load", "retracted.txt")
    form = json.loads(run("integrity", "list.txt", "--source", "some.xml", "--json").stdout)
    assert form["retraction_list"]["name"] == "retracted.txt"
    assert form["counts"] == {
        "references": 5, "by_record": 3, "by_list_alone": 1, "not_found": 0, "not_identified": 1,
        "kinds": {"retracted": 3, "cites retracted articles": 1},
    }  # fmt: skip
    assert [[notice["kind"] for notice in one["notices"]] for one in form["references"]] == [
        ["retracted"], ["retracted"], ["cites retracted articles"], ["retracted"], [],
    ]  # fmt: skip
    assert form["references"][1]["record"] == "pmid:12"
    assert run("integrity", "list.txt", "--source", "some.xml", "--fail").returncode == 1
    assert run("integrity", "list.txt", "--source", "none", "--fail").returncode == 1
    (tmp_path / "sound.txt").write_text("13\n", encoding="utf-8")
    assert run("integrity", "sound.txt", "--source", "demo", "--fail").returncode == 0


def test_asked_of_the_e_utilities(run) -> None:
    with EutilsServer(ARTICLES) as server:
        done = run("integrity", "list.txt", CLINFO_EUTILS_URL=server.url)
    assert done.returncode == 0
    assert "3 compared with the records of pubmed; 1 not found" in done.stdout
    assert {request.params.get("term") for request in server.log} == {
        None,
        '"10.1000/walking"[aid]',
    }


@pytest.mark.slow
def test_what_cannot_be_done_is_one_line(run, tmp_path) -> None:
    (tmp_path / "empty.ris").write_text("\n", encoding="utf-8")
    for arguments, status, said in (
        (["none.ris"], 2, "none.ris cannot be opened"),
        (["empty.ris"], 4, "empty.ris contains no references"),
        (["some.xml"], 4, "some.xml is XML or JSON"),
        (["list.txt", "--source", "none"], 2, "no retraction list"),
        (["list.txt", "--source", "semantic-scholar"], 2, "does not record retractions"),
        (["list.txt", "--source", "nowhere"], 2, "is not known"),
    ):
        done = run("integrity", *arguments)
        assert (done.returncode, done.stdout) == (status, ""), arguments
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1
    unreachable = run("integrity", "list.txt", CLINFO_EUTILS_URL="http://127.0.0.1:9/")
    assert (unreachable.returncode, unreachable.stdout) == (4, "")
