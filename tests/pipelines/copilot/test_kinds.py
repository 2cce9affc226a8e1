"""The kinds of tools: the registry of trials, the literature, the house's own records."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import clinfo
from benchmarks.servers.model import ModelServer
from clinfo.errors import UsageError
from clinfo.pipelines.cohort.store import build
from clinfo.pipelines.copilot.agent import progress_of
from clinfo.pipelines.copilot.events import CopilotLog
from clinfo.pipelines.tools import Host, Progress, ToolDeclared, carried_out, declared, opened
from clinfo.records.observations import Observation
from clinfo.retrieval.silos import SiloDocument
from clinfo.runs.events import CostIncurred, Event, to_json
from clinfo.settings import Settings
from tests.pipelines.cohort.notes import RECORDS
from tests.pipelines.copilot.silos import CIVIC, MemorySilos, document


@pytest.fixture(autouse=True)
def of_patients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep what is kept of patients, the log of who asks too, out of the user's folders."""
    monkeypatch.setenv("CLINFO_PATIENTS_DIR", str(tmp_path / "patients"))


def trial(id: str, status: str, eligibility: str, **fields: str) -> SiloDocument:
    text = f"Trastuzumab deruxtecan in breast cancer {id}.\n\n{eligibility}"
    fields = {"status": status, "eligibility": eligibility, **fields}
    return SiloDocument(
        "trials", id, f"Trial {id}", text, {}, fields, "public domain", "2026-05-01"
    )


TRIALS = [
    trial("NCT00000001", "RECRUITING", "Inclusion Criteria:\n* ER-positive disease"),
    trial("NCT00000002", "RECRUITING", "Inclusion Criteria:\n* HER2-positive disease"),
    trial("NCT00000003", "COMPLETED", "Inclusion Criteria:\n* HER2-positive disease"),
    trial("NCT00000004", "RECRUITING", "Inclusion Criteria:\n* x", minimum_age="60 Years"),
]


UNKEPT = Progress()


def called(
    tool: str, arguments: dict[str, Any], host: Host, progress: Progress = UNKEPT
) -> Observation:
    found, _ = opened(declared(host.settings), host, (tool,))
    return asyncio.run(found[tool].call(arguments, progress))


def test_only_trials_that_take_patients_where_that_is_asked() -> None:
    host = Host(Settings(cache="off"), MemorySilos(TRIALS))
    found = called("trials", {"query": "breast cancer", "recruiting": True}, host)
    assert "NCT00000003" not in {one.document for one in found.passages}
    assert any("1 more take no patients" in line for line in found.said)


def test_trials_that_take_patients_come_first_with_their_criteria_quoted() -> None:
    host = Host(Settings(cache="off"), MemorySilos(TRIALS))
    found = called("trials", {"query": "breast cancer"}, host)
    order = list(dict.fromkeys(one.document for one in found.passages))
    assert order == ["NCT00000001", "NCT00000002", "NCT00000004", "NCT00000003"]
    told = {line.split(":")[0]: line for line in found.said}
    assert "completed, as of 2026-05-01" in told["NCT00000003"]
    assert "minimum age 60 Years" in told["NCT00000004"]
    text = {one.id: one.text for one in TRIALS}
    assert all(text[one.document][one.start : one.end] == one.text for one in found.passages)
    assert any("* ER-positive disease" in one.text for one in found.passages)


def test_a_document_is_opened_whole() -> None:
    long = document("nccn", "x", "\n\n".join(f"Part {n}. " + "word " * 150 for n in range(40)))
    host = Host(Settings(cache="off"), MemorySilos([*CIVIC, long]))
    found = called("open", {"document": "civic/1"}, host)
    assert [one.text for one in found.passages] == [CIVIC[0].text]
    assert called("open", {"document": "EID1"}, host).passages == found.passages
    assert "no silo has" in called("open", {"document": "civic/99"}, host).problem
    cut = called("open", {"document": "nccn/x"}, host)
    assert "characters were left out" in cut.said[0]
    assert cut.passages[0].text.startswith("Part 0.")


def test_what_a_tool_offers_a_model_is_typed() -> None:
    found, missing = opened(declared(Settings()), Host(Settings(), MemorySilos(CIVIC)))
    fields = found["search"].offered().parameters
    assert fields["properties"]["silo"]["enum"] == ["civic", "trials"]
    assert fields["required"] == ["silo", "query"]
    assert fields["additionalProperties"] is False
    typed = found["gene_drug"].offered().parameters["properties"]
    assert [*typed] == ["gene", "variant", "disease", "drug", "direction", "levels"]
    assert typed["direction"]["enum"] == ["", "response", "resistance"]
    assert "cohort" not in {*found, *missing}, "nobody allows it"
    assert missing == {}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ({"gene": " BRAF ", "direction": "Sensitivity/Response"}, {"direction": "response"}),
        ({"gene": "BRAF", "direction": "RESISTANT", "drug": None}, {"direction": "resistance"}),
        ({"gene": "BRAF", "direction": "any", "levels": ["A", "B"]}, {"levels": "AB"}),
        ({"gene": "BRAF", "levels": "a-c"}, {"levels": "ABC"}),
        ({"gene": "BRAF", "levels": "A, B and D"}, {"levels": "ABD"}),
        ({"gene": "BRAF", "levels": "ABCDE"}, {}),
    ],
)
def test_arguments_are_read_leniently(written: dict[str, Any], read: dict[str, str]) -> None:
    found, _ = opened(declared(Settings()), Host(Settings(), MemorySilos(CIVIC)))
    assert found["gene_drug"].read(json.dumps(written)) == {"gene": "BRAF"} | read
    assert found["search"].read('{"silo": "CIViC", "query": "x"}')["silo"] == "civic"


QUESTION = "Do probiotics prevent antibiotic-associated diarrhea?"


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Host:
    monkeypatch.setenv("CLINFO_SOURCE", "demo")
    monkeypatch.setenv("CLINFO_CACHE", "off")
    monkeypatch.setenv("CLINFO_DATA_DIR", str(tmp_path))
    return Host(Settings(cache="off", source="demo"), None, "extractive")


def test_the_literature_brings_passages_of_abstracts(demo: Host) -> None:
    events: list[Event] = []
    found = called("literature", {"question": QUESTION}, demo, Progress((), events.append))
    assert found.passages
    assert {one.silo for one in found.passages} == {"literature"}
    assert all(one.document.startswith("pmid:") and one.text for one in found.passages)
    assert any(one.level.startswith("CEBM") for one in found.passages)
    again: list[Event] = []
    before = Progress([to_json(event) for event in events], again.append)
    assert called("literature", {"question": QUESTION}, demo, before) == found
    assert again == []


def test_what_a_run_within_a_tool_cost_is_a_cost_of_the_run(demo: Host) -> None:
    from clinfo.runs.clock import SystemClock
    from clinfo.runs.recorder import Recorder
    from clinfo.runs.spending import MemoryBudget

    log, lines = CopilotLog(), list[Event]()
    recorder = Recorder({}, MemoryBudget(), SystemClock(), 0, log, lines.append)
    progress = progress_of(recorder, "1.1")
    cost = CostIncurred(call="synthesis", where="synthesis", model="m", reply="r", cost_usd=0.5)
    progress.put(cost)
    progress.put(cost)
    assert log.spent_usd == 0.5
    assert [one["call"] for one in progress_of(recorder, "1.1").before] == ["synthesis"]
    for kept in range(1, len(lines) + 1):  # a kill between two lines of the file
        before = CopilotLog(lines[:kept])
        again = Recorder({}, MemoryBudget(), SystemClock(), 0, before, lambda event: None)
        assert [one["call"] for one in progress_of(again, "1.1").before] == ["synthesis"]
        assert before.spent_usd == 0.5


def test_a_tool_that_is_broken_off_costs_all_that_it_might_spend() -> None:
    from clinfo.runs.spending import MemoryBudget

    cost = CostIncurred(call="synthesis", where="synthesis", model="m", reply="r", cost_usd=0.1)

    async def spent(seconds: float) -> float:
        async def run(before: Sequence[Event], most: float | None) -> AsyncGenerator[Event]:
            assert most == 0.5
            yield cost
            await asyncio.sleep(seconds)

        money = MemoryBudget(1.0)
        host = Host(Settings(cache="off"), budget=money, max_cost=1.0)
        with suppress(TimeoutError):
            async with asyncio.timeout(0.01):
                await carried_out("literature", host, Progress(), run)
        return money.spent

    assert asyncio.run(spent(0)) == 0.1
    assert asyncio.run(spent(60)) == 0.5


def test_the_records_of_the_house_are_tools_only_where_they_are_named(tmp_path: Path) -> None:
    file = tmp_path / "tools.toml"
    record = tmp_path / "notes.csv"
    record.write_text("patient,date,category,text\np,2019-03-01,Progress,Patient has asthma.\n")
    file.write_text(
        f'[chart]\nkind = "chart"\npurpose = "p"\noptions = {{ record = "{record}" }}\n'
    )
    settings = Settings(cache="off", patients_dir=tmp_path / "kept", copilot_tools=file)
    assert declared(settings) == ()
    allowed = settings.model_copy(update={"copilot_allow": "chart"})
    seen = called("chart", {"question": "Has the patient asthma?"}, Host(allowed))
    assert [one.text for one in seen.passages] == ["Patient has asthma."]
    built_in = Settings(copilot_allow="chart")
    with pytest.raises(UsageError, match="names no options"):
        opened(declared(built_in), Host(built_in), ("chart",))


@pytest.fixture
def asthma(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ToolDeclared:
    """The chart tool over one note, of a host whose patients' folder is its own."""
    monkeypatch.setenv("CLINFO_PATIENTS_DIR", str(tmp_path / "kept"))
    monkeypatch.setenv("CLINFO_CACHE", "off")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    record = tmp_path / "notes.csv"
    record.write_text("patient,date,category,text\np,2019-03-01,Progress,Patient has asthma.\n")
    return ToolDeclared("chart", "chart", "p", options={"record": str(record)})


HAS_ASTHMA = {"question": "Has the patient asthma?"}


def test_a_chart_that_was_broken_off_is_gone_on_with(
    asthma: ToolDeclared, monkeypatch: pytest.MonkeyPatch
) -> None:
    from clinfo.pipelines.chart.tool import KIND

    with ModelServer(lambda body: "Asthma is documented.") as server:
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        host = Host(Settings(cache="off"), model="openai/scripted")
        tool = partial(KIND.run, asthma, host)
        whole: list[Event] = []
        first = asyncio.run(tool(HAS_ASTHMA, Progress((), whole.append)))
        paid = len(server.received)
        assert paid
        forms = [to_json(event) for event in whole]
        costs = [n for n, one in enumerate(whole, 1) if isinstance(one, CostIncurred)]
        assert asyncio.run(tool(HAS_ASTHMA, Progress(forms[: costs[-1]]))) == first
        assert len(server.received) == paid, "killed after its last reply"
        assert asyncio.run(tool(HAS_ASTHMA, Progress(forms))) == first
        assert asyncio.run(tool(HAS_ASTHMA, Progress(forms[: costs[0] - 1]))) == first
        assert len(server.received) == 2 * paid, "killed before its first reply"


def test_a_chart_that_takes_too_long_asks_no_more(
    asthma: ToolDeclared, monkeypatch: pytest.MonkeyPatch
) -> None:
    from clinfo.pipelines.chart.tool import KIND

    async def given_up(server: ModelServer) -> None:
        host = Host(Settings(cache="off"), model="openai/scripted")
        tool = partial(KIND.run, asthma, host)
        call = asyncio.create_task(tool(HAS_ASTHMA, Progress()))
        while not server.received:
            await asyncio.sleep(0.01)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        while not server.aborted:
            await asyncio.sleep(0.01)
        assert len(asyncio.all_tasks()) == 1

    with ModelServer(lambda body: "x", first_token=60) as server:
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        asyncio.run(given_up(server))
        assert len(server.received) == 1


def test_a_cohort_of_the_house_brings_the_sentences_behind_it(tmp_path: Path) -> None:
    build(RECORDS, tmp_path / "index")
    file = tmp_path / "tools.toml"
    file.write_text(
        f'[cohort]\nkind = "cohort"\npurpose = "p"\noptions = {{ index = "{tmp_path}/index" }}\n'
    )
    settings = Settings(cache="off", copilot_tools=file, copilot_allow="chart, cohort")
    asked = {"query": "condition epilepsy"}
    seen = called("cohort", asked, Host(settings))
    members = clinfo.cohort(tmp_path / "index", query=asked["query"])["members"]
    assert seen.said[0].startswith(f"{len(members)} of ")
    assert {one.document.split()[0] for one in seen.passages} == {one["id"] for one in members}


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ('[a]\nkind = "silo"', "purpose"),
        ('[a]\nkind = "spell"\npurpose = "p"', "its kind"),
        ('[A-b]\nkind = "silo"\npurpose = "p"', "small letters"),
        ('[a]\nkind = "silo"\npurpose = "p"\ncolour = 1', "colour"),
        ('[a]\nkind = "silo"\npurpose = "p"\ntimeout = 0', "timeout"),
        ('[a]\nkind = "silo"\npurpose = "p"\ntop_k = 1000', "top_k"),
        ("[a", "cannot be read"),
    ],
)
def test_a_file_of_tools_that_cannot_be_used_is_refused(
    tmp_path: Path, table: str, told: str
) -> None:
    file = tmp_path / "tools.toml"
    file.write_text(table)
    with pytest.raises(UsageError, match=told):
        declared(Settings(copilot_tools=file))
