"""What a conclusion says to a question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.evidence.conclusion import leaning, read, stance
from clinfo.records.articles import STANCES, Article, Section
from clinfo.terms.sense import asked
from clinfo.text.polarity import main_statement
from clinfo.text.question import asked_part, is_closed, question_kind


def _article(conclusion: str, title: str) -> Article:
    return Article(id="pmid:1", title=title, sections=(Section(conclusion, "CONCLUSIONS"),))


@pytest.mark.parametrize(
    ("question", "conclusion", "expected"),
    [
        ("Does walking reduce back pain?", "Walking significantly reduced back pain.", "supports"),
        ("Does walking reduce back pain?", "Walking did not reduce back pain.", "contradicts"),
        (
            "Is walking associated with back pain?",
            "No association was found between walking and back pain.",
            "contradicts",
        ),
        (
            "Is walking associated with back pain?",
            "Walking was associated with less back pain.",
            "supports",
        ),
        (
            "Is walking safe after hip surgery?",
            "Walking is safe and effective after hip surgery.",
            "supports",
        ),
        (
            "Is walking useful after hip surgery?",
            "Walking was ineffective and cannot be recommended.",
            "contradicts",
        ),
        (
            "Do walking and running have similar effects?",
            "Walking and running had similar effects.",
            "supports",
        ),
        (
            "Does pain differ between walkers and runners?",
            "Pain was similar in walkers and runners.",
            "contradicts",
        ),
        (
            "Is routine walking necessary?",
            "Routine walking is unnecessary and should be avoided.",
            "contradicts",
        ),
        ("Does walking affect weight?", "Walking does not affect weight.", "contradicts"),
    ],
)
def test_conclusions_are_read_for_the_question(
    question: str, conclusion: str, expected: str
) -> None:
    assert stance(question, _article(conclusion, question)) == expected


BOTH = "Swimming and cycling reduced knee pain to a similar degree; neither was superior."


def test_two_treatments_that_both_worked_answer_yes_unless_they_are_compared() -> None:
    assert main_statement(BOTH) == "Swimming and cycling reduced knee pain."
    assert (
        stance("Does swimming reduce knee pain?", _article(BOTH, "Swimming, cycling and knee pain"))
        == "supports"
    )
    compared = "Does swimming reduce knee pain more than cycling?"
    assert stance(compared, _article(BOTH, compared)) == "contradicts"


@pytest.mark.parametrize(
    "sentence",
    [
        "Swimming did not improve pain; neither was superior.",
        "Swimming and placebo reduced pain equally, with no differences between them.",
        "Swimming reduced pain, but there was no difference between the groups.",
    ],
)
def test_a_comparison_with_no_treatment_stands(sentence: str) -> None:
    assert main_statement(sentence) == sentence


def test_harm_ruled_out_is_no_no_to_a_gain() -> None:
    assert (
        main_statement("Swimming reduced pain and did not delay healing.")
        == "Swimming reduced pain."
    )


def test_without_abstract_or_topic_there_is_no_answer() -> None:
    question = "Does walking reduce back pain?"
    assert stance(question, Article(id="pmid:1", title=question)) == "other outcomes"
    assert (
        stance(question, _article("Statins lowered cholesterol.", "Statins in adults"))
        == "other outcomes"
    )


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Does walking affect mood?", "neutral"),
        ("Does walking improve mood?", "gain"),
        ("Do walkers and runners differ in mood?", "difference"),
        ("Is walking as effective as running?", "sameness"),
        ("Walking after surgery: is it safe?", "evaluative"),
        ("Should patients walk?", "need"),
        ("Can walking be safely avoided?", "omit"),
        ("Does walking compromise healing?", "harm"),
    ],
)
def test_kinds_of_question(question: str, kind: str) -> None:
    assert question_kind(question) == kind


@pytest.mark.parametrize(
    ("question", "closed"),
    [
        ("Does walking help?", True),
        ("Walking after surgery: is it safe?", True),
        ("What is the best walk?", False),
        ("How far should one walk?", False),
        ("In adults, which walk is best?", False),
        ("Walking for weight", True),
    ],
)
def test_closed_and_open_questions(question: str, closed: bool) -> None:
    assert is_closed(question) is closed


def test_the_asking_part_is_found() -> None:
    assert asked_part("Walking after surgery: is it safe?") == "is it safe?"
    assert asked_part("Walking") == "Walking"


def test_a_call_for_research_leans_nowhere() -> None:
    assert (
        leaning("Further studies are needed to show whether walking is effective.", "evaluative")
        == 0.0
    )


@given(st.text(max_size=150), st.text(max_size=250))
def test_any_question_and_text_has_a_relation(question: str, text: str) -> None:
    article = _article(text, question)
    assert stance(question, article) in STANCES
    found = read(question, article)
    assert found.yes + found.no + found.maybe == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("question", "conclusion"),
    [
        (
            "Does aspirin increase bleeding?",
            "Aspirin did not reduce stroke and caused more bleeding.",
        ),
        (
            "Does aspirin increase bleeding?",
            "Aspirin did not reduce stroke and increased bleeding.",
        ),
        (
            "Does aspirin increase mortality?",
            "Aspirin did not shorten stay in intensive care and raised mortality.",
        ),
    ],
)
def test_a_negation_ends_before_a_second_verb(question: str, conclusion: str) -> None:
    article = Article(
        id="pmid:1",
        title="Aspirin in stroke",
        sections=(Section(conclusion, "CONCLUSIONS", "CONCLUSIONS"),),
    )
    assert stance(question, article) in ("supports", "mixed")


@pytest.mark.parametrize(
    ("question", "title", "conclusion", "expected"),
    [
        (  # a third drug against both
            "Is olanzapine better than lithium for acute mania?",
            "Divalproex versus lithium, olanzapine and placebo in acute mania",
            "Divalproex worked faster than lithium in acute mania and was better tolerated than "
            "olanzapine.",
            "other outcomes",
        ),
        (  # one on top of the other
            "Is olanzapine better than lithium for acute mania?",
            "Olanzapine added to lithium in acute mania",
            "Compared with lithium alone, olanzapine was superior in acute mania.",
            "other outcomes",
        ),
        (  # what it costs
            "Is rofecoxib more effective than ibuprofen for osteoarthritis pain?",
            "Rofecoxib and ibuprofen for osteoarthritis",
            "Rofecoxib cost more per patient relieved of osteoarthritis pain than ibuprofen.",
            "other outcomes",
        ),
        (  # in others than those asked about
            "Does treating Helicobacter pylori relieve dyspepsia?",
            "Helicobacter pylori and dyspepsia",
            "Treating Helicobacter pylori relieved dyspepsia only in patients with duodenal ulcer, "
            "and not in those without.",
            "mixed",
        ),
        (  # tolerated by those at risk of it is no result on it
            "Do COX-2 inhibitors impair renal function in elderly people?",
            "Renal function and COX-2 inhibitors in elderly people",
            "COX-2 inhibitors were well tolerated by elderly people at risk for impaired renal "
            "function.",
            "other outcomes",
        ),
    ],
)
def test_a_conclusion_on_something_else_takes_no_side(
    question: str, title: str, conclusion: str, expected: str
) -> None:
    assert stance(question, _article(conclusion, title)) == expected


def test_a_sentence_on_the_number_of_people_is_no_conclusion() -> None:
    text = (
        "Citalopram showed no demonstrable effect on fibromyalgia. The strength of the study was "
        "sufficient to exclude an effect of citalopram, which indicates that the sample size was "
        "sufficiently large."
    )
    article = Article(id="pmid:1", title="Citalopram for fibromyalgia", sections=(Section(text),))
    assert stance("Is citalopram effective for fibromyalgia?", article) == "contradicts"


def test_fewer_of_what_nobody_wants_is_no_harm() -> None:
    wanted = asked("Does rofecoxib cause fewer gastrointestinal events than naproxen?")
    assert wanted is not None
    assert (wanted.sense, wanted.harm) == ("down", False)


@pytest.mark.parametrize(
    ("question", "conclusion", "expected"),
    [
        (
            "Does metformin reduce mortality?",
            "In this trial with adequate power, metformin did not reduce mortality.",
            "contradicts",
        ),
        (
            "Does metformin reduce mortality?",
            "Although underpowered for stroke, this trial shows that metformin did not reduce "
            "mortality.",
            "contradicts",
        ),
        (
            "Does metformin reduce mortality?",
            "Metformin reduced mortality and is available at low cost.",
            "supports",
        ),
        (
            "Does yoga lower blood pressure?",
            "Blood pressure was significantly lower after yoga but not in control subjects.",
            "supports",
        ),
        ("Does smoking cause lower back pain?", "Smoking causes lower back pain.", "supports"),
    ],
)
def test_a_finding_beside_power_price_or_controls_is_still_read(
    question: str, conclusion: str, expected: str
) -> None:
    results = Section("Mortality was lower with metformin in women.", "RESULTS")
    concludes = Section(conclusion, "CONCLUSIONS")
    article = Article(id="pmid:1", title="A trial", sections=(results, concludes))
    assert stance(question, article) == expected


def test_no_evidence_that_less_of_it_helps_does_not_speak_against_harm() -> None:
    text = (
        "No evidence exists that reducing the dose or using modified release formulations would "
        "reduce the incidence of gastrointestinal bleeding."
    )
    article = _article(text, "Risk of gastrointestinal bleeding with aspirin")
    question = "Does aspirin increase the risk of gastrointestinal bleeding?"
    assert stance(question, article) == "other outcomes"
    whole = f"Long term aspirin is associated with an increase in gastrointestinal bleeding. {text}"
    article = Article(id="pmid:1", title="Aspirin and bleeding", sections=(Section(whole),))
    assert stance(question, article) == "supports"
