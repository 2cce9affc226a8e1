"""Saved runs of every age are shown with the verdicts, texts and judges they were recorded with,
marked with the version that judged. README.md says how they were made.
"""

import asyncio
import gzip
import json
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from clinfo.cli import run
from clinfo.errors import UsageError
from clinfo.pipelines.literature.answer import CHECKS, build_answer, judged_by
from clinfo.pipelines.literature.events import LiteratureLog, SentencesRemoved, loads
from clinfo.pipelines.literature.stages import LITERATURE
from clinfo.runs.events import Event, RunFailed
from clinfo.settings import Settings
from tests.fakes import FakeModel

FOLDER = Path(__file__).parent / "runs"
EXPECTED: dict[str, dict[str, Any]] = json.loads((FOLDER / "expected.json").read_text())
OTHERS: dict[str, dict[str, Any]] = json.loads((FOLDER / "others.json").read_text())
CUT = [name for name, one in EXPECTED.items() if one["status"] == 130]
ANSWERED = [name for name, one in EXPECTED.items() if one["tldr"] is not None]


def data_of(name: str) -> bytes:
    return gzip.decompress((FOLDER / f"{name}.jsonl.gz").read_bytes())


def events_of(name: str) -> list[Event]:
    lines = data_of(name).decode().splitlines()
    return list(loads(lines if lines[-1].endswith("}") else lines[:-1]))


def letters(text: str) -> str:
    """The letters of a text, whatever a form put between them."""
    return "".join(filter(str.isalpha, unescape(text)))


def test_there_are_twenty_and_more_of_both_schemas_and_of_every_judge() -> None:
    kinds = {(one["schema"], one["judge"]) for one in EXPECTED.values()}
    assert {schema for schema, _ in kinds} == {1, 2}
    assert {judge for _, judge in kinds} == {"rules", "learned", "model", "both"}
    assert len(EXPECTED) >= 20
    assert {path.name for path in FOLDER.glob("*.gz")} == {
        f"{one}.jsonl.gz" for one in (*EXPECTED, *OTHERS)
    }


@pytest.mark.parametrize("name", EXPECTED)
def test_verdicts_texts_and_judges_are_those_recorded(name: str) -> None:
    expected, events = EXPECTED[name], events_of(name)
    answer = build_answer(events)
    shown = [[one.part, one.verdict, one.text, list(one.judges)] for one in answer.sentences]
    assert sorted(shown) == sorted(
        [part, verdict, text, judges or ["rules"]]
        for part, verdict, text, judges in expected["sentences"]
    )
    removed = [
        one.text
        for event in events
        if isinstance(event, SentencesRemoved)
        for one in event.sentences
    ]
    assert removed == expected["removed"]
    assert answer.question == expected["question"]
    if expected["tldr"] is not None:
        assert (answer.tldr, answer.synthesis, answer.withheld_text) == (
            expected["tldr"],
            expected["synthesis"],
            expected["withheld"],
        )


@pytest.mark.parametrize("name", EXPECTED)
def test_one_notice_says_which_version_judged(name: str) -> None:
    expected, log = EXPECTED[name], LiteratureLog(events_of(name))
    form = LITERATURE.answer(log)
    assert log.started is not None
    said = [notice for notice in form["notices"] if notice == judged_by(log.started.settings)]
    judged = bool(expected["sentences"]) and expected["checks"] < CHECKS
    assert len(said) == judged
    assert all(expected["version"] in one and str(expected["checks"]) in one for one in said)


@pytest.mark.parametrize("name", EXPECTED)
def test_the_command_line_shows_the_recorded_answer_with_its_status(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path, expected = tmp_path / "run.jsonl", EXPECTED[name]
    path.write_bytes(data_of(name))
    assert run(["ask", "--replay", str(path), "--json"]) == expected["status"]
    form = json.loads(capfd.readouterr().out)
    verdicts = [[one["in"], one["verdict"], one["text"]] for one in form["sentences"]]
    assert sorted(verdicts) == sorted(one[:3] for one in expected["sentences"])
    if name in ANSWERED:
        assert (form["tldr"], form["synthesis"]) == (expected["tldr"], expected["synthesis"])
    for form_name in ("text", "markdown"):
        assert run(["ask", "--replay", str(path), "--format", form_name]) == expected["status"]
        assert letters(expected["tldr"] or "")[:30] in letters(capfd.readouterr().out)
    assert path.read_bytes() == data_of(name)


async def resumed(events: list[Event]) -> list[Event]:
    log = LiteratureLog(events)
    assert log.started is not None
    request = log.started.request
    models = {stage: FakeModel() for stage in request.models}
    chain = LITERATURE.assemble(Settings(cache="off"), request, events, models=models)
    return [event async for event in chain.run(request, after=events)]


@pytest.mark.parametrize("name", CUT)
def test_an_interrupted_run_of_an_older_version_says_in_one_line_that_it_cannot_go_on(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CLINFO_DATA_DIR", str(tmp_path))
    *_, last = asyncio.run(resumed(events_of(name)))
    assert isinstance(last, RunFailed)
    assert last.error == UsageError.__name__
    assert "cannot be resumed" in last.problem
    assert "\n" not in last.problem


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (["ask", "--replay", "any.jsonl", "--check-again"], "shown as it was recorded"),
        (["direction", "prompts.jsonl"], "name a model"),
        (["stance", "prompts.jsonl", "--json"], "name a model"),
    ],
)
def test_what_read_by_rules_is_gone_and_answers_with_one_line(
    arguments: list[str], answer: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    said = capfd.readouterr().err
    assert said.count("\n") == 1
    assert answer in said


@pytest.mark.parametrize("name", OTHERS)
def test_a_run_of_another_pipeline_is_shown_with_the_answer_it_recorded(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path, asked = tmp_path / "run.jsonl", OTHERS[name]
    path.write_bytes(data_of(name))
    recorded = json.loads(data_of(name).splitlines()[-1])["answer"]
    assert run([*asked["command"], "--replay", str(path), "--json"]) == asked["status"]
    shown = json.loads(capfd.readouterr().out)
    recorded.pop("timings")
    assert {key: shown.get(key) for key in recorded} == recorded
    assert run([*asked["command"], "--replay", str(path)]) == asked["status"]
    assert capfd.readouterr().out
