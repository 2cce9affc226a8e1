"""The inputs of scoring: files of predictions, folders of runs and the folder of the published
outputs, put together and chosen from.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from benchmarks.own.scores import OUTPUTS
from benchmarks.pubmedrs200.published.reading import Published, has_scores
from benchmarks.pubmedrs200.published.reading import read as read_published
from benchmarks.pubmedrs200.running.folder import read_run
from benchmarks.pubmedrs200.scoring.predictions import (
    FaultyPredictions,
    Prediction,
    duplicates,
    read,
)
from clinfo.errors import UsageError
from pubmedrs.records import Dataset, Review, Subset
from pubmedrs.subsets import PAPER, first_of
from pubmedrs.subsets import subset as named

GIVEN: Final = "given"
"""The name of the subset of those questions that any input has a row for."""
_DECIDING: Final = ("source-dropped", "unrestricted")
"""Regimes in which it shows whether anything but the source was retrieved."""


@dataclass(frozen=True)
class Inputs:
    """Rows in the order of the inputs; ``quarantined`` maps labels to sorted ids that a run found
    leaks in.
    """

    rows: tuple[Prediction, ...]
    quarantined: Mapping[str, tuple[str, ...]]
    runs: tuple[Path, ...] = ()
    published: tuple[Published, ...] = ()

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
    without source gets its review's; with ``needs_source`` a row of the ``systems`` that is left
    without is a fault. Raises FaultyPredictions with all faults of all inputs, UsageError for an
    input that is no such thing.
    """
    rows: list[Prediction] = []
    faults: list[str] = []
    quarantined: dict[str, set[str]] = {}
    runs: list[Path] = []
    published: list[Published] = []
    for path in paths:
        if path.is_dir() and not (path / "run.json").is_file():
            if not has_scores(path):
                raise UsageError(
                    f"{path} is neither a run's folder (run.json) nor one with the published files"
                )
            published.append(found := read_published(path))
            rows += _of_published(found, path, dataset)
            continue
        file = path / "predictions.jsonl" if path.is_dir() else path
        if path.is_dir():
            read_run(path)
            runs.append(path)
            for id, system in _quarantined(path / "quarantine.jsonl"):
                quarantined.setdefault(system, set()).add(id)
            if not file.is_file():
                raise UsageError(
                    f"the run in {path} has not come to its end, it holds no {file.name}: give the "
                    "run command again"
                )
        elif not path.is_file():
            raise UsageError(f"there is no file or folder {path}")
        own, wrong = read(file)
        rows += own
        faults += wrong
    faults += duplicates(rows)
    reviews = {review.pmid: review for review in dataset.reviews} if dataset else None
    if reviews is not None:
        faults += [
            f"{row.where}: the data set has no question with the id “{row.id[:60]}”"
            for row in rows
            if row.id not in reviews
        ]
        rows = [_with_source(row, reviews) for row in rows]
    if needs_source:
        faults += [
            f"{row.where}: the field “source” is missing, which a chosen metric needs (--data "
            "takes it from the data set)"
            for row in rows
            if chosen(row.system, systems) and not (row.source or "").strip()
        ]
    if faults:
        raise FaultyPredictions(faults)
    held = {system: tuple(sorted(ids)) for system, ids in quarantined.items()}
    return Inputs(tuple(rows), held, tuple(runs), tuple(published))


def choose(inputs: Inputs, ids: Collection[str], systems: Sequence[str] = ()) -> Inputs:
    """The part of the inputs on some questions, of some systems, sorted by system in input order
    and then by id.

    A name in ``systems`` takes the label it is equal to and all labels that go on with a colon
    after it; all are taken where there is none. Raises UsageError for a name that takes nothing,
    and where nothing is left.
    """
    known = (*inputs.systems, *inputs.quarantined)
    for name in systems:
        if not any(chosen(label, [name]) for label in known):
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
    ordered = tuple(sorted(rows, key=lambda row: (order[row.system], row.id)))
    return replace(inputs, rows=ordered, quarantined=quarantined)


def chosen(label: str, systems: Sequence[str]) -> bool:
    """Return whether a label is among what the user named, the whole answer with its texts; where
    nothing was named, all are.
    """
    return not systems or any(
        label == name or label.startswith(f"{name}:") or whole_answer(name) == label
        for name in systems
    )


def whole_answer(label: str) -> str:
    """The label of the answer that a text is part of: ``name:regime:2`` for
    ``name:regime:tldr:2``.
    """
    parts = label.split(":")
    return ":".join([*parts[:2], *parts[3:]]) if len(parts) > 2 and parts[2] in OUTPUTS else label


def missing(inputs: Inputs, ids: Collection[str]) -> dict[str, list[str]]:
    """By system, the sorted questions that it has no row for, though they were asked for. Those
    that are quarantined are told elsewhere and left out.
    """
    lacking = {}
    for system in inputs.systems:
        has = {row.id for row in inputs.rows if row.system == system}
        apart = {*inputs.quarantined.get(system, ())}
        apart |= {*inputs.quarantined.get(whole_answer(system), ())}
        if left := sorted(set(ids) - has - apart):
            lacking[system] = left
    return lacking


def subset(name: str | None, inputs: Inputs, dataset: Dataset | None) -> Subset:
    """The subset of that name; without a name, what the inputs hold.

    ``paper`` keeps the questions for which every system that tells what it retrieved had more than
    the source, with the source dropped and without restriction, candidates before judging counted.
    Raises UsageError for a subset that needs a data set where there is none, for an unknown one,
    and where ``paper`` leaves nothing.
    """
    held = {row.id for row in inputs.rows}
    held |= {id for ids in inputs.quarantined.values() for id in ids}
    if dataset is None:
        if name is not None:
            raise UsageError("--subset needs the data set it is of: --data PubMedRS-200.csv")
        return Subset(GIVEN, tuple(sorted(held)))
    in_order = tuple(review.pmid for review in dataset.reviews if review.pmid in held)
    if name is None:
        return Subset(GIVEN, in_order)
    if name != PAPER:
        return named(dataset, name)
    least: dict[str, int] = {}
    for id, pmids in _retrieved(inputs):
        others = sum(pmid != id for pmid in pmids)
        least[id] = min(others, least.get(id, others))
    if unknown := [id for id in in_order if id not in least]:
        raise UsageError(
            f"subset {PAPER}: it is not known what was retrieved for {first_of(unknown)}"
        )
    if not (left := tuple(id for id in in_order if least[id])):
        raise UsageError(
            f"--subset {PAPER} leaves no question: for every question some system retrieved "
            "nothing but the source"
        )
    return Subset(PAPER, left)


def _retrieved(inputs: Inputs) -> Iterator[tuple[str, list[str]]]:
    """(question, PMIDs retrieved) of each answer under a deciding regime that tells them."""
    for folder in inputs.runs:
        for regime in _DECIDING:
            for path in sorted(folder.glob(f"records/*/{regime}/*/*.json")):
                try:
                    retrieved = json.loads(path.read_bytes())["retrieved"]
                    if retrieved is not None:
                        yield path.stem, [str(pmid) for pmid in retrieved]
                except (OSError, ValueError, KeyError, TypeError):
                    raise UsageError(
                        f"{path} cannot be read: it is not as the run command writes it"
                    ) from None
    for published in inputs.published:
        for question in published.questions:
            for regime in _DECIDING:
                yield question.pmid, [*question.relevant[regime], *question.irrelevant[regime]]


def _of_published(
    published: Published, folder: Path, dataset: Dataset | None
) -> Iterator[Prediction]:
    texts = published.texts(dataset)
    for number, (id, system, text) in enumerate(published.outputs(), 1):
        yield Prediction(id, system, text, *texts[id], where=f"{folder}, line {number}")


def _quarantined(path: Path) -> Iterator[tuple[str, str]]:
    """(id, label of the whole answer) of what a run found leaks in."""
    try:
        for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
            form = json.loads(line)
            yield str(form["id"]), str(form["system"])
    except (OSError, ValueError, KeyError, TypeError):
        raise UsageError(f"{path} cannot be read: it is not as the run command writes it") from None


def _with_source(row: Prediction, reviews: Mapping[str, Review]) -> Prediction:
    if (row.source and row.source.strip()) or row.id not in reviews:
        return row
    return replace(row, source=reviews[row.id].context or None)
