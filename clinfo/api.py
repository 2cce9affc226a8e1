"""The public Python API: what ``import clinfo`` offers, on the same engine as the command line."""

from __future__ import annotations

import asyncio
import html
import inspect
import warnings
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from clinfo import errors
from clinfo.errors import NOTHING_FOUND, FieldError, UsageError
from clinfo.files import file_errors
from clinfo.pipelines.literature.answer import build_answer
from clinfo.pipelines.literature.request import OPTIONS, request_of
from clinfo.pipelines.literature.run_log import LiteratureLog
from clinfo.pipelines.literature.stages import LITERATURE, PROMPTS
from clinfo.pipelines.opening import open_cache
from clinfo.privacy.phi_guard import refuse_texts
from clinfo.records import answer as records
from clinfo.records import chart as chart_records
from clinfo.records.articles import Article, JudgeChoice, SearchRequest, Section, Sentence
from clinfo.runs import saved
from clinfo.runs.ending import ended
from clinfo.runs.events import Answered, Event
from clinfo.runs.protocols import ChatModel, ModelReply, ModelRequest, StreamReset
from clinfo.settings import load_settings
from clinfo.sources.protocols import ArticleSource
from clinfo.sources.registry import article_source

if TYPE_CHECKING:
    from pandas import DataFrame

    from clinfo.integrity.reference_check import Checked
    from clinfo.runs.pipeline import Pipeline
    from clinfo.settings import Settings

Value = TypeVar("Value")
OwnModel = Callable[[str], Any]
"""A model of one's own, which may be ``async``: the whole prompt in, the reply out, as a text or as
an API gives it (parts, a message, an object).
"""
Model: TypeAlias = "str | ChatModel | OwnModel | _Own | None"
"""A model's name, or a model of the caller's own."""
KEYWORDS = {
    one.option.flag.removeprefix("--").replace("-", "_"): name
    for name, one in OPTIONS.items()
    if one.option.flag
}
"""Fields by their flags, where those have other names."""
WITH_FILES = frozenset(
    name for name, one in OPTIONS.items() if "@FILE" in (one.option.metavar or "")
)


class TrialsAnswer:
    """What studies conclude; what it says is `clinfo.records.trials.TrialsAnswer`.

    ``studies`` have each its ``direction``, whom it ``favours``, ``spans`` and ``effect``;
    ``pooled`` is None where the numbers of fewer than two give an effect. ``status`` is the exit
    status that the command line would have: 0, or 3 where no study says anything.
    """

    def __init__(self, events: Sequence[Event]) -> None:
        from clinfo.pipelines.trials.answer import build_answer, says_something
        from clinfo.pipelines.trials.run_log import TrialsLog

        self.events = tuple(events)
        self._log = TrialsLog(events)
        self.record = build_answer(self._log)
        self.studies = self.record.studies
        self.pooled = self.record.pooled
        self.warnings = self.record.warnings
        self.status = 0 if any(map(says_something, self.studies)) else NOTHING_FOUND

    def to_dict(self) -> dict[str, Any]:
        """The JSON answer."""
        from clinfo.pipelines.trials.stages import TRIALS

        return TRIALS.answer(self._log) or {}

    def plot(self, path: str | Path) -> None:
        """Draw the forest plot, as .svg, .png or .pdf. Raises UsageError where matplotlib is
        missing, or no numbers give an effect.
        """
        from clinfo.evidence.plot import image
        from clinfo.evidence.pooled_plot import pooled_plot
        from clinfo.extras import needed
        from clinfo.pipelines.trials.answer import outcome

        needed("matplotlib", "plots")
        form: Any = Path(path).suffix.lower().removeprefix(".")
        found = outcome(self._log)
        if found is None or form not in ("svg", "png", "pdf"):
            raise UsageError("no plot: no study's numbers give an effect, or the name has no form")
        with file_errors(f"{path} cannot be written"):
            Path(path).write_bytes(image(pooled_plot(found), form))

    def __repr__(self) -> str:
        told = ", ".join(f"{study.name}: {study.direction}" for study in self.studies)
        return f"<clinfo.TrialsAnswer: {told or 'no study'}>"


class Answer:
    """The answer of a run, as far as its events go; what it says is
    `clinfo.records.answer.Answer`.

    ``sentences`` are those of synthesis and TL;DR, each with its ``verdict`` and the reason for
    it; ``evidence`` the evidence table, a row for each relevant article; ``notices`` what must be
    said with the answer: how it was made, and whether older checks judged it. ``status`` is the
    exit status that the command line would have: 0, or 3 where nothing is found or the answer is
    withheld.
    """

    def __init__(self, events: Sequence[Event]) -> None:
        self.events = tuple(events)
        self._log = LiteratureLog(events)
        self.record: records.Answer = build_answer(self._log)
        self.question = self.record.question
        self.tldr = self.record.tldr
        self.synthesis = self.record.synthesis
        self.sentences = self.record.sentences
        self.references = self.record.references
        self.evidence = self.record.appraisal.rows
        self.warnings = self.record.warnings
        self.notices = self.record.notices
        self.status = 0 if self.synthesis else NOTHING_FOUND

    def to_dict(self) -> dict[str, Any]:
        """The JSON answer."""
        return LITERATURE.answer(self._log) or {}

    def to_frame(self) -> DataFrame:
        """The evidence table as a pandas data frame. Raises UsageError where pandas is not
        installed.
        """
        try:
            import pandas
        except ImportError:
            raise UsageError("a data frame needs pandas: pip install pandas") from None
        return pandas.json_normalize(self.to_dict()["appraisal"]["rows"])

    def save(self, path: str | Path) -> None:
        """Keep the run in a file that `replay` and ``clinfo ask --replay`` read. Raises UsageError
        where it cannot be written.
        """
        problems: list[str] = []
        file = saved.Saving(Path(path), LITERATURE.events, (), problems.append, overwrite=True)
        for event in self.events:
            file.put(event)
        file.close()
        if problems:
            raise UsageError(problems[0])

    def __repr__(self) -> str:
        return f"<clinfo.Answer: {self.tldr or 'no answer'}>"

    def _repr_html_(self) -> str:
        said = {
            part: "".join(map(_marked, (one for one in self.sentences if one.part == part)))
            for part in ("tldr", "synthesis")
        }
        listed = "".join(
            (
                f'<li value="{one.n}">{html.escape(one.citation)} <a '
                f'href="{html.escape(one.url)}">{html.escape(one.id)}</a></li>'
            )
            if one.url
            else f'<li value="{one.n}">{html.escape(one.citation)} ({html.escape(one.id)})</li>'
            for one in self.references
            if one.cited
        )
        notices = "".join(
            f"<p><em>{html.escape(notice)}</em></p>" for notice in (*self.notices, *self.warnings)
        )
        head = f"<h3>{html.escape(self.question)}</h3>{notices}"
        if not self.synthesis:
            return (
                f"{head}<p><strong>No answer.</strong> "
                f"{html.escape(self.record.withheld_reason)}</p>"
            )
        return f"{head}<p><strong>{said['tldr']}</strong></p><p>{said['synthesis']}</p><ol>{listed}</ol>"  # noqa: E501


def _marked(sentence: Sentence) -> str:
    """A sentence as HTML, with its verdict behind it unless it is supported."""
    verdict = (
        "a count or an estimate" if sentence.counts_only else sentence.verdict.replace("_", " ")
    )
    mark = "" if verdict == "supported" else f" <small>({html.escape(verdict)})</small>"
    return html.escape(sentence.lead + sentence.text) + mark


@dataclass(frozen=True)
class _Called:
    """A callable as a ChatModel. Where its text goes is not known, so it counts as remote; nor is
    what it costs.
    """

    call: OwnModel
    name: str
    remote: bool = True
    notices: tuple[str, ...] = ()
    context_tokens: int | None = None

    def count_tokens(self, text: str) -> int:
        return len(text) // 4 + 1

    def worst_cost(self, request: ModelRequest) -> float | None:
        return None

    async def complete(self, request: ModelRequest) -> ModelReply:
        prompt = "\n\n".join(message.content for message in request.messages)
        asynchronous = inspect.iscoroutinefunction(self.call)
        reply = self.call(prompt) if asynchronous else await asyncio.to_thread(self.call, prompt)
        if inspect.isawaitable(reply):
            reply = await reply
        if not isinstance(reply, str):
            from clinfo.llm.gate import text_of

            reply = text_of(reply)
        if reply is None:
            raise errors.ModelError(f"the model {self.name} gave no text")
        return ModelReply(reply, self.name, cost_usd=None)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | StreamReset | ModelReply]:
        reply = await self.complete(request)
        yield reply.text
        yield reply


class _Own:
    """A ChatModel of the caller's. What it raises becomes a ModelError with the text of its error;
    ``raised`` holds the errors by that message, since a run's events carry texts alone.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.raised: dict[str, Exception] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    async def complete(self, request: ModelRequest) -> ModelReply:
        with self._told(request):
            return await self._model.complete(request)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | StreamReset | ModelReply]:
        with self._told(request):
            async for part in self._model.stream(request):
                yield part

    @contextmanager
    def _told(self, request: ModelRequest) -> Iterator[None]:
        from clinfo.llm.failures import excerpt

        try:
            yield
        except errors.ClinfoError:
            raise
        except Exception as error:
            said = f"{type(error).__name__}{excerpt(error, request)}"
            failed = errors.ModelError(f"the model {self._model.name} failed: {said}")
            self.raised[str(failed)] = error
            raise failed from error


async def stream(
    question: str,
    *,
    model: Model = None,
    source: str | Path | ArticleSource | None = None,
    after: Sequence[Event] = (),
    **options: Any,
) -> AsyncIterator[Event]:
    """The events of a run as they happen, after those of an earlier one to go on from.

    ``model`` is a name, a ChatModel, or a function from a prompt to a reply; ``source`` a name or
    an ArticleSource. ``options`` are those of the command line with underscores (``from_`` for
    ``--from``). Raises UsageError for what cannot be asked.
    """
    settings = load_settings()
    source = str(source) if isinstance(source, Path) else source
    own_source = None if isinstance(source, str) or source is None else source
    fields = _fields(options)
    try:
        request = request_of(
            settings,
            _named(model),
            question=question,
            source="demo" if own_source is not None else source,
            **fields,
        )
    except FieldError as error:
        raise UsageError(f"{error.field}: {error.fault}") from None
    if own_source is not None:
        request = replace(request, source=own_source.name)
    request = LITERATURE.resumed(LITERATURE.log(after), request)
    async for event in _events(LITERATURE, settings, request, model, after, source=own_source):
        yield event


async def _events(
    pipeline: Pipeline[Any, Any],
    settings: Settings,
    request: Any,
    model: Model,
    after: Sequence[Event],
    **given: Any,
) -> AsyncIterator[Event]:
    """The new events of a run; whoever stops to read them ends it."""
    if model is not None and not isinstance(model, str):
        given["models"] = dict.fromkeys(request.models, _own(model))
    carrier = await asyncio.to_thread(pipeline.assemble, settings, request, after, **given)
    async with aclosing(carrier.run(request, after=after)) as events:  # type: ignore[type-var]
        async for event in events:
            yield event


def _fields(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as fields of a request: ``no_strict=True`` is strict=False, ``prompts`` may be a
    folder. Raises UsageError.
    """
    fields: dict[str, Any] = {}
    for name, value in options.items():
        field = name.rstrip("_")
        if field.startswith("no_") and field[3:] in OPTIONS:
            field, value = field[3:], not value
        field = KEYWORDS.get(field, field)
        if field == "prompts" and isinstance(value, str | Path):
            value = PROMPTS.read_folder(value)
        elif field in WITH_FILES and any(
            isinstance(one, str) and one.startswith("@")
            for one in ([value] if isinstance(value, str) else value)
        ):
            raise UsageError(
                f"{field}: @FILE is read by the command line only; give the text of the file"
            )
        fields[field] = value
    return fields


def _named(model: Model) -> str | None:
    return model if isinstance(model, str) or model is None else _name(model)


def _name(model: ChatModel | OwnModel | _Own) -> str:
    return str(getattr(model, "name", None) or getattr(model, "__name__", type(model).__name__))


def _own(model: ChatModel | OwnModel | _Own) -> _Own:
    if isinstance(model, _Own):
        return model
    return _Own(model if hasattr(model, "complete") else _Called(model, _name(model)))  # type: ignore[arg-type]


async def aask(
    question: str,
    *,
    model: Model = None,
    source: str | Path | ArticleSource | None = None,
    save: str | Path | None = None,
    **options: Any,
) -> Answer:
    """The answer to a question; see `stream` for model, source and options.

    With ``save`` the run is kept in a file as it happens, and an unfinished run of the same
    question in it is resumed. Raises the class of `clinfo.errors` that carries the exit status the
    command line would have.
    """
    own = _own(model) if model is not None and not isinstance(model, str) else None
    path = None if save is None else Path(save)
    begun = path is not None and path.exists() and path.stat().st_size
    before = saved.begun(path, LITERATURE) if path is not None and begun else []
    new = stream(question, model=own or model, source=source, after=before, **options)
    return Answer(await _to_the_end(LITERATURE, new, before, path, own))


def trials(
    question: str,
    papers: Sequence[str | Path] = (),
    *,
    pmcid: Sequence[str] = (),
    studies: Mapping[str, Sequence[str]] | None = None,
    model: Model = None,
    save: str | Path | None = None,
    **options: Any,
) -> TrialsAnswer:
    """What each study concludes from its full-text papers: files, folders, articles of PubMed
    Central.

    ``model`` is as for `stream`, ``save`` as for `aask`; ``studies`` names studies with their
    papers, ``options`` are those of the command line with underscores. Raises the class of
    `clinfo.errors` that carries the exit status the command line would have.
    """
    from clinfo.pipelines.trials.request import request_of as trials_request
    from clinfo.pipelines.trials.stages import TRIALS

    settings = load_settings()
    if "n_max" in options:
        options["most"] = options.pop("n_max")
    request = trials_request(settings, question, papers, pmcid, studies, _named(model), **options)
    return TrialsAnswer(_carried_out(TRIALS, settings, request, model, save))


def cohort(
    index: str | Path,
    criteria: str = "",
    *,
    query: str = "",
    form: Mapping[str, Any] | None = None,
    model: Model = None,
    save: str | Path | None = None,
    **options: Any,
) -> dict[str, Any]:
    """The patients of an index (``clinfo cohort build``) who match criteria in words, put into a
    form by the ``model``, a ``query``, or a logical form as an answer has it; JSON of
    docs/cohort.md.

    ``model`` is as for `stream`, ``save`` as for `aask`; ``options`` are those of the command line
    with underscores. Raises UsageError where something is asked back, RecordError where there is
    no index, and otherwise the class of `clinfo.errors` that carries the exit status the command
    line would have.
    """
    from clinfo.pipelines.cohort.declared import COHORT
    from clinfo.pipelines.cohort.request import request_of as cohort_request

    settings = load_settings()
    request = cohort_request(
        settings, index, _named(model), criteria=criteria, query=query, form=form, **options
    )
    return _cohort(_carried_out(COHORT, settings, request, model, save))


Told: TypeAlias = "Answer | TrialsAnswer | ChartAnswer | CopilotAnswer | dict[str, Any]"


def _cohort(events: Sequence[Event]) -> dict[str, Any]:
    return next(event.answer for event in events if isinstance(event, Answered))


class ChartAnswer:
    """What one patient's notes say; what it says is `clinfo.records.chart.ChartAnswer`.

    ``answer`` is in words, or "not documented"; ``notes`` are those found, best first, with the
    ``spans`` that bear on the question. ``status`` is the exit status that the command line would
    have: 0, or 3 where it is not documented.
    """

    def __init__(self, events: Sequence[Event]) -> None:
        from clinfo.pipelines.chart.answer import build_answer
        from clinfo.pipelines.chart.events import ChartLog

        self.events = tuple(events)
        self._log = ChartLog(events)
        self.record = build_answer(self._log)
        self.answer = self.record.answer
        self.notes = self.record.notes
        self.warnings = self.record.warnings
        self.status = NOTHING_FOUND if self.answer == chart_records.NOT_DOCUMENTED else 0

    def to_dict(self) -> dict[str, Any]:
        """The JSON answer."""
        from clinfo.pipelines.chart.answer import answer_json

        return answer_json(self.record)

    @property
    def trace(self) -> str:
        """The audit of the run, as ``--trace`` writes it."""
        from clinfo.pipelines.chart.answer import trace_text

        return trace_text(self._log)


def chart(
    record: str | Path | Sequence[str | Path],
    question: str,
    *,
    model: Model = None,
    save: str | Path | None = None,
    **options: Any,
) -> ChartAnswer:
    """The answer to a question from one patient's notes: files and folders.

    ``model`` is as for `stream`, ``save`` as for `aask`; ``options`` are those of the command line
    with underscores, ``visit`` and ``category`` lists. Raises the class of `clinfo.errors` that
    carries the exit status the command line would have; NotForPatients where the model may not see
    patients' records.
    """
    from clinfo.pipelines.chart.stages import CHART

    settings = load_settings()
    request = _chart_request(settings, record, question, model, options)
    return ChartAnswer(_carried_out(CHART, settings, request, model, save))


async def stream_chart(
    record: str | Path | Sequence[str | Path],
    question: str,
    *,
    model: Model = None,
    after: Sequence[Event] = (),
    **options: Any,
) -> AsyncIterator[Event]:
    """The events of a run of `chart` as they happen, after those of an earlier one to go on from;
    whoever stops to read them ends the run. Raises what `chart` does before its run begins.
    """
    from clinfo.pipelines.chart.stages import CHART

    settings = load_settings()
    request = _chart_request(settings, record, question, model, options)
    async for event in _events(CHART, settings, request, model, after):
        yield event


def _chart_request(
    settings: Settings,
    record: str | Path | Sequence[str | Path],
    question: str,
    model: Model,
    options: Mapping[str, Any],
) -> chart_records.ChartRequest:
    from clinfo.pipelines.chart.request import request_of as chart_request

    fields = {_CHART_FIELDS.get(name, name): value for name, value in options.items()}
    for name in ("visits", "categories"):
        if name in fields:
            given = fields[name]
            fields[name] = (given,) if isinstance(given, str) else tuple(given)
    return chart_request(settings, record, question, _named(model), **fields)


_CHART_FIELDS = {
    "visit": "visits",
    "category": "categories",
    "from_": "since",
    "to": "until",
    "filter": "combined",
}


class CopilotAnswer:
    """What tools brought on a question, in checked claims; what it says is
    `clinfo.records.copilot.CopilotAnswer`.

    ``answer`` are the claims that stand, a line each with its sources' numbers, "" where none
    does; ``claims`` have each ``silo``, ``document``, ``span``, ``level``, ``date`` and
    ``verdict``. ``status`` is the exit status that the command line would have: 0, or 3 where no
    claim stands.
    """

    def __init__(self, events: Sequence[Event]) -> None:
        from clinfo.pipelines.copilot.run_log import CopilotLog, build_answer

        self.events = tuple(events)
        self._log = CopilotLog(events)
        self.record = build_answer(self._log)
        self.answer = self.record.answer
        self.claims = self.record.claims
        self.warnings = self.record.warnings
        self.status = 0 if self.claims else NOTHING_FOUND

    def to_dict(self) -> dict[str, Any]:
        """The JSON answer."""
        from clinfo.pipelines.copilot.run_log import answer_json

        return answer_json(self.record)

    @property
    def trace(self) -> str:
        """Plan, thoughts, calls and passages, as ``--trace`` writes them."""
        from clinfo.pipelines.copilot.run_log import trace_text

        return trace_text(self._log)

    def __repr__(self) -> str:
        return f"<clinfo.CopilotAnswer: {len(self.claims)} claims>"


def copilot(
    question: str,
    *,
    case: str = "",
    model: Model = None,
    judge: str | None = None,
    save: str | Path | None = None,
    **options: Any,
) -> CopilotAnswer:
    """The answer to a question, with the text of a case or without, looked up in silos by tools.

    ``model`` is as for `stream`, ``save`` as for `aask`; ``options`` are those of the command line
    with underscores (``gene``, ``variant``, ``disease``, ``drug`` select evidence without a model),
    ``tools`` a list. Raises the class of `clinfo.errors` that carries the exit status the command
    line would have; NotForPatients where a model may not see a case.
    """
    from clinfo.pipelines.copilot.declared import COPILOT
    from clinfo.pipelines.copilot.request import request_of as copilot_request
    from clinfo.pipelines.copilot.stages import PROMPTS as COPILOT_PROMPTS

    settings = load_settings()
    tools = options.pop("tools", ())
    prompts = options.pop("prompts", {})
    if isinstance(prompts, str | Path):
        prompts = COPILOT_PROMPTS.read_folder(prompts)
    request = copilot_request(
        settings,
        question,
        _named(model),
        judge,
        case=case,
        tools=(tools,) if isinstance(tools, str) else tuple(tools),
        prompts=prompts,
        **options,
    )
    return CopilotAnswer(_carried_out(COPILOT, settings, request, model, save))


def _carried_out(
    pipeline: Pipeline[Any, Any],
    settings: Settings,
    request: Any,
    model: Model,
    save: str | Path | None,
) -> Sequence[Event]:
    """The events of a run that came to its answer, kept in a file where ``save`` names one."""
    own = _own(model) if model is not None and not isinstance(model, str) else None
    path = None if save is None else Path(save)
    before = saved.unfinished(path, request, pipeline) if path is not None else []
    new = _events(pipeline, settings, request, own or model, before)
    return _waited_for(_to_the_end(pipeline, new, before, path, own))


async def _to_the_end(
    pipeline: Pipeline[Any, Any],
    new: AsyncIterator[Event],
    before: Sequence[Event],
    path: Path | None,
    own: _Own | None,
) -> Sequence[Event]:
    """All events of a run, ``new`` ones written to a file as they happen."""
    keeping: saved.Saving | None = None
    events = list(before)
    try:
        async for event in new:
            if path is not None and keeping is None:  # a request that is refused leaves no file
                keeping = saved.Saving(path, pipeline.events, before, warnings.warn)
            events.append(event)
            if keeping is not None:
                keeping.put(event)
    finally:
        if keeping is not None:
            keeping.close()
    return ended(events, own.raised if own else None)


def ask(
    question: str,
    *,
    model: Model = None,
    source: str | Path | ArticleSource | None = None,
    save: str | Path | None = None,
    **options: Any,
) -> Answer:
    """As `aask`, waited for. Where an event loop already runs, as in a notebook, the run has a
    thread of its own.
    """
    return _waited_for(aask(question, model=model, source=source, save=save, **options))


def _waited_for(work: Coroutine[Any, Any, Value]) -> Value:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    begun: list[asyncio.Task[Any]] = []

    async def noted() -> Value:
        begun.extend(filter(None, [asyncio.current_task()]))
        return await work

    with ThreadPoolExecutor(1, "clinfo") as thread:
        running = thread.submit(asyncio.run, noted())
        try:
            return running.result()
        except KeyboardInterrupt:
            for task in begun:
                task.get_loop().call_soon_threadsafe(task.cancel)
            raise


def search(
    query: str, *, source: str | ArticleSource | None = None, limit: int = 20
) -> tuple[Article, ...]:
    """The first articles that a query in the source's language finds, best first.

    Raises SourceError, UsageError, and IdentifiersFound where the query would leave this machine
    and seems to identify a patient.
    """
    chosen = _source(source)
    if chosen.remote:
        refuse_texts({"query": query})

    async def found() -> tuple[Article, ...]:
        result = await chosen.search(SearchRequest(query, limit))
        return tuple((await chosen.fetch(result.ids)).articles)

    return _waited_for(found())


def _source(source: str | ArticleSource | None) -> ArticleSource:
    settings = load_settings()
    if source is None or isinstance(source, str):
        return article_source(settings, source or settings.source, open_cache(settings))
    return source


def verify(
    sentence: str, articles: Sequence[Article | str], *, judge: JudgeChoice = "none"
) -> Sentence:
    """The sentence with its verdict against ``articles`` (or abstracts), which it cites in their
    order as [1], [2] …

    A sentence without marks cites them all. ``judge`` is "none" (then it is "quoted" where it
    stands word for word in one of them, else "not_verified") or "nli" (with CLINFO_NLI_MODEL).
    """
    from clinfo.claims.judging import Judges, given
    from clinfo.claims.registry import asks_model, learned_judge

    if asks_model(judge):
        raise UsageError(
            "verify asks no language model; a model judge goes with clinfo verify or ask"
        )
    known = [
        one if isinstance(one, Article) else Article(f"row:{n}", "", sections=(Section(one),))
        for n, one in enumerate(articles, 1)
    ]
    asked, studies = given([sentence], known)
    judges = Judges(judge, None, None, learned_judge(load_settings(), judge))
    return _waited_for(judges.verdicts(asked, studies, "verify")).sentences[0]


def check_references(
    file: str | Path, *, source: str | ArticleSource | None = None
) -> tuple[Checked, ...]:
    """The references of a list (RIS, BibTeX, nbib, CSV, or one PMID or DOI per line), each with
    notices of retraction and the like.

    Raises UsageError, RecordError, SourceError.
    """
    from clinfo.integrity.reference_check import check, reference_list
    from clinfo.integrity.retractions import loaded_list

    listed = reference_list(Path(file))
    return _waited_for(
        check(listed.references, _source(source), loaded_list(load_settings().data_dir))
    )


def replay(path: str | Path) -> Told:
    """The answer of a saved run of any pipeline, as it was; nothing is asked again. A cohort's is
    JSON, as `cohort` gives it.

    Raises UsageError where the file cannot be opened, RecordError for one that holds no run that
    came to its end, and what ended a run that failed.
    """
    kind = saved.pipeline_of(Path(path))
    if kind not in _ANSWERS:
        return Answer(ended(saved.read(Path(path), LITERATURE)))
    pipeline, answer = _ANSWERS[kind]
    return answer(ended(saved.read(Path(path), resolve_name(pipeline))))


_ANSWERS: Mapping[str, tuple[str, Callable[[Sequence[Event]], Told]]] = {
    "copilot": ("clinfo.pipelines.copilot.declared:COPILOT", CopilotAnswer),
    "trials": ("clinfo.pipelines.trials.stages:TRIALS", TrialsAnswer),
    "chart": ("clinfo.pipelines.chart.stages:CHART", ChartAnswer),
    "cohort": ("clinfo.pipelines.cohort.declared:COHORT", _cohort),
}
"""The pipelines beside the first, each with what makes an answer of its events."""
