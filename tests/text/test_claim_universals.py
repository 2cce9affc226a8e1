"""Sentences that say something of all or none, against what an article says of how many: invented pairs throughout."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinfo.records import Article, Section
from clinfo.text.claim_universals import universals, unmatched
from clinfo.verify import check_summary


def article(abstract: str, title: str = "") -> Article:
    return Article(id="x", title=title, sections=(Section(abstract),))


LIES = {
    "All patients were cured.": "Only regimens that reach a cure rate of 90 % in patients should be used.",
    "All patients were cured": "All patients received the tablets, and 60 % of patients were cured.",
    "All 40 patients were cured": "We treated 40 patients. All 40 took the tablets and 31 were cured.",
    "Every patient on ivabradine was cured.": "All patients received ivabradine. Cure was seen in 60 % of patients.",
    "Each child slept better with melatonin": "Children slept better with melatonin than with placebo.",
    "None of the patients relapsed.": "None of the patients had diabetes. Relapse was rare among patients.",
    "No patient died.": "Patients seldom died (2 %). There was no significant difference in cost.",
    "No participants dropped out": "Few participants dropped out. No evidence of bias was found.",
    "Not a single woman bled.": "Bleeding was less common in women given the drug.",
    "Pain was relieved in all cases.": "Pain was relieved in most cases. All-cause mortality was 2 %.",
    "Pain was relieved in every case": "Pain was relieved, and doses were given every 4 weeks in all groups.",
    "Aspirin always prevents stroke.": "Aspirin prevents stroke. All P < 0.05.",
    "The vaccine never causes fever.": "The vaccine seldom causes fever; the groups did not differ, with no differences in rash.",
    "The patients were all cured.": "The patients were cured in 88 % of cases.",
    "Everyone lost weight.": "Participants lost weight in each group.",
    "The wounds healed without exception": "Nearly all wounds healed.",
    "Nobody needed a transfusion.": "Not all adults needed a transfusion.",
    "All of the treated infants gained weight": "All but one of the treated infants gained weight.",
    "All trials found less pain.": "Eleven of twelve trials found less pain.",
    "Seizures stopped in all children.": "Seizures stopped in 18/20 children.",
    "All students who completed the course were satisfied": "Retention was 100 %. Students were satisfied with the course (71 %).",
    "All women completed the course": "Most women completed the course; 8 dropped out.",
    "All patients slept longer": "Patients slept longer and needed no tablets, assessed each time in both studies.",
    "All adults with relapse slept badly": "Adults with relapse slept badly; adults without relapse slept well.",
    "All of them were cured": "Many patients were cured.",
    "None were cured": "Few patients were cured.",
    "They were all cured": "Most patients were cured.",
    "Exercise invariably lowers blood pressure.": "Exercise lowers blood pressure.",
    "Exercise helps all elderly adults to sleep": "Exercise helps elderly adults to sleep. Never smokers slept longest.",
}

HONEST = {
    "All patients were cured.": "Cure was achieved in 20 of 20 patients.",
    "All patients were cured": "Cure: 100 % of patients.",
    "All 12 patients were cured": "All 12 patients were cured.",
    "Every patient was cured.": "We treated 14 people. All were cured.",
    "Each child slept better with melatonin": "With melatonin every child slept better.",
    "None of the patients relapsed.": "There were no relapses.",
    "None of the patients relapsed": "Relapse did not occur in any patient.",
    "No patient died.": "Death: 0/31 with the drug.",
    "No patient died": "All patients survived. No deaths occurred.",
    "All patients survived": "No deaths occurred.",
    "Pressure was 110 mmHg in the young, and 120 mmHg in all patients.": (
        "Pressure was 110 mmHg in the young, and 120 mmHg in all patients."
    ),
    "Not a single woman bled.": "Bleeding occurred in 0 % of women.",
    "Pain was relieved in all cases.": "Both patients had their pain relieved.",
    "Aspirin always prevents stroke.": "Aspirin prevents stroke in every case.",
    "The vaccine never causes fever.": "No fever was caused by the vaccine.",
    "The patients were all cured.": "All patients recovered fully and were cured.",
    "Nobody needed a transfusion.": "Zero transfusions were needed.",
    "All trials found less pain.": "Each of the nine trials found less pain.",
    "Seizures stopped in all children.": "Seizures stopped in 18/18 children.",
    "All 30 women completed the online course": "Women attended an online course. The retention rate was 100 %.",
}

NO_UNIVERSALS = (
    "All-cause mortality fell in patients.",
    "All outcomes favoured the drug in children.",
    "Overall survival of patients rose.",
    "There was no difference between patients and controls.",
    "No significant change was seen in patients.",
    "Patients were seen every 4 weeks.",
    "Each group had 20 patients.",
    "Pain fell in all groups.",
    "Pain fell in patients (all P < 0.05).",
    "There is no evidence that women benefit.",
    "No adverse events were seen in children.",
    "Not all patients were cured.",
    "The drug did not help every patient.",
    "Nearly all patients were cured.",
    "All but two patients were cured.",
    "12 % of all patients died.",
    "One death was prevented for every 20 patients treated.",
    "Never smokers lived longest.",
    "Women who had never been pregnant were older.",
    "All patient groups improved.",
    "No patient characteristics predicted relapse.",
    "The diary did not always help.",
    "It is unknown whether all patients need it.",
    "Patients took all doses.",
    "All antibiotic regimens cured patients.",
    "Screening all women halved deaths.",
    "Almost half had never relapsed.",
)


@pytest.mark.parametrize("claim", LIES)
def test_what_is_said_of_all_is_not_borne_out_by_what_is_said_of_some(claim: str) -> None:
    assert unmatched(claim, [article(LIES[claim])]) is not None


@pytest.mark.parametrize("claim", HONEST)
def test_what_is_said_of_all_is_borne_out_where_the_article_says_as_much(claim: str) -> None:
    assert unmatched(claim, [article(HONEST[claim])]) is None


@pytest.mark.parametrize("claim", NO_UNIVERSALS)
def test_other_uses_of_the_words_say_nothing_of_all(claim: str) -> None:
    assert universals(claim) == ()


def test_one_of_several_articles_is_enough() -> None:
    some, every = article("Most patients were cured."), article("Each patient was cured.")
    assert unmatched("All patients were cured.", [some]) == "All patients"
    assert unmatched("All patients were cured.", [some, every]) is None


def test_the_title_can_bear_it_out() -> None:
    assert unmatched("All patients were cured.", [article("Patients were cured.", "A salve that cured all patients")]) is None


def test_of_studies_only_where_asked() -> None:
    some = article("Most trials found less pain.")
    assert unmatched("All trials found less pain.", [some]) == "All trials"
    assert unmatched("All trials found less pain.", [some], studies=False) is None


def test_the_judge_calls_such_a_sentence_partial_at_most() -> None:
    regimens = article("Only antibiotic regimens that achieve a 90 % cure of patients should be used.")
    (sentence,) = check_summary("All patients were cured.", regimens)
    assert sentence.verdict not in ("supported", "uncited")
    (cured,) = check_summary("All patients were cured with the salve.", article("Patients were cured with the salve."))
    assert (cured.verdict, "“All patients”" in cured.why) == ("partial", True)
    (all_cured,) = check_summary("All patients were cured with the salve.", article("All patients were cured with the salve."))
    assert all_cured.verdict == "supported"


@given(st.text(max_size=200), st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_no_text_breaks_it(claim: str, abstract: str) -> None:
    assert isinstance(universals(claim), tuple)
    assert unmatched(claim, [article(abstract)]) is None or universals(claim)


@pytest.mark.parametrize("unit", ["all ", "all the ", "no patient ", "patients all ", "every other ", "of all patients and "])
def test_time_stays_small_in_hostile_text(unit: str) -> None:
    began = time.perf_counter()
    unmatched(unit * 1500, [article(unit * 3000)])
    assert time.perf_counter() - began < 5
