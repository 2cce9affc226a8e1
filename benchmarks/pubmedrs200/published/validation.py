"""The neural metrics compared with the published values on this machine, and the outcomes.

``python -m benchmarks reproduce --neural`` records it in ``validated.json`` in the user's data
folder (``CLINFO_DATA_DIR``); ``score`` reads it, and says "not validated" for a metric that is not
in it.

    {"schema": 1, "metrics": {"bertscore": {SIGNATURE: {"largest_difference": 0.0, "n": 1300, "tolerance": 0.001, "agrees": true,
     "role": "swapped"}}}}
"""  # noqa: E501

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from clinfo.files import whole_file

FILE: Final = "validated.json"
SCHEMA: Final = 1
FEWEST: Final = 100
"""Values that must have been compared for a comparison to count."""


@dataclass(frozen=True)
class Validation:
    """One metric's comparison. ``role`` says what the metric was given, as in
    `benchmarks.pubmedrs200.published.columns`.
    """

    metric: str
    signature: str
    largest_difference: float
    n: int
    tolerance: float
    agrees: bool
    role: str


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
    from clinfo.settings import load_settings

    return load_settings().data_dir / FILE


def write(target: Path, validations: Sequence[Validation]) -> None:
    """Add comparisons to a file, in place of earlier ones of the same metric and signature. Whole
    or not at all.
    """
    metrics: dict[str, dict[str, Any]] = {
        metric: dict(entries) for metric, entries in _metrics(target).items()
    }
    for item in validations:
        entry = {
            key: value for key, value in asdict(item).items() if key not in ("metric", "signature")
        }
        metrics.setdefault(item.metric, {})[item.signature] = entry
    target.parent.mkdir(parents=True, exist_ok=True)
    form = {"schema": SCHEMA, "metrics": metrics}
    with whole_file(target) as file:
        file.write(json.dumps(form, ensure_ascii=False, indent=1, sort_keys=True) + "\n")


def _metrics(source: Path) -> Mapping[str, Mapping[str, Any]]:
    """Return what a file holds; nothing where it is not there or not readable, since it can be made
    again.
    """
    try:
        form = json.loads(source.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    metrics = (
        form.get("metrics") if isinstance(form, dict) and form.get("schema") == SCHEMA else None
    )
    return (
        {key: value for key, value in metrics.items() if isinstance(value, dict)}
        if isinstance(metrics, dict)
        else {}
    )
