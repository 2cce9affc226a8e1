"""The kinds of fault that reading a data set file can meet, and what becomes of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

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
