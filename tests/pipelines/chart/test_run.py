"""Runs of the chart pipeline: without a model, with a scripted one over HTTP, resumed, refused."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchmarks.servers.faults import Faults
from benchmarks.servers.model import ModelServer
from clinfo.errors import NotForPatients, RecordError, UsageError
from clinfo.pipelines.chart.records import NOT_DOCUMENTED, ChartRequest
from clinfo.pipelines.chart.request import request_of
from clinfo.pipelines.chart.stages import CHART
from clinfo.runs.events import Event, RunFailed
from clinfo.settings import Settings
from tests.pipelines.carried import answer, events, resumed_from_anywhere
from tests.pipelines.chart.records import NOTES, written

QUESTION = "When was asthma diagnosed?"
ASTHMA = "Patient is presenting with asthma."


@pytest.fixture
def settings() -> Settings:
    return Settings(cache="off")


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return written(tmp_path)


def ran(settings: Settings, asked: ChartRequest, after: Sequence[Event] = ()) -> list[Event]:
    return events(CHART.assemble(settings, asked, after), asked, after)


def test_without_a_model_notes_are_quoted_with_their_dates(
    settings: Settings, record: Path
) -> None:
    found = answer(ran(settings, request_of(settings, record, QUESTION, k=2)))
    assert found["answer"].splitlines()[0] == f'2019-03-01, progress: "{ASTHMA}" [note-v1]'
    assert found["established"].startswith("4 of 4 notes name “asthma”")
    assert "2019-03-01 to 2022-05-05" in found["established"]
    assert found["notes"][0]["id"] == "note-v1"
    assert (len(found["notes"]), found["claims"], found["usage"]["calls"]) == (2, [], 0)
    assert any("No model was named" in one for one in found["notices"])
    names = ["types", "entities", "dense", "recovery", "rerank"]
    assert [stage["name"] for stage in found["stages"]] == names
    assert {type(stage[side]) for stage in found["stages"] for side in ("in", "out")} == {int}


def test_what_no_note_names_is_said_as_what_was_looked_for(
    settings: Settings, record: Path
) -> None:
    found = answer(ran(settings, request_of(settings, record, "When was gout diagnosed?")))
    assert found["answer"] == NOT_DOCUMENTED
    assert found["established"].startswith("None of 4 notes names “gout”")
    assert found["established"].endswith("no coded entry does.")


def test_a_run_resumed_from_any_prefix_ends_in_the_same_answer(
    settings: Settings, record: Path
) -> None:
    asked = request_of(settings, record, QUESTION)
    resumed_from_anywhere(CHART, lambda after: ran(settings, asked, after))


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


Said = dict[str, Any]


def scripted(*said: Said, verdicts: Sequence[Said] = ()) -> Callable[[dict[str, Any]], str]:
    """What a model says: at the answer and its rewriting what ``said`` holds, in turn; at the check
    ``verdicts`` in turn, else that all is supported.
    """
    answers, judgements = iter(said), iter(verdicts)

    def reply(body: dict[str, Any]) -> str:
        form = body.get("response_format", {}).get("json_schema", {}).get("name", "")
        prompt = body["messages"][-1]["content"]
        if form == "types" or '"complementary"' in prompt:
            return '{"direct": ["disease", "nonsense"], "complementary": [], "since": "2019-03"}'
        if form == "verify" or '"verdicts"' in prompt:
            every = [
                {
                    "label": one,
                    "verdict": "supported",
                    "quotes": [{"article": int(n), "words": HELD}],
                }
                for one, n in re.findall(r"^(S[0-9]+):.*\[([0-9]+)[],]", prompt, re.MULTILINE)
            ]
            return json.dumps(next(judgements, {"verdicts": every}))
        if form == "answer" or '"claims"' in prompt:
            return json.dumps(next(answers))
        return "Wheezing with albuterol."

    return reply


def claim(text: str, note: int, quotation: str) -> Said:
    return {"text": text, "note": note, "quotation": quotation}


HELD = "is presenting with asthma"
"""Words of the first note that the scripted judge quotes."""


def verdict(label: str, told: str, reason: str = "") -> Said:
    quotes = [{"article": 1, "words": HELD}] if told == "partial" else []
    return {"verdicts": [{"label": label, "verdict": told, "reason": reason, "quotes": quotes}]}


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Callable[[ModelServer], str]:
    def name(server: ModelServer) -> str:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        return "openai/scripted"

    return name


SINCE = "Asthma was diagnosed on 2019-03-01."
TRUE = claim(SINCE, 1, "patient is presenting  with ASTHMA")


def test_a_model_reads_the_record_whole_and_each_claim_has_its_verdict(
    settings: Settings, record: Path, model: Callable[[ModelServer], str]
) -> None:
    faults = Faults(rate_500=0.3, seed=1)
    with ModelServer(reply=scripted({"claims": [TRUE]}), faults=faults) as server:
        found = answer(ran(settings, request_of(settings, record, QUESTION, model(server))))
    assert found["answer"] == f"{SINCE} [note-v1]"
    (one,) = found["claims"]
    assert (one["verdict"], one["judge"], one["date"]) == (
        "supported",
        "openai/scripted",
        "2019-03-01",
    )
    assert one["quotation"]["text"] == "Patient is presenting with asthma"
    assert found["notes"][0]["spans"] == [one["quotation"]]
    assert found["established"] == "The model read all 4 notes."
    assert found["usage"]["calls"] == 2
    shown = next(one.body["messages"][-1]["content"] for one in server.received)
    assert [shown.index(f"[{n}] {day}") for n, (day, *_) in enumerate(NOTES, 1)]
    assert "last day of the record: 2022-05-05" in shown
    assert any("16,384 tokens are assumed (CLINFO_CONTEXT_TOKENS)" in w for w in found["warnings"])
    assert any("also judges what it wrote" in one for one in found["notices"])


def test_what_is_rejected_is_written_anew_once_else_removed(
    settings: Settings, record: Path, model: Callable[[ModelServer], str]
) -> None:
    invented = claim("Spirometry was abnormal.", 1, "Spirometry was abnormal.")
    severe = claim("She has severe asthma.", 1, "Patient is presenting with asthma.")
    milder = claim("She presented with asthma.", 1, "Patient is presenting with asthma.")
    said = scripted(
        {"claims": [severe, invented]},
        {"claims": [milder, milder, invented]},
        verdicts=[verdict("S1", "partial", "the note does not say severe")],
    )
    with ModelServer(reply=said) as server:
        found = answer(ran(settings, request_of(settings, record, QUESTION, model(server))))
    assert [one["text"] for one in found["claims"]] == ["She presented with asthma."]
    assert "pirometry" not in found["answer"]
    assert any("Spirometry was abnormal" in one for one in found["warnings"])
    rewriting = server.received[2].body["messages"][-1]["content"]
    assert "the note does not say severe" in rewriting
    assert "Mother had a stroke" not in rewriting


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ({"claims": [{"note": 1, "quotation": "Patient is pre"}]}, "could not be read"),
        ({"claims": [claim("She has gout.", 1, "Gout was seen.")]}, "stands in the notes"),
    ],
)
def test_what_could_not_be_read_or_located_is_no_word_on_the_record(
    settings: Settings,
    record: Path,
    model: Callable[[ModelServer], str],
    written: dict[str, Any],
    told: str,
) -> None:
    with ModelServer(reply=scripted(written, written)) as server:
        found = answer(ran(settings, request_of(settings, record, QUESTION, model(server))))
    assert found["answer"] != NOT_DOCUMENTED
    assert found["claims"] == []
    assert any(told in one and "quoted instead" in one for one in found["warnings"])


def test_a_record_that_does_not_fit_is_read_in_part_with_its_newest_note(
    settings: Settings, tmp_path: Path, model: Callable[[ModelServer], str]
) -> None:
    filler = "Seen for a refill of eye drops; nothing new was told or found on that day. " * 40
    rows = [(f"2015-01-{day:02}", f"f{day}", filler + f"Day {day}.") for day in range(1, 29)]
    newest = ("2023-01-01", "last", "Well on the phone.")
    path = written(tmp_path, [*rows, *NOTES, newest])
    small = settings.model_copy(update={"context_tokens": 5_000})
    with ModelServer(reply=scripted({"claims": []})) as server:
        asked = request_of(small, path, "Any asthma since March 2019?", model(server), k=5)
        found = answer(ran(small, asked))
    assert found["answer"] == NOT_DOCUMENTED
    assert "of 33 notes" in found["established"]
    assert "has not seen" in found["established"]
    prompts = [one.body["messages"][-1]["content"] for one in server.received]
    assert len(prompts) == 3  # the question's types, a hypothetical note, the answer
    assert "Well on the phone." in prompts[-1]
    assert prompts[-1].index("presenting with asthma") < prompts[-1].index("Well on the phone.")
    assert found["stages"][-1]["name"] == "time"


def test_instructions_in_a_note_change_nothing(
    settings: Settings, record: Path, model: Callable[[ModelServer], str]
) -> None:
    with ModelServer(reply=scripted({"claims": []})) as server:
        found = answer(ran(settings, request_of(settings, record, QUESTION, model(server))))
    shown = server.received[-1].body["messages"][-1]["content"]
    assert "<note " in shown.partition("Ignore all previous")[0]
    assert found["answer"] == NOT_DOCUMENTED
    assert found["established"].startswith("The model read all 4 notes")


def test_an_unreadable_answer_is_asked_for_again_and_then_gives_the_quotations(
    settings: Settings, record: Path, model: Callable[[ModelServer], str]
) -> None:
    with ModelServer(reply=lambda body: "I cannot say.") as server:
        found = answer(ran(settings, request_of(settings, record, QUESTION, model(server))))
    assert len(server.received) == 2
    assert ASTHMA in found["answer"]
    assert any("could not be read" in one for one in found["warnings"])


def test_a_judge_of_its_own_holds_beside_the_model_and_must_be_allowed(
    settings: Settings, record: Path, model: Callable[[ModelServer], str]
) -> None:
    with ModelServer(reply=scripted({"claims": [TRUE]})) as server:
        asked = request_of(settings, record, QUESTION, model(server), "openai/judge")
        found = answer(ran(settings, asked))
    assert found["claims"][0]["judge"] == "openai/judge"
    far = request_of(settings, record, QUESTION, "openai/scripted", "anthropic/judge")
    with pytest.raises(NotForPatients, match="anthropic/judge"):
        CHART.assemble(settings, far)
    unused = request_of(settings, record, QUESTION, None, "anthropic/judge")
    assert set(unused.models.values()) == {"extractive"}


def test_a_far_embedder_sees_no_record(settings: Settings, record: Path) -> None:
    with pytest.raises(NotForPatients):
        CHART.assemble(settings, request_of(settings, record, QUESTION, embedder="cohere/some"))


def test_a_model_that_may_not_see_patients_is_never_asked(settings: Settings, record: Path) -> None:
    asked = request_of(settings, record, QUESTION, "openai/gpt-4o")
    with pytest.raises(NotForPatients) as refused:
        CHART.assemble(settings, asked)
    assert refused.value.exit_status == 6


def test_a_record_of_coded_entries_alone_is_answered_from_them(
    settings: Settings, tmp_path: Path
) -> None:
    entry = {"display": "Asthma", "start": "2019-03-01"}
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"id": "p", "notes": [], "Condition": [entry]}))
    found = answer(ran(settings, request_of(settings, path, "Does the patient have asthma?")))
    assert found["counts"]["coded entries"] == 1
    assert "2019-03-01, coded condition: Asthma" in found["answer"]
    assert found["coded"][0]["note"] == found["notes"][0]["id"]
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
    assert answer(without)["answer"] == NOT_DOCUMENTED
    known = settings.model_copy(update={"patient_terms": terms})
    found = answer(events(CHART.assemble(known, asked), asked, ()))
    assert "Morphacil" in found["answer"]
    assert len(found["settings"]["terms"]) == 64
    terms.write_text("Morphacil\n")
    with pytest.raises(RecordError, match="line 1"):
        CHART.assemble(known, asked)
