"""Numbers of each arm, read from small tables and sentences made for these tests."""

import math
from html import escape

import pytest

from clinfo.evidence.arm_numbers.cells import read_cell
from clinfo.evidence.arm_numbers.choice import arm_numbers
from clinfo.records.trials import ArmNumbers, Number
from clinfo.retrieval.asked import Asked
from clinfo.retrieval.documents import Document
from clinfo.retrieval.readers.jats import read_jats


@pytest.mark.parametrize(
    ("written", "shape", "numbers"),
    [
        ("12 (34.3%)", "share", (12, 34.3)),
        ("34.3% (12)", "share", (12, 34.3)),
        ("42/402 (10.5)", "of", (42, 402)),
        ("92 % (94/102)", "of", (94, 102)),
        ("9.2±0.9", "spread", (9.2, 0.9)),
        ("52.3 (SD 4.1)", "spread", (52.3, 4.1)),
        ("38.1 (9.5)", "bracket", (38.1, 9.5)),
        ("4(0.68)", "bracket", (4, 0.68)),
        ("0.98 [0.5 to 1.4]", "interval", (0.98, 0.5, 1.4)),
        ("− 0.89 (−1.53, −0.25)^b", "interval", (-0.89, -1.53, -0.25)),
        ("3.06^a", "plain", (3.06,)),
        ("1,525", "plain", (1525,)),
        ("10 218", "plain", (10218,)),
        ("−4.1", "plain", (-4.1,)),
        ("0,42", "plain", (0.42,)),
        ("4·2*", "plain", (4.2,)),
        ("80%", "percent", (80,)),
    ],
)
def test_a_cell_is_read_without_its_marks(
    written: str, shape: str, numbers: tuple[float, ...]
) -> None:
    value = read_cell(written)
    assert value is not None
    assert value.shape == shape
    told = (value.first, value.second, value.third)
    assert told == (*numbers, *[None] * (3 - len(numbers)))


@pytest.mark.parametrize("written", ["", "NS", "<0.001", "1 kg", "-", "not reported"])
def test_a_cell_of_words_or_of_a_bound_holds_no_value(written: str) -> None:
    assert read_cell(written) is None


BY_COLUMNS = [
    [["Outcome", "Drug X (n = 40)", "Placebo (n = 42)", "P value"]],
    [
        ["Relapse", "12 (30.0%)", "21 (50.0%)", "0.04"],
        ["Pain score, mean (SD)", "3.1 (1.2)", "4.4 (1.5)", "0.01"],
        ["Walking distance (m), mean (SE)", "310 (10)", "280 (12)", "0.20"],
        ["Length of stay (days), median (IQR)", "5 (3–8)", "7 (4–9)", "0.30"],
        ["Readmission", "15%", "24%", "0.50"],
    ],
]


def test_counts_stand_with_the_group_sizes_of_the_header() -> None:
    document = _document(BY_COLUMNS)
    read = arm_numbers(document, _asked("relapse"))
    assert read is not None
    assert read.kind == "binary"
    assert _told(read.intervention) == (12, 40, None, None)
    assert _told(read.comparator) == (21, 42, None, None)
    for number in (read.intervention.events, read.intervention.total, read.comparator.total):
        assert number is not None
        assert number.document == document.id
        assert document.text[number.start : number.end] == number.text
        assert number.derived == ""


def test_a_mean_and_its_standard_deviation_are_read_from_one_cell() -> None:
    read = arm_numbers(_document(BY_COLUMNS), _asked("pain score"))
    assert read is not None
    assert read.kind == "continuous"
    assert _told(read.intervention) == (None, 40, 3.1, 1.2)
    assert _told(read.comparator) == (None, 42, 4.4, 1.5)


def test_a_standard_error_becomes_a_standard_deviation() -> None:
    read = arm_numbers(_document(BY_COLUMNS), _asked("walking distance"))
    assert read is not None
    deviation = read.intervention.sd
    assert deviation is not None
    assert deviation.value == pytest.approx(10 * math.sqrt(40), abs=1e-4)
    assert "standard error" in deviation.derived


@pytest.mark.parametrize(
    "caption", ["Scores, mean ± SEM", "Data are least squares mean (standard error)"]
)
def test_a_standard_error_of_the_caption_is_no_standard_deviation(caption: str) -> None:
    table = [
        [["", "Drug X (n = 25)", "Placebo (n = 25)"]],
        [["Pain score", "3.1 ± 0.2", "4.4 ± 0.3"]],
    ]
    read = arm_numbers(_document(table, caption=caption), _asked("pain score"))
    assert read is not None
    assert read.intervention.sd is not None
    assert read.intervention.sd.value == pytest.approx(1.0)


def test_a_median_is_no_mean() -> None:
    read = arm_numbers(_document(BY_COLUMNS), _asked("length of stay"))
    assert read is not None
    assert read.intervention.mean is None
    assert read.intervention.sd is None
    assert any("median" in flag for flag in read.flags)


def test_a_percentage_and_a_group_size_make_a_count() -> None:
    read = arm_numbers(_document(BY_COLUMNS), _asked("readmission"))
    assert read is not None
    assert _told(read.intervention) == (6, 40, None, None)
    assert _told(read.comparator) == (10, 42, None, None)
    assert read.intervention.events is not None
    assert "percentage" in read.intervention.events.derived


def test_a_percentage_of_people_counted_elsewhere_makes_no_count() -> None:
    table = [[["", "Drug X", "Placebo"]], [["Readmission", "15%", "24%"]]]
    text = "Of the parent study, 400 were randomly assigned to drug X and 380 to placebo."
    read = arm_numbers(_document(table, text), _asked("readmission"))
    assert read is None or (read.intervention.events, read.comparator.events) == (None, None)


def test_a_scale_on_which_more_is_better_gives_no_numbers_of_pain() -> None:
    table = [
        [["", "Drug X (n = 40)", "Placebo (n = 42)"]],
        [["ZQ-12 pain, mean (SD)", "61.0 (9.2)", "52.0 (9.5)"]],
    ]
    text = "The ZQ-12 was filled in at home; higher scores indicate better health."
    read = arm_numbers(_document(table, text), _asked("pain"))
    assert read is not None
    assert read.intervention.mean is None
    assert any("More is better" in flag for flag in read.flags)
    read = arm_numbers(_document(table, text.replace("better", "worse")), _asked("pain"))
    assert read is not None
    assert read.intervention.mean is not None


def test_relief_of_a_complaint_is_not_the_complaint() -> None:
    table = [
        [["", "Drug X (n = 40)", "Placebo (n = 42)"]],
        [["Adequate relief of headache, n (%)", "30 (75.0%)", "21 (50.0%)"]],
    ]
    assert arm_numbers(_document(table), _asked("headache")) is None
    assert arm_numbers(_document(table), _asked("relief of headache")) is not None


def test_an_outcome_that_is_not_reported_has_no_numbers() -> None:
    assert arm_numbers(_document(BY_COLUMNS), _asked("serum potassium")) is None


def test_arms_may_be_swapped_in_the_question() -> None:
    asked = Asked("", "relapse", "placebo", "drug X")
    read = arm_numbers(_document(BY_COLUMNS), asked)
    assert read is not None
    assert _told(read.intervention)[:2] == (21, 42)


def test_a_table_that_has_lost_its_spans_is_read_as_before() -> None:
    """A header over two columns each, and a first column that the second row leaves out."""
    table = [
        [
            ["Measure", "Exercise group", "Control group", "p"],
            ["n", "Mean", "SD", "n", "Mean", "SD"],
        ],
        [
            ["Grip strength (kg)", "25", "31.5", "6.1", "27", "28.2", "5.9", "0.03"],
            ["Gait speed (m/s)", "24", "1.2", "0.3", "26", "1.1", "0.2", "0.4"],
        ],
    ]
    read = arm_numbers(
        _document(table), Asked("", "grip strength", "supervised exercise", "usual activity")
    )
    assert read is not None
    assert _told(read.intervention) == (None, 25, 31.5, 6.1)
    assert _told(read.comparator) == (None, 27, 28.2, 5.9)


def test_arms_may_stand_in_rows_and_the_last_time_is_taken() -> None:
    table = [
        [
            ["", "Baseline", "3 months", "12 months"],
            ["", "n", "(%)", "n", "(%)", "n", "(%)"],
        ],
        [
            ["Smoking", "", "", "", "", "", ""],
            ["Counselling (n = 50)", "50", "(100)", "30", "(60)", "20", "(40)"],
            ["Usual care (n = 48)", "48", "(100)", "36", "(75)", "32", "(67)"],
        ],
    ]
    read = arm_numbers(_document(table), Asked("", "smoking", "counselling", "usual care"))
    assert read is not None
    assert _told(read.intervention)[:2] == (20, 50)
    assert _told(read.comparator)[:2] == (32, 48)
    assert read.timepoint == "12 months"


def test_a_time_that_is_asked_for_is_taken() -> None:
    table = [
        [["Weight (kg)", "Diet (n = 30)", "Control (n = 31)"]],
        [
            ["Weight at baseline", "90.1 ± 8.0", "89.5 ± 8.2"],
            ["Weight at 6 weeks", "86.4 ± 7.7", "89.0 ± 8.1"],
            ["Weight at 26 weeks", "84.2 ± 7.9", "88.7 ± 8.0"],
        ],
    ]
    document = _document(table)
    last = arm_numbers(document, Asked("", "weight", "diet", "control"))
    early = arm_numbers(document, Asked("", "weight at 6 weeks", "diet", "control"))
    assert last is not None
    assert early is not None
    assert _told(last.intervention)[2:] == (84.2, 7.9)
    assert _told(early.intervention)[2:] == (86.4, 7.7)


def test_of_several_arms_the_asked_one_is_taken_by_what_its_label_stands_for() -> None:
    table = [
        [["", "Group A", "Group B", "Group C"]],
        [["N", "20", "21", "22"], ["Swelling (mm)", "4.1 ± 1.0", "5.2 ± 1.1", "6.3 ± 1.2"]],
    ]
    text = (
        "Patients were allocated to one of three groups: Group A (ice packs), Group B (massage) "
        "or Group C (rest)."
    )
    read = arm_numbers(_document(table, text), Asked("", "swelling", "massage", "rest"))
    assert read is not None
    assert _told(read.intervention) == (None, 21, 5.2, 1.1)
    assert _told(read.comparator) == (None, 22, 6.3, 1.2)


def test_an_interval_and_sizes_of_the_text_make_no_deviation_but_those_of_the_table_do() -> None:
    table = [
        [["Change", "Yoga, mean (95% CI)", "Waiting list, mean (95% CI)"]],
        [["Flexibility (cm)", "2.0 (1.0, 3.0)", "0.5 (−0.5, 1.5)"], ["N", "25", "36"]],
    ]
    asked = Asked("", "flexibility", "yoga", "waiting list")
    read = arm_numbers(_document(table), asked)
    assert read is not None
    assert read.intervention.sd is not None
    assert read.intervention.sd.value == pytest.approx(2 / 3.92 * 5, abs=0.01)
    without = [table[0], table[1][:1]]
    text = "We included 25 patients in the yoga group and 36 patients in the waiting list group."
    read = arm_numbers(_document(without, text), asked)
    assert read is not None
    assert _told(read.intervention)[1:] == (25, 2.0, None)


def test_numbers_of_a_sentence_are_read_with_their_arms() -> None:
    text = (
        "The relapse rate was 12/40 (30%) in the zinc group and 21/42 (50%) in the placebo group."
    )
    document = _document([], text)
    read = arm_numbers(document, Asked("", "relapse rate", "zinc", "placebo"))
    assert read is not None
    assert _told(read.intervention)[:2] == (12, 40)
    assert _told(read.comparator)[:2] == (21, 42)
    assert read.comparator.events is not None
    place = read.comparator.events
    assert document.text[place.start : place.end] == place.text


def test_means_are_read_as_psychologists_write_them() -> None:
    text = (
        "Worry was lower in the mindfulness group (M = 12.3, SD = 4.5) than in the control group "
        "(M = 15.1, SD = 5.0)."
    )
    document = _document([], text)
    read = arm_numbers(document, Asked("", "worry", "mindfulness", "no treatment (control)"))
    assert read is not None
    assert _told(read.intervention)[2:] == (12.3, 4.5)
    assert _told(read.comparator)[2:] == (15.1, 5.0)
    mean = read.intervention.mean
    assert mean is not None
    assert document.text[mean.start : mean.end] == mean.text == "12.3, SD = 4.5"


def test_levels_written_short_are_the_levels_asked_for() -> None:
    table = [
        [["Motion (degrees)", "Implant (n = 9)", "Control (n = 9)"]],
        [["L2-4", "6.1 ± 1.0", "6.0 ± 1.1"], ["L2-5", "8.3 ± 1.2", "8.9 ± 1.3"]],
    ]
    read = arm_numbers(_document(table), Asked("", "motion of L2-L5", "implant", "control"))
    assert read is not None
    assert _told(read.intervention)[2:] == (8.3, 1.2)


def test_a_huge_table_is_read_within_reason() -> None:
    rows = [[f"Placebo {n}", *["1"] * 80] for n in range(300)]
    header = [["", *[f"Placebo {n}" for n in range(80)]], ["", "a", "b"]]
    assert arm_numbers(_document([header, rows]), _asked("relapse")) is None


def test_of_two_results_that_fit_alike_neither_is_given() -> None:
    table = [
        [["Infection", "Drug X (n = 40)", "Placebo (n = 42)"]],
        [
            ["Wound infection", "4 (10.0%)", "8 (19.0%)"],
            ["Chest infection", "2 (5.0%)", "3 (7.1%)"],
        ],
    ]
    read = arm_numbers(_document(table), _asked("infection"))
    assert read is not None
    assert read.intervention == read.comparator == ArmNumbers()
    assert read.flags


def test_characteristics_at_baseline_are_no_outcomes() -> None:
    table = [
        [["", "Drug X (n = 40)", "Placebo (n = 42)"]],
        [["Pain score, mean (SD)", "6.1 (1.2)", "6.4 (1.5)"]],
    ]
    document = _document(table, caption="Baseline characteristics")
    assert arm_numbers(document, _asked("pain score")) is None


def _asked(outcome: str) -> Asked:
    return Asked("", outcome, "drug X", "placebo")


def _told(arm: ArmNumbers) -> tuple[float | None, ...]:
    numbers: tuple[Number | None, ...] = (arm.events, arm.total, arm.mean, arm.sd)
    return tuple(number.value if number is not None else None for number in numbers)


def _document(table: list[list[list[str]]], text: str = "", caption: str = "Results") -> Document:
    head, body = (
        "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
        )
        for rows in (table or [[], []])
    )
    wrap = (
        f"<table-wrap><label>Table 1</label><caption><p>{caption}</p></caption><table><thead>{head}"
        f"</thead><tbody>{body}</tbody></table></table-wrap>"
        if table
        else ""
    )
    raw = (
        "<article><front><article-meta><title-group><article-title>A trial</article-title>"
        "</title-group></article-meta></front><body><sec><title>Results</title>"
        f"<p>{text or 'See the table.'}</p>{wrap}</sec></body></article>"
    )
    return read_jats(raw.encode(), "paper.xml")
