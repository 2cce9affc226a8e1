"""The inputs of scoring: files of predictions, folders of runs and the folder of the published
outputs, put together and chosen from.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.own.scores import OUTPUTS
from benchmarks.pubmedrs200.scoring import references
from benchmarks.pubmedrs200.scoring import runs as runs_folder
from benchmarks.pubmedrs200.scoring.predictions import (
    FaultyPredictions,
    LineFault,
    Prediction,
    PredictionFile,
    duplicates,
    read,
)
from clinfo.errors import UsageError
from pubmedrs.records import Dataset, Review

if TYPE_CHECKING:
    from benchmarks.pubmedrs200.published.reading import Published


@dataclass(frozen=True)
class Inputs:
    """Rows in the order of the inputs; ``quarantined`` maps labels to sorted ids that a run found
    leaks in.

    ``runs`` are folders of runs, ``published`` what was read of folders of published files.
    ``remarks`` are worth a warning each.
    """

    rows: tuple[Prediction, ...]
    quarantined: Mapping[str, tuple[str, ...]]
    runs: tuple[Path, ...] = ()
    published: tuple[Published, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """The labels of the rows, in the order in which they come first."""
        return tuple(dict.fromkeys(row.system for row in self.rows))


def gather(
    paths: Sequence[Path],
    dataset: Dataset | None,
    systems: Sequence[str] = (),
    needs_source: bool = False,
) -> Inputs:
    """Everything that the inputs hold. With a data set, an id that it lacks is a fault, and a row
    without source gets its review's.

    With ``needs_source``, a row of the ``systems`` (of all where none are named, see `chosen`) that
    is left without is a fault. Raises FaultyPredictions with all faults of all inputs, UsageError
    for an input that is no such thing.
    """
    files: list[tuple[str, PredictionFile]] = []
    quarantined: dict[str, set[str]] = {}
    runs: list[Path] = []
    published: list[Published] = []
    for path in paths:
        if path.is_file():
            files.append((str(path), read(path)))
        elif runs_folder.is_run(path):
            runs.append(path)
            files.append((str(path / "predictions.jsonl"), runs_folder.predictions(path)))
            for id, system in runs_folder.quarantined(path):
                quarantined.setdefault(system, set()).add(id)
        elif path.is_dir():
            found, listed = _published(path, dataset)
            published.append(found)
            files.append(
                (
                    str(path),
                    PredictionFile(
                        listed, (), tuple((row.id, row.system, row.line) for row in listed)
                    ),
                )
            )
        else:
            raise UsageError(f"there is no file or folder {path}")
    faults = [fault for _, file in files for fault in file.faults]
    faults += duplicates(files)
    reviews = {review.pmid: review for review in dataset.reviews} if dataset else None
    if reviews is not None:
        faults += [
            LineFault(name, line, f"the data set has no question with the id “{id[:60]}”")
            for name, file in files
            for id, _, line in file.named
            if id not in reviews
        ]
    rows = tuple(row for _, file in files for row in file.rows)
    if reviews is not None:
        rows = tuple(_with_source(row, reviews) for row in rows)
    if needs_source:
        faults += _without_source(row for row in rows if chosen(row.system, systems))
    if faults:
        order = {name: place for place, (name, _) in enumerate(files)}
        raise FaultyPredictions(sorted(faults, key=lambda fault: (order[fault.file], fault.line)))
    oddities = [str(remark) for _, file in files for remark in file.remarks]
    return Inputs(
        rows,
        {system: tuple(sorted(ids)) for system, ids in quarantined.items()},
        tuple(runs),
        tuple(published),
        (*oddities, *references.remarks(rows, reviews)),
    )


def choose(inputs: Inputs, ids: Collection[str], systems: Sequence[str] = ()) -> Inputs:
    """The part of the inputs on some questions, of some systems, sorted by system in input order
    and then by id.

    A name in ``systems`` takes the label it is equal to and all labels that go on with a colon
    after it; all are taken where there is none. Raises UsageError for a name that takes nothing,
    and where nothing is left.
    """
    known = (*inputs.systems, *inputs.quarantined)
    for name in systems:
        if not any(takes(name, label) for label in known):
            there = ", ".join(known[:20]) + (" …" if len(known) > 20 else "")
            raise UsageError(f"--systems: there is no system “{name[:60]}”; there are {there}")
    wanted = set(ids)
    order = {label: place for place, label in enumerate(inputs.systems)}
    rows = [row for row in inputs.rows if row.id in wanted and chosen(row.system, systems)]
    if not rows:
        raise UsageError("none of the predictions is on a chosen question and of a chosen system")
    quarantined = {
        label: kept
        for label, held in inputs.quarantined.items()
        if chosen(label, systems) and (kept := tuple(id for id in held if id in wanted))
    }
    return replace(
        inputs,
        rows=tuple(sorted(rows, key=lambda row: (order[row.system], row.id))),
        quarantined=quarantined,
    )


def takes(name: str, label: str) -> bool:
    """Return whether a name given by a user means a label; the label of a whole answer goes with
    its texts.
    """
    return label == name or label.startswith(f"{name}:") or whole_answer(name) == label


def chosen(label: str, systems: Sequence[str]) -> bool:
    """Return whether a label is among what the user named; where nothing was named, all are."""
    return not systems or any(takes(name, label) for name in systems)


def whole_answer(label: str) -> str:
    """The label of the answer that a text is part of: ``name:regime:2`` for
    ``name:regime:tldr:2``.
    """
    parts = label.split(":")
    return ":".join([*parts[:2], *parts[3:]]) if len(parts) > 2 and parts[2] in OUTPUTS else label


def missing(
    rows: Sequence[Prediction], quarantined: Mapping[str, Collection[str]], ids: Collection[str]
) -> dict[str, list[str]]:
    """By system, the sorted questions that it has no row for, though they were asked for or another
    system has one.

    Those that are quarantined are told elsewhere and left out.
    """
    held: dict[str, set[str]] = {}
    for row in rows:
        held.setdefault(row.system, set()).add(row.id)
    wanted = set(ids)
    lacking = {
        system: sorted(
            wanted
            - has
            - set(quarantined.get(system, ()))
            - set(quarantined.get(whole_answer(system), ()))
        )
        for system, has in held.items()
    }
    return {system: listed for system, listed in lacking.items() if listed}


def _published(folder: Path, dataset: Dataset | None) -> tuple[Published, tuple[Prediction, ...]]:
    from benchmarks.pubmedrs200.published.files import has_scores
    from benchmarks.pubmedrs200.published.predictions import predictions
    from benchmarks.pubmedrs200.published.reading import read as read_published

    if not has_scores(folder):
        raise UsageError(
            f"{folder} is neither a run's folder (run.json) nor one with the published files"
        )
    published = read_published(folder)
    rows = enumerate(predictions(published, dataset), 1)
    return published, tuple(
        Prediction(
            form["id"],
            form["system"],
            form["prediction"],
            form["reference"],
            form["source"],
            file=str(folder),
            line=number,
        )
        for number, form in rows
    )


def _with_source(row: Prediction, reviews: Mapping[str, Review]) -> Prediction:
    if (row.source and row.source.strip()) or row.id not in reviews:
        return row
    return replace(row, source=reviews[row.id].context or None)


def _without_source(rows: Iterable[Prediction]) -> Iterator[LineFault]:
    what = (
        "the field “source” is missing, which a chosen metric needs (--data takes it from the data "
        "set)"
    )
    return (
        LineFault(row.file, row.line, what)
        for row in rows
        if not (row.source and row.source.strip())
    )
