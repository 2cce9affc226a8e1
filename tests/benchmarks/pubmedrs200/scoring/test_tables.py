"""What a person reads of comparisons of few questions."""

from __future__ import annotations

import pytest

from benchmarks.pubmedrs200.scoring.significance import Comparison
from benchmarks.pubmedrs200.scoring.summary import Summary
from benchmarks.pubmedrs200.scoring.tables import Format, show
from pubmedrs.records import Subset


@pytest.mark.parametrize("style", ["text", "markdown"])
def test_of_few_questions_no_p_of_the_bootstrap_is_shown(style: Format) -> None:
    def shown(n: int) -> tuple[str, str]:
        compared = Comparison("rouge_l", "one", "two", n, 0.5, 0.4, 0.6, 0.0001, 0.25, 0.25)
        subset = Subset("all", ("1", "2", "3"))
        lines = show(
            Summary("correct", subset, None, {}, {}, {}, {}, {}, {}, comparisons=(compared,)), style
        ).split("\n")
        (heading,) = [line for line in lines if "Difference from" in line]
        (row,) = [line for line in lines if "+0.500" in line]
        return heading, row

    heading, row = shown(9)
    assert (
        "of fewer than 10 questions p of the bootstrap is left out, and the interval is too narrow"
        in heading
    )
    assert "0.0001" not in row
    assert "—" in row
    heading, row = shown(10)
    assert "fewer than" not in heading
    assert "0.0001" in row
