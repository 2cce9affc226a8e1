"""``clinfo ask``: a question in, an answer out."""

import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from clinfo.claims.registry import renamed
from clinfo.cli.flags import (
    OFFICE,
    REFERENCE_FORMATS,
    Format,
    Include,
    Kept,
    Style,
    flag_of,
    held,
    plot_file,
    refused,
    turns_off,
    with_options,
)
from clinfo.cli.help import OUTPUT, flag, refuse
from clinfo.cli.progress import TELL, Bar
from clinfo.console import streams
from clinfo.console.streams import complain
from clinfo.errors import FieldError, UsageError
from clinfo.extras import needed
from clinfo.files import file_errors
from clinfo.pipelines.literature.request import NO_MODEL, at, request_of
from clinfo.pipelines.literature.stages import LITERATURE, PROMPTS
from clinfo.records.articles import RunRequest
from clinfo.references.registry import IEEE
from clinfo.runs.options import Declared
from clinfo.settings import Settings, load_settings
from clinfo.text.wording import number

HOW_TO_CHOOSE_A_MODEL = (
    "no model is chosen; add --model extractive (built in, no key, nothing leaves this machine) or "
    "--model NAME for a model of "
    "any provider (gpt-4o, anthropic/claude-sonnet-4-5, ollama/llama3.1, …), or set CLINFO_MODEL"
)

BATCH = "Many questions"
_LISTS = f"{', '.join(REFERENCE_FORMATS[:-1])} or {REFERENCE_FORMATS[-1]}"


FLAGS: Mapping[str, Declared] = {name: one for name, one in at("cli").items() if name != "question"}
"""The options of a request that are flags, by field."""


@with_options(FLAGS)
def ask(
    question: Annotated[
        str | None,
        typer.Argument(
            help="The question, in plain words and in quotes; - reads it from standard input.",
            show_default=False,
        ),
    ] = None,
    format_: Annotated[Format | None, flag("--format", "[text]", OUTPUT)] = None,
    json: Annotated[bool, flag("--json", "Same as --format json.", OUTPUT)] = False,
    include: Annotated[
        Include | None, flag("--include", f"Which articles {_LISTS} hold. [cited]", OUTPUT)
    ] = None,
    style: Annotated[
        Style | None, flag("--style", "Citation style of the references. [ieee]", OUTPUT)
    ] = None,
    short: Annotated[
        bool,
        flag("--short", "Text form: only TL;DR, synthesis and the references cited.", OUTPUT),
    ] = False,
    all_rows: Annotated[
        bool,
        flag(
            "--all-rows",
            "Text form: every study in the evidence table, not only the first ten.",
            OUTPUT,
        ),
    ] = False,
    details: Annotated[
        bool,
        flag(
            "--details",
            "Text form: everything (findings, doubts, all references, search, settings).",
            OUTPUT,
        ),
    ] = False,
    plot: Annotated[
        str | None,
        flag(
            "--plot",
            "Also plot the effects with intervals stated in the abstracts, as .svg or .png.",
            OUTPUT,
            "FILE",
        ),
    ] = None,
    batch: Annotated[
        str | None,
        flag(
            "--batch",
            "Answer every question of a file: CSV or JSON lines with question (and id), or a "
            "question a line. Needs --out.",
            BATCH,
            "FILE",
        ),
    ] = None,
    out: Annotated[
        str | None,
        flag(
            "--out",
            "Where the answers go, a line of JSON each; a batch that was stopped goes on there.",
            BATCH,
            "FILE.jsonl",
        ),
    ] = None,
    table: Annotated[
        str | None,
        flag("--table", "Also a table of them: .csv, .xlsx or .html.", BATCH, "FILE"),
    ] = None,
    judge_model: Annotated[
        str | None,
        flag(
            "--judge-model",
            "The model that judges sentences. [CLINFO_MODEL_VERIFY, else the model]",
            "How it is checked",
            "NAME",
        ),
    ] = None,
    *,
    kept: Kept,
    options: Mapping[str, Any],
) -> int:
    """Answer a question from the literature.

    The answer goes to stdout, progress to stderr.

    Exit status: 0 answered; 1 the answer could not be written; 2 wrong usage; 3 nothing relevant
    found, no synthesis, or too little of it supported; 4 a source or model failed; 5 budget
    reached; 6 the question seems to identify a patient; 130 interrupted (what was done is printed
    and saved).
    """
    from clinfo.cli.answering import show

    files = {"--save": kept.save, "--replay": kept.replay, "--plot": plot}
    empty = [given for given, name in files.items() if name is not None and not name.strip()]
    form, parts = "json" if json else format_ or "text", short + all_rows + details
    single = (question, kept.save, kept.replay, plot, format_, include, style)
    alone = any(one is not None for one in single) or json or kept.events or parts
    office = form in OFFICE and streams.is_terminal(sys.stdout)
    refuse(
        (empty, f"{', '.join(empty)}: the name of the file is empty"),
        (
            json and format_ not in (None, "json"),
            f"--json and --format {format_} cannot be combined",
        ),
        (
            kept.events and (json or format_ is not None),
            "--events writes events instead of an answer; it cannot be combined with another "
            "format",
        ),
        (office, f"--format {form} writes a file: add > answer.{form}"),
        (
            include is not None and form not in REFERENCE_FORMATS,
            f"--include goes with --format {_LISTS}",
        ),
        (
            parts and (kept.events or form != "text"),
            "--short, --all-rows and --details only work with the text form",
        ),
        (parts > 1, "--short, --all-rows and --details cannot be combined"),
        (
            kept.replay is not None and kept.save is not None,
            "--save and --replay cannot be combined: a replay runs nothing",
        ),
        (
            batch is not None and alone,
            "--batch goes with --out and --table, not with a question or a form of one answer",
        ),
        (batch is not None and out is None, "--batch needs --out FILE.jsonl"),
        (
            batch is None and (out is not None or table is not None),
            "--out and --table go with --batch FILE",
        ),
    )
    plot_to = plot_file(plot, ".svg", ".png")
    if form in OFFICE:
        needed(OFFICE[form], "office")  # before anything is asked or paid for
    if batch is not None and out is not None:
        return _ask_all(batch, Path(out), table, kept.quiet, judge_model, _fields(options))
    shown = partial(
        show,
        form=form,
        include=include or "cited",
        style=style or IEEE,
        plot_to=plot_to,
        extent="short" if short else "whole" if details else "usual",
        all_rows=all_rows,
    )

    def asked(settings: Settings) -> tuple[Settings, RunRequest]:
        refuse(
            (
                question is None,
                'a question is missing: clinfo ask "Does yoga lower blood pressure?"',
            ),
            (kept.overwrite and kept.save is None, "--overwrite needs --save FILE"),
        )
        text = held("the question", "@-").strip() if question == "-" else question
        for name in dict.fromkeys((options.get("judge"), settings.judge)):
            if said := renamed(name or ""):
                complain(said)
        fields = _fields(options)
        return settings, _request(settings, question=text, judge_model=judge_model, **fields)

    return kept.run(LITERATURE, shown, asked, question=question, private=False)


def _ask_all(
    questions: str,
    out: Path,
    table: str | None,
    quiet: bool,
    judge_model: str | None,
    fields: dict[str, Any],
) -> int:
    """Answer the questions of a file. The exit status is that of the last question which failed."""
    from clinfo.pipelines.literature.api import answered
    from clinfo.pipelines.literature.batch import read_questions
    from clinfo.render.batch_table import ENDINGS, write_table

    if table is not None and not table.lower().endswith(ENDINGS):
        raise UsageError(f"--table: the name of the file must end in {', '.join(ENDINGS)}")
    if table is not None and table.lower().endswith(".xlsx"):
        needed("openpyxl", "office")
    every, settings = read_questions(questions), load_settings()
    fields["judge_model"] = judge_model

    def asked(question: str) -> tuple[RunRequest, None]:
        return _request(settings, question=question, **fields), None

    bar = Bar(f"{number(len(every), 'question')} to be answered", quiet, every=TELL)

    new = 0

    def seen(done: int, row: dict[str, Any]) -> None:
        nonlocal new
        new += 1
        bar.show(f"{done} of {number(len(every), 'question')}", done, len(every))
        if row["error"]:
            complain(f"question {row['id']}: {row['error']}")

    try:
        rows = answered(settings, every, asked, None, out, seen)
    finally:
        bar.close()
    if table is not None:
        with file_errors(f"{table} cannot be written"):
            write_table(rows, Path(table))
    failed = [row["status"] for row in rows if row["error"]]
    if not quiet:
        told = (
            f"; {len(failed)} failed, and are asked again with the same command" if failed else ""
        )
        kept = f", {len(rows) - new:,} of them from before" if new < len(rows) else ""
        also = f"; the table is {table}" if table is not None else ""
        streams.say(f"{number(len(rows), 'answer')} in {out}{kept}{told}{also}")
    return failed[-1] if failed else 0


def _fields(options: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that flags set: the texts of files that are named, the prompts of a folder, the
    other way round for --no-…
    """
    fields = dict(options)
    for name, one in FLAGS.items():
        value = options[name]
        if one.several:
            texts = value or []
            if "@FILE" in (one.option.metavar or ""):
                texts = [held(flag_of(name, FLAGS), text) for text in texts]
            fields[name] = texts or None
        elif one.option.metavar == "DIR":
            fields[name] = _prompts(value)
        elif turns_off(one):
            fields[name] = not value
    return fields


def _request(settings: Settings, model: str | None, **fields: Any) -> RunRequest:
    """The request of the flags over the settings. ``--model`` holds for every stage, whatever the
    environment says.
    """

    try:
        return request_of(settings, model, **fields)
    except FieldError as error:
        if error.field == "model" and error.fault == NO_MODEL:
            raise UsageError(HOW_TO_CHOOSE_A_MODEL) from None
        raise refused(error, FLAGS) from None


def _prompts(folder: str | None) -> dict[str, str] | None:
    if folder is None:
        return None

    return PROMPTS.read_folder(folder, complain)
