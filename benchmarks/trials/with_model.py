"""Readings of real papers by a model: each question a run of the pipeline, kept as a line of a
file, so that a run that was broken off goes on.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.outcomes import Outcomes, answer_of
from benchmarks.trials import data, measures, numbers
from clinfo.learned_types import learned
from clinfo.pipelines.trials.records import Method, StudyNumbers
from clinfo.pipelines.trials.request import request_of
from clinfo.pipelines.trials.stages import TRIALS
from clinfo.retrieval.documents import Asked
from clinfo.settings import Settings, load_settings


@dataclass(frozen=True)
class Task:
    """A question to put to one paper, whose file is called ``name``."""

    key: str
    name: str
    raw: bytes
    asked: Asked


def measured(
    folder: Path, model: str, method: Method, record: Path, limit: int | None, only: str = ""
) -> dict[str, float]:
    """The measures that need a model, over the first ``limit`` questions and rows of numbers in the
    order of their SHA-256; ``only`` names one of both. Raises UsageError where a run fails.
    """
    found: dict[str, float] = {}
    if only != "numbers":
        found |= _directions(folder, model, method, record, limit)
    if only != "questions" and method == "numbers":
        found |= _numbers(folder, model, record, limit)
    return found


def _directions(
    folder: Path, model: str, method: Method, record: Path, limit: int | None
) -> dict[str, float]:
    texts = {row["pmcid"]: row["text"] for row in data.rows(folder, "articles")}
    asked = _drawn({one.id: one for one in data.questions(folder) if one.gold}, limit)
    tasks = [
        Task(f"q {key}", f"{one.paper}.txt", texts[one.paper].encode(), one.asked)
        for key, one in asked.items()
    ]
    said = answers(tasks, model, method, record)
    gold = [one.gold for one in asked.values()]
    pairs = [(g, one["direction"]) for g, one in zip(gold, said, strict=True)]
    return {f"conclusion_{name}": value for name, value in measures.f1(pairs).items()}


def _numbers(folder: Path, model: str, record: Path, limit: int | None) -> dict[str, float]:
    raws = numbers.number_files(folder)
    rows = [row for row in numbers.number_rows(folder) if row.paper in raws and not row.empty]
    drawn = _drawn({_key(row): row for row in rows}, limit)
    tasks = [
        Task(key, f"{row.paper}.xml", raws[row.paper], row.asked) for key, row in drawn.items()
    ]
    return scored(list(drawn.values()), answers(tasks, model, "numbers", record))


def scored(rows: Sequence[numbers.Row], said: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Rows read whole by kind, what is right of the numbers given, and directions that are those of
    the gold numbers' interval.
    """
    counts: Counter[str] = Counter()
    for row, one in zip(rows, said, strict=True):
        read = msgspec.convert(one["numbers"], learned(StudyNumbers)) if one["numbers"] else None
        given, right = numbers.compared(row, read)
        counts.update({"given": given, "right": right, f"rows {row.kind}": 1})
        counts[f"exact {row.kind}"] += right == len(row.gold)
        if (gold := row.direction) is not None:
            counts.update({"directions": 1, "directed": int(gold == one["direction"])})
    found: dict[str, float] = {"numbers_given": counts["given"]}
    found["numbers_precision"] = counts["right"] / max(1, counts["given"])
    for kind in ("binary", "continuous"):
        found[f"numbers_exact_{kind}"] = counts[f"exact {kind}"] / max(1, counts[f"rows {kind}"])
    found["numbers_direction"] = counts["directed"] / max(1, counts["directions"])
    return found


def _key(row: numbers.Row) -> str:
    asked = row.asked
    return f"n {row.paper} {asked.intervention} | {asked.comparator} | {asked.outcome}"


def _drawn(every: Mapping[str, Any], limit: int | None) -> dict[str, Any]:
    order = sorted(every, key=lambda key: hashlib.sha256(key.encode()).hexdigest())
    return {key: every[key] for key in order[:limit]}


def answers(
    tasks: Sequence[Task], model: str, method: Method, record: Path
) -> list[Mapping[str, Any]]:
    """The study of each task's answer; asked where the file ``record`` lacks it."""
    kept = Outcomes(record, "study")
    keys = [f"{model} {method} {one.key}" for one in tasks]
    asyncio.run(_all(dict(zip(keys, tasks, strict=True)), kept, model, method))
    return [kept.known[key] for key in keys]


async def _all(tasks: Mapping[str, Task], kept: Outcomes, model: str, method: Method) -> None:
    settings = load_settings()
    slots = asyncio.Semaphore(settings.concurrency)

    async def one(key: str, task: Task) -> None:
        async with slots:
            kept.keep(key, await _study(settings, task, model, method))

    await asyncio.gather(*(one(key, task) for key, task in tasks.items() if key not in kept.known))


async def _study(settings: Settings, task: Task, model: str, method: Method) -> dict[str, Any]:
    asked = task.asked
    request = request_of(
        settings,
        f"{asked.intervention} compared with {asked.comparator}: what of {asked.outcome}?",
        [task.name],
        model=model,
        method=method,
        intervention=asked.intervention,
        comparator=asked.comparator,
        outcome=asked.outcome,
    )
    carrier = TRIALS.assemble(settings, request, read=lambda _: task.raw)
    answer = await answer_of(carrier, request)
    (study,) = answer["studies"]
    fields = ("direction", "numbers", "numbers_direction", "effect", "reading", "reason", "flags")
    return {name: study[name] for name in fields} | {"usage": answer["usage"]}
