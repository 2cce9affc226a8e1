"""What studies settle together, and the sentence that is quoted for it."""

from __future__ import annotations

import pytest

from clinfo.evidence.settle import FLAT, described, settle, strongest, voices
from clinfo.records.articles import Article, Section, Study, Summary
from clinfo.terms.asked_subject import subject
from clinfo.text.lead_in import lead_in

QUESTION = "Does walking reduce back pain?"


def study(
    n: int,
    conclusion: str,
    title: str = "Walking for back pain: a randomised controlled trial",
    size: int = 200,
) -> Study:
    methods = f"We randomly assigned {size} adults with back pain to walking or rest."
    sections = (Section(methods, "METHODS"), Section(conclusion, "CONCLUSIONS"))
    return Study(n, Article(f"pmid:{n}", title, str(n), sections), None)


YES, NO = "Walking significantly reduced back pain.", "Walking did not reduce back pain."


def test_a_flat_word_stands_only_where_the_probability_allows_it() -> None:
    for conclusion, word in (
        (YES, "yes"),
        (NO, "no"),
        ("Walking may reduce back pain in some patients.", None),
    ):
        found = settle(QUESTION, [study(1, conclusion)])
        assert found.yes is not None
        assert (found.word in ("yes", "no")) == (found.yes >= FLAT or found.yes <= 1 - FLAT)
        assert word is None or found.word in (word, f"probably {word}")


def test_studies_that_say_yes_and_no_disagree() -> None:
    assert settle(QUESTION, [study(1, YES), study(2, NO)]).word == "disagree"


def test_a_question_asked_the_negative_way_round_is_turned() -> None:
    assert settle("Does walking not reduce back pain?", [study(1, YES)]).word in (
        "no",
        "probably no",
    )


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("Is walking better than swimming for back pain?", "swimming"),
        ("Does walking reduce knee swelling?", "knee swelling"),
        ("Is walking safe in back pain?", "harm"),
        ("Does zinc reduce back pain?", "zinc"),
        ("Does walking reduce back pain in children?", "children"),
    ],
)
def test_a_study_that_does_not_name_what_is_asked_settles_nothing(
    question: str, missing: str
) -> None:
    told = study(1, YES)
    assert subject(question).missing(told.article) == missing
    found = settle(question, [told])
    assert (found.yes, found.word, found.basis) == (
        None,
        "not settled",
        "no study that speaks of it",
    )
    assert strongest(question, [told]) is None


def test_an_open_question_has_no_yes() -> None:
    found = settle("What helps back pain?", [study(1, YES)])
    assert (found.closed, found.yes, found.word) == (False, None, "not settled")


def test_the_basis_counts_studies_of_which_there_are_several_reports_once() -> None:
    one, other = study(1, YES), study(2, YES, size=34)
    assert described([other]) == "one trial"
    assert described([one, other]) == "two trials"
    joined = [Study(1, one.article, None, group=3), Study(2, other.article, None, group=3)]
    assert len(voices(QUESTION, joined)) == 1


def test_the_quotation_is_word_for_word() -> None:
    told = study(4, "In conclusion, walking significantly reduced back pain.")
    found = strongest(QUESTION, [told])
    assert found is not None
    assert (found.n, found.field, found.text) == (
        4,
        "abstract",
        "walking significantly reduced back pain",
    )
    assert told.article.abstract[found.start : found.end] == found.text


def test_more_research_is_no_conclusion_to_quote() -> None:
    assert (
        strongest(QUESTION, [study(1, "Further trials of walking for back pain are needed.")])
        is None
    )


@pytest.mark.parametrize(
    ("sentence", "rest"),
    [
        (
            "ConclusionsIn patients with asthma, zinc helped.",
            "In patients with asthma, zinc helped.",
        ),
        ("However, zinc was no better than placebo.", "zinc was no better than placebo."),
        ("In conclusion, our results suggest that zinc shortens colds.", "zinc shortens colds."),
        ("Resulting harms were few in number here.", "Resulting harms were few in number here."),
    ],
)
def test_lead_ins(sentence: str, rest: str) -> None:
    assert sentence[lead_in(sentence) :] == rest


def test_a_class_is_named_by_its_members_only() -> None:
    said = ("We randomised 4000 adults.", "Simvastatin reduced cardiovascular events in adults.")
    sections = tuple(
        Section(text, label, label)
        for text, label in zip(said, ("METHODS", "CONCLUSIONS"), strict=True)
    )
    article = Article(
        "pmid:1", "Simvastatin for cardiovascular events", pmid="1", sections=sections
    )
    trial = Study(1, article, Summary("x", design="randomised controlled trial", sample_size=4000))
    assert settle("Do statins reduce cardiovascular events?", (trial,)).word in (
        "yes",
        "probably yes",
    )
    for other in ("beta blockers", "antihypertensive drugs", "hormone therapy"):
        assert settle(f"Do {other} reduce cardiovascular events?", (trial,)).yes is None
