"""A data set file into repaired reviews, with everything that was wrong: the published CSV, or what
`pubmedrs.writing` wrote.

Nothing is lost silently: every record of the file gives a review or stands in ``Dataset.refused``.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from clinfo.errors import UsageError
from pubmedrs.cells import unguard
from pubmedrs.csv_file import Table, decode, read_bytes, read_table
from pubmedrs.records import COLUMNS, ENTERED, KINDS, Dataset, Fault, Repair, Review, cells_of
from pubmedrs.repairing import RowRepair

_FIELDS = frozenset(Review.__dataclass_fields__) | {"schema"}
Row = tuple[int, Mapping[str, str] | Fault]
"""Number of the record, and its cells or why there are none."""


def load(path: Path | str) -> Dataset:
    """Read a data set file; its form (CSV or JSON lines) is told by its content.

    Raises UsageError where the file cannot be opened, is not UTF-8, is of neither form, lacks
    columns, or holds no rows.
    """
    path = Path(path)
    data = read_bytes(path)
    text = decode(data, path.name)
    faults: list[Fault] = []
    rows = list(
        _json_rows(text, faults)
        if text.lstrip().startswith("{")
        else _csv_rows(text, path.name, faults)
    )
    if not rows:
        raise UsageError(f"{path.name} holds no rows")
    met_first = rows[0][1]
    if all(
        isinstance(cells, Fault) and cells.kind == "unreadable row" for _, cells in rows
    ) and isinstance(met_first, Fault):
        raise UsageError(
            f"{path.name} is not a data set: no line of it is a review (row 1: {met_first.detail})"
        )
    repairs: list[Repair] = []
    refused: list[Fault] = []
    reviews: dict[str, Review] = {}
    seen: dict[str, int] = {}
    for number, cells in rows:
        if isinstance(cells, Fault):
            faults.append(cells)
            refused.append(cells)
            continue
        row = RowRepair(number, cells)
        review = row.review()
        met = row.faults
        if review is not None and review.pmid in seen:
            # The first row stands; of the second only that it is one matters.
            met = [
                Fault(
                    number,
                    review.pmid,
                    "PMID",
                    "repeated PMID",
                    f"row {seen[review.pmid]:,} has it already",
                )
            ]
            review = None
        elif review is not None:
            seen[review.pmid] = number
            reviews[review.pmid] = review
            repairs += row.repairs
        faults += met
        if review is None:
            refused.append(next(fault for fault in met if KINDS[fault.kind].fate == "refused"))
    return Dataset(
        tuple(reviews.values()),
        tuple(faults),
        tuple(repairs),
        hashlib.sha256(data).hexdigest(),
        tuple(refused),
    )


def _csv_rows(text: str, name: str, faults: list[Fault]) -> Iterator[Row]:
    table = read_table(text, name)
    _check_header(table, name, faults)
    own = ENTERED in table.header
    wanted = {*COLUMNS, ENTERED}
    for number, row in enumerate(table.rows, 1):
        if len(row) != len(table.header):
            yield (
                number,
                Fault(
                    number, "", "", "cells", f"{len(row)} cells, the header has {len(table.header)}"
                ),
            )
            continue
        cells = {
            column: cell for column, cell in zip(table.header, row, strict=True) if column in wanted
        }
        yield number, {column: unguard(cell) for column, cell in cells.items()} if own else cells


def _check_header(table: Table, name: str, faults: list[Fault]) -> None:
    header = table.header
    if missing := [column for column in COLUMNS if column not in header]:
        found = ", ".join(column[:40] for column in header[:5])
        raise UsageError(
            f"{name} is not a PubMedRS file: it lacks the columns {', '.join(missing)} (its first "
            f"ones are: {found})"
        )
    if twice := sorted({column for column in header if column and header.count(column) > 1}):
        raise UsageError(f"{name} has columns twice: {', '.join(twice)}")
    unnamed = [place for place, column in enumerate(header) if not column]
    if unnamed:
        filled = sum(
            1 for row in table.rows for place in unnamed if place < len(row) and row[place].strip()
        )
        held = (
            f"{filled:,} of their cells hold text, which is not read"
            if filled
            else "all of them empty"
        )
        faults.append(
            Fault(0, "", "", "unnamed column", f"{len(unnamed)} columns, {held}", len(unnamed))
        )
    if unknown := [
        column for column in header if column and column not in COLUMNS and column != ENTERED
    ]:
        shown = ", ".join(unknown[:5]) + (" …" if len(unknown) > 5 else "")
        faults.append(Fault(0, "", "", "unknown column", f"{len(unknown)}: {shown}", len(unknown)))


def _json_rows(text: str, faults: list[Fault]) -> Iterator[Row]:
    import msgspec

    number = 0
    for line in text.split("\n"):
        if not line.strip():
            continue
        number += 1
        try:
            form: Any = json.loads(line)
            if not isinstance(form, dict) or form.get("schema") != 1:
                raise ValueError("it is not a JSON object with schema 1")
            review = msgspec.convert(form, Review)
        except (ValueError, RecursionError) as error:  # msgspec's errors are ValueErrors
            yield number, Fault(number, "", "", "unreadable row", str(error))
            continue
        if unknown := sorted(set(form) - _FIELDS):
            faults.append(
                Fault(number, review.pmid, "", "unknown column", ", ".join(unknown), len(unknown))
            )
        yield number, cells_of(review)
