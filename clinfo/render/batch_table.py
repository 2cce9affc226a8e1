"""The answers of a batch as a table: CSV, a workbook (.xlsx, the extra ``office``) or HTML."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from clinfo.errors import NOTHING_FOUND
from clinfo.files import whole_file
from clinfo.references.formats.csv_file import csv_rows
from clinfo.render.blocks import Table
from clinfo.render.html import document, fragment
from clinfo.render.office import workbook

COLUMNS: Final = (
    *("id", "question", "status", "tldr", "sentences", "supported", "cited", "articles"),
    *("cost_usd", "searched_on", "models", "error"),
)
ENDINGS: Final = (".csv", ".xlsx", ".html")


def write_table(rows: Iterable[Mapping[str, Any]], path: Path) -> None:
    """Write the table of a batch's rows, in the form that the name ends in. Raises OSError."""
    form = path.suffix.lower()
    if form == ".xlsx":
        with whole_file(path, None) as file:
            file.write(workbook("Answers", ("Answers", COLUMNS, map(_cells, rows))))
        return
    with whole_file(path) as file:
        if form == ".html":
            file.write(document("Answers", fragment([table(rows)])))
        else:
            file.write(csv_rows((COLUMNS, *map(_cells, rows))))


def table(rows: Iterable[Mapping[str, Any]]) -> Table:
    """The table of a batch's rows as a block."""
    cells = (["" if one is None else str(one) for one in _cells(row)] for row in rows)
    return Table(COLUMNS, tuple(map(tuple, cells)))


def _cells(row: Mapping[str, Any]) -> tuple[str | float | None, ...]:
    answer = row["answer"] or {}
    support = answer.get("support") or {}
    cost = (answer.get("usage") or row)["cost_usd"]
    nothing = "nothing that answers it was found" if row["status"] == NOTHING_FOUND else ""
    models = (answer.get("settings") or {}).get("models") or {}
    return (
        row["id"], row["question"], row["status"], answer.get("tldr", ""),
        support.get("claims", 0), None if support.get("quoted") else support.get("supported", 0),
        " ".join(str(one["id"]) for one in answer.get("references", ()) if one.get("cited")),
        (answer.get("counts") or {}).get("fetched", 0),
        "unknown" if cost is None else cost, answer.get("searched_on", ""),
        " ".join(dict.fromkeys(map(str, models.values()))), row.get("error") or nothing,
    )  # fmt: skip
