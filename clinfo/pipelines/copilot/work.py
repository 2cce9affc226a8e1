"""One run of the copilot: tools called step by step, an answer of checked claims.

    case ─► (plan) ─► tool ─► observation ─► … ─► claims ─► judged against what was observed

Without a language model, and where one calls nothing, every silo is searched by words and fields.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from clinfo.claims.judging import Judges
from clinfo.claims.registry import learned_judge
from clinfo.extractive.model import NOTICE as BY_RULE
from clinfo.patients.access import Kind as Where
from clinfo.patients.access import allowed, require_allowed
from clinfo.pipelines import tools as tool_files
from clinfo.pipelines.copilot import shown, writing
from clinfo.pipelines.copilot.agent import Agent, Calls
from clinfo.pipelines.copilot.evidence_items import Fields
from clinfo.pipelines.copilot.records import CopilotLog, CopilotRequest, PlanMade, Planned
from clinfo.pipelines.copilot.stages import ACT, JUDGE, NOBODY, PLAN, WRITE, Answer, Plan
from clinfo.pipelines.tools import Host, OpenTool
from clinfo.privacy.phi_guard import refuse_texts
from clinfo.records.request import EXTRACTIVE
from clinfo.retrieval.silos.store import open_silos_of
from clinfo.runs import engine
from clinfo.runs.engine import Opened
from clinfo.runs.protocols import Message
from clinfo.runs.replies import Typed, typed
from clinfo.runs.reply_types import Kind
from clinfo.text.wording import one_line

if TYPE_CHECKING:
    from clinfo.claims.learned import EntailmentJudge
    from clinfo.retrieval.silos.store import StoredSilos
    from clinfo.settings import Settings

LIST_ONLY: Final = (
    "Passages found by words and fields, quoted by source. No language model read them and nobody "
    "judged whether they answer the question; this is no plan of treatment."
)
MOST_HELD: Final = 60_000
"""Characters of passages that a model reads in full at once, about 15,000 tokens."""
SHORT_TOKEN: Final = 3
"""Characters that a token has at least, in the mean of a text."""
FULL: Final = 0.5
"""The share of a model's window that passages may fill; the rest is for all else."""
UNREAD: Final = "The model's answer could not be read or came too late: what was found is quoted."
NO_TIME: Final = "No time was left to check the answer."
FALLEN_LINE: Final = "The model's bottom line did not hold up: see what was left out."
ENDED: Final = {
    "steps": "The search ended after {steps} rounds, the most allowed (--max-steps).",
    "time": "The search ended when the time was used up (--max-seconds).",
    "tokens": "The search ended when the tokens were used up (--max-tokens).",
    "repeats": "The search ended because the model kept asking the same.",
    "failures": "The search ended after three rounds without a result.",
}


@dataclass(frozen=True)
class Copilot:
    """The pipeline with what its runs need. ``missing`` says of tools why they cannot be had,
    ``silos`` title, licence, date, version of those that tools search.
    """

    tools: Mapping[str, OpenTool]
    missing: Mapping[str, str]
    silos: Mapping[str, Mapping[str, Any]]
    learned: EntailmentJudge | None


_TOLD: Final = ("kind", "silo", "top_k", "sparse_k")
"""Lines of tools that the settings of an answer state."""
MOST_WORDS: Final = 2_000
MOST_PARTS: Final = 6


def of_patients(settings: Settings, request: CopilotRequest) -> bool:
    """Return whether a model may read of a patient: of a case."""
    return bool(request.case)


def parts(
    opened: Opened,
    request: CopilotRequest,
    *,
    silos: StoredSilos | None = None,
    tools: Mapping[str, OpenTool] | None = None,
) -> Copilot:
    """The parts that runs of a request need; ``silos`` and ``tools`` take the place of those of the
    settings. Nothing of a run with a case goes into a cache. Raises UsageError, and before anything
    is sent NotForPatients where a case would go to what may not see one, IdentifiersFound where a
    question without one seems to identify a patient and would leave this machine.
    """
    settings, patients = opened.settings, of_patients(opened.settings, request)
    searched: tuple[tuple[Where, str | None], ...] = (
        ("embedder", settings.embedder),
        ("index", settings.qdrant_url),
    )
    through = [(kind, name) for kind, name in searched if name]
    every = tool_files.declared(settings)
    if patients:
        for kind, name in through:
            require_allowed(kind, name, settings)
    leaves = not all(allowed(kind, name, settings) for kind, name in through)
    if not patients and not request.allow_identifiers and (leaves or opened.remote):
        refuse_texts({"question": request.question})
    missing: Mapping[str, str] = {}
    if tools is None:
        silos = silos if silos is not None else open_silos_of(settings)
        model = opened.models["write"] if request.models["write"] != EXTRACTIVE else EXTRACTIVE
        host = Host(settings, silos, model, opened.budget, request.max_cost, patients)
        tools, missing = tool_files.opened(every, host, request.tools)
    return Copilot(
        tools,
        missing,
        {} if silos is None else _about(silos, tools),
        None if request.judge == NOBODY else learned_judge(settings, request.judge),
    )


def _about(silos: StoredSilos, tools: Mapping[str, OpenTool]) -> dict[str, Mapping[str, Any]]:
    used = {silo for one in tools.values() for silo in (one.declared.silo, *one.silos)}
    return {name: dict(silos.about(name)) for name in silos.names() if name in used}


def fields_of(request: CopilotRequest) -> Fields:
    """The fields by which evidence is selected."""
    return Fields(**{name: getattr(request, name) for name in Fields.__dataclass_fields__})


def searches(request: CopilotRequest, tools: Mapping[str, OpenTool]) -> Calls:
    """A call of each tool, of the search one for each silo that no other call asks; of those that
    carry out runs of their own only where they are named.
    """
    fields = fields_of(request)
    own = [request.gene, request.variant, request.disease, request.drug]
    words = " ".join(" ".join((request.question, *own, request.case)).split())[:MOST_WORDS]
    by_own = {"words", "fields"} if fields else {"words"}
    asked = {one.declared.silo for one in tools.values() if one.kind.asked in by_own}
    calls: list[tuple[str, Mapping[str, Any]]] = []
    for name, tool in tools.items():
        match tool.kind.asked:
            case "fields" if fields:
                calls.append((name, {key: value for key, value in vars(fields).items() if value}))
            case "silos":
                own_silos = (silo for silo in tool.silos if silo not in asked)
                calls += [(name, {"silo": silo, "query": words}) for silo in own_silos]
            case "words" if not tool.kind.runs or name in request.tools:
                calls.append((name, {next(iter(tool.kind.arguments.model_fields)): words}))
    return calls


def items(text: str) -> list[str]:
    """The lines of a text that begin with a dash, each with the lines below it."""
    found: list[str] = []
    for line in text.splitlines():
        if line.startswith("- "):
            found.append(line[2:].strip())
        elif found and line.strip():
            found[-1] += f" {line.strip()}"
    return found


def parts_of(plan: Plan | None, tools: Mapping[str, Any]) -> tuple[Planned, ...]:
    """The plan of a reply; tools that there are not are left out of it."""
    return tuple(
        Planned(one_line(one.question)[:1_000], tuple(name for name in one.tools if name in tools))
        for one in (plan.parts if plan is not None else ())[:MOST_PARTS]
        if one.question.strip()
    )


async def work(run: engine.Run[CopilotRequest, CopilotLog, Copilot]) -> None:
    """Carry out one run."""
    await Work(run).answer()


class Work:
    """One run: from the request, or from where the record of it ends, to the answer."""

    def __init__(self, run: engine.Run[CopilotRequest, CopilotLog, Copilot]) -> None:
        self.run, self.copilot, self.request = run, run.parts, run.request
        self.run_log, self.tools = run.run_log, run.parts.tools
        self.question, self.asked = run.request.question, list[str]()
        if run.request.case_report:
            text = run.prompts["case_report"].fill(question=run.request.question)[-1].content
            self.question, self.asked = text, items(text)
        self.alone = not run.asks(WRITE.name)

    async def answer(self) -> None:
        """Carry out the run to its answer."""
        self._start()
        if self.run_log.ended is None:
            if self._plans() and self.run_log.plan is None:
                await self.run.timed("plan", self._plan())
            await self.run.timed("act", self._look_up())
        ended = self.run_log.ended
        if ended is not None and ended.end in ENDED:
            self.run.warn("ended", ENDED[ended.end].format(steps=ended.steps), "act")
        if self.run_log.written is None:
            await self.run.timed("write", self._write())

    def _start(self) -> None:
        request = self.request
        self.run.start(
            # `LIST_ONLY` says it of the answer, where it is so
            (note for note in self.run.noted(request.models) if note != BY_RULE),
            judge=request.judge,
            fields={name: value for name, value in vars(fields_of(request)).items() if value},
            tools={
                name: {line: getattr(one.declared, line) for line in _TOLD}
                for name, one in self.tools.items()
            },
            tools_missing=dict(self.copilot.missing),
            silos={name: dict(about) for name, about in self.copilot.silos.items()},
            max_steps=request.max_steps,
            case_report=request.case_report,
            temperature=WRITE.temperature,
            seed=request.seed,
        )
        if not self.tools:
            why = "; ".join(dict.fromkeys(self.copilot.missing.values()))
            self.run.warn("tools", f"No tool can be called: {why or 'none is declared'}", "act")

    def _plans(self) -> bool:
        """Return whether a plan is asked for: of a model without tool calling."""
        by_model = not self.alone and self.run.asks(PLAN.name)
        return by_model and not getattr(self.run.models[ACT.name], "calls_tools", True)

    async def _plan(self) -> None:
        request = PLAN.request(
            self._messages("plan", tools=shown.tools(self.tools)),
            {"question": self.question},
        )
        said = await self._in_time(typed(self.run.ask, "plan", request, Plan, again=False))
        parts = parts_of(said.value if said else None, self.tools)
        if not parts:
            self.run.warn("plan", "The model's plan could not be read.", "plan")
        self.run.emit(PlanMade(parts=parts))

    def _parts(self) -> tuple[Planned, ...]:
        """The parts of the question: of the plan, else of a case report."""
        plan = self.run_log.plan
        return plan.parts if plan and plan.parts else tuple(map(Planned, self.asked))

    async def _look_up(self) -> None:
        await Agent(
            self.run.recorder,
            self.request,
            self.question,
            self.run.prompts["act"],
            self.tools,
            searches(self.request, self.tools),
            self.alone or not self.run.asks(ACT.name),
            self._room(ACT.name),
        ).look_up()

    def _room(self, stage: str) -> int:
        """Characters of passages that the model of a stage reads at once."""
        if not self.run.asks(stage):
            return MOST_HELD
        return min(MOST_HELD, int(FULL * self.run.window(stage)) * SHORT_TOKEN)

    async def _write(self) -> None:
        """Ask for a bottom line and claims, once more where they cannot be read, and judge them;
        quotations where there are none.
        """
        reply = None if self.alone else await self._written()
        if reply is None:
            if not self.alone:
                self.run.warn("write", UNREAD, "write")
            self.run.warn("by rule", LIST_ONLY, "write")
        for key, told in shown.of_silos(
            self.copilot.silos, self.run_log, self.run.opened.clock.now().date()
        ):
            self.run.warn(key, told, "write")
        if reply is None:
            self.run.emit(writing.quoted(self.run_log))
            return
        judges, left = None, self.run.deadline.left
        if left is not None and left < 1:
            self.run.warn("judge", NO_TIME, "write")
        elif self.request.judge != NOBODY:
            ask = self.run.ask if JUDGE.name in self.request.models else None
            judges = Judges(
                self.request.judge, self.run.prompts["verify"], ask, self.copilot.learned
            )
        models = self.request.models
        own = models.get(JUDGE.name) == models[WRITE.name]
        written = await writing.judged(reply, self.run_log, judges, own)
        if reply.bottom_line and written.bottom_line is None and written.claims:
            self.run.warn("bottom line", FALLEN_LINE, "write")
        self.run.emit(written)

    async def _written(self) -> Answer | None:
        """The reply, None where none could be read."""
        every = self.run_log.passages()
        if not every:
            return Answer(claims=())
        text, left = shown.passages(every, self._room(WRITE.name))
        if left:
            told = (
                f"{len(left)} of {len(every)} passages did not fit into the prompt of the answer."
            )
            self.run.warn("passages", told, "write")
        messages = self._messages(
            "write",
            parts=shown.parts(self._parts()),
            passages=text,
            asked=shown.asked(self.run_log.calls, self.run_log),
        )
        request = WRITE.request(messages, {"question": self.question})
        said = await self._in_time(typed(self.run.ask, "write", request, Answer))
        return said.value if said else None

    def _messages(self, name: str, **values: str) -> tuple[Message, ...]:
        case = shown.case(self.request.case)
        found: tuple[Message, ...] = self.run.prompts[name].fill(
            question=self.question, case=case, **values
        )
        return found

    async def _in_time(self, work: Awaitable[Typed[Kind]]) -> Typed[Kind] | None:
        """The reply, None where it did not come within the run's time."""
        try:
            async with asyncio.timeout(self.run.deadline.left):
                return await work
        except TimeoutError:
            return None
