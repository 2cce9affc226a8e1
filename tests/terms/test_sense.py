"""Which way a question points, and whether a sentence says that its outcome went that way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.evidence.conclusion import stance
from clinfo.records.articles import Article, Section
from clinfo.terms.sense import Heard, asked, heard, names
from clinfo.text.question import affirmed


@pytest.mark.parametrize(
    ("question", "sense", "harm"),
    [
        ("Does walking reduce back pain?", "down", False),
        ("Does walking increase back pain?", "up", True),
        ("Does walking cause warts?", "up", True),
        ("Does walking relieve warts?", "down", False),
        ("Does walking improve balance?", "better", False),
        ("Does walking worsen balance?", "worse", True),
        ("Does walking shorten survival?", "down", True),
        ("Is walking harmful for balance?", "worse", True),
        ("Is walking associated with increased mortality?", "up", True),
        ("Is walking associated with better balance?", "better", False),
        ("Is there any harm from walking?", "worse", True),
        ("Does walking lead to lower mortality?", "down", False),
        ("Does walking make back pain worse?", "worse", True),
    ],
)
def test_the_verb_of_a_question_points_somewhere(question: str, sense: str, harm: bool) -> None:
    found = asked(affirmed(question).text)
    assert found is not None
    assert (found.sense, found.harm) == (sense, harm)


def test_some_questions_point_nowhere() -> None:
    assert asked("Is walking useful after hip surgery?") is None
    assert asked("What reduces back pain?") is None


@pytest.mark.parametrize(
    ("question", "sentence", "expected"),
    [
        ("Does walking reduce back pain?", "Walking reduced back pain.", Heard(agree=1)),
        ("Does walking reduce back pain?", "Back pain was reduced by walking.", Heard(agree=1)),
        ("Does walking reduce back pain?", "Walking increased back pain.", Heard(oppose=1)),
        ("Does walking reduce back pain?", "Walking did not reduce back pain.", Heard(deny=1)),
        ("Does walking reduce back pain?", "Walking had no effect on back pain.", Heard(deny=1)),
        (
            "Does walking reduce back pain?",
            "Back pain was similar with walking and rest.",
            Heard(deny=1),
        ),
        ("Does walking reduce back pain?", "Walking did not increase back pain.", Heard(aside=1)),
        (
            "Does walking increase back pain?",
            "Walking relieved back pain and did not delay sleep.",
            Heard(oppose=1),
        ),
        (
            "Does walking relieve back pain?",
            "Walking relieved fatigue, but not back pain.",
            Heard(deny=1),
        ),
        (
            "Does walking relieve back pain?",
            "Walking relieved fatigue; there was no benefit on back pain.",
            Heard(deny=1),
        ),
        (
            "Does walking improve balance?",
            "Walking neither improved nor damaged balance.",
            Heard(deny=1),
        ),
        ("Does walking worsen balance?", "Walking improved balance.", Heard(oppose=1)),
        (
            "Does walking improve balance?",
            "Walking raised heart rate in people with poor balance.",
            Heard(),
        ),
        (
            "Does walking improve balance?",
            "Walking raised heart rate after balance training.",
            Heard(),
        ),
        ("Does walking reduce back pain?", "Rest reduced back pain more than walking.", Heard()),
        (
            "Does walking cause more back pain than rest?",
            "Rest reduced back pain in comparison with walking.",
            Heard(agree=1),
        ),
        (
            "Does walking reduce postoperative pain?",
            "Walking prolonged postoperative analgesia.",
            Heard(),
        ),
    ],
)
def test_a_clause_counts_where_it_names_the_outcome(
    question: str, sentence: str, expected: Heard
) -> None:
    wanted = asked(affirmed(question).text)
    assert wanted is not None
    assert heard(wanted, [sentence], {}) == expected


def test_one_of_two_words_does_not_name_what_was_given() -> None:
    wanted = asked("Does balance training improve walking?")
    assert wanted is not None
    assert wanted.subject is not None
    assert names(wanted.subject, "Balance training in stroke", {})
    assert not names(wanted.subject, "Gait training in stroke", {})


@pytest.mark.parametrize(
    ("question", "text", "turned"),
    [
        ("Is walking ineffective in back pain?", "Is walking effective in back pain?", True),
        ("Does walking not help?", "Does walking help?", True),
        ("Does walking fail to not help?", "Does walking help?", False),
        ("Is there no benefit of walking?", "Is there benefit of walking?", True),
        ("Is walking inferior to running?", "Is walking as good as running?", True),
        ("Is walking non-inferior to running?", "Is walking as good as running?", False),
        ("Is unsafe walking common?", "Is unsafe walking common?", False),
        ("Isn't walking useful?", "Isn't walking useful?", False),
        (
            "Does walking not only help pain but also sleep?",
            "Does walking not only help pain but also sleep?",
            False,
        ),
        (
            "Are walkers aware of when they do not limp?",
            "Are walkers aware of when they do not limp?",
            False,
        ),
        ("Why does walking not help?", "Why does walking not help?", False),
    ],
)
def test_negated_questions_are_asked_the_positive_way_round(
    question: str, text: str, turned: bool
) -> None:
    found = affirmed(question)
    assert (found.text, found.turned) == (text, turned)


def _article(conclusion: str, title: str = "Walking and back pain") -> Article:
    return Article(id="pmid:1", title=title, sections=(Section(conclusion, "CONCLUSIONS"),))


@pytest.mark.parametrize(
    ("question", "conclusion", "expected"),
    [
        ("Does walking increase back pain?", "Walking reduced back pain.", "contradicts"),
        (
            "Does walking not reduce back pain?",
            "Walking significantly reduced back pain.",
            "contradicts",
        ),
        ("Does walking not reduce back pain?", "Walking did not reduce back pain.", "supports"),
        ("Does lack of walking cause back pain?", "Walking reduced back pain.", "other outcomes"),
        ("Is walking harmful?", "Walking reduced back pain.", "other outcomes"),
        ("Is walking harmful?", "Walking was safe in people with back pain.", "contradicts"),
        ("Does running reduce back pain?", "Walking reduced back pain.", "other outcomes"),
        (
            "Is walking better than running for back pain?",
            "Walking and running were each effective for back pain.",
            "other outcomes",
        ),
    ],
)
def test_a_conclusion_that_points_elsewhere_is_no_support(
    question: str, conclusion: str, expected: str
) -> None:
    assert stance(question, _article(conclusion)) == expected


@given(st.text(max_size=80), st.text(max_size=200))
def test_any_text_is_read(question: str, conclusion: str) -> None:
    plain = affirmed(question)
    assert not plain.turned or plain.text != question
    wanted = asked(f"Does walking reduce {question}?")
    if wanted is not None:
        assert min(vars(heard(wanted, [conclusion], {})).values()) >= 0
