"""The published outputs, scores and retrieved ids of 13 systems, read with suspicion and left as
they are.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.pubmedrs200.published.columns import BY_METRIC, COLUMNS, Table
from benchmarks.pubmedrs200.published.files import Kind, Records, find, records, require
from benchmarks.pubmedrs200.published.systems import RETRIEVING, SYSTEMS
from benchmarks.pubmedrs200.published.tables import PublishedTable, read_table
from clinfo.errors import UsageError
from pubmedrs.cells import read_list

TEXT_COLUMNS: Final = (
    "PMID",
    "Title",
    "Introduction",
    "Results",
    "Conclusion",
    "Ref_PMIDs",
    "questions",
    "HumanQuestions",
    "PublishedDate",
    "HumanAnswer",
)


@dataclass(frozen=True)
class PublishedQuestion:
    """One question with everything the files hold of it; texts are the cells as they stand.

    ``cells`` are the data set's own columns. ``references`` are the distinct PMIDs of the review's
    list, in its order. ``outputs`` has a text by system key; ``relevant`` and ``irrelevant`` have
    PMIDs by regime, in the order of the file.
    """

    pmid: str
    cells: Mapping[str, str]
    references: tuple[str, ...]
    outputs: Mapping[str, str]
    relevant: Mapping[str, tuple[str, ...]]
    irrelevant: Mapping[str, tuple[str, ...]]

    @property
    def human_answer(self) -> str:
        """The cell ``HumanAnswer``."""
        return self.cells["HumanAnswer"]

    @property
    def context(self) -> str:
        """Introduction, results and conclusion as they stand, joined by one space each."""
        return " ".join(
            part for name in ("Introduction", "Results", "Conclusion") if (part := self.cells[name])
        )


@dataclass(frozen=True)
class Published:
    """The published files of a folder.

    ``values`` has the published value by metric name of the benchmark, then by system key: one a
    question, in order. ``tables`` has those of the small table files that are there. ``sha256`` has
    the hash of each file of scores.
    """

    folder: Path
    questions: tuple[PublishedQuestion, ...]
    values: Mapping[str, Mapping[str, tuple[float, ...]]]
    tables: Mapping[Table, PublishedTable]
    sha256: Mapping[Table, str]

    @property
    def ids(self) -> tuple[str, ...]:
        """The questions' PMIDs, in the order of the files."""
        return tuple(question.pmid for question in self.questions)


def read(folder: Path) -> Published:
    """Read the published files under ``folder`` (the whole repository will do, too).

    Raises UsageError, in one line that names file, record and column, when a file is missing or
    there twice, cut off, not UTF-8, without a column that is needed, when a value is not a finite
    number or a list of ids cannot be read, when a PMID is there twice, or when the two files of
    scores do not hold the same texts in the same order.
    """
    found = find(folder)
    augmented, free = records(found["table1"]), records(found["table2"])
    for held, table in ((augmented, "table1"), (free, "table2")):
        values = [
            f"{s.key}_{column.suffix}"
            for s in SYSTEMS
            for column in COLUMNS
            if column.table == table
        ]
        require(held, [*TEXT_COLUMNS, *_output_columns(), *_id_columns(), *values])
    _same_texts(augmented, free)
    questions = tuple(_question(augmented, number) for number in range(1, len(augmented.rows) + 1))
    _distinct(questions, augmented)
    held_by: Mapping[Table, Records] = {"table1": augmented, "table2": free}
    return Published(
        folder=folder,
        questions=questions,
        values={
            metric: {
                system.key: _numbers(held_by[column.table], f"{system.key}_{column.suffix}")
                for system in SYSTEMS
            }
            for metric, column in BY_METRIC.items()
        },
        tables=_tables(found),
        sha256={
            table: hashlib.sha256(held.path.read_bytes()).hexdigest()
            for table, held in held_by.items()
        },
    )


def _output_columns() -> list[str]:
    return [system.key for system in SYSTEMS]


def _id_columns() -> list[str]:
    return [
        key + ending
        for key in RETRIEVING.values()
        for ending in ("_relevant_ids", "_irrelevant_Pubmed_ids")
    ]


def _same_texts(first: Records, second: Records) -> None:
    names = f"{first.path.name} and {second.path.name}"
    if len(first.rows) != len(second.rows):
        raise UsageError(
            f"{names} hold {len(first.rows)} and {len(second.rows)} questions; is one of them cut "
            "off?"
        )
    for number, (one, other) in enumerate(zip(first.rows, second.rows, strict=True), 1):
        for column in (*TEXT_COLUMNS, *_output_columns(), *_id_columns()):
            if one[column] != other[column]:
                raise UsageError(
                    f"{names} differ in record {number}, column {column}: they must hold the same "
                    "texts in one order"
                )


def _question(held: Records, number: int) -> PublishedQuestion:
    row = held.rows[number - 1]
    pmid = row["PMID"].strip()
    if not (pmid.isascii() and pmid.isdigit()):
        raise UsageError(
            f"{held.path.name}, record {number}, column PMID: {row['PMID'][:40]!r} is not a PMID"
        )
    return PublishedQuestion(
        pmid=pmid,
        cells={column: row[column] for column in TEXT_COLUMNS},
        references=_ids(held, number, "Ref_PMIDs"),
        outputs={key: row[key] for key in _output_columns()},
        relevant={
            regime: _ids(held, number, f"{key}_relevant_ids") for regime, key in RETRIEVING.items()
        },
        irrelevant={
            regime: _ids(held, number, f"{key}_irrelevant_Pubmed_ids")
            for regime, key in RETRIEVING.items()
        },
    )


def _ids(held: Records, number: int, column: str) -> tuple[str, ...]:
    """The distinct ids of a cell that holds a Python list of numbers or texts, as strings in its
    order.
    """
    try:
        return tuple(dict.fromkeys(read_list(held.rows[number - 1][column])))
    except ValueError as error:
        raise UsageError(
            f"{held.path.name}, record {number}, column {column}: not a list of PMIDs: {error}"
        ) from None


def _numbers(held: Records, column: str) -> tuple[float, ...]:
    def number(record: int, cell: str) -> float:
        try:
            value = float(cell)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise UsageError(
                f"{held.path.name}, record {record}, column {column}: {cell[:40]!r} is not a number"
            )
        return value

    return tuple(number(record, row[column]) for record, row in enumerate(held.rows, 1))


def _distinct(questions: tuple[PublishedQuestion, ...], held: Records) -> None:
    first: dict[str, int] = {}
    for number, question in enumerate(questions, 1):
        if question.pmid in first:
            before = first[question.pmid]
            raise UsageError(
                f"{held.path.name}, record {number}: PMID {question.pmid} is there already in "
                f"record {before}"
            )
        first[question.pmid] = number


def _tables(found: Mapping[Kind, Path]) -> Mapping[Table, PublishedTable]:
    tables: dict[Table, PublishedTable] = {}
    kinds: tuple[tuple[Table, Kind, Kind, Kind], ...] = (
        ("table1", "table1 mean", "table1 sd", "table1 mean (sd)"),
        ("table2", "table2 mean", "table2 sd", "table2 mean (sd)"),
    )
    for table, mean, deviation, both in kinds:
        if mean in found and deviation in found:
            tables[table] = read_table(table, found[mean], found[deviation], found.get(both))
    return tables
