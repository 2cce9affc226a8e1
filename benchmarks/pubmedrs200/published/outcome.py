"""The files of a reproduction: the same bytes for the same input; ids, names and numbers, no
published text.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks.pubmedrs200.published import validation
from benchmarks.pubmedrs200.published.comparison import Agreement, differences
from benchmarks.pubmedrs200.published.reading import Published
from benchmarks.pubmedrs200.published.recomputation import Recomputed
from benchmarks.pubmedrs200.published.retrieval import Retrieval, retrievals
from benchmarks.pubmedrs200.published.validation import Validation
from clinfo.errors import UsageError
from clinfo.files import whole_file

HEADER: Final = ("id", "system", "metric", "published", "recomputed", "difference")
METRICS: Final = (
    "metric",
    "values",
    "largest_difference",
    "over_1e-6",
    "tolerance",
    "agrees",
    "scored",
    "signature",
)
RETRIEVAL: Final = (
    "id",
    "regime",
    "relevant",
    "hits",
    "references",
    "precision",
    "recall",
    "source_included",
)


def value_rows(
    published: Published, recomputed: Mapping[str, Recomputed]
) -> Iterator[tuple[str, ...]]:
    """One row of `HEADER` a value: question by question within each metric; numbers as short as
    they can be without loss.
    """
    for item in recomputed.values():
        for value in differences(published, item):
            numbers = (repr(value.published), repr(value.recomputed), f"{value.difference:.3g}")
            yield value.pmid, value.system, value.metric, *numbers


def write(
    folder: Path,
    published: Published,
    recomputed: Mapping[str, Recomputed],
    agreements: Sequence[Agreement],
    text: str,
) -> None:
    """questions.csv, metrics.csv, retrieval.csv and tables.md (``text``). Raises UsageError where
    they cannot be written.
    """
    metrics = (
        (a.metric, a.n, a.largest, a.over, a.tolerance, str(a.agrees).lower(), a.role, a.signature)
        for a in agreements
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write_csv(folder / "questions.csv", HEADER, value_rows(published, recomputed))
        _write_csv(folder / "metrics.csv", METRICS, metrics)
        _write_csv(
            folder / "retrieval.csv",
            RETRIEVAL,
            (_retrieval(item) for item in retrievals(published)),
        )
        with whole_file(folder / "tables.md") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"--out {folder}: {error.strerror or error}") from None


def keep(outcome: Sequence[Validation], out: Path | None) -> None:
    """Keep the neural metrics' outcome where `score` finds it, and in ``out``. Raises UsageError
    where that fails.
    """
    if not outcome:
        return
    try:
        for path in (validation.path(), *([out / validation.FILE] if out is not None else [])):
            validation.write(path, outcome)
    except OSError as error:
        raise UsageError(
            f"the outcome for neural metrics cannot be kept in {error.filename}: "
            f"{error.strerror or error}"
        ) from None


def _retrieval(item: Retrieval) -> tuple[object, ...]:
    """A row of `RETRIEVAL`; precision and recall are empty where they are not defined."""
    precision = repr(item.precision) if item.found and item.references else ""
    recall = repr(item.recall) if item.references else ""
    return (
        item.pmid,
        item.regime,
        item.found,
        item.hits,
        item.references,
        precision,
        recall,
        int(item.source_included),
    )


def _write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with whole_file(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
