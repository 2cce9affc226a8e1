"""The kinds of tools: the registry of trials, the literature."""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from clinfo.errors import UsageError
from clinfo.pipelines.copilot.agent import progress_of
from clinfo.pipelines.copilot.records import CopilotLog
from clinfo.pipelines.tools import Host, Progress, carried_out, declared, opened
from clinfo.records.observations import Observation
from clinfo.retrieval.silos import SiloDocument
from clinfo.runs.events import CostIncurred, Event, to_json
from clinfo.settings import Settings
from tests.pipelines.copilot.silos import CIVIC, MemorySilos, document


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
