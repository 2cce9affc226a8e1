"""The answers of a batch as a table: CSV, a workbook (.xlsx, the extra ``office``) or HTML."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from clinfo.files import whole_file
from clinfo.references.formats.csv_file import csv_rows

COLUMNS: Final = (
    *("id", "question", "status", "tldr", "sentences", "supported", "cited", "articles"),
    *("cost_usd", "searched_on", "models", "error"),
)
ENDINGS: Final = (".csv", ".xlsx", ".html")


def write_table(rows: Iterable[Mapping[str, Any]], path: Path) -> None:
    """Write the table of a batch's rows, in the form that the name ends in. Raises OSError."""
    cells = [_cells(row) for row in rows]
    if path.suffix.lower() == ".xlsx":
        from clinfo.render.office import workbook

        with whole_file(path, None) as file:
            file.write(workbook("Answers", COLUMNS, cells))
        return
    with whole_file(path) as file:
        file.write(_html(cells) if path.suffix.lower() == ".html" else csv_rows((COLUMNS, *cells)))


def _cells(row: Mapping[str, Any]) -> tuple[str | float | None, ...]:
    answer = row["answer"] or {}
    judged = [one["verdict"] for one in answer.get("sentences", ())]
    models = (answer.get("settings") or {}).get("models") or {}
    return (
        row["id"], row["question"], row["status"], answer.get("tldr", ""), len(judged),
        judged.count("supported"),
        " ".join(str(one["id"]) for one in answer.get("references", ()) if one.get("cited")),
        (answer.get("counts") or {}).get("fetched", 0),
        row["cost_usd"], answer.get("searched_on", ""),
        " ".join(dict.fromkeys(map(str, models.values()))), row.get("error") or "",
    )  # fmt: skip


def _html(rows: Iterable[Iterable[str | float | None]]) -> str:
    def line(cells: Iterable[str | float | None], tag: str) -> str:
        told = (f"<{tag}>{html.escape('' if one is None else str(one))}</{tag}>" for one in cells)
        return f"<tr>{''.join(told)}</tr>\n"

    body = "".join(line(row, "td") for row in rows)
    return (
        '<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>Answers</title>\n'
        f"<table>\n<thead>{line(COLUMNS, 'th')}</thead>\n<tbody>\n{body}</tbody>\n</table></html>\n"
    )
