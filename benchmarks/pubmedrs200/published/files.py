"""The published files in a folder: which is which, told by their headers, and their records as they
stand.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, Literal

from clinfo.errors import UsageError
from pubmedrs.csv_file import decode, read_bytes, read_table

Kind = Literal[
    "table1",
    "table2",
    "table1 mean",
    "table1 sd",
    "table1 mean (sd)",
    "table2 mean",
    "table2 sd",
    "table2 mean (sd)",
]
DEPTH: Final = 4
"""Levels of folders that are searched below the one named; the published repository needs three."""

_SCORES: Final[Mapping[Kind, tuple[str, str]]] = {
    "table1": ("coherence", "scores__all_2021*.csv"),
    "table2": ("rouge-L", "Model__all_all_scores*.csv"),
}
_TABLES: Final = {"coherence": "table1", "rouge-L": "table2"}


@dataclass(frozen=True)
class Records:
    """A CSV file as it stands: its columns, and every record as long as its header. Record numbers
    count from 1.
    """

    path: Path
    columns: tuple[str, ...]
    rows: tuple[Mapping[str, str], ...]


def find(folder: Path) -> Mapping[Kind, Path]:
    """The published files under ``folder``, by what they hold.

    Raises UsageError when the folder is not there, when one of the two files of scores is not under
    it, or when a file is there more than once.
    """
    if not folder.is_dir():
        raise UsageError(
            f"{folder} is not a folder: name the one that holds the published outputs and scores"
        )
    found: dict[Kind, Path] = {}
    for path in _csv_files(folder):
        kind = _kind(path)
        if kind is None:
            continue
        if kind in found:
            names = " and ".join(str(item.relative_to(folder)) for item in (found[kind], path))
            raise UsageError(
                f"{folder}: {names} hold the same kind of values; name a folder with one of them"
            )
        found[kind] = path
    missing = [
        f"{pattern} (columns like gpt4_{suffix})"
        for kind, (suffix, pattern) in _SCORES.items()
        if kind not in found
    ]
    if missing:
        raise UsageError(f"{folder}: not there: {' and '.join(missing)}")
    return found


def has_scores(folder: Path) -> bool:
    """Return whether any of the two files of scores is under a folder."""
    return any(_kind(path) in _SCORES for path in _csv_files(folder))


def records(path: Path) -> Records:
    """Read one file whole. Raises UsageError that names the record where it cannot be read or ends
    too early.
    """
    text = decode(read_bytes(path), path.name)
    table = read_table(text, path.name)
    rows: list[Mapping[str, str]] = []
    for place, cells in zip(table.places, table.rows, strict=True):
        if not any(cells):  # one of the table files ends in a record of empty cells
            continue
        if len(cells) != len(table.header):
            counts = f"{len(cells)} cells where the header has {len(table.header)}"
            raise UsageError(f"{path.name}, record {place - 1}: {counts}; is the file cut off?")
        rows.append(dict(zip(table.header, cells, strict=True)))
    if not text.endswith(("\n", "\r")):
        last = max(table.places, default=1) - 1
        raise UsageError(
            f"{path.name}, record {last}: the last line does not end; the file seems to be cut off"
        )
    if not rows:
        raise UsageError(f"{path.name} holds no records; is the file cut off?")
    return Records(path, table.header, tuple(rows))


def require(held: Records, columns: Sequence[str]) -> None:
    """Raise UsageError that names the columns a file lacks."""
    missing = [column for column in columns if column not in held.columns]
    if missing:
        more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
        raise UsageError(f"{held.path.name} lacks the columns {', '.join(missing[:5])}{more}")


def _csv_files(folder: Path) -> Iterator[Path]:
    for where, folders, names in os.walk(folder):
        depth = len(Path(where).relative_to(folder).parts)
        folders[:] = (
            sorted(name for name in folders if not name.startswith(".")) if depth < DEPTH else []
        )
        yield from (Path(where, name) for name in sorted(names) if name.lower().endswith(".csv"))


def _kind(path: Path) -> Kind | None:
    """Return what a file holds, by its header, and for the small table files by its first record,
    too. What is wrong in it otherwise is told by `records`."""
    header, first = [*read_head(path, 2), [], []][:2]
    for kind, (suffix, _) in _SCORES.items():
        if any(column.endswith(f"_{suffix}") for column in header):
            return kind
    if header[:1] != ["Model"]:
        return None
    table = next((table for column, table in _TABLES.items() if column in header), None)
    if table is None:
        return None
    deviations = "std" in path.name.lower()
    part = "mean (sd)" if any("(" in cell for cell in first) else "sd" if deviations else "mean"
    return f"{table} {part}"  # type: ignore[return-value]  # one of the names above, put together


def read_head(path: Path, count: int) -> list[list[str]]:
    """The first records of a file that may hold anything, as far as they can be read as CSV in
    UTF-8; at most ``count``.

    To tell files apart, not to use what is in them: nothing but the head is read, and nothing is
    refused. Raises UsageError where the file cannot be opened.
    """
    found: list[list[str]] = []
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            found.extend(islice(csv.reader(file), count))
    except OSError as error:
        raise UsageError(
            f"the file {path} cannot be opened: {error.strerror or 'unknown'}"
        ) from None
    except csv.Error:
        return found
    return found
