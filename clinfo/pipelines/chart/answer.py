"""The answer of the chart pipeline as a pure fold over a run's events, its JSON form, its
audit, and `clinfo.chart`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from clinfo.pipelines.calling import (
    Model,
    PipelineAnswer,
    carried_out,
    door,
    named_model,
)
from clinfo.pipelines.chart import records
from clinfo.pipelines.chart.records import ChartLog
from clinfo.pipelines.chart.request import request_of
from clinfo.pipelines.chart.stages import CHART
from clinfo.runs.events import Event, plain
from clinfo.settings import load_settings

SCHEMA: Final = 2


def build_answer(run_log: ChartLog) -> records.ChartAnswer:
    """The answer as far as the run got. Raises ValueError before it began."""
    record, found, written = run_log.record, run_log.found, run_log.written
    return records.ChartAnswer(
        **run_log.common(record.problems if record else ()),
        answer=written.text if written else "",
        claims=written.claims if written else (),
        coded=found.coded if found else (),
        notes=written.notes if written else found.notes if found else (),
        status=found.status if found else "",
        unrecognised=found.unrecognised if found else (),
        established=(written.established if written else "")
        or (found.established if found else ""),
        stages=found.trace if found else (),
        counts=record.counts if record else {},
    )


def folded(run_log: ChartLog) -> dict[str, Any]:
    """The JSON answer of a run, as far as it got; its stages count chunks in and out."""
    answer = build_answer(run_log)
    form = plain(answer)
    form["stages"] = [
        {
            "name": one.name,
            "in": len(one.given),
            "out": len(one.kept),
            "measures": dict(one.measures),
        }
        for one in answer.stages
    ]
    return {"schema": SCHEMA, "pipeline": "chart", **form}


def trace_text(run_log: ChartLog) -> str:
    """The audit of a run: what was asked of which record, each stage with ids in and out and
    reasons, the notes and the answer.

    It holds no time, no spending and no id of the run: the same question to the same record gives
    the same bytes.
    """
    answer, record, question = build_answer(run_log), run_log.record, run_log.question
    left = ("prompts_edited", "run")
    own = {name: value for name, value in answer.settings.items() if name not in left}
    held = {
        "schema": SCHEMA,
        "question": answer.question,
        "settings": own,
        "record": {"sha256": record.sha256, "counts": record.counts} if record else None,
        "matched_by": {
            "types": question.types,
            "concepts": question.concepts,
            "hypothetical": question.hypothetical,
            "window": question.window,
        }
        if question
        else None,
        "stages": [
            {
                "name": one.name,
                "in": one.given,
                "out": one.kept,
                "reasons": one.reasons,
                "measures": one.measures,
            }
            for one in answer.stages
        ],
        "claims": answer.claims,
        "coded": answer.coded,
        "established": answer.established,
        "notes": answer.notes,
        "answer": answer.answer,
    }
    return json.dumps(plain(held), ensure_ascii=False, indent=1, sort_keys=True) + "\n"


class ChartAnswer(PipelineAnswer[ChartLog, records.ChartAnswer]):
    """The answer of one patient's notes; ``record`` is `records.ChartAnswer`.

    ``answer`` is in words, or "not documented"; ``notes`` are those found, best first, with the
    ``spans`` that bear on the question. ``status`` is the exit status that the command line would
    have: 0, or 3 where it is not documented.
    """

    def __init__(self, events: Sequence[Event]) -> None:
        super().__init__(
            CHART, build_answer, lambda record: record.answer != records.NOT_DOCUMENTED, events
        )
        self.answer = self.record.answer
        self.notes = self.record.notes
        self.warnings = self.record.warnings

    @property
    def trace(self) -> str:
        """The audit of the run, as ``--trace`` writes it."""
        return trace_text(self._log)


@door
def chart(
    record: str | Path | Sequence[str | Path],
    question: str,
    *,
    model: Model = None,
    save: str | Path | None = None,
    **options: Any,
) -> ChartAnswer:
    """The answer to a question from one patient's notes: files and folders.

    ``model`` is as for `stream`, ``save`` as for `aask`; ``options`` are those of the command line
    with underscores, ``visit`` and ``category`` lists. Raises the class of `clinfo.errors` that
    carries the exit status the command line would have; NotForPatients where the model may not see
    patients' records.
    """
    settings = load_settings()
    request = request_of(settings, record, question, named_model(model), **options)
    return ChartAnswer(carried_out(CHART, settings, request, model, save))
