"""The agent: reason, act, observe, step by step, within its budgets.

The conversation of each step is made of the record alone, so that a run that goes on asks exactly
what it would have asked, and nothing a second time.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from clinfo.errors import ClinfoError
from clinfo.llm.prompts import Prompt
from clinfo.llm.tool_calls import Said, known, read
from clinfo.pipelines.copilot import shown
from clinfo.pipelines.copilot.records import (
    EVENTS,
    CopilotLog,
    CopilotRequest,
    End,
    LookingUpEnded,
    Thought,
    ToolCalled,
    ToolObserved,
    ToolProgressed,
)
from clinfo.pipelines.copilot.stages import ACT
from clinfo.pipelines.tools import OpenTool, Progress
from clinfo.records.observations import Observation
from clinfo.runs.engine import internal
from clinfo.runs.events import CostIncurred, Event, to_json
from clinfo.runs.protocols import Message, ToolCall
from clinfo.runs.recorder import Deadline, Recorder
from clinfo.runs.tasks import all_of

MOST_CALLS: Final = 8
"""Calls of one step that are carried out; as many as there are searches, if these are more."""
MOST_FAILED: Final = 3
"""Steps in a row of which no call could be carried out, after which looking up ends."""
LOOKING: Final = 0.7
"""The share of a run's time that looking up may take; the rest is for the answer."""
AGAIN: Final = "This was asked already; the result stands above"
CALLED_NOTHING: Final = (
    "No call of the model brought anything: every silo was searched by the words of the question."
)
Calls = Sequence[tuple[str, Mapping[str, Any]]]
"""Names of tools, each with arguments."""


@dataclass(frozen=True)
class Agent:
    """An agent with ``tools`` by name. ``searches`` are the calls by the question's words: all
    there is without a language model (``alone``), else what is done where the model calls nothing.
    """

    recorder: Recorder[CopilotLog]
    request: CopilotRequest
    question: str
    prompt: Prompt
    tools: Mapping[str, OpenTool]
    searches: Calls
    alone: bool = False
    room: int = 0
    """Characters of results that are shown in full at a step, the newest first."""

    async def look_up(self) -> None:
        """Go from step to step until the agent has enough or a budget is used up."""
        log, step = self.recorder.run_log, 1
        while log.ended is None:
            end: End = self._used_up(step) or await self._step(step) or self._astray(step)
            if end:
                steps = len({call.step for call in log.calls})
                self.recorder.emit(LookingUpEnded(end=end, steps=steps))
            step += 1

    @property
    def _left(self) -> float | None:
        """Seconds left to look things up; None without a deadline."""
        most = self.request.max_seconds
        looking = None if most is None else LOOKING * most
        return Deadline(looking, self.recorder).left

    def _used_up(self, step: int) -> End:
        """The budget that does not allow a step, "" where all do."""
        log, most = self.recorder.run_log, self.request.max_tokens
        if f"thought {step}" in log:  # it was begun
            return ""
        if step > self.request.max_steps:
            return "steps"
        if self._left == 0:
            return "time"
        return "tokens" if most is not None and log.tokens >= most else ""

    async def _step(self, step: int) -> End:
        """One round: a thought, the calls it leads to, all at the same time, what they bring."""
        log = self.recorder.run_log
        try:
            async with asyncio.timeout(self._left):
                said = await self._said(step)
        except TimeoutError:
            return "time"
        self.recorder.emit(Thought(step=step, text=said.text))
        most = max(MOST_CALLS, len(self.searches))
        for place, (name, written) in enumerate(said.calls[:most], 1):
            name = known(name, self.tools) or name
            tool = self.tools.get(name)
            arguments = _arguments(tool, written)
            silo = tool.silo_of(arguments) if tool else ""
            call = f"{step}.{place}"
            self.recorder.emit(
                ToolCalled(call=call, step=step, tool=name[:60], arguments=arguments, silo=silo)
            )
        if more := said.calls[most:]:
            told = f"{len(more)} calls of step {step} were not made: at most {most} a step."
            self.recorder.warn(f"calls {step}", told, "act")
        calls = [call for call in log.calls if call.step == step]
        await all_of(
            self._observed(call, given)
            for call, (_, given) in zip(calls, said.calls, strict=False)
            if log.observed(call.call) is None
        )
        return "" if calls else "done"

    async def _said(self, step: int) -> Said:
        """The reply of the model, asked once more in words where it calls nothing before a call has
        brought anything; then with a search of every silo, as an answer without sources is none.
        """
        searches = Said("", tuple((name, _written(given)) for name, given in self.searches))
        if self.alone:
            return searches if step == 1 else Said("")
        request = replace(
            ACT.request(self._conversation(step), {"question": self.question}),
            tools=tuple(one.offered() for one in self.tools.values()),
        )
        said = read((await self.recorder.ask(f"act {step}", request)).text, self.tools)
        if not said.calls and self.tools and not self._brought(step):
            again = replace(request, attempt=1)
            said = read((await self.recorder.ask(f"act {step} again", again)).text, self.tools)
            if not said.calls and searches.calls:
                self.recorder.warn("called", CALLED_NOTHING, "act")
                said = replace(said, calls=searches.calls)
        return said

    def _brought(self, step: int) -> bool:
        """Return whether a call before a step was carried out."""
        log = self.recorder.run_log
        seen = (log.observed(call.call) for call in log.calls if call.step < step)
        return any(event is not None and not event.observation.problem for event in seen)

    def _conversation(self, step: int) -> tuple[Message, ...]:
        log, thoughts = self.recorder.run_log, self.recorder.run_log.all(Thought)
        results = self._results(step)
        messages = list(
            self.prompt.fill(
                question=self.question,
                case=shown.case(self.request.case),
                plan=shown.parts(log.plan.parts if log.plan else ()),
                steps=str(self.request.max_steps),
            )
        )
        for thought in sorted(thoughts, key=lambda one: one.step):
            if thought.step >= step:
                break
            calls = [call for call in log.calls if call.step == thought.step]
            asked = tuple(
                ToolCall(f"call_{one.call.replace('.', '_')}", one.tool, _written(one.arguments))
                for one in calls
            )
            messages.append(Message("assistant", thought.text, asked))
            messages += [
                Message("tool", results[one.call], call_id=call.id)
                for one, call in zip(calls, asked, strict=True)
            ]
        return tuple(messages)

    def _results(self, step: int) -> dict[str, str]:
        """The results of the calls before a step, in words, by call: the newest in full, as far as
        there is room, the older ones by title.
        """
        log, left, found = self.recorder.run_log, self.room, dict[str, str]()
        for call in reversed([one for one in log.calls if one.step < step]):
            text = shown.result(log, call)
            left -= len(text)
            found[call.call] = text if left >= 0 else shown.brief(log, call)
        return found

    async def _observed(self, call: ToolCalled, written: str) -> None:
        """Carry out one call and record what it brings, whatever happens."""
        began = self.recorder.elapsed
        observation = await self._result(call, written)
        seconds = round(self.recorder.elapsed - began, 6)
        self.recorder.emit(ToolObserved(call=call.call, observation=observation, seconds=seconds))

    async def _result(self, call: ToolCalled, written: str) -> Observation:
        tool = self.tools.get(call.tool)
        if tool is None:
            names = ", ".join(self.tools) or "none"
            return Observation(problem=f"there is no such tool; the tools are: {names}")
        try:
            arguments = tool.read(written)
        except ValueError as error:
            return Observation(problem=str(error))
        if (same := self._same(call)) is not None:
            return Observation(problem=f"{AGAIN} (call {same})")
        left, most = self._left, tool.declared.timeout
        seconds = most if left is None else min(most, left)
        try:
            async with asyncio.timeout(seconds):
                return await tool.call(arguments, progress_of(self.recorder, call.call))
        except TimeoutError:
            why = "the time of the run is used up" if seconds < most else "it took too long"
            return Observation(problem=f"no result within {seconds:g} s: {why}")
        except ClinfoError as error:
            return Observation(problem=str(error))
        except Exception as error:  # a fault of one tool must not end the run
            return Observation(problem=str(internal(error)))

    def _same(self, call: ToolCalled) -> str | None:
        """The earlier call that asked the same and has a result."""
        for one in self.recorder.run_log.calls:
            if one.call == call.call:
                return None
            if (one.tool, one.arguments) == (call.tool, call.arguments):
                return one.call
        return None

    def _astray(self, step: int) -> End:
        """Why it makes no sense to go on after a step: the last ones brought nothing but problems,
        of which "asked already" is one.
        """
        log, problems = self.recorder.run_log, list[list[str]]()
        for one in range(max(1, step - MOST_FAILED + 1), step + 1):
            seen = [log.observed(call.call) for call in log.calls if call.step == one]
            told = [event.observation.problem for event in seen if event is not None]
            problems.append(told)
        if len(problems) >= 2 and all(
            told and all(one.startswith(AGAIN) for one in told) for told in problems[-2:]
        ):
            return "repeats"
        failed = len(problems) == MOST_FAILED and all(told and all(told) for told in problems)
        return "failures" if failed else ""


def _arguments(tool: OpenTool | None, written: str) -> dict[str, Any]:
    """The arguments of a call as the record has them; as written where they cannot be read."""
    try:
        return tool.read(written) if tool else {"written": written[:500]}
    except ValueError:
        return {"written": written[:500]}


def _written(arguments: Mapping[str, Any]) -> str:
    return json.dumps(arguments, ensure_ascii=False)


def progress_of(recorder: Recorder[CopilotLog], call: str) -> Progress:
    """The run that a call carries out, in the record of this one: a copilot that is resumed goes on
    in it. An event goes before its cost: a reply that is not recorded would be paid again.
    """

    def count(event: Event | None) -> None:
        if isinstance(event, CostIncurred):
            cost = replace(event, call=f"{call} {event.call}", where="tools", reply="")
            recorder.emit(cost)

    def put(event: Event) -> None:
        recorder.emit(ToolProgressed(call=call, n=event.seq, form=to_json(event)))
        count(event)

    before = [one.form for one in recorder.run_log.all(ToolProgressed) if one.call == call]
    for form in before:  # the run may have been killed before a cost was counted
        count(EVENTS.from_json(dict(form)))
    return Progress(before, put)
