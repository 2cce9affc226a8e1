"""``clinfo ask``: a question in, an answer out."""

from __future__ import annotations

import inspect
import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clinfo.cli.answer_format import OFFICE, REFERENCE_FORMATS, Format, Include, Style
from clinfo.console import streams
from clinfo.console.streams import complain
from clinfo.errors import UsageError
from clinfo.extras import needed
from clinfo.files import file_errors
from clinfo.references.registry import IEEE

if TYPE_CHECKING:
    from clinfo.records.articles import RunRequest
    from clinfo.render.page import Extent
    from clinfo.settings import Settings


HOW_TO_CHOOSE_A_MODEL = (
    "no model is chosen; add --model extractive (built in, no key, nothing leaves this machine) or "
    "--model NAME for a model of "
    "any provider (gpt-4o, anthropic/claude-sonnet-4-5, ollama/llama3.1, …), or set CLINFO_MODEL"
)

_OUTPUT = "Output"
_RECORD = "Saved runs"
_LISTS = f"{', '.join(REFERENCE_FORMATS[:-1])} or {REFERENCE_FORMATS[-1]}"


def _flag(name: str, text: str, panel: str, metavar: str | None = None) -> Any:
    return typer.Option(name, help=text, rich_help_panel=panel, metavar=metavar, show_default=False)


FLAGS: tuple[dict[str, Any], ...] = tuple(
    json.loads(Path(__file__).with_name("ask_flags.json").read_text("utf-8"))
)
"""The options of a request as flags: written by docs/write_cli.py from `clinfo.records.request`, so
that help needs no pydantic.
"""
_KINDS: Mapping[str, Any] = {
    "text": str | None,
    "texts": list[str] | None,
    "int": int | None,
    "float": float | None,
    "bool": bool,
}


def _with_options(command: Callable[..., int]) -> Callable[..., int]:
    """Put the flags of `FLAGS` behind the question, in the place of ``options``; a field has an
    underscore behind its name.
    """
    question, *own, _ = inspect.signature(command, eval_str=True).parameters.values()
    made = []
    for flag in FLAGS:
        kind, told = (
            _KINDS[flag["kind"]],
            _flag(flag["flag"], flag["help"], flag["group"], flag["metavar"]),
        )
        default = False if flag["off"] else flag["default"]
        name = f"{flag['field']}_"
        made.append(
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=default,
                annotation=Annotated[kind, told],
            )
        )
    every = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in (question, *made, *own)]
    names = {one.name for one in made}

    def asked(**given: Any) -> int:
        options = {name.removesuffix("_"): given.pop(name) for name in names}
        return command(**given, options=options)

    asked.__name__, asked.__doc__ = command.__name__, command.__doc__
    asked.__signature__ = inspect.Signature(every, return_annotation=int)  # type: ignore[attr-defined]
    asked.__annotations__ = {one.name: one.annotation for one in every}
    return asked


@_with_options
def ask(
    question: Annotated[
        str | None,
        typer.Argument(help="The question, in plain words and in quotes.", show_default=False),
    ] = None,
    format_: Annotated[Format | None, _flag("--format", "[text]", _OUTPUT)] = None,
    json: Annotated[bool, _flag("--json", "Same as --format json.", _OUTPUT)] = False,
    include: Annotated[
        Include | None, _flag("--include", f"Which articles {_LISTS} hold. [cited]", _OUTPUT)
    ] = None,
    style: Annotated[
        Style | None, _flag("--style", "Citation style of the references. [ieee]", _OUTPUT)
    ] = None,
    short: Annotated[
        bool,
        _flag("--short", "Text form: only TL;DR, synthesis and the references cited.", _OUTPUT),
    ] = False,
    all_rows: Annotated[
        bool,
        _flag(
            "--all-rows",
            "Text form: every study in the evidence table, not only the first ten.",
            _OUTPUT,
        ),
    ] = False,
    details: Annotated[
        bool,
        _flag(
            "--details",
            "Text form: everything (findings, balance, doubts, all references, search, settings).",
            _OUTPUT,
        ),
    ] = False,
    events: Annotated[
        bool,
        _flag(
            "--events",
            "Write one JSON event per line as it happens; the last is the answer.",
            _OUTPUT,
        ),
    ] = False,
    quiet: Annotated[bool, _flag("--quiet", "No progress on stderr.", _OUTPUT)] = False,
    save: Annotated[
        str | None,
        _flag(
            "--save",
            "Save the run's events to a file; an unfinished run in it is resumed.",
            _RECORD,
            "FILE",
        ),
    ] = None,
    plot: Annotated[
        str | None,
        _flag(
            "--plot",
            "Also plot the effects with intervals stated in the abstracts, as .svg or .png.",
            _OUTPUT,
            "FILE",
        ),
    ] = None,
    overwrite: Annotated[
        bool, _flag("--overwrite", "Let --save replace the contents of the file.", _RECORD)
    ] = False,
    replay: Annotated[
        str | None,
        _flag("--replay", "Show a saved run without asking anything again.", _RECORD, "FILE"),
    ] = None,
    judge_model: Annotated[
        str | None,
        _flag(
            "--judge-model",
            "The model that judges sentences. [CLINFO_MODEL_VERIFY, else the model]",
            "How it is checked",
            "NAME",
        ),
    ] = None,
    options: Any = None,
) -> int:
    """Answer a question from the literature.

    The answer goes to stdout, progress to stderr.

    Exit status: 0 answered; 1 the answer could not be written; 2 wrong usage; 3 nothing relevant
    found, no synthesis, or too little of it supported; 4 a source or model failed; 5 budget
    reached; 6 the question seems to identify a patient; 130 interrupted (what was done is printed
    and saved).
    """
    from clinfo.cli.answering import Output, answer_anew, show_saved

    for flag, name in (("--save", save), ("--replay", replay), ("--plot", plot)):
        if name is not None and not name.strip():
            raise UsageError(f"{flag}: the name of the file is empty")
    plot_to = None if plot is None else Path(plot)
    if plot_to is not None:
        if plot_to.suffix.lower() not in (".svg", ".png"):
            raise UsageError("--plot: the name of the file must end in .svg or .png")
        if plot_to.is_dir() or not os.access(
            plot_to if plot_to.exists() else plot_to.parent, os.W_OK
        ):
            raise UsageError(f"--plot: {plot_to} cannot be written")
        needed("matplotlib", "plots")  # before anything is asked or paid for

    form = _format(format_, json, include, events)
    output = Output(
        form,
        include or Include.cited,
        events,
        quiet,
        plot_to,
        _extent(form, events, short, all_rows, details),
        all_rows,
        style or IEEE,
    )
    if replay is not None:
        if save is not None:
            raise UsageError("--save and --replay cannot be combined: a replay runs nothing")
        return show_saved(replay, question, output)
    if question is None:
        raise UsageError('a question is missing: clinfo ask "Does yoga lower blood pressure?"')
    if overwrite and save is None:
        raise UsageError("--overwrite needs --save FILE")

    from clinfo.claims.registry import renamed
    from clinfo.settings import load_settings

    settings = load_settings()
    for name in dict.fromkeys((options.get("judge"), settings.judge)):
        if said := renamed(name or ""):
            complain(said)
    request = _request(settings, question=question, judge_model=judge_model, **_fields(options))
    return answer_anew(settings, request, output, save, overwrite)


def _format(chosen: Format | None, json: bool, include: Include | None, events: bool) -> Format:
    if json and chosen not in (None, "json"):
        raise UsageError(f"--json and --format {chosen} cannot be combined")
    if events and (json or chosen is not None):
        raise UsageError(
            "--events writes events instead of an answer; it cannot be combined with another format"
        )
    form = "json" if json else chosen or "text"
    if form in OFFICE:
        needed(OFFICE[form], "office")  # before anything is asked or paid for
        if streams.is_terminal(sys.stdout):
            raise UsageError(f"--format {form} writes a file: add > answer.{form}")
    if include is not None and form not in REFERENCE_FORMATS:
        raise UsageError(f"--include goes with --format {_LISTS}")
    return form


def _extent(form: Format, events: bool, short: bool, all_rows: bool, details: bool) -> Extent:
    if (short or all_rows or details) and (events or form != "text"):
        raise UsageError("--short, --all-rows and --details only work with the text form")
    if short + all_rows + details > 1:
        raise UsageError("--short, --all-rows and --details cannot be combined")
    return "short" if short else "whole" if details else "usual"


def _fields(options: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that flags set: the texts of files that are named, the prompts of a folder, the
    other way round for --no-…
    """
    fields = dict(options)
    for flag in FLAGS:
        name, value = flag["field"], options[flag["field"]]
        if flag["kind"] == "texts":
            texts = value or []
            fields[name] = (
                [held(flag["flag"], text) for text in texts]
                if "@FILE" in flag["metavar"]
                else texts
            )
            fields[name] = fields[name] or None
        elif flag["metavar"] == "DIR":
            fields[name] = _prompts(value)
        elif flag["off"]:
            fields[name] = not value
    return fields


def _request(settings: Settings, model: str | None, **fields: Any) -> RunRequest:
    """The request of the flags over the settings. ``--model`` holds for every stage, whatever the
    environment says.
    """
    from clinfo.errors import FieldError
    from clinfo.pipelines.literature.assemble import request_of

    try:
        return request_of(settings, model, **fields)
    except FieldError as error:
        if error.field == "model" and error.fault == "no model is chosen":
            raise UsageError(HOW_TO_CHOOSE_A_MODEL) from None
        flags = {flag["field"]: flag["flag"].partition("/")[0] for flag in FLAGS}
        name = (
            "the question"
            if error.field == "question"
            else f"{flags.get(error.field, error.field)}:"
        )
        raise UsageError(f"{name} {error.fault}") from None


def held(flag: str, text: str) -> str:
    """A value, or the whole of the file that ``@FILE`` names (``@-`` is standard input)."""
    if not text.startswith("@"):
        return text
    if text == "@-" and sys.stdin is None:
        raise UsageError(f"{flag}: @- reads from standard input, which is closed")
    failed = f"{flag}: the file {text[1:]} cannot be read"
    try:
        with file_errors(failed):
            return Path(text[1:]).read_text("utf-8-sig") if text != "@-" else sys.stdin.read()
    except ValueError:
        raise UsageError(f"{failed}: it is not UTF-8 text") from None


def _prompts(folder: str | None) -> dict[str, str] | None:
    if folder is None:
        return None
    from clinfo.pipelines.literature.declared import PROMPTS

    return PROMPTS.read_folder(folder, complain)
