"""The exports of a pooled outcome hold every study, and metafor reads its own back."""

import csv
import io
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from clinfo.evidence.meta_analysis.analysis import Analysis, PooledOutcome, analyse
from clinfo.evidence.meta_analysis.exports import (
    metafor_csv,
    plain_csv,
    revman_csv,
)
from clinfo.evidence.meta_analysis.values import (
    RATIOS,
    Comparison,
    Counts,
    Means,
    Measure,
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


def metafor_script(analysis: Analysis, table: str) -> str:
    """R that reads that table, whose file has the name ``table``, and pools it in the same way; but
    metafor's prediction interval has other degrees of freedom than the one here (k - 2).
    """
    arms = (
        "ai = ai, n1i = n1i, ci = ci, n2i = n2i"
        if analysis.measure == "RR"
        else "m1i = m1i, sd1i = sd1i, n1i = n1i, m2i = m2i, sd2i = sd2i, n2i = n2i"
    )
    name = table.replace("\\", "/").replace('"', "")
    lines = [
        "library(metafor)",
        f'all <- read.csv("{name}", encoding = "UTF-8")',
        "dat <- subset(all, pooled) # the others are not pooled: see their note",
    ]
    measure = f'measure = "{analysis.measure}"'
    again = f"escalc({measure}, {arms}, data = dat)"
    lines.append(f"# effects from the arms' numbers again: dat <- {again}")
    lines.append(f'fit <- rma(yi, vi, {measure}, data = dat, slab = study, method = "REML")')
    back = ", transf = exp" if analysis.measure in RATIOS else ""
    lines += ["print(fit)", f"print(predict(fit{back}), digits = 6)", "forest(fit)", ""]
    return "\n".join(lines)


@cache
def metafor_is_there() -> bool:
    if shutil.which("Rscript") is None:
        return False
    asked = ["Rscript", "-e", "library(metafor)"]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize(("given", "measure"), [(COUNTS, "RR"), (MEANS, "SMD"), (MEANS, "MD")])
def test_metafor_reads_the_table_and_pools_alike(
    given: list[Comparison], measure: Measure, tmp_path: Path
) -> None:
    if not metafor_is_there():
        pytest.skip("R with metafor is not installed")
    analysis = analyse(given, measure)
    (tmp_path / "studies.csv").write_text(metafor_csv(analysis), encoding="utf-8", newline="")
    (tmp_path / "pool.R").write_text(metafor_script(analysis, "studies.csv"), encoding="utf-8")
    done = subprocess.run(
        ["Rscript", "pool.R"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    predicted = done.stdout.rstrip().splitlines()[-1]
    pooled = analysis.pooled
    assert pooled is not None
    found = [float(each) for each in re.findall(r"-?\d+\.\d+", predicted)]
    shown = [pooled.estimate, pooled.low, pooled.high]
    if len(found) > 3 and abs(found[1] - pooled.se) < 1e-4:  # the standard error, of differences
        found.pop(1)
    # metafor prints six decimals, and its REML stops at changes of 1e-5
    assert found[:3] == pytest.approx(shown, rel=1e-5, abs=1e-5)
