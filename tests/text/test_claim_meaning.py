"""What an article says to a claim: made-up articles, honest claims in other words, and claims turned round."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinfo.records import Article, Section
from clinfo.text import everyday_synonyms
from clinfo.text.citations import citation_marks
from clinfo.text.claim_alignment import align, read
from clinfo.text.claim_clauses import clauses
from clinfo.text.claim_effects import opposite
from clinfo.text.claim_meaning import meaning, without_frame
from clinfo.text.claim_words import NOT, THAN, tokens

LAMPS = Article(
    "pmid:1",
    "Bright lamps for winter depression in nurses",
    sections=(
        Section("Night nurses often report low mood. Melatonin is widely sold for it.", "BACKGROUND"),
        Section("Nurses were randomised to bright lamps or dim lamps; a third arm took melatonin.", "METHODS"),
        Section(
            "Depressive symptoms were lower with bright lamps than with dim lamps at eight weeks. "
            "Melatonin did not improve sleep quality. Headache was more frequent with bright lamps than with melatonin. "
            "Absence from work was similar in the three groups. Survival of the lamps themselves was not studied. "
            "Mortality from myocardial infarction (MI) was reduced among men with bright lamps.",
            "RESULTS",
        ),
        Section("Bright lamps are effective against winter depression in nurses.", "CONCLUSIONS"),
    ),
)

SAID = {
    "Depressive symptoms were lower with bright lamps than with dim lamps at eight weeks": "found",
    "At eight weeks bright lamps had lowered depression more than dim lamps did": "found",
    "Depressive symptoms were higher with dim lamps than with bright lamps at eight weeks": "found",
    "Depressive symptoms were higher with bright lamps than with dim lamps at eight weeks": "opposite",
    "Depressive symptoms were not lower with bright lamps than with dim lamps at eight weeks": "opposite",
    "Melatonin did not improve sleep quality": "found",
    "Melatonin improved sleep quality": "opposite",
    "Melatonin failed to improve sleep quality": "found",
    "Headache was less frequent with bright lamps than with melatonin": "opposite",
    "Absence from work was similar in the three groups": "found",
    "Absence from work was different in the three groups": "opposite",
    "Absence from work did not differ between the three groups": "found",
    "Mortality from MI was reduced among men with bright lamps": "found",
    "Mortality from myocardial infarction was reduced among men with bright lamps": "found",
    "Mortality from myocardial infarction was reduced among nurses with bright lamps": "of another",
    "Mortality from myocardial infarction was reduced among men with melatonin": "of another",
    "Bright lamps are effective against winter depression in nurses": "found",
    "Bright lamps are ineffective against winter depression in nurses": "opposite",
    "Metformin lowered fasting glucose in obese adolescents with polycystic ovaries": "not found",
    "Warfarin is effective against winter depression in nurses": "not found",
}


@pytest.mark.parametrize("claim", SAID)
def test_what_an_article_says_to_a_claim(claim: str) -> None:
    said = meaning(claim, LAMPS)
    assert said.found == SAID[claim], said


def test_a_clash_names_both_words() -> None:
    clash = meaning("Headache was less frequent with bright lamps than with melatonin", LAMPS).clash
    assert clash is not None
    assert (clash.claim, clash.source) == ("less", "more")


def test_a_swap_names_both_terms() -> None:
    swap = meaning("Mortality from myocardial infarction was reduced among men with melatonin", LAMPS).swap
    assert swap is not None
    assert (swap.claim, swap.elsewhere) == ("melatonin", True)
    assert "bright" in swap.source


def test_a_claim_may_join_two_sentences() -> None:
    said = meaning("Melatonin did not improve sleep quality, and absence from work was similar in the three groups", LAMPS)
    assert said.found == "found"
    texts = [LAMPS.abstract[passage.start : passage.end] for passage in said.passages]
    assert {text.split()[0] for text in texts} == {"Melatonin", "Absence"}


def test_passages_are_places_of_the_canonical_abstract() -> None:
    (passage, *_) = meaning("Melatonin did not improve sleep quality", LAMPS).passages
    assert passage.field == "abstract"
    assert LAMPS.abstract[passage.start : passage.end] == "Melatonin did not improve sleep quality."


def test_what_only_says_who_found_it_is_left_out() -> None:
    framed = "In support, a randomised controlled trial of 412 participants concluded that bright lamps help"
    assert without_frame(framed).strip() == "bright lamps help"
    assert without_frame("Lamps that hang low show that wear is early") == "Lamps that hang low show that wear is early"


def test_acronyms_are_read_as_their_long_forms() -> None:
    known = dict(read(LAMPS).expansions)
    assert [token.key for token in tokens("MI", known)] == [token.key for token in tokens("myocardial infarction", known)]


@pytest.mark.parametrize(
    "pair",
    [
        "heart attack/myocardial infarction",
        "renal/kidney",
        "high blood pressure/hypertension",
        "newborns/neonatal",
        "gave birth/delivery",
    ],
)
def test_plain_english_is_read_as_the_words_of_articles(pair: str) -> None:
    one, _, other = pair.partition("/")
    assert [token.key for token in tokens(one, {})] == [token.key for token in tokens(other, {})]


def test_everyday_words_weigh_little() -> None:
    weights = {token.text: token.weight for token in tokens("Lamps gradually gave comfort and raised melatonin", {})}
    assert max(weights["gradually"], weights["gave"], weights["raised"]) < 0.4 < weights["melatonin"]


def test_the_list_of_plain_english_is_well_formed() -> None:
    entries = [line.split(" = ") for line in everyday_synonyms.PHRASES.strip().splitlines()]
    assert all(len(entry) == 2 and entry[0] != entry[1] for entry in entries)
    assert len({entry[0] for entry in entries}) == len(entries) > 300
    assert all(tokens(entry[1], {}) for entry in entries)
    groups = everyday_synonyms.WORDS.replace("\n  ", " ").strip().splitlines()
    assert all(len(group.split()) > 1 and group == group.lower() for group in groups)


def test_an_acronym_spelt_out_in_the_article_is_no_strange_name() -> None:
    article = Article("pmid:3", "Platelet-rich plasma for sore knees", sections=(Section("Platelet-rich plasma eased pain."),))
    assert meaning("PRP eased sore knees", article).unnamed == ()
    assert meaning("TXQ eased sore knees", article).unnamed == ("TXQ",)


def test_an_opposite_word_in_a_free_wording_is_a_doubt() -> None:
    free = "Among staff who work late, headache came up rather less, they felt, with bright lamps on the desk than with melatonin"
    said = meaning(free, LAMPS)
    assert said.found != "opposite"
    assert meaning("Headache was less frequent with bright lamps than with melatonin", LAMPS).found == "opposite"


def test_words_that_turn_a_statement_are_kept() -> None:
    assert [token.key for token in tokens("It did not differ, less than the others", {})] == [NOT, "differ", "less", THAN]


@pytest.mark.parametrize(
    "pair", ["higher lower", "improved worsened", "effective ineffective", "safe unsafe", "hypotension hypertension"]
)
def test_opposites(pair: str) -> None:
    one, other = pair.split()
    assert opposite(one, other)
    assert opposite(other, one)
    assert not opposite(one, one)


def test_clauses_go_with_their_citations() -> None:
    text = "Lamps lowered depressive symptoms in tired nurses [1], while melatonin left sleep quality unchanged overall [2]."
    first, second = clauses(text, citation_marks(text), (1, 2))
    assert (first.cites, second.cites) == ((1,), (2,))
    assert "melatonin" not in first.text
    assert "nurses" not in second.text
    short = "Lamps lowered depressive symptoms in nurses [1] and doctors [2]."
    assert [clause.whole for clause in clauses(short, citation_marks(short), (1, 2))][1].startswith("Lamps")


def test_shares_are_shares() -> None:
    found = align("Bright lamps and unheard-of zebras", read(LAMPS))
    assert 0 < found.share < found.share_of_article + 1e-9 < 1
    assert [token.text for token in found.missing if token.weight >= 1] == ["unheard", "zebras"]


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=80), st.text(max_size=80))
def test_odd_text_is_read_without_error(claim: str, abstract: str) -> None:
    said = meaning(claim, Article("pmid:2", "Odd", sections=(Section(abstract),)))
    assert 0 <= said.share <= 1
    assert all(0 <= passage.start < passage.end for passage in said.passages)


@pytest.mark.parametrize("unit", ["that ", "not ", "a ", "lower than ", "in the ", "-", "é", "showed that "])
def test_long_junk_takes_no_time(unit: str) -> None:
    import time

    began = time.process_time()
    meaning(unit * (100_000 // len(unit)), LAMPS)
    assert time.process_time() - began < 2
