"""``clinfo copilot load``: files into a silo of the copilot."""

from __future__ import annotations

import json as json_format
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clinfo.cli.help import JSON, flag
from clinfo.console import streams
from clinfo.errors import UsageError
from clinfo.views.wording import number

if TYPE_CHECKING:
    from clinfo.retrieval.silos.model_abstracting import Abstracter
    from clinfo.retrieval.silos.staged import Staged
    from clinfo.settings import Settings

_SAID = "What hits say of their source"
_MADE = "Abstractions of texts by a language model"


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
            metavar="FILES...",
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
    from dataclasses import asdict, replace

    from clinfo.errors import ModelError
    from clinfo.retrieval.silos.loading import load_files
    from clinfo.retrieval.silos.staged import About
    from clinfo.retrieval.silos.store import loaded_silos
    from clinfo.runs.spending import dollars
    from clinfo.settings import load_settings

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
    if json:
        stopped = str(done.stopped) if done.stopped else ""
        form = asdict(replace(done, stopped=None)) | {"stopped": stopped}
        print(json_format.dumps({"schema": 1, **form}))
    else:
        print(
            f"{silo}: {number(done.documents, 'document')}; {done.new:,} new or changed, "
            f"{done.removed:,} taken out, {done.files_kept:,} files as they were"
        )
        if done.usage is not None:
            cost = done.usage.cost_usd
            spent = "at a price that is not known" if cost is None else f"for {dollars(cost)}"
            print(f"{abstract_model}: {done.usage.calls:,} calls {spent}")
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
    """What makes abstractions, None where no model is named. Raises UsageError, PromptError."""
    if name is None:
        if files or max_cost is not None:
            raise UsageError("--abstract-prompt and --max-cost need --abstract-model")
        return None
    from clinfo.pipelines.models import chat_model, priced
    from clinfo.retrieval.silos.model_abstracting import STAGE, Abstracter, prompts_of

    prompts = prompts_of([Path(one) for one in files or ()])
    model = chat_model(settings, name, None)
    if max_cost is not None:
        priced({STAGE: model})
    return Abstracter(staged, model, prompts, max_cost)
