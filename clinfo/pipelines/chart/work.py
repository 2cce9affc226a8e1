"""One run of the chart pipeline: a record read, the question read, notes found, an answer written.

notes ─► chunks ─► types ─► entities ─► dense k' ─► recovery ─► rerank ─► answer ─► check

Without a model nothing is asked and nothing is judged: the notes found are quoted. A record that
fits the model's window is read whole; then no model reads the question beforehand.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from secrets import token_hex
from typing import TYPE_CHECKING, Final, get_args

from clinfo.cache import Cache
from clinfo.errors import UsageError
from clinfo.patients.access import require_allowed
from clinfo.patients.coded_texts import CodedTexts, coded_texts
from clinfo.patients.collecting import Records
from clinfo.patients.entities import find_mentions
from clinfo.patients.keeping import PatientStore, read_logged
from clinfo.patients.lexicon import Lexicon, standard, with_terms
from clinfo.patients.reading_version import reading_version
from clinfo.patients.records import Note
from clinfo.patients.times import day_span
from clinfo.pipelines.chart import quoting as quoted
from clinfo.pipelines.chart.events import (
    AnswerWritten,
    ChartLog,
    NotesFound,
    QuestionRead,
    RecordRead,
)
from clinfo.pipelines.chart.excerpts import (
    Excerpt,
    chosen_excerpts,
    patient_facts,
    what_was_read,
    whole_record,
)
from clinfo.pipelines.chart.features import Matched
from clinfo.pipelines.chart.index import ChartIndex, prepared
from clinfo.pipelines.chart.packing import packed
from clinfo.pipelines.chart.parsed_question import understood
from clinfo.pipelines.chart.replies import QuestionTypes, SemanticType
from clinfo.pipelines.chart.request import chosen, chosen_entries
from clinfo.pipelines.chart.retrieval import GAMMA, Retrieved, entities_of, retrieved
from clinfo.pipelines.chart.stages import HYDE, STAGES, TEMPERATURE, TYPES, asked
from clinfo.pipelines.chart.writing import Asker, claims_of, in_words, with_quotations
from clinfo.records.chart import STAGES as RETRIEVAL
from clinfo.records.chart import ChartRequest, StageTrace, Window
from clinfo.retrieval.documents import Asked, Passage
from clinfo.retrieval.embedders import STATIC, Embedder, embedder_named
from clinfo.retrieval.rerankers import reranker_named, scored
from clinfo.runs import engine
from clinfo.runs.engine import Opened
from clinfo.runs.replies import typed

if TYPE_CHECKING:
    from clinfo.cache import Cache
    from clinfo.patients.lexicon import Lexicon
    from clinfo.retrieval.embedders import Embedder
    from clinfo.retrieval.rerankers import Reranker
    from clinfo.retrieval.rerankers.provider import ProviderReranker
    from clinfo.settings import Settings

NOTICE: Final = (
    "No model was named: the notes found are quoted, and nothing says what they mean. Read them."
)


@dataclass(frozen=True)
class Chart:
    """The pipeline with what its runs need; ``read`` gives the records that a request names and
    raises ClinfoError where it cannot, ``cache`` what is kept of a patient's notes (None: nothing).
    ``id`` is the run's in the log, "" where ``read`` logs it under another.
    """

    read: Callable[[ChartRequest], Records]
    lexicon: Callable[[], Lexicon]
    embedder: Embedder | None
    reranker: Reranker | ProviderReranker | None
    cache: Callable[[str], Cache | None]
    id: str


def parts(
    opened: Opened,
    request: ChartRequest,
    *,
    read: Callable[[ChartRequest], Records] | None = None,
    lexicon: Callable[[], Lexicon] = standard,
) -> Chart:
    """What the runs of a request need. ``read`` takes the place of reading files, and then logs
    what is asked itself. Nothing of a run goes into a cache that is not the patient's. Raises
    UsageError, and NotForPatients before anything is read where the embedder or the reranker may
    not see a patient's record.
    """
    settings = opened.settings
    if embedder := request.embedder or settings.embedder:
        require_allowed("embedder", embedder, settings)
    if request.reranker:
        require_allowed("reranker", request.reranker, settings)
    own = lexicon is standard
    if own and settings.patient_terms is not None:
        with_terms(settings.patient_terms)  # refused here, before anything is read
        lexicon = partial(with_terms, settings.patient_terms)
    started = ChartLog(opened.after).started
    known = started.settings.get("run") if started else None
    run = "" if read else str(known or token_hex(8))
    return Chart(
        read or partial(from_files, settings, run),
        lexicon,
        _embedder(embedder),
        reranker_named(request.reranker, opened.budget) if request.reranker else None,
        partial(_cache, settings if own else None),
        run,
    )


def _cache(settings: Settings | None, patient: str) -> Cache | None:
    """The patient's cache, None without settings or where they switch caches off."""
    if settings is None or settings.cache == "off":
        return None
    return PatientStore.of(settings).cache(patient)


def _embedder(name: str | None) -> Embedder | None:
    """The embedder of this name; without one wordllama's where it is installed."""
    if name:
        return embedder_named(name)
    return embedder_named(STATIC) if find_spec(STATIC) else None


def from_files(settings: Settings, run: str, request: ChartRequest) -> Records:
    """The records in the files of a request, once it is logged that ``run`` asks them. Raises
    UsageError, also where it cannot be logged.
    """
    asked = request.question
    return read_logged(settings, request.record, request.patient, asked, run, "ask")


async def work(run: engine.Run[ChartRequest, ChartLog, Chart]) -> None:
    """Carry out one run."""
    await Work(run).answer()


class Work:
    """One run: from the request, or from where the record of it ends, to the answer."""

    def __init__(self, run: engine.Run[ChartRequest, ChartLog, Chart]) -> None:
        self.run, self.chart, self.request = run, run.parts, run.request
        self.run_log = run.run_log
        self._notes: tuple[Note, ...] | None = None
        self._coded = CodedTexts()
        self._facts = ""
        self._whole: tuple[Excerpt, ...] | None = None
        self._cache: Cache | None = None

    async def answer(self) -> None:
        """Carry out the run to its answer."""
        self._start()
        if self.run_log.record is None or self.run_log.written is None:
            await self.run.timed("record", self._read())
        if self.run_log.question is None:
            await self.run.timed("question", self._understand())
        if self.run_log.found is None:
            await self.run.timed("retrieve", self._retrieve())
        if self.run_log.written is None:
            await self.run.timed("answer", self._write())

    def _start(self) -> None:
        request, chart = self.request, self.chart
        self.run.start(
            self._notices(),
            **({"run": chart.id} if chart.id else {}),
            stage=request.stage,
            filter=request.combined,
            threshold=request.threshold,
            gamma=GAMMA,
            k=request.k,
            across_visits=request.across_visits,
            **({"terms": terms} if (terms := chart.lexicon().edition) else {}),
            embedder=chart.embedder.name if chart.embedder else None,
            **({"reranker": request.reranker} if request.reranker else {}),
            edition=reading_version("chart"),
            temperature=TEMPERATURE,
            seed=request.seed,
        )

    def _notices(self) -> tuple[str, ...]:
        if not self._by_model:
            return (NOTICE,)
        models = self.run.models
        writer, judge = models["answer"].name, models["verify"].name
        own = [f"{writer} also judges what it wrote itself."] if writer == judge else []
        asked = [one.name for one in STAGES if self.run.asks(one.name)]
        return (*self.run.noted(asked), *own)

    @property
    def _by_model(self) -> bool:
        return self.run.asks("answer")

    @property
    def _window(self) -> int:
        """The tokens that the model of the answer reads at once; an assumed number is told."""
        model = self.run.models["answer"]
        if (known := model.context_tokens) is not None:
            return known
        assumed = self.run.settings.context_tokens
        told = f"The context window of {model.name} is not known: {assumed:,} tokens are"
        self.run.warn("window", f"{told} assumed (CLINFO_CONTEXT_TOKENS).", "record")
        return assumed

    async def _read(self) -> None:
        """Read the record, again where a run goes on: it must be the same then."""
        records = await asyncio.to_thread(self.chart.read, self.request)
        record = records.one(self.request.patient)
        self._notes = chosen(record, self.request)
        entries = chosen_entries(record, self.request)
        self._coded = coded_texts(entries)
        self._facts = patient_facts(record.entries, self._notes)
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
        if self._by_model:
            count = self.run.models["answer"].count_tokens
            notes, window = self._notes, self._window
            self._whole = await asyncio.to_thread(whole_record, notes, count, window)
        event = RecordRead(sha256=sha256, counts=counts, problems=tuple(records.problems))
        self.run.emit(event)

    async def _understand(self) -> None:
        """Read types, entities and days from the question, with the models of these stages."""
        request, lexicon = self.request, await asyncio.to_thread(self.chart.lexicon)
        question = understood(request.question, lexicon)
        types, window, imagined = set(question.types), Window(), set[str]()
        if self._whole is None and self.run.asks(TYPES.name):
            more, window = await self._types()
            types |= more
        if self._whole is None and self.run.asks(HYDE.name):
            messages = self.run.prompts["hyde"].fill(question=request.question)
            reply = await self.run.ask("hyde", asked(HYDE, messages, request.question))
            named = await asyncio.to_thread(find_mentions, reply.text, lexicon)
            imagined = {one.concept for one in named if one.assertion != "negated"}
        self.run.emit(
            QuestionRead(
                types=tuple(sorted(types)),
                concepts=tuple(sorted(question.concepts)),
                hypothetical=tuple(sorted(imagined)),
                window=window,
            )
        )

    async def _types(self) -> tuple[set[str], Window]:
        """The types and the days that a model reads from the question."""
        question = self.request.question
        messages = self.run.prompts["types"].fill(
            question=question, types=", ".join(get_args(SemanticType)), patient=self._facts
        )
        request = asked(TYPES, messages, question)
        said = (await typed(self.run.ask, "types", request, QuestionTypes)).value
        if said is None:
            self.run.warn("types", "The model's reading of the question: unreadable.", "types")
            return set(), Window()
        since, until = (
            day if day_span(day) else "" for day in (said.since or "", said.until or "")
        )
        return {*said.direct, *said.complementary}, Window(since, until, said.order or "")

    async def _retrieve(self) -> None:
        asked, found = await asyncio.to_thread(self._found)
        if self.chart.reranker is not None:
            found = await self._reranked(asked.index, found)

        def told() -> NotesFound:
            coded = quoted.coded_facts(asked)
            notes = quoted.found_notes(asked, found, self.request.k)
            established, bearing = quoted.looked_for(asked)
            return NotesFound(
                notes=notes,
                trace=found.trace,
                told=quoted.shown(notes, coded, bearing),
                coded=coded,
                established=established,
            )

        self.run.emit(await asyncio.to_thread(told))

    def _found(self) -> tuple[Matched, Retrieved]:
        request, known = self.request, self.run_log.question
        assert known is not None
        assert self._notes is not None
        question = understood(request.question, self.chart.lexicon())
        asked = Matched(question, self._index(self._notes))
        entities = entities_of(asked, known.hypothetical, known.types, request.threshold)
        found = retrieved(
            asked,
            entities,
            published=request.stage != "ordered",
            combined=request.combined,
            upto=request.stage if request.stage in RETRIEVAL else RETRIEVAL[-1],
            window=known.window,
        )
        return asked, found

    async def _reranked(self, index: ChartIndex, found: Retrieved) -> Retrieved:
        """Return what was found in the order of the reranker that was named."""
        assert self.chart.reranker is not None
        chunks = [index.chunks[place] for place in found.order]
        passages = [
            Passage(one.id, one.parts[0].note, 0, len(one.text), "text", (), one.text)
            for one in chunks
        ]
        scores = await scored(self.chart.reranker, Asked(self.request.question), passages)
        by_place = dict(zip(found.order, scores, strict=True))
        order = tuple(sorted(found.order, key=lambda place: -by_place[place]))
        ids = tuple(index.chunks[place].id for place in order)
        reasons = {
            index.chunks[place].id: f"score {score:.3f}" for place, score in by_place.items()
        }
        trace = StageTrace("reranker", tuple(one.id for one in chunks), ids, reasons)
        return replace(found, order=order, scores=by_place, trace=(*found.trace, trace))

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
        found, notes = self.run_log.found, self._notes
        assert found is not None
        assert notes is not None
        if not self._by_model:
            self.run.emit(AnswerWritten(text=found.told, notes=found.notes))
            return
        model = self.run.models["answer"]
        count, window = model.count_tokens, self._window
        excerpts = (
            self._whole
            if self._whole is not None
            else await asyncio.to_thread(chosen_excerpts, notes, found.notes, count, window)
        )
        asker = Asker(self.run, self._facts)
        claims = await claims_of(asker, excerpts)
        read = what_was_read(excerpts, notes)
        if claims is None:
            event = AnswerWritten(text=found.told, notes=found.notes, established=read)
        else:
            event = AnswerWritten(
                text=in_words(claims),
                notes=with_quotations(found.notes, claims, excerpts),
                claims=claims,
                established=read,
            )
        self.run.emit(event)


def digest(notes: tuple[Note, ...]) -> str:
    """The SHA-256 of notes, the same whatever order they are in."""
    made = hashlib.sha256()
    for note in sorted(notes, key=lambda note: note.id):
        for part in (note.id, note.time, note.category, note.visit, note.text):
            made.update(f"{len(part)}:{part}".encode(errors="replace"))
    return made.hexdigest()
