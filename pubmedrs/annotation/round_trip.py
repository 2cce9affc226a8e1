"""The sheets of two annotators, and perhaps an adjudicator's, read together: their agreement
(Cohen's kappa, edit distances), what a third person decides, and the outcome.
"""

import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from clinfo.errors import UsageError
from pubmedrs.annotation.sheets import (
    DECISIONS,
    SHOWN,
    WRITTEN,
    Choice,
    Problem,
    Sheet,
    annotator_of,
    choices,
    read_sheet,
    shown_cells,
    write_sheet,
)
from pubmedrs.records import Dataset, Review


@dataclass(frozen=True)
class Kappa:
    """Agreement on n items: observed (share), expected by chance, and Cohen's kappa, None where
    chance alone gives certainty.
    """

    n: int
    observed: float
    expected: float
    kappa: float | None


def kappa(pairs: Sequence[tuple[str, str]]) -> Kappa:
    """Cohen's kappa, unweighted: (observed - expected) / (1 - expected).

    J. Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological
    Measurement 20 (1960) 37-46. Raises ValueError for no pairs.
    """
    n = len(pairs)
    if not n:
        raise ValueError("no pairs")
    first, second = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    agreed = sum(one == other for one, other in pairs)
    by_chance = sum(
        first[name] * second[name] for name in first
    )  # whole numbers, so that certainty is seen as such
    value = None if by_chance == n * n else (agreed * n - by_chance) / (n * n - by_chance)
    return Kappa(n, agreed / n, by_chance / (n * n), value)


@dataclass(frozen=True)
class Distance:
    """Normalised Levenshtein distances of n pairs of texts, 0 (equal) to 1; None where there are no
    pairs.
    """

    n: int
    characters: float | None
    words: float | None
    characters_median: float | None
    words_median: float | None


def distance(pairs: Iterable[tuple[str, str]]) -> Distance:
    """Means and medians of the distances, over characters and over words (what stands between white
    space).

    A distance is the fewest insertions, deletions and substitutions divided by the length of the
    longer text.
    """
    from rapidfuzz.distance import Levenshtein

    by_character: list[float] = []
    by_word: list[float] = []
    for one, other in pairs:
        by_character.append(Levenshtein.normalized_distance(one, other))
        by_word.append(Levenshtein.normalized_distance(one.split(), other.split()))
    if not by_character:
        return Distance(0, None, None, None, None)
    means = statistics.fmean(by_character), statistics.fmean(by_word)
    return Distance(
        len(by_character), *means, statistics.median(by_character), statistics.median(by_word)
    )


@dataclass(frozen=True)
class Agreement:
    """Two annotators on the same candidates.

    ``table`` counts pairs of decisions, ``"accept edit"`` for the first's and the second's.
    ``three`` is kappa on accept, edit, reject, ``two`` on kept (accept or edit) against reject.
    ``answers`` and ``questions`` compare their texts where both kept the candidate; ``edits``
    compares each one's edited answers with the candidates, by name.
    """

    annotators: tuple[str, str]
    table: Mapping[str, int]
    three: Kappa
    two: Kappa
    answers: Distance
    questions: Distance
    edits: Mapping[str, Distance]


def agreement(
    names: tuple[str, str],
    first: Mapping[str, Choice],
    second: Mapping[str, Choice],
    reviews: Mapping[str, Review],
) -> Agreement:
    """The agreement on the candidates that both decided on; at least one is needed."""
    both = [(first[id], second[id]) for id in first if id in second]
    decisions = [(one.decision, other.decision) for one, other in both]
    counted = Counter(decisions)
    kept = [(one, other) for one, other in both if "reject" not in (one.decision, other.decision)]
    keeps = [
        tuple("reject" if decision == "reject" else "keep" for decision in pair)
        for pair in decisions
    ]
    sides = zip(names, ([one for one, _ in both], [other for _, other in both]), strict=True)
    return Agreement(
        annotators=names,
        table={f"{one} {other}": counted[one, other] for one in DECISIONS for other in DECISIONS},
        three=kappa(decisions),
        two=kappa([(one, other) for one, other in keeps]),
        answers=distance((one.answer, other.answer) for one, other in kept),
        questions=distance((one.question, other.question) for one, other in kept),
        edits={
            name: distance(
                (reviews[one.id].answer, one.answer) for one in side if one.decision == "edit"
            )
            for name, side in sides
        },
    )


SIDES: Final = ("first", "second")
"""Decisions of the adjudicator that take over what an annotator wanted, besides accept, edit and
reject.
"""
_PARTS: Final = ("decision", "question", "answer", "comment")
TOLD: Final = tuple(f"{side}_{part}" for side in SIDES for part in _PARTS)
"""Columns that tell what the two annotators wanted."""


@dataclass(frozen=True)
class Outcome:
    """Ids by what became of them, each in data set order; ``open`` are those that nobody has
    decided.
    """

    accepted: tuple[str, ...]
    edited: tuple[str, ...]
    rejected: tuple[str, ...]
    open: tuple[str, ...]
    adjudicated: tuple[str, ...]


def agree(one: Choice, other: Choice) -> bool:
    """Return whether two annotators want the same: the same decision and, where they edited, the
    same texts.
    """
    return (one.decision, one.question, one.answer) == (
        other.decision,
        other.question,
        other.answer,
    )


def is_adjudication(sheet: Sheet) -> bool:
    """Return whether a sheet is one for the adjudicator."""
    return "first_decision" in sheet.header


def told_cells(review: Review, one: Choice, other: Choice) -> dict[str, str]:
    """The cells that an adjudicator sees."""
    cells = shown_cells(review)
    for side, choice in zip(SIDES, (one, other), strict=True):
        cells |= {f"{side}_{part}": getattr(choice, part) for part in _PARTS}
    return cells


def adjudicated(
    sheet: Sheet,
    reviews: Mapping[str, Review],
    first: Mapping[str, Choice],
    second: Mapping[str, Choice],
    ids: Sequence[str],
    problems: list[Problem],
) -> dict[str, Choice]:
    """The adjudicator's choices by id; rows that are wrong are added to ``problems``, as are
    disagreements without a row.
    """
    shown = [told_cells(reviews[id], first[id], second[id]) for id in ids]
    sides = {id: dict(zip(SIDES, (first[id], second[id]), strict=True)) for id in ids}
    found = choices(sheet, reviews, shown, problems, sides)
    named = {problem.id for problem in problems if problem.file == sheet.name}
    for id in ids:
        if id not in found and id not in named:
            problems.append(
                Problem(sheet.name, 0, id, "id", "the disagreement is not in the sheet")
            )
    return found


def settle(
    reviews: Mapping[str, Review],
    first: Mapping[str, Choice],
    second: Mapping[str, Choice],
    third: Mapping[str, Choice],
) -> tuple[list[Review], Outcome]:
    """The reviews that stay, with their texts, and what became of every candidate that the two
    decided on.
    """
    kept: list[Review] = []
    ids: dict[str, list[str]] = {"accept": [], "edit": [], "reject": [], "open": []}
    for id, review in reviews.items():
        if id not in first or id not in second:
            continue
        choice = third.get(id) or (first[id] if agree(first[id], second[id]) else None)
        ids[choice.decision if choice else "open"].append(id)
        if choice is not None and choice.decision != "reject":
            kept.append(replace(review, question=choice.question, answer=choice.answer))
    accepted, edited, rejected, undecided = (
        tuple(ids[fate]) for fate in ("accept", "edit", "reject", "open")
    )
    return kept, Outcome(
        accepted, edited, rejected, undecided, tuple(id for id in reviews if id in third)
    )


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
        """Write the adjudicator's sheet of what is open. Raises UsageError where there is one
        already: somebody may have written into it.
        """
        if path.exists():
            raise UsageError(
                f"{path} already exists and may contain somebody's work: import it as the third "
                "file, or move it away"
            )
        rows = (
            told_cells(reviews[id], self.first[id], self.second[id]) for id in self.outcome.open
        )
        write_sheet(path, (*SHOWN, *TOLD, *WRITTEN), rows)


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
