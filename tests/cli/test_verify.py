"""``clinfo verify``: rows in, verdicts out, by nobody and by a model over real HTTP; as a process
of its own.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.servers.clinical import clinical_reply
from benchmarks.servers.model import ModelServer
from tests.cli.process import clinfo, command, environment

ABSTRACT = (
    "We gave zinc or placebo to 100 adults with a cold. Colds were 2.1 days shorter with zinc than "
    "with placebo (p=0.01)."
)
ARTICLE = {
    "n": 1,
    "pmid": "11",
    "title": "Zinc for the common cold: a randomised trial",
    "abstract": ABSTRACT,
}


def row(id: object, sentence: object, *cites: int, **more: object) -> dict[str, object]:
    return {"id": id, "sentence": sentence, "cites": list(cites), "articles": [ARTICLE], **more}


ROWS = [
    row(1, "Colds were 2.1 days shorter with zinc than with placebo.", 1),
    row("two", "Colds were 4.3 days shorter with zinc than with placebo [1].", 1),
    row(None, "Zinc is a metal."),
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(one) + "\n\n" for one in ROWS), encoding="utf-8")
    return path


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer(clinical_reply) as server:
        yield server


def lines(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_without_a_judge_a_row_is_quoted_or_not_verified(file: Path, tmp_path: Path):
    done = clinfo("verify", str(file), cwd=tmp_path, CLINFO_MODEL="openai/dear")
    assert (done.returncode, done.stderr) == (0, "")
    first, second, third = lines(done.stdout)
    assert [first["id"], second["id"], third["id"]] == [1, "two", None]
    assert [one["verdict"] for one in (first, second, third)] == [
        "quoted",
        "not_verified",
        "uncited",
    ]
    assert second["notes"] == ["4.3 stands in none of [1]"]
    (span,) = first["spans"]  # type: ignore[misc]
    assert "2.1 days" in ABSTRACT[span["start"] : span["end"]]
    assert (span["n"], span["field"]) == (1, "abstract")
    assert set(first) == {"id", "verdict", "reason", "why", "judges", "notes", "spans"}


@pytest.mark.parametrize("before", ["rules", "learned"])
def test_a_name_of_before_is_said_in_one_line(file: Path, tmp_path: Path, before: str):
    done = clinfo("verify", str(file), "--judge", before, cwd=tmp_path)
    assert f"The judge “{before}” is called" in done.stderr.splitlines()[0]
    assert done.returncode == (0 if before == "rules" else 2)


@pytest.mark.slow
@pytest.mark.parametrize("choice", [["--judge", "model"], ["--model", "openai/judge"]])
def test_a_model_judges_in_one_call_for_rows_on_the_same_articles(
    tmp_path: Path, model: ModelServer, choice: list[str]
):
    other = {"n": 5, "title": "Iron", "abstract": "Iron raised haemoglobin by 9%."}
    iron = {"sentence": "Iron raised haemoglobin [5].", "cites": [5], "articles": [other]}
    rows = [ROWS[0], {"id": "iron", **iron}, ROWS[1], ROWS[2]]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    more = {
        "OPENAI_API_BASE": model.url,
        "OPENAI_API_KEY": "k",
        "CLINFO_MODEL_VERIFY": "openai/judge",
        "CLINFO_CACHE": "off",
    }
    done = clinfo("verify", "rows.jsonl", *choice, cwd=tmp_path, **more)
    assert (done.returncode, done.stderr) == (0, "")
    first, second, third, fourth = lines(done.stdout)
    # The scripted judge looks at words alone and takes the other figure for proved.
    verdicts = [one["verdict"] for one in (first, second, third, fourth)]
    assert verdicts == ["supported", "supported", "supported", "uncited"]
    assert first["judges"] == ["openai/judge"]
    (span,) = second["spans"]  # type: ignore[misc]
    assert span["n"] == 5
    assert len(model.received) == 1


@pytest.mark.slow
def test_a_judge_that_fails_at_every_sentence_is_status_4(file: Path, tmp_path: Path):
    with ModelServer(clinical_reply) as gone:
        base = gone.url
    more = {
        "OPENAI_API_BASE": base,
        "OPENAI_API_KEY": "k",
        "CLINFO_MODEL_VERIFY": "openai/judge",
        "CLINFO_CACHE": "off",
    }
    done = clinfo("verify", str(file), "--judge", "both", cwd=tmp_path, **more)
    assert done.returncode == 4
    assert "no sentence got a verdict of the judge asked" in done.stderr
    assert [one["verdict"] for one in lines(done.stdout)] == [
        "not_verified",
        "not_verified",
        "uncited",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "line 2 of rows.jsonl is not JSON"),
        (
            json.dumps(row(float("nan"), "x")),
            "line 2 of rows.jsonl is not JSON: NaN is not a JSON number",
        ),
        (
            json.dumps(row([{"a": float("-inf")}], "x")),
            "line 2 of rows.jsonl is not JSON: -Infinity is not a JSON number",
        ),
        (
            json.dumps(row("big", "x")).replace('"big"', "1e999"),
            "line 2 of rows.jsonl is not JSON: 1e999 is not a JSON number",
        ),
        ("[1]", "line 2 of rows.jsonl: arguments must be an object"),
        ('{"id": 1, "sentence": "x", "cites": []}', "line 2 of rows.jsonl: articles is missing"),
        (json.dumps(row(1, "x", cites=["a"])), "cites.0 must be a whole number, not “a”"),
        (json.dumps(row(1, {})), "line 2 of rows.jsonl: sentence must be text"),
    ],
)
def test_a_row_that_cannot_be_used_is_named_and_those_before_it_are_judged(
    tmp_path: Path, text: str, said: str
):
    (tmp_path / "rows.jsonl").write_text(json.dumps(ROWS[0]) + "\n" + text + "\n", encoding="utf-8")
    done = clinfo("verify", "rows.jsonl", cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert len(lines(done.stdout)) == 1


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_standard_input_is_utf_8_everywhere_and_ids_come_back_as_they_were(
    tmp_path: Path, locale: str
):
    sentence = "Après 4 semaines, colds were 2.1 days shorter."
    article = {"n": 1, "title": "Étude", "abstract": f"Été – {ABSTRACT}"}
    rows = [
        {"id": id, "sentence": sentence, "cites": [1], "articles": [article]}
        for id in ("\ud800x", "é")
    ]
    given = (
        b"\xef\xbb\xbf"
        + "".join(json.dumps(one, ensure_ascii=one["id"] != "é") + "\n" for one in rows).encode()
    )
    env = environment(LC_ALL=locale, PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    done = subprocess.run(
        command("verify", "-"),
        input=given,
        capture_output=True,
        cwd=tmp_path,
        env=env,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    found = lines(done.stdout.decode())
    assert [one["id"] for one in found] == ["\ud800x", "é"]
    assert found[0]["spans"] == found[1]["spans"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none.jsonl"], "the file none.jsonl cannot be read: No such file or directory"),
        (["rows.jsonl", "--judge", "oracle"], "the judge “oracle” is unknown"),
        (
            ["rows.jsonl", "--judge", "nli"],
            "needs an entailment model: name a folder or a model of the hub",
        ),
        (["rows.jsonl", "--judge", "model"], "--judge model needs a language model"),
        (
            ["rows.jsonl", "--judge", "both", "--model", "extractive"],
            "--judge model needs a language model",
        ),
    ],
)
def test_what_cannot_be_done_is_one_line(
    file: Path, tmp_path: Path, arguments: list[str], said: str
):
    done = clinfo("verify", *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(("command", "file"), [("verify", "sentences")])
def test_the_examples_of_the_documentation_print_what_it_says(
    command: str, file: str, tmp_path: Path
):
    page = (Path(__file__).parents[2] / "docs" / "checking.md").read_text(encoding="utf-8")
    assert page.count(f"`clinfo {command} {file}.jsonl`") == 1
    blocks = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    given, printed = blocks[:2] if command == "verify" else blocks[2:]
    (tmp_path / "rows.jsonl").write_text(given, encoding="utf-8")
    done = clinfo(command, "rows.jsonl", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, printed)
