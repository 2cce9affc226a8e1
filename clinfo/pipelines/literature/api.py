"""The literature pipeline as a program calls it: `clinfo.ask`, `clinfo.aask`, `clinfo.stream`."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clinfo.errors import FieldError, UsageError
from clinfo.extras import installing
from clinfo.pipelines.calling import (
    Model,
    Own,
    PipelineAnswer,
    door,
    in_notebook,
    kind_of,
    named_model,
    new_events,
    own_model,
    refuse_part,
    to_the_end,
    waited_for,
)
from clinfo.pipelines.literature.answer import build_answer
from clinfo.pipelines.literature.events import LiteratureLog
from clinfo.pipelines.literature.request import NO_MODEL, OPTIONS, request_of
from clinfo.pipelines.literature.stages import LITERATURE, PROMPTS
from clinfo.records import answer as records
from clinfo.records.appraisal import EvidenceRow
from clinfo.records.articles import RunRequest
from clinfo.runs import saved
from clinfo.runs.events import Event
from clinfo.runs.protocols import Budget
from clinfo.settings import load_settings
from clinfo.sources.given import Called
from clinfo.sources.memory import listed, of_texts
from clinfo.sources.registry import ArticleSource

if TYPE_CHECKING:
    from pandas import DataFrame

    from clinfo.pipelines.literature.batch import Question
    from clinfo.settings import Settings

Texts = Sequence[str | Mapping[str, Any]]
"""Each a text or a mapping with ``title``, ``abstract`` and what else is known (``pmid``, ``doi``,
``authors``, ``journal``, ``year``)."""
Source = str | Path | ArticleSource | Texts | Callable[[str], Any] | None
"""A source's name, one of your own, texts, or a function from a query to texts, which may be
``async``."""
_KEYWORDS = {
    one.option.flag.removeprefix("--").replace("-", "_"): name
    for name, one in OPTIONS.items()
    if one.option.flag
}
"""Fields by their flags, where those have other names."""
_WITH_FILES = frozenset(
    name for name, one in OPTIONS.items() if "@FILE" in (one.option.metavar or "")
)


class Evidence(tuple[EvidenceRow, ...]):
    """The evidence table, which a notebook shows as one."""

    def _repr_html_(self) -> str:
        return in_notebook("evidence", self)


class Answer(PipelineAnswer[LiteratureLog, records.Answer]):
    """The answer of a run, as far as its events go; what it says is
    `clinfo.records.answer.Answer`.

    ``sentences`` are those of synthesis and TL;DR, each with its ``verdict`` and the reason for
    it; ``evidence`` the evidence table, a row for each relevant article; ``notices`` what must be
    said with the answer: how it was made, and whether older checks judged it. ``status`` is the
    exit status that the command line would have: 0, or 3 where nothing is found or the answer is
    withheld.
    """

    def __init__(self, events: Sequence[Event]) -> None:
        super().__init__(LITERATURE, build_answer, lambda record: record.synthesis, events)
        self.question = self.record.question
        self.tldr = self.record.tldr
        self.synthesis = self.record.synthesis
        self.sentences = self.record.sentences
        self.references = self.record.references
        self.evidence = Evidence(self.record.appraisal.rows)
        self.warnings = self.record.warnings
        self.notices = self.record.notices

    def to_frame(self) -> DataFrame:
        """The evidence table as a pandas data frame. Raises UsageError where pandas is not
        installed.
        """
        try:
            import pandas
        except ImportError:
            raise UsageError(f"a data frame needs pandas: {installing('pandas')}") from None
        rows = self.to_dict()["appraisal"]["rows"]
        columns = None if rows else [one.name for one in fields(EvidenceRow)]
        return pandas.DataFrame(pandas.json_normalize(rows), columns=columns)

    def __repr__(self) -> str:
        return f"<clinfo.Answer: {self.tldr or 'no answer'}>"


def _asked(
    settings: Settings, question: str, model: Model, source: Source, options: Mapping[str, Any]
) -> tuple[RunRequest, ArticleSource | None]:
    """The request, and the source where it is the caller's own. Raises UsageError."""
    source = opened(source)
    own_source = None if isinstance(source, str) or source is None else source
    try:
        request = request_of(
            settings,
            named_model(model),
            question=question,
            source="demo" if own_source is not None else source,
            **_fields(options),
        )
    except FieldError as error:
        chosen = error.field == "model" and error.fault == NO_MODEL
        how = '; give model="extractive" (built in), a name or a function' if chosen else ""
        raise UsageError(f"{error.field}: {error.fault}{how}") from None
    if own_source is not None:
        request = replace(request, source=own_source.name)
    return request, own_source


def opened(source: Source) -> str | ArticleSource | None:
    """A source by its name, or as an object. Raises UsageError for what is neither, nor one of
    texts.
    """
    if source is None or isinstance(source, str | Path):
        return None if source is None else str(source)
    if isinstance(source := listed(source), Sequence):
        return of_texts(source)
    if hasattr(source, "search") and not isinstance(source, type):
        refuse_part("source", source, ArticleSource)
        return source  # type: ignore[no-any-return]
    if callable(source) and not isinstance(source, type):
        return Called(source)
    raise UsageError(
        f"source: {kind_of(source)} is none; give a name, a list of texts, a function from "
        "a query to texts, or an object with name, search and fetch, as docs/python.md shows it"
    )


async def stream(
    question: str,
    *,
    model: Model = None,
    source: Source = None,
    after: Sequence[Event] = (),
    **options: Any,
) -> AsyncIterator[Event]:
    """The events of a run as they happen, after those of an earlier one to go on from.

    ``model`` is a name, a ChatModel, or a function from a prompt to a reply; ``source`` a name, an
    ArticleSource, or a list of texts (`Source`). ``options`` are those of the command line with
    underscores (``from_`` for ``--from``). Raises UsageError for what cannot be asked.
    """
    settings = load_settings()
    request, own_source = _asked(settings, question, model, source, options)
    async for event in new_events(LITERATURE, settings, request, model, after, source=own_source):
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
        field = _KEYWORDS.get(field, field)
        if field == "prompts" and isinstance(value, str | Path):
            value = PROMPTS.read_folder(value)
        elif field in _WITH_FILES and any(
            str(one).startswith("@")
            for one in (value if isinstance(value, list | tuple) else [value])
        ):
            raise UsageError(
                f"{field}: @FILE is read by the command line only; give the text of the file"
            )
        fields[field] = value
    return fields


async def aask(
    question: str,
    *,
    model: Model = None,
    source: Source = None,
    save: str | Path | None = None,
    **options: Any,
) -> Answer:
    """The answer to a question; see `stream` for model, source and options.

    With ``save`` the run is kept in a file as it happens, and an unfinished run of the same
    question in it is resumed. Raises the class of `clinfo.errors` that carries the exit status the
    command line would have.
    """
    own = own_model(model) if model is not None and not isinstance(model, str) else None
    path = None if save is None else Path(save)
    begun = path is not None and path.exists() and path.stat().st_size
    before = saved.begun(path, LITERATURE) if path is not None and begun else []
    new = stream(question, model=own or model, source=source, after=before, **options)
    return Answer(await to_the_end(LITERATURE, new, before, path, own))


@door
def ask(
    question: str,
    *,
    model: Model = None,
    source: Source = None,
    save: str | Path | None = None,
    **options: Any,
) -> Answer:
    """As `aask`, waited for. Where an event loop already runs, as in a notebook, the run has a
    thread of its own.
    """
    return waited_for(aask(question, model=model, source=source, save=save, **options))


@door
def ask_many(
    questions: str | Path | Iterable[str | Mapping[str, Any]],
    *,
    model: Model = None,
    source: Source = None,
    out: str | Path | None = None,
    **options: Any,
) -> list[dict[str, Any]]:
    """The answers to many questions, a mapping each: ``id``, ``question``, ``status``, ``answer``
    (its JSON), ``error`` and ``cost_usd``.

    ``questions`` are texts, mappings with ``question`` and ``id``, or a file of them (CSV, JSON
    lines, or a question a line). With ``out`` each answer is kept as a line of JSON when it is
    there, and a batch that was stopped goes on. ``max_cost`` holds for all of them together.
    Raises UsageError, and BudgetReached.
    """
    from clinfo.pipelines.literature import batch

    settings, held = load_settings(), isinstance(questions, str | Path)
    if isinstance(questions, str) and not os.path.isfile(questions):
        raise UsageError(f"there is no file {questions[:80]!r}; {batch.TAKEN}")
    every = batch.read_questions(questions) if held else batch.questions_of(questions)  # type: ignore[arg-type]
    own = own_model(model) if model is not None and not isinstance(model, str) else None
    source = opened(source)

    def asked(question: str) -> tuple[RunRequest, ArticleSource | None]:
        return _asked(settings, question, model, source, options)

    return answered(settings, every, asked, own, out)


def answered(
    settings: Settings,
    every: Sequence[Question],
    asked: Callable[[str], tuple[RunRequest, ArticleSource | None]],
    own: Own | None,
    out: str | Path | None,
    seen: Callable[[int, dict[str, Any]], None] = lambda done, row: None,
) -> Rows:
    """The rows of a batch: ``asked`` makes a question's request, whose ``max_cost`` holds for all
    questions together, and its source where it is no named one; ``own`` is a model of the
    caller's.
    """
    from clinfo.pipelines.literature import batch

    async def one(question: str, budget: Budget) -> Answer:
        request, source = asked(question)
        new = new_events(LITERATURE, settings, request, own, (), source=source, budget=budget)
        return Answer(await to_the_end(LITERATURE, new, (), None, own))

    first, _ = asked("Does it help?")  # any: what a question says is no option
    options = replace(first, question="", max_cost=None, max_seconds=None)
    place = None if out is None else Path(out)
    return Rows(waited_for(batch.each(every, one, options, place, first.max_cost, seen)))


class Rows(list[dict[str, Any]]):
    """The rows of a batch, which a notebook shows as a table."""

    def _repr_html_(self) -> str:
        return in_notebook("batch", self)
