"""The answer of the chart pipeline as a pure fold over a run's events, its JSON form, its audit."""

import json
from typing import Any, Final

from clinfo.pipelines.chart.events import ChartLog
from clinfo.pipelines.chart.records import ChartAnswer
from clinfo.runs.events import plain

SCHEMA: Final = 2


def build_answer(run_log: ChartLog) -> ChartAnswer:
    """The answer as far as the run got. Raises ValueError before it began."""
    record, found, written = run_log.record, run_log.found, run_log.written
    return ChartAnswer(
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
