"""Runs as they lie in a folder, measured: what counts the floor, what is left out, what cannot be
read.
"""

import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest

from benchmarks.own.scores import ScoreRow
from benchmarks.pubmedrs200.measures.measuring import measure
from benchmarks.pubmedrs200.measures.support import Entailment
from benchmarks.pubmedrs200.running.folder import write_record
from benchmarks.pubmedrs200.running.records import Cell, Leak, Record
from clinfo.errors import UsageError
from clinfo.pipelines.literature.events import ArticlesFetched
from clinfo.records.articles import Article, Section
from clinfo.runs.events import dumps
from pubmedrs.records import Dataset, Review

IDS = ("101", "102", "103")
DATASET = Dataset(
    tuple(Review(id, "T", "Q?", "A.", date(2020, 1, 1), references=("1", "2")) for id in IDS),
    (),
    (),
    "ab" * 32,
)


def run(folder: Path, *records: Record) -> Path:
    """A run of three commands; one tells what it used, one its candidates too, one nothing."""
    systems = [{"name": name, "kind": "command"} for name in ("teller", "whole", "silent")]
    form = {"schema": 1, "systems": systems, "regimes": ["restricted"], "repeats": 1, "ids": IDS}
    folder.mkdir()
    (folder / "run.json").write_text(json.dumps(form))
    for record in records:
        write_record(folder, record)
    return folder


def cell(system: str, id: str) -> Cell:
    return Cell(system, "restricted", 1, id)


def values(rows: list[ScoreRow], system: str, metric: str) -> dict[str, tuple[float, bool]]:
    return {
        row.id: (row.value, row.unanswered)
        for row in rows
        if (row.system, row.metric) == (f"{system}:restricted", metric)
    }


def test_a_failure_does_not_leave_the_mean_of_a_system_that_tells_what_it_retrieves(
    tmp_path: Path,
) -> None:
    leak = (Leak("999", "references", "too new"),)
    folder = run(
        tmp_path / "run",
        Record(cell("teller", "101"), "answered", "Yes.", relevant=("1",)),
        Record(cell("teller", "102"), "failed", problem="it ended"),
        Record(cell("teller", "103"), "leaked", "No.", relevant=("1",), leaks=leak),
        Record(cell("whole", "101"), "failed"),
        Record(cell("whole", "102"), "answered", "Yes.", relevant=("1",), retrieved=("1", "2")),
        Record(cell("silent", "101"), "answered", "Yes."),
        Record(cell("silent", "102"), "failed"),
    )
    rows = list(measure(folder, DATASET))
    assert values(rows, "teller", "retrieval_recall") == {"101": (0.5, False), "102": (0.0, True)}
    assert values(rows, "teller", "pool_recall") == {}
    assert values(rows, "whole", "pool_recall") == {"101": (0.0, True), "102": (1.0, False)}
    assert values(rows, "silent", "retrieval_recall") == {}
    assert values(rows, "teller", "abstained") == {"101": (0.0, False)}


def test_what_is_no_run_is_one_line(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", Record(cell("teller", "101"), "answered", "Yes."))
    path = cell("teller", "101").path(folder)
    path.write_text(path.read_text()[:40])
    with pytest.raises(UsageError, match=r"101\.json: not the record of a run"):
        list(measure(folder, DATASET))
    (folder / "run.json").write_text("{}")
    with pytest.raises(UsageError, match="is not of schema 1"):
        list(measure(folder, DATASET))


def test_the_judge_is_asked_about_wanted_answers_only(tmp_path: Path) -> None:
    asked: list[Entailment] = []

    class Agreeing:
        name = "agreeing"

        def judge(self, pairs: Sequence[Entailment]) -> list[bool]:
            asked.extend(pairs)
            return [True for _ in pairs]

    fetched = ArticlesFetched(
        articles=(Article("pmid:1", "Zinc", pmid="1", sections=(Section("Zinc helps."),)),)
    )
    records = []
    for name in ("teller", "whole"):
        said = {
            "in": "synthesis",
            "text": f"{name} says so [1].",
            "cites": [1],
            "counts_only": False,
            "judges": ["rules"],
        }
        answer = {"references": [{"n": 1, "id": "pmid:1"}], "sentences": [said]}
        records.append(Record(cell(name, "101"), "answered", f"{name} says so [1].", answer=answer))
    folder = run(tmp_path / "run", *records)
    for record in records:
        path = record.cell.path(folder, "events", ".jsonl")
        path.parent.mkdir(parents=True)
        path.write_text(dumps(fetched) + "\n")
    rows = list(measure(folder, DATASET, Agreeing(), lambda name: name == "whole:restricted"))
    assert {row.system for row in rows} == {"whole:restricted"}
    assert values(rows, "whole", "citation_recall") == {"101": (1.0, False)}
    assert {one.sentence for one in asked} == {"whole says so."}
