"""Run folders and files of predictions, as `benchmarks.pubmedrs200.running` leaves them, read with
suspicion.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.pubmedrs200.reporting.labels import named
from benchmarks.pubmedrs200.reporting.texts import Answer, Answers, RunFolder, of_records
from benchmarks.pubmedrs200.running.folder import load_record
from benchmarks.pubmedrs200.running.references import load_articles
from clinfo.errors import UsageError


def read_run(folder: Path) -> RunFolder:
    """All records of a run, in a fixed order. UsageError names the file that is missing or cannot
    be read.
    """
    asked = _object(folder / "run.json")
    paths = sorted(
        (folder / "records").glob("*/*/*/*.json"), key=lambda path: path.relative_to(folder).parts
    )
    if not paths:
        raise UsageError(f"{folder}: no records in it; is the run done?")
    cutoffs = _cutoffs(folder / "run.json", asked)
    commands = {
        str(system["name"]) for system in asked["systems"] if system.get("kind") == "command"
    }
    records = [load_record(path) for path in paths]
    with_cited = [
        (one, load_articles(folder, one.cell) if one.cell.system in commands else None)
        for one in records
    ]
    return RunFolder(of_records(with_cited, commands), cutoffs, asked)


def _object(path: Path) -> dict[str, Any]:
    try:
        form = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None
    except ValueError:
        raise UsageError(f"{path}: not JSON") from None
    if not isinstance(form, dict):
        raise UsageError(f"{path}: not an object")
    return form


def _cutoffs(path: Path, asked: Mapping[str, Any]) -> dict[str, str | None]:
    systems = asked.get("systems")
    if not isinstance(systems, list) or not all(
        isinstance(system, dict) and "name" in system for system in systems
    ):
        raise UsageError(f"{path}: no list of systems in it")
    return {str(system["name"]): system.get("cutoff") for system in systems}


def read_predictions(path: Path) -> RunFolder:
    """The texts of a file of predictions; what it does not hold (references, retrieval, cost) stays
    unknown.
    """
    texts: dict[tuple[str, str], dict[str, str]] = {}
    try:
        lines = path.read_text(encoding="utf-8").split(
            "\n"
        )  # other ends of lines may stand in a text
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not UTF-8") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            form = json.loads(line)
            system, id, prediction = named(form["system"]), str(form["id"]), str(form["prediction"])
        except (ValueError, KeyError, TypeError, AttributeError):
            raise UsageError(
                f'{path}, line {number}: not a prediction with "id", "system" and "prediction"'
            ) from None
        texts.setdefault((system.answer, id), {})[system.output or "synthesis"] = prediction
    answers: Answers = {}
    for (label, id), outputs in texts.items():
        synthesis, tldr = outputs.get("synthesis", outputs.get("both", "")), outputs.get("tldr", "")
        status = "answered" if (synthesis or tldr).strip() else "unanswered"
        answers.setdefault(label, {})[id] = Answer(status, synthesis, tldr)
    return RunFolder(answers)
