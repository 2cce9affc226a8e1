"""The answer of the copilot as a pure fold over a run's events, its JSON form, its audit,
and `clinfo.copilot`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

from clinfo.pipelines.calling import (
    Model,
    PipelineAnswer,
    carried_out,
    door,
    named_model,
)
from clinfo.pipelines.copilot import records
from clinfo.pipelines.copilot.records import (
    AnswerWritten,
    CopilotLog,
    Thought,
    TracedCall,
    TracedStep,
    Written,
)
from clinfo.pipelines.copilot.request import request_of
from clinfo.pipelines.copilot.stages import COPILOT, PROMPTS
from clinfo.pipelines.copilot.writing import quoted
from clinfo.records.observations import Observation
from clinfo.runs.events import Event, plain
from clinfo.settings import load_settings

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


def build_answer(run_log: CopilotLog) -> records.CopilotAnswer:
    """The answer as far as the run got. Raises ValueError before it began."""
    ended, so_far = run_log.ended, run_log.so_far
    written = run_log.written or (quoted(run_log) if so_far else AnswerWritten())
    first = (written.bottom_line,) if written.bottom_line else ()
    marked = (
        f"{one.text.rstrip()} [{', '.join(map(str, one.sources))}]"
        for one in first + written.claims
    )
    return records.CopilotAnswer(
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


class CopilotAnswer(PipelineAnswer[CopilotLog, records.CopilotAnswer]):
    """The answer to a question in checked claims of what tools brought; its record is
    `clinfo.pipelines.copilot.records.CopilotAnswer`.

    ``answer`` are the claims that stand, a line each with its sources' numbers, "" where none
    does; ``claims`` have each ``silo``, ``document``, ``span``, ``level``, ``date`` and
    ``verdict``. ``status`` is the exit status that the command line would have: 0, or 3 where no
    claim stands.
    """

    def __init__(self, events: Sequence[Event]) -> None:
        super().__init__(COPILOT, build_answer, lambda one: one.claims or one.bottom_line, events)
        self.answer = self.record.answer
        self.claims = self.record.claims
        self.warnings = self.record.warnings

    @property
    def trace(self) -> str:
        """Plan, thoughts, calls and passages, as ``--trace`` writes them."""
        return trace_text(self._log)

    def __repr__(self) -> str:
        return f"<clinfo.CopilotAnswer: {len(self.claims)} claims>"


@door
def copilot(
    question: str,
    *,
    case: str = "",
    model: Model = None,
    judge: str | None = None,
    save: str | Path | None = None,
    **options: Any,
) -> CopilotAnswer:
    """The answer to a question, with the text of a case or without, looked up in silos by tools.

    ``model`` is as for `stream`, ``save`` as for `aask`; ``options`` are those of the command line
    with underscores (``gene``, ``variant``, ``disease``, ``drug`` select evidence without a model),
    ``tools`` a list. Raises the class of `clinfo.errors` that carries the exit status the command
    line would have; NotForPatients where a model may not see a case.
    """
    settings = load_settings()
    if isinstance(prompts := options.pop("prompts", {}), str | Path):
        prompts = PROMPTS.read_folder(prompts)
    request = request_of(
        settings, question, named_model(model), judge, case=case, prompts=prompts, **options
    )
    return CopilotAnswer(carried_out(COPILOT, settings, request, model, save))
