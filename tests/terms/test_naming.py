"""Whether a text names what a question's words mean, and which of them are its subject."""

import pytest

from clinfo.extractive.concepts import coverage
from clinfo.records.articles import Article
from clinfo.terms.naming import PLAIN, is_subject, parts, plain_names
from clinfo.text.terms import Vocabulary, vocabulary


def share(text: str, of: Vocabulary) -> float:
    """Share of a concept that ``of`` names, by the weight of its parts."""
    found = [part for part in parts(text) if part.weight > 0]
    return sum(one.weight for one in found if one.is_in(of)) / sum(one.weight for one in found)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("heart attack", "Survival after myocardial infarction."),
        ("beta blockers", "Atenolol in elderly hypertensives."),
        ("hay fever", "Cetirizine for seasonal allergic rhinitis."),
        ("x-rays", "Chest radiography on admission."),
        ("teenagers", "A school programme for adolescents."),
        ("life", "Overall survival was unchanged."),
        ("nine months", "A 9-month follow-up."),
        ("asthma", "Status asthmaticus in miners."),
        ("pain relief", "Postoperative analgesia with ketamine."),
        ("sleep apnoea", "Obstructive sleep apnea and driving."),
        ("e-cigarettes", "A trial of electronic cigarettes."),
        ("common cold", "An upper respiratory tract infection."),
        ("bronchodilators", "Inhaled indacaterol."),
    ],
)
def test_one_thing_by_another_name(words, text):
    assert share(words, vocabulary(text)) >= 0.99


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("e-cigarettes", "Vitamin E in cigarette smokers."),
        ("heart attack", "Panic attacks in students."),
        ("Whipple disease", "Peptic ulcer disease and omeprazole."),
        ("beta blockers", "Calcium channel blockers in angina."),
        ("bronchitis", "Lung diseases in miners."),
        ("dry needling", "Dry mouth after radiotherapy."),
    ],
)
def test_another_thing(words, text):
    assert share(words, vocabulary(text)) <= 0.5


def test_a_heading_below_it_is_enough():
    article = Article("pmid:1", "Wheeze at work", mesh=("Asthma, Occupational",))
    assert coverage("Does wheeze tell of asthma?", article).enough


def test_a_plain_name_is_read_one_way():
    assert share("blood thinner", vocabulary("Warfarin after stroke.")) >= 0.99
    assert share("warfarin", vocabulary("Heparin after stroke.")) == 0.0
    assert "heparin" in plain_names("blood thinners")


@pytest.mark.parametrize(
    ("question", "title"),
    [
        (
            "Do omeprazole and amoxicillin cure Whipple disease?",
            "Omeprazole plus amoxicillin cures Helicobacter pylori infection",
        ),
        ("Does honey relieve cough in children?", "Dextromethorphan relieves cough in children"),
        ("Does bee venom help multiple sclerosis?", "Interferon beta in multiple sclerosis"),
    ],
)
def test_an_article_without_the_subject_does_not_name_enough(question, title):
    found = coverage(question, Article("pmid:2", title))
    assert not found.enough
    assert "no mention of" in found.reason


def test_everyday_words_are_no_subject():
    assert not is_subject("sooner")
    assert not is_subject("100mg")
    assert is_subject("kombucha")
    assert [part.stems for part in parts("newer beta blockers")] == [
        ("newer",),
        ("beta", "blocker"),
    ]


def test_the_lexicon_of_plain_words_has_two_names_or_more_a_line():
    lines = [
        line for line in PLAIN.read_text(encoding="utf-8").splitlines() if not line.startswith("#")
    ]
    assert all(line.count(";") or ": " in line for line in lines)
