"""The plot of effects: what can be drawn together, in which order, and what stands in the
figure.
"""

from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinfo.evidence.effect_words import stated
from clinfo.evidence.forest import CAPTION, MOST_ROWS, PlotGroup, drawable, effects_plot
from clinfo.evidence.plot import CLIPPED, image
from clinfo.records.appraisal import EvidenceRow, Notice
from clinfo.records.articles import Effect, Scale, Span

pytest.importorskip("matplotlib")
SVG = "{http://www.w3.org/2000/svg}"


def effect(
    estimate: float,
    low: float | None,
    high: float | None,
    measure: str = "RR",
    scale: Scale = "ratio",
    unit: str | None = None,
    level: float | None = 95.0,
) -> Effect:
    return Effect(measure, scale, estimate, low, high, level, unit, Span(1, "abstract", 0, 1))


def row(n: int, stated: Effect | None, **cells: object) -> EvidenceRow:
    values: dict[str, object] = {
        "year": 2020,
        "design": "randomised controlled trial",
        "level": 2,
        "level_reason": "",
        "sample_size": None,
        "population": None,
        "intervention": None,
        "comparator": None,
        "outcome": "stroke",
        "effect_direction": "unclear",
        "stance": None,
        "follow_up": None,
        "group": n,
        **cells,
    }
    return EvidenceRow(id=f"pmid:{n}", n=n, title=f"Title {n}", effect=stated, **values)  # type: ignore[arg-type]


def the_group(*rows: EvidenceRow) -> PlotGroup:
    (group,) = drawable(rows)
    return group


def svg(group: PlotGroup) -> bytes:
    return image(effects_plot(group))


def texts(data: bytes) -> list[str]:
    """The texts of an SVG: those of one line, and every line of those of several."""
    tree = ElementTree.fromstring(data)
    return ["".join(each.itertext()).strip() for each in tree.iter(f"{SVG}text")]


TWO = (row(1, effect(0.75, 0.60, 0.94)), row(2, effect(1.02, 0.9, 1.15)))


def test_two_rows_of_one_measure_make_a_group() -> None:
    group = the_group(*TWO, row(3, None), row(4, effect(0.5, 0.2, 0.9, "OR")))
    assert (group.measure, group.scale, group.title) == (
        "RR",
        "ratio",
        "Risk ratio (RR)",
    )
    assert [each.n for each in group.rows] == [1, 2]


def test_rows_of_different_outcomes_are_not_drawn_together() -> None:
    (a, b), e = TWO, effect(0.8, 0.7, 0.9)
    assert not drawable([a, row(3, e, outcome="death"), row(4, e, outcome=None)])
    assert not drawable([row(1, e, outcome="risk of death"), row(2, e, outcome="risk of falls")])
    groups = drawable(
        [
            a,
            b,
            row(3, e, outcome="death"),
            row(4, e, outcome="death from any cause"),
            row(5, e, outcome="nausea"),
        ]
    )
    assert sorted([each.n for each in group.rows] for group in groups) == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    "other",
    [
        effect(0.5, 0.2, 0.9, "OR"),
        effect(0.5, None, 0.9),
        effect(0.5, 0.2, None),
        effect(0.5, 0.6, 0.9),
        effect(0.5, 0.0, 0.9),
        effect(0.5, 0.5, 0.5),
        effect(float("nan"), 0.2, 0.9),
        effect(0.5, 0.2, float("inf")),
        effect(0.5, 0.2, 0.9, level=99.0),
        effect(0.5, 0.2, 0.9, "RR", "proportion"),
        None,
    ],
)
def test_what_does_not_go_with_a_row_leaves_it_alone(other: Effect | None) -> None:
    assert drawable((TWO[0], row(2, other))) == ()


def test_differences_go_by_unit_and_none_without_one() -> None:
    def difference(unit: str | None, measure: str = "MD") -> Effect:
        return effect(-2, -4, 1, measure, "difference", unit)

    rows = [
        row(1, difference("mmHg")),
        row(2, difference("kg")),
        row(3, difference("mmHg", "WMD")),
        row(4, difference(None)),
    ]
    group = the_group(*rows, row(5, difference(None)))
    assert [each.n for each in group.rows] == [1, 3]
    assert (group.unit, group.title) == ("mmHg", "Mean difference (MD), mmHg")


def test_rows_stand_by_design_then_newest_first_and_a_study_once() -> None:
    one = effect(0.5, 0.2, 0.9)
    rows = [
        row(1, one, design="cohort study", year=2023),
        row(2, one, year=2001),
        row(3, one, year=2019),
        row(4, one, design="meta-analysis", year=1999),
        row(5, one, year=2010, group=3),
        row(6, one, design=None),
    ]
    assert [each.n for each in the_group(*rows).rows] == [4, 3, 2, 1, 6]


def test_a_retracted_article_is_not_drawn() -> None:
    notice = Notice("pmid:2", "retracted", "Retracted.", "PubMed's record")
    assert drawable((TWO[0], row(2, TWO[1].effect, notices=(notice,)))) == ()


@pytest.mark.parametrize(
    ("one", "text"),
    [
        (effect(0.75, 0.6, 0.94), "0.75 (0.60 to 0.94)"),
        (effect(1.002, 0.992, 1.01), "1.002 (0.992 to 1.01)"),
        (effect(-2.5, -4, 1, "MD", "difference", "kg"), "−2.5 (−4.0 to 1.0)"),
        (effect(1.21, 0.883, 1.67), "1.21 (0.883 to 1.67)"),
        (effect(850, 3, 240000), "850 (3 to 240,000)"),
        (effect(0.5, 0.00001, 20), "0.5 (1e−5 to 20.0)"),
    ],
)
def test_figures_are_told_as_stated_never_rounded(one: Effect, text: str) -> None:
    assert stated(one) == text


def test_the_svg_holds_its_words_as_text_with_title_and_description() -> None:
    group = the_group(*TWO)
    data = svg(group)
    tree = ElementTree.fromstring(data)
    assert tree.get("role") == "img"
    assert tree.findtext(f"{SVG}title") == "Risk ratio (RR): 2 studies"
    described = tree.findtext(f"{SVG}desc") or ""
    assert described.startswith(CAPTION)
    assert "[1] randomised controlled trial, 2020: 0.75 (0.60 to 0.94)" in described
    told = texts(data)
    assert {
        "0.75 (0.60 to 0.94)",
        "RR (95 % interval)",
        "no effect",
        "Randomised controlled trials",
        "1",
    } <= set(told)
    assert any(text.startswith(CAPTION) for text in told)
    assert any(text.startswith("[2] 2020") for text in told)


def test_words_of_rows_are_never_markup() -> None:
    nasty = "pain $x_1^2$ \\frac{1}{2} & <script>alert(1)</script> ]]> \x00\x07\ud800\uffff \u202e"
    group = the_group(
        row(1, TWO[0].effect, outcome=nasty, design=nasty), row(2, TWO[1].effect, outcome="pain $")
    )
    data = svg(group)
    told = " ".join(texts(data))
    assert "$x_1^2$" in told
    assert "<script>" in told
    assert b"<script" not in data
    assert not {each.tag for each in ElementTree.fromstring(data).iter()} & {
        f"{SVG}script",
        f"{SVG}image",
    }


def test_a_clipped_interval_has_an_arrow_and_the_figure_says_so() -> None:
    wide = [*TWO, row(3, effect(0.9, 0.7, 900.0)), row(4, effect(0.8, 0.7, 1.0))]
    assert CLIPPED in " ".join(texts(svg(the_group(*wide))))
    assert CLIPPED not in " ".join(texts(svg(the_group(*TWO))))
    assert "0.9 (0.7 to 900.0)" in texts(svg(the_group(*wide)))


def test_more_rows_than_fit_are_said_to_be_left_out() -> None:
    rows = [row(n, effect(0.5 + n / 100, 0.3, 2.0)) for n in range(1, MOST_ROWS + 4)]
    told = texts(svg(the_group(*rows)))
    assert any("3 further effects not shown." in text for text in told)
    assert sum(text.startswith("[") for text in told) == MOST_ROWS


@given(
    st.lists(
        st.tuples(st.floats(-1e13, 1e13), st.floats(-1e13, 1e13), st.floats(-1e13, 1e13)),
        min_size=2,
        max_size=4,
    ),
    st.sampled_from(["ratio", "difference", "standardised difference"]),
    st.text(max_size=60),
)
@settings(max_examples=15, deadline=None)
def test_whatever_is_drawable_is_drawn(
    figures: list[tuple[float, float, float]], scale: Scale, text: str
) -> None:
    rows = [
        row(
            n,
            effect(*(sorted(each)[place] for place in (1, 0, 2)), "X", scale, "u"),
            outcome=text,
            design=text,
        )
        for n, each in enumerate(figures)
    ]
    for group in drawable(rows):
        assert ElementTree.fromstring(svg(group)).tag == f"{SVG}svg"
