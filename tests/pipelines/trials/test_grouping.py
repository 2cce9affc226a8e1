"""Papers of one study."""

import pytest

from clinfo.errors import UsageError
from clinfo.pipelines.trials.papers import grouped
from clinfo.retrieval.documents import Document
from clinfo.retrieval.readers.plain import of_text


def paper(name: str, *numbers: str, title: str = "") -> Document:
    text = f"Registered as {', '.join(numbers)}." if numbers else "No number."
    return of_text(text, f"sha256:{name}", name, title or f"Paper {name}")


A = paper("a", "NCT00000001")
B = paper("b", title="A paper")
C = paper("c", "ISRCTN12345678", "NCT00000001")
REVIEW = paper("r", "NCT00000001", "NCT00000002", "NCT00000003", "NCT00000004")


def test_papers_that_share_a_registration_are_one_study() -> None:
    assert [(one.name, one.papers, one.why) for one in grouped([A, B, C])] == [
        ("NCT00000001", (A.id, C.id), "the papers name NCT00000001"),
        ("A paper", (B.id,), "one paper"),
    ]


def test_a_paper_that_names_many_trials_stands_alone() -> None:
    assert [one.papers for one in grouped([A, REVIEW])] == [(A.id,), (REVIEW.id,)]


def test_what_the_user_says_goes_first() -> None:
    found = grouped([A, B, C], {"Smith 2010": ["a", "b"]})
    assert [(one.name, one.papers) for one in found] == [
        ("Smith 2010", (A.id, B.id)),
        ("ISRCTN12345678", (C.id,)),
    ]


def test_equal_titles_get_names_of_their_own() -> None:
    twins = [paper("x", title="Same"), paper("y", title="Same")]
    assert [one.name for one in grouped(twins)] == ["Same", "Same (2)"]


@pytest.mark.parametrize(
    "told", [{"One": ["z"]}, {"One": ["a"], "Two": ["a"]}], ids=["unknown", "twice"]
)
def test_what_cannot_be_grouped_so_is_said(told: dict[str, list[str]]) -> None:
    with pytest.raises(UsageError):
        grouped([A, B], told)
