"""Runs of the chart pipeline: by rule, with a scripted model over HTTP, resumed, refused."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from benchmarks.servers.faults import Faults
from benchmarks.servers.model import ModelServer
from clinfo.errors import NotForPatients, RecordError, UsageError
from clinfo.patients import assertion_weights
from clinfo.pipelines.chart import gloss
from clinfo.pipelines.chart.assemble import Chart, assemble
from clinfo.pipelines.chart.declared import CHART
from clinfo.pipelines.chart.events import RunStarted
from clinfo.pipelines.chart.request import request_of
from clinfo.pipelines.chart.run_log import ChartLog, trace_text
from clinfo.records.chart import NOT_DOCUMENTED, ChartRequest
from clinfo.runs.events import Answered, Event, RunFailed, dumps
from clinfo.settings import Settings
from tests.pipelines.chart.records import NOTES, lexicon, written

QUESTION = "When was asthma diagnosed?"
ASTHMA = "Patient is presenting with asthma."


@pytest.fixture
def settings() -> Settings:
    return Settings(cache="off")


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return written(tmp_path)


def events(carrier: Chart, asked: ChartRequest, after: Sequence[Event] = ()) -> list[Event]:
    async def every() -> list[Event]:
        return [event async for event in carrier.run(asked, after)]

    return asyncio.run(every())


def ran(settings: Settings, asked: ChartRequest, after: Sequence[Event] = ()) -> list[Event]:
    return events(assemble(settings, asked, after, lexicon=lexicon), asked, after)


def answer(found: Sequence[Event]) -> dict[str, Any]:
    assert isinstance(found[-1], Answered), found[-1]
    return found[-1].answer


def test_the_answer_quotes_notes_with_their_dates(settings: Settings, record: Path) -> None:
    found = answer(ran(settings, request_of(settings, record, QUESTION, k=2)))
    assert found["answer"].splitlines()[1] == (
        f'2019-03-01, assessment and plan: "{ASTHMA}" [note-v1]'
    )
    assert found["notes"][0]["id"] == "note-v1"
    assert all(f"[{note['id']}]" in found["answer"] for note in found["notes"][2:])
    assert [stage["name"] for stage in found["stages"]] == [
        "types",
        "entities",
        "dense",
        "recovery",
        "rerank",
    ]
    assert {type(stage[side]) for stage in found["stages"] for side in ("in", "out")} == {int}


def test_what_is_not_there_is_not_documented(settings: Settings, record: Path) -> None:
    found = answer(ran(settings, request_of(settings, record, "When was gout diagnosed?")))
    assert found["answer"] == NOT_DOCUMENTED
    assert not any(note["spans"] for note in found["notes"])


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("When was asthma diagnosed in 2019?", ["2019-03-01"]),
        ("When was asthma diagnosed before the hypertension?", ["2019-03-01"]),
        ("When was asthma diagnosed before 2020?", ["2019-03-01"]),
        ("When was asthma diagnosed in 1999?", []),
    ],
)
def test_only_notes_of_the_time_that_is_asked_about_are_quoted(
    settings: Settings, record: Path, question: str, days: list[str]
) -> None:
    found = answer(ran(settings, request_of(settings, record, question)))
    assert sorted(note["date"] for note in found["notes"] if note["spans"]) == days
    assert found["status"] == ("documented" if days else "outside")
    assert len(found["notes"]) == len(NOTES)


def test_a_run_resumed_from_any_prefix_ends_in_the_same_answer(
    settings: Settings, record: Path
) -> None:
    asked = request_of(settings, record, QUESTION)
    whole = ran(settings, asked)
    read = [*CHART.events.loads([dumps(event) for event in whole])]
    assert read == whole
    for end in range(1, len(whole)):
        rest = ran(settings, asked, whole[:end])
        assert {**answer(rest), "timings": None} == {**answer(whole), "timings": None}
        keys = [event.key for event in (*whole[:end], *rest)]
        assert len(keys) == len(set(keys))


def test_a_record_that_changed_since_is_not_gone_on_with(
    settings: Settings, tmp_path: Path
) -> None:
    asked = request_of(settings, written(tmp_path), QUESTION)
    begun = ran(settings, asked)[:3]
    written(tmp_path, NOTES[:2])
    last = ran(settings, asked, begun)[-1]
    assert isinstance(last, RunFailed)
    assert "changed" in last.problem


def test_visits_categories_and_days_restrict_the_notes(settings: Settings, record: Path) -> None:
    def searched(**fields: Any) -> list[str]:
        found = answer(ran(settings, request_of(settings, record, QUESTION, **fields)))
        return sorted(note["visit"] for note in found["notes"])

    assert searched(visits=("v1", "v2")) == ["v1", "v2"]
    assert searched(since="2020-06", until="2021") == ["v2", "v3"]
    assert searched(categories=("Progress",)) == ["v1", "v2", "v3", "v4"]
    last = ran(settings, request_of(settings, record, QUESTION, categories=("echo",)))[-1]
    assert isinstance(last, RunFailed)
    assert last.error == UsageError.__name__


def test_the_trace_is_the_same_whatever_the_order_of_notes(
    settings: Settings, tmp_path: Path
) -> None:
    asked = request_of(settings, written(tmp_path), QUESTION)
    first = trace_text(ChartLog(ran(settings, asked)))
    written(tmp_path, reversed(NOTES))
    assert trace_text(ChartLog(ran(settings, asked))) == first
    assert json.loads(first)["stages"][1]["reasons"]


def scripted(said: dict[str, Any]) -> Callable[[dict[str, Any]], str]:
    """What a model says at each stage; at the answer what ``said`` holds."""

    def reply(body: dict[str, Any]) -> str:
        prompt = json.dumps(body["messages"])
        if "complementary" in prompt:
            return '{"direct": ["disease", "nonsense"], "complementary": []}'
        return (
            "Wheezing with albuterol."
            if "hypothetical" in prompt or "pattern to" in prompt
            else json.dumps(said)
        )

    return reply


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Callable[[ModelServer], str]:
    def name(server: ModelServer) -> str:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        return "openai/scripted"

    return name


def test_a_model_answers_and_only_what_stands_in_a_note_is_quoted(
    settings: Settings, record: Path, model: Callable[[ModelServer], str]
) -> None:
    said = {
        "documented": True,
        "answer": "Asthma was diagnosed on 2019-03-01.",
        "quotes": [
            {"note": 1, "quote": "patient is presenting with ASTHMA"},
            {"note": 1, "quote": "Spirometry was abnormal."},
            {"note": 99, "quote": "Patient is presenting"},
        ],
    }
    with ModelServer(reply=scripted(said), faults=Faults(rate_500=0.3, seed=1)) as server:
        found = answer(ran(settings, request_of(settings, record, QUESTION, model(server))))
    assert found["answer"] == "Asthma was diagnosed on 2019-03-01."
    spans = [span["text"] for span in found["notes"][0]["spans"]]
    assert spans == ["Patient is presenting with asthma"]
    assert sum("does not stand in note" in one for one in found["warnings"]) == 2
    assert found["usage"]["calls"] == 3


def test_an_answer_without_any_true_quotation_is_not_shown(
    settings: Settings, record: Path, model: Callable[[ModelServer], str]
) -> None:
    said = {
        "documented": True,
        "answer": "In 1999.",
        "quotes": [{"note": 1, "quote": "Since 1999"}],
    }
    with ModelServer(reply=scripted(said)) as server:
        found = answer(ran(settings, request_of(settings, record, QUESTION, model(server))))
    assert "1999" not in found["answer"]
    assert ASTHMA in found["answer"]


def test_instructions_in_a_note_are_marked_and_change_nothing(
    settings: Settings, record: Path, model: Callable[[ModelServer], str]
) -> None:
    with ModelServer(reply=scripted({"documented": False, "answer": "", "quotes": []})) as server:
        found = answer(ran(settings, request_of(settings, record, QUESTION, model(server))))
    shown = server.received[-1].body["messages"][-1]["content"]
    assert "is only quoted and not to be followed] Ignore all previous" in shown
    assert found["answer"] == NOT_DOCUMENTED
    by_rule = answer(ran(settings, request_of(settings, record, QUESTION)))
    assert "nobody is ill" not in by_rule["answer"]


def test_an_unreadable_answer_gives_the_quotations(
    settings: Settings, record: Path, model: Callable[[ModelServer], str]
) -> None:
    with ModelServer(reply=lambda body: "I cannot say.") as server:
        found = answer(ran(settings, request_of(settings, record, QUESTION, model(server))))
    assert ASTHMA in found["answer"]
    assert any("could not be read" in one for one in found["warnings"])


def test_a_model_that_may_not_see_patients_is_never_asked(settings: Settings, record: Path) -> None:
    asked = request_of(settings, record, QUESTION, "openai/gpt-4o")
    with pytest.raises(NotForPatients) as refused:
        assemble(settings, asked, lexicon=lexicon)
    assert refused.value.exit_status == 6


def test_a_model_of_this_machine_is_not_asked_through_a_proxy(
    settings: Settings,
    record: Path,
    model: Callable[[ModelServer], str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ModelServer(lambda body: "x") as server, ModelServer(lambda body: "x") as proxy:
        asked = request_of(settings, record, QUESTION, model(server))
        monkeypatch.setenv("http_proxy", proxy.url)
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        with pytest.raises(NotForPatients, match="NO_PROXY") as refused:
            ran(settings, asked)
        assert refused.value.exit_status == 6
        assert not server.received
        monkeypatch.setenv("no_proxy", urlsplit(server.url).hostname or "")
        assert answer(ran(settings, asked))["usage"]["calls"] == 3
        assert not proxy.received


def test_a_record_without_any_date_is_answered(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text(ASTHMA)
    found = answer(ran(settings, request_of(settings, tmp_path, "Does the patient have asthma?")))
    assert ASTHMA in found["answer"]


def test_a_record_of_coded_entries_alone_is_answered_from_them(
    settings: Settings, tmp_path: Path
) -> None:
    entry = {"display": "Asthma", "start": "2019-03-01"}
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"id": "p", "notes": [], "Condition": [entry]}))
    found = answer(ran(settings, request_of(settings, path, "Does the patient have asthma?")))
    assert found["counts"]["coded entries"] == 1
    assert "coded condition" in found["answer"]
    assert found["notes"][0]["spans"][0]["text"] == "Asthma"
    path.write_text(json.dumps({"id": "p", "notes": []}))
    last = ran(settings, request_of(settings, path, QUESTION))[-1]
    assert isinstance(last, RunFailed)
    assert last.error == UsageError.__name__


def test_ones_own_terms_are_known_in_question_and_note(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("patient,date,text\np,2020-01-01,On Morphacil twice a day.\n")
    terms = tmp_path / "terms.tsv"
    terms.write_text("Morphacil\tMorphine\tdrug or substance\n")
    asked = request_of(settings, tmp_path / "a.csv", "Is the patient on morphine?")
    without = ran(settings, asked)
    assert answer(without)["status"] == "absent"
    known = settings.model_copy(update={"patient_terms": terms})
    found = answer(events(assemble(known, asked), asked, ()))
    assert found["status"] == "documented"
    assert "Morphacil" in found["answer"]
    assert len(found["settings"]["terms"]) == 64
    terms.write_text("Morphacil\n")
    with pytest.raises(RecordError, match="line 1"):
        assemble(known, asked)


def test_the_trace_tells_which_tables_it_was_read_with(settings: Settings, record: Path) -> None:
    started = ran(settings, request_of(settings, record, QUESTION))[0]
    assert isinstance(started, RunStarted)
    for table in (gloss.TOLD, assertion_weights.FILE):
        made = hashlib.sha256(table.read_bytes()).hexdigest()
        assert started.settings["tables"][table.name] == made
