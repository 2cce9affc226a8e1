"""``python -m benchmarks score``: predictions and runs into scores."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Final

from benchmarks import flags
from benchmarks.own.scores import ScoreRow, write_rows
from benchmarks.pubmedrs200.measures.judges import judge_named
from benchmarks.pubmedrs200.measures.measuring import Measured, measured
from benchmarks.pubmedrs200.measures.support import Judge
from benchmarks.pubmedrs200.metrics.registry import NEURAL, SPECS, check, checked_names
from benchmarks.pubmedrs200.metrics.spec import Pair
from benchmarks.pubmedrs200.published.validation import validated
from benchmarks.pubmedrs200.running.questions import LABELS, limited, read
from benchmarks.pubmedrs200.scoring.computing import computed
from benchmarks.pubmedrs200.scoring.inputs import (
    Inputs,
    choose,
    gather,
    missing,
    subset,
    whole_answer,
)
from benchmarks.pubmedrs200.scoring.statistics import comparisons
from benchmarks.pubmedrs200.scoring.summary import Base, Metric, Summary, cells, show
from clinfo.console import streams
from clinfo.errors import UsageError
from clinfo.pipelines.opening import open_cache
from clinfo.settings import load_settings
from clinfo.text.wording import one_line
from pubmedrs.records import Dataset, Subset

NONE: Final = "none"
"""Said of metrics or of the judge: none of them."""
TIMES: Final = "seconds"
"""The measure that differs between repeats of the same run, so that it has files of its own."""
OUTPUT_ALONE: Final = "word_length"
"""The metric that looks at one text only, which is the system's output in either orientation."""
_EPILOG: Final = """\
inputs:
  FILE.jsonl    rows {"id", "system", "prediction", "reference", "source"?}; an empty prediction is an unanswered question,
                which counts the metric's floor; with "failed": true beside it, one that a crash or an outage kept from being
                answered: the floor too, listed apart. Anything missing or malformed is named by its line, and nothing is scored
  RUN           a folder that `python -m benchmarks run` made: its texts and, with --data, measures of its whole answers
  PUBLISHED     the folder with the published outputs of 13 systems

examples:
  python -m benchmarks score predictions.jsonl --out scores.jsonl
  python -m benchmarks score run/ --data PubMedRS-200.csv --metrics lexical --out scores.jsonl --baseline gpt4:none:synthesis
  python -m benchmarks score run/ published/ --data PubMedRS-200.csv --subset scored145 --judge gpt-4o --max-cost 5 --out s.jsonl
  python -m benchmarks score predictions.jsonl --metrics bertscore,comet --weights weights/ --out neural.jsonl

Stopped in whatever way, the same command resumes where it was: what was computed is in the cache (CLINFO_CACHE_DIR). How long a
run's answers took goes to timings-OUT.jsonl.

Exit status: 0 scored, 2 an input or option that cannot be used, 4 a metric or judge failed, 5 --max-cost reached, 130 interrupted.
"""  # noqa: E501


@dataclass(frozen=True)
class Outputs:
    """The paths of the outputs; ``scores`` and ``summary`` are named by the user, the times lie
    beside the scores.
    """

    scores: Path
    summary: Path
    times: Path

    @classmethod
    def named(cls, scores: Path, summary: Path | None = None) -> Outputs:
        """Those of a file of scores, the summary beside it where it has no name of its own."""
        times = scores.with_name(f"timings-{scores.name.removesuffix('.jsonl')}.jsonl")
        return cls(scores, summary or scores.with_suffix(".summary.json"), times)

    def check(self, inputs: Sequence[Path]) -> None:
        """Raise UsageError where a file cannot be written, or would overwrite an input or another
        output.
        """
        written = (self.scores, self.summary, self.times)
        for path in written:
            if path.is_dir():
                raise UsageError(f"{path} is a folder; a file must be written there")
            if any(path.resolve() == given.resolve() for given in inputs):
                raise UsageError(f"{path} is an input; it would be overwritten")
        if len({path.resolve() for path in written}) < len(written):
            raise UsageError(
                f"--summary: {self.summary} is a file that --out {self.scores} writes already"
            )


@dataclass(frozen=True)
class Plan:
    """The plan of a scoring. ``names`` are the metrics of texts; ``inputs`` hold the questions of
    ``subset`` and, where any are named, the ``systems``; ``dataset`` is there where whole answers
    are measured.
    """

    names: tuple[str, ...]
    dataset: Dataset | None
    inputs: Inputs
    subset: Subset
    systems: tuple[str, ...]
    measured: bool
    judge: Judge | None


def main(argv: list[str]) -> None:
    """Run the command; ends the process with its exit status where that is not 0."""
    options = _parser().parse_args(argv)
    with flags.ending("score", "run the same command again to resume (results are kept)"):
        outputs = Outputs.named(options.out, options.summary)
        outputs.check(options.inputs)
        plan = planned(options)
        for folder in (outputs.scores.parent, outputs.summary.parent):
            folder.mkdir(parents=True, exist_ok=True)
        streams.write(show(evaluated(options, plan, outputs)))


def planned(options: argparse.Namespace) -> Plan:
    """Return what the command's options ask for. Raises UsageError, FaultyPredictions among them:
    everything that can be wrong with inputs and options is found here, before anything is computed.
    """
    wanted = options.metrics or "lexical"
    names = () if wanted == NONE else checked_names(wanted)
    systems = tuple(name for part in options.systems.split(",") if (name := part.strip()))
    dataset = read(options.data).dataset if options.data else None
    needs_source = any(SPECS[name].needs_source for name in names)
    inputs = gather(options.inputs, dataset, systems, needs_source)
    given = {row.reference.strip().lower().rstrip(".") for row in inputs.rows}
    if options.metrics is None and dataset and inputs.runs and given <= {"", *LABELS}:
        streams.say("score: no answers in words are given, so likeness of texts is not measured")
        names = ()
    bare = [row for row in inputs.rows if not row.reference.strip()] if names else []
    if bare:
        raise UsageError(
            f"question {bare[0].id} has no reference answer, which likeness is measured against; "
            "leave such questions out, or measure whole answers alone: --metrics none"
        )
    measurable, judged = bool(inputs.runs or inputs.published), options.judge != NONE
    measures = measurable and dataset is not None and options.measures is not False
    if (not measures and (options.measures or judged or not names)) or (judged and not inputs.runs):
        raise UsageError(
            "nothing to compute, or nobody to judge: whole answers are measured, and judged, in "
            "the folder of a run with the data set (--data PubMedRS-200.csv), the texts of other "
            "files by --metrics alone"
        )
    if measurable and not dataset and options.measures is None:
        streams.say("score: whole answers are not measured without --data")
    of = limited(subset(options.subset, inputs, dataset), options.limit)
    kept = choose(inputs, of.ids, systems)
    labels = {*kept.systems, *map(whole_answer, kept.systems)}
    if options.baseline and options.baseline not in labels:
        there = ", ".join(sorted(labels)[:20])
        raise UsageError(
            f"--baseline: there is no system “{options.baseline[:60]}”; there are {there}"
        )
    check(names, options.weights)
    judge = judge_named(options.judge, options.max_cost) if judged else None
    return Plan(names, dataset, kept, of, systems, measures, judge)


def evaluated(options: argparse.Namespace, plan: Plan, outputs: Outputs) -> Summary:
    """Score, write all files and return the summary; warnings go to stderr. Raises ClinfoError
    where a metric or the judge fails, OSError where a file cannot be written."""
    inputs = plan.inputs
    lacking = missing(inputs, plan.subset.ids)
    _warn_before(plan, lacking)
    scored, signatures, warnings = texts(options, plan)
    whole = Measured()
    if plan.measured and plan.dataset is not None:
        whole = measured(inputs, plan.dataset, plan.subset.ids, plan.systems, plan.judge)
    metrics = {
        name: Metric.of(
            SPECS[name],
            signatures[name],
            validated(name, signatures[name]) is True if name in NEURAL else None,
        )
        for name in plan.names
    } | {name: Metric.of(spec, source) for name, (spec, source) in whole.metrics.items()}
    every = in_order([*scored, *whole.rows], list(metrics), inputs.systems)
    outputs.times.unlink(missing_ok=True)  # of an earlier scoring, maybe of other inputs
    if timed := [row for row in every if row.metric == TIMES]:
        write_rows(outputs.times, timed)
    rows = [row for row in every if row.metric != TIMES]
    metrics.pop(TIMES, None)
    values: dict[str, dict[str, dict[str, float]]] = {name: {} for name in metrics}
    for row in rows:
        values[row.metric].setdefault(row.system, {})[row.id] = row.value
    against, data = options.baseline, plan.dataset

    def baseline(metric: str) -> str:
        return str(against if against in values[metric] else whole_answer(against))

    found = Summary(
        schema=1,
        orientation=options.orientation,
        subset=Base(plan.subset.name, len(plan.subset.ids), plan.subset.sha256),
        data={"sha256": data.sha256, "name": options.data.name} if data else None,
        metrics=metrics,
        systems=cells(rows),
        unanswered=unanswered(inputs, rows),
        failed=failed(inputs, {row.system for row in rows}),
        quarantined=inputs.quarantined,
        missing=lacking,
        judge=plan.judge.name if plan.judge else None,
        comparisons=comparisons(values, baseline) if against else (),
        warnings=(*warnings, *whole.warnings),
    )
    write_rows(outputs.scores, rows)
    found.write(outputs.summary)
    for warning in found.warnings:
        _warn(warning)
    return found


def texts(
    options: argparse.Namespace, plan: Plan
) -> tuple[list[ScoreRow], dict[str, str], list[str]]:
    """Rows of the metrics of texts, signatures by metric, and warnings of texts that were cut."""
    rows = plan.inputs.rows
    answered = [row for row in rows if row.answered]
    correct = [
        ((row.system, row.id), Pair(row.prediction, row.reference, row.source)) for row in answered
    ]
    swapped = (
        [(row, Pair(pair.reference, pair.prediction, pair.source)) for row, pair in correct]
        if options.orientation == "published"
        else correct
    )
    given = {name: correct if name == OUTPUT_ALONE else swapped for name in plan.names}
    cache = None if options.fresh else open_cache(load_settings())
    found = computed(given, options.weights, cache)
    scored = []
    for row in rows:
        for name in plan.names:
            floor = SPECS[name].floor
            if row.answered:
                value = found.values[name][row.system, row.id]
                scored.append(ScoreRow(row.id, row.system, name, value))
            elif floor is not None:
                scored.append(ScoreRow(row.id, row.system, name, float(floor), True))
    warnings = [
        f"{name}: {found.cut[name]:,} of {len(answered):,} scores are of {SPECS[name].truncation}"
        for name in plan.names
        if found.cut[name]
    ]
    return scored, found.signatures, warnings


def in_order(
    rows: Sequence[ScoreRow], metrics: Sequence[str], systems: Sequence[str]
) -> list[ScoreRow]:
    """By system in input order, whole answers last, then by id, then by metric."""
    labels = dict.fromkeys([*systems, *(row.system for row in rows)])
    of_system = {label: place for place, label in enumerate(labels)}
    of_metric = {name: place for place, name in enumerate(metrics)}
    return sorted(rows, key=lambda row: (of_system[row.system], row.id, of_metric[row.metric]))


def unanswered(inputs: Inputs, rows: Sequence[ScoreRow]) -> dict[str, list[str]]:
    """By label, the sorted questions that were left unanswered; not those that failed."""
    broken = {
        (label, row.id)
        for row in inputs.rows
        if row.failed
        for label in (row.system, whole_answer(row.system))
    }
    empty = ((row.system, row.id) for row in inputs.rows if not row.answered)
    floors = ((row.system, row.id) for row in rows if row.unanswered)
    return _by_label(pair for pair in chain(empty, floors) if pair not in broken)


def failed(inputs: Inputs, measured: Collection[str]) -> dict[str, list[str]]:
    """By label, the sorted questions that a system broke down on; whole answers where their label
    was ``measured``.
    """
    broken = [row for row in inputs.rows if row.failed]
    whole = ((label, row.id) for row in broken if (label := whole_answer(row.system)) in measured)
    return _by_label(chain(((row.system, row.id) for row in broken), whole))


def _by_label(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    by_label: dict[str, set[str]] = {}
    for label, id in pairs:
        by_label.setdefault(label, set()).add(id)
    return {label: sorted(ids) for label, ids in by_label.items()}


def _warn_before(plan: Plan, lacking: Mapping[str, Sequence[str]]) -> None:
    """Warn of oddities of the inputs, before they are worked on."""
    for label, ids in lacking.items():
        _warn(f"{label} has no prediction for {len(ids):,} of {len(plan.subset.ids):,} questions")
    for label, ids in failed(plan.inputs, ()).items():
        _warn(
            f"{label} failed on {len(ids):,} questions, which count the floor: run again with "
            "--retry-failed"
        )


def _warn(what: str) -> None:
    streams.say(f"score: warning: {one_line(what)}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks score",
        description="Predictions and runs into scores, with means, intervals and tests of difference.",  # noqa: E501
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    flags.add(
        parser,
        {
            "inputs": {
                "nargs": "+",
                "type": Path,
                "metavar": "INPUT",
                "help": "what is scored, see below; several are scored together",
            },
            "--metrics": {
                "metavar": "A,B",
                "help": "names, or lexical, neural, all, none [lexical, where answers in words "
                "are known]",
            },
            "--orientation": {
                "choices": ("correct", "published"),
                "default": "correct",
                "help": "published gives metrics the reference as prediction, as the published "
                "scores did "
                "[correct]",
            },
            "--out": {
                "type": Path,
                "required": True,
                "metavar": "OUT.jsonl",
                "help": 'rows {"id", "system", "metric", "value"}',
            },
            "--summary": {
                "type": Path,
                "metavar": "FILE",
                "help": "means and all about them as JSON [OUT with .summary.json]",
            },
            "--data": {
                "type": Path,
                "metavar": "CSV",
                "help": "the data set: checks ids, gives sources, and is needed to measure "
                "whole answers",
            },
            "--subset": {
                "metavar": "NAME",
                "help": "all, scored145, paper, or a file of PMIDs [the questions that the "
                "inputs hold]",
            },
            **flags.LIMIT,
            "--systems": {
                "default": "",
                "metavar": "A,B",
                "help": "labels, or the beginnings of labels up to a colon [all]",
            },
            "--baseline": {
                "metavar": "SYSTEM",
                "help": "compare every system with this one: paired tests with Holm's correction",
            },
            "--weights": {
                "type": Path,
                "metavar": "DIR",
                "help": "folder of model weights, for neural metrics",
            },
            "--measures": {
                "action": argparse.BooleanOptionalAction,
                "default": None,
                "help": "measure whole answers: retrieval, support, cost … [where inputs and "
                "--data allow it]",
            },
            "--judge": {
                "default": NONE,
                "metavar": "NAME",
                "help": "who judges support independently: a model, nli:FOLDER or none [none]",
            },
            "--max-cost": {
                "type": _dollars,
                "metavar": "USD",
                "help": "stop before the judge's calls would cost more",
            },
            "--fresh": {"action": "store_true", "help": "compute everything anew"},
        },
    )
    return parser


def _dollars(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError("must be an amount of US dollars")
    return value
