"""The flow of a build: what comes in goes out."""

from __future__ import annotations

import pytest

from pubmedrs.build.finished import as_json, as_markdown, flow_of
from pubmedrs.build.screening import Rejection

REJECTED = [
    Rejection("1", "question", "no question in the title"),
    Rejection("2", "question", "no question in the title"),
    Rejection("3", "abstract", "no abstract"),
    Rejection("4", "proposal", "a protocol"),
]


def test_every_step_enters_with_what_the_one_before_left() -> None:
    flow = flow_of(2, 40, 12, 10, 9, REJECTED, 5)
    assert [step.entered for step in flow.steps] == [9, *(step.passed for step in flow.steps[:-1])]
    assert flow.steps[-1].passed == 5
    form = as_json(flow)
    assert (form["duplicates"], form["not_looked_at"]) == (2, 1)
    by_name = {step["step"]: step for step in form["steps"]}
    assert by_name["question"] == {
        "step": "question",
        "passes": "question in the title",
        "entered": 8,
        "passed": 6,
        "rejected": {"no question in the title": 2},
    }
    page = as_markdown(flow)
    assert "| 4 | question in the title | 6 of 8 |" in page
    assert "|  | rejected: no question in the title | 2 |" in page
    assert "|  | candidate questions | 5 |" in page


@pytest.mark.parametrize("accepted", [4, 6])
def test_a_lost_record_is_no_flow(accepted: int) -> None:
    with pytest.raises(ValueError, match="of 9 records"):
        flow_of(2, 40, 12, 10, 9, REJECTED, accepted)
