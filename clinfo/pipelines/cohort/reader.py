"""The published retrieve-then-read: a model says yes or no of each patient that was retrieved.

A patient's chunks are shared out over at most three calls (section 4.1 of the paper); one yes makes
a member.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from clinfo.errors import ModelError
from clinfo.llm.delimiting import fenced
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.cohort.events import PatientRead
from clinfo.pipelines.cohort.replies import PatientMatch
from clinfo.pipelines.cohort.retriever import Candidate, Chunk
from clinfo.pipelines.cohort.stages import READ, Shown
from clinfo.runs.recorder import Recorder
from clinfo.runs.replies import typed
from clinfo.text.quotes import locate

CALLS = 3
"""Most calls for one patient and query."""
SHOWN = 24_000
"""Characters of chunks that one call shows; chunks that three calls do not hold are left out."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the model said of a patient: True, False, or None where no reply could be read; with the
    chunk quoted and the place of the quotation in its note, where the quotation stands there.
    """

    match: bool | None
    chunk: Chunk | None = None
    start: int = 0
    end: int = 0


async def read(
    recorder: Recorder[Any], prompt: Prompt, criteria: str, candidates: Sequence[Candidate]
) -> list[Verdict]:
    """The verdicts of the recorder's model on patients. Raises BudgetReached, and ModelError where
    no reply came for any patient.
    """

    counted = count(1)

    async def patient(one: Candidate) -> Verdict:
        said = await _patient(recorder, prompt, criteria, one)
        recorder.emit(
            PatientRead(
                patient=one.patient, match=said.match, done=next(counted), of=len(candidates)
            )
        )
        return said

    said = await asyncio.gather(*map(patient, candidates), return_exceptions=True)
    failed = [one for one in said if isinstance(one, BaseException)]
    for error in failed:
        if not isinstance(error, ModelError) or len(failed) == len(said):
            raise error
    return [one if isinstance(one, Verdict) else Verdict(None) for one in said]


async def _patient(
    recorder: Recorder[Any], prompt: Prompt, criteria: str, candidate: Candidate
) -> Verdict:
    said = Verdict(None)
    for number, chunks in enumerate(shared_out(candidate.chunks)):
        call = f"{criteria} {candidate.patient} {number}"
        verdict = await _asked(recorder, prompt, call, criteria, chunks)
        if verdict.match:
            return verdict
        if verdict.match is not None:
            said = verdict
    return said


async def _asked(
    recorder: Recorder[Any], prompt: Prompt, call: str, criteria: str, chunks: Sequence[Chunk]
) -> Verdict:
    shown = tuple(
        fenced(f"[{number}] {chunk.date[:10] or 'undated'}\n{chunk.text}", "note", by_line=True)
        for number, chunk in enumerate(chunks, 1)
    )
    messages = prompt.fill(criteria=criteria, notes="\n\n".join(shown))
    variables = Shown(criteria=criteria, beside=shown)
    request = READ.request(messages, variables, temperature=0.0)
    said = (await typed(recorder.ask, call, request, PatientMatch, again=False)).value
    if said is None:
        return Verdict(None)
    if said.quote and said.note is not None and 1 <= said.note <= len(chunks):
        chunk = chunks[said.note - 1]
        if place := locate(said.quote, chunk.text):
            return Verdict(said.match, chunk, *(chunk.start + one for one in place))
    return Verdict(said.match)


def shared_out(chunks: Sequence[Chunk]) -> Iterator[tuple[Chunk, ...]]:
    """The chunks of a patient for each call, in their order; all calls hold about as many."""
    per_call = max(1, SHOWN // max((len(chunk.text) for chunk in chunks), default=1))
    calls = min(CALLS, math.ceil(len(chunks) / per_call))
    for number in range(calls):
        yield tuple(chunks[number::calls][:per_call])
