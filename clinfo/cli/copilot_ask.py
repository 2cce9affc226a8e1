"""``clinfo copilot ask``: a question, with a case or without, to an agent over silos."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clinfo.cli.help import OUTPUT, Events, JsonAnswer, Overwrite, Quiet, Replay, Save, flag
from clinfo.console import streams
from clinfo.errors import NOTHING_FOUND, UsageError

if TYPE_CHECKING:
    from clinfo.pipelines.copilot.run_log import CopilotLog

_ASKED = "What is asked"
_FIELDS = "By fields, without a language model"
_HOW = "How it is looked up"


def ask(
    question: Annotated[
        str | None, typer.Argument(help="The question, in quotes.", show_default=False)
    ] = None,
    gene: Annotated[
        str, flag("--gene", "Evidence on this gene, e.g. BRAF.", _FIELDS, "SYMBOL")
    ] = "",
    variant: Annotated[
        str, flag("--variant", "Evidence on this change, e.g. V600E.", _FIELDS, "NAME")
    ] = "",
    disease: Annotated[
        str, flag("--disease", "Evidence in this cancer, spelled out.", _FIELDS, "NAME")
    ] = "",
    drug: Annotated[
        str, flag("--drug", "Evidence on this drug, by its generic name.", _FIELDS, "NAME")
    ] = "",
    direction: Annotated[
        str, flag("--direction", "response or resistance. [both]", _FIELDS, "NAME")
    ] = "",
    levels: Annotated[
        str, flag("--levels", "Levels of evidence, e.g. AB. [all]", _FIELDS, "LETTERS")
    ] = "",
    case: Annotated[
        str | None, flag("--case", "A patient's case, as a text file.", _ASKED, "FILE")
    ] = None,
    case_report: Annotated[
        bool,
        flag(
            "--case-report",
            "Ask the five questions of a tumour board: next line, genomics, follow-up, "
            "counselling, immunotherapy.",
            _ASKED,
        ),
    ] = False,
    tools: Annotated[
        str | None, flag("--tools", "Call only these tools. [all]", _HOW, "NAME[,…]")
    ] = None,
    model: Annotated[
        str | None,
        flag("--model", "The model of every stage. [CLINFO_MODEL, else extractive]", _HOW, "NAME"),
    ] = None,
    judge: Annotated[
        str | None,
        flag("--judge", "Who judges claims, as for ask, or none. [model]", _HOW, "NAME"),
    ] = None,
    prompts: Annotated[
        str | None, flag("--prompts", "A folder of prompts of your own.", _HOW, "DIR")
    ] = None,
    max_steps: Annotated[int, flag("--max-steps", "Most rounds of calls. [8]", _HOW, "N")] = 8,
    max_tokens: Annotated[
        int | None, flag("--max-tokens", "Most tokens to read and write.", _HOW, "N")
    ] = None,
    max_seconds: Annotated[
        float | None, flag("--max-seconds", "Most time, the answer included.", _HOW, "S")
    ] = None,
    max_cost: Annotated[
        float | None, flag("--max-cost", "Most US dollars to spend.", _HOW, "USD")
    ] = None,
    seed: Annotated[int, flag("--seed", "Seed of the models' calls. [0]", _HOW, "N")] = 0,
    allow_identifiers: Annotated[
        bool,
        flag("--allow-identifiers", "Send a question that seems to identify a patient.", _ASKED),
    ] = False,
    trace: Annotated[
        str | None,
        flag("--trace", "Also write plan, thoughts, calls and passages.", OUTPUT, "FILE"),
    ] = None,
    json: JsonAnswer = False,
    events: Events = False,
    save: Save = None,
    overwrite: Overwrite = False,
    replay: Replay = None,
    quiet: Quiet = False,
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
    from clinfo.cli.running import anew, replayed
    from clinfo.pipelines.copilot.declared import COPILOT
    from clinfo.pipelines.copilot.request import request_of
    from clinfo.pipelines.copilot.stages import PROMPTS
    from clinfo.settings import load_settings

    show = partial(_shown, json=json, events=events, trace=trace)
    if replay is not None:
        return replayed(COPILOT, replay, show, events=events)
    if question is None:
        raise UsageError('give a question: clinfo copilot ask "Which …?"')
    settings = load_settings()
    request = request_of(
        settings,
        question,
        model,
        judge,
        gene=gene.strip(),
        variant=variant.strip(),
        disease=disease.strip(),
        drug=drug.strip(),
        direction=direction,
        levels=levels.upper(),
        case=_read(case) if case else "",
        case_report=case_report,
        tools=tuple(one.strip() for one in (tools or "").split(",") if one.strip()),
        max_steps=max_steps,
        max_tokens=max_tokens,
        max_seconds=max_seconds,
        max_cost=max_cost,
        seed=seed,
        allow_identifiers=allow_identifiers,
        prompts=PROMPTS.read_folder(prompts, streams.complain) if prompts else {},
    )
    return anew(
        COPILOT, settings, request, show, save=save, overwrite=overwrite, events=events, quiet=quiet
    )


def _read(path: str) -> str:
    """The text of a case. Raises UsageError."""
    from clinfo.files import file_errors
    from clinfo.pipelines.copilot.request import LONGEST_CASE

    most = 4 * LONGEST_CASE  # bytes that a character of UTF-8 takes at most
    with file_errors(f"--case: {path} cannot be read"), Path(path).open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise UsageError(f"--case: {path} is longer than {LONGEST_CASE:,} characters")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"--case: {path} is not UTF-8 text") from None
    if not text.strip():
        raise UsageError(f"--case: {path} is empty")
    return text


def _shown(run_log: CopilotLog, json: bool, events: bool, trace: str | None) -> int:
    """Write the trace of a run that began, and the answer of a finished one, unless its events
    were; its exit status.
    """
    from json import dumps

    from clinfo.cli.running import write_trace
    from clinfo.pipelines.copilot.run_log import answer_json, build_answer, trace_text
    from clinfo.render.copilot import page
    from clinfo.render.text import written

    if trace is not None and run_log.started is not None:
        write_trace(trace, trace_text(run_log))
    if "answer" not in run_log and run_log.so_far is None:
        return 0
    answer = build_answer(run_log)
    if json and not events:
        streams.write(dumps(answer_json(answer), ensure_ascii=False, indent=2) + "\n")
    elif not events:
        streams.write(written(page(answer)))
    return 0 if answer.claims or answer.bottom_line else NOTHING_FOUND
