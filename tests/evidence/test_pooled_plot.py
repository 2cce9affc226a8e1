"""The forest plot of a pooled analysis: what stands in it, and that whatever is pooled is drawn."""

import struct
from typing import Any, get_args
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinfo.evidence.forest import MOST_STUDIES, pooled_plot
from clinfo.evidence.meta_analysis.analysis import PooledOutcome, analyse
from clinfo.evidence.meta_analysis.values import (
    Comparison,
    Counts,
    Means,
    Measure,
    Quantiles,
)
from clinfo.evidence.plot import Format, figure, image
from tests.evidence.test_forest import SVG, texts

pytest.importorskip("matplotlib")
STUDIES = [
    Comparison("Beigel 2020", Counts(59, 541), Counts(77, 521)),
    Comparison("Spinner 2020", Counts(3, 193), Counts(4, 200)),
    Comparison("Wang 2020", Counts(22, 158), Counts(10, 78)),
    Comparison("WHO 2021", Counts(285, 2743), Counts(289, 2708)),
]


def plot(comparisons: list[Comparison], measure: Measure = "RR", **words: Any) -> PooledOutcome:
    analysis = analyse(comparisons, measure)
    return PooledOutcome(analysis, intervention="remdesivir", comparator="placebo", **words)


def drawn(one: PooledOutcome, format: Format = "svg") -> bytes:
    return image(pooled_plot(one), format)


def told(one: PooledOutcome) -> list[str]:
    return [each.replace("\u00a0", " ") for each in texts(drawn(one))]


def test_numbers_weights_effects_and_the_pool_stand_in_the_figure() -> None:
    found = told(plot(STUDIES, outcome="Mortality", better="lower"))
    assert {
        "Mortality",
        "Risk ratio (RR)",
        "remdesivir",
        "placebo",
        "events/total",
        "Beigel 2020",
        "59/541",
        "77/521",
        "28.8 %",
        "0.74 (0.54 to 1.01)",
        "369/3,635",
        "380/3,507",
        "100 %",
        "0.90 (0.74 to 1.11)",
        "95 % prediction interval",
        "← favours remdesivir",
        "favours placebo →",
        "Heterogeneity: τ² = 0.011; Q = 2.63, df = 3 (p = 0.45); I² = 23 %.",
        "Test of the pooled effect: p = 0.33.",
    } <= set(found)
    assert "Not pooled" not in found


def test_the_side_that_is_favoured_depends_on_what_is_better() -> None:
    higher = told(plot(STUDIES, better="higher"))
    assert {"← favours placebo", "favours remdesivir →"} <= set(higher)
    unknown = told(plot(STUDIES))
    assert {"← lower with remdesivir", "higher with remdesivir →"} <= set(unknown)
    assert not any("favours" in text for text in unknown)


def test_studies_left_out_are_listed_with_what_their_text_says_and_why() -> None:
    silent = Comparison("Ader 2022", conclusion="no difference")
    clusters = Comparison("Clusters 2001", Counts(1, 9), Counts(2, 9), cluster=True)
    found = told(plot([*STUDIES, silent, clusters]))
    assert {"Not pooled", "Ader 2022", "Clusters 2001"} <= set(found)
    assert any(text.startswith("no difference (from the text); events") for text in found)
    assert any("cluster-randomised" in text for text in found)


def test_one_study_is_drawn_and_not_pooled_and_none_is_said() -> None:
    found = told(plot(STUDIES[:1]))
    assert "One study: nothing is pooled." in found
    assert not any(text.startswith("Pooled") for text in found)
    assert "No study gives numbers that can be pooled." in told(plot([Comparison("A")]))


def test_what_was_done_to_numbers_is_a_footnote() -> None:
    found = told(plot([*STUDIES, Comparison("Zero 2001", Counts(0, 20), Counts(3, 21))]))
    assert "Zero 2001 ¹" in found
    assert "¹ 0.5 was added to each cell, one being zero." in found
    zeros = [Comparison(name, Counts(0, 20), Counts(3, 21)) for name in "ab"]
    assert {"a", "b", "0.5 was added to each cell, one being zero."} <= set(told(plot(zeros)))


def test_means_are_told_with_their_sd() -> None:
    given = [
        Comparison("A", Means(-8.1, 9, 50), Means(-3.25, 8.8, 48)),
        Comparison("B", Quantiles(-6, 40, -11, -1), Means(-2, 8, 39)),
    ]
    found = told(plot(given, "MD", unit="mmHg"))
    assert {
        "Mean difference (MD), mmHg",
        "mean (SD), n",
        "−8.1 (9), 50",
        "−3.25 (8.8), 48",
        "−6 (7.689), 40",
    } <= set(found)


def test_the_square_has_the_area_of_the_weight() -> None:
    import matplotlib.figure

    one = plot(STUDIES)
    drawn_on = figure(pooled_plot(one), matplotlib.figure.Figure).axes[0]
    sizes = [line.get_markersize() for line in drawn_on.lines if line.get_marker() == "s"]
    assert one.analysis.pooled is not None
    weights = one.analysis.pooled.weights
    assert len(sizes) == 4
    assert (sizes[0] / sizes[3]) ** 2 == pytest.approx(weights[0] / weights[3])


def test_forty_studies_have_forty_rows_and_more_than_fit_are_counted() -> None:
    many = [Comparison(f"Study {n}", Counts(n, 400), Counts(20, 400)) for n in range(1, 41)]
    data = drawn(plot(many), "png")
    width, height = struct.unpack(">II", data[16:24])
    assert 1.1 < height / width < 1.5
    assert sum(text.startswith("Study ") for text in told(plot(many))) == 40
    over = [Comparison(f"S{n}", Counts(5, 40), Counts(8, 40)) for n in range(MOST_STUDIES + 3)]
    assert "3 further studies are pooled and not shown." in told(plot(over))


WHOLE = st.integers(1, 10**6)
COUNTS = st.builds(lambda n, p: Counts(round(n * p), n), WHOLE, st.floats(0, 1))
MEANS = st.builds(Means, st.floats(-1e11, 1e11), st.floats(1e-9, 1e11), WHOLE)
ARM = st.one_of(st.none(), COUNTS, MEANS)


@given(
    st.lists(st.tuples(ARM, ARM), max_size=5),
    st.sampled_from(get_args(Measure)),
    st.text(max_size=90),
)
@settings(max_examples=25, deadline=None)
def test_whatever_is_pooled_is_drawn(arms: list[Any], measure: Measure, text: str) -> None:
    given = [Comparison(f"{n} {text}", *pair, conclusion=text) for n, pair in enumerate(arms)]
    one = PooledOutcome(analyse(given, measure), text, text, text, "lower", text)
    assert ElementTree.fromstring(drawn(one)).tag == f"{SVG}svg"
