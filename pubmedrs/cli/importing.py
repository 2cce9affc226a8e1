"""``pubmedrs import``: the annotators' sheets back, their agreement, and the data set that comes of
them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from clinfo.console import streams
from clinfo.text.wording import number
from pubmedrs.cli.complaints import complain

if TYPE_CHECKING:
    from pubmedrs.annotation.round_trip import Distance, Kappa, RoundTrip

OPEN = 1
"""Exit status where the annotators disagree on something and no adjudicator has decided it."""


def import_sheets(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="A.csv B.csv [ADJUDICATED.csv]",
            help="The sheets, in any order.",
            show_default=False,
        ),
    ],
    data: Annotated[
        str,
        typer.Option(
            "--data",
            metavar="FILE",
            help="The data set that the sheets were made from.",
            show_default=False,
        ),
    ],
    out: Annotated[
        str,
        typer.Option(
            "--out",
            metavar="FILE",
            help="The data set to write: .jsonl or .csv.",
            show_default=False,
        ),
    ],
    adjudication: Annotated[
        str | None,
        typer.Option(
            "--adjudication",
            metavar="FILE",
            show_default=False,
            help="The file of disagreements for a third person to decide. [beside --out]",
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print JSON with the ids.", show_default=False)
    ] = False,
) -> int:
    """Read the annotators' sheets back, tell how far they agree, and write the data set that both
    want.

    What they disagree on (another decision, or another edited text) goes into a sheet for a third
    person, who decides accept, edit or reject, or takes over an annotator's version with first or
    second; give that sheet as the third file then. Nothing is written before everything is decided,
    nor where a row cannot be used; every such row is named.

    Exit status: 0 written; 1 disagreements are left to adjudicate; 2 wrong usage, or rows that
    cannot be used.

    \b
    Example:
      python -m pubmedrs import annotate-anna.csv annotate-ben.csv --data built.jsonl --out
      final.jsonl
    """
    from dataclasses import asdict
    from pathlib import Path

    from clinfo.errors import UsageError
    from pubmedrs.annotation.round_trip import BadSheets, read_back
    from pubmedrs.reading import load
    from pubmedrs.writing import write

    path = Path(out)
    if path.suffix.lower() not in (".jsonl", ".csv"):
        raise UsageError(f"--out: {out}: the name must end in .jsonl or .csv")
    taken = {Path(name).resolve() for name in (*files, data)}
    if path.resolve() in taken:
        raise UsageError("--out would replace a file that is read")
    dataset = load(data)
    try:
        told = read_back([Path(name) for name in files], dataset)
    except BadSheets as error:
        for problem in error.problems:
            place = f"row {problem.row:,}" if problem.row else "the sheet"
            who = f" (id {problem.id})" if problem.id else ""
            column = f" {problem.column}:" if problem.column else ""
            complain(f"{problem.file}, {place}{who}:{column} {problem.detail}")
        raise UsageError(str(error)) from None
    form = {"agreement": asdict(told.agreement), "outcome": asdict(told.outcome)}
    if told.outcome.open:
        sheet = (
            Path(adjudication) if adjudication else path.with_name(f"{path.stem}.adjudication.csv")
        )
        told.write_disagreements(sheet, {review.pmid: review for review in dataset.reviews})
        streams.show(form if json else _text(told))
        complain(
            f"{len(told.outcome.open):,} to adjudicate, written to {sheet}; {out} is written once "
            "they are decided"
        )
        return OPEN
    write(told.reviews, path)
    streams.show(form if json else _text(told))
    complain(f"{number(len(told.reviews), 'review')} written to {out}")
    return 0


def _text(told: RoundTrip) -> str:
    from pubmedrs.annotation.sheets import DECISIONS

    found, outcome = told.agreement, told.outcome
    one, other = found.annotators
    lines = [
        f"{found.three.n:,} candidates decided by {one} (rows) and {other} (columns)",
        f"  {'':<10}" + _row(DECISIONS),
    ]
    lines += [
        f"  {first:<10}" + _row(f"{found.table[f'{first} {second}']:,}" for second in DECISIONS)
        for first in DECISIONS
    ]
    lines += [
        "",
        f"Cohen's kappa, accept / edit / reject:  {_kappa(found.three)}",
        f"Cohen's kappa, accept or edit / reject: {_kappa(found.two)}",
        "",
        "Edit distance (0 equal, 1 nothing in common), mean and median",
        f"  answers, {one} to {other}: {_distance(found.answers)}",
        f"  questions, {one} to {other}: {_distance(found.questions)}",
        *(
            f"  {name}'s edits, candidate to edited answer: {_distance(one)}"
            for name, one in found.edits.items()
        ),
        "",
        (
            f"{len(outcome.accepted):,} accepted, {len(outcome.edited):,} edited, "
            f"{len(outcome.rejected):,} rejected, "
            f"{len(outcome.open):,} open ({len(outcome.adjudicated):,} by adjudication)"
        ),
    ]
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    return "".join(f"{cell:>9}" for cell in cells)


def _kappa(one: Kappa) -> str:
    value = (
        f"{one.kappa:.3f}" if one.kappa is not None else "undefined (both took one decision only)"
    )
    return f"{value}  (agreed {one.observed:.3f}, by chance {one.expected:.3f}, n = {one.n:,})"


def _distance(one: Distance) -> str:
    if one.characters is None or one.words is None:
        return "none to compare"
    characters = f"{one.characters:.3f}, {one.characters_median:.3f}"
    return f"characters {characters}; words {one.words:.3f}, {one.words_median:.3f} (n = {one.n:,})"
