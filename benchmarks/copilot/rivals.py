"""The systems that are compared: how each comes to the passages that a model answers from.

plain    no passage: what the model knows
mixed    RAG over one store of all silos
silos    every silo searched by itself, no agent
agent    the copilot: plan, calls, observations; its claims, and the passages they cite
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from clinfo.errors import ClinfoError
from clinfo.llm.delimiting import fenced
from clinfo.pipelines.copilot.answer import build_answer
from clinfo.pipelines.copilot.records import CopilotLog
from clinfo.pipelines.copilot.request import request_of
from clinfo.pipelines.copilot.stages import COPILOT
from clinfo.records.observations import Observed
from clinfo.retrieval.silos import SiloDocument
from clinfo.retrieval.silos.staged import About, Staged
from clinfo.retrieval.silos.store import StoredSilos
from clinfo.runs.protocols import ChatModel, Message, ModelRequest
from clinfo.runs.replies import Reply, schema_of
from clinfo.settings import Settings

System = Literal["plain", "mixed", "silos", "agent"]
SYSTEMS: Final[tuple[System, ...]] = ("plain", "mixed", "silos", "agent")
TOP: Final = 5
"""Passages of a store that a model is given, of each silo where several are asked."""
LONGEST: Final = 1_500
"""Characters of a passage that are shown."""
LONGEST_REPLY: Final = 400
"""Tokens."""


@dataclass(frozen=True)
class Found:
    """The finds of a system: passages as (silo/document, text), best first, and what the agent
    claimed of them; ``drugs`` are those of the items that it cites for what they support.
    ``problem`` says why it brought nothing.
    """

    passages: tuple[tuple[str, str], ...] = ()
    claims: tuple[str, ...] = ()
    drugs: tuple[str, ...] = ()
    tools: tuple[tuple[int, str], ...] = ()
    """Step and tool of each call."""
    tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    problem: str = ""


@dataclass(frozen=True)
class Told:
    """A reply, with what it cost and took besides what `Found` did."""

    text: str
    found: Found
    tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0


def mixed(silos: Mapping[str, Sequence[SiloDocument]]) -> StoredSilos:
    """One store of the documents of all silos."""
    made = StoredSilos(Staged(None))
    documents = [
        replace(one, silo="mixed", id=f"{one.silo}/{one.id}")
        for own in silos.values()
        for one in own
    ]
    made.staged.stage("mixed", About(), "all", "", documents)
    return made


@dataclass
class Rivals:
    """The systems over the same silos and the same model."""

    settings: Settings
    model: ChatModel
    silos: StoredSilos
    max_steps: int = 8
    judge: str = "none"
    _mixed: StoredSilos | None = field(default=None)

    def find(self, system: System, question: str) -> Found:
        """Return what a system brings on a question."""
        began = time.perf_counter()
        try:
            found = _BY_NAME[system](self, question)
        except ClinfoError as error:
            found = Found(problem=str(error))
        return replace(found, seconds=time.perf_counter() - began)

    def tell(
        self, found: Found, question: str, instruction: str, reply: type[Reply] | None = None
    ) -> Told:
        """The reply to a question with what was found, typed where ``reply`` is given."""
        parts = [f"[{n}] {fenced(text[:LONGEST], 'passage')}" for n, (_, text) in _numbered(found)]
        if found.claims:
            claims = "\n".join(f"- {one}" for one in found.claims)
            parts.append(f"What was concluded from passages:\n{fenced(claims, 'claims')}")
        passages = "\n\n".join(parts)
        content = "\n\n".join(filter(None, (passages, question, instruction)))
        request = ModelRequest(
            "write", (Message("user", content),), schema=schema_of(reply) if reply else None,
            temperature=0.0, max_tokens=LONGEST_REPLY, reply=reply,
        )  # fmt: skip
        began = time.perf_counter()
        try:
            told = asyncio.run(self.model.complete(request))
        except ClinfoError as error:
            return Told("", replace(found, problem=str(error)))
        tokens = told.prompt_tokens + told.completion_tokens
        seconds = time.perf_counter() - began
        return Told(told.text, found, tokens, told.cost_usd or 0.0, seconds)

    def _plain(self, question: str) -> Found:
        return Found()

    def _one_store(self, question: str) -> Found:
        if self._mixed is None:
            names = self.silos.names()
            self._mixed = mixed({name: self.silos.documents(name) for name in names})
        hits = self._mixed.search("mixed", question, top_k=TOP)[:TOP]
        return Found(tuple((hit.document.id, hit.text) for hit in hits))

    def _every(self, question: str) -> Found:
        names = self.silos.names()
        hits = [hit for name in names for hit in self.silos.search(name, question, top_k=TOP)[:TOP]]
        return Found(tuple((f"{hit.document.silo}/{hit.document.id}", hit.text) for hit in hits))

    def _agent(self, question: str) -> Found:
        request = request_of(
            self.settings, question, self.model.name, self.judge, max_steps=self.max_steps
        )
        models = dict.fromkeys(request.models, self.model)
        carrier = COPILOT.assemble(self.settings, request, silos=self.silos, models=models)

        async def every() -> list[Any]:
            return [event async for event in carrier.run(request)]

        events = asyncio.run(every())
        run_log = CopilotLog(events)
        answer = build_answer(run_log)
        said = [*filter(None, (answer.bottom_line, *answer.claims))]
        cited = {n for claim in said for n in claim.sources}
        every_passage = run_log.passages()
        order = sorted(every_passage, key=lambda n: (n not in cited, n))
        passages = [every_passage[n] for n in order][: 2 * TOP]
        usage = answer.usage
        return Found(
            tuple((f"{one.silo}/{one.document}", one.text) for one in passages),
            tuple(claim.text for claim in said),
            _drugs(every_passage[n] for n in sorted(cited)),
            tuple((step.step, call.tool) for step in answer.trace for call in step.calls),
            usage.prompt_tokens + usage.completion_tokens,
            usage.cost_usd or 0.0,
            problem=getattr(events[-1], "problem", ""),
        )


def _drugs(cited: Iterable[Observed]) -> tuple[str, ...]:
    """The drugs of items that support what they are about."""
    own = (one.facts.get("drugs", "") for one in cited if one.facts.get("direction") == "Supports")
    split = (re.split(r"; | \+ |, then | or ", each) for each in own if each)
    return tuple(sorted({name for each in split for name in each}))


def _numbered(found: Found) -> list[tuple[int, tuple[str, str]]]:
    return list(enumerate(found.passages, 1))


_BY_NAME: Final[Mapping[System, Callable[[Rivals, str], Found]]] = {
    "plain": Rivals._plain,
    "mixed": Rivals._one_store,
    "silos": Rivals._every,
    "agent": Rivals._agent,
}


def systems_named(text: str) -> tuple[System, ...]:
    """The systems of a list with commas. Raises ValueError."""
    wanted = [one.strip() for one in text.split(",") if one.strip()]
    found = tuple(one for one in SYSTEMS if one in wanted)
    if unknown := set(wanted) - set(SYSTEMS):
        raise ValueError(f"no system {', '.join(sorted(unknown))}; there are {', '.join(SYSTEMS)}")
    return found
