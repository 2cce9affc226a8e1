"""How little support is too little to show an answer."""

import pytest

from clinfo.claims.joining import too_little
from clinfo.records.articles import Sentence, Verdict


def sentences(**counts: int) -> list[Sentence]:
    return [
        Sentence("synthesis", "x", (1,), verdict, "")
        for verdict, count in counts.items()
        for _ in range(count)
    ]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("counts", "withheld"),
    [
        ({"unsupported": 2}, False),
        ({"unsupported": 3}, True),
        ({"unsupported": 2, "contradicted": 1}, True),
        ({"supported": 1, "unsupported": 4}, False),
        ({"partial": 1, "unsupported": 4}, False),
        ({"supported": 1, "unsupported": 5}, True),
        ({"supported": 8, "unsupported": 33}, True),
        ({"not_verified": 40}, False),
        ({"not_verified": 40, "unsupported": 2}, False),
        ({"not_verified": 40, "unsupported": 3}, True),
        ({"uncited": 40, "unsupported": 2}, False),
        ({}, False),
    ],
)
def test_fewer_than_one_in_five_of_three_or_more_that_could_be_told(
    counts: dict[Verdict, int], withheld: bool
) -> None:
    assert bool(too_little(sentences(**counts))) is withheld


def test_a_text_that_cites_nothing_answers_from_no_article() -> None:
    uncited = Sentence("tldr", "I cannot help with that.", (), "uncited", "")
    assert too_little([uncited]) == "no sentence cites an article"
    assert too_little([uncited, *sentences(supported=1)]) == ""


def test_counts_of_studies_are_not_counted() -> None:
    counting = [Sentence("synthesis", "x", (1,), "supported", "", counts_only=True)] * 5
    said = too_little([*counting, *sentences(unsupported=3)])
    assert "3 sentences" in said
    assert "none" in said
