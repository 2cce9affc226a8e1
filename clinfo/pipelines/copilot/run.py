"""One run of the copilot: a plan, tools called step by step, an answer of checked claims.

case ─► plan ─► tool ─► observation ─► … ─► claims ─► judged against what was observed
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from typing import TYPE_CHECKING, Any, Final

from clinfo import __version__
from clinfo.claims.judging import Judges
from clinfo.errors import BudgetReached, ModelError
from clinfo.extractive.model import NOTICE as BY_RULE
from clinfo.pipelines.copilot import planning, shown, writing
from clinfo.pipelines.copilot.agent import Agent
from clinfo.pipelines.copilot.declared import ACT, JUDGE, PLAN, WRITE, Planning, Writing
from clinfo.pipelines.copilot.events import FoundSoFar, PlanMade, RunStarted
from clinfo.pipelines.copilot.run_log import CopilotLog, answer_json, build_answer
from clinfo.pipelines.copilot.silo_warnings import of_silos
from clinfo.pipelines.models import noted
from clinfo.records.copilot import CopilotRequest, Planned
from clinfo.records.request import EXTRACTIVE
from clinfo.runs.deadline import Deadline
from clinfo.runs.events import Answered
from clinfo.runs.protocols import Message, ModelReply
from clinfo.runs.recorder import Recorder
from clinfo.text.structured import json_object

if TYPE_CHECKING:
    from clinfo.pipelines.copilot.assemble import Copilot

TEMPERATURE: Final = 0.0
MOST_PASSAGES: Final = 60_000
"""Characters of passages that the answer is written from, about 15,000 tokens."""
LIST_ONLY: Final = (
    "No language model read the sources: this is a list of evidence by silo, not a plan of "
    "treatment."
)
ENDED: Final = {
    "steps": "Looking up ended after {steps} rounds of calls, the most allowed (--max-steps).",
    "time": "Looking up ended because the time of the run was used up (--max-seconds).",
    "tokens": "Looking up ended because the tokens of the run were used up.",
    "repeats": "Looking up ended because the model asked the same again and again.",
    "failures": "Looking up ended because three rounds in a row brought nothing but problems.",
}


class Run:
    """One run: from the request, or from where the record of it ends, to the answer."""

    def __init__(
        self, copilot: Copilot, request: CopilotRequest, recorder: Recorder[CopilotLog]
    ) -> None:
        self.copilot = copilot
        self.request = request
        self.recorder = recorder
        self.run_log = recorder.run_log
        self.question = request.question
        self.asked = [request.question]
        if request.case_report:
            text = copilot.prompts["case_report"].fill(question=request.question)[-1].content
            self.question = text
            self.asked = planning.items(text) or self.asked
        self._planned = planning.ByRule(copilot, request.case)
        self._deadline = Deadline(request.max_seconds, recorder)

    async def answer(self) -> None:
        """Carry out the run to its answer. Where money is used up or a model fails, what was found
        is recorded before the error is raised.
        """
        self._start()
        try:
            await self._carried_out()
        except (BudgetReached, ModelError):
            if self.run_log.passages() or self.run_log.calls:
                await self._found_so_far()
            raise

    async def _carried_out(self) -> None:
        if self.run_log.plan is None:
            await self.recorder.timed("plan", self._plan())
        if self.run_log.ended is None:
            await self.recorder.timed("act", self._look_up())
        ended = self.run_log.ended
        if ended is not None and ended.end in ENDED:
            self.recorder.warn("ended", ENDED[ended.end].format(steps=ended.steps), "act")
        if self.run_log.written is None:
            await self.recorder.timed("write", self._write())
        self.recorder.emit(Answered(answer=answer_json(build_answer(self.run_log))))

    def _by_rule(self, stage: str) -> bool:
        return self.copilot.models[stage].name == EXTRACTIVE

    def _start(self) -> None:
        request, copilot = self.request, self.copilot
        settings: dict[str, Any] = {
            "version": __version__,
            "pipeline": "copilot",
            "models": {stage: copilot.models[stage].name for stage in request.models},
            "judge": request.judge,
            "tools": {
                name: {
                    "kind": one.declared.kind,
                    "silo": one.declared.silo,
                    "top_k": one.declared.top_k,
                    "sparse_k": one.declared.sparse_k,
                }
                for name, one in copilot.tools.items()
            },
            "tools_missing": dict(copilot.missing),
            "silos": {name: dict(about) for name, about in copilot.silos.items()},
            "max_steps": request.max_steps,
            "case_report": request.case_report,
            "temperature": TEMPERATURE,
            "seed": request.seed,
            "prompts": {name: prompt.sha256 for name, prompt in sorted(copilot.prompts.items())},
            "prompts_edited": sorted(request.prompts),
        }
        self.recorder.emit(
            RunStarted(
                request=request,
                settings=settings,
                notices=tuple(
                    note
                    for note in noted(copilot.models, request.models, request.prompts)
                    if note != BY_RULE  # `LIST_ONLY` says it of the answer, where it is so
                ),
                started_at=copilot.clock.now().isoformat(timespec="seconds"),
            )
        )
        if not copilot.tools:
            why = "; ".join(dict.fromkeys(copilot.missing.values()))
            self.recorder.warn(
                "tools", f"No tool can be called: {why or 'none is declared'}", "act"
            )

    def _routed(self) -> tuple[Planned, ...]:
        """The plan by rule, with what is to be said of it."""
        found = list[Planned]()
        for question in self.asked:
            part, said = self._planned.part(question)
            found.append(part)
            if not part.tools and not said and self._by_rule(PLAN.name):
                told = f"“{question[:80]}” seems to be a question for no silo here: none was asked."
                self.recorder.warn(f"route {question[:80]}", told, "plan")
            for told in said:
                self.recorder.warn(f"route {told[:60]}", told, "plan")
        return tuple(found)

    async def _plan(self) -> None:
        routed = await asyncio.to_thread(self._routed)
        request = PLAN.request(
            self._messages("plan", planning.FORMAT, tools=shown.tools(self.copilot.tools)),
            Planning(question=self.question, routed=routed),
            schema=planning.SCHEMA,
            temperature=TEMPERATURE,
        )
        reply = await self._in_time(self.recorder.ask("plan", request))
        parts = planning.parts_of(json_object(reply.text) if reply else None, self.copilot.tools)
        if not parts:
            self.recorder.warn(
                "plan", "The model's plan could not be read: planned by rule.", "plan"
            )
        self.recorder.emit(PlanMade(parts=parts or routed))

    async def _look_up(self) -> None:
        model = self.copilot.models[ACT.name]
        parts = self.run_log.plan.parts if self.run_log.plan else ()
        instead: tuple[str, ...] = ()
        if self._by_rule(ACT.name):
            instead = await asyncio.to_thread(self._planned.instead, parts)
        case = self.request.case
        first = parts[0].question if parts else self.question
        agent = Agent(
            self.recorder,
            self.request,
            self.question,
            self.copilot.prompts["act"],
            self.copilot.tools,
            planning.calls(parts, self.copilot, case),
            self._by_rule(ACT.name),
            model.context_tokens,
            planning.calls([Planned(first, instead)], self.copilot, case),
        )
        await agent.look_up()

    async def _found_so_far(self) -> None:
        self._tell_caveats()
        found = await writing.judged(self._quoted(), self.run_log, Judges("none"), True, False)
        self.recorder.emit(FoundSoFar(**vars(found), after=len(self.run_log)))

    def _quoted(self) -> Mapping[str, Any]:
        """The form of an answer that only quotes."""
        quoted = writing.quoted(self.run_log)
        return {"claims": [{"text": text, "sources": n, "part": ""} for text, n in quoted]}

    async def _write(self) -> None:
        """Ask for claims, once more where they cannot be read, and judge them; quotations where
        there are none.
        """
        quoted, by_rule = writing.quoted(self.run_log), self._by_rule(WRITE.name)
        form = await self._written(quoted)
        if form is None:
            self.recorder.warn(
                "write", "The model's answer could not be read or came too late: quoted instead.",
                "write",
            )  # fmt: skip
            form, by_rule = self._quoted(), True
        self._tell_caveats()
        if by_rule:
            self.recorder.warn("by rule", LIST_ONLY, "write")
        copilot = self.copilot
        day = copilot.clock.now().date()
        for key, told in of_silos(copilot.silos, self.run_log, day):
            self.recorder.warn(key, told, "write")
        judges = Judges(
            "none" if by_rule else self.request.judge,
            self.copilot.prompts["verify"],
            self.recorder.ask if JUDGE.name in self.request.models else None,
            self.copilot.learned,
        )
        left = self._deadline.left
        if left is not None and left < 1 and judges.any:
            told = "There was no time left to have claims judged by a model."
            self.recorder.warn("judge", told, "write")
            judges = Judges("none")
        models = self.request.models
        own = models.get(JUDGE.name) == models[WRITE.name]
        self.recorder.emit(await writing.judged(form, self.run_log, judges, by_rule, own))

    def _tell_caveats(self) -> None:
        for call in self.run_log.calls:
            event = self.run_log.observed(call.call)
            for told in event.observation.caveats if event is not None else ():
                self.recorder.warn(f"caveat {told[:80]}", told, "act")

    async def _written(
        self, quoted: tuple[tuple[str, tuple[int, ...]], ...]
    ) -> Mapping[str, Any] | None:
        """The form of the reply, None where none could be read."""
        every = self.run_log.passages()
        if not every:
            return {"claims": []}
        text, left = shown.passages(every, MOST_PASSAGES)
        if left:
            told = (
                f"{len(left)} of {len(every)} passages did not fit into the prompt of the answer."
            )
            self.recorder.warn("passages", told, "write")
        plan = self.run_log.plan
        messages = self._messages(
            "write",
            writing.FORMAT,
            parts=shown.parts(plan.parts if plan else ()),
            passages=text,
            asked=shown.asked(self.run_log.calls, self.run_log),
        )
        variables = Writing(question=self.question, quoted=quoted)
        for attempt, call in enumerate(("write", "write again")):
            request = WRITE.request(
                messages, variables, schema=writing.SCHEMA, temperature=TEMPERATURE, attempt=attempt
            )
            reply = await self._in_time(self.recorder.ask(call, request))
            if reply is None:
                return None
            form = json_object(reply.text)
            if form is not None and isinstance(form.get("claims"), list):
                return form
        return None

    def _messages(self, name: str, form: str, **values: str) -> tuple[Message, ...]:
        (*before, last) = self.copilot.prompts[name].fill(
            question=self.question, case=shown.case(self.request.case), **values
        )
        return (*before, Message("user", f"{last.content}\n\n{form}"))

    async def _in_time(self, work: Awaitable[ModelReply]) -> ModelReply | None:
        """The reply, None where it did not come within the run's time."""
        try:
            async with asyncio.timeout(self._deadline.left):
                return await work
        except TimeoutError:
            return None
