"""``clinfo verify``: the judges of the chain on sentences from a file, so that anyone can measure
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from clinfo.claims import registry
from clinfo.cli import json_rows
from clinfo.console import streams
from clinfo.errors import ClinfoError, ModelError, UsageError

if TYPE_CHECKING:
    from clinfo.claims.judging import Judges
    from clinfo.llm.prompts import Prompt
    from clinfo.records.articles import Sentence, Study
    from clinfo.runs.protocols import Ask
    from clinfo.settings import Settings


AT_ONCE = 8
"""Calls of the model judge under way at a time."""
NOT_SENT = "The text was not sent. Remove it and judge again, or allow it (--allow-identifiers)."


class Row(NamedTuple):
    """One sentence to judge: its id as given, the citation numbers, and the studies they lead
    to.
    """

    id: Any
    sentence: str
    cites: tuple[int, ...]
    studies: tuple[Study, ...]


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
                f"{registry.choice()}. [CLINFO_JUDGE where it asks no language model, else learned "
                "where there is "
                "one, else rules]"
            ),
            metavar="|".join(registry.names()),
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            help="The model that judges sentences. [CLINFO_MODEL_VERIFY, else CLINFO_MODEL]",
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

    The verdicts are supported, partial, unsupported, contradicted, uncited, and not_verified where
    no judge could confirm the wording. The same code checks the sentences of every answer.

    Each line of the file is an object {"id", "sentence", "cites": [numbers], "articles": [{"n",
    "pmid", "title", "abstract"}]}. For each, stdout gets a line {"id", "verdict", "reason", "why",
    "judges", "spans": [{"n", "field", "start", "end"}]}, in the same order. Offsets are code points
    of the title or abstract as given. "why" repeats "reason" until version 1.0.

    Exit status: 0 all judged; 2 a line or flag that cannot be used (what came before it is judged);
    4 the model or learned judge failed at every sentence (the verdicts written are those of the
    rules); 5 budget reached; 6 a sentence seems to identify a patient and the model is not on this
    machine (what came before it is judged).
    """
    from clinfo.claims.judging import Judges
    from clinfo.pipelines.literature.assemble import default_judge, permit
    from clinfo.settings import load_settings

    settings = load_settings()
    permit(settings, allow_identifiers)
    choice = judge if judge is not None else default_judge(settings, None)
    learned = registry.learned_judge(settings, choice)
    ask, prompt, remote = (
        _asking(settings, model, max_cost) if registry.asks_model(choice) else (None, None, False)
    )
    judges = Judges(choice, prompt, ask, learned)
    rows = (
        _unidentifying(_rows(file))
        if remote and not allow_identifiers
        else (row for _, row in _rows(file))
    )
    import asyncio

    return asyncio.run(_judge(rows, judges))


def _rows(file: str) -> Iterator[tuple[str, Row]]:
    """(where it stands, the row) of each line."""
    for place, form in json_rows.read(file, {"id", "sentence", "cites", "articles"}):
        yield place, _row(place, form)


def _unidentifying(rows: Iterable[tuple[str, Row]]) -> Iterator[Row]:
    """The rows up to the first whose sentence seems to identify a patient. Raises IdentifiersFound
    there.
    """
    from clinfo.privacy.phi_guard import refuse_texts

    for place, row in rows:
        refuse_texts({f"sentence in {place}": row.sentence}, NOT_SENT)
        yield row


def _row(place: str, form: dict[str, Any]) -> Row:
    from clinfo.records.articles import Article, Section, Study

    cites, articles = form["cites"], form["articles"]
    if not isinstance(form["sentence"], str):
        raise UsageError(f"{place}: “sentence” must be text")
    if not isinstance(cites, list) or not all(
        isinstance(n, int) and not isinstance(n, bool) for n in cites
    ):
        raise UsageError(f"{place}: “cites” must be a list of whole numbers")
    if not isinstance(articles, list) or not all(isinstance(one, dict) for one in articles):
        raise UsageError(f"{place}: “articles” must be a list of objects")
    studies = []
    for one in articles:
        title, abstract, n, pmid = (
            one.get("title") or "",
            one.get("abstract") or "",
            one.get("n"),
            one.get("pmid"),
        )
        if (
            not isinstance(n, int)
            or isinstance(n, bool)
            or not isinstance(title, str)
            or not isinstance(abstract, str)
        ):
            raise UsageError(
                f"{place}: an article needs a number “n”, and “title” and “abstract” as text"
            )
        sections = (Section(abstract),) if abstract else ()
        known = str(pmid) if pmid else None
        article = Article(
            id=f"pmid:{known}" if known else f"row:{n}", title=title, pmid=known, sections=sections
        )
        studies.append(Study(n, article, None))
    return Row(form["id"], form["sentence"], tuple(cites), tuple(studies))


def _write(row: Row, sentence: Sentence) -> None:
    spans = [
        {"n": span.n, "field": span.field, "start": span.start, "end": span.end}
        for span in sentence.spans
    ]
    told = {
        "verdict": sentence.verdict,
        "reason": sentence.reason,
        "why": sentence.reason,
        "judges": list(sentence.judges),
        "spans": spans,
    }
    json_rows.write({"id": row.id, **told})


def _groups(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Rows that follow each other and cite the same articles, as many as one call judges, so that
    what is paid for is written.

    Where a row cannot be used, first those before it.
    """
    from clinfo.claims.model_judge import GROUP_SENTENCES

    group: list[Row] = []
    try:
        for row in rows:
            if group and (row.studies != group[0].studies or len(group) == GROUP_SENTENCES):
                yield group
                group = []
            group.append(row)
    except ClinfoError:
        if group:
            yield group
        raise
    if group:
        yield group


async def _judge(rows: Iterable[Row], judges: Judges) -> int:
    """The rows of `_groups` are one group for the judges each; groups go `AT_ONCE` at a time."""
    import asyncio

    from clinfo.runs.tasks import cancelled

    waiting: list[asyncio.Task[list[tuple[Row, Sentence]]]] = []
    try:
        try:
            for number, group in enumerate(_groups(rows)):
                waiting.append(asyncio.create_task(_judged(group, judges, f"group {number}")))
                if len(waiting) == AT_ONCE:
                    _write_all(await waiting.pop(0))
        finally:
            # a line that cannot be used ends the reading; what was read before it is judged and
            # written all the same
            while waiting:
                _write_all(await waiting.pop(0))
    finally:
        await cancelled(waiting)
    heard = [opinion for said in judges.heard.values() for opinion in said]
    if heard and all(opinion.failed for opinion in heard):
        raise ModelError(
            f"no sentence got a verdict of the judge asked: {heard[-1].reason}; those written are "
            "the rules'"
        )
    return 0


def _write_all(judged: Iterable[tuple[Row, Sentence]]) -> None:
    for row, sentence in judged:
        _write(row, sentence)
    streams.flush()


async def _judged(group: list[Row], judges: Judges, call: str) -> list[tuple[Row, Sentence]]:
    from clinfo.claims.orders import as_evidence
    from clinfo.claims.verify import check_sentence

    studies = as_evidence(group[0].studies)
    by_rules = [check_sentence(row.sentence, row.cites, studies) for row in group]
    return list(
        zip(group, await judges.verdicts("synthesis", by_rules, studies, call), strict=True)
    )


def _asking(
    settings: Settings, name: str | None, max_cost: float | None
) -> tuple[Ask, Prompt, bool]:
    """Return how the model judge is asked, its prompt, and whether it is elsewhere. Raises
    UsageError without one that can judge.
    """
    from clinfo.pipelines.literature.assemble import open_cache
    from clinfo.pipelines.literature.declared import JUDGE_STAGE, LITERATURE, PROMPTS
    from clinfo.pipelines.models import chat_model, priced
    from clinfo.records.request import EXTRACTIVE
    from clinfo.runs.clock import SystemClock
    from clinfo.runs.recorder import Recorder
    from clinfo.runs.run_log import RunLog
    from clinfo.runs.spending import MemoryBudget

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
