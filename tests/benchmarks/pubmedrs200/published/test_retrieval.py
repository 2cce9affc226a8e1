"""Retrieval by Table 3's rule and by ours, and the published outputs as predictions."""

from __future__ import annotations

import ast
import csv
import statistics
from datetime import date
from pathlib import Path

import pytest

from benchmarks.pubmedrs200.published.predictions import predictions
from benchmarks.pubmedrs200.published.reading import read
from benchmarks.pubmedrs200.published.retrieval import (
    nothing_found,
    retrieval_rows,
    table3,
    without_references,
)
from clinfo.errors import UsageError
from pubmedrs.records import Dataset, Review
from tests.benchmarks.pubmedrs200.published import made_up
from tests.shared_data import SHARED, needs_shared

RESTRICTED = "clinfo_pubmed_LimitedSearch_ExludePMID"


def _rows() -> list[made_up.Row]:
    made = made_up.rows(4)
    made[1]["Ref_PMIDs"] = "[]"
    made[2][f"{RESTRICTED}_relevant_ids"] = "[]"
    made[3]["Ref_PMIDs"] = f"['0', '{made[3]['PMID']}', '11']"
    return made


def test_the_tables_rule_drops_questions_and_ours_does_not(tmp_path: Path) -> None:
    made_up.write(tmp_path, _rows(), tables=False)
    published = read(tmp_path)
    by_row = {(row.regime, row.rule): row for row in table3(published)}
    # restricted: questions 0 (2 of 4 found; 4 references) and 3 (1 of 4 found; 3 references as they
    # stand)
    restricted = by_row["restricted", "paper"]
    assert restricted.n == 2
    assert restricted.cells["retrieval_precision"].mean == pytest.approx((2 / 4 + 1 / 4) / 2)
    assert restricted.cells["retrieval_precision"].sd == pytest.approx(
        statistics.pstdev([2 / 4, 1 / 4])
    )
    assert restricted.cells["retrieval_recall"].mean == pytest.approx((2 / 4 + 1 / 3) / 2)
    assert by_row["source-dropped", "paper"].n == 3
    every = by_row["source-dropped", "every"]
    assert (every.n, every.cells["retrieval_precision"].mean) == (
        4,
        pytest.approx((2 / 4 + 0 + 2 / 4 + 1 / 4) / 4),
    )
    assert by_row["unrestricted", "paper"].cells["source_included"].mean == 1.0

    rows = {(row.system, row.metric, row.id): row.value for row in retrieval_rows(published)}
    assert rows[RESTRICTED, "retrieval_precision", "30000002"] == 0.0  # nothing found counts
    assert (
        RESTRICTED,
        "retrieval_recall",
        "30000001",
    ) not in rows  # no references: nothing to find
    assert (
        rows[RESTRICTED, "retrieval_recall", "30000003"] == 1.0
    )  # own PMID and "0" are no references
    assert rows["clinfo_pubmed", "source_included", "30000001"] == 1.0
    assert without_references(published) == ("30000001",)
    assert nothing_found(published)[RESTRICTED] == ("30000002",)
    assert nothing_found(published)["clinfo_pubmed"] == ()


def test_predictions_have_the_repaired_data_sets_texts(tmp_path: Path) -> None:
    made = _rows()
    made[0]["elicit"] = " a\u00e2\u0080\u0089b "
    made_up.write(tmp_path, made, tables=False)
    published = read(tmp_path)
    reviews = tuple(
        Review(
            row["PMID"],
            "T",
            "Q?",
            f"First {row['PMID']}.\nThen.",
            date(2021, 1, 1),
            introduction="In.",
            conclusion="Out.",
        )
        for row in made
    )
    rows = list(predictions(published, Dataset(reviews, (), (), "0" * 64)))
    assert len(rows) == 4 * 13
    first = next(row for row in rows if row["system"] == "elicit")
    assert first == {
        "id": "30000000",
        "system": "elicit",
        "prediction": " a\u2009b ",
        "reference": "First 30000000. Then.",
        "source": "In. Out.",
    }
    alone = next(row for row in predictions(published) if row["system"] == "elicit")
    assert alone["reference"] == " ".join(made[0]["HumanAnswer"].split("\n\n")).replace("  ", " ")
    with pytest.raises(UsageError, match="lacks published questions: PMID 30000003"):
        list(predictions(published, Dataset(reviews[:3], (), (), "0" * 64)))


@needs_shared
def test_table_3_of_the_published_files_by_other_code() -> None:
    """Against a count written here over the raw cells: sets, no strings; means by the statistics
    module.
    """
    folder = SHARED / "pubmedrs200"
    csv.field_size_limit(10_000_000)
    with (folder / "scores__all_2021.first100.csv").open(encoding="utf-8", newline="") as file:
        cells = list(csv.DictReader(file))
    made = {(row.regime, row.rule): row for row in table3(read(folder))}
    for regime, key in zip(
        ("restricted", "source-dropped", "unrestricted"), made_up.REGIMES, strict=True
    ):
        precision, recall, included = [], [], []
        for row in cells:
            wanted = {int(item) for item in ast.literal_eval(row["Ref_PMIDs"])}
            found = set(ast.literal_eval(row[f"{key}_relevant_ids"]))
            if wanted and found:
                precision.append(sum(item in wanted for item in found) / len(found))
                recall.append(sum(item in found for item in wanted) / len(wanted))
                included.append(float(int(row["PMID"]) in found))
        row3 = made[regime, "paper"]
        assert row3.n == len(precision)
        for metric, values in (
            ("retrieval_precision", precision),
            ("retrieval_recall", recall),
            ("source_included", included),
        ):
            assert row3.cells[metric].mean == pytest.approx(statistics.fmean(values), abs=1e-12)
            assert row3.cells[metric].sd == pytest.approx(statistics.pstdev(values), abs=1e-12)
    # Measured on the first 100 questions when the recipe was found: 96, 97 and 97 questions are
    # counted.
    assert [
        made[regime, "paper"].n for regime in ("restricted", "source-dropped", "unrestricted")
    ] == [96, 97, 97]
