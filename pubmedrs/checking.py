"""Faults of a data set file, counted by kind."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

from pubmedrs.records import KINDS, Dataset, Fate, Fault


@dataclass(frozen=True)
class Group:
    """The faults of one kind: distinct ``rows``, how often it stands in them (``count``), and
    distinct rows by column.
    """

    kind: str
    fate: Fate
    meaning: str
    rows: int
    count: int
    columns: Mapping[str, int]


def group(faults: Iterable[Fault]) -> list[Group]:
    """The faults by kind, in the order of `pubmedrs.records.KINDS`. Faults of the file as a whole
    count as no row.
    """
    by_kind: dict[str, list[Fault]] = {}
    for fault in faults:
        by_kind.setdefault(fault.kind, []).append(fault)
    groups = []
    for kind, known in KINDS.items():
        if met := by_kind.get(kind):
            columns = Counter(
                column
                for column, row in dict.fromkeys((fault.column, fault.row) for fault in met)
                if row
            )
            rows = len({fault.row for fault in met} - {0})
            groups.append(
                Group(
                    kind,
                    known.fate,
                    known.meaning,
                    rows,
                    sum(fault.count for fault in met),
                    dict(columns),
                )
            )
    return groups


def report(dataset: Dataset) -> dict[str, object]:
    """Everything as a form for JSON: counts, groups, and every fault."""
    return {
        "sha256": dataset.sha256,
        "rows": dataset.rows,
        "reviews": len(dataset.reviews),
        "refused": [asdict(fault) for fault in dataset.refused],
        "changed_cells": len({(repair.row, repair.column) for repair in dataset.repairs}),
        "kinds": [asdict(one) for one in group(dataset.faults)],
        "faults": [asdict(fault) for fault in dataset.faults],
    }


def text(dataset: Dataset, name: str, shown: Iterable[Fault] = ()) -> str:
    """The counts as a page; then the ``shown`` faults, a line each; then the rows that were
    refused, always all of them.
    """
    from clinfo.text.wording import number

    groups = group(dataset.faults)
    counted = (
        number(dataset.rows, "row"),
        number(len(dataset.reviews), "review"),
        number(len(dataset.refused), "row"),
    )
    lines = [
        f"{name}: {counted[0]}, {counted[1]}, {counted[2]} refused",
        f"SHA-256 {dataset.sha256}",
    ]
    for fate, heading in _HEADINGS.items():
        if of_fate := [one for one in groups if one.fate == fate]:
            lines += ["", heading]
            for one in of_fate:
                columns = ", ".join(
                    f"{column} {count:,}" for column, count in one.columns.items() if column
                )
                rows = number(one.rows, "row") if one.rows else "the file"
                lines.append(
                    f"  {one.kind:<22}{rows:>9} {number(one.count, 'time'):>12}   {one.meaning}"
                )
                lines += [f"      {columns}"] if columns else []
    if not groups:
        lines.append("no faults found")
    if details := [line_of(fault) for fault in shown]:
        lines += ["", "One by one", *details]
    if dataset.refused:
        lines += ["", "Refused rows", *(line_of(fault) for fault in dataset.refused)]
    return "\n".join(lines)


def line_of(fault: Fault) -> str:
    """A fault in one line."""
    from clinfo.text.wording import one_line

    place = f"row {fault.row:,}" if fault.row else "the file"
    who = f" (PMID {fault.pmid})" if fault.pmid else ""
    column = f" {fault.column}:" if fault.column else ""
    return one_line(f"{place}{who}:{column} {fault.kind}: {fault.detail}")


_HEADINGS: Mapping[Fate, str] = {
    "refused": "Refused: these rows contain no review",
    "left": "Left as it is",
    "repaired": "Repaired",
    "note": "Worth knowing",
}
