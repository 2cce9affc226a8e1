"""``clinfo chart``: a record in, quoted notes out; as a process of its own."""

import json
from pathlib import Path

import pytest

from tests.cli.process import clinfo
from tests.pipelines.chart.records import written

QUESTION = "When was asthma diagnosed?"


@pytest.fixture
def record(tmp_path: Path) -> str:
    return str(written(tmp_path))


def test_the_page_quotes_the_note_and_the_trace_is_the_same_twice(
    record: str, tmp_path: Path
) -> None:
    traces = [tmp_path / name for name in ("one.json", "two.json")]
    for trace in traces:
        done = clinfo("chart", "ask", record, QUESTION, "--trace", str(trace), cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert '"Patient is presenting with asthma." [note-v1]' in done.stdout
    assert traces[0].read_bytes() == traces[1].read_bytes()


def test_a_record_may_be_several_files(record: str, tmp_path: Path) -> None:
    both = clinfo("chart", "index", record, "--json", cwd=tmp_path)
    whole, later = json.loads(Path(record).read_text()), tmp_path / "later.jsonl"
    later.write_text(json.dumps({**whole, "notes": [whole["notes"].pop()]}))
    Path(record).write_text(json.dumps(whole))
    parted = clinfo("chart", "index", record, str(later), "--json", cwd=tmp_path)
    assert json.loads(parted.stdout) == json.loads(both.stdout)
    done = clinfo("chart", "ask", str(later), record, QUESTION, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["notes"][0]["id"] == "note-v1"


def test_a_saved_run_is_shown_again_to_the_same_bytes(record: str, tmp_path: Path) -> None:
    save = str(tmp_path / "run.jsonl")
    first = clinfo("chart", "ask", record, QUESTION, "--save", save, "--json", cwd=tmp_path)
    Path(record).unlink()
    again = clinfo("chart", "ask", "--replay", save, "--json", cwd=tmp_path)
    assert (first.returncode, again.returncode) == (0, 0), first.stderr
    assert again.stdout == first.stdout
    answer = json.loads(first.stdout)
    assert {"answer", "notes", "stages", "settings", "usage", "timings", "warnings"} <= set(answer)


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (("{record}",), 2, "question"),
        (("nowhere.csv", QUESTION), 2, "nowhere.csv"),
        (("{record}", *QUESTION.split()), 2, "quotation marks"),
        (("{record}", QUESTION, "--stage", "all"), 2, "--stage"),
        (("{record}", "asthma " * 601), 2, "at most 4,000"),
        (("{record}", QUESTION, "--patient", "nobody"), 2, "nobody"),
        (("{record}", QUESTION, "--model", "openai/gpt-4o"), 6, "CLINFO_PATIENT_MODELS"),
    ],
)
def test_what_goes_wrong_is_one_line(
    record: str, tmp_path: Path, arguments: tuple[str, ...], status: int, said: str
) -> None:
    given = [one.replace("{record}", record) for one in arguments]
    done = clinfo("chart", "ask", *given, cwd=tmp_path, OPENAI_API_KEY="sk-test")
    assert (done.returncode, done.stdout) == (status, "")
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_what_is_not_there_is_status_3(record: str, tmp_path: Path) -> None:
    done = clinfo("chart", "ask", record, "When was gout diagnosed?", "--json", cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    found = json.loads(done.stdout)
    assert found["answer"] == "not documented"
    assert "names “gout”" in found["established"]


def test_an_index_says_what_it_holds(record: str, tmp_path: Path) -> None:
    done = clinfo("chart", "index", record, "--json", cwd=tmp_path)
    held = json.loads(done.stdout)
    assert (held["notes"], held["chunks"], held["from"]) == (4, 4, "2019-03-01")
    assert held["mentions by type"]["disease"] >= 4
