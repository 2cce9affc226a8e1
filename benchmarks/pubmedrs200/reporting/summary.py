"""The summary that ``score`` writes beside its rows, as values; everything in it is checked before
anything is made of it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clinfo.errors import UsageError


@dataclass(frozen=True)
class Metric:
    """The description of a metric; ``validated`` is None where no neural model is involved."""

    name: str
    title: str
    low: float | None
    high: float | None
    better: str
    floor: float | None
    signature: str
    validated: bool | None = None


@dataclass(frozen=True)
class Statistics:
    """One system under one metric. ``mean`` and what belongs to it are None where no question has a
    value.
    """

    n: int
    answered: int
    mean: float | None
    sd: float | None
    low: float | None
    high: float | None
    answered_mean: float | None
    answered_sd: float | None


@dataclass(frozen=True)
class Comparison:
    """A system against a baseline: mean difference (system − baseline) with its 95 % interval, and
    p values; ``p_holm`` is that of approximate randomisation after Holm's correction."""

    metric: str
    system: str
    baseline: str
    n: int
    difference: float
    low: float
    high: float
    p_bootstrap: float
    p_randomisation: float
    p_holm: float


@dataclass(frozen=True)
class Summary:
    """A summary file. ``subset`` and ``data`` are as written there; ``judge`` names the independent
    judge, None without one.

    ``unanswered``, ``failed``, ``quarantined`` and ``missing`` hold the ids of questions by label;
    ``warnings`` are lines to be shown.
    """

    orientation: str
    subset: Mapping[str, Any]
    data: Mapping[str, Any] | None
    metrics: Mapping[str, Metric]
    systems: Mapping[str, Mapping[str, Statistics]]
    unanswered: Mapping[str, tuple[str, ...]]
    quarantined: Mapping[str, tuple[str, ...]]
    judge: str | None
    comparisons: tuple[Comparison, ...]
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    failed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def read_summary(path: Path) -> Summary:
    """Read a summary; UsageError in one line where it is not one."""
    try:
        form = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(
            f"{path}: {error.strerror or error}; score writes it with --summary"
        ) from None
    except ValueError:
        raise UsageError(f"{path}: not JSON") from None
    if not isinstance(form, dict) or form.get("schema") != 1:
        raise UsageError(f'{path}: not a summary of scores ("schema": 1 is missing)')
    try:
        return _summary(form)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(
            f"{path}: not a summary of scores ({type(error).__name__}: {error})"
        ) from None


def _summary(form: Mapping[str, Any]) -> Summary:
    if form["orientation"] not in ("correct", "published"):
        raise ValueError(f"orientation {form['orientation']!r}")
    subset = {
        "name": str(form["subset"]["name"]),
        "n": int(form["subset"]["n"]),
        "sha256": str(form["subset"]["sha256"]),
    }
    return Summary(
        orientation=form["orientation"],
        subset=subset,
        data=form.get("data"),
        metrics={name: _metric(name, entry) for name, entry in form["metrics"].items()},
        systems={
            label: {metric: _statistics(entry) for metric, entry in metrics.items()}
            for label, metrics in form["systems"].items()
        },
        unanswered={label: tuple(ids) for label, ids in form.get("unanswered", {}).items()},
        quarantined={label: tuple(ids) for label, ids in form.get("quarantined", {}).items()},
        judge=form.get("judge"),
        comparisons=tuple(_comparison(entry) for entry in form.get("comparisons", ())),
        missing={label: tuple(ids) for label, ids in form.get("missing", {}).items()},
        failed={label: tuple(ids) for label, ids in form.get("failed", {}).items()},
        warnings=tuple(str(line) for line in form.get("warnings", ())),
    )


def _metric(name: str, entry: Mapping[str, Any]) -> Metric:
    return Metric(
        name,
        entry["title"],
        entry.get("low"),
        entry.get("high"),
        entry["better"],
        entry.get("floor"),
        entry.get("signature") or "",
        entry.get("validated"),
    )


def _comparison(entry: Mapping[str, Any]) -> Comparison:
    numbers = ("difference", "low", "high", "p_bootstrap", "p_randomisation", "p_holm")
    values = [float(entry[key]) for key in numbers]
    if not all(map(math.isfinite, values)):
        raise ValueError(f"comparison of {entry['system']} holds a number that is none")
    return Comparison(
        str(entry["metric"]), str(entry["system"]), str(entry["baseline"]), int(entry["n"]), *values
    )


def _statistics(entry: Mapping[str, Any]) -> Statistics:
    def number(key: str) -> float | None:
        value = entry.get(key)
        if value is not None and not math.isfinite(float(value)):
            raise ValueError(f"{key} is {value}")
        return None if value is None else float(value)

    keys = ("mean", "sd", "low", "high", "answered_mean", "answered_sd")
    return Statistics(int(entry["n"]), int(entry["answered"]), *(number(key) for key in keys))
