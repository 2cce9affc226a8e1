"""Figures about a data set: how much of what, when, how long."""

import statistics
from collections import Counter
from collections.abc import Iterable
from datetime import date
from typing import Final

from clinfo.errors import UsageError
from pubmedrs.records import Dataset, Review, Subset
from pubmedrs.subsets import NAMES, subset

SPLIT: Final = date(2021, 10, 1)
"""Reviews published before this day, and from it on: the split of the paper's 145 scored questions
into 65 and 80.
"""


def figures(dataset: Dataset) -> dict[str, object]:
    """All figures as a form for JSON. Lengths are in words (what stands between white space)."""
    reviews = dataset.reviews
    chosen, problems = _subsets(dataset)
    by_pmid = {review.pmid: review for review in reviews}
    references = [pmid for review in reviews for pmid in review.references]
    return {
        "sha256": dataset.sha256,
        "rows": dataset.rows,
        "reviews": len(reviews),
        "specialties": dict(Counter(review.specialty for review in reviews).most_common()),
        "subtopics": len({(review.specialty, review.subtopic) for review in reviews}),
        "published": {
            "first": min((review.published.isoformat() for review in reviews), default=None),
            "last": max((review.published.isoformat() for review in reviews), default=None),
            "years": {
                str(year): count
                for year, count in sorted(
                    Counter(review.published.year for review in reviews).items()
                )
            },
        },
        "words": {
            "question": _spread(len(review.question.split()) for review in reviews),
            "answer": _spread(len(review.answer.split()) for review in reviews),
            "context": _spread(len(review.context.split()) for review in reviews),
            "abstract": _spread(len(review.abstract.split()) for review in reviews),
        },
        "references": {
            "total": len(references),
            "distinct": len(set(references)),
            "reviews_without": sum(not review.references for review in reviews),
            "per_review": _spread(len(review.references) for review in reviews),
        },
        "subsets": [_subset_form(one, [by_pmid[id] for id in one.ids]) for one in chosen],
        "subsets_missing": problems,
    }


def _spread(counts: Iterable[int]) -> dict[str, float] | None:
    """Smallest, median, mean and largest of some counts; None of none."""
    values = list(counts)
    if not values:
        return None
    return {
        "least": min(values),
        "median": statistics.median(values),
        "mean": statistics.fmean(values),
        "most": max(values),
    }


def _subsets(dataset: Dataset) -> tuple[list[Subset], dict[str, str]]:
    """The subsets that the data set holds whole, and why not the others."""
    chosen: list[Subset] = []
    problems: dict[str, str] = {}
    for name in NAMES:
        try:
            chosen.append(subset(dataset, name))
        except UsageError as error:
            problems[name] = str(error)
    return chosen, problems


def _subset_form(one: Subset, reviews: list[Review]) -> dict[str, object]:
    before = sum(review.published < SPLIT for review in reviews)
    return {
        "name": one.name,
        "n": len(one.ids),
        "sha256": one.sha256,
        "split_at": SPLIT.isoformat(),
        "before": before,
        "from": len(reviews) - before,
        "without_references": sum(not review.references for review in reviews),
    }
