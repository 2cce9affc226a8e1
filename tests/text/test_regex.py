"""Patterns of the rules: compiled at their first use, not when a module is imported."""

from __future__ import annotations

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from clinfo.text.asked_parts import asked_parts
from clinfo.text.regex import anycase, regex
from clinfo.text.terms import StemSet, stem


def test_a_pattern_works_as_a_compiled_one() -> None:
    source, text = r"(?P<word>\bfall\w*)", "a fall, Falling and fallen"
    mine, theirs = anycase(source), re.compile(source, re.IGNORECASE)
    assert [match.span("word") for match in mine.finditer(text)] == [
        match.span("word") for match in theirs.finditer(text)
    ]
    assert mine.sub("-", text) == theirs.sub("-", text)
    assert (mine.pattern, mine.flags, mine.groups) == (theirs.pattern, theirs.flags, theirs.groups)
    assert regex(source).findall(text) == ["fall", "fallen"]


def test_a_wrong_pattern_is_found_at_its_first_use() -> None:
    wrong = regex("(")
    with pytest.raises(re.error):
        wrong.search("a")


def test_threads_may_use_a_pattern_at_once() -> None:
    pattern = anycase(r"\brises?\b")
    with ThreadPoolExecutor(8) as pool:
        assert (
            list(pool.map(lambda text: bool(pattern.search(text)), ["it rises", "it falls"] * 50))
            == [True, False] * 50
        )


def test_a_set_of_stems_holds_words_by_their_stems() -> None:
    people = StemSet("patients", StemSet("children"), keys=("woman",))
    assert set(people) == {stem("patients"), stem("children"), "woman"}
    assert {stem("patient"), "tree"} & people == {stem("patient")}


def test_importing_the_claims_loads_no_stemmer() -> None:
    program = (
        "import sys, clinfo.claims.cited, clinfo.text.abstracts; print('snowballstemmer' in "
        "sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == "False"


def test_a_match_names_no_lazy_pattern() -> None:
    """A match knows the compiled pattern, so rules tell patterns apart by their groups."""
    assert asked_parts("What is the effect of zinc on cough?").exact
    assert asked_parts("Does zinc reduce cough?").exact
    assert not asked_parts("Is zinc effective for cough?").exact
