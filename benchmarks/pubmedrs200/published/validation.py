"""The neural metrics compared with the published values on this machine, and the outcomes.

``python -m benchmarks reproduce --neural`` records it in ``validated.json`` in the user's data
folder (``CLINFO_DATA_DIR``); ``score`` reads it, and says "not validated" for a metric that is not
in it: {"schema": 1, "metrics": {"bertscore": {SIGNATURE: {"largest_difference": 0.0, "n": 1300,
"tolerance": 0.001, "agrees": true, "role": "swapped"}}}}
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from clinfo.files import whole_file
from clinfo.settings import load_settings

FILE: Final = "validated.json"
FEWEST: Final = 100
"""Values that must have been compared for a comparison to count."""


def validated(metric: str, signature: str) -> bool | None:
    """Return whether a metric with that very signature gave the published values; None where that
    has not been tried.
    """
    entry = _metrics(path()).get(metric, {}).get(signature)
    if not isinstance(entry, dict) or not isinstance(entry.get("n"), int) or entry["n"] < FEWEST:
        return None
    agrees = entry.get("agrees")
    return agrees if isinstance(agrees, bool) else None


def path() -> Path:
    """The file in the user's data folder."""
    return load_settings().data_dir / FILE


def write(target: Path, outcomes: Iterable[tuple[str, str, Mapping[str, Any]]]) -> None:
    """Add (metric, signature, outcome) to a file, in place of earlier ones of the same metric and
    signature. Whole or not at all.
    """
    metrics = {metric: dict(entries) for metric, entries in _metrics(target).items()}
    for metric, signature, outcome in outcomes:
        metrics.setdefault(metric, {})[signature] = dict(outcome)
    target.parent.mkdir(parents=True, exist_ok=True)
    form = {"schema": 1, "metrics": metrics}
    with whole_file(target) as file:
        file.write(json.dumps(form, ensure_ascii=False, indent=1, sort_keys=True) + "\n")


def _metrics(source: Path) -> Mapping[str, Mapping[str, Any]]:
    """Return what a file holds; nothing where it is not there or not readable, since it can be made
    again.
    """
    try:
        form = json.loads(source.read_text(encoding="utf-8"))
        metrics = form["metrics"] if form["schema"] == 1 else {}
        return {key: value for key, value in metrics.items() if isinstance(value, dict)}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
