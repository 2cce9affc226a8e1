"""The answer of the copilot as a pure fold over a run's events, its JSON form and its audit."""

import json
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, Final

from clinfo.pipelines.copilot.events import AnswerWritten, CopilotLog, Thought
from clinfo.pipelines.copilot.records import CopilotAnswer, TracedCall, TracedStep, Written
from clinfo.records.observations import Observation
from clinfo.runs.events import plain

SCHEMA: Final = 2
SO_FAR: Final = (
    "The run could not go on: no answer was written. What was found so far is quoted by source; it "
    "is not complete and no plan of treatment."
)


def traced(run_log: CopilotLog) -> Iterator[TracedStep]:
    """The rounds of calls so far, each with its thought."""
    thoughts = {one.step: one.text for one in run_log.all(Thought)}
    by_step: dict[int, list[TracedCall]] = {step: [] for step in thoughts}
    for call in run_log.calls:
        event = run_log.observed(call.call)
        seen = event.observation if event else Observation(problem="no result was recorded")
        by_step.setdefault(call.step, []).append(
            TracedCall(
                call.call,
                call.tool,
                call.arguments,
                call.silo,
                run_log.brought(call.call),
                seen.said,
                seen.problem,
                event.seconds if event else 0.0,
            )
        )
    for step, calls in sorted(by_step.items()):
        yield TracedStep(step, thoughts.get(step, ""), tuple(calls))


def build_answer(run_log: CopilotLog) -> CopilotAnswer:
    """The answer as far as the run got. Raises ValueError before it began."""
    ended, so_far = run_log.ended, run_log.so_far
    written = run_log.written or so_far or AnswerWritten()
    first = (written.bottom_line,) if written.bottom_line else ()
    marked = (
        f"{one.text.rstrip()} [{', '.join(map(str, one.sources))}]"
        for one in first + written.claims
    )
    return CopilotAnswer(
        **run_log.common([SO_FAR] if so_far else ()),
        answer="\n".join(marked),
        **{one.name: getattr(written, one.name) for one in fields(Written)},
        ended=ended.end if ended else "",
        plan=run_log.plan.parts if run_log.plan else (),
        trace=tuple(traced(run_log)),
    )


def folded(run_log: CopilotLog) -> dict[str, Any]:
    """The JSON answer of a run, as far as it got. A source without facts has no such field, as in
    the runs that were saved before there were any.
    """
    form = plain(build_answer(run_log))
    for source in form["sources"]:
        if not source["facts"]:
            del source["facts"]
    return {"schema": SCHEMA, "pipeline": "copilot", **form}


def trace_text(run_log: CopilotLog) -> str:
    """The audit of a run: plan, thoughts, calls, what each brought with its passages, claims and
    what was left out.

    It holds no time and no spending: the same replies and the same tools give the same bytes.
    """
    form = folded(run_log)
    del form["usage"], form["timings"]
    for step in form["trace"]:
        for call in step["calls"]:
            del call["seconds"]
    passages = plain(run_log.passages())
    return json.dumps({**form, "passages": passages}, ensure_ascii=False, indent=2) + "\n"
