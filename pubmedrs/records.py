"""The values of the data set. PMIDs are strings, dates are `datetime.date`."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal


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
    where unknown. ``kind`` is one of `KINDS`, which tells what became of it.
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


FIELD_OF: Final[Mapping[str, str]] = {
    "specialty": "specialty",
    "SubTopic": "subtopic",
    "Title": "title",
    "Abstract": "abstract",
    "Introduction": "introduction",
    "Methods": "methods",
    "Results": "results",
    "Conclusion": "conclusion",
    "PMID": "pmid",
    "Ref_PMIDs": "references",
    "Ref_DOIs": "dois",
    "questions": "title_question",
    "PublishedDate": "published",
    "HumanQuestions": "question",
    "HumanAnswer": "answer",
}
"""The field of `Review` that each column of the published file holds."""
COLUMNS: Final = tuple(FIELD_OF)
"""The named columns of the published file in its order; 20 unnamed, empty ones follow there."""
ENTERED: Final = "EntryDate"
"""A further column that only our own files have; its presence tells them apart."""
TEXTS: Final = tuple(
    column for column in COLUMNS if column not in ("PMID", "Ref_PMIDs", "Ref_DOIs", "PublishedDate")
)
"""The columns of prose."""
LINED: Final = frozenset({"Abstract", "HumanAnswer"})
"""The columns of prose in which ends of line mean something."""


def cells_of(review: Review) -> dict[str, str]:
    """A review as the cells of a row: dates in ISO 8601, lists as JSON, which a reader of Python
    literals reads too.
    """
    return {column: getattr(review, field) for column, field in FIELD_OF.items()} | {
        "Ref_PMIDs": json.dumps(review.references),
        "Ref_DOIs": json.dumps(review.dois, ensure_ascii=False),
        "PublishedDate": review.published.isoformat(),
        ENTERED: review.entered.isoformat() if review.entered else "",
    }


Fate = Literal["repaired", "left", "refused", "note"]
"""The treatment of a fault: the repaired form differs, nothing can be done, the row gives no
review, or it is worth knowing only.
"""


@dataclass(frozen=True)
class Kind:
    """A kind of fault: its fate and what it is, in a line."""

    fate: Fate
    meaning: str


KINDS: Final[Mapping[str, Kind]] = {
    "mis-decoded text": Kind(
        "repaired", "UTF-8 that was read as Latin-1 or Windows-1252 and saved again"
    ),
    "mark-up": Kind(
        "repaired", "HTML tags in text; a raised exponent becomes ^, other tags are left out"
    ),
    "white space": Kind(
        "repaired", "blanks at the ends, several in a row, ends of line other than LF, blank lines"
    ),
    "date form": Kind("repaired", "a date written month/day/year instead of ISO 8601"),
    "PMID form": Kind("repaired", "a PMID written as a decimal number or with its label"),
    "repeated reference": Kind(
        "repaired", "a PMID repeated in a list of references; the first one is kept"
    ),
    "impossible reference": Kind(
        "repaired", "a reference that is not a PMID, such as 0; it is removed"
    ),
    "own PMID": Kind("repaired", "the review among its own references; it is removed"),
    "repeated DOI": Kind(
        "repaired",
        "a DOI more than once in a list, upper and lower case being the same; the first one stays",
    ),
    "no references": Kind(
        "left", "an empty list of reference PMIDs: retrieval cannot be measured on the question"
    ),
    "unreadable character": Kind(
        "left", "control characters or replacement characters that no repair explains"
    ),
    "DOI form": Kind(
        "left", "a DOI that holds characters that DOIs do not contain, or does not begin with 10."
    ),
    "unnamed column": Kind("left", "columns without a name"),
    "unknown column": Kind(
        "left", "a column or field that the data set does not have; it is ignored"
    ),
    "no title question": Kind("note", "no question was cut from the title"),
    "question differs": Kind(
        "note", "the annotators' question is not, letter for letter, the one cut from the title"
    ),
    "question not in title": Kind(
        "note", "the question said to be cut from the title is not in it"
    ),
    "DOIs not parallel": Kind(
        "note", "as many DOIs as PMIDs are not there: the lists cannot be matched by place"
    ),
    "later reference": Kind(
        "note", "a reference with a higher PMID than the review's own: entered into PubMed after it"
    ),
    "blank row": Kind("refused", "every cell is empty"),
    "cells": Kind("refused", "more or fewer cells than the header has"),
    "unreadable row": Kind("refused", "a line that is not a JSON object of a review"),
    "impossible PMID": Kind("refused", "the review's own PMID is missing or invalid"),
    "repeated PMID": Kind(
        "refused", "the review occurs in the file a second time; the first row is kept"
    ),
    "impossible date": Kind("refused", "the day of publication is missing or invalid"),
    "unreadable list": Kind(
        "refused", "a list that is not a list of texts or numbers as Python or JSON writes it"
    ),
    "no question": Kind("refused", "no question, either from the annotators or from the title"),
    "no answer": Kind("refused", "no answer"),
}
"""In the order in which they are shown."""
