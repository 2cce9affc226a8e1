"""``clinfo cohort build|erase|schema``: patients' records into an index of facts."""

from __future__ import annotations

import json as json_format
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clinfo.cli.cohort_find import INDEX, find
from clinfo.cli.help import JSON, GroupedCommand, flag, group
from clinfo.console import streams
from clinfo.errors import NOTHING_FOUND, UsageError
from clinfo.views.wording import number

if TYPE_CHECKING:
    from clinfo.patients.collecting import Records
    from clinfo.pipelines.cohort.store import Built

cohort = group("cohort", "Find the patients who match criteria, each with the evidence.")
_BUILT = "The index"


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
    from dataclasses import asdict

    from clinfo.patients.collecting import NAMED
    from clinfo.patients.reading import read_records
    from clinfo.pipelines.cohort.store import build
    from clinfo.terms.hierarchies import read_hierarchy

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
    if json:
        print(
            json_format.dumps(
                {**asdict(built), "skipped": dict(found.skipped), "unnamed": found.unnamed}
            )
        )
    else:
        print(
            f"{number(built.patients, 'patient')} in the index: {built.read:,} read "
            f"({number(built.notes, 'note')}), {built.kept:,} as they were, {built.removed:,} "
            "taken out"
        )
    return 0


def _worth_knowing(found: Records, built: Built) -> Iterator[str]:
    """What the records have that is not read, or reads strangely."""
    from datetime import UTC, datetime, timedelta

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
    from clinfo.patients.keeping import PatientStore, this_user
    from clinfo.pipelines.cohort.store import erase
    from clinfo.settings import load_settings

    PatientStore.of(load_settings()).audit(user=this_user(), patient=patient, did="erase", run="")
    count = erase(Path(folder), patient)
    streams.show({"notes": count} if json else f"{number(count, 'note')} erased.")
    return 0 if count else NOTHING_FOUND


cohort.command(cls=GroupedCommand)(find)


@cohort.command(cls=GroupedCommand)
def schema() -> int:
    """Print the JSON schema of logical forms, by which --form FILE is checked."""
    from clinfo.pipelines.cohort.shapes import form_schema

    print(json_format.dumps(form_schema(), indent=1))
    return 0
