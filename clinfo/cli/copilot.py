"""``clinfo copilot``: files into silos of documents, and questions, with a case or without, to an
agent whose tools the silos are.
"""

from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from clinfo.cli.flags import Kept, held, with_options
from clinfo.cli.help import (
    JSON,
    OUTPUT,
    GroupedCommand,
    JsonAnswer,
    flag,
    group,
)
from clinfo.cli.running import told
from clinfo.console import streams
from clinfo.errors import ModelError, UsageError
from clinfo.llm.prompts import PromptSet
from clinfo.pipelines.copilot.records import ASKED, HOW, CopilotRequest
from clinfo.pipelines.copilot.request import OPTIONS, request_of
from clinfo.pipelines.copilot.stages import COPILOT, PROMPTS
from clinfo.pipelines.opening import chat_model, priced
from clinfo.retrieval.silos.loading import load_files
from clinfo.retrieval.silos.model_abstracting import STAGE, Abstracter, prompts_of
from clinfo.retrieval.silos.staged import About, Staged
from clinfo.retrieval.silos.store import loaded_silos
from clinfo.runs.spending import dollars
from clinfo.settings import Settings, load_settings
from clinfo.text.wording import number

FLAGS = OPTIONS.at("cli")
_SAID = "What hits say of their source"
_MADE = "Abstractions of texts by a language model"
copilot = group("copilot", "Load silos of documents and ask them.")


@copilot.command(cls=GroupedCommand)
def load(
    silo: Annotated[
        str,
        typer.Argument(
            help="The silo: civic, cancergov, trials, drugs, or a name of your own (nccn, esmo).",
            show_default=False,
        ),
    ],
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="Markdown, HTML, text, PDF, JATS, JSONL, CIViC's TSV or ClinicalTrials.gov's "
            "JSON; .gz too.",
            show_default=False,
        ),
    ],
    title: Annotated[str, flag("--title", "The title of the silo.", _SAID, "TEXT")] = "",
    licence: Annotated[
        str, flag("--licence", "The licence of these documents.", _SAID, "TEXT")
    ] = "",
    date: Annotated[
        str, flag("--date", "Their date, as 2021-02-01, where a file tells none.", _SAID, "DATE")
    ] = "",
    version: Annotated[str, flag("--version", "Their version.", _SAID, "TEXT")] = "",
    abstract_model: Annotated[
        str | None,
        flag(
            "--abstract-model",
            "A model that reads each text, which is sent to it, and writes what it is found by.",
            _MADE,
            "NAME",
        ),
    ] = None,
    abstract_prompt: Annotated[
        list[str] | None,
        flag(
            "--abstract-prompt",
            "A prompt of your own in a file; may be given again for another purpose.",
            _MADE,
            "FILE",
        ),
    ] = None,
    max_cost: Annotated[
        float | None, flag("--max-cost", "Most US dollars to spend on them.", _MADE, "USD")
    ] = None,
    json: Annotated[bool, JSON] = False,
) -> int:
    """Load files into a silo, which is searched by itself.

    A file that did not change is not read again; what it no longer holds is taken out. A load that
    was stopped resumes when the same command is run again. A file that cannot be read is named, and
    the rest is loaded. Silos lie in CLINFO_DATA_DIR.

    Exit status: 0 loaded; 2 wrong usage, or no file could be read; 4 loaded without some
    abstractions, since the model failed; 5 the same, since --max-cost was reached. The next load
    with the same flags makes those.
    """

    about = About(title=title, licence=licence, date=date, version=version)
    settings = load_settings()
    with loaded_silos(settings) as silos:
        first = not silos.names()
        abstracter = _abstracter(settings, silos.staged, abstract_model, abstract_prompt, max_cost)
        done = load_files(
            silos, silo, [Path(one) for one in files], about, streams.complain, abstracter
        )
    for problem in done.problems:
        streams.complain(problem)
    if not done.files_read and not done.files_kept:
        raise UsageError("no file could be loaded")
    if first:
        streams.complain(
            f"{silo} is the first silo: from now on the built-in examples are not searched; load "
            "what else you want to ask, such as CIViC's table for questions on genes and drugs"
        )
    said = (
        f"{silo}: {number(done.documents, 'document')}; {done.new:,} new or changed, "
        f"{done.removed:,} taken out, {done.files_kept:,} files as they were"
    )
    if done.usage is not None:
        cost = done.usage.cost_usd
        spent = "at a price that is not known" if cost is None else f"for {dollars(cost)}"
        said += f"\n{abstract_model}: {done.usage.calls:,} calls {spent}"
    form = asdict(replace(done, stopped=None)) | {"stopped": str(done.stopped or "")}
    streams.show(form if json else said)
    if not done.lacking:
        return 0
    why = str(done.stopped or "the model failed, or said nothing")
    streams.complain(f"{done.lacking:,} abstractions lack; load again to have them made: {why}")
    return done.stopped.exit_status if done.stopped else ModelError.exit_status


def _abstracter(
    settings: Settings,
    staged: Staged,
    name: str | None,
    files: list[str] | None,
    max_cost: float | None,
) -> Abstracter | None:
    """The maker of abstractions, None where no model is named. Raises UsageError, PromptError."""
    if name is None:
        if files or max_cost is not None:
            raise UsageError("--abstract-prompt and --max-cost need --abstract-model")
        return None

    prompts = prompts_of([Path(one) for one in files or ()], PromptSet("copilot", (STAGE,)))
    model = chat_model(settings, name, None)
    if max_cost is not None:
        priced({STAGE: model})
    return Abstracter(staged, model, prompts, max_cost)


@copilot.command(cls=GroupedCommand)
@with_options(FLAGS, after="model")
def ask(
    question: Annotated[
        str | None, typer.Argument(help="The question, in quotes.", show_default=False)
    ] = None,
    case: Annotated[
        str | None, flag("--case", "A patient's case, as a text file.", ASKED, "FILE")
    ] = None,
    model: Annotated[
        str | None,
        flag("--model", "The model of every stage. [CLINFO_MODEL, else extractive]", HOW, "NAME"),
    ] = None,
    judge: Annotated[
        str | None,
        flag("--judge", "Who judges claims, as for ask, or none. [model]", HOW, "NAME"),
    ] = None,
    prompts: Annotated[
        str | None, flag("--prompts", "A folder of prompts of your own.", HOW, "DIR")
    ] = None,
    trace: Annotated[
        str | None,
        flag("--trace", "Also write plan, thoughts, calls and passages.", OUTPUT, "FILE"),
    ] = None,
    json: JsonAnswer = False,
    *,
    kept: Kept,
    options: dict[str, Any],
) -> int:
    """Look a question up in silos of sources, each kept apart, and answer in checked claims.

    Every claim has its silo, document, passage, level of evidence and date. Without a language
    model every silo is searched by the words of the question and by the fields given, and the best
    passages are quoted by silo; nothing is judged. Do not use it for care.

    A case goes only to models on this machine or named in CLINFO_PATIENT_MODELS. What is saved
    with --save or --trace holds the case.

    Exit status: 0 answered; 2 wrong usage; 3 no claim stands; 4 a model failed; 5 budget reached;
    6 the model may not see a case, or the question seems to identify a patient; 130 interrupted.
    """

    def asked(settings: Settings) -> tuple[Settings, CopilotRequest]:
        if question is None:
            raise UsageError('give a question: clinfo copilot ask "Which …?"')
        own = options | {
            "case": _case(case) if case else "",
            "prompts": PROMPTS.read_folder(prompts, streams.complain) if prompts else {},
        }
        return settings, request_of(settings, question, model, judge, **own)

    return kept.run(COPILOT, partial(told, COPILOT, json=json, trace=trace), asked)


def _case(path: str) -> str:
    """The text of a case. Raises UsageError."""
    text = held("--case", f"@{path}", OPTIONS["case"].option.longest)
    if not text.strip():
        raise UsageError(f"--case: {path} is empty")
    return text
