"""The sheets of two annotators, and perhaps an adjudicator's, read together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from clinfo.errors import UsageError
from pubmedrs.annotation.adjudication import (
    Outcome,
    adjudicated,
    agree,
    is_adjudication,
    settle,
    write_disagreements,
)
from pubmedrs.annotation.agreement import Agreement, agreement
from pubmedrs.annotation.returned import Choice, Problem, annotator_of, choices, read_sheet
from pubmedrs.annotation.sheets import shown_cells
from pubmedrs.records import Dataset, Review


class BadSheets(UsageError):
    """Rows of the sheets that cannot be used; ``problems`` names every one."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        count = len(problems)
        what = "row or cell" if count == 1 else "rows or cells"
        super().__init__(f"{count:,} {what} of the sheets cannot be used, so nothing was written")
        self.problems = tuple(problems)


@dataclass(frozen=True)
class RoundTrip:
    """The results of the sheets: agreement, what became of each candidate, and the reviews that
    stay.
    """

    agreement: Agreement
    outcome: Outcome
    reviews: tuple[Review, ...]
    first: Mapping[str, Choice]
    second: Mapping[str, Choice]

    def write_disagreements(self, path: Path, reviews: Mapping[str, Review]) -> None:
        """Write the adjudicator's sheet of what is open. Raises UsageError."""
        write_disagreements(path, reviews, self.first, self.second, self.outcome.open)


def read_back(paths: Sequence[Path], dataset: Dataset) -> RoundTrip:
    """Read two annotators' sheets, and an adjudicator's where it is among them, in any order: the
    first annotator is the one whose name comes first in the alphabet.

    Raises UsageError where a sheet cannot be read, or they are not two (and at most one), and
    BadSheets, a UsageError, for rows that cannot be used.
    """
    sheets = [read_sheet(path) for path in paths]
    given = [sheet for sheet in sheets if not is_adjudication(sheet)]
    thirds = [sheet for sheet in sheets if is_adjudication(sheet)]
    if len(given) != 2 or len(thirds) > 1:
        told = f"{len(given)} of annotators and {len(thirds)} of adjudicators are given"
        raise UsageError(
            f"the sheets of two annotators, and at most one of an adjudicator, are needed: {told}"
        )
    reviews = {review.pmid: review for review in dataset.reviews}
    shown = [shown_cells(review) for review in dataset.reviews]
    problems: list[Problem] = []
    by_name = sorted(
        ((annotator_of(sheet, problems), sheet) for sheet in given), key=lambda one: one[0]
    )
    names, given = (by_name[0][0], by_name[1][0]), [sheet for _, sheet in by_name]
    if names[0] == names[1]:
        problems.append(
            Problem(given[1].name, 0, "", "annotator", f"both sheets are by {names[0]}")
        )
    first, second = (choices(sheet, reviews, shown, problems) for sheet in given)
    named = [{row.id for row in sheet.rows} for sheet in given]
    for sheet, own, others in ((given[0], named[0], named[1]), (given[1], named[1], named[0])):
        problems += [
            Problem(
                sheet.name, 0, id, "id", "is in the other annotator's sheet, but not in this one"
            )
            for id in sorted((others - own) & reviews.keys())
        ]
    if not problems and not first:
        problems.append(Problem(given[0].name, 0, "", "", "the sheet holds no rows"))
    if problems:
        raise BadSheets(problems)
    disagreed = [
        id for id in reviews if id in first and id in second and not agree(first[id], second[id])
    ]
    third: Mapping[str, Choice] = {}
    if thirds:
        third = adjudicated(thirds[0], reviews, first, second, disagreed, problems)
        if problems:
            raise BadSheets(problems)
    kept, outcome = settle(reviews, first, second, third)
    return RoundTrip(agreement(names, first, second, reviews), outcome, tuple(kept), first, second)
