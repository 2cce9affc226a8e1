"""Where the cells of a table lie when the file has lost what each covers."""

import pytest

from clinfo.evidence.arm_numbers.grids import read_grid
from clinfo.retrieval.documents import Document
from clinfo.retrieval.writing import Writer

Rows = list[list[str]]
HEADERS: list[tuple[Rows, Rows, dict[int, tuple[str, ...]]]] = [
    (  # the groups lie over equal numbers of columns, the first column reaches down
        [["", "Week 1", "Week 2"], ["n", "%", "n", "%"]],
        [["Fever", "4", "10", "2", "5"], ["Rash", "3", "8", "1", "3"]],
        {1: ("Week 1", "n"), 2: ("Week 1", "%"), 3: ("Week 2", "n"), 4: ("Week 2", "%")},
    ),
    (  # a p value of its own at the end, which the second row leaves out
        [["Measure", "Diet", "Control", "p"], ["Mean", "SD", "Mean", "SD"]],
        [["Weight", "80", "9", "82", "8", "0.3"], ["Waist", "90", "7", "91", "6", "0.5"]],
        {1: ("Diet", "Mean"), 3: ("Control", "Mean"), 4: ("Control", "SD"), 5: ("p",)},
    ),
    (  # empty cells under what stands alone
        [["", "Sex", "Change", "p"], ["", "", "Drug", "Placebo", ""]],
        [["Pain", "All", "3", "2", "0.1"], ["Sleep", "All", "4", "1", "0.2"]],
        {2: ("Change", "Drug"), 3: ("Change", "Placebo"), 4: ("p",)},
    ),
    (  # three rows
        [["", "Drug", "Placebo"], ["Before", "After", "Before", "After"],
         ["n", "Mean", "n", "Mean", "n", "Mean", "n", "Mean"]],
        [["Pain", "9", "5", "9", "3", "8", "5", "8", "4"], ["Gait", *"91929394"]],
        {2: ("Drug", "Before", "Mean"), 3: ("Drug", "After", "n"),
         8: ("Placebo", "After", "Mean")},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("header", "body", "expected"), HEADERS)
def test_a_header_is_spread_over_its_columns_again(
    header: Rows, body: Rows, expected: dict[int, tuple[str, ...]]
) -> None:
    grid = _grid(header, body)
    assert {column: grid[0][1][column] for column in expected} == expected


def test_a_row_whose_first_cell_the_row_above_covers_is_moved_to_the_right() -> None:
    rows = _grid(
        [["Outcome", "Group", "Mean", "SD"]],
        [["Pain", "Drug", "3.1", "1.0"], ["Placebo", "4.2", "1.1"], ["Gait", "Drug", "9", "2"]],
    )
    assert [label for label, *_ in rows] == ["Pain Drug", "Pain Placebo", "Gait Drug"]
    assert rows[1][2] == {2: "4.2", 3: "1.1"}


def test_a_row_without_values_is_a_heading_of_those_below() -> None:
    rows = _grid(
        [["", "Drug", "Placebo"]],
        [["Symptoms", "", ""], ["Pain", "3", "4"], ["Signs"], ["Oedema", "1", "2"]],
    )
    assert [heading for *_, heading in rows] == ["Symptoms", "Signs"]


def _grid(
    header: Rows, body: Rows
) -> list[tuple[str, dict[int, tuple[str, ...]], dict[int, str], str]]:
    """Each row with values: its label, the headers of its columns, its values, its heading."""
    writer = Writer()
    writer.table("", [[(cell, 1, 1) for cell in row] for row in (*header, *body)], len(header))
    block = writer.blocks[0]
    assert block.table is not None
    document = Document("x", "", writer.text, tuple(writer.blocks))
    return [
        (
            row.label,
            dict(row.headers),
            {column: entry.text for column, entry in row.entries.items()},
            row.heading,
        )
        for row in read_grid(document, block.table).rows
    ]
