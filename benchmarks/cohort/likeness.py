"""The two published systems that find members by likeness instead of by facts (section 4.1 of the
paper): the retriever, which keeps the best 0.21 % of all chunks of notes, and the reader, a model
that says yes or no of each patient by the patient's likest chunks.

Chunks are 1,000 tokens with 10 % overlap and never cross a note. A patient's chunks are shared out
over at most three calls; one yes makes a member.
"""

from __future__ import annotations

import asyncio
import math
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import numpy as np

from clinfo.errors import ModelError
from clinfo.llm.delimiting import fenced
from clinfo.llm.prompts import PromptSet
from clinfo.patients.access import require_allowed
from clinfo.pipelines.cohort.store import note_text
from clinfo.pipelines.opening import chat_model, priced
from clinfo.retrieval.embedders import Embedder, embedder_named
from clinfo.retrieval.sparse import SparseIndex, first_places, searched_words
from clinfo.runs.clock import SystemClock
from clinfo.runs.events import CostIncurred
from clinfo.runs.pipeline import Stage
from clinfo.runs.recorder import Recorder
from clinfo.runs.replies import AlsoCalled, Quotation, Reply, typed
from clinfo.runs.run_log import RunLog
from clinfo.runs.spending import MemoryBudget
from clinfo.settings import Settings

SHARE: Final = 0.0021
"""The share of all chunks that the retriever keeps."""
TOKENS, STEP = 1000, 900
"""Tokens of a chunk, and from the start of one to that of the next."""
CALLS = 3
"""Most calls for one patient and query."""
SHOWN = 24_000
"""Characters of chunks that one call shows; chunks that three calls do not hold are left out."""
_TOKEN = re.compile(r"\w+|[^\w\s]")


class Chunk(NamedTuple):
    """A part of a note."""

    patient: str
    date: str
    text: str


class PatientMatch(Reply):
    """The judgement of one patient, with the note and the words that decide it."""

    match: bool
    note: int | None = None
    quote: Annotated[str | None, Quotation(), AlsoCalled(("quotation", "words"))] = None


READ: Final = Stage("read", reply=PatientMatch, prompts=("read",), max_tokens=300)


def embedder_of(settings: Settings) -> Embedder | None:
    """The embedder that the settings name, None without one: BM25. Raises NotForPatients."""
    if not settings.embedder:
        return None
    require_allowed("embedder", settings.embedder, settings)
    return embedder_named(settings.embedder)


class Retriever:
    """The chunks of an opened index, searched by vectors where there is an ``embedder``, else by
    BM25.
    """

    def __init__(self, base: sqlite3.Connection, embedder: Embedder | None = None) -> None:
        self.chunks, self._embedder = tuple(_chunks(base)), embedder
        texts = [chunk.text for chunk in self.chunks]
        if embedder is None:
            self._sparse = SparseIndex([searched_words(text) for text in texts])
        else:
            self._vectors = asyncio.run(embedder.vectors(texts)) if texts else np.zeros((0, 1))

    def best(self, criteria: str, most: int) -> dict[str, list[Chunk]]:
        """The patients of so many chunks, best first, with these. BM25 leaves out chunks without
        any of the words.
        """
        if self._embedder is None:
            scores = np.array(self._sparse.scores(searched_words(criteria)))
        else:
            (vector,) = asyncio.run(self._embedder.vectors([criteria]))
            scores = self._vectors @ vector if self.chunks else np.zeros(0)
        found: dict[str, list[Chunk]] = {}
        for place in first_places(scores, most).tolist() if self.chunks else ():
            if self._embedder is not None or scores[place] > 0:
                found.setdefault(self.chunks[place].patient, []).append(self.chunks[place])
        return found

    def every(self, criteria: str, pieces: int) -> dict[str, list[Chunk]]:
        """All patients, each with so many of the patient's own chunks, the likest first."""
        found = self.best(criteria, len(self.chunks))
        for one in self.chunks:  # the others have none of the words
            found.setdefault(one.patient, [one])
        return {patient: own[:pieces] for patient, own in found.items()}


def _chunks(base: sqlite3.Connection) -> Iterator[Chunk]:
    """The chunks of the notes of an opened index."""
    rows = base.execute(
        "SELECT patients.id, notes.time, notes.text FROM notes "
        "JOIN patients ON patients.number = notes.patient ORDER BY patients.id, notes.number"
    )
    for patient, time, packed in rows:
        text = note_text(packed)
        tokens = [found.span() for found in _TOKEN.finditer(text)]
        for first in range(0, max(1, len(tokens) - TOKENS + STEP) if tokens else 0, STEP):
            window = tokens[first : first + TOKENS]
            yield Chunk(patient, time, text[window[0][0] : window[-1][1]])


class Reader:
    """A model that reads patients' notes, on one budget for all queries. Raises UsageError for one
    that cannot be asked, NotForPatients for one that may not see a patient's record.
    """

    def __init__(self, settings: Settings, model: str, max_cost: float | None = None) -> None:
        require_allowed("model", model, settings)
        models = {READ.name: chat_model(settings, model, None)}
        if max_cost is not None:
            priced(models)
        budget, log = MemoryBudget(max_cost), RunLog()
        self._recorder = Recorder[RunLog](models, budget, SystemClock(), 0, log, lambda _: None)
        self._prompt = PromptSet(str(Path(__file__).parent), READ.prompts).checked()[READ.name]

    @property
    def calls(self) -> int:
        """The calls so far."""
        return len(self._recorder.run_log.all(CostIncurred))

    async def members(self, criteria: str, patients: Mapping[str, Sequence[Chunk]]) -> set[str]:
        """The patients of whom the model says yes. Raises BudgetReached, and ModelError where no
        reply came for any patient.
        """
        asked = (self._match(criteria, one, own) for one, own in patients.items())
        said = await asyncio.gather(*asked, return_exceptions=True)
        failed = [one for one in said if isinstance(one, BaseException)]
        for error in failed:
            if not isinstance(error, ModelError) or len(failed) == len(said):
                raise error
        return {patient for patient, match in zip(patients, said, strict=True) if match is True}

    async def _match(self, criteria: str, patient: str, chunks: Sequence[Chunk]) -> bool:
        for number, own in enumerate(shared_out(chunks)):
            shown = tuple(
                fenced(f"[{n}] {chunk.date[:10] or 'undated'}\n{chunk.text}", "note")
                for n, chunk in enumerate(own, 1)
            )
            messages = self._prompt.fill(criteria=criteria, notes="\n\n".join(shown))
            variables = {"criteria": criteria, "beside": shown}
            request, call = (
                READ.request(messages, variables),
                f"{patient} {number}",
            )
            asking: Any = self._recorder.ask
            said = await typed(asking, f"{criteria} {call}", request, PatientMatch, again=False)
            if said.value is not None and said.value.match:
                return True
        return False


def shared_out(chunks: Sequence[Chunk]) -> Iterator[Sequence[Chunk]]:
    """The chunks of a patient for each call, in their order; all calls hold about as many."""
    per_call = max(1, SHOWN // max((len(chunk.text) for chunk in chunks), default=1))
    calls = min(CALLS, math.ceil(len(chunks) / per_call))
    for number in range(calls):
        yield chunks[number::calls][:per_call]
