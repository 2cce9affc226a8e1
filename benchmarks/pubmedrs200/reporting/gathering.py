"""From files to material: every file is read and checked before anything is written."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.own.scores import ScoreRow
from benchmarks.pubmedrs200.reporting.labels import named
from benchmarks.pubmedrs200.reporting.report_data import ReportData, indexed
from benchmarks.pubmedrs200.reporting.runs import read_predictions, read_run
from benchmarks.pubmedrs200.reporting.summary import Summary, read_summary
from benchmarks.pubmedrs200.reporting.texts import Answers, of_published
from clinfo.errors import UsageError
from pubmedrs.records import Review

if TYPE_CHECKING:
    from benchmarks.pubmedrs200.published.reading import Published

_TOLERANCE: Final = (
    1e-6  # relative; sums of a few hundred values in another order differ by far less
)


@dataclass(frozen=True)
class Inputs:
    """The files that a report is made from; only the first two must be there."""

    scores: Path
    summary: Path
    runs: tuple[Path, ...] = ()
    data: Path | None = None
    published: Path | None = None


def gather(inputs: Inputs) -> ReportData:
    """Read everything. UsageError, in one line, names the file (and line) that cannot be used."""
    summary = read_summary(inputs.summary)
    scores = indexed(list(read_scores(inputs.scores)))
    if not scores:
        raise UsageError(f"{inputs.scores}: no scores in it")
    table = {label: dict(metrics) for label, metrics in scores.items()}
    _agree(inputs, summary, table)
    missing: list[str] = []
    reviews = _reviews(inputs.data, summary, missing)
    published = _published(inputs.published, missing)
    answers: Answers = of_published(published) if published else {}
    cutoffs: dict[str, str | None] = {}
    for path in inputs.runs:
        run = read_run(path) if path.is_dir() else read_predictions(path)
        _belongs(path, run.answers, inputs, summary, table)
        for label, texts in run.answers.items():
            if answers.keys() & {label} and answers[label].keys() & texts.keys():
                raise UsageError(
                    f"{path}: answers of {label} were given already; name each run once"
                )
            answers.setdefault(label, {}).update(texts)
        cutoffs |= run.cutoffs
    if not inputs.runs:
        missing.append(
            "No run folder was given (--run): our systems' answers, recall against pool size and "
            "training cut-offs are not shown."
        )
    return ReportData(
        summary,
        table,
        reviews,
        answers,
        cutoffs | _cutoffs(),
        _printed(published),
        _again(published),
        tuple(missing),
    )


def read_scores(path: Path) -> Iterator[ScoreRow]:
    """The rows of a file of scores; UsageError names the line that is none."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            form = json.loads(line.decode("utf-8"))
        except UnicodeDecodeError:
            raise UsageError(f"{where}: not UTF-8") from None
        except ValueError:
            raise UsageError(f"{where}: not JSON") from None
        yield _row(form, where)


def _row(form: Any, where: str) -> ScoreRow:
    if not isinstance(form, dict):
        raise UsageError(f"{where}: not an object")
    for key in ("id", "system", "metric"):
        if not isinstance(form.get(key), str) or not form[key]:
            raise UsageError(f'{where}: "{key}" is missing or not text')
    value = form.get("value")
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise UsageError(f'{where}: "value" is missing or not a finite number')
    return ScoreRow(
        form["id"], form["system"], form["metric"], float(value), form.get("unanswered") is True
    )


def _agree(
    inputs: Inputs, summary: Summary, scores: dict[str, dict[str, dict[str, ScoreRow]]]
) -> None:
    """Scores and summary must be of one scoring: the same systems and metrics, and the means that
    the rows give.
    """
    said = {(label, metric) for label, metrics in summary.systems.items() for metric in metrics}
    held = {(label, metric) for label, metrics in scores.items() for metric in metrics}
    unlike = f"{inputs.summary} is not the summary of {inputs.scores}"
    for label, metric in sorted(held - said):
        raise UsageError(f"{unlike}: it lacks {metric} of {label}")
    for label, metric in sorted(said):
        if metric not in summary.metrics:
            raise UsageError(f"{inputs.summary}: {metric} of {label} is not among its metrics")
        stated, rows = summary.systems[label][metric], scores.get(label, {}).get(metric, {})
        mean = math.fsum(row.value for row in rows.values()) / len(rows) if rows else None
        if (mean is None) != (stated.mean is None):
            raise UsageError(
                f"{unlike}: {metric} of {label} has {len(rows)} rows and the mean {stated.mean}"
            )
        if mean is not None and not math.isclose(
            mean, stated.mean or 0.0, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE
        ):
            raise UsageError(
                f"{unlike}: {metric} of {label} is {stated.mean} there and {mean} by the rows"
            )


def _belongs(
    path: Path,
    answers: Answers,
    inputs: Inputs,
    summary: Summary,
    scores: Mapping[str, Mapping[str, Mapping[str, ScoreRow]]],
) -> None:
    """A run must have to do with the scores: at least one question of one of its systems is scored,
    or quarantined.
    """
    known: dict[str, set[str]] = {}
    for label, metrics in scores.items():
        known.setdefault(named(label).answer, set()).update(
            id for rows in metrics.values() for id in rows
        )
    for label, ids in summary.quarantined.items():
        known.setdefault(named(label).answer, set()).update(ids)
    shared = [label for label in answers if named(label).answer in known]
    unlike = f"{path} is not a run of {inputs.scores}"
    if not shared:
        labels = sorted(answers)
        more = f" and {len(labels) - 3} more" if len(labels) > 3 else ""
        raise UsageError(f"{unlike}: {', '.join(labels[:3])}{more} not among the systems scored")
    if not any(answers[label].keys() & known[named(label).answer] for label in shared):
        raise UsageError(f"{unlike}: none of its questions of {shared[0]} is scored")


def _reviews(path: Path | None, summary: Summary, missing: list[str]) -> dict[str, Review]:
    if path is None:
        missing.append(
            "No data set was given (--data): questions, reference answers, dates and both splits "
            "are not shown."
        )
        return {}
    from pubmedrs.reading import load

    dataset = load(path)
    scored_on = (summary.data or {}).get("sha256")
    if scored_on and scored_on != dataset.sha256:
        raise UsageError(
            f"{path}: its SHA-256 {dataset.sha256[:12]}… is not that of the data set scored, "
            f"{scored_on[:12]}…"
        )
    return {review.pmid: review for review in dataset.reviews}


def _published(folder: Path | None, missing: list[str]) -> Published | None:
    if folder is None:
        missing.append(
            "No folder of published files was given (--published): values printed for the 13 "
            "published systems, and their texts, "
            "are not shown."
        )
        return None
    from benchmarks.pubmedrs200.published.reading import read

    return read(folder)


def _cutoffs() -> dict[str, str | None]:
    from benchmarks.pubmedrs200.published.systems import SYSTEMS

    return {
        system.retrieval_key or system.key: system.cutoff.isoformat() if system.cutoff else None
        for system in SYSTEMS
    }


def _printed(published: Published | None) -> dict[str, dict[str, tuple[float, float | None]]]:
    """Cells of the published table files by system and metric."""
    printed: dict[str, dict[str, tuple[float, float | None]]] = {}
    for table in published.tables.values() if published else ():
        for metric, cells in table.cells.items():
            for key, cell in cells.items():
                printed.setdefault(key, {})[metric] = (cell.mean, cell.sd)
    return printed


def _again(published: Published | None) -> dict[str, dict[str, dict[str, float]]]:
    """The published value of every question by system and metric."""
    values: dict[str, dict[str, dict[str, float]]] = {}
    for metric, systems in published.values.items() if published else ():
        for key, column in systems.items():
            values.setdefault(key, {})[metric] = dict(
                zip(published.ids if published else (), column, strict=True)
            )
    return values
