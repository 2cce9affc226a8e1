"""One run of the chart pipeline: a record read, the question read, notes found, an answer written.

notes ─► chunks ─► types ─► entities ─► dense k' ─► recovery ─► rerank ─► answer ─► check

Without a model nothing is asked and nothing is judged: the notes found are quoted. A record that
fits the model's window is read whole; then no model reads the question beforehand.
"""

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from secrets import token_hex
from typing import TYPE_CHECKING, Final, get_args

from clinfo.errors import UsageError
from clinfo.patients.access import require_allowed
from clinfo.patients.coded_texts import CodedTexts, coded_texts
from clinfo.patients.collecting import Records
from clinfo.patients.entities import find_mentions
from clinfo.patients.keeping import PatientStore, read_logged
from clinfo.patients.lexicon import Lexicon, with_terms
from clinfo.patients.reading_version import reading_version
from clinfo.patients.records import Note
from clinfo.patients.times import day_span
from clinfo.pipelines.chart.answering import (
    Excerpt,
    chosen_excerpts,
    claims_of,
    in_words,
    patient_facts,
    what_was_read,
    whole_record,
    with_quotations,
)
from clinfo.pipelines.chart.index import prepared
from clinfo.pipelines.chart.packing import packed
from clinfo.pipelines.chart.parsed_question import parsed
from clinfo.pipelines.chart.quoting import notes_found
from clinfo.pipelines.chart.records import STAGES as RETRIEVAL
from clinfo.pipelines.chart.records import (
    AnswerWritten,
    ChartLog,
    ChartRequest,
    QuestionRead,
    RecordRead,
    Window,
)
from clinfo.pipelines.chart.request import chosen, chosen_entries
from clinfo.pipelines.chart.retrieval import GAMMA, Matched, Retrieved, retrieved
from clinfo.pipelines.chart.stages import (
    ANSWER,
    HYDE,
    TYPES,
    QuestionTypes,
    SemanticType,
)
from clinfo.retrieval.embedders import STATIC, Embedder, embedder_named
from clinfo.runs import engine
from clinfo.runs.engine import Opened
from clinfo.runs.replies import typed

if TYPE_CHECKING:
    from clinfo.cache import Cache

NOTICE: Final = (
    "No model was named: the notes found are quoted, and nothing says what they mean. Read them."
)


@dataclass(frozen=True)
class Chart:
    """The parts of a run; ``read`` gives the records that a request names and raises ClinfoError
    where it cannot. ``id`` is the run's in the log, "" where ``read`` logs it under another.
    """

    read: Callable[[ChartRequest], Records]
    embedder: Embedder | None
    id: str


def parts(
    opened: Opened,
    request: ChartRequest,
    *,
    read: Callable[[ChartRequest], Records] | None = None,
) -> Chart:
    """The parts of the runs of a request. ``read`` takes the place of reading files, and then logs
    what is asked itself. Raises UsageError, and NotForPatients before anything is read where the
    embedder may not see a patient's record.
    """
    settings = opened.settings
    embedder = request.embedder or settings.embedder or (STATIC if find_spec(STATIC) else "")
    if embedder:
        require_allowed("embedder", embedder, settings)
    if settings.patient_terms is not None:
        with_terms(settings.patient_terms)
    started = ChartLog(opened.after).started
    known = started.settings.get("run") if started else None
    run = "" if read else str(known or token_hex(8))

    def of_files(request: ChartRequest) -> Records:
        named = (request.record, request.patient, request.question)
        return read_logged(settings, *named, run, "ask")

    return Chart(
        read or of_files,
        embedder_named(embedder) if embedder else None,
        run,
    )


async def work(run: engine.Run[ChartRequest, ChartLog, Chart]) -> None:
    """Carry out one run."""
    await Work(run).answer()


class Work:
    """One run: from the request, or from where the record of it ends, to the answer."""

    def __init__(self, run: engine.Run[ChartRequest, ChartLog, Chart]) -> None:
        self.run, self.chart, self.request = run, run.parts, run.request
        self.run_log, self.settings = run.run_log, run.settings
        self._notes: tuple[Note, ...] = ()
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

    @property
    def _by_model(self) -> bool:
        return self.run.asks("answer")

    @property
    def _lexicon(self) -> Lexicon:
        return with_terms(self.settings.patient_terms)

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
            **({"terms": terms} if (terms := self._lexicon.edition) else {}),
            embedder=chart.embedder.name if chart.embedder else None,
            edition=reading_version("chart"),
            temperature=ANSWER.temperature,
            seed=request.seed,
        )

    def _notices(self) -> tuple[str, ...]:
        if not self._by_model:
            return (NOTICE,)
        writer, judge = (self.run.models[one].name for one in ("answer", "verify"))
        own = [f"{writer} also judges what it wrote itself."] if writer == judge else []
        asked = [one.name for one in self.run.pipeline.stages if self.run.asks(one.name)]
        return (*self.run.noted(asked), *own)

    async def _read(self) -> None:
        """Read the record, again where a run goes on: it must be the same then."""
        records = await asyncio.to_thread(self.chart.read, self.request)
        record = records.one(self.request.patient)
        self._notes = notes = chosen(record, self.request)
        self._coded = coded_texts(chosen_entries(record, self.request))
        self._facts = patient_facts(record.entries, notes)
        if not notes:
            raise UsageError(
                "no note and no coded entry of the record is of these visits, categories and days"
            )
        sha256 = digest(notes)
        if (known := self.run_log.record) is not None and known.sha256 != sha256:
            raise UsageError("the record has changed since the saved run; begin a new one")
        # Opened here, so that a patient who is erased from now on gets no new cache; files that
        # name nobody have none, since nobody could have it erased.
        if notes[0].patient not in records.unnamed and self.settings.cache != "off":
            self._cache = PatientStore.of(self.settings).cache(notes[0].patient)
        counts = {
            "notes": len(record.notes),
            "searched": len(notes) - len(self._coded.notes),
            "undated": sum(not note.time for note in record.notes),
            **{f"skipped: {reason}": number for reason, number in sorted(records.skipped.items())},
        }
        if record.entries:
            counts["coded entries"] = len(self._coded.entries)
        if self._by_model:
            count = self.run.models["answer"].count_tokens
            self._whole = await asyncio.to_thread(
                whole_record, notes, count, self.run.window("answer")
            )
        self.run.emit(RecordRead(sha256=sha256, counts=counts, problems=tuple(records.problems)))

    async def _understand(self) -> None:
        """Read types, entities and days from the question, with the models of these stages."""
        text, lexicon = self.request.question, await asyncio.to_thread(lambda: self._lexicon)
        question = parsed(text, lexicon)
        types, window, imagined = set(question.types), Window(), set[str]()
        if self._whole is None and self.run.asks(TYPES.name):
            more, window = await self._types()
            types |= more
        if self._whole is None and self.run.asks(HYDE.name):
            messages = self.run.prompts["hyde"].fill(question=text)
            reply = await self.run.ask("hyde", HYDE.request(messages, {"question": text}))
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
        request = TYPES.request(messages, {"question": question})
        said = (await typed(self.run.ask, "types", request, QuestionTypes)).value
        if said is None:
            self.run.warn("types", "The model's reading of the question: unreadable.", "types")
            return set(), Window()
        since, until = (day if day and day_span(day) else "" for day in (said.since, said.until))
        return {*said.direct, *said.complementary}, Window(since, until, said.order or "")

    async def _retrieve(self) -> None:
        matched, found = await asyncio.to_thread(self._found)
        k = self.request.k
        self.run.emit(await asyncio.to_thread(notes_found, matched, found, k))

    def _found(self) -> tuple[Matched, Retrieved]:
        request, known = self.request, self.run_log.question
        assert known is not None
        chunks = packed(self._notes)
        lexicon, embedder, cache = self._lexicon, self.chart.embedder, self._cache
        try:
            index = prepared(self._notes, lexicon, embedder, chunks, cache, self._coded)
        finally:
            if cache is not None:
                cache.close()
        matched = Matched(parsed(request.question, lexicon), index)
        found = retrieved(
            matched,
            known.types,
            known.hypothetical,
            threshold=request.threshold,
            published=request.stage != "ordered",
            combined=request.combined,
            upto=request.stage if request.stage in RETRIEVAL else RETRIEVAL[-1],
            window=known.window,
        )
        return matched, found

    async def _write(self) -> None:
        found, notes = self.run_log.found, self._notes
        assert found is not None
        written = AnswerWritten(text=found.told, notes=found.notes)
        if self._by_model:
            excerpts = self._whole
            if excerpts is None:
                count = self.run.models["answer"].count_tokens
                given = (notes, found.notes, count, self.run.window("answer"))
                excerpts = await asyncio.to_thread(chosen_excerpts, *given)
            claims = await claims_of(self.run, self._facts, excerpts)
            written = replace(written, established=what_was_read(excerpts, notes))
            if claims is not None:
                written = replace(
                    written,
                    text=in_words(claims),
                    notes=with_quotations(found.notes, claims, excerpts),
                    claims=claims,
                )
        self.run.emit(written)


def digest(notes: tuple[Note, ...]) -> str:
    """The SHA-256 of notes, the same whatever order they are in."""
    made = hashlib.sha256()
    for note in sorted(notes, key=lambda note: note.id):
        for part in (note.id, note.time, note.category, note.visit, note.text):
            made.update(f"{len(part)}:{part}".encode(errors="replace"))
    return made.hexdigest()
