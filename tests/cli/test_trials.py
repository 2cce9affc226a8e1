"""``clinfo trials``: papers in, what each study concludes out; as a process of its own."""

import json
from pathlib import Path

import pytest

from benchmarks.servers.eutils import EutilsServer
from tests.cli.process import clinfo
from tests.pipelines.trials.test_run import FILES, QUESTION
from tests.sources.test_full_texts import LICENCE, article

MODEL = ("--model", "extractive", "--better", "lower")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    papers = tmp_path / "papers"
    papers.mkdir()
    for name in ("zinc.txt", "later.txt", "other.txt"):
        (papers / name).write_text(FILES[name], encoding="utf-8")
    (papers / "notes.csv").write_text("not a paper", encoding="utf-8")
    return papers


def test_the_page_quotes_each_study_and_judges_nothing(folder: Path, tmp_path: Path) -> None:
    done = clinfo("trials", QUESTION, "--papers", str(folder), *MODEL, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    told = "itching: passages on it in 2 of 2 studies · no model was named"
    assert told in " ".join(done.stdout.split())
    assert "“Itching did not differ significantly between zinc cream and placebo" in done.stdout
    assert "2/2" in done.stderr


def test_a_saved_run_is_shown_again_to_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    save = str(tmp_path / "run.jsonl")
    asked = ("trials", QUESTION, "--papers", str(folder), *MODEL, "--save", save, "--json")
    first = clinfo(*asked, cwd=tmp_path)
    for path in folder.iterdir():
        path.unlink()
    again = clinfo("trials", "--replay", save, "--json", cwd=tmp_path)
    assert (first.returncode, again.returncode) == (0, 0)
    assert again.stdout == first.stdout
    answer = json.loads(first.stdout)
    assert [bool(one["candidates"]) for one in answer["studies"]] == [True, True]


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        ((QUESTION,), 2, "--papers"),
        ((), 2, "question"),
        ((QUESTION, "--papers", "nowhere.xml"), 2, "nowhere.xml"),
        ((QUESTION, "--papers", "papers", "--study", "Smith"), 2, "--study"),
        ((QUESTION, "--papers", "papers", "--k", "0"), 2, "--k"),
        (("zinc " * 801, "--papers", "papers"), 2, "at most 4,000"),
        ((QUESTION, "--papers", "papers", "--outcome", "blood pressure"), 3, "no study"),
    ],
)
def test_what_goes_wrong_is_one_line(
    folder: Path, tmp_path: Path, arguments: tuple[str, ...], status: int, said: str
) -> None:
    done = clinfo("trials", *arguments, *MODEL, "--quiet", cwd=tmp_path)
    assert done.returncode == status
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_articles_of_pubmed_central_are_read_with_their_licence(tmp_path: Path) -> None:
    said = "Itching was significantly lower with zinc cream than with placebo (P = 0.003)."
    run = ("trials", QUESTION, "--pmcid", "PMC11, 99", *MODEL, "--save", "run.jsonl", "--quiet")
    with EutilsServer(full_texts={"11": article("11", said)}) as server:
        done = clinfo(*run, cwd=tmp_path, CLINFO_EUTILS_URL=server.url)
    assert done.returncode == 0, done.stderr
    assert f"“{said}” (Results, PMC11)" in done.stdout
    assert f"PMC11 (licence: {LICENCE})" in done.stdout
    assert "PMC99: not available at PubMed Central" in done.stdout


def test_a_service_that_fails_does_not_lose_the_paper(tmp_path: Path) -> None:
    """The run is not finished, and reads the paper when it is resumed."""
    run = ("trials", QUESTION, "--pmcid", "PMC11", *MODEL, "--save", "run.jsonl", "--quiet")
    with EutilsServer(full_texts={"11": article("11", "Itching did not change.")}) as server:
        server.queue(
            400, "<eFetchResult><ERROR>Invalid db name specified: pmc</ERROR></eFetchResult>"
        )
        failed = clinfo(*run, cwd=tmp_path, CLINFO_EUTILS_URL=server.url)
        done = clinfo(*run, cwd=tmp_path, CLINFO_EUTILS_URL=server.url)
    assert (failed.returncode, failed.stdout) == (4, "")
    assert "PMC11" in done.stdout
    assert done.returncode in (0, 3)
