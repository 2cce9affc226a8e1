"""The published outputs, scores and retrieved ids of 13 systems, read with suspicion and left as
they are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.own.scores import ScoreRow
from benchmarks.pubmedrs200.published.data import (
    BY_METRIC,
    PRINTED,
    RETRIEVING,
    SYSTEMS,
    Table,
    layout,
)
from benchmarks.pubmedrs200.scoring.statistics import deviation, mean
from clinfo.errors import UsageError
from pubmedrs.cells import read_list, redecoded
from pubmedrs.csv_file import decode, read_bytes, read_table
from pubmedrs.records import Dataset

DEPTH: Final = 4
"""Levels of folders that are searched below the one named; the published repository needs three."""
_BREAK = re.compile(r"(?:\r?\n[ \t]*)+(?=\S)")
_SCORES: Final[Mapping[Table, str]] = {
    "table1": "scores__all_2021*.csv",
    "table2": "Model__all_all_scores*.csv",
}
_FILES: Final[Mapping[str, str]] = {
    **{str(table): name for table, name in _SCORES.items()},
    "table1 mean": "mean_human_answer_all_2021.csv",
    "table1 sd": "std_human_answer_all_2021.csv",
    "table2 mean": "Model__all_metric_mean.csv",
    "table2 sd": "Model__all_metric_std.csv",
}
"""The names of the files by what they hold."""
_IDS: Final = {"relevant": "_relevant_ids", "irrelevant": "_irrelevant_Pubmed_ids"}
_CONTEXT: Final = ("Introduction", "Results", "Conclusion")


@dataclass(frozen=True)
class Question:
    """One question; texts are the cells as they stand. ``references`` are the distinct PMIDs of the
    review's list, in its order; ``relevant`` and ``irrelevant`` have PMIDs by regime.
    """

    pmid: str
    human_answer: str
    context: str
    references: tuple[str, ...]
    outputs: Mapping[str, str]
    relevant: Mapping[str, tuple[str, ...]]
    irrelevant: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation of a population (ddof 0)."""

    mean: float
    sd: float

    def __str__(self) -> str:
        return f"{self.mean:.3f} ({self.sd:.3f})"


@dataclass(frozen=True)
class Published:
    """The published files of a folder.

    ``values`` has the published value by metric, then by system key: one a question, in order.
    ``tables`` has the cells of the small table files that are there, rounded to three decimals, by
    table, metric and system.
    """

    questions: tuple[Question, ...]
    values: Mapping[str, Mapping[str, tuple[float, ...]]]
    tables: Mapping[Table, Mapping[str, Mapping[str, Spread]]]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(question.pmid for question in self.questions)

    def outputs(self) -> Iterator[tuple[str, str, str]]:
        """(question, system, text) of each published output, with its mis-decoded characters
        brought back (elicit has them in about one text of eight) and nothing else changed: the
        space most begin with, line breaks and citation markers stay.
        """
        for system in SYSTEMS:
            for question in self.questions:
                yield question.pmid, system.key, redecoded(question.outputs[system.key])[0]

    def texts(self, dataset: Dataset | None) -> dict[str, tuple[str, str]]:
        """Reference and source by PMID, of the repaired data set where given, so that all systems
        are compared with the same texts. Raises UsageError where it lacks a published question.
        """
        if dataset is None:
            return {
                one.pmid: (
                    " ".join(paragraphs(redecoded(one.human_answer)[0])),
                    redecoded(one.context)[0],
                )
                for one in self.questions
            }
        reviews = {review.pmid: review for review in dataset.reviews}
        if lacking := [pmid for pmid in self.ids if pmid not in reviews]:
            more = f" and {len(lacking) - 3} more" if len(lacking) > 3 else ""
            named = ", ".join(lacking[:3])
            raise UsageError(f"the data set lacks published questions: PMID {named}{more}")
        return {pmid: (reviews[pmid].reference, reviews[pmid].context) for pmid in self.ids}

    def retrieval(self, dataset: Dataset) -> Iterator[ScoreRow]:
        """Retrieval by our own rule, as scores of the three systems that retrieved (their outputs
        share what they retrieved), against the references of the repaired data set.

        Nothing is dropped: a question for which nothing was found has precision 0. Only a question
        without references has neither precision nor recall, as there is nothing to find.
        """
        self.texts(dataset)
        references = {review.pmid: set(review.references) for review in dataset.reviews}
        for regime, key in RETRIEVING.items():
            for one in self.questions:
                relevant, wanted = set(one.relevant[regime]), references[one.pmid]
                if wanted:
                    hits = len(relevant & wanted)
                    precision = hits / len(relevant) if relevant else 0.0
                    yield ScoreRow(one.pmid, key, "retrieval_precision", precision)
                    yield ScoreRow(one.pmid, key, "retrieval_recall", hits / len(wanted))
                if regime == "unrestricted":
                    yield ScoreRow(one.pmid, key, "source_included", float(one.pmid in relevant))


def paragraphs(answer: str) -> tuple[str, ...]:
    """The paragraphs of an answer in the order of the file, results first, without white space
    around them.
    """
    return tuple(part for part in (part.strip() for part in _BREAK.split(answer)) if part)


def published_reference(answer: str) -> str:
    """The text that the published scores were computed against: the paragraphs in reverse order,
    joined with nothing. ``answer`` is the cell ``HumanAnswer`` as published, mis-decoded characters
    and all.

    That the scores of som-shahlab/Clinfo.AI (PubMedRS-200/LLMEvaluations) were made so was found by
    recomputing them: with this text ROUGE-L, chrF, GoogleBLEU and CharacTER of every published
    output come out as published, value by value; with the paragraphs in their own order they do not
    (``python -m benchmarks reproduce``).
    """
    return "".join(_BREAK.split(answer)[::-1])


def spread(values: Sequence[float]) -> Spread:
    """Of at least one value."""
    return Spread(mean(values), deviation(values))


class Records:
    """A CSV file as it stands, every record as long as its header. Raises UsageError that names the
    record where it cannot be read or ends too early.
    """

    def __init__(self, path: Path) -> None:
        self.name = path.name
        text = decode(read_bytes(path), path.name)
        table = read_table(text, path.name)
        self.columns = table.header
        self.rows: list[Mapping[str, str]] = []
        for place, cells in zip(table.places, table.rows, strict=True):
            if not any(cells):  # one of the table files ends in a record of empty cells
                continue
            if len(cells) != len(table.header):
                counts = f"{len(cells)} cells where the header has {len(table.header)}"
                raise UsageError(f"{self.name}, record {place - 1}: {counts}; is the file cut off?")
            self.rows.append(dict(zip(table.header, cells, strict=True)))
        if not self.rows or not text.endswith(("\n", "\r")):
            raise UsageError(
                f"{self.name}: the last line does not end, or there is none; the file seems to be "
                "cut off"
            )

    def require(self, columns: Iterable[str]) -> None:
        """Raise UsageError that names the columns a file lacks."""
        if lacking := [column for column in columns if column not in self.columns]:
            more = f" and {len(lacking) - 5} more" if len(lacking) > 5 else ""
            raise UsageError(f"{self.name} lacks the columns {', '.join(lacking[:5])}{more}")

    def number(self, row: int, column: str) -> float:
        return _finite(self.rows[row][column], f"{self.name}, record {row + 1}, column {column}")

    def ids(self, row: int, column: str) -> tuple[str, ...]:
        """The distinct ids of a cell that holds a Python list of numbers or texts, in its order."""
        try:
            return tuple(dict.fromkeys(read_list(self.rows[row][column])))
        except ValueError as error:
            raise UsageError(
                f"{self.name}, record {row + 1}, column {column}: not a list of PMIDs: {error}"
            ) from None


def has_scores(folder: Path) -> bool:
    """Return whether any of the two files of scores is under a folder."""
    return any(_named(folder, pattern) for pattern in _SCORES.values())


def read(folder: Path) -> Published:
    """Read the published files under ``folder`` (the whole repository will do, too).

    Raises UsageError, in one line that names file, record and column, when a file is missing or
    there twice, cut off, not UTF-8, without a column that is needed, when a value is not a finite
    number or a list of ids cannot be read, when a PMID is there twice, or when the two files of
    scores do not hold the same texts in the same order.
    """
    found = _find(folder)
    held: dict[Table, Records] = {table: Records(found[table]) for table in _SCORES}
    texts = ["PMID", *_CONTEXT, "Ref_PMIDs", "HumanAnswer", *(system.key for system in SYSTEMS)]
    texts += [key + end for key in RETRIEVING.values() for end in _IDS.values()]
    for table, one in held.items():
        own = (column.suffix for column in PRINTED.columns if column.table == table)
        one.require([*texts, *(f"{s.key}_{suffix}" for suffix in own for s in SYSTEMS)])
    first, second = held.values()
    names = f"{first.name} and {second.name}"
    if len(first.rows) != len(second.rows):
        counts = f"{len(first.rows)} and {len(second.rows)} questions"
        raise UsageError(f"{names} hold {counts}; is one of them cut off?")
    for number, (row, other) in enumerate(zip(first.rows, second.rows, strict=True), 1):
        for column in texts:
            if row[column] != other[column]:
                raise UsageError(
                    f"{names} differ in record {number}, column {column}: they must hold the same "
                    "texts in one order"
                )
    questions = tuple(_question(first, row) for row in range(len(first.rows)))
    seen: dict[str, int] = {}
    for number, question in enumerate(questions, 1):
        if (before := seen.setdefault(question.pmid, number)) != number:
            raise UsageError(
                f"{first.name}, record {number}: PMID {question.pmid} is there already in record "
                f"{before}"
            )
    values = {
        metric: {
            system.key: tuple(
                held[column.table].number(row, f"{system.key}_{column.suffix}")
                for row in range(len(questions))
            )
            for system in SYSTEMS
        }
        for metric, column in BY_METRIC.items()
    }
    tables = {
        table: _cells(table, found[f"{table} mean"], found[f"{table} sd"])
        for table in _SCORES
        if f"{table} mean" in found and f"{table} sd" in found
    }
    return Published(questions, values, tables)


def _question(held: Records, row: int) -> Question:
    cells = held.rows[row]
    pmid = cells["PMID"].strip()
    if not (pmid.isascii() and pmid.isdigit()):
        where = f"{held.name}, record {row + 1}, column PMID"
        raise UsageError(f"{where}: {cells['PMID'][:40]!r} is not a PMID")
    ids = {
        kind: {regime: held.ids(row, key + end) for regime, key in RETRIEVING.items()}
        for kind, end in _IDS.items()
    }
    return Question(
        pmid,
        cells["HumanAnswer"],
        " ".join(part for name in _CONTEXT if (part := cells[name])),
        held.ids(row, "Ref_PMIDs"),
        {system.key: cells[system.key] for system in SYSTEMS},
        ids["relevant"],
        ids["irrelevant"],
    )


def _find(folder: Path) -> dict[str, Path]:
    """The published files under ``folder``, by what they hold."""
    if not folder.is_dir():
        raise UsageError(
            f"{folder} is not a folder: name the one that holds the published outputs and scores"
        )
    found: dict[str, Path] = {}
    for kind, pattern in _FILES.items():
        paths = _named(folder, pattern)
        if len(paths) > 1:
            names = " and ".join(str(path.relative_to(folder)) for path in paths[:2])
            raise UsageError(
                f"{folder}: {names} hold the same kind of values; name a folder with one of them"
            )
        if paths:
            found[kind] = paths[0]
    if lacking := [pattern for table, pattern in _SCORES.items() if table not in found]:
        raise UsageError(f"{folder}: not there: {' and '.join(lacking)}")
    return found


def _named(folder: Path, pattern: str) -> list[Path]:
    return [
        path for depth in range(DEPTH + 1) for path in sorted(folder.glob("*/" * depth + pattern))
    ]


def _finite(cell: str, where: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise UsageError(f"{where}: {cell[:40]!r} is not a number")
    return value


def _cells(table: Table, means: Path, deviations: Path) -> dict[str, dict[str, Spread]]:
    """One table's cells, by metric and system."""
    rows = [(path.name, _by_system(table, path)) for path in (means, deviations)]
    return {
        column.metric: {
            system.key: Spread(
                *(
                    _finite(
                        row[system.key][column.in_table],
                        f"{name}, system {system.key}, column {column.in_table}",
                    )
                    for name, row in rows
                )
            )
            for system in SYSTEMS
        }
        for column in layout(table)
    }


def _by_system(table: Table, path: Path) -> dict[str, Mapping[str, str]]:
    held = Records(path)
    held.require(["Model", *(column.in_table for column in layout(table))])
    rows = {row["Model"]: row for row in held.rows}
    if lacking := [system.key for system in SYSTEMS if system.key not in rows]:
        raise UsageError(f"{path.name} lacks the systems {', '.join(lacking)}")
    return rows
