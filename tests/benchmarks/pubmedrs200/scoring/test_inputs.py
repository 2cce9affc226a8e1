"""Inputs are put together, chosen from, and what is lacking in them is told."""

import json
import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from benchmarks.pubmedrs200.scoring.inputs import (
    Inputs,
    choose,
    gather,
    missing,
    subset,
)
from benchmarks.pubmedrs200.scoring.predictions import FaultyPredictions, Prediction
from clinfo.errors import UsageError
from pubmedrs.records import Dataset, Review
from tests.shared_data import SHARED, needs_shared

REVIEWS = tuple(
    Review(id, "T", "Q?", "A", date(2020, 1, 1), introduction="I", results=f"R{id}", conclusion="C")
    for id in ("30", "10", "20")
)
DATASET = Dataset(REVIEWS, (), (), "0" * 64)


RUN = {
    "schema": 1,
    "systems": [{"name": "x", "kind": "chain"}],
    "regimes": ["unrestricted"],
    "repeats": 1,
    "ids": ["10"],
}


def lines(path: Path, *forms: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(form) + "\n" for form in forms), encoding="utf-8")
    return path


def row(id: str, system: str = "a", **more: object) -> dict[str, object]:
    return {"id": id, "system": system, "prediction": "p", "reference": "r"} | more


def run_folder(path: Path, *forms: dict[str, object]) -> Path:
    path.mkdir()
    (path / "run.json").write_text(json.dumps(RUN))
    lines(path / "predictions.jsonl", *forms)
    return path


def test_several_inputs_are_one(tmp_path: Path) -> None:
    run = run_folder(tmp_path / "run", row("10", "x:restricted:tldr"))
    lines(run / "quarantine.jsonl", {"id": "20", "system": "x:restricted", "leaks": []})
    found = gather([lines(tmp_path / "p.jsonl", row("10"), row("20")), run], None)
    assert found.systems == ("a", "x:restricted:tldr")
    assert found.quarantined == {"x:restricted": ("20",)}
    assert found.runs == (run,)
    assert missing(found, ["10", "20"]) == {}  # the one that is missing is told as quarantined
    assert missing(replace(found, quarantined={}), ["10", "20", "30"]) == {
        "a": ["30"],
        "x:restricted:tldr": ["20", "30"],
    }


def test_all_faults_of_all_inputs_come_at_once(tmp_path: Path) -> None:
    first = lines(tmp_path / "1.jsonl", row("10"), row("99"), row("10"))
    second = lines(tmp_path / "2.jsonl", row("20", reference=[]), row("10"))
    with pytest.raises(FaultyPredictions) as raised:
        gather([first, second], DATASET)
    said = [re.search(r"\d\.jsonl, line \d", str(one)) for one in raised.value.faults]
    assert sorted(one[0] for one in said if one) == [
        "1.jsonl, line 2", "1.jsonl, line 3", "2.jsonl, line 1", "2.jsonl, line 2",
    ]  # fmt: skip


def test_systems_are_chosen_by_label_or_its_beginning() -> None:
    labels = [
        "x:restricted:tldr",
        "x:restricted:both",
        "x:unrestricted:both:2",
        "xy:none:synthesis",
    ]
    rows = tuple(Prediction("1", label, "p", "r") for label in labels)
    inputs = Inputs(rows, {"x:restricted": ("2",)})
    assert choose(inputs, {"1"}, ["x"]).systems == tuple(labels[:3])
    assert choose(inputs, {"1"}, ["x:restricted:both", "xy"]).systems == (labels[1], labels[3])
    with pytest.raises(UsageError, match=r"“nobody”.*x:restricted:tldr"):
        choose(inputs, {"1"}, ["x", "nobody"])
    with pytest.raises(UsageError, match="none of the predictions"):
        choose(inputs, {"7"})


def test_the_subset_paper_leaves_out_what_any_system_retrieved_the_source_alone_for(
    tmp_path: Path,
) -> None:
    run = run_folder(tmp_path / "run", row("10"), row("20"), row("30"))
    for system, regime, id, retrieved in [
        ("x", "source-dropped", "10", ["1"]),
        ("x", "source-dropped", "20", []),
        ("x", "source-dropped", "30", ["1", "30"]),
        ("x", "restricted", "10", []),
        ("y", "unrestricted", "10", ["10", "2"]),
        ("y", "unrestricted", "30", ["30"]),
        ("bare", "none", "10", None),
    ]:
        path = run / "records" / system / regime / "1" / f"{id}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"retrieved": retrieved}))
    assert subset("paper", gather([run], DATASET), DATASET).ids == ("10",)
    (run / "records" / "x" / "source-dropped" / "1" / "10.json").write_text('{"retrieved": ["10"]}')
    with pytest.raises(UsageError, match="nothing but the source"):
        subset("paper", gather([run], DATASET), DATASET)


@needs_shared
def test_the_published_outputs_are_an_input() -> None:
    from pubmedrs.reading import load

    folder = SHARED / "pubmedrs200"
    dataset = load(folder / "PubMedRS-200.csv")
    found = gather([folder], dataset, needs_source=True)
    assert len(found.rows) == 1300
    assert len(found.systems) == 13
    assert len(subset("scored145", found, dataset).ids) == 145
    kept = subset("paper", found, dataset)
    assert 90 <= len(kept.ids) < 100  # the source alone was retrieved for a few
