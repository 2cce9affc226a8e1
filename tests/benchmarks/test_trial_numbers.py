"""The measures of numbers, on a folder made here; the counts of the real one where it is there."""

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.trials import numbers
from benchmarks.trials.command import main
from clinfo.errors import UsageError
from clinfo.records.trials import Number
from tests.shared_data import SHARED, needs_shared

PAPER = (
    "<abstract><sec><p>Zinc was compared with placebo.</p></sec></abstract><sec><title>Results"
    "</title><p>See the table.</p><table-wrap><caption><p>Outcomes</p></caption><table><thead><tr>"
    "<th></th><th>Zinc (n = 1,040)</th><th>Placebo (n = 1,042)</th></tr></thead><tbody><tr><td>Cold"
    "</td><td>120 (11.5%)</td><td>210 (20.2%)</td></tr><tr><td>Cough, mean (SE)</td><td>3.0 (0.1)"
    "</td><td>4.0 (0.1)</td></tr></tbody></table></table-wrap></sec>"
)


def test_measures_count_what_stands_there(tmp_path: Path) -> None:
    counts = ("events", "group_size")
    means = ("mean", "standard_deviation", "group_size")
    _write(
        tmp_path,
        "numbers",
        [
            _row(2, "Cold", "binary", counts, ("120", "1,040"), ("210", "1,042")),
            _row(2, "Cough", "continuous", means, (3, 3.22, 1040), (4, 3.23, 1042)),
            _row(2, "Fever", "binary", counts, (7, 1040), (9, 1042)),
            _row(3, "Cold", "binary", counts, (1, 2), (3, 4)) | {"is_data_complete": "FALSE"},
        ],
    )
    _write(tmp_path, "number_texts", [{"pmcid": 2, "title": "Zinc & colds", "xml": PAPER}])
    found = numbers.measures(tmp_path)
    assert found["number_rows"] == 3
    assert found["rows_found_binary"] == 0.5
    assert found["rows_found_continuous"] == 0
    assert found["rows_in_text_binary"] == 0.5


@pytest.mark.parametrize("empty", ["", None, "NA"])
def test_a_row_whose_gold_is_empty_is_counted(
    empty: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    counts = ("events", "group_size")
    _write(
        tmp_path,
        "numbers",
        [
            _row(2, "Cold", "binary", counts, ("120", "1,040"), ("210", "1,042")),
            _row(2, "Cold", "binary", counts, ("120", empty), ("210", "1,042")),
        ],
    )
    _write(tmp_path, "number_texts", [{"pmcid": 2, "title": "Zinc & colds", "xml": PAPER}])
    _write(tmp_path, "articles", [{"pmcid": "2", "title": "Zinc", "text": "Fewer had colds."}])
    asked = {"prompt_id": "1", "pmcid": "2", "outcome": "cold", "intervention": "zinc"}
    missing: dict[str, object] = {
        "comparator": "placebo",
        "gold": "" if empty == "" else None,
        "spans": [] if empty == "" else None,
    }
    _write(tmp_path, "questions", [{**asked, **missing}])
    main(["--data", str(tmp_path), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (told["n"], told["gold_empty"], told["spans_empty"]) == (1, 1, 1)
    assert (told["number_rows"], told["numbers_gold_empty"], told["rows_binary"]) == (2, 1, 1)
    assert told["rows_found_binary"] == 1


def test_only_derived_numbers_are_rounded() -> None:
    written = Number(2.44, "2.44", "x", 0, 4)
    derived = Number(2.44, "2.44", "x", 0, 4, "from something")
    assert not numbers.is_same(written, "2.4")
    assert numbers.is_same(derived, "2.4")
    assert not numbers.is_same(derived, "2.5")
    assert numbers.is_same(Number(-1525.0, "", "x", 0, 0), "−1,525")


def test_a_folder_without_the_files_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        numbers.measures(tmp_path)


@needs_shared
def test_the_real_rows_are_all_there() -> None:
    folder = SHARED / "trials"
    every = numbers.number_rows(folder)
    assert Counter(row.kind for row in every) == {"binary": 51, "continuous": 114}
    assert {row.paper for row in every} <= numbers.number_papers(folder).keys()


def _row(
    paper: int,
    outcome: str,
    kind: str,
    fields: tuple[str, ...],
    own: tuple[object, ...],
    other: tuple[object, ...],
) -> dict[str, object]:
    arms = {"intervention": own, "comparator": other}
    return {
        "pmcid": paper,
        "outcome": outcome,
        "intervention": "zinc",
        "comparator": "placebo",
        "outcome_type": kind,
        "is_data_complete": "TRUE",
        "text_included": True,
        **{
            f"{arm}_{field}": value
            for arm, values in arms.items()
            for field, value in zip(fields, values, strict=True)
        },
    }


def _write(folder: Path, name: str, rows: list[dict[str, object]]) -> None:
    with gzip.open(folder / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
