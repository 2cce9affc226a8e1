"""The measures of numbers, on a folder made here; the counts of the real one where it is there."""

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.trials import numbers
from clinfo.errors import UsageError
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
