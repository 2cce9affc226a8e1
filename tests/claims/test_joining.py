"""The verdict that stands with what judges said."""

import pytest

from clinfo.claims.joining import Opinion, chosen
from clinfo.records.articles import Sentence, Span, Verdict

SENTENCE = Sentence(
    "synthesis", "Zinc helps [1].", (1,), "quoted", "quoted word for word", judges=()
)
SPAN = Span(1, "abstract", 0, 4)


def says(verdict: Verdict | None, judge: str = "a-model") -> Opinion:
    return Opinion(judge, verdict, f"because of {judge}", (SPAN,) if verdict else ())


def test_without_a_judge_a_sentence_stays_as_it_is() -> None:
    assert chosen(SENTENCE, []) == SENTENCE


@pytest.mark.parametrize("verdict", ["supported", "partial", "unsupported", "contradicted"])
def test_what_one_judge_says_stands(verdict: Verdict) -> None:
    told = chosen(SENTENCE, [says(verdict)])
    assert (told.verdict, told.judges, told.spans) == (verdict, ("a-model",), (SPAN,))
    assert told.reason == "a-model: because of a-model"


@pytest.mark.parametrize(
    ("first", "second", "stands"),
    [
        ("supported", "contradicted", "not_verified"),
        ("unsupported", "supported", "not_verified"),
        ("supported", "partial", "partial"),
        ("partial", "contradicted", "contradicted"),
        ("supported", None, "supported"),
        (None, "contradicted", "contradicted"),
        (None, None, "not_verified"),
    ],
)
def test_two_that_conflict_leave_it_not_verified(
    first: Verdict | None, second: Verdict | None, stands: Verdict
) -> None:
    told = chosen(SENTENCE, [says(first), says(second, "an-nli")])
    assert told.verdict == stands
    assert ("the judges disagree" in told.reason) == (
        stands == "not_verified" and first is not second
    )
