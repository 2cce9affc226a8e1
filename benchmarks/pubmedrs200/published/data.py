"""Facts on the published systems, files and printed figures: published.toml, read."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import msgspec

Table = Literal["table1", "table2"]
ROWS: Final = 145
"""Questions with outputs and scores in the whole published files; captions in the paper say 146."""


@dataclass(frozen=True)
class System:
    """One published system: ``key`` is its column in the published files, ``title`` its name in
    tables, ``group`` the part of the paper's tables it stands in.
    """

    key: str
    title: str
    group: str
    regime: str
    output: str
    cutoff: str | None = None
    run: str | None = None


@dataclass(frozen=True)
class Column:
    """One metric of the published files."""

    metric: str
    suffix: str
    table: Table
    place: int
    in_table: str
    title: str
    role: str


@dataclass(frozen=True)
class Printed:
    """All of the file. ``table1`` has printed means by metric and system key, ``table3`` by regime
    and metric; ``misprints`` are cells known to be wrong.
    """

    source: str
    systems: tuple[System, ...]
    columns: tuple[Column, ...]
    table1: Mapping[str, Mapping[str, float]]
    table3: Mapping[str, Mapping[str, float]]
    notes: Sequence[Mapping[str, str]]
    misprints: Sequence[Mapping[str, str]]

    def notes_of(self, table: str) -> tuple[str, ...]:
        """Return what is known of a printed table's misprints."""
        return tuple(note["text"] for note in self.notes if note["table"] == table)

    def is_misprint(self, table: str, row: str, metric: str) -> bool:
        return {"table": table, "row": row, "metric": metric} in self.misprints


PRINTED: Final = msgspec.convert(
    tomllib.loads(Path(__file__).with_name("published.toml").read_text(encoding="utf-8")), Printed
)
SYSTEMS: Final = PRINTED.systems
BY_KEY: Final = {system.key: system for system in SYSTEMS}
BY_METRIC: Final = {column.metric: column for column in PRINTED.columns}
RETRIEVING: Final = {one.regime: one.run for one in SYSTEMS if one.run}
"""By regime, the key under which the published files hold what was retrieved."""
REGIME_TITLES: Final = {one.regime: one.group.split(", ")[1] for one in SYSTEMS if one.run}


def layout(table: Table) -> list[Column]:
    """The columns of a table, in the order of the published table files."""
    of = [column for column in PRINTED.columns if column.table == table]
    return sorted(of, key=lambda column: column.place)
