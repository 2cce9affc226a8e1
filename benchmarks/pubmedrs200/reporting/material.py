"""Files into material: scores, their summary, runs, the data set and the published files, each read
and checked before anything is written.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from benchmarks.own.scores import ScoreRow, read_rows
from benchmarks.own.scores import label as label_of
from benchmarks.pubmedrs200.published.data import SYSTEMS
from benchmarks.pubmedrs200.published.reading import Published
from benchmarks.pubmedrs200.published.reading import read as read_published
from benchmarks.pubmedrs200.reporting.labels import Named, named, ordered
from benchmarks.pubmedrs200.running.decisions import FILE as DECISIONS
from benchmarks.pubmedrs200.running.folder import load_articles, load_record, read_run
from benchmarks.pubmedrs200.running.questions import Questions
from benchmarks.pubmedrs200.running.questions import read as read_questions
from benchmarks.pubmedrs200.running.records import Cell, Record, Status
from benchmarks.pubmedrs200.scoring.predictions import FaultyPredictions
from benchmarks.pubmedrs200.scoring.predictions import read as read_predictions
from benchmarks.pubmedrs200.scoring.summary import Cell as Statistics
from benchmarks.pubmedrs200.scoring.summary import Summary, read_summary
from clinfo.errors import UsageError
from clinfo.pipelines.literature.events import ArticlesFetched
from pubmedrs.records import Review


@dataclass(frozen=True)
class Answer:
    """A system's record. ``external`` ones are those of other programs, ``cited`` is what the run's
    source holds of their references, None where it was not asked.

    No ``irrelevant`` beside ``relevant``: the system told no judgements, and these are the articles
    that it cites. Published runs tell no order, so they have nothing ``retrieved``.
    """

    record: Record
    external: bool = False
    cited: ArticlesFetched | None = None


Answers = dict[str, dict[str, Answer]]
"""By label of the whole answer, then question."""


def of_published(published: Published) -> Answers:
    """The published texts and ids under the label of each whole answer."""
    answers: Answers = {}
    for system in SYSTEMS:
        if system.run is not None and system.output != "both":
            continue
        for question in published.questions:
            cell = Cell(system.key, system.regime, 1, question.pmid)
            record = Record(cell, "answered", question.outputs[system.key])
            if system.run is not None:
                record = Record(
                    cell,
                    "answered",
                    question.outputs[f"{system.run}_synthesis"],
                    question.outputs[f"{system.run}_TLDR"],
                    relevant=question.relevant[system.regime],
                    irrelevant=question.irrelevant[system.regime],
                )
            answers.setdefault(system.key, {})[question.pmid] = Answer(record)
    return answers


Scores = Mapping[str, Mapping[str, Mapping[str, ScoreRow]]]
"""By label, metric and question."""
TIMES: Final = "seconds"
"""The one measure that differs from run to run; it goes to the files named timings and nowhere
else.
"""

OF_ALL: Final = ("abstained", "tokens", "cost_usd", "seconds")
"""Measures that questions without an answer have as well."""


@dataclass(frozen=True)
class ReportData:
    """Everything that the tables, plots and pages are made from.

    ``scores`` maps label, metric and question to the row. ``reviews`` is empty without the data
    set, ``answers`` (by label of the whole answer, then question) holds what runs and published
    files gave, ``cutoffs`` the end of training data by system's name, ``printed`` the mean and sd
    of the published table files by label and metric, ``published`` the published value of each
    question by label, metric and question. ``decisions`` are the runs' figures of yes, no and
    maybe. ``own`` are questions of somebody's own, of which no paper tells. ``missing`` says what
    was not given and what the report lacks for it.
    """

    summary: Summary
    scores: Scores
    reviews: Mapping[str, Review] = field(default_factory=dict)
    answers: Mapping[str, Mapping[str, Answer]] = field(default_factory=dict)
    cutoffs: Mapping[str, str | None] = field(default_factory=dict)
    printed: Mapping[str, Mapping[str, tuple[float, float | None]]] = field(default_factory=dict)
    published: Mapping[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict)
    decisions: tuple[Mapping[str, Any], ...] = ()
    own: bool = False
    missing: tuple[str, ...] = ()

    @property
    def systems(self) -> list[Named]:
        """All labels of the summary in the order of tables."""
        return ordered(self.summary.systems)

    @property
    def questions(self) -> list[str]:
        """The questions that were scored, in the order of the data set where it is known."""
        scored = {
            id for metrics in self.scores.values() for rows in metrics.values() for id in rows
        }
        known = [id for id in self.reviews if id in scored]
        return known + sorted(scored - set(known))

    @cached_property
    def scored_answers(self) -> Mapping[str, Mapping[str, Answer]]:
        """Those of ``answers`` that this scoring is about: of the questions that a system was
        scored on, or that were quarantined.

        Runs may hold other systems and questions. Published answers are there wherever their folder
        was given.
        """
        about = _about(self.summary, self.scores)
        held = {}
        for label, answers in self.answers.items():
            system = named(label)
            ours = about.get(system.answer, set())
            held[label] = {
                id: answer for id, answer in answers.items() if system.published or id in ours
            }
        return {label: answers for label, answers in held.items() if answers}

    def statistics(self, label: str, metric: str) -> Statistics | None:
        """The summary's cell, None where the metric was not computed for this system."""
        return self.summary.systems.get(label, {}).get(metric)

    def values(self, label: str, metric: str, ids: Collection[str] | None = None) -> list[float]:
        """The values of a system's questions, all or those named, unanswered ones at the metric's
        floor where they have one.
        """
        rows = self.scores.get(label, {}).get(metric, {})
        return [row.value for id, row in rows.items() if ids is None or id in ids]

    def asked(self, label: str) -> frozenset[str]:
        """Questions that the system has a row for under any metric."""
        return frozenset(id for rows in self.scores.get(label, {}).values() for id in rows)

    def answered(self, label: str) -> int | None:
        """Return how many of `asked` the system answered; None where the scores do not tell.

        A question is unanswered where a row or the summary says so, where the system abstained,
        and, of a whole answer, where each of its texts is empty.
        """
        held, asked = self.scores.get(label, {}), self.asked(label)
        texts = [
            self.left_open(text)
            for text in self.scores
            if text != label and named(text).answer == label
        ]
        told = [metric for metric in held if metric not in OF_ALL or metric == "abstained"]
        if not told and not texts:
            return None
        left = self.left_open(label) | (frozenset.intersection(*texts) if texts else frozenset())
        floored = [
            metric
            for metric in told
            if metric == "abstained" or self.summary.metrics[metric].floor is not None
        ]
        if not floored and not texts:
            return len({id for metric in told for id in held[metric]} - left)
        return len(asked - left)

    def left_open(self, label: str) -> frozenset[str]:
        """The questions that a row or the summary says were not answered."""
        rows = [row for cell in self.scores.get(label, {}).values() for row in cell.values()]
        open_rows = {
            row.id
            for row in rows
            if row.unanswered or (row.metric == "abstained" and row.value == 1)
        }
        return frozenset(
            {
                *open_rows,
                *self.summary.unanswered.get(label, ()),
                *self.summary.failed.get(label, ()),
            }
        )


@dataclass(frozen=True)
class Inputs:
    """The files that a report is made from; only the first two must be there."""

    scores: Path
    summary: Path
    runs: tuple[Path, ...] = ()
    data: Path | None = None
    published: Path | None = None


def _of_run(path: Path) -> tuple[Answers, dict[str, str | None]]:
    """The answers of a run's folder or a file of predictions, and the end of training data by
    system's name. UsageError names the file that is missing or cannot be read.
    """
    answers: Answers = {}
    if path.is_dir():
        systems = read_run(path)["systems"]
        commands = {one["name"] for one in systems if one["kind"] == "command"}
        paths = sorted(path.glob("records/*/*/*/*.json"), key=lambda one: one.parts)
        if not paths:
            raise UsageError(f"{path}: no records in it; is the run done?")
        for record in map(load_record, paths):
            cell, external = record.cell, record.cell.system in commands
            cited = load_articles(path, cell) if external else None
            label = label_of(cell.system, cell.regime, repeat=cell.repeat)
            answers.setdefault(label, {})[cell.id] = Answer(record, external, cited)
        return answers, {one["name"]: one.get("cutoff") for one in systems}
    rows, faults = read_predictions(path)
    if faults:
        raise UsageError(f"{faults[0]} ({FaultyPredictions(faults)})")
    outputs: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        of = named(row.system)
        own = outputs.setdefault((of.answer, row.id), {})
        own[of.output or "synthesis"] = row.prediction
    for (label, id), own in outputs.items():
        synthesis, tldr = own.get("synthesis", own.get("both", "")), own.get("tldr", "")
        status: Status = "answered" if (synthesis or tldr).strip() else "unanswered"
        record = Record(Cell(label, "", 1, id), status, synthesis, tldr)
        answers.setdefault(label, {})[id] = Answer(record)
    return answers, {}


def indexed(rows: Iterable[ScoreRow]) -> dict[str, dict[str, dict[str, ScoreRow]]]:
    """Rows by label, metric and question; a row that comes twice is an error."""
    table: dict[str, dict[str, dict[str, ScoreRow]]] = {}
    for row in rows:
        cell = table.setdefault(row.system, {}).setdefault(row.metric, {})
        if cell.setdefault(row.id, row) is not row:
            raise UsageError(
                f"scores: two rows for question {row.id}, system {row.system}, metric {row.metric}"
            )
    return table


_TOLERANCE: Final = (
    1e-6  # relative; sums of a few hundred values in another order differ by far less
)


def gather(inputs: Inputs) -> ReportData:
    """Read everything. UsageError, in one line, names the file (and line) that cannot be used."""
    summary = read_summary(inputs.summary)
    scores = indexed(read_rows(inputs.scores))
    if not scores:
        raise UsageError(f"{inputs.scores}: no scores in it")
    _agree(inputs, summary, scores)
    missing: list[str] = []
    asked = _questions(inputs.data, summary, missing)
    own = asked is not None and not asked.published and inputs.published is None
    published = None if own else _published(inputs.published, missing)
    answers: Answers = of_published(published) if published else {}
    cutoffs: dict[str, str | None] = {}
    for path in inputs.runs:
        given, ends = _of_run(path)
        _belongs(path, given, inputs, summary, scores)
        for label, texts in given.items():
            if answers.keys() & {label} and answers[label].keys() & texts.keys():
                raise UsageError(
                    f"{path}: answers of {label} were given already; name each run once"
                )
            answers.setdefault(label, {}).update(texts)
        cutoffs |= ends
    if not inputs.runs:
        missing.append(
            "No run folder was given (--run): our systems' answers, recall against pool size and "
            "training cut-offs are not shown."
        )
    return ReportData(
        summary,
        scores,
        {review.pmid: review for review in asked.dataset.reviews} if asked else {},
        answers,
        cutoffs | _cutoffs(),
        _printed(published),
        _again(published),
        tuple(row for path in inputs.runs for row in _decisions(path, scores)),
        own,
        tuple(missing),
    )


def _decisions(path: Path, scores: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The figures of yes, no and maybe that a run left, of the systems that were scored."""
    file = path / DECISIONS
    held = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []
    return [row for row in held if row["system"] in {named(label).answer for label in scores}]


def _about(summary: Summary, scores: Scores) -> dict[str, set[str]]:
    """By whole answer, the questions that were scored, or quarantined."""
    about: dict[str, set[str]] = {}
    for label, metrics in scores.items():
        ids = (id for rows in metrics.values() for id in rows)
        about.setdefault(named(label).answer, set()).update(ids)
    for label, listed in summary.quarantined.items():
        about.setdefault(named(label).answer, set()).update(listed)
    return about


def _agree(inputs: Inputs, summary: Summary, scores: Scores) -> None:
    """Scores and summary must be of one scoring: the summary's means are those that the rows
    give.
    """
    said = {
        (label, metric): cell.mean
        for label, cells in summary.systems.items()
        for metric, cell in cells.items()
    }
    means = {
        (label, metric): math.fsum(row.value for row in rows.values()) / len(rows)
        for label, metrics in scores.items()
        for metric, rows in metrics.items()
    }
    for one in sorted(said.keys() | means.keys()):
        stated, found = said.get(one, math.nan), means.get(one, math.nan)
        if not math.isclose(stated, found, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE):
            raise UsageError(
                f"{inputs.summary} is not the summary of {inputs.scores}: {one[1]} of {one[0]} is "
                f"{stated} there and {found} by the rows"
            )


def _belongs(
    path: Path, answers: Answers, inputs: Inputs, summary: Summary, scores: Scores
) -> None:
    """A run must have to do with the scores: at least one question of one of its systems is scored,
    or quarantined.
    """
    about = _about(summary, scores)
    if not any(
        own.keys() & about.get(named(label).answer, set()) for label, own in answers.items()
    ):
        raise UsageError(
            f"{path} is not a run of {inputs.scores}: no question of its systems is scored"
        )


def _questions(path: Path | None, summary: Summary, missing: list[str]) -> Questions | None:
    if path is None:
        missing.append(
            "No data set was given (--data): questions, reference answers, dates and both splits "
            "are not shown."
        )
        return None
    asked = read_questions(path)
    scored_on = (summary.data or {}).get("sha256")
    if scored_on and scored_on != asked.dataset.sha256:
        raise UsageError(
            f"{path}: its SHA-256 {asked.dataset.sha256[:12]}… is not that of the data set scored, "
            f"{scored_on[:12]}…"
        )
    return asked


def _published(folder: Path | None, missing: list[str]) -> Published | None:
    if folder is None:
        missing.append(
            "No folder of published files was given (--published): values printed for the 13 "
            "published systems, and their texts, "
            "are not shown."
        )
        return None
    return read_published(folder)


def _cutoffs() -> dict[str, str | None]:
    return {system.run or system.key: system.cutoff for system in SYSTEMS}


def _printed(published: Published | None) -> dict[str, dict[str, tuple[float, float | None]]]:
    """Cells of the published table files by system and metric."""
    printed: dict[str, dict[str, tuple[float, float | None]]] = {}
    for table in published.tables.values() if published else ():
        for metric, cells in table.items():
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
