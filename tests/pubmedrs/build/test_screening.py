"""Single records, read from their XML, through the screening."""

from datetime import date
from typing import Any

import pytest

from clinfo.pubmed.xml import read_article
from pubmedrs.build.screening import Draft, Rejection, screened
from tests.pubmedrs.build.reviews import SECTIONS, review


def _outcome(**how: Any) -> Draft | Rejection:
    return screened(read_article(review(7, **how).encode()))


def _with(results: str, conclusion: str = "Zinc may help.") -> list[tuple[str, str]]:
    return [*SECTIONS[:2], ("RESULTS", results), ("CONCLUSIONS", conclusion)]


def test_a_whole_review_becomes_a_question_with_its_answer() -> None:
    draft = _outcome()
    assert isinstance(draft, Draft)
    assert draft.question == "Does zinc help against acne?"
    assert draft.answer == (
        "Twelve studies were included. Zinc reduced lesions by half compared with placebo "
        "(RR 0.50, 95% CI 0.40 to 0.62).\n"
        "Zinc reduces acne lesions."
    )


@pytest.mark.parametrize(
    ("how", "step", "reason"),
    [
        ({"types": ("Journal Article", "Retracted Publication")}, "retraction", "retracted"),
        ({"sections": ()}, "abstract", "no abstract"),
        (
            {"sections": [("", "All in one piece. Zinc helps.")]},
            "abstract",
            "abstract without labelled sections",
        ),
        (
            {"title": "Zinc against acne: a systematic review."},
            "question",
            "no question in the title",
        ),
        ({"sections": [*SECTIONS[:2], SECTIONS[3]]}, "sections", "no results section"),
        ({"sections": SECTIONS[:3]}, "sections", "no conclusion section"),
        ({"title": "Does zinc help? A systematic review protocol."}, "proposal", "a protocol"),
        ({"title": "Does zinc help? Protocol for a systematic review."}, "proposal", "a protocol"),
        ({"title": "Does zinc help? A research proposal."}, "proposal", "a proposal"),
        ({"types": ("Journal Article", "Clinical Trial Protocol")}, "proposal", "a protocol"),
        (
            {"sections": _with("Twelve studies.", "Uncertain.")},
            "results",
            "too short",
        ),
        ({"printed": "", "electronic": None}, "date", "no publication date"),
    ],
)
def test_rejected_with_the_step_and_the_reason(how: dict[str, Any], step: str, reason: str) -> None:
    assert _outcome(**how) == Rejection("7", step, reason)


@pytest.mark.parametrize(
    ("printed", "electronic", "published"),
    [
        ("<Year>2021</Year><Month>Nov</Month>", (2021, 6, 22), date(2021, 6, 22)),
        ("<Year>2021</Year>", (2021, 6, 22), date(2021, 6, 22)),
        ("<Year>2020</Year><Month>Nov</Month>", (2021, 6, 22), date(2020, 11, 1)),
        ("<Year>2021</Year><Month>Nov</Month>", None, date(2021, 11, 1)),
    ],
)
def test_the_day_of_publication(
    printed: str, electronic: tuple[int, int, int] | None, published: date
) -> None:
    draft = _outcome(printed=printed, electronic=electronic)
    assert isinstance(draft, Draft)
    assert draft.published == published
