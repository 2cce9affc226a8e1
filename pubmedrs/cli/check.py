"""``pubmedrs check``: every fault of a data set file, and its repaired form."""

from typing import Annotated

import typer

from clinfo.console import streams
from clinfo.text.wording import number
from pubmedrs.cli.complaints import complain


def check(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="The published CSV, or a data set built or repaired here.",
            show_default=False,
        ),
    ],
    all: Annotated[
        bool, typer.Option("--all", help="Show every fault, one per line.", show_default=False)
    ] = False,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="Show every fault of this kind, one per line; repeatable.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Write the repaired reviews: .jsonl or .csv.",
            show_default=False,
        ),
    ] = None,
    repairs: Annotated[
        str | None,
        typer.Option(
            "--repairs",
            metavar="FILE",
            help="Write every changed cell, before and after, as CSV.",
            show_default=False,
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print JSON with every fault.", show_default=False)
    ] = False,
) -> int:
    """Check a data set file: count its faults by kind, and write its repaired form.

    Exit status: 0 the file can be read, whatever is wrong in it; 2 it cannot, or wrong usage.

    \b
    Examples:
      python -m pubmedrs check PubMedRS-200.csv
      python -m pubmedrs check PubMedRS-200.csv --kind "own PMID" --kind "no references"
      python -m pubmedrs check PubMedRS-200.csv --out repaired.jsonl --repairs repairs.csv
    """
    from pathlib import Path

    from clinfo.errors import UsageError
    from pubmedrs import checking
    from pubmedrs.reading import load
    from pubmedrs.records import KINDS
    from pubmedrs.writing import write, write_repairs

    kinds = set(kind or ())
    if unknown := sorted(kinds - set(KINDS)):
        raise UsageError(
            f"--kind: {unknown[0]!r} is not a kind of fault; known are {', '.join(KINDS)}"
        )
    for name, flag in ((out, "--out"), (repairs, "--repairs")):
        if name is not None and _same(name, file):
            raise UsageError(f"{flag} would replace the file that is checked")
    if out is not None and repairs is not None and _same(out, repairs):
        raise UsageError("--out and --repairs name the same file")
    dataset = load(file)
    if out is not None:
        write(dataset, out)
        complain(f"{number(len(dataset.reviews), 'review')} written to {out}")
    if repairs is not None:
        write_repairs(dataset.repairs, repairs)
        complain(f"{len(dataset.repairs):,} changes written to {repairs}")
    if json:
        streams.show(checking.report(dataset))
        return 0
    shown = [fault for fault in dataset.faults if all or fault.kind in kinds]
    streams.show(checking.text(dataset, Path(file).name, shown))
    return 0


def _same(one: str, other: str) -> bool:
    from pathlib import Path

    return Path(one).resolve() == Path(other).resolve()
