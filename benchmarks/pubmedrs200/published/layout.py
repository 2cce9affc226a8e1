"""The comparison as text: Markdown tables in the paper's layout, and what is known to be wrong with
the printed ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from benchmarks.pubmedrs200.published.columns import BY_METRIC, LAYOUT, PUBLISHED_ROWS, Table
from benchmarks.pubmedrs200.published.comparison import EXACT, Agreement, CellComparison, Table3Cell
from benchmarks.pubmedrs200.published.printed import Printed
from benchmarks.pubmedrs200.published.reading import Published
from benchmarks.pubmedrs200.published.systems import BY_KEY, REGIME_TITLES, SYSTEMS

TITLES: Final[Mapping[Table, str]] = {
    "table1": "Table 1: source-augmented metrics, and length in words",
    "table2": "Table 2: source-free metrics",
}
ROLES: Final = {
    "swapped": "human answer as prediction, output as reference",
    "output": "output as prediction",
    "published": "published values",
}
_TABLE3: Final = {
    "retrieval_precision": "Precision",
    "retrieval_recall": "Recall",
    "source_included": "Source included",
}
_RULES: Final = {"paper": "with references and articles found", "every": "every question"}


def summary(agreements: Sequence[Agreement]) -> Iterator[str]:
    """One line a metric that was recomputed: how many values, how far apart, whether that is near
    enough.
    """
    yield "## Values, question by question"
    yield ""
    yield from _table(
        [
            "metric",
            "values",
            "largest difference",
            f"over {EXACT:g}",
            "tolerance",
            "",
            "scored",
            "signature",
        ],
        [
            [
                item.metric,
                f"{item.n:,}",
                f"{item.largest:.2g}",
                f"{item.over:,}",
                f"{item.tolerance:g}" + (f" ({item.why})" if item.why else ""),
                "agrees"
                if item.agrees
                else f"DIFFERS (most: PMID {item.worst.pmid}, {item.worst.system})",
                ROLES[item.role],
                item.signature.replace("|", "\\|"),
            ]
            for item in agreements
        ],
    )


def table(
    name: Table, published: Published, cells: Sequence[CellComparison], paper: Printed
) -> Iterator[str]:
    """Table 1 or 2 as Markdown."""
    n, by_cell = len(published.questions), {(cell.metric, cell.system): cell for cell in cells}
    yield f"## {TITLES[name]} ({_count(n)})"
    yield ""
    yield f"Mean (standard deviation, ddof 0). Each cell: {_left(cells)} /"
    verdict = _verdict(n, [cell.agrees for cell in cells])
    yield f"as in the published table files, which are over {PUBLISHED_ROWS} questions{verdict}"
    yield ""
    rows = []
    group = ""
    for system in SYSTEMS:
        rows += [[f"*{system.group}*", *[""] * len(LAYOUT[name])]] if system.group != group else []
        group = system.group
        rows.append(
            [system.title, *(_cell(by_cell[metric, system.key]) for metric in LAYOUT[name])]
        )
    yield from _table(["system", *(BY_METRIC[metric].title for metric in LAYOUT[name])], rows)
    yield ""
    yield from _known_to_differ(name, published, by_cell, paper)


def table3(cells: Sequence[Table3Cell], n: int, paper: Printed) -> Iterator[str]:
    """Table 3 as Markdown."""
    yield f"## Table 3: what was retrieved ({_count(n)})"
    yield ""
    yield (
        "Mean (standard deviation, ddof 0) of articles judged relevant against the review's "
        "references, recomputed / as printed"
    )
    yield "in the paper, of which the means given here are known and its"
    yield f"deviations are not{_verdict(n, [cell.agrees for cell in cells])}"
    yield ""
    by_row: dict[tuple[str, str], list[Table3Cell]] = {}
    for cell in cells:
        by_row.setdefault((cell.row.regime, cell.row.rule), []).append(cell)
    yield from _table(
        ["search", "questions counted", "n", *_TABLE3.values()],
        [
            [
                REGIME_TITLES[regime],
                _RULES[rule],
                str(listed[0].row.n),
                *(_table3_cell(cell) for cell in listed),
            ]
            for (regime, rule), listed in by_row.items()
        ],
    )
    yield ""
    yield from (f"- {note}" for note in paper.notes.get("table3", ()))


def _known_to_differ(
    name: Table,
    published: Published,
    cells: Mapping[tuple[str, str], CellComparison],
    paper: Printed,
) -> Iterator[str]:
    for note in paper.notes.get(name, ()):
        yield f"- {note}"
    for metric, by_system in (paper.table1 if name == "table1" else {}).items():
        for key, value in by_system.items():
            held = cells[metric, key].published
            beside = f", table files {held.mean:.3f}" if held is not None else ""
            yield (
                f"- Printed mean of {BY_METRIC[metric].title}, {BY_KEY[key].title}: "
                f"{value:.3f}{beside}."
            )
    if name == "table1":
        yield "- Other printed cells are not known here."
    if name not in published.tables:
        yield "- The table files with means and deviations are not there: nothing to compare with."
        return
    for item in published.tables[name].misprints:
        why = (
            f", which is that of {BY_KEY[item.like].title}, whose rounded mean is the same"
            if item.like
            else ""
        )
        where = f"{BY_METRIC[item.metric].title}, {BY_KEY[item.system].title}"
        yield (
            f"- Misprint in the file of cells made for print: {where}: deviation {item.printed:g} "
            f"in place of {item.sd:g}{why}."
        )


def _cell(cell: CellComparison) -> str:
    held = "–" if cell.published is None else f"{cell.published.mean:.3f} ({cell.published.sd:.3f})"
    sign = " ≠" if cell.agrees is False else ""
    if cell.recomputed is None:
        state = "not validated" if BY_METRIC[cell.metric].neural else "not recomputed"
        return f"{state}: {cell.values} / {held}{sign}"
    return f"{cell.recomputed} / {held}{sign}"


def _table3_cell(cell: Table3Cell) -> str:
    known = "not known" if cell.printed is None else f"{cell.printed:.3f}"
    sign = " (misprint)" if cell.misprint else " ≠" if cell.agrees is False else ""
    return f"{cell.row.cells[cell.metric]} / {known}{sign}"


def _left(cells: Sequence[CellComparison]) -> str:
    made = any(cell.recomputed is not None for cell in cells)
    held = any(cell.recomputed is None for cell in cells)
    parts = (["recomputed"] if made else []) + (
        ["where it says so the published values of the questions at hand"] if held else []
    )
    return " or, ".join(parts)


def _count(n: int) -> str:
    return f"n = {n}" if n == PUBLISHED_ROWS else f"n = {n} of {PUBLISHED_ROWS}"


def _verdict(n: int, agree: Sequence[bool | None]) -> str:
    if n != PUBLISHED_ROWS:
        return (
            f": n = {n} of {PUBLISHED_ROWS}, so the two are of different questions and not "
            "compared."
        )
    compared = [item for item in agree if item is not None]
    return (
        f": {sum(compared)} of {len(compared)} cells compared agree."
        if compared
        else ": not compared."
    )


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield f"|{'---|' * len(header)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)
