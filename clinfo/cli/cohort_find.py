"""``clinfo cohort find``: criteria in, the patients who match out."""

from __future__ import annotations

import csv as csv_format
import io
import json as json_format
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from clinfo.cli.help import OUTPUT, Events, JsonAnswer, Overwrite, Quiet, Replay, Save, flag
from clinfo.console import streams
from clinfo.errors import NOTHING_FOUND, UsageError

if TYPE_CHECKING:
    from clinfo.pipelines.cohort.events import CriteriaRefused
    from clinfo.runs.run_log import RunLog

INDEX = typer.Argument(metavar="DIR", help="The index's folder.", show_default=False)
_ASKED = "What is asked"
_FOUND = "How members are found"
_SHOWN = 20
"""Members that a page shows; the files have all."""


def find(
    folder: Annotated[str | None, INDEX] = None,
    criteria: Annotated[
        str,
        typer.Argument(help="The criteria in words, in quotes, for the model.", show_default=False),
    ] = "",
    query: Annotated[
        str,
        flag(
            "--query",
            "A query instead of criteria; no model is asked. docs/cohort.md has its language.",
            _ASKED,
            "TEXT",
        ),
    ] = "",
    form: Annotated[
        str | None,
        flag(
            "--form",
            "A logical form (JSON, as in an answer of --json) instead; no model is asked.",
            _ASKED,
            "FILE",
        ),
    ] = None,
    as_of: Annotated[
        str,
        flag("--as-of", "What was known on that day: notes after it do not count.", _ASKED, "DAY"),
    ] = "",
    explain: Annotated[
        bool, flag("--explain", "Tell of the other patients too, why they do not match.", _ASKED)
    ] = False,
    system: Annotated[
        Literal["symbolic", "retriever", "reader"],
        flag(
            "--system",
            "By facts, by likeness of notes (for comparison), or by a model that reads the likest "
            "pieces of each patient's notes. [symbolic]",
            _FOUND,
        ),
    ] = "symbolic",
    share: Annotated[
        float,
        flag(
            "--share",
            "retriever: the share of all chunks that is kept. [0.0021]",
            _FOUND,
            "N",
        ),
    ] = 0.0021,
    chunks: Annotated[
        int | None,
        flag("--chunks", "The same as a number of chunks, instead of a share.", _FOUND, "N"),
    ] = None,
    pieces: Annotated[
        int,
        flag("--pieces", "reader: so many chunks of each patient's notes. [12]", _FOUND, "N"),
    ] = 12,
    model: Annotated[
        str | None,
        flag(
            "--model",
            "symbolic: the model that puts criteria into the logical form; it is shown the "
            "criteria, no record. reader: the model, one that may see patients' records. "
            "[CLINFO_MODEL_TRANSLATE, CLINFO_MODEL_READ, else CLINFO_MODEL]",
            _FOUND,
            "NAME",
        ),
    ] = None,
    seed: Annotated[int, flag("--seed", "Seed of the model's calls. [0]", _FOUND, "N")] = 0,
    max_cost: Annotated[
        float | None, flag("--max-cost", "Most US dollars to spend.", _FOUND, "USD")
    ] = None,
    json: JsonAnswer = False,
    csv: Annotated[
        bool, flag("--csv", "Print CSV: member, criterion, quote, date.", OUTPUT)
    ] = False,
    quiet: Quiet = False,
    events: Events = False,
    save: Save = None,
    overwrite: Overwrite = False,
    replay: Replay = None,
) -> int:
    """Find the patients who match criteria, a query or a form.

    Do not use it for care: it misreads notes, so check how the criteria were read, and the quotes.

    Example: clinfo cohort find index/ --query 'female and condition anemia and age > 30'

    Criteria in words are put into a logical form by the model that is named; the form is held
    against them, shown as a query, and can be edited. A query and a form say the same without a
    model. Names that no note and no vocabulary has are asked back, with those near to them, and so
    is what no query can say, with the --query of the rest; with --json as an object on stdout. What
    was assumed is in the answer, with --csv on stderr. What is saved with --save holds text of
    records.

    Exit status: 0 found; 2 wrong usage, asked back, or an index to be built anew; 3 nobody matches;
    4 a model failed; 5 budget reached; 6 the criteria seem to identify a patient, or the model may
    not see patients' records; 130 interrupted.
    """  # fmt: skip
    from clinfo.cli.cohort_progress import line
    from clinfo.cli.progress import lines
    from clinfo.cli.running import anew, replayed
    from clinfo.files import private_files
    from clinfo.pipelines.cohort.declared import COHORT
    from clinfo.pipelines.cohort.request import request_of
    from clinfo.runs.pipeline import recorded_answer
    from clinfo.settings import load_settings

    if replay is not None:
        run_log, status = replayed(COHORT, Path(replay), events, _asked_back)
    elif folder is None:
        raise UsageError("give an index and what to find: clinfo cohort find DIR --query TEXT")
    elif bool(criteria) + bool(query) + (form is not None) != 1:
        raise UsageError("give criteria, --query TEXT or --form FILE")
    else:
        settings = load_settings()
        request = request_of(
            settings, folder, model, criteria=criteria, query=query, form=_form(form),
            system=system, as_of=as_of, explain=explain, share=share, chunks=chunks, pieces=pieces,
            seed=seed, max_cost=max_cost,
        )  # fmt: skip
        file = Path(save) if save else None
        with private_files():
            run_log, status = anew(
                COHORT, settings, request, lambda: lines(line, quiet), file, overwrite, events,
                _asked_back,
            )  # fmt: skip
    answer = recorded_answer(run_log)
    if status is not None or answer is None:
        if (refused := _refusal(run_log)) is not None:
            for one in refused.assumptions:
                streams.complain(f"Assumed: {one}")
            if json and not events:
                _refused(refused)
        return status or 0
    if not events:
        _shown(answer, json, csv)
    return 0 if answer["counts"]["members"] else NOTHING_FOUND


def _asked_back(run_log: RunLog, problem: str) -> str:
    """What is said of a run that found nobody: of criteria that are asked back with the rest of
    them to be pasted.
    """
    refused = _refusal(run_log)
    if refused is None or not refused.query:
        return problem
    return f"{refused.told}; the rest: --query {quote(refused.query)}"


def _refused(refused: CriteriaRefused) -> None:
    """Write what is asked back as an object."""
    reasons = refused.reasons or {}
    told = {
        "schema": 1, "pipeline": "cohort", "asked_back": refused.told, "query": refused.query,
        "not_understood": [
            {"words": one, "reason": reasons.get(one, ""), "near": refused.near.get(one, ())}
            for one in refused.words
        ],
        "assumptions": refused.assumptions,
    }  # fmt: skip
    streams.write(json_format.dumps(told, ensure_ascii=False) + "\n")


def _refusal(run_log: RunLog) -> CriteriaRefused | None:
    from clinfo.pipelines.cohort.events import CriteriaRefused

    return run_log.get(CriteriaRefused, "refused")


def _form(path: str | None) -> dict[str, Any] | None:
    from clinfo.files import file_errors

    if path is None:
        return None
    with file_errors(f"cannot read {path}"):
        written = Path(path).read_bytes()
    try:
        data = json_format.loads(written)
    except ValueError as error:
        raise UsageError(f"{path} is no JSON: {error}") from None
    except RecursionError:
        raise UsageError(f"{path} is nested too deeply") from None
    if not isinstance(data, dict):
        raise UsageError(f"{path} holds no logical form")
    return data


def _shown(answer: dict[str, Any], json: bool, csv: bool) -> None:
    """Write the answer as it was asked for; its warnings to stderr, and where rows are asked for,
    which hold none of it, what was assumed and what is to be known of the form.
    """
    from clinfo.render.cohort import csv_rows, page, worth_knowing

    for told in (*answer["warnings"], *(worth_knowing(answer) if csv and not json else ())):
        streams.complain(told)
    if json:
        streams.write(json_format.dumps(answer, ensure_ascii=False) + "\n")
    elif csv:
        rows = io.StringIO()
        csv_format.writer(rows, lineterminator="\n").writerows(csv_rows(answer))
        streams.write(rows.getvalue())
    else:
        streams.show(page(answer, _SHOWN))
