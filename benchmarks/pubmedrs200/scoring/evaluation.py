"""A plan of scoring carried out: scores and measures in order, their files and the summary that is
shown.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from benchmarks.own.scores import ScoreRow, write_rows
from benchmarks.pubmedrs200.metrics.spec import MetricSpec
from benchmarks.pubmedrs200.scoring import summary as summaries
from benchmarks.pubmedrs200.scoring.cache import ScoreCache
from benchmarks.pubmedrs200.scoring.comparisons import comparisons
from benchmarks.pubmedrs200.scoring.inputs import missing
from benchmarks.pubmedrs200.scoring.measured import TIMES, Measured, measured
from benchmarks.pubmedrs200.scoring.outputs import Outputs
from benchmarks.pubmedrs200.scoring.parallel import cores
from benchmarks.pubmedrs200.scoring.plan import Plan
from benchmarks.pubmedrs200.scoring.summary import Metric, Summary
from benchmarks.pubmedrs200.scoring.texts import score_texts
from benchmarks.pubmedrs200.scoring.unanswered import failed, unanswered
from clinfo.console import streams
from clinfo.text.printable import one_line


def evaluate(options: argparse.Namespace, plan: Plan, outputs: Outputs) -> Summary:
    """Score, write all files and return the summary; warnings go to stderr. Raises ClinfoError
    where a metric or the judge fails, OSError where a file cannot be written."""
    lacking = missing(plan.inputs.rows, plan.inputs.quarantined, plan.subset.ids)
    _warn_before(plan, lacking)
    with ScoreCache(outputs.cache, options.fresh) as cache:
        texts = score_texts(
            plan.inputs.rows, plan.names, plan.specs, options.orientation, cache,
            options.processes or cores(), str(options.weights) if options.weights else None,
        )  # fmt: skip
    whole = _measured(plan)
    metrics = {
        name: _metric(plan.specs[name], texts.signatures[name]) for name in plan.names
    } | whole.metrics
    rows = in_order([*texts.rows, *whole.rows], list(metrics), plan.inputs.systems)
    timed = [row for row in rows if row.metric == TIMES]
    rows = [row for row in rows if row.metric != TIMES]

    def summary(
        of: Sequence[ScoreRow], names: Sequence[str], warnings: Sequence[str] = ()
    ) -> Summary:
        return Summary(
            orientation=options.orientation,
            subset=plan.subset,
            data=(options.data.name, plan.dataset.sha256) if plan.dataset else None,
            metrics={name: metrics[name] for name in names},
            systems=summaries.cells(of),
            unanswered=unanswered(plan.inputs, of),
            failed=failed(plan.inputs, {row.system for row in of}),
            quarantined=plan.inputs.quarantined,
            missing=lacking,
            judge=whole.judge,
            comparisons=comparisons(of, names, options.baseline) if options.baseline else (),
            warnings=warnings,
        )

    for old in (outputs.times, outputs.times_summary):
        old.unlink(missing_ok=True)  # of an earlier scoring, which may have been of other inputs
    if timed:
        write_rows(outputs.times, timed)
        summaries.write(outputs.times_summary, summaries.form(summary(timed, [TIMES])))
    warnings = (*texts.warnings, *whole.warnings)
    found = summary(rows, [name for name in metrics if name != TIMES], warnings)
    write_rows(outputs.scores, rows)
    summaries.write(outputs.summary, summaries.form(found))
    for warning in warnings:
        _warn(warning)
    return found


def in_order(
    rows: Sequence[ScoreRow], metrics: Sequence[str], systems: Sequence[str]
) -> list[ScoreRow]:
    """By system in input order, whole answers last, then by id, then by metric."""
    of_system = {
        label: place
        for place, label in enumerate(dict.fromkeys([*systems, *(row.system for row in rows)]))
    }
    of_metric = {name: place for place, name in enumerate(metrics)}
    return sorted(rows, key=lambda row: (of_system[row.system], row.id, of_metric[row.metric]))


def _warn_before(plan: Plan, lacking: dict[str, list[str]]) -> None:
    """Warn of oddities of the inputs, before they are worked on."""
    for remark in plan.inputs.remarks:
        _warn(remark)
    for label, ids in lacking.items():
        _warn(f"{label} has no prediction for {len(ids):,} of {len(plan.subset.ids):,} questions")
    for label, ids in failed(plan.inputs, ()).items():
        _warn(
            f"{label} failed on {len(ids):,} questions, which count the floor: run again with "
            "--retry-failed"
        )


def _warn(what: str) -> None:
    streams.say(f"score: warning: {one_line(what)}")


def _measured(plan: Plan) -> Measured:
    if not plan.measures or plan.dataset is None:
        return Measured((), {}, None)
    return measured(plan.inputs, plan.dataset, plan.subset.ids, plan.systems, plan.judge)


def _metric(spec: MetricSpec, signature: str) -> Metric:
    if not spec.neural:
        return Metric(spec, signature)
    from benchmarks.pubmedrs200.published.validation import validated

    return Metric(spec, signature, validated(spec.name, signature) is True)
