"""``clinfo verify``: the judges of the chain on sentences from a file, so that anyone can measure
them.
"""

import asyncio
import io
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from clinfo.claims import registry
from clinfo.claims.cited import cited_sentence, without_invented
from clinfo.claims.joining import Opinion
from clinfo.claims.judging import Judges
from clinfo.console import streams
from clinfo.errors import BudgetReached, ClinfoError, ModelError, UsageError
from clinfo.files import file_errors
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.literature.request import default_judge
from clinfo.pipelines.opening import chat_model, open_cache, priced
from clinfo.privacy.phi_guard import refuse_texts
from clinfo.records.articles import Article, Section, Sentence, Study
from clinfo.records.request import EXTRACTIVE
from clinfo.runs.clock import SystemClock
from clinfo.runs.given import Given, fault
from clinfo.runs.protocols import Ask, ModelReply, ModelRequest
from clinfo.runs.recorder import Recorder
from clinfo.runs.run_log import RunLog
from clinfo.runs.spending import MemoryBudget
from clinfo.settings import Settings, load_settings
from clinfo.text.citations import renumbered, with_brackets

BATCH = 100
"""Rows judged together, so that those of the same articles share calls."""
AT_ONCE = 8
"""Calls of the model judge under way at a time."""
NOT_SENT = "The text was not sent. Remove it and judge again, or allow it (--allow-identifiers)."


class _Article(Given):
    n: int | None = None
    title: str = ""
    abstract: str = ""
    pmid: str | None = None

    def article(self, n: int) -> Article:
        """The article of this number."""
        sections = (Section(self.abstract),) if self.abstract else ()
        id = f"pmid:{self.pmid}" if self.pmid else f"row:{n}"
        return Article(id, self.title, self.pmid, sections=sections)


class _Row(Given):
    """A row as it stands in the file; an article without a number has that of its place."""

    id: Any
    sentence: str
    cites: tuple[int, ...]
    articles: tuple[_Article, ...]

    @cached_property
    def studies(self) -> list[Study]:
        """The studies that the citation numbers lead to."""
        numbered = [
            (at if one.n is None else one.n, one) for at, one in enumerate(self.articles, 1)
        ]
        return [Study(n, one.article(n), None) for n, one in numbered]


def verify(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE.jsonl",
            help="The file of sentences; - reads standard input.",
            show_default=False,
        ),
    ],
    judge: Annotated[
        str | None,
        typer.Option(
            "--judge",
            help=(
                f"{registry.choice()}. [model with --model, else CLINFO_JUDGE where it asks no "
                "language model, else nli where there is one, else none]"
            ),
            metavar="|".join(registry.names()),
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            help=(
                "The model that judges sentences. [with --judge model: CLINFO_MODEL_VERIFY, else "
                "CLINFO_MODEL]"
            ),
            metavar="NAME",
            show_default=False,
        ),
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(
            "--max-cost",
            help="Stop before model calls would cost more than this.",
            metavar="USD",
            show_default=False,
            min=0,
        ),
    ] = None,
    allow_identifiers: Annotated[
        bool,
        typer.Option(
            "--allow-identifiers",
            help="Send sentences to a model even if something in them seems to identify a patient.",
            show_default=False,
        ),
    ] = False,
) -> int:
    """Judge sentences against the articles they cite.

    The verdicts are supported, partial, unsupported, contradicted, not_verified and uncited;
    without a judge a sentence is quoted, where it stands word for word in an article it cites, or
    not_verified. The same code judges the sentences of every answer.

    Each line of the file is an object {"id", "sentence", "cites": [numbers], "articles": [{"n",
    "pmid", "title", "abstract"}]}. For each, stdout gets a line {"id", "verdict", "reason", "why",
    "judges", "notes": [text], "spans": [{"n", "field", "start", "end"}]}, in the same order. Notes
    are numbers and references that stand in no article cited for them. Offsets are code points of
    the title or abstract as given. "why" repeats "reason" until version 1.0.

    Exit status: 0 all judged; 2 a line or flag that cannot be used (what came before it is judged);
    4 the judge failed at every sentence (they are written as not_verified); 5 budget reached; 6 a
    sentence seems to identify a patient and the model is not on this machine (what came before it
    is judged).
    """
    from clinfo.pipelines.literature.at_work import permit

    settings = load_settings()
    permit(settings, allow_identifiers)
    if judge is not None:
        if said := registry.renamed(judge):
            streams.complain(said)
        choice = registry.spec(judge).name
    else:
        choice = "model" if model is not None else default_judge(settings, None)
    learned = registry.learned_judge(settings, choice)
    ask, prompt, remote = (
        _asking(settings, model, max_cost) if registry.spec(choice).model else (None, None, False)
    )
    rows, fault = _rows(file, guarded=remote and not allow_identifiers)
    return asyncio.run(_judge(rows, fault, Judges(choice, prompt, ask, learned)))


def _rows(file: str, guarded: bool) -> tuple[list[_Row], ClinfoError | None]:
    """The rows of the lines that are not blank ("-" is standard input) up to the first that cannot
    be used, and why it cannot: it is no row, or it seems to identify a patient where rows are
    ``guarded``.
    """
    name, rows = "standard input" if file == "-" else file, list[_Row]()
    if file == "-" and sys.stdin is None:
        raise UsageError("- reads from standard input, which is closed")
    try:
        with file_errors(f"the file {name} cannot be read"):
            # In UTF-8 whatever the machine's own encoding: offsets are code points of the text as
            # it was written.
            binary = sys.stdin.buffer if file == "-" else Path(file).open("rb")  # noqa: SIM115
            for number, line in enumerate(io.TextIOWrapper(binary, encoding="utf-8-sig"), 1):
                if line.strip():
                    place = f"line {number} of {name}"
                    row = _row(place, line)
                    if guarded:
                        refuse_texts({f"sentence in {place}": row.sentence}, NOT_SENT)
                    rows.append(row)
    except UnicodeError:
        return rows, UsageError(f"the file {name} cannot be read: it is not UTF-8 text")
    except ClinfoError as error:
        return rows, error
    return rows, None


def _finite(digits: str) -> float:
    """A number that JSON can hold, so that it can be written back."""
    if not isfinite(number := float(digits)):
        raise ValueError(f"{digits[:20]} is not a JSON number")
    return number


def _row(place: str, line: str) -> _Row:

    try:
        return _Row.model_validate(json.loads(line, parse_constant=_finite, parse_float=_finite))
    except ValidationError as error:
        raise UsageError(f"{place}: {' '.join(fault(error, _Row, 'is no field'))}") from None
    except (json.JSONDecodeError, RecursionError):
        raise UsageError(f"{place} is not JSON") from None
    except ValueError as error:
        raise UsageError(f"{place} is not JSON: {error}") from None


def _write(row: _Row, sentence: Sentence) -> None:
    spans = [
        {"n": span.n, "field": span.field, "start": span.start, "end": span.end}
        for span in sentence.spans
    ]
    told = {
        "verdict": sentence.verdict,
        "reason": sentence.reason,
        "why": sentence.reason,
        "judges": list(sentence.judges),
        "notes": list(sentence.notes),
        "spans": spans,
    }
    # Half of a surrogate pair in an id is written as JSON escapes it, so that it comes back.
    line = json.dumps({"id": row.id, **told}, ensure_ascii=False, allow_nan=False)
    streams.write(line.encode(errors="backslashreplace").decode() + "\n")


async def _judge(rows: Sequence[_Row], fault: ClinfoError | None, judges: Judges) -> int:
    """Judge and write the rows batch by batch, those first that are paid for where a budget ends
    it; then raise the ``fault`` of the row after them.
    """
    limited = _Limited(judges.ask) if judges.ask is not None else None
    judges = replace(judges, ask=limited)
    told: list[Opinion] = []
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        judged, opinions = await _judged(batch, judges, f"rows {start // BATCH}")
        told += opinions
        for row, sentence in judged:
            _write(row, sentence)
        streams.flush()
        if limited is not None and limited.spent is not None:
            raise limited.spent
    if fault is not None:
        raise fault
    if told and all(opinion.failed for opinion in told):
        raise ModelError(f"no sentence got a verdict of the judge asked: {told[-1].reason}")
    return 0


class _Limited:
    """Asks a model, `AT_ONCE` calls at a time. A budget that is reached is kept as ``spent``: the
    calls after it fail.
    """

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._places = asyncio.Semaphore(AT_ONCE)
        self.spent: BudgetReached | None = None

    async def __call__(self, call: str, request: ModelRequest) -> ModelReply:
        async with self._places:
            if self.spent is None:
                try:
                    return await self._ask(call, request)
                except BudgetReached as error:
                    self.spent = error
            raise ModelError(str(self.spent))


async def _judged(
    batch: Sequence[_Row], judges: Judges, call: str
) -> tuple[list[tuple[_Row, Sentence]], list[Opinion]]:
    """(the rows with their sentences as judged, what the judges said). Articles that several rows
    have are one under a common number, so that their sentences can be judged together.
    """
    numbers: dict[tuple[str, str], int] = {}
    studies: list[Study] = []
    asked: list[Sentence] = []
    common: list[dict[int, int]] = []
    for row in batch:
        own: dict[int, int] = {}
        for study in row.studies:
            key = study.article.title, study.article.abstract
            if key not in numbers:
                numbers[key] = len(numbers) + 1
                studies.append(replace(study, n=numbers[key]))
            own[study.n] = numbers[key]
        text = with_brackets(row.sentence, own, {one.article.pmid: one.n for one in row.studies})
        one = cited_sentence(text, row.cites, row.studies)
        one = replace(one, text=without_invented(one.text, own)[0])
        asked.append(_renumbered(one, own))
        common.append(own)
    heard = await judges.verdicts(asked, studies, call, apart=True)
    spent = isinstance(judges.ask, _Limited) and judges.ask.spent is not None
    judged = [
        (row, _renumbered(one, {there: here for here, there in own.items()}))
        for place, (row, one, own) in enumerate(zip(batch, heard.sentences, common, strict=True))
        if not (spent and any(said.failed for said in heard.opinions.get(place, ())))
    ]
    return judged, [said for every in heard.opinions.values() for said in every]


def _renumbered(sentence: Sentence, numbers: Mapping[int, int]) -> Sentence:
    """The sentence with its articles under other numbers, wherever they are named."""

    def said(text: str) -> str:
        return renumbered(text, numbers)

    return replace(
        sentence,
        text=said(sentence.text),
        reason=said(sentence.reason),
        notes=tuple(map(said, sentence.notes)),
        cites=tuple(numbers[n] for n in sentence.cites),
        spans=tuple(replace(span, n=numbers[span.n]) for span in sentence.spans),
    )


def _asking(
    settings: Settings, name: str | None, max_cost: float | None
) -> tuple[Ask, Prompt, bool]:
    """Return how the model judge is asked, its prompt, and whether it is elsewhere. Raises
    UsageError without one that can judge.
    """
    from clinfo.pipelines.literature.stages import JUDGE_STAGE, LITERATURE, PROMPTS

    chosen = name or LITERATURE.stage_models(settings).get(JUDGE_STAGE) or settings.model
    if chosen is None or chosen == EXTRACTIVE:
        raise UsageError(
            "--judge model needs a language model: --model NAME, or CLINFO_MODEL_VERIFY"
        )
    models = {JUDGE_STAGE: chat_model(settings, chosen, open_cache(settings))}
    if max_cost is not None:
        priced(models)
    recorder = Recorder(
        models, MemoryBudget(max_cost), SystemClock(), 0, RunLog(), lambda event: None
    )
    return (
        recorder.ask,
        PROMPTS.parse(JUDGE_STAGE, PROMPTS.defaults()[JUDGE_STAGE]),
        models[JUDGE_STAGE].remote,
    )
