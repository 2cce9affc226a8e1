"""The published systems, one folder each, known by name; none imports another."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from clinfo.errors import UsageError

if TYPE_CHECKING:
    from clinfo.runs.pipeline import Pipeline

DEFAULT = "literature"
PIPELINES = {
    "literature": "clinfo.pipelines.literature.stages:LITERATURE",
    "trials": "clinfo.pipelines.trials.stages:TRIALS",
    "chart": "clinfo.pipelines.chart.stages:CHART",
    "cohort": "clinfo.pipelines.cohort.stages:COHORT",
    "copilot": "clinfo.pipelines.copilot.stages:COPILOT",
}
"""The declaration of each pipeline, ``MODULE:NAME``, by its name."""


def pipeline(name: str) -> Pipeline[Any, Any]:
    """The pipeline of this name. Raises UsageError."""
    if name not in PIPELINES:
        raise UsageError(
            f"the pipeline {name!r} is not known; choose one of: {', '.join(PIPELINES)}"
        )
    found: Pipeline[Any, Any] = resolve_name(PIPELINES[name])
    return found
