"""``python -m benchmarks score``: predictions and runs into scores."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks.metrics.spec import MetricSpec
from benchmarks.scores import ScoreRow, write_rows
from benchmarks.scoring import summary as summaries
from benchmarks.scoring.cache import ScoreCache
from benchmarks.scoring.inputs import Inputs, choose, gather, missing, whole_answer
from benchmarks.scoring.measured import TIMES, Measured, measured
from benchmarks.scoring.orientation import ORIENTATIONS
from benchmarks.scoring.parallel import cores
from benchmarks.scoring.predictions import FaultyPredictions
from benchmarks.scoring.significance import Comparison, compare, family
from benchmarks.scoring.subsets import subset
from benchmarks.scoring.summary import Metric, Summary
from benchmarks.scoring.tables import FORMATS, show
from benchmarks.scoring.texts import score_texts
from clinfo.cli import streams
from clinfo.errors import ClinfoError, UsageError
from clinfo.render.printable import one_line
from pubmedrs.records import Dataset, Subset

if TYPE_CHECKING:
    from benchmarks.measures.judging import Judge

PROGRAM: Final = "python -m benchmarks score"
NONE: Final = "none"
"""Said of metrics or of the judge: none of them."""
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

Stopped in whatever way, the same command goes on where it was: what was computed stands in OUT.cache.jsonl beside OUT. How long
a run's answers took goes to timings-OUT.jsonl and timings-OUT.summary.json.

Exit status: 0 scored, 2 an input or option that cannot be used, 4 a metric or judge failed, 5 --max-cost reached, 130 interrupted.
"""


def main(argv: list[str]) -> None:
    """Run the command; ends the process with its exit status where that is not 0."""
    streams.take_missing_stderr()
    options = _parser().parse_args(argv)
    try:
        _run(options)
    except FaultyPredictions as error:
        for line in [*error.listing(), str(error)]:
            streams.say(f"score: {one_line(line)}")
        sys.exit(error.exit_status)
    except ClinfoError as error:
        for line in str(error).splitlines():
            streams.say(f"score: {one_line(line)}")
        sys.exit(error.exit_status)
    except OSError as error:
        streams.say(f"score: {one_line(str(error.filename or 'a file'))}: {error.strerror or 'cannot be read or written'}")
        sys.exit(2)
    except KeyboardInterrupt:
        streams.say("score: interrupted; what was computed is kept, the same command goes on there")
        sys.exit(130)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Predictions and runs into scores, with means, intervals and tests of difference.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("inputs", nargs="+", type=Path, metavar="INPUT", help="what is scored, see below; several are scored together")
    add("--metrics", default="lexical", metavar="A,B", help="names, or lexical, neural, all, none [lexical]")
    add("--orientation", choices=ORIENTATIONS, default="correct",
        help="published gives metrics the reference as prediction, as the published scores did [correct]")  # fmt: skip
    add("--out", type=Path, required=True, metavar="OUT.jsonl", help='rows {"id", "system", "metric", "value"}')
    add("--summary", type=Path, metavar="FILE", help="means and all about them as JSON [OUT with .summary.json]")
    add("--format", choices=FORMATS, default="text", help="of the summary on standard output [text]")
    add("--data", type=Path, metavar="CSV", help="the data set: checks ids, gives sources, and is needed to measure whole answers")
    add("--subset", metavar="NAME", help="all, scored145, paper, or a file of PMIDs [the questions that the inputs hold]")
    add("--systems", default="", metavar="A,B", help="labels, or the beginnings of labels up to a colon [all]")
    add("--baseline", metavar="SYSTEM", help="compare every system with this one: paired tests with Holm's correction")
    add("--weights", type=Path, metavar="DIR", help="folder of model weights, for neural metrics")
    add("--measures", action=argparse.BooleanOptionalAction, default=None,
        help="measure whole answers: retrieval, support, cost … [where inputs and --data allow it]")  # fmt: skip
    add("--judge", default=NONE, metavar="NAME", help="who judges support independently: a model, nli:FOLDER or none [none]")
    add("--max-cost", type=_dollars, metavar="USD", help="stop before the judge's calls would cost more")
    add("--processes", type=_count, default=None, metavar="N", help="for lexical metrics [the cores there are]")
    add("--fresh", action="store_true", help="compute everything anew")
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1024:
        raise argparse.ArgumentTypeError("must be a whole number from 1 to 1024")
    return int(text)


def _dollars(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError("must be an amount of US dollars")
    return value


@dataclass(frozen=True)
class _Chosen:
    """What is scored, of what, and what was set aside."""

    names: tuple[str, ...]
    specs: Mapping[str, MetricSpec]
    dataset: Dataset | None
    inputs: Inputs
    subset: Subset
    systems: tuple[str, ...]
    measures: bool
    judge: Judge | None


def _run(options: argparse.Namespace) -> None:
    out: Path = options.out
    summary_path: Path = options.summary or out.with_suffix(".summary.json")
    cache_path = out.with_name(f"{_stem(out)}.cache.jsonl")
    _check_paths(options.inputs, (out, summary_path, cache_path))
    chosen = _chosen(options)
    for folder in (out.parent, summary_path.parent):
        folder.mkdir(parents=True, exist_ok=True)
    with _alone(out, cache_path):
        _score(options, chosen, out, summary_path, cache_path)


def _stem(out: Path) -> str:
    """What the names of the files beside OUT are made of."""
    return out.name.removesuffix(".jsonl")


def _score(options: argparse.Namespace, chosen: _Chosen, out: Path, summary_path: Path, cache_path: Path) -> None:
    for remark in chosen.inputs.remarks:
        streams.say(f"score: warning: {one_line(remark)}")
    lacking = missing(chosen.inputs.rows, chosen.inputs.quarantined, chosen.subset.ids)
    for label, ids in lacking.items():
        streams.say(f"score: warning: {one_line(label)} has no prediction for {len(ids):,} of {len(chosen.subset.ids):,} questions")
    for label, ids in _failed(chosen.inputs, ()).items():
        what = f"{one_line(label)} failed on {len(ids):,} questions, which count the floor: run again with --retry-failed"
        streams.say(f"score: warning: {what}")
    with ScoreCache(cache_path, options.fresh) as cache:
        texts = score_texts(
            chosen.inputs.rows, chosen.names, chosen.specs, options.orientation, cache,
            options.processes or cores(), str(options.weights) if options.weights else None,
        )  # fmt: skip
    whole = _measured(options, chosen)
    metrics = {name: _metric(chosen.specs[name], texts.signatures[name]) for name in chosen.names} | whole.metrics
    rows = _sorted([*texts.rows, *whole.rows], list(metrics), chosen.inputs.systems)
    timed = [row for row in rows if row.metric == TIMES]
    rows = [row for row in rows if row.metric != TIMES]

    def summary(of: Sequence[ScoreRow], names: Sequence[str], warnings: Sequence[str] = ()) -> Summary:
        return Summary(
            orientation=options.orientation,
            subset=chosen.subset,
            data=(options.data.name, chosen.dataset.sha256) if chosen.dataset else None,
            metrics={name: metrics[name] for name in names},
            systems=summaries.cells(of),
            unanswered=_unanswered(chosen.inputs, of),
            failed=_failed(chosen.inputs, {row.system for row in of}),
            quarantined=chosen.inputs.quarantined,
            missing=lacking,
            judge=whole.judge,
            comparisons=_comparisons(of, names, options.baseline) if options.baseline else (),
            warnings=warnings,
        )

    if timed:
        write_rows(out.with_name(f"timings-{_stem(out)}.jsonl"), timed)
        summaries.write(out.with_name(f"timings-{_stem(out)}.summary.json"), summaries.form(summary(timed, [TIMES])))
    warnings = (*texts.warnings, *whole.warnings)
    found = summary(rows, [name for name in metrics if name != TIMES], warnings)
    write_rows(out, rows)
    summaries.write(summary_path, summaries.form(found))
    for warning in warnings:
        streams.say(f"score: warning: {one_line(warning)}")
    streams.write(show(found, options.format))


@contextmanager
def _alone(out: Path, cache_path: Path) -> Iterator[None]:
    """Have the output for this command alone. Raises UsageError where another one is writing it."""
    from filelock import FileLock, Timeout

    lock = FileLock(cache_path.with_name(cache_path.name + ".lock"), timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise UsageError(f"another score command is writing {out}: wait for it, or choose another --out") from None
    try:
        yield
    finally:
        with suppress(OSError):
            Path(lock.lock_file).unlink()  # nobody waits for it
        lock.release()


def _check_paths(inputs: Sequence[Path], written: Sequence[Path]) -> None:
    for path in written:
        if path.is_dir():
            raise UsageError(f"{path} is a folder; a file is to be written there")
        if any(path.resolve() == given.resolve() for given in inputs):
            raise UsageError(f"{path} is an input; it would be overwritten")
    if len({path.resolve() for path in written}) < len(written):
        raise UsageError("--out and --summary name the same file")


def _chosen(options: argparse.Namespace) -> _Chosen:
    """Everything that can be wrong is found here, before anything is computed."""
    from benchmarks.measures.judges import judge_named
    from benchmarks.metrics.neural_scorers import check
    from benchmarks.metrics.registry import SPECS, checked_names

    names = () if options.metrics == NONE else tuple(checked_names(options.metrics))
    systems = tuple(name for part in options.systems.split(",") if (name := part.strip()))
    dataset = None
    if options.data:
        from pubmedrs.reading import load

        dataset = load(options.data)
    inputs = gather(options.inputs, dataset, systems, any(SPECS[name].needs_source for name in names))
    measurable = bool(inputs.runs or inputs.published)
    if options.judge != NONE and not inputs.runs:
        raise UsageError("--judge judges whole answers, which only the folder of a run holds")
    if (options.measures or options.judge != NONE) and not (measurable and dataset):
        raise UsageError("whole answers are measured in the folder of a run, and need the data set: --data PubMedRS-200.csv")
    if options.judge != NONE and options.measures is False:
        raise UsageError("--judge is of no use with --no-measures")
    if measurable and not dataset and options.measures is None:
        streams.say("score: whole answers are not measured without --data")
    measures = measurable and dataset is not None and options.measures is not False
    if not names and not measures:
        raise UsageError("--metrics none leaves nothing to compute; measures of whole answers need a run's folder and --data")
    chosen_subset = subset(options.subset, inputs, dataset)
    kept = choose(inputs, chosen_subset.ids, systems)
    labels = {*kept.systems, *map(whole_answer, kept.systems)}
    if options.baseline and options.baseline not in labels:
        raise UsageError(f"--baseline: there is no system “{options.baseline[:60]}”; there are {', '.join(sorted(labels)[:20])}")
    check(names, options.weights)
    judge = None if options.judge == NONE else judge_named(options.judge, options.max_cost)
    return _Chosen(names, SPECS, dataset, kept, chosen_subset, systems, measures, judge)


def _measured(options: argparse.Namespace, chosen: _Chosen) -> Measured:
    if not chosen.measures or chosen.dataset is None:
        return Measured((), {}, None)
    return measured(chosen.inputs, chosen.dataset, chosen.subset.ids, chosen.systems, chosen.judge)


def _metric(spec: MetricSpec, signature: str) -> Metric:
    if not spec.neural:
        return Metric(spec, signature)
    from benchmarks.published.validation import validated

    return Metric(spec, signature, validated(spec.name, signature) is True)


def _sorted(rows: Sequence[ScoreRow], metrics: Sequence[str], systems: Sequence[str]) -> list[ScoreRow]:
    """By system in input order, whole answers last, then by id, then by metric."""
    of_system = {label: place for place, label in enumerate(dict.fromkeys([*systems, *(row.system for row in rows)]))}
    of_metric = {name: place for place, name in enumerate(metrics)}
    return sorted(rows, key=lambda row: (of_system[row.system], row.id, of_metric[row.metric]))


def _unanswered(inputs: Inputs, rows: Sequence[ScoreRow]) -> dict[str, list[str]]:
    """By label, the sorted questions that were left unanswered; not those that failed."""
    broken = {(label, row.id) for row in inputs.rows if row.failed for label in (row.system, whole_answer(row.system))}
    empty = ((row.system, row.id) for row in inputs.rows if not row.answered)
    floors = ((row.system, row.id) for row in rows if row.unanswered)
    return _by_label(pair for pair in chain(empty, floors) if pair not in broken)


def _failed(inputs: Inputs, measured: Collection[str]) -> dict[str, list[str]]:
    """By label, the sorted questions that a system broke down on; whole answers where their label was ``measured``."""
    broken = [row for row in inputs.rows if row.failed]
    whole = ((label, row.id) for row in broken if (label := whole_answer(row.system)) in measured)
    return _by_label(chain(((row.system, row.id) for row in broken), whole))


def _by_label(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    by_label: dict[str, set[str]] = {}
    for label, id in pairs:
        by_label.setdefault(label, set()).add(id)
    return {label: sorted(ids) for label, ids in by_label.items()}


def _comparisons(rows: Sequence[ScoreRow], metrics: Sequence[str], baseline: str) -> list[Comparison]:
    """Every system against the baseline under every metric; measures of whole answers against the baseline's whole answer."""
    values: dict[str, dict[str, dict[str, float]]] = {}
    for row in rows:
        values.setdefault(row.metric, {}).setdefault(row.system, {})[row.id] = row.value
    found = []
    for metric in metrics:
        by_system = values.get(metric, {})
        against = baseline if baseline in by_system else whole_answer(baseline)
        if against in by_system:
            compared = (
                compare(metric, system, against, by_id, by_system[against])
                for system, by_id in by_system.items()
                if system != against
            )
            found += [one for one in compared if one is not None]
    return family(found)
