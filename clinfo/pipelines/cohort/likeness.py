"""The two published systems that find members by likeness instead of by facts (section 4.1 of the
paper): the retriever, which keeps the best 0.21 % of all chunks of notes, and the reader, a model
that says yes or no of each patient by the patient's likest chunks.

Chunks are 1,000 tokens with 10 % overlap and never cross a note; a patient scores as the best of
the patient's own. A patient's chunks are shared out over at most three calls; one yes makes a
member.
"""

from __future__ import annotations

import asyncio
import math
import re
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count as counting
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clinfo.errors import ModelError
from clinfo.llm.delimiting import fenced
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.cohort.events import CohortFound, PatientRead
from clinfo.pipelines.cohort.records import CohortRequest
from clinfo.pipelines.cohort.stages import READ, PatientMatch, Shown
from clinfo.pipelines.cohort.store import note_text
from clinfo.retrieval.sparse import SparseIndex, first_places, searched_words
from clinfo.runs.recorder import Recorder
from clinfo.runs.replies import typed
from clinfo.text.quotes import locate
from clinfo.text.sentences import sentence_spans

if TYPE_CHECKING:
    from clinfo.retrieval.embedders import Embedder

TOKENS, STEP = 1000, 900
"""Tokens of a chunk, and from the start of one to that of the next."""
CALLS = 3
"""Most calls for one patient and query."""
SHOWN = 24_000
"""Characters of chunks that one call shows; chunks that three calls do not hold are left out."""
_TOKEN = re.compile(r"\w+|[^\w\s]")
_KEPT_SCORES = 4
"""Decimal places of a score that is told."""
_QUOTED = 3
"""Chunks of a member that are quoted where no model did."""


class Chunk(NamedTuple):
    """A part of a note, from a code point of it on."""

    patient: str
    note: str
    date: str
    start: int
    text: str

    def span(self, start: int, end: int) -> dict[str, Any]:
        """Code points [start, end) of the text as the JSON answer has them."""
        own = {"start": self.start + start, "end": self.start + end, "quote": self.text[start:end]}
        return {"note": self.note, "date": self.date, **own}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A patient with the chunks that were kept, best first, and the score of the best. ``match`` is
    a model's word where one read them, None where no reply could be read, with the words ``quoted``
    that stand in a chunk.
    """

    patient: str
    score: float
    chunks: tuple[Chunk, ...]
    match: bool | None = True
    quoted: dict[str, Any] | None = None


class Retriever:
    """The chunks of an opened index as it was on ``as_of`` ("" today), searched by vectors where
    there is an ``embedder``, else by BM25.
    """

    def __init__(
        self, base: sqlite3.Connection, embedder: Embedder | None = None, as_of: str = ""
    ) -> None:
        self.chunks, self._embedder = tuple(_chunks(base, as_of)), embedder
        sql = "SELECT id FROM patients WHERE substr(first, 1, 10) <= ? ORDER BY id"
        self.everyone = [id for (id,) in base.execute(sql, (as_of or "9999",))]
        """The patients with a note by then."""
        texts = [chunk.text for chunk in self.chunks]
        if embedder is None:
            self._sparse = SparseIndex([searched_words(text) for text in texts])
        else:
            self._vectors = asyncio.run(embedder.vectors(texts)) if texts else np.zeros((0, 1))

    def kept(self, request: CohortRequest) -> list[Candidate]:
        """The patients of the best chunks, best first, with their chunks; for the reader all
        patients, each with so many of the patient's own.
        """
        if request.system == "reader":
            found = self._best(request.criteria, len(self.chunks))
            left = {one.patient: (one,) for one in reversed(self.chunks)}
            told = {one.patient for one in found}  # the others have none of the words
            found += [Candidate(id, 0.0, left[id]) for id in reversed(left) if id not in told]
            return [replace(one, chunks=one.chunks[: request.pieces]) for one in found]
        share = max(1, math.ceil(request.share * len(self.chunks)))
        return self._best(request.criteria, request.chunks or share)

    def _best(self, criteria: str, most: int) -> list[Candidate]:
        """The patients of so many chunks. BM25 leaves out chunks without any of the words."""
        if self._embedder is None:
            scores = np.array(self._sparse.scores(searched_words(criteria)))
        else:
            (vector,) = asyncio.run(self._embedder.vectors([criteria]))
            scores = self._vectors @ vector if self.chunks else np.zeros(0)
        own: dict[str, list[int]] = {}
        for place in first_places(scores, most).tolist() if self.chunks else ():
            if self._embedder is not None or scores[place] > 0:
                own.setdefault(self.chunks[place].patient, []).append(place)
        return [
            Candidate(
                patient,
                round(float(scores[places[0]]), _KEPT_SCORES),
                tuple(self.chunks[place] for place in places),
            )
            for patient, places in own.items()
        ]


def _chunks(base: sqlite3.Connection, as_of: str) -> Iterator[Chunk]:
    """The chunks of the notes of an opened index that are not later than ``as_of``."""
    rows = base.execute(
        "SELECT patients.id, notes.id, notes.time, notes.text FROM notes "
        "JOIN patients ON patients.number = notes.patient WHERE substr(notes.time, 1, 10) <= ? "
        "ORDER BY patients.id, notes.number",
        (as_of or "9999",),
    )
    for patient, note, time, packed in rows:
        text = note_text(packed)
        tokens = [found.span() for found in _TOKEN.finditer(text)]
        for first in range(0, max(1, len(tokens) - TOKENS + STEP) if tokens else 0, STEP):
            window = tokens[first : first + TOKENS]
            start, end = window[0][0], window[-1][1]
            yield Chunk(patient, note, time, start, text[start:end])


async def read(
    recorder: Recorder[Any], prompt: Prompt, criteria: str, candidates: Sequence[Candidate]
) -> list[Candidate]:
    """Patients with the word of the recorder's model on each. Raises BudgetReached, and ModelError
    where no reply came for any patient.
    """
    counted = counting(1)

    async def patient(one: Candidate) -> Candidate:
        said = await _patient(recorder, prompt, criteria, one)
        done, of = next(counted), len(candidates)
        recorder.emit(PatientRead(patient=one.patient, match=said.match, done=done, of=of))
        return said

    said = await asyncio.gather(*map(patient, candidates), return_exceptions=True)
    failed = [one for one in said if isinstance(one, BaseException)]
    for error in failed:
        if not isinstance(error, ModelError) or len(failed) == len(said):
            raise error
    return [
        replace(asked, match=None) if isinstance(one, BaseException) else one
        for asked, one in zip(candidates, said, strict=True)
    ]


async def _patient(
    recorder: Recorder[Any], prompt: Prompt, criteria: str, candidate: Candidate
) -> Candidate:
    said = replace(candidate, match=None)
    for number, chunks in enumerate(shared_out(candidate.chunks)):
        shown = tuple(
            fenced(f"[{n}] {chunk.date[:10] or 'undated'}\n{chunk.text}", "note")
            for n, chunk in enumerate(chunks, 1)
        )
        messages = prompt.fill(criteria=criteria, notes="\n\n".join(shown))
        request = READ.request(messages, Shown(criteria=criteria, beside=shown), temperature=0.0)
        call = f"{criteria} {candidate.patient} {number}"
        reply = (await typed(recorder.ask, call, request, PatientMatch, again=False)).value
        if reply is not None:
            said = replace(said, match=reply.match, quoted=_quoted(reply, chunks))
            if reply.match:
                break
    return said


def _quoted(said: PatientMatch, chunks: Sequence[Chunk]) -> dict[str, Any] | None:
    if said.quote and said.note is not None and 1 <= said.note <= len(chunks):
        chunk = chunks[said.note - 1]
        if place := locate(said.quote, chunk.text):
            return chunk.span(*place)
    return None


def shared_out(chunks: Sequence[Chunk]) -> Iterator[tuple[Chunk, ...]]:
    """The chunks of a patient for each call, in their order; all calls hold about as many."""
    per_call = max(1, SHOWN // max((len(chunk.text) for chunk in chunks), default=1))
    calls = min(CALLS, math.ceil(len(chunks) / per_call))
    for number in range(calls):
        yield tuple(chunks[number::calls][:per_call])


def cohort_of(criteria: str, everyone: Sequence[str], found: Sequence[Candidate]) -> CohortFound:
    """The cohort of those found, each with a ``score``; of whom nothing was retrieved, or no reply
    read, nothing is known.
    """
    members = [one for one in found if one.match]
    judged = {one.patient for one in found if one.match is not None}
    unknown = tuple(id for id in everyone if id not in judged)
    sizes = (("all patients", everyone), ("retrieved", found), (criteria, members))
    return CohortFound(
        members=tuple(_member(criteria, one) for one in members),
        not_documented=unknown,
        attrition=tuple(
            {"criterion": name, "alone": len(some), "left": len(some)} for name, some in sizes
        ),
        counts={
            "patients": len(everyone),
            "members": len(members),
            "not_matching": len(judged) - len(members),
            "not_documented": len(unknown),
        },
    )


def _member(criteria: str, one: Candidate) -> dict[str, Any]:
    likest = [each.span(*_likest(criteria, each.text)) for each in one.chunks[:_QUOTED]]
    spans = likest if one.quoted is None else [one.quoted]
    told = {"text": criteria, "verdict": "matches", "spans": spans}
    return {"id": one.patient, "score": one.score, "criteria": [told]}


def _likest(criteria: str, text: str) -> tuple[int, int]:
    """The sentence that has most words of the criteria."""
    asked = set(searched_words(criteria))
    return max(
        sentence_spans(text),
        key=lambda span: len(asked.intersection(searched_words(text[slice(*span)]))),
        default=(0, len(text)),
    )
