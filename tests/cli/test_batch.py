"""``clinfo ask --batch``: many questions, stopped and gone on with, and the tables of them."""

import csv
import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from clinfo.pipelines.literature.batch import read_questions
from tests.cli.process import DEMO, clinfo, command, environment

SUBJECTS = ("yoga and blood pressure", "probiotics and diarrhea", "zinc and colds", "dragons")


def questions(path: Path, count: int) -> Path:
    rows = [(f"q{n}", f"Does it help ({SUBJECTS[n % 4]}), asked {n}?") for n in range(count)]
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("id", "question"), *rows])
    return path


def told(path: Path) -> list[Any]:
    """The answers without times, days and ids of runs."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [
        (
            row["id"], row["status"], row["answer"]["tldr"], row["answer"]["synthesis"],
            row["answer"]["references"], row["answer"]["counts"],
        )
        for row in rows
    ]  # fmt: skip


@pytest.mark.slow
def test_a_batch_that_is_killed_twice_gives_what_one_in_one_go_gives(tmp_path: Path) -> None:
    asked = questions(tmp_path / "questions.csv", 24)
    out, whole = tmp_path / "out.jsonl", tmp_path / "whole.jsonl"

    def of(path: Path) -> list[str]:
        return ["ask", "--batch", str(asked), "--out", str(path), *DEMO]

    for stop in (4, 11):
        running = subprocess.Popen(
            command(*of(out)), cwd=tmp_path, env=environment(),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        while running.poll() is None:
            if out.exists() and out.read_bytes().count(b"\n") >= stop:
                running.kill()
                running.wait()
            time.sleep(0.02)
        assert stop <= out.read_bytes().count(b"\n") < 24
    assert clinfo(*of(out), cwd=tmp_path).returncode == 0
    assert clinfo(*of(whole), cwd=tmp_path).returncode == 0
    assert told(out) == told(whole)
    assert [row[0] for row in told(out)] == [f"q{n}" for n in range(24)]


@pytest.mark.parametrize("ending", ["csv", "html"])
def test_the_answers_as_a_table(ending: str, tmp_path: Path) -> None:
    asked = tmp_path / "questions.txt"
    asked.write_text("Do probiotics prevent antibiotic-associated diarrhea?\n\n=1+1, does it?\n")
    table = tmp_path / f"table.{ending}"
    done = clinfo(
        "ask", "--batch", str(asked), "--out", "out.jsonl", "--table", str(table), *DEMO,
        cwd=tmp_path,
    )  # fmt: skip
    told = f"2 answers in out.jsonl; the table is {table}"
    assert (done.returncode, done.stderr.splitlines()[-1]) == (0, told)
    text = table.read_text("utf-8")
    assert "pmid:" in text
    if ending == "csv":
        rows = list(csv.DictReader(text.splitlines()))
        assert [row["question"][:4] for row in rows] == ["Do p", "'=1+"]
        assert [row["status"] for row in rows] == ["0", "3"]
    else:
        assert text.count("<tr>") == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--batch", "none.csv", "--out", "x.jsonl"), "none.csv cannot be read"),
        (("--batch", "q.csv"), "--batch needs --out FILE.jsonl"),
        (("--batch", "q.csv", "--out", "x.jsonl", "--json"), "--batch goes with --out and --table"),
        (("--out", "x.jsonl", "Does it help?"), "--out and --table go with --batch"),
        (("--batch", "q.csv", "--out", "x.jsonl", "--table", "t.doc"), "--table: the name"),
        (("--batch", "bad.csv", "--out", "x.jsonl"), "row 1 has no question"),
        (("--batch", "a.pdf", "--out", "x.jsonl"), "a.pdf is no text; give a list of questions"),
        (("--batch", "deep.json", "--out", "x.jsonl"), "deep.json is nested too deep"),
        (("--batch", "q.csv", "--out", "q.csv"), "would hold lines of JSON"),
    ],
)
def test_what_cannot_be_asked_is_one_line(
    arguments: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    (tmp_path / "q.csv").write_text("question\nDoes yoga lower blood pressure?\n")
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.4\n%\xe2\xe3\n1 0 obj <<>> endobj\n%%EOF\n")
    (tmp_path / "bad.csv").write_text("text\nDoes yoga lower blood pressure?\n")
    (tmp_path / "deep.json").write_text("[" * 20_000)
    done = clinfo("ask", *arguments, *DEMO, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr.splitlines()[-1]
    assert not (tmp_path / "x.jsonl").exists()


def test_a_table_with_semicolons_and_a_second_header_is_read(tmp_path: Path) -> None:
    asked = tmp_path / "q.csv"
    asked.write_text("\ufeffNr;Question\r\n1;Does zinc help?\r\nNr;Question\r\n", "utf-8")
    assert [one.question for one in read_questions(asked)] == ["Does zinc help?"]
    listed = tmp_path / "q.json"
    listed.write_text('[{"id": "007", "question": "Does zinc help?"}, "<5 years old?"]')
    assert [one.id for one in read_questions(listed)] == ["007", "2"]
