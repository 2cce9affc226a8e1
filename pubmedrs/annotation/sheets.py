"""The annotators' sheets: one CSV a person, made for spreadsheets.

Every sheet is in UTF-8 with a byte order mark, by which spreadsheets know it, with CRLF between
rows; cells that a spreadsheet might run are guarded (`pubmedrs.cells`). What stands in the
first columns is not to be changed; it is compared on the way back.
"""

from __future__ import annotations

import csv
import random
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from clinfo.errors import UsageError
from pubmedrs.cells import guard
from pubmedrs.records import Dataset, Review
from pubmedrs.subsets import subset
from pubmedrs.whole_file import whole_file

SHOWN: Final = ("id", "title", "question", "candidate_answer", "abstract")
"""Columns that are filled in, and must come back as they were."""
WRITTEN: Final = ("decision", "edited_question", "edited_answer", "comment")
"""Columns for the annotator."""
ANNOTATOR: Final = "annotator"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


def shown_cells(review: Review) -> dict[str, str]:
    """The columns of a review that an annotator sees."""
    sections = (
        ("INTRODUCTION", review.introduction),
        ("METHODS", review.methods),
        ("RESULTS", review.results),
    )
    pieces = (*sections, ("CONCLUSION", review.conclusion))
    abstract = review.abstract or "\n".join(f"{label}:\n{text}" for label, text in pieces if text)
    return {
        "id": review.pmid,
        "title": review.title,
        "question": review.question,
        "candidate_answer": review.answer,
        "abstract": abstract,
    }


def export(
    dataset: Dataset,
    annotators: Sequence[str],
    folder: Path,
    *,
    seed: int | None = None,
    chosen: str = "all",
) -> list[Path]:
    """Write ``annotate-NAME.csv`` for each annotator into the folder; with a seed everyone's rows
    are in an order of their own.

    ``chosen`` names a subset. Raises UsageError for names that cannot be part of a file's name or
    stand twice, fewer than two of them, and where a sheet is there already: somebody may have
    written into it.
    """
    if odd := [name for name in annotators if not _NAME.fullmatch(name)]:
        raise UsageError(f"annotator {odd[0]!r}: a name may contain letters, digits, - and _")
    if len({name.casefold() for name in annotators}) != len(annotators) or len(annotators) < 2:
        raise UsageError("two or more annotators with different names are needed")
    ids = set(subset(dataset, chosen).ids)
    reviews = [review for review in dataset.reviews if review.pmid in ids]
    paths = [folder / f"annotate-{name}.csv" for name in annotators]
    if there := [path for path in paths if path.exists()]:
        raise UsageError(
            f"{there[0]} already exists and may contain somebody's work: move it away, or choose "
            "another folder"
        )
    for name, path in zip(annotators, paths, strict=True):
        ordered = list(reviews)
        if seed is not None:
            random.Random(f"{seed}:{name}").shuffle(ordered)
        header = (*SHOWN, *WRITTEN, ANNOTATOR)
        write_sheet(path, header, ({**shown_cells(review), ANNOTATOR: name} for review in ordered))
    return paths


def write_sheet(path: Path, header: Sequence[str], rows: Iterable[dict[str, str]]) -> None:
    """Write a sheet, whole or not at all; missing cells stay empty. Raises UsageError where it
    cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path, "utf-8-sig") as file:
            table = csv.DictWriter(file, header, restval="", lineterminator="\r\n")
            table.writeheader()
            for row in rows:
                table.writerow({column: guard(cell) for column, cell in row.items()})
    except OSError as error:
        raise UsageError(
            f"the file {path} cannot be written: {error.strerror or 'unknown'}"
        ) from None
