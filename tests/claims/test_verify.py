"""The check on an answer: made-up studies, made-up sentences, and what must be said of each."""

from __future__ import annotations

import gzip
import random
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.claims.verify import check, check_sentence, check_summary, overclaims
from clinfo.extractive.summary import summarise
from clinfo.extractive.synthesis import distil, synthesise
from clinfo.records.articles import (
    Article,
    Direction,
    Section,
    Sentence,
    Span,
    Stance,
    Study,
    Summary,
)
from clinfo.sources import demo
from clinfo.text.abstracts import label_role
from clinfo.text.citations import citation_marks
from clinfo.text.sentences import sentences
from tests.shared_data import SHARED, needs_shared


def study(
    n: int,
    title: str,
    abstract: str,
    size: int | None = None,
    stance: Stance | None = None,
    direction: Direction | None = None,
    design: str | None = "randomised controlled trial",
    finding: str = "",
) -> Study:
    article = Article(
        id=f"pmid:{n}", pmid=str(n), title=title, sections=(Section(abstract, "RESULTS"),)
    )
    return Study(
        n, article, Summary(finding, design, size, stance=stance, effect_direction=direction)
    )


STUDIES = (
    study(
        1,
        "Krill oil and death in adults: a trial in 1200 people",
        "In 1,200 adults krill oil lowered mortality (HR 0.75, 95% CI 0.60 to 0.94; P=.01). "
        "Stroke fell by 12%. The dose was 4 g/day.",
        1200,
        "supports",
        "decreased",
        finding="Krill oil cut hospital stays by 33 %.",
    ),
    study(
        2,
        "Krill oil and stroke",
        (
            "We followed 800 women for two years. Stroke was as common with krill oil as without "
            "(12% v 11%). Half of them smoked."
        ),
        800,
        "contradicts",
        "no difference",
        "prospective cohort study",
    ),
    study(
        3,
        "Krill oil in heart failure",
        "310 patients took part. Deaths were fewer among those given krill oil.",
        310,
        "supports",
        "decreased",
    ),
    study(
        4,
        "Krill oil and mood",
        "Mood was recorded in 45 students with a diary.",
        45,
        "mixed",
        "unclear",
    ),
    study(
        5,
        "A letter on krill oil",
        "The taste is discussed.",
        None,
        "other outcomes",
        "unclear",
        "editorial or letter",
    ),
)


def one(text: str, part: str = "synthesis", studies: Sequence[Study] = STUDIES) -> Sentence:
    """The only sentence of a text, checked."""
    (sentence,) = check(text, "tldr" if part == "tldr" else "synthesis", studies).sentences
    return sentence


def quoted(span: Span) -> str:
    article = STUDIES[span.n - 1].article
    return (article.title if span.field == "title" else article.abstract)[span.start : span.end]


def test_a_sentence_worded_as_its_source_is_supported_by_that_passage() -> None:
    sentence = one(
        "In 1,200 adults krill oil lowered mortality (HR 0.75, 95 % CI 0.60–0.94; p = 0·01) [1]."
    )
    assert (sentence.verdict, sentence.near, sentence.cites) == ("supported", True, (1,))
    assert [quoted(span)[-7:] for span in sentence.spans] == ["P=.01)."]
    assert sentence.reason == "matches [1], compared word by word"


def test_the_title_is_a_passage_too() -> None:
    sentence = one(
        "The authors report that krill oil reduces mortality [1].",
        studies=(study(1, "Krill oil reduces mortality", "Nothing."),),
    )
    assert (sentence.verdict, sentence.spans) == ("supported", (Span(1, "title", 0, 27),))


def test_a_figure_that_stands_nowhere_is_named_whatever_the_wording() -> None:
    sentence = one("Krill oil was good for life, with 19 % fewer deaths among its users [1].")
    assert (sentence.verdict, sentence.near, sentence.reason) == (
        "unsupported",
        False,
        "19 % does not appear in [1]",
    )


def test_a_figure_of_the_summary_alone_does_not_count() -> None:
    sentence = one("Krill oil cut hospital stays by 33 % [1].")
    assert (sentence.verdict, sentence.reason) == ("unsupported", "33 % does not appear in [1]")


def test_one_wrong_figure_among_right_ones_is_enough() -> None:
    sentence = one(
        "In 1,200 adults krill oil lowered mortality (HR 0.75, 95 % CI 0.60 to 0.95) [1]."
    )
    assert (sentence.verdict, sentence.reason) == (
        "unsupported",
        "[1] says “0.94”, the sentence says “0.95”",
    )


@pytest.mark.parametrize(
    "name",
    [
        "type 2 diabetes",
        "CYP3A4",
        "vitamin B12",
        "GLP-1",
        "COVID-19",
        "IL-6",
        "Omega-3",
        "HbA1c",
        "phase 3 trials",
        "a 2012 guideline",
    ],
)
def test_numbers_in_names_are_no_figures_to_prove(name: str) -> None:
    assert (
        one(f"Those with {name} had strokes just as often on the capsules [2].").verdict
        == "not_verified"
    )


def test_small_words_and_people_may_change() -> None:
    sentence = one("Deaths were fewer in patients given krill oil [3].")
    assert sentence.verdict == "supported"
    assert [quoted(span) for span in sentence.spans] == [
        "Deaths were fewer among those given krill oil."
    ]


def test_free_wording_is_not_verified_and_points_at_the_closest_passage() -> None:
    sentence = one("Fewer people died when they took krill oil [3].")
    assert (sentence.verdict, sentence.near) == ("not_verified", False)
    assert sentence.reason == "no check could confirm this wording; read the passage"
    assert [quoted(span) for span in sentence.spans] == [
        "Deaths were fewer among those given krill oil."
    ]


def test_a_sentence_without_citation_is_uncited() -> None:
    assert (one("Krill oil is cheap.").verdict, one("Krill oil is cheap.").reason) == (
        "uncited",
        "no citation",
    )
    assert one("Stroke fell by 12 %.").verdict == "uncited"


def test_a_count_does_not_excuse_a_clinical_figure() -> None:
    for part in ("tldr", "synthesis"):
        sentence = one("Of the 5 studies retrieved, 2 support this, with deaths cut by 77 %.", part)
        assert (sentence.verdict, sentence.counts_only) == ("uncited", False)


def test_participants_in_brackets_vouch_for_no_finding() -> None:
    """A sum of participants that the record bears out made any sentence supported."""
    sentence = one("Two trials (1,510 participants) found that krill oil cures dementia [1][3].")
    assert (sentence.verdict, sentence.counts_only) == ("not_verified", False)
    assert "computed from [1], [3]" in sentence.reason


COUNTS = {
    "Two of the 5 studies retrieved support this.": "13",
    "Yes: 2 of the 5 studies retrieved (1,510 participants) support this.": "13",
    "5 studies were retrieved.": "12345",
    "Three trials were retrieved.": "134",
    "Four trials were retrieved.": None,
    "The trials and one cohort study were read.": "2",
    (
        "2 of the 5 studies retrieved (1,510 participants) support this, while 1 (800 "
        "participants) speaks against it."
    ): "132",
    "No: 2 of the 5 studies retrieved speak against it.": None,
    "1 of the 5 studies retrieved found no difference.": "2",
    "4 of the 5 studies retrieved (2,355 participants) bear on it.": "1234",
    "4 of the 6 studies retrieved bear on it.": None,
    "None of the 5 studies retrieved answers the question.": "12345",
    "Of the 5 studies retrieved, 2 support a no.": None,
    "All 5 studies (2,355 participants) were read.": "1234",
    "2 trials (1,510 participants) found fewer deaths.": "13",
    "3 trials found fewer deaths.": None,
}


@pytest.mark.parametrize("text", COUNTS)
def test_counts_are_checked_against_the_record(text: str) -> None:
    sentence = one(text, "tldr")
    named = COUNTS[text]
    if named is None:
        assert sentence.verdict == "unsupported"
        assert "is not a count of the studies retrieved" in sentence.reason
    else:
        assert sentence.verdict == "not_verified", sentence.reason
        assert sentence.counts_only
        assert "computed from" in sentence.reason
        assert set(named) <= set(re.findall(r"\[(\d)\]", sentence.reason))


def test_a_wrong_number_of_participants_is_unsupported() -> None:
    sentence = one("They had 2,356 participants.", "tldr")
    assert sentence.verdict == "unsupported"
    assert (
        sentence.reason
        == "2,356 participants appears in none of the abstracts of the studies retrieved"
    )


def test_the_size_of_one_study_is_that_of_its_abstract_or_of_the_record() -> None:
    studies = (
        study(1, "Salt", "Salt was tried in two groups of adults.", 90),
        study(2, "Salt again", "Salt failed.", 10),
    )
    told = (
        "A randomised trial of {} adults concluded that salt was tried in two groups of adults [1]."
    )
    trial = (study(1, "A randomised trial of salt", "Salt was tried in two groups of adults.", 90),)
    assert one(told.format(90), studies=trial).verdict == "supported"
    assert one(told.format(80), studies=trial).verdict == "unsupported"
    both = one("Taken together they gave salt to 100 adults [1][2].", studies=studies)
    assert both.verdict == "not_verified"  # not condemned: the record bears out the sum


def test_one_count_says_only_what_it_was_computed_from() -> None:
    assert one("Two trials support this.", "tldr").reason == "computed from [1], [3]"
    assert one("Two trials support this.").counts_only


def test_counts_with_the_studies_cited_behind_them() -> None:
    sentence = one(
        "Of the 5 studies retrieved, 2 (1,510 participants) support a yes [1][3] and 1 gives a "
        "mixed answer [4]."
    )
    assert sentence.counts_only, sentence.reason
    assert "computed from [1], [3]" in sentence.reason
    assert "computed from [4]" in sentence.reason


def test_a_tldr_may_take_its_words_from_any_study() -> None:
    sentence = one("Stroke fell by 12 %.", "tldr")
    assert (sentence.verdict, [span.n for span in sentence.spans]) == ("supported", [1])
    assert one("Yes: stroke fell by 13 %.", "tldr").verdict == "unsupported"
    assert one("It helps.", "tldr").verdict == "uncited"


def test_a_study_without_summary_or_abstract_is_no_obstacle() -> None:
    bare = Study(1, Article(id="pmid:1", pmid="1", title="Salt"), None)
    assert one("Salt is salty [1].", studies=(bare,)).verdict == "not_verified"
    assert one("1 study was retrieved.", "tldr", (bare,)).counts_only
    assert check("", "tldr", ()).sentences == ()


REMOVALS = {
    "It fell [9].": ("It fell.", (9,)),
    "It fell [1, 9].": ("It fell [1].", (9,)),
    "It fell [1][9]. It rose [8].": ("It fell [1]. It rose.", (9, 8)),
    "It fell [4-6].": ("It fell [4, 5].", (6,)),
    "It fell [1–3].": ("It fell [1–3].", ()),
    "It fell. [7] It rose.": ("It fell. It rose.", (7,)),
    "It fell [0] by half.": ("It fell by half.", (0,)),
    "The IQR [12, 45] was wide [1].": ("The IQR [12, 45] was wide [1].", ()),
    "In [2012] it fell [1].": ("In [2012] it fell [1].", ()),
    "[9]": ("", (9,)),
}


@pytest.mark.parametrize("text", REMOVALS)
def test_invented_numbers_are_removed_and_reported(text: str) -> None:
    checked = check(text, "synthesis", STUDIES)
    assert (checked.text, checked.invented) == REMOVALS[text]


def test_the_sentence_that_had_an_invented_number_says_so() -> None:
    first, second = check(
        "Mood was recorded in a diary [9]. Deaths were fewer [3].", "synthesis", STUDIES
    ).sentences
    assert (first.verdict, first.reason) == (
        "unsupported",
        "[9] leads to no study and was removed; nothing else is cited",
    )
    assert "removed" not in second.reason


def test_ranges_and_runs_of_citations_are_read() -> None:
    assert one("Krill oil was studied [1-3], [5].").cites == (1, 2, 3, 5)
    assert one("Krill oil was studied [1][2, 3;4].").cites == (1, 2, 3, 4)


def test_leads_keep_the_form_of_the_text() -> None:
    text = "Overview:\n- Deaths were fewer [3].\n- Mood was recorded [4]. It\u00a0was fine."
    checked = check(text, "synthesis", STUDIES)
    assert checked.text == text
    assert [sentence.lead for sentence in checked.sentences] == ["", "\n- ", "\n- ", " "]


pieces = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "[1]",
                "[9]",
                "[2, 9]",
                "[1-3]",
                "[4–8]",
                "[1][2]",
                "[0]",
                "[]",
                "[",
                "]",
                "[1,",
                "2]",
                "[12",
                "CI [3, 9]",
                "[2019]",
            ]
        ),
        st.sampled_from(
            [
                "Deaths fell.",
                "12 %",
                "2 of 5 studies",
                "(1,510 participants)",
                "support",
                "e.g.",
                "\n- ",
                " ",
                ". ",
                "and",
            ]
        ),
        st.text(max_size=4),
    ),
    max_size=20,
).map("".join)


@given(pieces, st.sampled_from(["synthesis", "tldr"]), st.integers(0, 5))
def test_only_bracket_numbers_are_ever_removed(text: str, part: str, known: int) -> None:
    checked = check(text, "tldr" if part == "tldr" else "synthesis", STUDIES[:known])
    remaining = [number for mark in citation_marks(checked.text) for number in mark.numbers]
    assert all(1 <= number <= known for number in remaining)
    assert stripped(checked.text) == stripped(text)
    assert not set(checked.invented) & set(range(1, known + 1))
    for sentence in checked.sentences:
        assert set(sentence.cites) <= set(range(1, known + 1))
        assert sentence.text == sentence.text.strip() != ""
        for span in sentence.spans:
            article = STUDIES[span.n - 1].article
            assert (
                0
                <= span.start
                < span.end
                <= len(article.title if span.field == "title" else article.abstract)
            )


def stripped(text: str) -> str:
    """The text without white space and bracket numbers, also those left by taking out others."""
    left = re.sub(r"\s+", "", text)
    while (less := re.sub(r"\[\d{1,3}(?:[,;–—‑−-]\d{1,3})*\]", "", left)) != left:
        left = less
    return left


@given(pieces)
def test_the_same_text_is_judged_the_same(text: str) -> None:
    assert check(text, "synthesis", STUDIES) == check(text, "synthesis", STUDIES)


LAMPS = tuple(
    study(
        n,
        "Trial of lamps",
        "Adults with low mood sat by bright lamps. No benefit was seen.",
        50 * n,
        "contradicts",
        "no difference",
    )
    for n in (1, 2, 3)
)
COUNTS_OF_LAMPS = {
    "All three studies retrieved reported complete remission.": "uncited",
    "3 studies retrieved showed lamps to be curative.": "uncited",
    "3 of 3 studies retrieved reported remission.": "uncited",
    "Bright lamps cure low mood: 3 studies were retrieved.": "uncited",
    "Two trials found that lamps cure low mood in a week [1][2].": "not_verified",
    "Three trials (300 participants) showed that lamps heal winter depression [1][2][3].": "not_verified",  # noqa: E501
    "Of 3 studies retrieved, 2 reported remission [1][2] and 1 reported death [3].": "not_verified",
    "All three studies retrieved support complete remission.": "unsupported",
    "All three studies retrieved speak against complete remission in toddlers.": "uncited",
    "Two trials found that bright lamps gave no benefit in low mood [1][2].": "counted",
    "All 3 studies retrieved found no benefit in low mood.": "counted",
    "All 3 studies retrieved found that it does not.": "counted",
    "All 3 studies retrieved found that it does.": "unsupported",
    "No: 3 of 3 studies retrieved (300 participants) speak against this [1-3].": "counted",
    "3 studies were retrieved.": "counted",
    "Both studies do not support this [1], [2].": "counted",
    "Both studies support this [1], [2].": "not_verified",
    "Both cohort studies speak against this [1], [2].": "not_verified",
    "Yes [1].": "not_verified",
}


@pytest.mark.parametrize("text", COUNTS_OF_LAMPS)
@pytest.mark.parametrize("part", ["synthesis", "tldr"])
def test_a_count_proves_the_count_and_nothing_else(text: str, part: str) -> None:
    sentence = one(text, part, LAMPS)
    assert ("counted" if sentence.counts_only else sentence.verdict) == COUNTS_OF_LAMPS[text], (
        sentence.reason
    )


def test_a_right_figure_vouches_for_no_words() -> None:
    assert one("Krill oil cured the stroke of 800 women [2].").verdict == "not_verified"
    assert one("Chemotherapy cured 800 women.", "tldr").verdict == "uncited"


def test_each_study_cited_must_carry_the_clause() -> None:
    assert one("The dose was 4 g/day [1].").verdict == "supported"
    assert one("The dose was 4 g/day [1][4].").verdict == "partial"
    twins = (
        study(1, "Salt", "Pain fell by 12% with salt."),
        study(2, "Salt again", "Pain fell by 12% with salt."),
    )
    assert one("Pain fell by 12 % with salt [1][2].", studies=twins).verdict == "supported"


def test_a_sentence_of_two_articles_is_judged_clause_by_clause() -> None:
    right = one(
        "Deaths were fewer among those given krill oil [3], while stroke was as common with krill "
        "oil as without [2]."
    )
    assert (right.verdict, right.near) == ("supported", True)
    swapped = one(
        "Deaths were fewer among those given krill oil [2], while stroke was as common with krill "
        "oil as without [3]."
    )
    assert swapped.verdict == "not_verified"
    half = one(
        "Deaths were fewer among those given krill oil [3], while brain attacks did not change at "
        "all [2]."
    )
    assert (half.verdict, half.near) == ("partial", False)
    wrong = one(
        "Deaths were fewer among those given krill oil [3], while stroke was less common with "
        "krill oil than without [2]."
    )
    assert wrong.verdict in ("unsupported", "contradicted", "partial")


def test_a_sentence_with_nothing_but_invented_citations_is_unsupported() -> None:
    sentence = one("Stroke fell by 12 % [9].")
    assert sentence.verdict == "unsupported"
    assert sentence.reason == "[9] leads to no study and was removed; nothing else is cited"
    assert one("Stroke fell by 12 % [1, 9].").verdict == "supported"


def test_reviews_are_in_no_sum_of_people() -> None:
    review = study(
        4,
        "Review of lamps",
        "Forty trials were pooled.",
        40,
        "contradicts",
        design="systematic review and meta-analysis",
    )
    studies = (*LAMPS, review)
    assert one("The studies had 300 participants [1-4].", studies=studies).counts_only
    assert one("The studies had 340 participants [1-4].", studies=studies).verdict == "unsupported"
    sentence = one(
        "All 4 studies retrieved (300 participants where stated) speak against this [1-4].",
        studies=studies,
    )
    assert sentence.counts_only
    assert "computed from [1], [2], [3] (sample sizes as summarised)" in sentence.reason


def test_a_protocol_is_known_by_the_record() -> None:
    protocol = study(
        1, "Lamps", "Adults will sit by lamps.", design="study protocol", stance="other outcomes"
    )
    assert one("A study protocol gives no results yet [1].", studies=(protocol,)).counts_only
    assert one("A study protocol gives no results yet [1].", studies=LAMPS).verdict == "unsupported"


@pytest.mark.slow
@needs_shared
def test_copies_of_real_sentences_are_supported() -> None:
    chance = random.Random(5)
    verdicts: Counter[str] = Counter()
    for name in ("pubmedqa", "pmc_trial", "drug_class_review"):
        with gzip.open(SHARED / "citations" / f"{name}_citations.xml.gz") as file:
            records = list(ET.parse(file).iter("PubmedArticle"))
        for record in chance.sample(records, 60):
            sections = tuple(
                Section("".join(part.itertext()), part.get("Label"))
                for part in record.iter("AbstractText")
            )
            title = record.find(".//ArticleTitle")
            assert title is not None
            article = Article("pmid:1", "".join(title.itertext()), pmid="1", sections=sections)
            telling = [
                part
                for part in sections
                if label_role(part.label) in (None, "results", "conclusion")
            ]
            found = [
                text
                for part in telling
                for text in sentences(part.text)
                if "[" not in text and len(text.split()) > 4
            ]
            for text in chance.sample(found, min(3, len(found))):
                claim = (
                    f"{chance.choice(('', 'The authors found that '))}{text.rstrip('.!? ')} [1]."
                )
                verdicts[
                    check(claim, "synthesis", (Study(1, article, None),)).sentences[-1].verdict
                ] += 1
    assert verdicts.total() > 400
    assert verdicts["supported"] / verdicts.total() >= 0.97, verdicts


OVERCLAIMS = {
    "The literature shows that it works.": "The literature shows",
    "All studies show a benefit.": "All studies show",
    "There is no evidence of harm.": "There is no evidence",
    "There is strong clinical evidence for it.": "There is strong clinical evidence",
    "Current evidence suggests a benefit.": "Current evidence suggests",
    "Studies have consistently shown a benefit.": "Studies have consistently shown",
    "No randomised trials have looked at it.": "No randomised trials have",
    "It is well known that fish swim.": "It is well known",
}


@pytest.mark.parametrize("text", OVERCLAIMS)
def test_wording_about_the_whole_literature_is_found(text: str) -> None:
    assert overclaims(f"Deaths fell [1]. {text}") == (OVERCLAIMS[text],)


@pytest.mark.parametrize(
    "text",
    [
        "All studies retrieved show a benefit.",
        "There is no evidence of harm in the studies retrieved.",
        "None of these trials found a difference [1][2].",
        "The evidence is mixed in these studies.",
        "Most of the 9 studies retrieved found a benefit.",
        "The trial found no evidence of harm [1].",
        "Several studies have shown a benefit [1][3].",
    ],
)
def test_wording_about_the_studies_retrieved_is_let_pass(text: str) -> None:
    assert overclaims(text) == ()


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Yes: 2 of the 5 studies retrieved support this [1], [3].", "counted"),
        ("No: 2 of the 5 studies retrieved support this [1], [3].", "unsupported"),
        ("Yes: 1 of the 5 studies retrieved does not support this [2].", "unsupported"),
        ("No: 1 of the 5 studies retrieved does not support this [2].", "counted"),
    ],
)
def test_an_answer_cannot_stand_against_its_own_count(text: str, verdict: str) -> None:
    found = one(text, "tldr")
    assert ("counted" if found.counts_only else found.verdict) == verdict


COLD = (
    study(
        1,
        "Zinc lozenges for the common cold in adults with asthma: a randomised trial",
        (
            "We studied 182 adults with asthma for 12 weeks. In women, zinc lozenges were not "
            "significantly associated with nausea. "
            "Mean forced expiratory volume rose from 66.8 kPa to 71.2 kPa with zinc lozenges. "
            "Symptoms were milder with zinc lozenges than with placebo. Coughing fell by 12% in "
            "the "
            "subgroup of smokers. "
            "Zinc lozenges may shorten colds. Of 90 patients given zinc, 12 had headache at 4 "
            "weeks."
        ),
    ),
)
PLAIN = {
    "Mean forced expiratory volume rose from 66.8 kPa to 71.2 kPa with zinc lozenges [1].": (
        "supported",
        "matches [1]",
    ),
    "Mean forced expiratory volume rose from 66.8 mmHg to 71.2 kPa with zinc lozenges [1].": (
        "unsupported",
        "says “66.8 kPa”",
    ),
    "Mean forced expiratory volume rose from 71.2 kPa to 66.8 kPa with zinc lozenges [1].": (
        "contradicted",
        "71.2",
    ),
    "Mean forced expiratory volume fell from 66.8 kPa to 71.2 kPa with zinc lozenges [1].": (
        "contradicted",
        "“rose”",
    ),
    "Mean forced expiratory volume rose from 66.8 kPa to 71.2 kPa with iron lozenges [1].": (
        "unsupported",
        "“iron”",
    ),
    "Mean peak expiratory volume rose from 66.8 kPa to 71.2 kPa with zinc lozenges [1].": (
        "unsupported",
        "“peak”",
    ),
    "In women, zinc lozenges were significantly associated with nausea [1].": (
        "contradicted",
        "“not”",
    ),
    "In men, zinc lozenges were not significantly associated with nausea [1].": (
        "unsupported",
        "“women”",
    ),
    "In women, zinc lozenges did not significantly cause nausea [1].": ("unsupported", "“cause”"),
    "Symptoms were milder with zinc lozenges than with placebo [1].": (
        "supported",
        "matches [1]",
    ),
    "Symptoms were milder with placebo than with zinc lozenges [1].": (
        "contradicted",
        "in another place",
    ),
    "Symptoms were milder with zinc lozenges than with vitamins [1].": (
        "unsupported",
        "“vitamins”",
    ),
    "Coughing fell by 12% in the subgroup of smokers [1].": ("supported", "matches [1]"),
    "Coughing fell to 12% in the subgroup of smokers [1].": ("unsupported", "“by”"),
    "Coughing fell by 12% in all smokers [1].": ("unsupported", "“all”"),
    "Zinc lozenges shorten colds [1].": ("partial", "leaves out “may”"),
    "Of 90 nurses given zinc, 12 had headache at 4 weeks [1].": ("unsupported", "“nurses”"),
    "Of 90 patients given zinc, 12 had headache at 4 months [1].": ("unsupported", "“4 months”"),
    (
        "A randomised trial of 182 participants concluded that symptoms were milder with zinc "
        "lozenges than with placebo [1]."
    ): (
        "supported",
        "matches [1]",
    ),
    (
        "A retrospective cohort study concluded that symptoms were milder with zinc lozenges than "
        "with placebo [1]."
    ): (
        "unsupported",
        "retrospective",
    ),
    (
        "A randomised trial of 640 participants concluded that symptoms were milder with zinc "
        "lozenges than with placebo [1]."
    ): (
        "unsupported",
        "640",
    ),
}


@pytest.mark.parametrize("text", PLAIN)
def test_plain_errors_in_near_wording_are_found_and_named(text: str) -> None:
    sentence = one(text, studies=COLD)
    verdict, why = PLAIN[text]
    assert (sentence.verdict, why in sentence.reason) == (verdict, True), (
        sentence.verdict,
        sentence.reason,
    )


def test_a_randomised_trial_over_a_cohort_is_condemned() -> None:
    cohort = (
        study(
            1,
            "Zinc and colds: a retrospective cohort study",
            "Colds were shorter in those who took zinc lozenges.",
        ),
    )
    said = "concluded that colds were shorter in those who took zinc lozenges [1]."
    assert one(f"A retrospective cohort study {said}", studies=cohort).verdict == "supported"
    assert one(f"A randomised trial {said}", studies=cohort).verdict == "unsupported"


@pytest.mark.parametrize(
    "text",
    [
        "Two in every fifteen of those on zinc came down with a headache [1].",
        (
            "After about three months the expiratory volume of those with asthma had gone up by "
            "4.4 kPa [1]."
        ),
        "Roughly 180 people took part [1].",
        "Some 13 % of those given zinc had headaches a month into the trial [1].",
    ],
)
def test_numbers_reckoned_rounded_or_in_words_condemn_nothing(text: str) -> None:
    assert one(text, studies=COLD).verdict == "not_verified"


def test_a_number_that_has_another_unit_there_is_wrong_in_any_wording() -> None:
    sentence = one(
        "People's lungs could move much more air, some 71.2 mL by the end [1].", studies=COLD
    )
    assert (sentence.verdict, sentence.reason) == ("unsupported", "[1] has 71.2 kPa, not 71.2 mL")


def test_a_contradiction_points_at_the_passage() -> None:
    sentence = one("In 1,200 adults krill oil raised mortality (HR 0.75) [1].")
    assert sentence.verdict == "contradicted"
    assert any(
        "In 1,200 adults krill oil lowered mortality" in quoted(span) for span in sentence.spans
    )


def test_one_sentence_with_its_citations_apart() -> None:
    said = "In 1,200 adults krill oil lowered mortality (HR 0.75)"
    sentence = check_sentence(f"{said}.", [1], STUDIES)
    assert (sentence.verdict, sentence.cites, sentence.text) == ("supported", (1,), f"{said}.")
    assert check_sentence(f"{said} [1].", [1], STUDIES).verdict == "supported"
    assert check_sentence(f"{said.replace('0.75', '0.57')}.", [1], STUDIES).verdict == "unsupported"
    assert check_sentence("Krill oil lowered mortality.", [], STUDIES).verdict == "uncited"
    astray = check_sentence("Krill oil lowered mortality.", [9], STUDIES)
    assert (astray.verdict, astray.reason) == (
        "unsupported",
        "[9] leads to no study; nothing else is cited",
    )


def test_a_summary_is_checked_against_its_own_abstract() -> None:
    article = STUDIES[0].article
    first, second = check_summary(
        "In 1,200 adults krill oil lowered mortality (HR 0.75). Stroke rose by 12 %.", article
    )
    assert (first.part, first.verdict, first.cites) == ("summary", "supported", ())
    assert {span.n for span in first.spans} == {0}
    assert (second.verdict, second.reason) == (
        "contradicted",
        "the abstract says “fell”, the sentence says “rose”",
    )
    assert second.lead == " "
    (third,) = check_summary("Krill oil cut hospital stays by 33 %.", article)
    assert (third.verdict, third.reason) == ("unsupported", "33 % does not appear in the abstract")
    assert check_summary("", article) == ()


def faithless(question: str, studies: Sequence[Study]) -> list[str]:
    """Return what the judge condemns in the extractive model's synthesis, TL;DR and summaries."""
    checked = [
        sentence
        for part, text in (
            ("synthesis", synthesise(question, studies)),
            ("tldr", distil(question, studies)),
        )
        for sentence in check(text, "tldr" if part == "tldr" else "synthesis", studies).sentences
    ]
    for each in studies:
        if each.summary is not None:
            checked += check_summary(each.summary.finding, each.article)
    assert checked
    return [
        f"{each.verdict}: {each.reason}"
        for each in checked
        if each.verdict in ("unsupported", "contradicted")
    ]


@pytest.mark.slow
def test_the_extractive_model_is_faithful_on_the_demo_corpus() -> None:
    articles = demo.load()
    for question in demo.questions():
        studies = [
            Study(n, article, summarise(question, article)) for n, article in enumerate(articles, 1)
        ]
        assert faithless(question, studies) == []


@pytest.mark.slow
@needs_shared
def test_the_extractive_model_is_faithful_on_real_abstracts() -> None:
    with gzip.open(SHARED / "citations" / "pubmedqa_citations.xml.gz") as file:
        records = list(ET.parse(file).iter("PubmedArticle"))
    articles = []
    for record in random.Random(11).sample(records, 120):
        pmid, title = record.findtext(".//PMID"), record.find(".//ArticleTitle")
        assert title is not None
        assert pmid is not None
        sections = tuple(
            Section("".join(part.itertext()), part.get("Label"))
            for part in record.iter("AbstractText")
        )
        if int(pmid) % 2 == 0:
            articles.append(
                Article(f"pmid:{pmid}", "".join(title.itertext()), pmid=pmid, sections=sections)
            )
    condemned = []
    for first, second in pairwise(articles):
        question = first.title
        studies = [
            Study(n, article, summarise(question, article))
            for n, article in enumerate((first, second), 1)
        ]
        condemned += faithless(question, studies)
    assert len(articles) > 30
    assert condemned == []


def test_significance_that_the_passage_denies_is_no_support() -> None:
    falls = study(
        1,
        "Hip protectors and falls",
        (
            "In the intervention group 39.6% fell and in the control group 29.3%, which was not "
            "significant (P = 0.21)."
        ),
    )
    claim = (
        "In the intervention group 39.6% fell and in the control group 29.3%, which was "
        "significant (P = 0.21) [1]."
    )
    assert one(claim, studies=(falls,)).verdict == "contradicted"
    plain = one(
        "In the intervention group 39.6% fell and in the control group 29.3%, not significant [1].",
        studies=(falls,),
    )
    assert plain.verdict == "supported"


def test_what_is_said_of_all_needs_a_source_that_says_it_of_all() -> None:
    salve = (
        study(
            1,
            "A salve for eczema",
            (
                "Patients were cured with the salve. Itching stopped in 12 of 12 infants given the "
                "salve."
            ),
        ),
    )
    lie = one("All patients were cured with the salve [1].", studies=salve)
    assert (lie.verdict, lie.reason) == ("unsupported", "[1] says it without “All”")
    assert one("Patients were cured with the salve [1].", studies=salve).verdict == "supported"
