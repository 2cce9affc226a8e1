"""A model's answers from patients' records: each question a run of the pipeline, kept as a line
of a file, so that a run that was broken off goes on.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

from benchmarks.chart.data import Question
from clinfo.errors import UsageError
from clinfo.patients.collecting import Records
from clinfo.patients.records import Record
from clinfo.pipelines.chart.records import NOT_DOCUMENTED
from clinfo.pipelines.chart.request import request_of
from clinfo.pipelines.chart.stages import CHART
from clinfo.runs.events import Answered
from clinfo.settings import Settings, load_settings


def measured(
    asked: Sequence[Question],
    absent: Sequence[tuple[str, Question]],
    known: Mapping[str, Record],
    model: str,
    record: Path,
) -> dict[str, float | None]:
    """``answered_right``: the share of questions with a claim that quotes a note of the gold;
    ``false_evidence``: the share of questions about absent facts not answered "not documented".

    Raises NotForPatients where the model is not declared for patients' records, and UsageError
    where a run fails.
    """
    kept = Kept(record, model)
    settings = load_settings()
    right = [
        bool(one.gold & {claim["note"] for claim in kept.answer(settings, one, known)["claims"]})
        for one in asked
    ]
    false = [
        kept.answer(settings, one, known, patient)["answer"] != NOT_DOCUMENTED
        for patient, one in absent
    ]
    return {"answered_right": _share(right), "false_evidence": _share(false)}


def _share(found: Sequence[bool]) -> float | None:
    return round(sum(found) / len(found), 4) if found else None


class Kept:
    """The answers of a model in a file, a line each."""

    def __init__(self, path: Path, model: str) -> None:
        self._path, self._model = path, model
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        rows = [json.loads(line) for line in lines if line.strip()]
        self._known = {row["key"]: row["answer"] for row in rows}

    def answer(
        self, settings: Settings, one: Question, known: Mapping[str, Record], patient: str = ""
    ) -> Mapping[str, Any]:
        """The answer to a question of its patient's record, or of another's; asked where the file
        lacks it.
        """
        patient = patient or one.patient
        key = f"{self._model} {patient} {one.id}"
        if key not in self._known:
            self._known[key] = asyncio.run(_asked(settings, one.text, known[patient], self._model))
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, "answer": self._known[key]}) + "\n")
        found: Mapping[str, Any] = self._known[key]
        return found


async def _asked(settings: Settings, text: str, record: Record, model: str) -> dict[str, Any]:
    request = request_of(settings, (), text, model)
    carrier = CHART.assemble(settings, request, read=lambda _: Records((record,), {}, ()))
    async with aclosing(carrier.run(request)) as events:  # type: ignore[type-var]
        last = [event async for event in events][-1]
    if not isinstance(last, Answered):
        raise UsageError(f"a run failed: {getattr(last, 'problem', last)}")
    return {name: last.answer[name] for name in ("answer", "claims", "usage")}
