"""The sentences of an abstract and the part each plays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.records.articles import Article, Section
from clinfo.text.abstracts import abstract_sentences, conclusion, finished, label_role


def _article(*sections: tuple[str | None, str], title: str = "A trial of walking") -> Article:
    return Article(
        id="pmid:1",
        pmid="1",
        title=title,
        sections=tuple(Section(text, label) for label, text in sections),
    )


def test_labels_say_the_part() -> None:
    parts = {
        "OBJECTIVE": "background",
        "MAIN OUTCOME MEASURES": "methods",
        "MEASUREMENTS AND MAIN RESULTS": "results",
        "METHODS AND RESULTS": "results",
        "INTERPRETATION": "conclusion",
        "TRIAL REGISTRATION": "notice",
        "PATIENTS AND METHODS": "methods",
    }
    assert {label: label_role(label) for label in parts} == parts
    assert label_role(None) is None
    assert label_role("UNLABELLED") is None


def test_nothing_is_guessed_of_an_abstract_without_labels() -> None:
    text = (
        "We aimed to test walking. Weight fell by 2.1 kg (p = 0.01). These results suggest that "
        "walking lowers weight. Registered at ClinicalTrials.gov, NCT01234567."
    )
    plain = _article((None, text))
    assert [one.role for one in abstract_sentences(plain)] == [None, None, None, "notice"]
    assert [one.text[:12] for one in conclusion(plain)] == ["Weight fell ", "These result"]


def test_labels_say_where_a_study_concludes_and_whether_it_has_results() -> None:
    methods, results = ("METHODS", "We walked."), ("RESULTS", "One fell. Two ran. Three sat.")
    told = _article(methods, results, ("CONCLUSIONS", "Walk."))
    assert [one.text for one in conclusion(told)] == ["Walk."]
    assert [one.text for one in conclusion(_article(methods, results))] == [
        "Two ran.",
        "Three sat.",
    ]
    assert conclusion(_article(("BACKGROUND", "Walking is cheap."))) == ()
    assert finished(told)
    assert not finished(_article(methods, ("DISCUSSION", "It will be seen.")))


def test_labels_inside_running_text_count() -> None:
    text = (
        "BACKGROUND: Walking is cheap. METHODS: Sixty adults walked. RESULTS: Weight fell. "
        "CONCLUSIONS: Walk more."
    )
    found = abstract_sentences(_article((None, text)))
    assert [(s.role, s.text) for s in found] == [
        ("background", "Walking is cheap."),
        ("methods", "Sixty adults walked."),
        ("results", "Weight fell."),
        ("conclusion", "Walk more."),
    ]


_TEXT = st.text(st.sampled_from("abcXYZ .:;%()0129\n\tRESULTS"), max_size=120)


@given(
    st.lists(
        st.tuples(st.none() | st.sampled_from(["RESULTS", "CONCLUSION", "", "X"]), _TEXT),
        max_size=4,
    )
)
def test_offsets_are_those_of_the_canonical_abstract(
    sections: list[tuple[str | None, str]],
) -> None:
    article = _article(*sections)
    found = abstract_sentences(article)
    assert all(
        article.abstract[sentence.start : sentence.end] == sentence.text for sentence in found
    )
    assert [sentence.start for sentence in found] == sorted(sentence.start for sentence in found)


@pytest.mark.parametrize(
    "text",
    [
        "Mortality fell by 3%.ConclusionsIn patients with sepsis the drug is safe.",
        "Mortality fell by 3%. CONCLUSIONS In patients with sepsis the drug is safe.",
        "Mortality fell by 3%. CONCLUSIONS--In patients with sepsis the drug is safe.",
        "Mortality fell by 3%. CONCLUSIONS. In patients with sepsis the drug is safe.",
    ],
)
@pytest.mark.parametrize("label", ["RESULTS", None])
def test_a_label_within_the_text_is_no_part_of_its_sentence(text: str, label: str | None) -> None:
    found = abstract_sentences(Article("pmid:1", "A title", sections=(Section(text, label),)))
    assert [(one.text, one.role) for one in found][-1] == (
        "In patients with sepsis the drug is safe.",
        "conclusion",
    )
    assert found[0].text == "Mortality fell by 3%."


def test_labels_of_one_word_with_a_stop_and_a_registration_glued_to_the_end() -> None:
    """As Oxford's journals print abstracts in PubMed: the conclusion is one, with all its words."""
    text = (
        "Background. Data on yeast are unclear. We aimed to see if it helps.Methods. We treated "
        "477 adults.Results. The hazard ratio was 1.02 (P = .94).Conclusions. We found no effect "
        "of yeast in adults at low risk.ClinicalTrials.gov Identifier. NCT01143272."
    )
    found = abstract_sentences(Article("pmid:1", "A title", sections=(Section(text),)))
    assert all(text[one.start : one.end] == one.text for one in found)
    told = [(one.role, one.text) for one in found if one.role]
    assert ("results", "The hazard ratio was 1.02 (P = .94).") in told
    assert ("conclusion", "We found no effect of yeast in adults at low risk.") in told
