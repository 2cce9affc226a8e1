"""The plan of scoring: inputs, questions, systems, metrics and the judge, checked against each
other.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from benchmarks.pubmedrs200.metrics.spec import MetricSpec
from benchmarks.pubmedrs200.scoring.inputs import Inputs, choose, gather, whole_answer
from benchmarks.pubmedrs200.scoring.subsets import subset
from clinfo.console import streams
from clinfo.errors import UsageError
from pubmedrs.records import Dataset, Subset

if TYPE_CHECKING:
    from benchmarks.pubmedrs200.measures.judging import Judge

NONE: Final = "none"
"""Said of metrics or of the judge: none of them."""


@dataclass(frozen=True)
class Plan:
    """The plan of scoring: what is scored and what was set aside.

    ``names`` are the metrics of texts and ``specs`` those of all there are; ``inputs`` hold the
    questions of ``subset`` and, where any are named, the ``systems``. ``measures`` says whether
    whole answers are measured, which needs ``dataset``.
    """

    names: tuple[str, ...]
    specs: Mapping[str, MetricSpec]
    dataset: Dataset | None
    inputs: Inputs
    subset: Subset
    systems: tuple[str, ...]
    measures: bool
    judge: Judge | None


def plan(options: argparse.Namespace) -> Plan:
    """Return what the command's options ask for. Raises UsageError, FaultyPredictions among them:
    everything that can be wrong with inputs and options is found here, before anything is
    computed."""
    from benchmarks.pubmedrs200.measures.judges import judge_named
    from benchmarks.pubmedrs200.metrics.neural_scorers import check
    from benchmarks.pubmedrs200.metrics.registry import SPECS, checked_names

    names = () if options.metrics == NONE else tuple(checked_names(options.metrics))
    systems = tuple(name for part in options.systems.split(",") if (name := part.strip()))
    dataset = None
    if options.data:
        from benchmarks.pubmedrs200.running.questions import read

        dataset = read(options.data).dataset
    inputs = gather(
        options.inputs, dataset, systems, any(SPECS[name].needs_source for name in names)
    )
    measurable = bool(inputs.runs or inputs.published)
    if options.judge != NONE and not inputs.runs:
        raise UsageError("--judge judges whole answers, which only the folder of a run holds")
    if (options.measures or options.judge != NONE) and not (measurable and dataset):
        raise UsageError(
            "whole answers are measured in the folder of a run, and need the data set: --data "
            "PubMedRS-200.csv"
        )
    if options.judge != NONE and options.measures is False:
        raise UsageError("--judge is of no use with --no-measures")
    if measurable and not dataset and options.measures is None:
        streams.say("score: whole answers are not measured without --data")
    measures = measurable and dataset is not None and options.measures is not False
    if not names and not measures:
        raise UsageError(
            "--metrics none leaves nothing to compute; measures of whole answers need a run's "
            "folder and --data"
        )
    chosen_subset = subset(options.subset, inputs, dataset)
    kept = choose(inputs, chosen_subset.ids, systems)
    labels = {*kept.systems, *map(whole_answer, kept.systems)}
    if options.baseline and options.baseline not in labels:
        raise UsageError(
            f"--baseline: there is no system “{options.baseline[:60]}”; there are "
            f"{', '.join(sorted(labels)[:20])}"
        )
    check(names, options.weights)
    judge = None if options.judge == NONE else judge_named(options.judge, options.max_cost)
    return Plan(names, SPECS, dataset, kept, chosen_subset, systems, measures, judge)
