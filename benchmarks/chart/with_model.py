"""A model's answers from patients' records: each question a run of the pipeline, kept as a line
of a file, so that a run that was broken off goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.chart.data import Question
from benchmarks.outcomes import Outcomes, answer_of
from clinfo.patients.collecting import Records
from clinfo.patients.records import Record
from clinfo.pipelines.chart.records import NOT_DOCUMENTED
from clinfo.pipelines.chart.request import request_of
from clinfo.pipelines.chart.stages import CHART
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
    settings, kept = load_settings(), Outcomes(record, "answer")

    def answer(patient: str, one: Question) -> Mapping[str, Any]:
        key = f"{model} {patient} {one.id}"
        if key not in kept.known:
            kept.keep(key, asyncio.run(_asked(settings, one.text, known[patient], model)))
        return kept.known[key]

    right = [
        bool(one.gold & {claim["note"] for claim in answer(one.patient, one)["claims"]})
        for one in asked
    ]
    false = [answer(patient, one)["answer"] != NOT_DOCUMENTED for patient, one in absent]
    return {"answered_right": _share(right), "false_evidence": _share(false)}


def _share(found: Sequence[bool]) -> float | None:
    return round(sum(found) / len(found), 4) if found else None


async def _asked(settings: Settings, text: str, record: Record, model: str) -> dict[str, Any]:
    request = request_of(settings, (), text, model)
    carrier = CHART.assemble(settings, request, read=lambda _: Records((record,), {}, ()))
    answer = await answer_of(carrier, request)
    return {name: answer[name] for name in ("answer", "claims", "usage")}
