"""``clinfo ask``: a question in, an answer out."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clinfo.claims import registry as judges
from clinfo.cli.answer_format import REFERENCE_FORMATS, Format, Include
from clinfo.errors import UsageError
from clinfo.extras import needed
from clinfo.sources.registry import choice

if TYPE_CHECKING:
    from clinfo.records.articles import RunRequest
    from clinfo.render.folded import Extent
    from clinfo.settings import Settings


HOW_TO_CHOOSE_A_MODEL = (
    "no model is chosen: add --model extractive (built in, no key, nothing leaves this machine) or --model NAME for a model of "
    "any provider (gpt-4o, anthropic/claude-sonnet-4-5, ollama/llama3.1, …), or set CLINFO_MODEL"
)

_SEARCH = "What is searched"
_READ = "What is read"
_MODEL = "Model"
_LIMITS = "Limits"
_OUTPUT = "Output"
_RECORD = "Saved runs"
_LISTS = f"{', '.join(REFERENCE_FORMATS[:-1])} or {REFERENCE_FORMATS[-1]}"


def _flag(name: str, text: str, panel: str, metavar: str | None = None) -> Any:
    return typer.Option(name, help=text, rich_help_panel=panel, metavar=metavar, show_default=False)


def ask(
    question: Annotated[str | None, typer.Argument(help="The question, in plain words and in quotes.", show_default=False)] = None,
    model: Annotated[
        str | None, _flag("--model", "extractive, or any model that litellm knows. [CLINFO_MODEL]", _MODEL, "NAME")
    ] = None,
    prompts: Annotated[
        str | None, _flag("--prompts", "Folder of five prompt files that replace the default prompts.", _MODEL, "DIR")
    ] = None,
    seed: Annotated[int | None, _flag("--seed", "First seed; query i uses seed + i. [0]", _MODEL, "N")] = None,
    strict: Annotated[
        bool,
        _flag(
            "--strict/--no-strict",
            "Have unsupported sentences repaired once, remove those that stay so, and withhold an answer of which too little is "
            "carried; or only mark them. [strict]",
            _MODEL,
        ),
    ] = True,
    judge: Annotated[
        str | None,
        _flag(
            "--judge",
            f"Who checks each sentence: {judges.choice()}. [CLINFO_JUDGE, else both with a language model, else learned where "
            "there is one, else rules]",
            _MODEL,
            "NAME",
        ),
    ] = None,
    allow_identifiers: Annotated[
        bool, _flag("--allow-identifiers", "Send what is asked although something in it seems to identify a patient.", _MODEL)
    ] = False,
    source: Annotated[
        str | None,
        _flag(
            "--source",
            f"{choice()}. [CLINFO_SOURCE, else pubmed]",
            _SEARCH,
            "NAME",
        ),
    ] = None,
    query: Annotated[
        list[str] | None,
        _flag(
            "--query",
            "Use this query (or strategy of numbered lines) as it is; may be repeated. [generated ones]",
            _SEARCH,
            "TEXT|@FILE",
        ),
    ] = None,
    from_: Annotated[str | None, _flag("--from", "First publication date: YYYY, YYYY-MM or YYYY-MM-DD.", _SEARCH, "DATE")] = None,
    to: Annotated[str | None, _flag("--to", "Last publication date.", _SEARCH, "DATE")] = None,
    filter_: Annotated[
        str | None, _flag("--filter", "PubMed filter put on every query, such as english[la].", _SEARCH, "TEXT")
    ] = None,
    strategy: Annotated[
        str | None,
        _flag(
            "--strategy",
            "seeds: one prompt, several seeds. pico: population, intervention, comparator and outcome as the model understands "
            "them, in a strict, a standard and a wide query. [seeds]",
            _SEARCH,
            "NAME",
        ),
    ] = None,
    queries: Annotated[int | None, _flag("--queries", "Number of generated queries. [3]", _SEARCH, "N")] = None,
    per_query: Annotated[int | None, _flag("--per-query", "Articles asked of each query. [16]", _SEARCH, "N")] = None,
    chase: Annotated[
        int | None,
        _flag("--chase", "Follow links from the first N relevant articles: similar, citing and cited ones. [0]", _SEARCH, "N"),
    ] = None,
    known: Annotated[
        list[str] | None,
        _flag("--known", "PMIDs that the search should find: where each is found or lost. Repeatable.", _SEARCH, "PMIDS|@FILE"),
    ] = None,
    term_counts: Annotated[
        bool, _flag("--term-counts", "Ask for the hits of every term by itself, a request each.", _SEARCH)
    ] = False,
    no_repair: Annotated[
        bool, _flag("--no-repair", "Send generated queries as they are; do not loosen those that find nothing.", _SEARCH)
    ] = False,
    fresh: Annotated[
        bool, _flag("--fresh", "Ask the source again instead of using its answers of the last 24 hours.", _SEARCH)
    ] = False,
    regime: Annotated[
        str | None,
        _flag(
            "--regime", "unrestricted, restricted (with --before) or source-dropped (with --drop). [unrestricted]", _READ, "NAME"
        ),
    ] = None,
    before: Annotated[str | None, _flag("--before", "Use only articles published before this day.", _READ, "YYYY-MM-DD")] = None,
    drop: Annotated[list[str] | None, _flag("--drop", "Never use this article; may be repeated.", _READ, "PMID")] = None,
    max_articles: Annotated[int | None, _flag("--max-articles", "Most articles judged. [100]", _READ, "N")] = None,
    rerank: Annotated[
        int | None, _flag("--rerank", "Summarise only the N best by BM25 when more than 35 are relevant. [off]", _READ, "N")
    ] = None,
    max_cost: Annotated[
        float | None, _flag("--max-cost", "Stop before more than this would be spent on models.", _LIMITS, "USD")
    ] = None,
    max_seconds: Annotated[
        float | None, _flag("--max-seconds", "Answer with what is read by then, and say how much that is.", _LIMITS, "S")
    ] = None,
    format_: Annotated[Format | None, _flag("--format", "[text]", _OUTPUT)] = None,
    json: Annotated[bool, _flag("--json", "Same as --format json.", _OUTPUT)] = False,
    include: Annotated[Include | None, _flag("--include", f"Which articles {_LISTS} hold. [cited]", _OUTPUT)] = None,
    short: Annotated[bool, _flag("--short", "Text form: TL;DR, synthesis and the references cited, no more.", _OUTPUT)] = False,
    all_rows: Annotated[
        bool, _flag("--all-rows", "Text form: every study in the evidence table, not the first ten.", _OUTPUT)
    ] = False,
    details: Annotated[
        bool,
        _flag("--details", "Text form: everything: findings, balance, doubts, all references, search, settings.", _OUTPUT),
    ] = False,
    events: Annotated[bool, _flag("--events", "One JSON event a line, as they happen; the last is the answer.", _OUTPUT)] = False,
    quiet: Annotated[bool, _flag("--quiet", "No progress on stderr.", _OUTPUT)] = False,
    save: Annotated[
        str | None,
        _flag("--save", "Keep the run's events in a file; an unfinished run in it is gone on with.", _RECORD, "FILE"),
    ] = None,
    plot: Annotated[
        str | None,
        _flag("--plot", "Also draw the effects with intervals that the abstracts state, as .svg or .png.", _OUTPUT, "FILE"),
    ] = None,
    overwrite: Annotated[bool, _flag("--overwrite", "Let --save replace what the file holds.", _RECORD)] = False,
    replay: Annotated[str | None, _flag("--replay", "Show a saved run; nothing is asked again.", _RECORD, "FILE")] = None,
    check_again: Annotated[
        bool, _flag("--check-again", "With --replay: judge its sentences by today's rules, without any network.", _RECORD)
    ] = False,
) -> int:
    """Answer a question from the literature.

    The answer goes to stdout, progress to stderr. Exit status: 0 answered, 1 the answer could not be written (or the reader of a
    pipe left early, and then without a word), 2 wrong usage, 3 nothing relevant found, no synthesis or too little support for it,
    4 a source or model failed, 5 budget reached, 6 what is asked seems to identify a patient, 130 interrupted (what was done is
    printed and saved).
    """
    from clinfo.cli.answering import Output, answer_anew, show_saved

    save_to, replay_from, plot_to = _file("--save", save), _file("--replay", replay), _file("--plot", plot)
    if plot_to is not None:
        if plot_to.suffix.lower() not in (".svg", ".png"):
            raise UsageError("--plot: the name of the file must end in .svg or .png")
        if plot_to.is_dir() or not os.access(plot_to if plot_to.exists() else plot_to.parent, os.W_OK):
            raise UsageError(f"--plot: {plot_to} cannot be written")
        needed("matplotlib", "plots")  # before anything is asked or paid for

    form = _format(format_, json, include, events)
    output = Output(
        form, include or Include.cited, events, quiet, plot_to, _extent(form, events, short, all_rows, details), all_rows
    )
    if replay_from is not None:
        if save_to is not None:
            raise UsageError("--save and --replay exclude each other: a replay runs nothing")
        return show_saved(replay_from, question, output, check_again)
    if check_again:
        raise UsageError("--check-again goes with --replay FILE")
    if question is None:
        raise UsageError('a question is missing: clinfo ask "Does yoga lower blood pressure?"')
    if overwrite and save_to is None:
        raise UsageError("--overwrite goes with --save FILE")

    from clinfo.settings import load_settings

    settings = load_settings()
    request = _request(
        settings,
        model,
        question=question,
        source=source,
        query=[held("--query", text) for text in query or []],
        strategy=strategy,
        chase=chase,
        known=[held("--known", text) for text in known or []] or None,
        term_counts=term_counts,
        prompts=_prompts(prompts),
        repair=not no_repair,
        fresh=fresh,
        strict=strict,
        judge=judge,
        allow_identifiers=allow_identifiers,
        seed=seed,
        filter=filter_,
        queries=queries,
        per_query=per_query,
        regime=regime,
        before=before,
        drop=drop or None,
        max_articles=max_articles,
        rerank=rerank,
        max_cost=max_cost,
        max_seconds=max_seconds,
        **{"from": from_, "to": to},
    )
    return answer_anew(settings, request, output, save_to, overwrite)


def _format(chosen: Format | None, json: bool, include: Include | None, events: bool) -> Format:
    if json and chosen not in (None, "json"):
        raise UsageError(f"--json and --format {chosen} exclude each other")
    if events and (json or chosen is not None):
        raise UsageError("--events writes events instead of an answer, so it goes with no other format")
    form = "json" if json else chosen or "text"
    if include is not None and form not in REFERENCE_FORMATS:
        raise UsageError(f"--include goes with --format {_LISTS}")
    return form


def _extent(form: Format, events: bool, short: bool, all_rows: bool, details: bool) -> Extent:
    if (short or all_rows or details) and (events or form != "text"):
        raise UsageError("--short, --all-rows and --details go with the text form")
    if short + all_rows + details > 1:
        raise UsageError("--short, --all-rows and --details exclude each other")
    return "short" if short else "whole" if details else "usual"


def _request(settings: Settings, model: str | None, **fields: Any) -> RunRequest:
    """The request of the flags over the settings. ``--model`` holds for every stage, whatever the environment says."""
    from clinfo.pipelines.literature.assemble import request_of
    from clinfo.pipelines.literature.request import FieldError

    try:
        return request_of(settings, model, **fields)
    except FieldError as error:
        if error.field == "model" and error.fault == "none is chosen":
            raise UsageError(HOW_TO_CHOOSE_A_MODEL) from None
        name = "the question" if error.field == "question" else f"--{error.field.replace('_', '-')}:"
        raise UsageError(f"{name} {error.fault}") from None


def held(flag: str, text: str) -> str:
    """A value, or the whole of the file that ``@FILE`` names (``@-`` is standard input)."""
    if not text.startswith("@"):
        return text
    if text == "@-" and sys.stdin is None:
        raise UsageError(f"{flag}: @- reads standard input, which is closed")
    try:
        return Path(text[1:]).read_text("utf-8-sig") if text != "@-" else sys.stdin.read()
    except (OSError, UnicodeError, ValueError) as error:
        raise UsageError(f"{flag}: the file {text[1:]} cannot be read: {reason(error)}") from None


def _file(flag: str, name: str | None) -> Path | None:
    if name is not None and not name.strip():
        raise UsageError(f"{flag}: the name of the file is empty")
    return None if name is None else Path(name)


def _prompts(folder: str | None) -> dict[str, str] | None:
    if folder is None:
        return None
    from clinfo.pipelines.literature.declared import PROMPTS

    return PROMPTS.read_folder(folder)


def reason(error: Exception) -> str:
    """Why a file cannot be used, in a few words."""
    return error.strerror or "unknown" if isinstance(error, OSError) else "it is not text in UTF-8"
