"""Effects and pools against metafor (tests/evidence/metafor/pooled.R made the numbers), a printed
Cochrane plot, and what must hold whatever the numbers are.
"""

import csv
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinfo.errors import UsageError
from clinfo.evidence.meta_analysis.analysis import Analysis, analyse
from clinfo.evidence.meta_analysis.arms import combined, divided, means_of
from clinfo.evidence.meta_analysis.distributions import chi2_p, student_p, student_quantile
from clinfo.evidence.meta_analysis.measures import effect_of
from clinfo.evidence.meta_analysis.pooling import pool
from clinfo.evidence.meta_analysis.values import (
    Comparison,
    Counts,
    LeftOut,
    Means,
    Model,
    Pooled,
    Quantiles,
    Reported,
    StudyEffect,
    direction,
)
from tests.shared_data import SHARED

METAFOR = json.loads((Path(__file__).parent / "metafor" / "pooled.json").read_text("utf-8"))
PRINTED = SHARED / "trials" / "cochrane_remdesivir.csv"


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def comparisons(kind: str, measure: str, columns: dict[str, Any]) -> list[Comparison]:
    rows = [
        dict(zip(columns, values, strict=True))
        for values in zip(*map(listed, columns.values()), strict=True)
    ]
    if kind == "counts":
        return [
            Comparison(str(n), Counts(row["ai"], row["n1i"]), Counts(row["ci"], row["n2i"]))
            for n, row in enumerate(rows)
        ]
    if kind == "means":
        return [
            Comparison(
                str(n),
                Means(row["m1i"], row["sd1i"], row["n1i"]),
                Means(row["m2i"], row["sd2i"], row["n2i"]),
            )
            for n, row in enumerate(rows)
        ]
    return [Comparison(str(n), reported=Reported(measure, **row)) for n, row in enumerate(rows)]


def cases() -> Iterator[Any]:
    for rules in ("metafor", "revman"):
        for kind, sets in METAFOR[rules].items():
            for name, measures in sets.items():
                for measure, told in measures.items():
                    yield pytest.param(
                        rules, kind, measure, told, id=f"{rules}-{kind}-{name}-{measure}"
                    )


@pytest.mark.parametrize(("rules", "kind", "measure", "told"), list(cases()))
def test_effects_and_pools_are_those_of_metafor(
    rules: Any, kind: str, measure: str, told: dict[str, Any]
) -> None:
    near = {"rel": 1e-6, "abs": 1e-9}
    given = comparisons(kind, measure, told["data"])
    for name, expected in told["models"].items():
        model, _, hksj = name.partition("+")
        found = analyse(given, measure, model, hksj=bool(hksj), rules=rules)
        assert [each.y for each in found.effects] == pytest.approx(listed(told["yi"]), **near)
        assert [each.v for each in found.effects] == pytest.approx(listed(told["vi"]), **near)
        pooled = found.pooled
        assert pooled is not None
        back = math.log if measure in ("RR", "OR", "HR") else float
        ours = {
            **{key: getattr(pooled, key) for key in ("y", "se", "p", "q", "q_p", "i2", "tau2")},
            "low": back(pooled.low),
            "high": back(pooled.high),
            "weights": list(pooled.weights),
            "prediction": [back(each) for each in pooled.prediction or ()],
        }
        for key, value in expected.items():
            if isinstance(ours[key], list):
                value = listed(value)
            assert ours[key] == pytest.approx(value, **near), f"{name} {key}"
        assert ("prediction" in expected) == bool(pooled.prediction) or rules == "revman"


def test_the_distributions_are_those_of_r() -> None:
    t, chi2 = METAFOR["students_t"], METAFOR["chi2"]
    for df, quantile, p in zip(t["df"], t["quantile"], t["p"], strict=True):
        assert student_quantile(df) == pytest.approx(quantile, rel=1e-9)
        assert student_p(-2.3, df) == pytest.approx(p, rel=1e-9)
    for x, df, p in zip(chi2["x"], chi2["df"], chi2["p"], strict=True):
        assert chi2_p(x, df) == pytest.approx(p, rel=1e-9, abs=1e-12)


@pytest.mark.skipif(not PRINTED.is_file(), reason="the printed plot is not beside this checkout")
def test_a_printed_cochrane_plot_comes_out_to_its_two_decimals() -> None:
    rows = list(csv.DictReader(PRINTED.open(encoding="utf-8-sig")))

    def arm(row: dict[str, str], side: str) -> Counts:
        return Counts(int(row[f"{side}_events"]), int(row[f"{side}_group_size"]))

    given = [
        Comparison(row["study"], arm(row, "intervention"), arm(row, "comparator")) for row in rows
    ]
    for model in ("MH", "DL"):  # the plot is of random effects; both print the same estimate
        found = analyse(given, "RR", model, rules="revman")
        assert found.pooled is not None
        weights = found.pooled.weights if model == "DL" else [None] * len(rows)
        for row, effect, weight in zip(rows, found.effects, weights, strict=True):
            assert f"{effect.estimate:.2f}" == f"{float(row['risk_ratio']):.2f}"
            assert f"[{effect.low:.2f}, {effect.high:.2f}]" == row["risk_ratio_ci"]
            assert weight is None or f"{weight:.1f}" == f"{float(row['meta_analysis_weight']):.1f}"
        pooled = found.pooled
        assert f"{pooled.estimate:.2f}" == rows[0]["meta_analysis_risk_ratio"]
        printed = rows[0]["meta_analysis_risk_ratio_ci"]
        assert f"[{pooled.low:.2f}, {pooled.high:.2f}]" == printed


A, B = Counts(10, 100), Counts(20, 100)
M, N = Means(5.0, 2.0, 30), Means(4.0, 2.1, 31)


def one(comparison: Comparison, measure: str, **options: Any) -> StudyEffect | LeftOut:
    return effect_of(comparison, measure, **options)


@pytest.mark.parametrize(
    ("comparison", "measure", "word"),
    [
        (Comparison("a", Counts(0, 9), Counts(0, 8)), "RR", "no events in either"),
        (Comparison("a", Counts(9, 9), Counts(8, 8)), "OR", "everyone"),
        (Comparison("a", A, B, design="cross-over"), "OR", "cross-over"),
        (Comparison("a", A, B, design="cluster"), "RD", "cluster"),
        (Comparison("a", A, B, design="stepped wedge"), "RD", "stepped wedge"),
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
        (Comparison("a", Quantiles(3, 30, 1, 5), N), "MD", "median"),
        (Comparison("a", A, B), "HR", "no HR"),
        (Comparison("a", reported=Reported("OR", 1, 0.5, 2)), "HR", "reported as OR"),
        (Comparison("a", reported=Reported("HR", 1, 0.0, 2)), "HR", "above 0"),
        (Comparison("a", reported=Reported("HR", 3, 0.5, 2)), "HR", "does not hold"),
        (Comparison("a", reported=Reported("MD", 1, 1, 1)), "MD", "does not hold"),
        (Comparison("a", reported=Reported("MD", 1, -math.inf, 2)), "MD", "not finite"),
    ],
)
def test_what_gives_no_effect_is_left_out_in_words(
    comparison: Comparison, measure: str, word: str
) -> None:
    found = one(comparison, measure)
    assert isinstance(found, LeftOut)
    assert word in found.reason
    with_others = analyse([Comparison("b", A, B), comparison], "RR")
    assert len(with_others.effects) + len(with_others.left_out) == 2


@pytest.mark.parametrize("measure", ["PETO", "", "COR", "rr"])
def test_other_measures_are_one_clear_error(measure: str) -> None:
    with pytest.raises(UsageError, match="choose one of RR, OR, RD, MD, SMD, HR"):
        analyse([Comparison("a", A, B)], measure)


def test_pools_that_make_no_sense_are_refused() -> None:
    rr, odds = (one(Comparison("a", A, B), measure) for measure in ("RR", "OR"))
    assert isinstance(rr, StudyEffect)
    assert isinstance(odds, StudyEffect)
    for effects in ([], [rr, odds]):
        with pytest.raises(UsageError):
            pool(effects)
    with pytest.raises(UsageError):
        pool([rr], "MH", hksj=True)
    with pytest.raises(UsageError, match="choose one of IV, MH, DL, REML"):
        pool([rr], "Peto")  # type: ignore[arg-type]
    hazard = one(Comparison("a", reported=Reported("HR", 1, 0.5, 2)), "HR")
    assert isinstance(hazard, StudyEffect)
    with pytest.raises(UsageError):
        pool([hazard], "MH")


def test_an_effect_as_reported_stays_as_it_is() -> None:
    found = one(Comparison("a", reported=Reported("HR", 0.71, 0.55, 0.92)), "HR")
    assert isinstance(found, StudyEffect)
    assert (found.estimate, found.low, found.high) == (0.71, 0.55, 0.92)
    assert found.notes == ("as reported",)
    odd = one(Comparison("a", reported=Reported("HR", 0.9, 0.55, 0.92)), "HR")
    assert isinstance(odd, StudyEffect)
    assert len(odd.notes) == 2


def test_numbers_of_arms_go_before_an_effect_as_reported() -> None:
    found = one(Comparison("a", A, B, Reported("RR", 0.6, 0.3, 1.2)), "RR")
    assert isinstance(found, StudyEffect)
    assert found.estimate == pytest.approx(0.5)


def test_medians_are_pooled_only_where_asked_and_marked() -> None:
    told = Comparison("a", Quantiles(10, 41, q1=7, q3=14), Means(12, 5, 40))
    found = one(told, "MD", estimate_medians=True)
    assert isinstance(found, StudyEffect)
    assert found.notes == (
        "mean or SD of the intervention arm estimated from median and quartiles",
    )
    assert found.estimate == pytest.approx(31 / 3 - 12)
    none = one(Comparison("a", Quantiles(10, 41, q1=7), Means(12, 5, 40)), "MD")
    assert isinstance(none, LeftOut)


def test_estimates_from_medians_are_those_of_wan_and_others() -> None:
    # Table 2 of the paper: the divisor of the quartiles' distance η(n) is 1.144 for n = 9 (Q = 2);
    # table 1: that of the range ξ(n) is 1.693 for n = 3, 2.970 for n = 9, 4.498 for n = 50, and
    # the paper's formula (its equation 9) comes near to it.
    quartiles = means_of(Quantiles(0, 9, q1=-1, q3=1))
    assert quartiles is not None
    assert 2 / quartiles.sd == pytest.approx(1.144, abs=0.001)
    for n, xi in ((3, 1.693), (9, 2.970), (50, 4.498)):
        ends = means_of(Quantiles(0, n, lowest=-1, highest=1))
        assert ends is not None
        assert 2 / ends.sd == pytest.approx(xi, rel=0.03)
    both = means_of(Quantiles(10, 100, 8, 13, 4, 20))
    assert both is not None
    assert both.mean == pytest.approx((4 + 16 + 20 + 26 + 20) / 8)
    assert means_of(Quantiles(0, 1, q1=-1, q3=1)) is None


@given(
    st.lists(
        st.lists(st.integers(-50, 50), min_size=2, max_size=8).filter(lambda x: len(set(x)) > 1),
        min_size=2,
        max_size=4,
    )
)
def test_arms_combined_are_as_if_they_had_been_one(groups: list[list[int]]) -> None:
    from statistics import mean, stdev

    arms = [Means(mean(each), stdev(each), len(each)) for each in groups]
    whole = combined(*arms)
    assert isinstance(whole, Means)
    everyone = [value for each in groups for value in each]
    assert (whole.mean, whole.sd, whole.total) == pytest.approx(
        (mean(everyone), stdev(everyone), len(everyone))
    )


def test_a_shared_control_arm_counts_once() -> None:
    doses = [
        Comparison("a", Counts(5, 50), B, label="10 mg"),
        Comparison("a", Counts(9, 60), B, label="20 mg"),
    ]
    found = analyse([*doses, Comparison("b", A, B)], "RR")
    assert [each.study for each in found.effects] == ["a", "b"]
    assert found.effects[0].comparison.intervention == Counts(14, 110)
    assert found.effects[0].cells == (14, 96, 20, 80)
    assert "combined" in found.effects[0].notes[0]
    halves = analyse(doses, "RR", shared="divided")
    assert [each.study for each in halves.effects] == ["a (10 mg)", "a (20 mg)"]
    assert all(each.comparison.control == Counts(10, 50) for each in halves.effects)
    assert divided(Means(1, 2, 30), 3) == Means(1, 2, 10)


def test_a_study_told_twice_counts_once() -> None:
    twice = [Comparison("a", A, B)] * 2
    assert len(analyse(twice, "RR").effects) == 1
    hazards = [
        Comparison("a", reported=Reported("HR", 0.5 + n, 0.2, 3), label=str(n)) for n in (0, 1)
    ]
    found = analyse(hazards, "HR")
    assert len(found.effects) == len(found.left_out) == 1


def test_changes_and_final_values_are_not_mixed_in_standardised_differences() -> None:
    given = [
        Comparison("a", M, N),
        Comparison("b", M, N, scores="final"),
        Comparison("c", M, N, scores="change"),
    ]
    found = analyse(given, "SMD")
    assert [each.study for each in found.effects] == ["a", "b"]
    assert [each.study for each in found.left_out] == ["c"]
    assert len(analyse(given, "MD").effects) == 3


def test_zero_cells_are_said() -> None:
    found = analyse([Comparison("a", Counts(0, 50), A), Comparison("b", A, B)], "RR", "MH")
    assert found.effects[0].notes
    assert not found.effects[1].notes
    alone = analyse([Comparison("a", Counts(0, 50), A)], "RR", "MH").pooled
    assert alone is not None
    assert alone.notes


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
MODELS = st.sampled_from([*((m, False) for m in get_args(Model)), ("DL", True), ("REML", True)])
Studies = list[tuple[Counts, Counts]]


def pooled_of(studies: Studies, measure: str, model: Any, hksj: bool = False) -> Analysis:
    given = [Comparison(str(n), *arms) for n, arms in enumerate(studies)]
    return analyse(given, measure, model, hksj=hksj)


def figures(pooled: Pooled) -> list[float]:
    return [pooled.y, pooled.se, pooled.p, pooled.tau2, pooled.i2, pooled.q, pooled.q_p]


@given(STUDIES, st.sampled_from(["RR", "OR", "RD"]), MODELS)
@settings(deadline=None)
def test_arms_swapped_turn_the_effect_round(
    studies: Studies, measure: str, model: tuple[str, bool]
) -> None:
    there = pooled_of(studies, measure, *model)
    back = pooled_of([(b, a) for a, b in studies], measure, *model)
    assert len(there.left_out) == len(back.left_out)
    if there.pooled is None or back.pooled is None:
        assert there.pooled is back.pooled is None
        return
    one, other = figures(there.pooled), figures(back.pooled)
    assert [-one[0], *one[1:]] == pytest.approx(other, rel=1e-5, abs=1e-7)


@given(st.randoms(use_true_random=False), STUDIES, st.sampled_from(["RR", "OR", "RD"]), MODELS)
@settings(deadline=None)
def test_the_order_of_studies_does_not_matter(
    random: Any, studies: Studies, measure: str, model: tuple[str, bool]
) -> None:
    shuffled = random.sample(studies, len(studies))
    one, other = (pooled_of(each, measure, *model).pooled for each in (studies, shuffled))
    if one is None or other is None:
        assert one is other is None
        return
    assert figures(one) == pytest.approx(figures(other), rel=1e-7, abs=1e-10)
    assert sorted(one.weights) == pytest.approx(sorted(other.weights), rel=1e-7)
    assert sum(one.weights) == pytest.approx(100)
    assert one.low <= one.estimate <= one.high
    if one.prediction:
        assert one.prediction[0] <= one.low <= one.high <= one.prediction[1]


@given(STUDIES, st.sampled_from(["IV", "DL", "REML"]))
@settings(deadline=None)
def test_a_study_that_knows_nothing_changes_nothing(studies: Studies, model: Any) -> None:
    before = pooled_of(studies, "RD", model)
    given = [each.comparison for each in before.effects]
    blank = Comparison("blank", reported=Reported("RD", 0.9, -1e300, 1e300))
    after = analyse([*given, blank], "RD", model)
    assert after.pooled == before.pooled
    assert [each.study for each in after.left_out] == ["blank"]
    vague = Comparison("vague", reported=Reported("RD", 0.5, -1e9, 1e9))
    widened = analyse([*given, vague], "RD", "IV").pooled
    alone = pooled_of(studies, "RD", "IV").pooled
    assert widened is not None
    assert alone is not None
    assert (widened.y, widened.se) == pytest.approx((alone.y, alone.se), rel=1e-6, abs=1e-9)


@given(STUDIES)
@settings(deadline=None)
def test_the_same_study_many_times_narrows_the_interval_alone(studies: Studies) -> None:
    once, thrice = (pooled_of(studies * n, "OR", "IV").pooled for n in (1, 3))
    if once is None or thrice is None:
        assert once is thrice is None
        return
    assert thrice.y == pytest.approx(once.y)
    assert thrice.se * math.sqrt(3) == pytest.approx(once.se)
