"""The published retrieve-then-read: a model says yes or no of each patient that was retrieved.

A patient's chunks are shared out over at most three calls (section 4.1 of the paper); one yes makes
a member.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clinfo.errors import ModelError
from clinfo.llm.delimiting import fenced
from clinfo.llm.prompts import PromptSet
from clinfo.llm.schemas import TEXT, closed
from clinfo.patients.access import require_allowed
from clinfo.pipelines.cohort.retriever import Candidate, Chunk
from clinfo.pipelines.models import chat_model, priced
from clinfo.runs.clock import SystemClock
from clinfo.runs.events import CostIncurred
from clinfo.runs.protocols import ChatModel, Message, ModelRequest
from clinfo.runs.recorder import Recorder
from clinfo.runs.run_log import RunLog
from clinfo.runs.spending import MemoryBudget
from clinfo.runs.usage import usage_of
from clinfo.settings import Settings
from clinfo.text.structured import json_object

STAGE: Final = "read"
CALLS = 3
"""Most calls for one patient and query."""
SHOWN = 24_000
"""Characters of chunks that one call shows; chunks that three calls do not hold are left out."""
FORMAT: Final = (
    "Reply with one JSON object and nothing else:\n"
    '{"match": true | false, "note": number, "quote": "…"}'
)
SCHEMA: Final = closed(match={"type": "boolean"}, note={"type": "integer"}, quote=TEXT)
PROMPTS = PromptSet("cohort", {STAGE: ("criteria", "notes")})


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the model said of a patient: True, False, or None where no reply could be read; with the
    chunk quoted and the place of the quotation in its note, where the quotation stands there.
    """

    match: bool | None
    chunk: Chunk | None = None
    start: int = 0
    end: int = 0


class Reader:
    """A model that reads patients' chunks within a budget of ``max_cost`` US dollars.

    Raises NotForPatients where the model may not see records, before anything is shown to it;
    UsageError where it cannot be asked or its price is needed and unknown.
    """

    def __init__(
        self, settings: Settings, name: str, max_cost: float | None = None, seed: int = 0
    ) -> None:
        require_allowed("model", name, settings)
        model: ChatModel = chat_model(settings, name, None)
        if max_cost is not None:
            priced({STAGE: model})
        self._log = RunLog()
        self._recorder: Recorder[RunLog] = Recorder(
            {STAGE: model}, MemoryBudget(max_cost), SystemClock(), seed, self._log, lambda _: None
        )
        self.prompt = PROMPTS.parse(STAGE, PROMPTS.defaults()[STAGE])
        self.settings = {"model": name, "prompts": {STAGE: self.prompt.sha256}}

    @property
    def usage(self) -> Any:
        """What the calls so far took."""
        return usage_of(self._log.all(CostIncurred))

    def read(self, criteria: str, candidates: Sequence[Candidate]) -> list[Verdict]:
        """The verdict on each patient. Raises BudgetReached, and ModelError where no reply came for
        any patient.
        """

        async def every() -> list[Verdict | BaseException]:
            tasks = (self._patient(criteria, one) for one in candidates)
            return await asyncio.gather(*tasks, return_exceptions=True)

        said = asyncio.run(every())
        failed = [one for one in said if isinstance(one, BaseException)]
        for error in failed:
            if not isinstance(error, ModelError) or len(failed) == len(said):
                raise error
        return [one if isinstance(one, Verdict) else Verdict(None) for one in said]

    async def _patient(self, criteria: str, candidate: Candidate) -> Verdict:
        said = Verdict(None)
        for number, chunks in enumerate(shared_out(candidate.chunks)):
            verdict = await self._asked(
                f"{criteria} {candidate.patient} {number}", criteria, chunks
            )
            if verdict.match:
                return verdict
            if verdict.match is not None:
                said = verdict
        return said

    async def _asked(self, call: str, criteria: str, chunks: Sequence[Chunk]) -> Verdict:
        shown = "\n\n".join(
            fenced(f"[{number}] {chunk.date[:10] or 'undated'}\n{chunk.text}", "note", by_line=True)
            for number, chunk in enumerate(chunks, 1)
        )
        (*before, last) = self.prompt.fill(criteria=criteria, notes=shown)
        messages = (*before, Message("user", f"{last.content}\n\n{FORMAT}"))
        request = ModelRequest(STAGE, messages, schema=SCHEMA, temperature=0.0, max_tokens=300)
        form = json_object((await self._recorder.ask(call, request)).text) or {}
        match = form.get("match")
        if not isinstance(match, bool):
            return Verdict(None)
        number, quote = form.get("note"), form.get("quote")
        if isinstance(number, int) and 1 <= number <= len(chunks) and isinstance(quote, str):
            chunk = chunks[number - 1]
            pattern = r"\s+".join(map(re.escape, quote[:2_000].split()))
            if pattern and (place := re.search(pattern, chunk.text, re.IGNORECASE)):
                return Verdict(match, chunk, chunk.start + place.start(), chunk.start + place.end())
        return Verdict(match)


def shared_out(chunks: Sequence[Chunk]) -> Iterator[tuple[Chunk, ...]]:
    """The chunks of a patient for each call, in their order; all calls hold about as many."""
    per_call = max(1, SHOWN // max((len(chunk.text) for chunk in chunks), default=1))
    calls = min(CALLS, math.ceil(len(chunks) / per_call))
    for number in range(calls):
        yield tuple(chunks[number::calls][:per_call])
