"""What phrases mean: those that a clinician takes for one thing meet, near misses do not."""

import pytest

from clinfo.terms.composed import (
    FILE,
    broader_headings,
    headings_with,
    meanings,
    understood,
)
from clinfo.terms.naming import known


@pytest.mark.parametrize("phrase", ["severe gout", "new asthma", "flibbery of the knee"])
def test_a_word_that_means_something_in_some_names_only_is_not_understood(phrase: str) -> None:
    assert not understood(phrase)


def test_a_fracture_with_more_said_of_it_is_below_the_heading_of_the_fracture() -> None:
    found = broader_headings(meanings("closed fracture of hip"), known())
    assert [known().descriptor(one).heading for one in found] == ["Hip Fractures"]  # type: ignore[union-attr]


def test_no_phrase_is_listed_with_two_meanings() -> None:
    seen: dict[str, str] = {}
    for line in FILE.read_text(encoding="utf-8").partition("\n# Goes without")[0].splitlines():
        meaning, _, said = line.partition(":")
        for phrase in said.split(",") if said and not line.startswith("#") else ():
            assert seen.setdefault(phrase.strip(), meaning) == meaning, phrase


@pytest.mark.parametrize("phrase", ["type 1", "medicines", "job", "nose", "drugs"])
def test_a_meaning_that_tells_no_one_heading_tells_none(phrase: str) -> None:
    assert headings_with(frozenset({meanings(phrase)}), known()) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("gangrene", "death"), ("heartburn", "acid reflux"), ("growth disorder", "tumour"),
        ("haematoma", "bruise"), ("facial paralysis", "Bell's palsy"), ("seizures", "epilepsy"),
        ("cellulite", "cellulitis"), ("bone marrow disease", "spinal cord disease"),
        ("gestational diabetes", "pregnancy in diabetics"), ("lockjaw", "tetanus infection"),
    ],
)  # fmt: skip
def test_what_is_near_is_not_the_same(one: str, other: str) -> None:
    assert meanings(one) != meanings(other)
