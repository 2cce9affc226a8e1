"""Made-up sentences of which a claim leaves out, swaps or merges what carries the meaning."""

from dataclasses import replace

import pytest

from clinfo.claims.alignment import alike
from clinfo.claims.verify import check
from clinfo.records.articles import Article, Section, Study

CONDEMNED = ("unsupported", "contradicted")


def verdict(source: str, claim: str) -> str:
    study = Study(1, Article("pmid:2", "Notes", sections=(Section(f"{source}."),)), None)
    (sentence,) = check(f"{claim} [1].", "synthesis", (study,)).sentences
    return sentence.verdict


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (
            "It is unclear whether cold tea reduces night cramps in bakers",
            "Cold tea reduces night cramps in bakers",
        ),
        (
            "These data refute the claim that cold tea reduces night cramps",
            "Cold tea reduces night cramps",
        ),
        (
            "We hypothesised that cold tea reduces night cramps in bakers",
            "Cold tea reduces night cramps in bakers",
        ),
        (
            "If given early, cold tea reduces night cramps in bakers",
            "Cold tea reduces night cramps in bakers",
        ),
        (
            "Larger trials are needed to show that cold tea reduces night cramps",
            "Cold tea reduces night cramps",
        ),
        (
            "Night cramps in bakers were hardly reduced by cold tea",
            "Night cramps in bakers were reduced by cold tea",
        ),
        (
            "Cold tea was less effective for night cramps in bakers",
            "Cold tea was effective for night cramps in bakers",
        ),
        (
            "Cold tea was superior to stretching for night cramps",
            "Stretching was superior to cold tea for night cramps",
        ),
        (
            "Tea outperformed stretching for cramps in bakers",
            "Stretching outperformed tea for cramps in bakers",
        ),
        (
            "Poor sleep predicted night cramps in bakers",
            "Night cramps predicted poor sleep in bakers",
        ),
        (
            "Bakers preferred tea over stretching for cramps",
            "Bakers preferred stretching over tea for cramps",
        ),
        (
            "Adding quinine to magnesium relieved night cramps",
            "Adding magnesium to quinine relieved night cramps",
        ),
    ],
)
def test_what_unsays_or_turns_a_sentence_may_not_go(source: str, claim: str) -> None:
    assert verdict(source, claim) in (*CONDEMNED, "not_verified")


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (
            "Cramps were nearly significantly reduced with tea in bakers",
            "Cramps were significantly reduced with tea in bakers",
        ),
        ("Tea helped in some bakers with night cramps", "Tea helped in bakers with night cramps"),
        (
            "Deaths from other causes were rarer with tea in bakers",
            "Deaths from causes were rarer with tea in bakers",
        ),
        ("Tea would reduce night cramps in bakers", "Tea reduced night cramps in bakers"),
        ("Tea reduced night cramps in bakers (p = 0.45)", "Tea reduced night cramps in bakers"),
        (
            "Tea reduced night cramps in bakers; this effect disappeared after adjustment",
            "Tea reduced night cramps in bakers",
        ),
        (
            "Tea reduced night cramps, a difference explained by confounding",
            "Tea reduced night cramps",
        ),
    ],
)
def test_what_weakens_a_sentence_may_not_go_unseen(source: str, claim: str) -> None:
    assert verdict(source, claim) not in ("supported", *CONDEMNED)


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        (
            "Tea eased not only cramps but also pain in bakers",
            "Tea eased cramps and pain in bakers",
        ),
        (
            "Tea did not reduce night cramps in bakers (p = 0.45)",
            "Tea did not reduce night cramps in bakers",
        ),
        (
            "Tea reduced night cramps in bakers (p = 0.01), and sleep improved",
            "Tea reduced night cramps in bakers",
        ),
        (
            "At one year tea reduced night cramps in bakers",
            "Tea reduced night cramps in bakers at one year",
        ),
    ],
)
def test_what_stays_true_is_supported(source: str, claim: str) -> None:
    assert verdict(source, claim) == "supported"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("bronchiol", "bronch"),
        ("bronchiolit", "bronchit"),
        ("diverticul iti".replace(" ", ""), "diverticulosi"),
        ("carcinoid", "carcinoma"),
        ("methylprednisolon", "methylprednison"),
        ("cortisol", "cortison"),
    ],
)
def test_two_medical_words_with_one_beginning_are_not_alike(one: str, other: str) -> None:
    assert not alike(one, other)


@pytest.mark.parametrize(
    ("source", "claim", "verdict"),
    [
        ("Pain fell by half with drug A in women.", "Pain fell by half with drug A", "unsupported"),
        (
            "In older patients, drug A shortened the stay by two days.",
            "Drug A shortened the stay by two days",
            "unsupported",
        ),
        (
            "Drug A lowered the relapse rate in patients with severe disease.",
            "Drug A lowered the relapse rate",
            "unsupported",
        ),
        (
            "Drug A lowered the rate of relapse in patients with asthma.",
            "Drug A lowered the rate of relapse",
            "partial",
        ),
    ],
)
def test_what_was_found_of_a_part_of_the_people_is_not_told_of_all(
    source: str, claim: str, verdict: str
) -> None:
    article = Article("1", "Drug A: a trial", sections=(Section(source),))
    (sentence,) = check(f"{claim} [1].", "synthesis", [Study(1, article, None)]).sentences
    assert sentence.verdict == verdict
    whole = replace(article, title="Drug A for older women with severe disease")
    (sentence,) = check(f"{claim} [1].", "synthesis", [Study(1, whole, None)]).sentences
    assert sentence.verdict == "partial"
