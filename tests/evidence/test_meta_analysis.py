"""Effects and pools against metafor (tests/evidence/metafor/pooled.R made the numbers), a printed
Cochrane plot, and what must hold whatever the numbers are.
"""

import csv
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinfo.evidence.meta_analysis.analysis import Analysis, analyse, effect_of, pool
from clinfo.evidence.meta_analysis.values import (
    Comparison,
    Counts,
    LeftOut,
    Means,
    Measure,
    Pooled,
    Quantiles,
    StudyEffect,
    chi2_p,
    direction,
    student_p,
    student_quantile,
)
from tests.shared_data import SHARED

METAFOR = json.loads((Path(__file__).parent / "metafor" / "pooled.json").read_text("utf-8"))
PRINTED = SHARED / "trials" / "cochrane_remdesivir.csv"


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def comparisons(kind: str, columns: dict[str, Any]) -> list[Comparison]:
    rows = [
        dict(zip(columns, values, strict=True))
        for values in zip(*map(listed, columns.values()), strict=True)
    ]
    if kind == "counts":
        return [
            Comparison(str(n), Counts(row["ai"], row["n1i"]), Counts(row["ci"], row["n2i"]))
            for n, row in enumerate(rows)
        ]
    return [
        Comparison(
            str(n),
            Means(row["m1i"], row["sd1i"], row["n1i"]),
            Means(row["m2i"], row["sd2i"], row["n2i"]),
        )
        for n, row in enumerate(rows)
    ]


def cases() -> Iterator[Any]:
    for kind in ("counts", "means", "variances"):
        for name, measures in METAFOR[kind].items():
            for measure, told in measures.items():
                yield pytest.param(kind, measure, told, id=f"{kind}-{name}-{measure}")


@pytest.mark.parametrize(("kind", "measure", "told"), list(cases()))
def test_effects_and_pools_are_those_of_metafor(
    kind: str, measure: Measure, told: dict[str, Any]
) -> None:
    near = {"rel": 1e-6, "abs": 1e-9}
    if kind == "variances":
        effects: tuple[StudyEffect, ...] = tuple(
            StudyEffect(Comparison(str(y)), measure, y, y, y, y, v)
            for y, v in zip(told["yi"], told["vi"], strict=True)
        )
    else:
        effects = analyse(comparisons(kind, told["data"]), measure).effects
    assert [each.y for each in effects] == pytest.approx(listed(told["yi"]), **near)
    assert [each.v for each in effects] == pytest.approx(listed(told["vi"]), **near)
    pooled = pool(effects)
    back = math.log if measure == "RR" else float
    ours = {
        **{key: getattr(pooled, key) for key in ("y", "se", "p", "q", "q_p", "i2", "tau2")},
        "low": back(pooled.low),
        "high": back(pooled.high),
        "weights": list(pooled.weights),
        "prediction": [back(each) for each in pooled.prediction or ()],
    }
    for key, value in told["model"].items():
        if isinstance(ours[key], list):
            value = listed(value)
        assert ours[key] == pytest.approx(value, **near), key
    assert ("prediction" in told["model"]) == bool(pooled.prediction)


def test_the_distributions_are_those_of_r() -> None:
    t, chi2 = METAFOR["students_t"], METAFOR["chi2"]
    for df, quantile, p in zip(t["df"], t["quantile"], t["p"], strict=True):
        assert student_quantile(df) == pytest.approx(quantile, rel=1e-9)
        assert student_p(-2.3, df) == pytest.approx(p, rel=1e-9)
    for x, df, p in zip(chi2["x"], chi2["df"], chi2["p"], strict=True):
        assert chi2_p(x, df) == pytest.approx(p, rel=1e-9, abs=1e-12)


@pytest.mark.skipif(not PRINTED.is_file(), reason="the printed plot is not beside this checkout")
def test_the_studies_of_a_printed_cochrane_plot_come_out_to_its_two_decimals() -> None:
    rows = list(csv.DictReader(PRINTED.open(encoding="utf-8-sig")))

    def arm(row: dict[str, str], side: str) -> Counts:
        return Counts(int(row[f"{side}_events"]), int(row[f"{side}_group_size"]))

    given = [
        Comparison(row["study"], arm(row, "intervention"), arm(row, "comparator")) for row in rows
    ]
    effects = analyse(given, "RR").effects  # the plot is pooled by other rules
    for row, effect in zip(rows, effects, strict=True):
        assert f"{effect.estimate:.2f}" == f"{float(row['risk_ratio']):.2f}"
        assert f"[{effect.low:.2f}, {effect.high:.2f}]" == row["risk_ratio_ci"]


A, B = Counts(10, 100), Counts(20, 100)
M, N = Means(5.0, 2.0, 30), Means(4.0, 2.1, 31)


@pytest.mark.parametrize(
    ("comparison", "measure", "word"),
    [
        (Comparison("a", Counts(0, 9), Counts(0, 8)), "RR", "no events in either"),
        (Comparison("a", Counts(9, 9), Counts(8, 8)), "RR", "everyone"),
        (Comparison("a", A, B, cluster=True), "RD", "cluster"),
        (Comparison("a", A, B), "MD", "mean, SD and total"),
        (Comparison("a", M, N), "RR", "events and totals"),
        (Comparison("a", A, None), "RR", "both arms"),
        (Comparison("a", Counts(11, 10), B), "RR", "outside 0 to the total"),
        (Comparison("a", A, Counts(0, 0)), "RR", "no participants"),
        (Comparison("a", Counts(math.nan, 10), B), "RR", "not finite"),
        (Comparison("a", Means(1, -1, 9), N), "MD", "SD"),
        (Comparison("a", Means(1, 1, 1), N), "SMD", "fewer than two"),
        (Comparison("a", Means(1, 0, 9), Means(1, 0, 9)), "MD", "standard error"),
        (Comparison("a", Means(1, 0, 9), Means(1, 0, 9)), "SMD", "standard error"),
        (Comparison("a", Means(1, 1e-200, 9), Means(1, 1e-200, 9)), "MD", "standard error"),
        (Comparison("a", Quantiles(3, 1, 1, 5), N), "MD", "median"),
    ],
)
def test_what_gives_no_effect_is_left_out_in_words(
    comparison: Comparison, measure: Measure, word: str
) -> None:
    found = effect_of(comparison, measure)
    assert isinstance(found, LeftOut)
    assert word in found.reason
    with_others = analyse([Comparison("b", A, B), comparison], "RR")
    assert len(with_others.effects) + len(with_others.left_out) == 2


def test_medians_are_pooled_as_means_and_marked() -> None:
    told = Comparison("a", Quantiles(10, 41, q1=7, q3=14), Means(12, 5, 40))
    found = effect_of(told, "MD")
    assert isinstance(found, StudyEffect)
    assert found.notes == (
        "mean or SD of the intervention arm estimated from median and quartiles",
    )
    assert found.estimate == pytest.approx(31 / 3 - 12)


def test_estimates_from_medians_are_those_of_wan_and_others() -> None:
    # Table 2 of the paper: the divisor of the quartiles' distance η(n) is 1.144 for n = 9 (Q = 2).
    found = effect_of(Comparison("a", Quantiles(0, 9, -1, 1), Means(0, 1, 9)), "MD")
    assert isinstance(found, StudyEffect)
    assert isinstance(found.comparison.intervention, Means)
    assert 2 / found.comparison.intervention.sd == pytest.approx(1.144, abs=0.001)


def test_changes_and_final_values_are_not_mixed_in_standardised_differences() -> None:
    given = [
        Comparison("a", M, N),
        Comparison("b", M, N, scores="final"),
        Comparison("c", M, N, scores="change"),
    ]
    found = analyse(given, "SMD")
    assert [each.comparison.study for each in found.effects] == ["a", "b"]
    assert [each.comparison.study for each in found.left_out] == ["c"]
    assert len(analyse(given, "MD").effects) == 3


def test_zero_cells_are_said() -> None:
    found = analyse([Comparison("a", Counts(0, 50), A), Comparison("b", A, B)], "RR")
    assert found.effects[0].notes
    assert not found.effects[1].notes


@pytest.mark.parametrize(
    ("measure", "low", "high", "found"),
    [
        ("RR", 0.5, 0.99, "decrease"),
        ("HR", 1.01, 2, "increase"),
        ("OR", 0.5, 1, "no_difference"),
        ("OR", 1, 2, "no_difference"),
        ("RR", 0.9, 1.1, "no_difference"),
        ("MD", -2, -1, "decrease"),
        ("SMD", 0.1, 2, "increase"),
        ("RD", -0.1, 0.9, "no_difference"),
    ],
)
def test_the_whole_interval_decides(measure: str, low: float, high: float, found: str) -> None:
    assert direction(measure, low, high) == found


TABLE = st.tuples(st.integers(1, 400), st.integers(1, 400), st.floats(0, 1), st.floats(0, 1)).map(
    lambda t: (Counts(round(t[0] * t[2]), t[0]), Counts(round(t[1] * t[3]), t[1]))
)
STUDIES = st.lists(TABLE, min_size=1, max_size=9)
Studies = list[tuple[Counts, Counts]]


def pooled_of(studies: Studies, measure: Measure) -> Analysis:
    return analyse([Comparison(str(n), *arms) for n, arms in enumerate(studies)], measure)


def figures(pooled: Pooled) -> list[float]:
    return [pooled.y, pooled.se, pooled.p, pooled.tau2, pooled.i2, pooled.q, pooled.q_p]


@given(STUDIES, st.sampled_from(["RR", "RD"]))
@settings(deadline=None)
def test_arms_swapped_turn_the_effect_round(studies: Studies, measure: Measure) -> None:
    there = pooled_of(studies, measure)
    back = pooled_of([(b, a) for a, b in studies], measure)
    assert len(there.left_out) == len(back.left_out)
    if there.pooled is None or back.pooled is None:
        assert there.pooled is back.pooled is None
        return
    one, other = figures(there.pooled), figures(back.pooled)
    assert [-one[0], *one[1:]] == pytest.approx(other, rel=1e-5, abs=1e-7)


@given(st.randoms(use_true_random=False), STUDIES, st.sampled_from(["RR", "RD"]))
@settings(deadline=None)
def test_the_order_of_studies_does_not_matter(
    random: Any, studies: Studies, measure: Measure
) -> None:
    shuffled = random.sample(studies, len(studies))
    one, other = (pooled_of(each, measure).pooled for each in (studies, shuffled))
    if one is None or other is None:
        assert one is other is None
        return
    assert figures(one) == pytest.approx(figures(other), rel=1e-7, abs=1e-10)
    assert sorted(one.weights) == pytest.approx(sorted(other.weights), rel=1e-7)
    assert sum(one.weights) == pytest.approx(100)
    assert one.low <= one.estimate <= one.high
    if one.prediction:
        assert one.prediction[0] <= one.low <= one.high <= one.prediction[1]
