"""``clinfo cohort``: patients' records into an index of facts, criteria in, the patients who match
out.
"""

from __future__ import annotations

import csv as csv_format
import json as json_format
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from clinfo.cli.help import JSON, GroupedCommand, group
from clinfo.console import streams
from clinfo.errors import NOTHING_FOUND, UsageError
from clinfo.views.wording import number

cohort = group("cohort", "Find the patients who match criteria, each with the evidence.")
_DIR = typer.Argument(metavar="DIR", help="The index's folder.", show_default=False)
_SHOWN = 20


@cohort.command(cls=GroupedCommand)
def build(
    records: Annotated[
        list[str],
        typer.Argument(
            metavar="RECORDS...",
            help="Files or folders of patients' records, in any form that clinfo chart reads.",
            show_default=False,
        ),
    ],
    out: Annotated[
        str,
        typer.Option(
            "--out",
            metavar="DIR",
            help="The folder of the index; it is created if missing, for its owner only.",
            show_default=False,
        ),
    ],
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(
            "--hierarchy",
            metavar="FILE",
            help="A table of what is a kind of what, beside MeSH: CSV with the columns child, "
            "parent, source, date, or OncoTree as JSON (repeatable).",
            show_default=False,
        ),
    ] = None,
    json: Annotated[bool, JSON] = False,
) -> int:
    """Read the facts of patients' records into an index.

    Patients whose notes did not change are not read again, those no longer in the records are taken
    out, and so are tables that are not named again. A build that was stopped resumes when the same
    command is run again; until it has ended the index cannot be asked.
    """
    from dataclasses import asdict

    from clinfo.patients.reading import read_records
    from clinfo.pipelines.cohort.store import build
    from clinfo.terms.hierarchies import read_hierarchy

    kinds = [kind for file in hierarchy or () for kind in read_hierarchy(Path(file))]
    found = read_records(records)
    for problem in found.problems:
        streams.complain(problem)
    if not found.records:
        raise UsageError("no patients' records were found in these files")
    built = build(
        found.records,
        Path(out),
        lambda done, of: streams.complain(f"{done:,} of {of:,} patients read"),
        kinds,
    )
    if json:
        print(json_format.dumps({**asdict(built), "skipped": dict(found.skipped)}))
    else:
        notes = number(built.notes, "note")
        print(
            f"{number(built.patients, 'patient')} in the index: {built.read:,} read ({notes}), "
            f"{built.kept:,} as they were, {built.removed:,} taken out"
        )
    return 0


@cohort.command(cls=GroupedCommand)
def erase(
    folder: Annotated[str, _DIR],
    patient: Annotated[
        str, typer.Argument(help="The patient's id, as the records have it.", show_default=False)
    ],
    json: Annotated[bool, JSON] = False,
) -> int:
    """Take a patient out of an index and overwrite what stood there.

    Take the patient out of the records too, or the next build reads them again. The log keeps that
    it was done. Exit status: 0 erased; 3 the index has no such patient.
    """
    from clinfo.patients.keeping import PatientStore, this_user
    from clinfo.pipelines.cohort.store import erase
    from clinfo.settings import load_settings

    PatientStore.of(load_settings()).audit(user=this_user(), patient=patient, did="erase", run="")
    count = erase(Path(folder), patient)
    streams.show({"notes": count} if json else f"{number(count, 'note')} erased.")
    return 0 if count else NOTHING_FOUND


@cohort.command(cls=GroupedCommand)
def find(
    folder: Annotated[str, _DIR],
    criteria: Annotated[
        str, typer.Argument(help="The criteria, in quotes.", show_default=False)
    ] = "",
    form: Annotated[
        str | None,
        typer.Option(
            "--form",
            metavar="FILE",
            help="A logical form (JSON, as in an answer of --json) instead of criteria.",
            show_default=False,
        ),
    ] = None,
    as_of: Annotated[
        str,
        typer.Option(
            "--as-of",
            metavar="DAY",
            help="What was known on that day: notes after it do not count.",
            show_default=False,
        ),
    ] = "",
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Tell of the other patients too, why they do not match.",
            show_default=False,
        ),
    ] = False,
    system: Annotated[
        Literal["symbolic", "retriever", "reader"],
        typer.Option(
            "--system",
            help="How members are found: by facts, by likeness of notes (for comparison), or by a "
            "model that reads what is likest. [symbolic]",
            show_default=False,
        ),
    ] = "symbolic",
    share: Annotated[
        float,
        typer.Option(
            "--share",
            metavar="N",
            help="retriever, reader: the share of all chunks that is kept. [0.0021]",
            show_default=False,
        ),
    ] = 0.0021,
    chunks: Annotated[
        int | None,
        typer.Option(
            "--chunks",
            metavar="N",
            help="retriever, reader: how many chunks are kept, instead of a share.",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="NAME",
            help="symbolic: a model that puts criteria which the rules refuse into the form; it is "
            "shown the criteria, no record. reader: the model, one that may see patients' records. "
            "[CLINFO_MODEL for reader, none for symbolic]",
            show_default=False,
        ),
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(
            "--max-cost",
            metavar="USD",
            help="symbolic, reader: most US dollars to spend.",
            show_default=False,
        ),
    ] = None,
    json: Annotated[bool, JSON] = False,
    csv: Annotated[
        bool,
        typer.Option(
            "--csv", help="Print CSV: member, criterion, quote, date.", show_default=False
        ),
    ] = False,
) -> int:
    """Find the patients who match criteria.

    Do not use it for care: it misreads notes, so check how the criteria were read, and the quotes.

    The criteria are read by rules into a logical form, which is shown. Words that are not
    understood are asked back; with --model it translates the criteria then, and that is said. The
    two other published systems take the criteria as they are.

    Exit status: 0 found; 2 wrong usage, or words not understood; 3 nobody matches; 4 a model
    failed; 5 budget reached; 6 the model may not see patients' records.
    """  # fmt: skip
    from datetime import date

    from clinfo.pipelines.cohort.answer import find
    from clinfo.pipelines.cohort.systems import find_by_likeness
    from clinfo.pipelines.cohort.translating import Translator
    from clinfo.render.cohort import csv_rows
    from clinfo.settings import load_settings

    if bool(criteria) == (form is not None):
        raise UsageError("give either criteria or --form FILE")
    if as_of:
        try:
            date.fromisoformat(as_of)
        except ValueError:
            raise UsageError(f"--as-of wants a day as 2022-01-31, not {as_of!r}") from None
    if system == "symbolic":
        translator = Translator(load_settings(), model, max_cost) if model else None
        answer = find(Path(folder), criteria, _form(form), as_of, explain, translator)
    elif form is not None:
        raise UsageError("--form is for --system symbolic: the others read criteria as they are")
    else:
        answer = find_by_likeness(
            load_settings(), Path(folder), criteria, system, share=share, chunks=chunks,
            model=model, max_cost=max_cost, as_of=as_of,
        )  # fmt: skip
    for warning in answer["warnings"]:
        streams.complain(warning)
    if json:
        print(json_format.dumps(answer, ensure_ascii=False))
    elif csv:
        csv_format.writer(sys.stdout, lineterminator="\n").writerows(csv_rows(answer))
    else:
        _told(answer)
    return 0 if answer["members"] else NOTHING_FOUND


@cohort.command(cls=GroupedCommand)
def schema() -> int:
    """Print the JSON schema of logical forms, by which --form FILE is checked."""
    from clinfo.pipelines.cohort.shapes import form_schema

    print(json_format.dumps(form_schema(), indent=1))
    return 0


def _form(path: str | None) -> Any:
    from clinfo.files import file_errors
    from clinfo.pipelines.cohort.shapes import from_json

    if path is None:
        return None
    with file_errors(f"cannot read {path}"):
        text = Path(path).read_text(encoding="utf-8")
    try:
        data = json_format.loads(text)
    except ValueError as error:
        raise UsageError(f"{path} is no JSON: {error}") from None
    return from_json(data.get("form", data) if isinstance(data, dict) else data)


def _told(answer: dict[str, Any]) -> None:
    counts = answer["counts"]
    print(f"Read as: {answer['text']}\n")
    for row in answer["attrition"]:
        print(f"{row['left']:>8,} left of {row['alone']:,}: {row['criterion']}")
    print(
        f"\n{counts['members']:,} match, {counts['not_matching']:,} do not, of "
        f"{counts['not_documented']:,} it is not documented"
    )
    for member in answer["members"][:_SHOWN]:
        print(f"\n{member['id']}")
        _criteria(member)
    if counts["members"] > _SHOWN:
        print(f"\nand {counts['members'] - _SHOWN:,} more: --json or --csv prints all")
    for other in answer.get("others", []):
        print(f"\nnot {other['id']}")
        _criteria(other)


def _criteria(patient: dict[str, Any]) -> None:
    from clinfo.text.printable import one_line

    for criterion in patient["criteria"]:
        spans = criterion["spans"]
        quote = (
            f"“{one_line(spans[0]['quote'])}” ({spans[0]['date'][:10] or 'no date'})"
            if spans
            else criterion.get("basis", "")
        )
        print(f"  {criterion['verdict']}: {criterion['text']}  {quote}")
