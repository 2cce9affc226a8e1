"""The values of the data set. PMIDs are strings, dates are `datetime.date`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Review:
    """One systematic review as a question of the benchmark, in its repaired form; its ``pmid`` is
    the question's id.

    ``question`` is the annotators' wording where there is one, else the one cut from the title
    (``title_question``, "" where none was). ``answer`` holds the annotators' paragraphs in the
    order of the file, results first, with single line feeds between paragraphs. ``references`` are
    distinct PMIDs in the order of the list, never the review's own. ``dois`` are not parallel to
    them. ``entered`` is the day of entry into PubMed, which the published file does not hold.
    """

    pmid: str
    title: str
    question: str
    answer: str
    published: date
    specialty: str = ""
    subtopic: str = ""
    title_question: str = ""
    abstract: str = ""
    introduction: str = ""
    methods: str = ""
    results: str = ""
    conclusion: str = ""
    references: tuple[str, ...] = ()
    dois: tuple[str, ...] = ()
    entered: date | None = None

    @property
    def context(self) -> str:
        """Return what source-augmented metrics are given: introduction, results and conclusion,
        joined by one space each.
        """
        return " ".join(part for part in (self.introduction, self.results, self.conclusion) if part)

    @property
    def reference(self) -> str:
        """The answer as one line of text: its paragraphs in their order, joined by one space."""
        return " ".join(part.strip() for part in self.answer.split("\n") if part.strip())


@dataclass(frozen=True)
class Fault:
    """Something wrong in a row of a file, or worth knowing of it.

    ``row`` counts records from 1, the header left out; 0 is the file as a whole. ``pmid`` is ""
    where unknown. ``kind`` is one of `pubmedrs.faults.KINDS`, which tells what became of it.
    ``count`` is how often it stands in the cell.
    """

    row: int
    pmid: str
    column: str
    kind: str
    detail: str
    count: int = 1


@dataclass(frozen=True)
class Repair:
    """One change of a cell by the repair, with the fault that made it necessary."""

    row: int
    pmid: str
    column: str
    kind: str
    before: str
    after: str


@dataclass(frozen=True)
class Dataset:
    """A data set file as it was read: repaired reviews in file order, what was wrong, and what the
    repair changed.

    ``sha256`` is that of the file's bytes. ``refused`` are the rows that gave no review, a fault
    each, which are among ``faults`` too: rows in the file = reviews + refused.
    """

    reviews: tuple[Review, ...]
    faults: tuple[Fault, ...]
    repairs: tuple[Repair, ...]
    sha256: str
    refused: tuple[Fault, ...] = ()

    @property
    def rows(self) -> int:
        """Return how many records the file holds."""
        return len(self.reviews) + len(self.refused)


@dataclass(frozen=True)
class Subset:
    """A named choice of questions, in data set order."""

    name: str
    ids: tuple[str, ...]

    @property
    def sha256(self) -> str:
        """Hash of the sorted ids, one a line: equal for equal choices, whatever their names."""
        return hash_of(self.ids)


def hash_of(ids: Iterable[str]) -> str:
    """SHA-256 of the sorted ids, each followed by one line feed, in hexadecimal."""
    return hashlib.sha256("".join(f"{id}\n" for id in sorted(ids)).encode()).hexdigest()
