"""``clinfo cohort build|erase|schema``: patients' records into an index of facts."""

import csv as csv_format
import io
import json as json_format
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from shlex import quote
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
from clinfo.console import streams
from clinfo.errors import NOTHING_FOUND, UsageError
from clinfo.patients.collecting import NAMED, Records
from clinfo.patients.keeping import PatientStore, this_user
from clinfo.patients.reading import read_records
from clinfo.pipelines.cohort.form import form_schema
from clinfo.pipelines.cohort.records import ASKED, FOUND, CohortRequest, CriteriaRefused
from clinfo.pipelines.cohort.request import OPTIONS, request_of
from clinfo.pipelines.cohort.stages import COHORT
from clinfo.pipelines.cohort.store import Built
from clinfo.runs.pipeline import recorded_answer
from clinfo.runs.run_log import RunLog
from clinfo.settings import Settings, load_settings
from clinfo.terms.closure import read_hierarchy
from clinfo.text.wording import number

cohort = group("cohort", "Find the patients who match criteria, each with the evidence.")
_BUILT = "The index"
INDEX = typer.Argument(metavar="DIR", help="The index's folder.", show_default=False)
FLAGS = OPTIONS.at("cli")
_SHOWN = 20
"""Members that a page shows; the files have all."""


@cohort.command(cls=GroupedCommand)
def build(
    records: Annotated[
        list[str],
        typer.Argument(
            metavar="RECORDS",
            help="Files or folders of patients' records, in any form that clinfo chart reads.",
            show_default=False,
        ),
    ],
    out: Annotated[
        str,
        flag(
            "--out",
            "The folder of the index; it is created if missing, for its owner only.",
            _BUILT,
            "DIR",
        ),
    ],
    hierarchy: Annotated[
        list[str] | None,
        flag(
            "--hierarchy",
            "A table of what is a kind of what, beside MeSH: CSV with the columns child, parent, "
            "source, date, or OncoTree as JSON (repeatable).",
            _BUILT,
            "FILE",
        ),
    ] = None,
    json: Annotated[bool, JSON] = False,
) -> int:
    """Read the facts of patients' records into an index.

    Patients whose notes did not change are not read again, those no longer in the records are taken
    out, and so are tables that are not named again. A build that was stopped resumes when the same
    command is run again; until it has ended the index cannot be asked. A file that names nobody
    counts as a patient called after it, and that is said.
    """

    from clinfo.pipelines.cohort.store import build

    kinds = [kind for file in hierarchy or () for kind in read_hierarchy(Path(file))]
    found = read_records(records)
    for problem in found.problems:
        streams.complain(problem)
    if not found.records:
        raise UsageError("no patients' records were found in these files")
    if found.unnamed:
        files = number(len(found.unnamed), "file or folder names", "files or folders name")
        some = ", ".join(found.unnamed[:NAMED])
        more = len(found.unnamed) - NAMED
        streams.complain(
            f"{files} no patient and counts as one patient each: "
            f"{some}{f' and {more:,} more' if more > 0 else ''}; leave out what is no record"
        )
    built = build(
        found.records,
        Path(out),
        lambda done, of: streams.complain(f"{done:,} of {number(of, 'patient')} read"),
        kinds,
    )
    for told in _worth_knowing(found, built):
        streams.complain(told)
    said = (
        f"{number(built.patients, 'patient')} in the index: {built.read:,} read "
        f"({number(built.notes, 'note')}), {built.kept:,} as they were, {built.removed:,} taken out"
    )
    form = {**asdict(built), "skipped": dict(found.skipped), "unnamed": found.unnamed}
    streams.show(form if json else said)
    return 0


def _worth_knowing(found: Records, built: Built) -> Iterator[str]:
    """Lines on what the records have that is not read, or reads strangely."""

    for reason, count in sorted(found.skipped.items()):
        yield f"{count:,} passed over: {reason}"
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).date().isoformat()
    times = [note.time for record in found.records for note in record.notes]
    if late := sum(time[:10] > tomorrow for time in times):
        yield f"{number(late, 'note')} dated later than today; --as-of leaves such out"
    if built.unread:
        yield (
            f"{built.unread:,} of {number(built.entries, 'coded entry', 'coded entries')} state "
            "nothing that criteria can ask for: their code, number or unit is not known"
        )


@cohort.command(cls=GroupedCommand)
def erase(
    folder: Annotated[str, INDEX],
    patient: Annotated[
        str, typer.Argument(help="The patient's id, as the records have it.", show_default=False)
    ],
    json: Annotated[bool, JSON] = False,
) -> int:
    """Take a patient out of an index and overwrite what stood there.

    Take the patient out of the records too, or the next build reads them again. The log keeps that
    it was done. Exit status: 0 erased; 3 the index has no such patient.
    """
    from clinfo.pipelines.cohort.store import erase

    PatientStore.of(load_settings()).audit(user=this_user(), patient=patient, did="erase", run="")
    count = erase(Path(folder), patient)
    streams.show({"notes": count} if json else f"{number(count, 'note')} erased.")
    return 0 if count else NOTHING_FOUND


@cohort.command(cls=GroupedCommand)
@with_options(FLAGS, after="form")
def find(
    folder: Annotated[str | None, INDEX] = None,
    criteria: Annotated[
        str,
        typer.Argument(help="The criteria in words, in quotes, for the model.", show_default=False),
    ] = "",
    form: Annotated[
        str | None,
        flag(
            "--form",
            "A logical form (JSON, as in an answer of --json) instead; no model is asked.",
            ASKED,
            "FILE",
        ),
    ] = None,
    model: Annotated[
        str | None,
        flag(
            "--model",
            "The model that puts criteria into the logical form; it is shown the criteria, no "
            "record. [CLINFO_MODEL_TRANSLATE, else CLINFO_MODEL]",
            FOUND,
            "NAME",
        ),
    ] = None,
    json: JsonAnswer = False,
    csv: Annotated[
        bool, flag("--csv", "Print CSV: member, criterion, quote, date.", OUTPUT)
    ] = False,
    *,
    kept: Kept,
    options: Mapping[str, Any],
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

    def asked(settings: Settings) -> tuple[Settings, CohortRequest]:
        if folder is None:
            raise UsageError("give an index and what to find: clinfo cohort find DIR --query TEXT")
        if bool(criteria) + bool(options["query"]) + (form is not None) != 1:
            raise UsageError("give criteria, --query TEXT or --form FILE")
        own: dict[str, Any] = {"criteria": criteria, "form": _form(form), **options}
        return settings, request_of(settings, folder, model, **own)

    return kept.run(COHORT, partial(_shown, json=json, csv=csv), asked, worded=_asked_back)


@cohort.command(cls=GroupedCommand)
def schema() -> int:
    """Print the JSON schema of logical forms, by which --form FILE is checked."""

    print(json_format.dumps(form_schema(), indent=1))
    return 0


def _asked_back(run_log: RunLog, problem: str) -> str:
    """The words for a run that found nobody: of criteria that are asked back with the rest of
    them to be pasted.
    """
    refused = run_log.get(CriteriaRefused, "refused")
    if refused is None or not refused.query:
        return problem
    return f"{refused.told}; the rest: --query {quote(refused.query)}"


def _refused(refused: CriteriaRefused) -> dict[str, Any]:
    """What is asked back as an object."""
    reasons = refused.reasons or {}
    return {
        "schema": 1, "pipeline": "cohort", "asked_back": refused.told, "query": refused.query,
        "not_understood": [
            {"words": one, "reason": reasons.get(one, ""), "near": refused.near.get(one, ())}
            for one in refused.words
        ],
        "assumptions": refused.assumptions,
    }  # fmt: skip


def _form(path: str | None) -> dict[str, Any] | None:

    if path is None:
        return None
    try:
        data = json_format.loads(held("--form", f"@{path}"))
    except ValueError as error:
        raise UsageError(f"{path} is no JSON: {error}") from None
    except RecursionError:
        raise UsageError(f"{path} is nested too deeply") from None
    if not isinstance(data, dict):
        raise UsageError(f"{path} holds no logical form")
    return data


def _shown(run_log: RunLog, json: bool, csv: bool, events: bool) -> int:
    """Write the answer as it was asked for, or what is asked back, and give the exit status; its
    warnings to stderr, and where rows are asked for, which hold none of it, what was assumed and
    what is to be known of the form.
    """
    from clinfo.render.cohort import csv_rows, page, worth_knowing

    answer, refused = recorded_answer(run_log), run_log.get(CriteriaRefused, "refused")
    told, shown = [], None
    if refused is not None:
        told, shown = [f"Assumed: {one}" for one in refused.assumptions], _refused(refused)
    if answer is not None and not events:
        told = [*answer["warnings"], *(worth_knowing(answer) if csv and not json else ())]
        shown = answer
    for one in told:
        streams.complain(one)
    if shown is not None and json and not events:
        streams.write(json_format.dumps(shown, ensure_ascii=False) + "\n")
    elif answer is not None and not events and csv:
        rows = io.StringIO()
        csv_format.writer(rows, lineterminator="\n").writerows(csv_rows(answer))
        streams.write(rows.getvalue())
    elif answer is not None and not events:
        streams.show(page(answer, _SHOWN))
    return NOTHING_FOUND if answer is not None and not answer["counts"]["members"] else 0
