"""The small published files with means and standard deviations over all 145 questions."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.pubmedrs200.published.columns import BY_METRIC, LAYOUT, Table
from benchmarks.pubmedrs200.published.files import Records, records, require
from benchmarks.pubmedrs200.published.systems import SYSTEMS
from clinfo.errors import UsageError


@dataclass(frozen=True)
class TableCell:
    """Mean and standard deviation (ddof 0) of one metric and system, rounded to three decimals by
    those who published them.
    """

    mean: float
    sd: float


@dataclass(frozen=True)
class Misprint:
    """A standard deviation that differs between the file of deviations and the file of cells made
    for print.

    ``like`` is the system above whose rounded mean is the same and whose deviation was printed
    instead; None when that does not explain it.
    """

    metric: str
    system: str
    sd: float
    printed: float
    like: str | None


@dataclass(frozen=True)
class PublishedTable:
    """Cells by metric name of the benchmark, then by system key, and what is wrong with those made
    for print.
    """

    cells: Mapping[str, Mapping[str, TableCell]]
    misprints: tuple[Misprint, ...]


def read_table(table: Table, means: Path, deviations: Path, both: Path | None) -> PublishedTable:
    """Read one table's files; ``both`` is the one with cells for print. Raises UsageError naming
    what cannot be read.
    """
    mean, sd = _rows(table, means), _rows(table, deviations)
    cells = {
        metric: {
            system.key: TableCell(
                _number(means, mean, metric, system.key),
                _number(deviations, sd, metric, system.key),
            )
            for system in SYSTEMS
        }
        for metric in LAYOUT[table]
    }
    return PublishedTable(cells, () if both is None else _misprints(table, cells, both))


def _rows(table: Table, path: Path) -> Mapping[str, Mapping[str, str]]:
    held: Records = records(path)
    require(held, ["Model", *(BY_METRIC[metric].in_table for metric in LAYOUT[table])])
    rows = {row["Model"]: row for row in held.rows}
    missing = [system.key for system in SYSTEMS if system.key not in rows]
    if missing:
        raise UsageError(f"{path.name} lacks the systems {', '.join(missing)}")
    return rows


def _number(path: Path, rows: Mapping[str, Mapping[str, str]], metric: str, system: str) -> float:
    column = BY_METRIC[metric].in_table
    cell = rows[system][column]
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(
            f"{path.name}, system {system}, column {column}: {cell[:40]!r} is not a number"
        )
    return value


def _misprints(
    table: Table, cells: Mapping[str, Mapping[str, TableCell]], path: Path
) -> tuple[Misprint, ...]:
    """Deviations in cells like "& 0.908 (0.149)", of three significant figures, that are not those
    of the other file.
    """
    rows = _rows(table, path)
    found = []
    for metric, by_system in cells.items():
        for key, cell in by_system.items():
            text = rows[key][BY_METRIC[metric].in_table]
            match = re.fullmatch(r"&?\s*([-+\d.eE]+)\s*\(([-+\d.eE]+)\)\s*", text)
            try:
                printed = float(match[2]) if match else math.nan
            except ValueError:
                printed = math.nan
            if math.isnan(printed):
                raise UsageError(
                    f"{path.name}, system {key}, column {BY_METRIC[metric].in_table}: "
                    f"{text[:40]!r} is not mean (sd)"
                )
            if not _three(cell.sd, printed):
                same = (
                    other
                    for other, theirs in by_system.items()
                    if theirs.mean == cell.mean and _three(theirs.sd, printed)
                )
                like = next(same, None)
                found.append(Misprint(metric, key, cell.sd, printed, like))
    return tuple(found)


def _three(value: float, printed: float) -> bool:
    """Return whether a value, rounded to three significant figures, is what was printed."""
    return math.isclose(float(f"{value:.3g}"), printed, abs_tol=1e-9)
