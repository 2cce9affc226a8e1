"""The exports of a pooled outcome hold every study, and metafor reads its own back."""

import csv
import io

import pytest

from clinfo.evidence.meta_analysis.analysis import PooledOutcome, analyse
from clinfo.evidence.meta_analysis.exports import (
    metafor_csv,
    plain_csv,
    revman_csv,
)
from clinfo.evidence.meta_analysis.values import (
    Comparison,
    Counts,
    Means,
    Quantiles,
)

COUNTS = [
    Comparison("Beigel 2020", Counts(59, 541), Counts(77, 521)),
    Comparison("Zero, 2001", Counts(0, 40), Counts(4, 41)),
    Comparison("WHO 2021", Counts(285, 2743), Counts(289, 2708)),
    Comparison("=cmd()", Counts(22, 158), Counts(10, 78)),
    Comparison("Silent", conclusion="no difference"),
]
MEANS = [
    Comparison("A", Means(-8.1, 9, 50), Means(-3.2, 8.8, 48)),
    Comparison("B", Means(-5.5, 8.4, 120), Means(-4.1, 8.9, 118)),
    Comparison("C", Quantiles(-6, 40, -11, -1), Means(-2, 8, 39)),
]


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_the_table_for_metafor_has_the_columns_that_escalc_takes() -> None:
    analysis = analyse(COUNTS, "RR")
    rows = read(metafor_csv(analysis))
    assert [row["pooled"] for row in rows] == ["TRUE"] * 4 + ["FALSE"]
    first = {key: rows[0][key] for key in ("ai", "bi", "n1i", "ci", "di", "n2i", "m1i")}
    assert list(first.values()) == ["59", "482", "541", "77", "444", "521", ""]
    for row, effect in zip(rows, analysis.effects, strict=False):
        assert float(row["yi"]) == pytest.approx(effect.y)
        assert float(row["vi"]) == pytest.approx(effect.v)
    assert rows[3]["study"] == "'=cmd()"
    assert rows[4]["note"] == "events and totals are not known of both arms"


def test_medians_made_means_stand_as_the_means_that_were_pooled() -> None:
    rows = read(metafor_csv(analyse(MEANS, "MD")))
    assert (rows[0]["m1i"], rows[0]["sd1i"], rows[0]["n1i"]) == ("-8.1", "9", "50")
    assert rows[2]["m1i"] == "-6"
    assert "median" in rows[2]["note"]


def test_the_plain_table_holds_what_is_shown_and_what_the_text_says() -> None:
    rows = read(plain_csv(analyse(COUNTS, "RR")))
    assert (rows[0]["intervention_events"], rows[0]["control_total"]) == ("59", "521")
    assert float(rows[0]["low"]) == pytest.approx(0.54, abs=0.005)
    assert (rows[4]["text_conclusion"], rows[4]["pooled"]) == ("no difference", "no")
    assert sum(float(row["weight"] or 0) for row in rows) == pytest.approx(100)


def test_the_table_for_revman_has_the_comparison_its_outcome_and_the_studies() -> None:
    shown = PooledOutcome(analyse(COUNTS, "RR"), "Death", "remdesivir", "placebo", "lower")
    comparison, outcome, *studies = read(revman_csv(shown))
    assert (comparison["Name"], comparison["Outcome Number"]) == ("remdesivir versus placebo", "0")
    assert (outcome["Name"], outcome["Data Type"], outcome["Analysis Model"]) == (
        "Death",
        "DICH",
        "Random",
    )
    assert outcome["Left Graph Label"] == "Favours remdesivir"
    assert outcome["df"] == "3"
    assert [each["Events 2"] for each in studies] == ["77", "4", "289", "10", ""]
    assert studies[4]["Footnotes"].startswith("in the text: no difference; events and totals")
    assert studies[4]["Weight"] == "0"


def test_an_analysis_without_any_effect_is_exported_too() -> None:
    analysis = analyse(COUNTS[-1:], "RR")
    assert len(read(metafor_csv(analysis))) == len(read(plain_csv(analysis))) == 1
    assert len(read(revman_csv(PooledOutcome(analysis)))) == 3
