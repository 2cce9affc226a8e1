"""One run of the chart pipeline: a record read, the question read, notes found, an answer written.

notes ─► chunks ─► types ─► entities ─► dense k' ─► recovery ─► rerank ─► answer
"""

from __future__ import annotations

import asyncio
import hashlib
from typing import TYPE_CHECKING, Any, Final

from clinfo import __version__
from clinfo.errors import UsageError
from clinfo.llm.schemas import closed, list_of, one_of
from clinfo.patients.asked_time import without_time
from clinfo.patients.entities import find_mentions
from clinfo.patients.records import Note
from clinfo.pipelines.chart.answering import found_notes
from clinfo.pipelines.chart.asked import understood
from clinfo.pipelines.chart.choosing import chosen, chosen_entries
from clinfo.pipelines.chart.coded_notes import CodedTexts, coded_texts
from clinfo.pipelines.chart.declared import HYDE, MODEL_STAGES, TYPES
from clinfo.pipelines.chart.events import (
    AnswerWritten,
    NotesFound,
    QuestionRead,
    RecordRead,
    RunStarted,
)
from clinfo.pipelines.chart.index import ChartIndex, prepared
from clinfo.pipelines.chart.packing import packed
from clinfo.pipelines.chart.run_log import ChartLog, answer_json, build_answer
from clinfo.pipelines.chart.stages import GAMMA, entities_of, retrieved
from clinfo.pipelines.chart.telling import tell
from clinfo.pipelines.chart.timing import asked_window, disagreements
from clinfo.pipelines.chart.weights import sha256 as weights_sha256
from clinfo.pipelines.chart.weights import tables
from clinfo.pipelines.chart.writing import written
from clinfo.pipelines.models import noted
from clinfo.records.chart import STAGES, ChartRequest
from clinfo.runs.events import Answered
from clinfo.runs.protocols import Message
from clinfo.runs.recorder import Recorder
from clinfo.text.structured import json_object

if TYPE_CHECKING:
    from clinfo.cache import Cache
    from clinfo.pipelines.chart.assemble import Chart

TEMPERATURE: Final = 0.0
KINDS: Final = (
    "anatomy", "behaviour", "care", "device", "diagnostic procedure", "diet", "disease",
    "drug class", "drug or substance", "finding", "injury", "mental", "mental disorder",
    "organism", "procedure", "surgery", "treatment",
)  # fmt: skip
TYPES_FORMAT = (
    "Reply with one JSON object and nothing else:\n"
    '{"direct": ["…"], "complementary": ["…"]}, each of these types at most once'
)
TYPES_SCHEMA = closed(direct=list_of(one_of(KINDS)), complementary=list_of(one_of(KINDS)))


class Run:
    """One run: from the request, or from where the record of it ends, to the answer."""

    def __init__(self, chart: Chart, request: ChartRequest, recorder: Recorder[ChartLog]) -> None:
        self.chart = chart
        self.request = request
        self.recorder = recorder
        self.run_log = recorder.run_log
        self._notes: tuple[Note, ...] | None = None
        self._coded = CodedTexts()
        self._cache: Cache | None = None

    async def answer(self) -> None:
        """Carry out the run to its answer."""
        self._start()
        if self.run_log.record is None or self.run_log.written is None:
            await self.recorder.timed("record", self._read())
        if self.run_log.question is None:
            await self.recorder.timed("question", self._understand())
        if self.run_log.found is None:
            await self.recorder.timed("retrieve", asyncio.to_thread(self._retrieve))
        if self.run_log.written is None:
            await self.recorder.timed("answer", self._write())
        self.recorder.emit(Answered(answer=answer_json(build_answer(self.run_log))))

    def _start(self) -> None:
        request, chart = self.request, self.chart
        settings: dict[str, Any] = {
            "version": __version__,
            "pipeline": "chart",
            **({"run": chart.id} if chart.id else {}),
            "models": {stage: chart.models[stage].name for stage in MODEL_STAGES},
            "stage": request.stage,
            "filter": request.combined,
            "threshold": request.threshold,
            "gamma": GAMMA,
            "k": request.k,
            "across_visits": request.across_visits,
            **({"terms": terms} if (terms := chart.lexicon().edition) else {}),
            "embedder": chart.embedder.name if chart.embedder else None,
            "weights": weights_sha256(),
            "tables": tables(),
            "temperature": TEMPERATURE,
            "seed": request.seed,
            "prompts": {name: prompt.sha256 for name, prompt in sorted(chart.prompts.items())},
            "prompts_edited": sorted(request.prompts),
        }
        self.recorder.emit(
            RunStarted(
                request=request,
                settings=settings,
                notices=noted(chart.models, MODEL_STAGES, request.prompts),
                started_at=chart.clock.now().isoformat(timespec="seconds"),
            )
        )

    async def _read(self) -> None:
        """Read the record, again where a run goes on: it must be the same then."""
        records = await asyncio.to_thread(self.chart.read, self.request)
        record = records.one(self.request.patient)
        self._notes = chosen(record, self.request)
        self._coded = coded_texts(chosen_entries(record, self.request))
        if not self._notes:
            raise UsageError(
                "no note and no coded entry of the record is of these visits, categories and days"
            )
        sha256 = digest(self._notes)
        if (known := self.run_log.record) is not None and known.sha256 != sha256:
            raise UsageError("the record has changed since the saved run; begin a new one")
        # Opened here, so that a patient who is erased from now on gets no new cache; files that
        # name nobody have none, since nobody could have it erased.
        if (patient := self._notes[0].patient) not in records.unnamed:
            self._cache = self.chart.cache(patient)
        counts = {
            "notes": len(record.notes),
            "searched": len(self._notes) - len(self._coded.notes),
            "undated": sum(not note.time for note in record.notes),
            **{f"skipped: {reason}": number for reason, number in sorted(records.skipped.items())},
        }
        if record.entries:
            counts["coded entries"] = len(self._coded.entries)
        event = RecordRead(sha256=sha256, counts=counts, problems=tuple(records.problems))
        self.recorder.emit(event)

    async def _understand(self) -> None:
        """Read types and entities from the question, with the models of these stages."""
        request, lexicon = self.request, await asyncio.to_thread(self.chart.lexicon)
        question = understood(without_time(request.question), lexicon)
        asking = {"question": request.question, "concepts": tuple(sorted(question.concepts))}
        (*before, last) = self.chart.prompts["types"].fill(
            question=request.question, types=", ".join(KINDS)
        )
        messages = (*before, Message("user", f"{last.content}\n\n{TYPES_FORMAT}"))
        reply = await self.recorder.ask(
            "types",
            TYPES.request(messages, asking, schema=TYPES_SCHEMA, temperature=TEMPERATURE),  # type: ignore[arg-type]
        )
        form = json_object(reply.text) or {}
        said = [
            one
            for name in ("direct", "complementary")
            if isinstance(own := form.get(name), list)
            for one in own
            if one in KINDS
        ]
        reply = await self.recorder.ask(
            "hyde",
            HYDE.request(
                self.chart.prompts["hyde"].fill(question=request.question),
                asking,  # type: ignore[arg-type]
                temperature=TEMPERATURE,
            ),
        )
        imagined = find_mentions(reply.text, lexicon)
        self.recorder.emit(
            QuestionRead(
                types=tuple(sorted({*question.types, *said})),
                concepts=asking["concepts"],  # type: ignore[arg-type]
                hypothetical=tuple(
                    sorted({m.concept for m in imagined if m.assertion != "negated"})
                ),
            )
        )

    def _retrieve(self) -> None:
        request, known = self.request, self.run_log.question
        assert known is not None
        assert self._notes is not None
        lexicon = self.chart.lexicon()
        question = understood(without_time(request.question), lexicon)
        index = self._index(self._notes)
        entities = entities_of(question, index, known.hypothetical, known.types, request.threshold)
        asked = asked_window(request.question, index, lexicon)
        upto = request.stage if request.stage in STAGES else STAGES[-1]
        found = retrieved(
            question,
            index,
            entities,
            published=request.stage != "ordered",
            combined=request.combined,
            upto=upto,
            window=asked,
        )
        for line in disagreements(question, index):
            self.recorder.warn(f"disagreement {line}", line, "retrieve")
        if asked.missing:
            told = f"No note names “{asked.missing}”, which the question counts from."
            self.recorder.warn("event", told, "retrieve")
        answer = tell(question, index, lexicon, asked)
        if answer.unrecognised and answer.status != "not recognised":
            told = f"Looked for as written only: {', '.join(answer.unrecognised)}"
            self.recorder.warn("unrecognised", told, "retrieve")
        self.recorder.emit(
            NotesFound(
                notes=found_notes(index, found, request.k, answer.places, answer.text),
                trace=found.trace,
                told=answer.text,
                status=answer.status,
                unrecognised=answer.unrecognised,
                established=answer.established,
            )
        )

    def _index(self, notes: tuple[Note, ...]) -> ChartIndex:
        chunks = packed(notes, across_visits=self.request.across_visits)
        try:
            return prepared(
                notes, self.chart.lexicon(), self.chart.embedder, chunks, self._cache, self._coded
            )
        finally:
            if self._cache is not None:
                self._cache.close()

    async def _write(self) -> None:
        found = self.run_log.found
        assert found is not None
        assert self._notes is not None
        texts = {note.id: note for note in self._notes}
        text, notes = await written(self.chart, self.request, self.recorder, found, texts)
        self.recorder.emit(AnswerWritten(text=text, notes=notes))


def digest(notes: tuple[Note, ...]) -> str:
    """The SHA-256 of notes, the same whatever order they are in."""
    made = hashlib.sha256()
    for note in sorted(notes, key=lambda note: note.id):
        for part in (note.id, note.time, note.category, note.visit, note.text):
            made.update(f"{len(part)}:{part}".encode(errors="replace"))
    return made.hexdigest()
