"""The run log of the copilot, and the answer as a pure fold over it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from clinfo.pipelines.copilot.events import (
    AnswerWritten,
    FoundSoFar,
    LookingUpEnded,
    PlanMade,
    RunStarted,
    Thought,
    ToolCalled,
    ToolObserved,
)
from clinfo.records.copilot import (
    CopilotAnswer,
    Observed,
    TracedCall,
    TracedStep,
)
from clinfo.runs.events import CostIncurred, StageTimed
from clinfo.runs.run_log import Held, RunLog
from clinfo.runs.usage import usage_of

SCHEMA: Final = 2
Place = tuple[str, str, int, int]
"""Silo, document, start and end of a passage."""
SO_FAR: Final = (
    "The run could not go on: no answer was written. This is what was found so far, quoted by "
    "silo; it is not complete and no plan of treatment."
)


class CopilotLog(RunLog):
    """The events of one run, each key once."""

    _numbered: tuple[int, dict[int, Observed], dict[Place, int]] = (-1, {}, {})
    """The passages by number and the numbers by place, as of so many events."""

    started = Held(RunStarted, "run")
    plan = Held(PlanMade, "plan")
    ended = Held(LookingUpEnded, "ended")
    written = Held(AnswerWritten, "written")

    @property
    def so_far(self) -> FoundSoFar | None:
        """What was found when the run last could not go on; None where an answer was written."""
        stops = self.all(FoundSoFar) if self.written is None else []
        return max(stops, key=lambda one: one.after, default=None)

    @property
    def calls(self) -> list[ToolCalled]:
        """The calls in the order in which they were asked for, whenever they came back."""
        return sorted(self.all(ToolCalled), key=lambda one: tuple(map(int, one.call.split("."))))

    def observed(self, call: str) -> ToolObserved | None:
        """Return what a call brought, None while it is under way."""
        return self.get(ToolObserved, f"observed {call}")

    def passages(self) -> Mapping[int, Observed]:
        """All passages by number, counted from 1 in the order of calls; the same passage of a
        document has one number however often it is found.
        """
        return self._counted()[0]

    def numbers(self) -> Mapping[Place, int]:
        """The number of each passage by where it stands."""
        return self._counted()[1]

    def _counted(self) -> tuple[dict[int, Observed], dict[Place, int]]:
        events, passages, numbers = self._numbered
        if events != len(self):
            found: dict[Place, Observed] = {}
            for call in self.calls:
                if (event := self.observed(call.call)) is not None:
                    for one in event.observation.passages:
                        found.setdefault(_place(one), one)
            passages = dict(enumerate(found.values(), 1))
            numbers = {place: n for n, place in enumerate(found, 1)}
            self._numbered = len(self), passages, numbers
        return passages, numbers

    @property
    def tokens(self) -> int:
        """Tokens read and written so far."""
        return sum(one.prompt_tokens + one.completion_tokens for one in self.all(CostIncurred))


def _place(one: Observed) -> Place:
    return one.silo, one.document, one.start, one.end


def numbers_in(run_log: CopilotLog, event: ToolObserved) -> tuple[int, ...]:
    """The numbers of what one call brought."""
    numbers = run_log.numbers()
    return tuple(dict.fromkeys(numbers[_place(one)] for one in event.observation.passages))


def _trace(run_log: CopilotLog) -> Iterator[TracedStep]:
    numbers, thoughts = run_log.numbers(), {one.step: one.text for one in run_log.all(Thought)}
    by_step: dict[int, list[TracedCall]] = {step: [] for step in thoughts}
    for call in run_log.calls:
        event = run_log.observed(call.call)
        seen = event.observation if event else None
        by_step.setdefault(call.step, []).append(
            TracedCall(
                call.call,
                call.tool,
                call.arguments,
                call.silo,
                tuple(dict.fromkeys(numbers[_place(one)] for one in seen.passages)) if seen else (),
                seen.said if seen else (),
                seen.problem if seen else "no result was recorded",
                event.seconds if event else 0.0,
            )
        )
    for step, calls in sorted(by_step.items()):
        yield TracedStep(step, thoughts.get(step, ""), tuple(calls))


def build_answer(run_log: CopilotLog) -> CopilotAnswer:
    """The answer as far as the run got. Raises ValueError without a run_started event."""
    started, ended, so_far = run_log.started, run_log.ended, run_log.so_far
    written = run_log.written or so_far
    if started is None:
        raise ValueError("no run_started event: an answer cannot be built")
    claims = written.claims if written else ()
    first = written.bottom_line if written else None
    marked = [
        f"{one.text.rstrip()} [{', '.join(map(str, one.sources))}]"
        for one in ((first,) if first else ()) + claims
    ]
    return CopilotAnswer(
        question=started.request.question,
        answer="\n".join(marked),
        bottom_line=first,
        claims=claims,
        sources=written.sources if written else (),
        not_in=written.not_in if written else (),
        conflicts=written.conflicts if written else (),
        left_out=written.left_out if written else (),
        by_rule=written.by_rule if written else False,
        ended=ended.end if ended else "",
        plan=run_log.plan.parts if run_log.plan else (),
        trace=tuple(_trace(run_log)),
        notices=started.notices,
        warnings=tuple(dict.fromkeys(([SO_FAR] if so_far else []) + run_log.warnings)),
        usage=usage_of(run_log.all(CostIncurred)),
        timings={event.where: event.seconds for event in run_log.all(StageTimed)}
        | {"total": run_log.last_t},
        settings=started.settings,
    )


def answer_json(answer: CopilotAnswer) -> dict[str, Any]:
    """The JSON answer of the outer interface. A source without facts has no such field, as in the
    runs that were saved before there were any.
    """
    import msgspec

    form = msgspec.json.decode(msgspec.json.encode(answer))
    for source in form["sources"]:
        if not source["facts"]:
            del source["facts"]
    return {"schema": SCHEMA, "pipeline": "copilot", **form}


def trace_text(run_log: CopilotLog) -> str:
    """The audit of a run: plan, thoughts, calls, what each brought with its passages, claims and
    what was left out.

    It holds no time and no spending: the same replies and the same tools give the same bytes.
    """
    import msgspec

    answer = build_answer(run_log)
    form = answer_json(answer)
    for name in ("usage", "timings"):
        del form[name]
    for step in form["trace"]:
        for call in step["calls"]:
            del call["seconds"]
    passages = {
        str(n): msgspec.json.decode(msgspec.json.encode(one))
        for n, one in run_log.passages().items()
    }
    return json.dumps({**form, "passages": passages}, ensure_ascii=False, indent=2) + "\n"
