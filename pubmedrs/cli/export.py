"""``pubmedrs export``: sheets for the annotators."""

from typing import Annotated

import typer

from clinfo.console import streams


def export(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="The data set with the candidate answers.", show_default=False
        ),
    ],
    out: Annotated[
        str, typer.Option("--out", metavar="DIR", help="Folder for the sheets.", show_default=False)
    ],
    annotators: Annotated[
        str,
        typer.Option(
            "--annotators",
            metavar="A,B",
            help="Names of the annotators, with commas between.",
            show_default=False,
        ),
    ],
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            metavar="N",
            help="Shuffle each annotator's rows. [data set order]",
            show_default=False,
        ),
    ] = None,
    subset: Annotated[
        str,
        typer.Option(
            "--subset",
            metavar="NAME",
            help="all, scored145, or a file of PMIDs. [all]",
            show_default=False,
        ),
    ] = "all",
) -> int:
    """Write one CSV an annotator, for any spreadsheet: title, question, candidate answer, abstract,
    and columns to fill in.

    The column decision takes accept, edit or reject; an edit goes into edited_question or
    edited_answer, and what is left blank there stays as it was. A cell that begins with =, +, - or
    @ has an apostrophe before it, so that no spreadsheet runs it; import takes it away again. A
    sheet that is there already is never replaced.

    Exit status: 0 written; 2 wrong usage, or the file cannot be read.

    \b
    Example:
      python -m pubmedrs export built.jsonl --out sheets --annotators anna,ben --seed 1
    """
    from pathlib import Path

    from pubmedrs.annotation.sheets import export as export_sheets
    from pubmedrs.reading import load

    names = [name.strip() for name in annotators.split(",") if name.strip()]
    paths = export_sheets(load(file), names, Path(out), seed=seed, chosen=subset)
    streams.show("\n".join(str(path) for path in paths))
    return 0
