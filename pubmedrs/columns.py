"""The columns of the published file, and how a review is written into them."""

from __future__ import annotations

import json
from typing import Final

from pubmedrs.records import Review

COLUMNS: Final = (
    "specialty",
    "SubTopic",
    "Title",
    "Abstract",
    "Introduction",
    "Methods",
    "Results",
    "Conclusion",
    "PMID",
    "Ref_PMIDs",
    "Ref_DOIs",
    "questions",
    "PublishedDate",
    "HumanQuestions",
    "HumanAnswer",
)
"""The named columns of the published file in its order; 20 unnamed, empty ones follow there."""
ENTERED: Final = "EntryDate"
"""A further column that only our own files have; its presence tells them apart."""
TEXTS: Final = (
    "specialty",
    "SubTopic",
    "Title",
    "Abstract",
    "Introduction",
    "Methods",
    "Results",
    "Conclusion",
    "questions",
    "HumanQuestions",
    "HumanAnswer",
)
"""The columns of prose."""
LINED: Final = frozenset({"Abstract", "HumanAnswer"})
"""The columns of prose in which ends of line mean something."""


def cells_of(review: Review) -> dict[str, str]:
    """A review as the cells of a row: dates in ISO 8601, lists as JSON, which a reader of Python
    literals reads too.
    """
    return {
        "specialty": review.specialty,
        "SubTopic": review.subtopic,
        "Title": review.title,
        "Abstract": review.abstract,
        "Introduction": review.introduction,
        "Methods": review.methods,
        "Results": review.results,
        "Conclusion": review.conclusion,
        "PMID": review.pmid,
        "Ref_PMIDs": json.dumps(review.references),
        "Ref_DOIs": json.dumps(review.dois, ensure_ascii=False),
        "questions": review.title_question,
        "PublishedDate": review.published.isoformat(),
        "HumanQuestions": review.question,
        "HumanAnswer": review.answer,
        ENTERED: review.entered.isoformat() if review.entered else "",
    }
