"""``clinfo effect_direction``: prompts in, directions with their passages out; as a process of its
own.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.process import clinfo, command, environment
from tests.evidence.test_effect_direction import ABSTRACT, TITLE


def row(id_: object, outcome: object, **more: object) -> dict[str, object]:
    terms = {"intervention": "zinc", "comparator": "placebo", "outcome": outcome}
    return {"id": id_, **terms, "title": TITLE, "abstract": ABSTRACT, **more}


ROWS = [
    row(1, "duration of colds"),
    row("two", "nausea", more="ignored"),
    row(None, "bone mineral density"),
]


def text(*rows: object) -> str:
    return "".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in rows)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text(text(*ROWS), encoding="utf-8")
    return path


def test_every_row_in_order(file: Path, tmp_path: Path):
    done = clinfo("stance", str(file), cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    first, second, third = (json.loads(line) for line in done.stdout.splitlines())
    assert [first["id"], second["id"], third["id"]] == [1, "two", None]
    assert [first["direction"], second["direction"], third["direction"]] == [
        "decreased",
        "no difference",
        "unclear",
    ]
    span = first["span"]
    assert span["field"] == "abstract"
    assert "shorter with zinc" in ABSTRACT[span["start"] : span["end"]]
    assert third["span"] is None
    assert set(first) == {"id", "direction", "span"}


def test_standard_input(tmp_path: Path):
    done = subprocess.run(
        command("stance", "-"),
        cwd=tmp_path,
        env=environment(),
        input=text(*ROWS),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 3


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("{not json", "line 2 of rows.jsonl is not JSON"),
        ("[1]", "line 2 of rows.jsonl is not a JSON object"),
        (
            {"id": 2, "intervention": "a", "comparator": "b", "title": "", "abstract": ""},
            "line 2 of rows.jsonl has no field",
        ),
        (row(2, ["pain"]), "line 2 of rows.jsonl: “outcome” must be text"),
    ],
)
def test_a_bad_line_ends_it_after_the_rows_before(tmp_path: Path, bad: object, said: str):
    (tmp_path / "rows.jsonl").write_text(text(ROWS[0], bad, ROWS[1]), encoding="utf-8")
    done = clinfo("stance", "rows.jsonl", cwd=tmp_path)
    assert done.returncode == 2
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [1]
    assert len(done.stderr.splitlines()) == 1
    assert said in done.stderr


def test_a_missing_file_is_one_line(tmp_path: Path):
    done = clinfo("stance", "none.jsonl", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "none.jsonl" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_rows_are_written_as_they_come(tmp_path: Path):
    """The second row is sent only once the first answer is there: nothing waits for the end of the
    file.
    """
    own = environment(PYTHONUNBUFFERED="1")
    with subprocess.Popen(
        command("stance", "-"),
        cwd=tmp_path,
        env=own,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for one in ROWS:
            process.stdin.write(text(one))
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == one["id"]
        process.stdin.close()
        assert process.wait(60) == 0
