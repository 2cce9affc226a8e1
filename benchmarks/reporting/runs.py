"""Run folders and files of predictions, as `benchmarks.running` leaves them, read with suspicion."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from benchmarks.reporting.labels import named
from benchmarks.reporting.texts import Answer, Answers, RunFolder, of_records
from benchmarks.running.records import Cell, Leak, Record
from clinfo.errors import UsageError

_STATUSES: Final = ("answered", "unanswered", "failed", "leaked")


def read_run(folder: Path) -> RunFolder:
    """All records of a run, in a fixed order. UsageError names the file that is missing or cannot be read."""
    asked = _object(folder / "run.json")
    paths = sorted((folder / "records").glob("*/*/*/*.json"), key=lambda path: path.relative_to(folder).parts)
    if not paths:
        raise UsageError(f"{folder}: no records in it; is the run done?")
    records = [_record(path) for path in paths]
    return RunFolder(of_records(records), _cutoffs(folder / "run.json", asked), asked)


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


def _record(path: Path) -> Record:
    form = _object(path)
    cell = form.get("cell", form)
    try:
        if form["status"] not in _STATUSES:
            raise ValueError(f"status {form['status']!r}")
        return Record(
            cell=Cell(str(cell["system"]), str(cell["regime"]), int(cell["repeat"]), str(cell["id"])),
            status=form["status"],
            synthesis=str(form.get("synthesis") or ""),
            tldr=str(form.get("tldr") or ""),
            answer=form.get("answer"),
            queries=_texts(form, "queries") or (),
            retrieved=_texts(form, "retrieved"),
            relevant=_texts(form, "relevant"),
            irrelevant=_texts(form, "irrelevant"),
            usage=form.get("usage"),
            leaks=tuple(Leak(str(leak["pmid"]), str(leak["where"]), str(leak["reason"])) for leak in form.get("leaks") or ()),
            unchecked=_texts(form, "unchecked") or (),
            problem=str(form.get("problem") or ""),
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"{path}: not the record of a run ({type(error).__name__}: {error})") from None


def _texts(form: Mapping[str, Any], key: str) -> tuple[str, ...] | None:
    value = form.get(key)
    return None if value is None else tuple(str(item) for item in value)


def _cutoffs(path: Path, asked: Mapping[str, Any]) -> dict[str, str | None]:
    systems = asked.get("systems")
    if not isinstance(systems, list) or not all(isinstance(system, dict) and "name" in system for system in systems):
        raise UsageError(f"{path}: no list of systems in it")
    return {str(system["name"]): system.get("cutoff") for system in systems}


def read_predictions(path: Path) -> RunFolder:
    """The texts of a file of predictions; what it does not hold (references, retrieval, cost) stays unknown."""
    texts: dict[tuple[str, str], dict[str, str]] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
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
            raise UsageError(f'{path}, line {number}: not a prediction with "id", "system" and "prediction"') from None
        texts.setdefault((system.answer, id), {})[system.output or "synthesis"] = prediction
    answers: Answers = {}
    for (label, id), outputs in texts.items():
        synthesis, tldr = outputs.get("synthesis", outputs.get("both", "")), outputs.get("tldr", "")
        status = "answered" if (synthesis or tldr).strip() else "unanswered"
        answers.setdefault(label, {})[id] = Answer(status, synthesis, tldr)
    return RunFolder(answers)
