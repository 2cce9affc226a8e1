"""What readers made of answers: agreement against a figure worked out elsewhere, and the questions
that come with the project.
"""

import pytest

from benchmarks.own.clinical import kappa, measures, rows


def test_agreement_is_that_of_a_worked_example() -> None:
    # Two readers of 50 proposals, 20 accepted by both, 15 refused by both, 5 and 10 split: 0.4 in
    # Wikipedia's "Cohen's kappa".
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    assert kappa(first, second) == pytest.approx(0.4)
    assert kappa(["a", "b"], ["a", "b"]) == 1.0


def test_every_question_has_two_labels_and_articles_where_the_corpus_answers_it() -> None:
    judged = rows()
    assert len(judged) == len({row["question"] for row in judged}) == 100
    assert {row[reader] for row in judged for reader in ("reader_a", "reader_b")} <= {
        "proper", "declined", "partial", "misleading", "wrong",
    }  # fmt: skip
    assert all(bool(row["pmids"]) is row["in_corpus"] for row in judged)
    found = measures(judged)
    assert found["n"] == 100
    assert 0 <= found["reader_a_misleading"] <= 1
