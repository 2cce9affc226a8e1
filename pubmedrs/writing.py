"""Files of our own: repaired or built reviews as JSON lines or CSV, both read back by
`pubmedrs.reading.load`.
"""

import csv
import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from clinfo.errors import UsageError
from clinfo.files import file_errors, whole_file
from pubmedrs.cells import guard
from pubmedrs.records import COLUMNS, ENTERED, Dataset, Repair, Review, cells_of

SCHEMA = 1


def write(reviews: Dataset | Iterable[Review], path: Path | str) -> None:
    """Write reviews, whole or not at all: CSV where the name ends in .csv, JSON lines where it ends
    in .jsonl.

    A line is {"schema": 1, "pmid": …, …}, the fields of `Review`, dates in ISO 8601. The CSV has
    the published file's columns and ``EntryDate``; its cells are guarded against being run by a
    spreadsheet. Raises UsageError for another name, or where the file cannot be written.
    """
    path = Path(path)
    if path.suffix.lower() not in (".csv", ".jsonl"):
        raise UsageError(f"{path}: the name must end in .jsonl or .csv")
    chosen = reviews.reviews if isinstance(reviews, Dataset) else tuple(reviews)
    with file_errors(f"the file {path} cannot be written"), whole_file(path) as file:
        if path.suffix.lower() == ".jsonl":
            file.writelines(
                json.dumps(
                    {
                        "schema": SCHEMA,
                        **asdict(review),
                        "published": review.published.isoformat(),
                        "entered": review.entered.isoformat() if review.entered else None,
                    },
                    ensure_ascii=False,
                )
                + "\n"
                for review in chosen
            )
            return
        table = csv.DictWriter(
            file, (*COLUMNS, ENTERED), lineterminator="\n", quoting=csv.QUOTE_ALL
        )
        table.writeheader()
        for review in chosen:
            table.writerow({column: guard(cell) for column, cell in cells_of(review).items()})


def write_repairs(repairs: Iterable[Repair], path: Path | str) -> None:
    """Write repairs as CSV, one change of a cell a row, in order; guarded as in `write`. Raises
    UsageError.
    """
    names = ("row", "pmid", "column", "kind", "before", "after")

    with file_errors(f"the file {path} cannot be written"), whole_file(Path(path)) as file:
        # All quoted, else a lone CR would end a row.
        table = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL)
        table.writerow(names)
        table.writerows(
            [str(repair.row), *(guard(getattr(repair, name)) for name in names[1:])]
            for repair in repairs
        )
