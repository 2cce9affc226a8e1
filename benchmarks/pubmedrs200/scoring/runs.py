"""A run's folder as an input: whether it is one, its predictions, and what it quarantined."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from benchmarks.pubmedrs200.scoring.predictions import PredictionFile, read
from clinfo.errors import UsageError


def is_run(folder: Path) -> bool:
    """Return whether a folder means to be a run's."""
    return (folder / "run.json").is_file()


def predictions(folder: Path) -> PredictionFile:
    """The texts of a run. Raises UsageError for a run that is damaged or has not come to its
    end.
    """
    _check(folder)
    path = folder / "predictions.jsonl"
    if not path.is_file():
        raise UsageError(
            f"the run in {folder} has not come to its end, it holds no predictions.jsonl: give the "
            "run command again"
        )
    return read(path)


def quarantined(folder: Path) -> Iterator[tuple[str, str]]:
    """(id, label of the whole answer) of what a run found leaks in. Raises UsageError for a damaged
    file.
    """
    path = folder / "quarantine.jsonl"
    if not path.is_file():
        return
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            form = json.loads(line)
            yield str(form["id"]), str(form["system"])
    except (OSError, ValueError, KeyError, TypeError):
        raise UsageError(f"{path} cannot be read: it is not as the run command writes it") from None


def _check(folder: Path) -> None:
    """Raise UsageError where run.json cannot tell which cells there are."""
    from benchmarks.pubmedrs200.running.plan import read_run

    form = read_run(folder)
    systems, regimes, repeats, ids = (
        form.get(key) for key in ("systems", "regimes", "repeats", "ids")
    )
    named = isinstance(systems, list) and all(
        isinstance(one, dict) and all(isinstance(one.get(key), str) for key in ("name", "kind"))
        for one in systems
    )
    lists = all(
        isinstance(listed, list) and all(isinstance(one, str) for one in listed)
        for listed in (regimes, ids)
    )
    if not (named and lists and isinstance(repeats, int)):
        what = "systems, regimes, repeats and ids are not as the run command writes them"
        raise UsageError(f"{folder / 'run.json'} is damaged: {what}")
