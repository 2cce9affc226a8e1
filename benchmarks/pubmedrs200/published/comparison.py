"""Recomputed values against published ones: value by value, and cell by cell of the tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from benchmarks.pubmedrs200.published.columns import BY_METRIC, LAYOUT, PUBLISHED_ROWS, Table
from benchmarks.pubmedrs200.published.printed import Printed
from benchmarks.pubmedrs200.published.reading import Published
from benchmarks.pubmedrs200.published.recomputation import Recomputed
from benchmarks.pubmedrs200.published.retrieval import Table3Row
from benchmarks.pubmedrs200.published.statistics import Spread, spread
from benchmarks.pubmedrs200.published.systems import SYSTEMS
from benchmarks.pubmedrs200.published.tables import TableCell

EXACT: Final = 1e-6
METEOR: Final = 0.015
"""A value, where nltk is newer than 3.8.1 and its own rules were used instead of the older ones:
about 65 of 1,885 published values differ, by at most 0.0132."""
NEURAL: Final = 1e-3
"""A value: what other versions of torch and another device change in the last digits is smaller."""
ROUNDED: Final = 0.0005
"""The most that rounding to three decimals takes from a cell."""


@dataclass(frozen=True)
class Difference:
    """One value: of one question, system and metric."""

    pmid: str
    system: str
    metric: str
    published: float
    recomputed: float

    @property
    def difference(self) -> float:
        """Recomputed less published."""
        return self.recomputed - self.published


@dataclass(frozen=True)
class Agreement:
    """Comparison of one metric's values. ``over`` counts those more than 1e-6 apart; ``worst`` is
    the one furthest apart.
    """

    metric: str
    signature: str
    role: str
    n: int
    largest: float
    over: int
    tolerance: float
    why: str
    worst: Difference

    @property
    def agrees(self) -> bool:
        """Return whether no value is further off than the tolerance."""
        return self.largest <= self.tolerance


@dataclass(frozen=True)
class CellComparison:
    """One cell of Table 1 or 2.

    ``values`` is mean and deviation of the published values of the files' questions, ``recomputed``
    of those made anew (None where they were not), ``published`` the cell of the table files (None
    without those). ``agrees`` is None where there is nothing to compare: fewer questions than the
    tables have, or no table files.
    """

    metric: str
    system: str
    values: Spread
    recomputed: Spread | None
    published: TableCell | None
    agrees: bool | None


@dataclass(frozen=True)
class Table3Cell:
    """One cell of Table 3. ``printed`` is the paper's, None where not known here. ``misprint``
    marks those known to be wrong. ``agrees`` is None where there is nothing to compare."""

    row: Table3Row
    metric: str
    printed: float | None
    misprint: bool
    agrees: bool | None


def differences(published: Published, recomputed: Recomputed) -> Iterator[Difference]:
    """Question by question, systems in table order."""
    values = published.values[recomputed.metric]
    for number, question in enumerate(published.questions):
        for system in SYSTEMS:
            pair = values[system.key][number], recomputed.values[system.key][number]
            yield Difference(question.pmid, system.key, recomputed.metric, *pair)


def agreement(published: Published, recomputed: Recomputed) -> Agreement:
    """Return how a metric's values compare with the published ones. A value that is not a number
    agrees with nothing.
    """
    found = list(differences(published, recomputed))
    sizes = [
        abs(item.difference) if item.difference == item.difference else float("inf")
        for item in found
    ]
    largest = max(sizes)
    tolerance, why = _tolerance(recomputed, largest)
    return Agreement(
        metric=recomputed.metric,
        signature=recomputed.signature,
        role=recomputed.role,
        n=len(found),
        largest=largest,
        over=sum(size > EXACT for size in sizes),
        tolerance=tolerance,
        why=why,
        worst=found[sizes.index(largest)],
    )


def cells(
    published: Published, table: Table, recomputed: Mapping[str, Recomputed]
) -> list[CellComparison]:
    """The cells of Table 1 or 2, metric by metric. Compared only where all questions of the
    published tables are there.
    """
    held = published.tables.get(table)
    found = []
    for metric in LAYOUT[table]:
        made = recomputed.get(metric)
        if (
            made is not None and made.role == "published"
        ):  # put together from published values: no model has been asked
            made = None
        slack = ROUNDED + (
            EXACT if made is None else min(ROUNDED, agreement(published, made).tolerance)
        )
        for system in SYSTEMS:
            values = spread(published.values[metric][system.key])
            anew = None if made is None else spread(made.values[system.key])
            cell = None if held is None else held.cells[metric][system.key]
            agrees = None
            if cell is not None and len(published.questions) == PUBLISHED_ROWS:
                agrees = all(
                    _near(item, cell, slack) for item in (values, anew) if item is not None
                )
            found.append(CellComparison(metric, system.key, values, anew, cell, agrees))
    return found


def table3_cells(rows: tuple[Table3Row, ...], paper: Printed, questions: int) -> list[Table3Cell]:
    """The cells of Table 3. The source-dropped ones are compared over every question, as the paper
    seems to have them.
    """
    found = []
    for row in rows:
        for metric, value in row.cells.items():
            known = paper.table3.get(row.regime, {}).get(metric)
            misprint = ("table3", row.regime, metric) in paper.misprints
            as_printed = (row.rule == "every") == (row.regime == "source-dropped")
            compare = (
                known is not None and as_printed and not misprint and questions == PUBLISHED_ROWS
            )
            agrees = (
                abs(value.mean - known) <= ROUNDED + EXACT
                if compare and known is not None
                else None
            )
            found.append(Table3Cell(row, metric, known, misprint, agrees))
    return found


def _near(value: Spread, cell: TableCell, slack: float) -> bool:
    return abs(value.mean - cell.mean) <= slack and abs(value.sd - cell.sd) <= slack


def _tolerance(recomputed: Recomputed, largest: float) -> tuple[float, str]:
    """Return what a value may be off, and why if that is more than nothing."""
    if BY_METRIC[recomputed.metric].neural and recomputed.role != "published":
        return NEURAL, "neural"
    own_rules = recomputed.metric == "meteor" and "rules:installed" in recomputed.signature.split(
        "|"
    )
    if own_rules and largest > EXACT and _newer_nltk():
        from importlib.metadata import version

        return METEOR, f"nltk {version('nltk')}: its METEOR and tokens are newer than 3.8.1"
    return EXACT, ""


def _newer_nltk() -> bool:
    from importlib.metadata import version

    numbers = []
    for part in version("nltk").split(".")[:3]:
        digits = "".join(character for character in part if character.isdigit())
        numbers.append(int(digits or 0))
    return tuple(numbers) > (3, 8, 1)
