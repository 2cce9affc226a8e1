"""Folding and words, compared with Unicode's own tables character by character."""

import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.text.words import folded, key, keys, words


def test_words_are_runs_of_letters_and_digits_without_case_accents_and_styles() -> None:
    assert (
        key("Crohn's disease, IL-6 and β-catenin_2 (p<0.05)")
        == "crohn s disease il 6 and β catenin 2 p 0 05"
    )
    assert (
        key("Ménière Å\u030a ﬁbrosis x² ½ Straße ΑΣ ας")
        == "meniere a fibrosis x2 1 2 strasse ασ ασ"
    )
    assert words("IL-6, IL_6") == ["il", "6", "il", "6"]
    assert words(" \n –—… ") == []
    assert key("  Neoplasms,\nBreast ") == "neoplasms breast"


@pytest.mark.slow
def test_every_character_folds_as_its_plain_form_does_and_only_once() -> None:
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        apart = "".join(
            part for part in unicodedata.normalize("NFKD", char) if not unicodedata.combining(part)
        )
        found = folded(char)
        assert found == unicodedata.normalize("NFKC", apart).casefold(), hex(code)
        if not found.isascii():
            assert folded(found) == found, hex(code)


TEXTS = st.text(st.characters(codec="utf-8") | st.sampled_from("aÉß-' \n½²Σ\u0301"), max_size=30)


@given(TEXTS)
def test_words_are_found_in_the_folded_text(text: str) -> None:
    assert words(text) == re.findall(r"[^\W_]+", folded(text))


@given(st.lists(TEXTS, max_size=6))
def test_keys_of_many_texts_are_those_of_each(texts: list[str]) -> None:
    assert keys(texts) == [key(text) for text in texts]


@given(TEXTS, TEXTS)
def test_words_do_not_depend_on_their_company(one: str, two: str) -> None:
    assert words(f"{one} {two}") == words(one) + words(two)
