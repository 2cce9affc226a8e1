"""``clinfo copilot load``: files into a silo of the copilot."""

from __future__ import annotations

import json as json_format
from pathlib import Path
from typing import Annotated

import typer

from clinfo.cli.help import JSON, flag
from clinfo.console import streams
from clinfo.errors import UsageError

_SAID = "What hits say of their source"


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
    json: Annotated[bool, JSON] = False,
) -> int:
    """Load files into a silo, which is searched by itself.

    A file that did not change is not read again; what it no longer holds is taken out. A load that
    was stopped resumes when the same command is run again. A file that cannot be read is named, and
    the rest is loaded. Silos lie in CLINFO_DATA_DIR.

    Exit status: 0 loaded; 2 wrong usage, or no file could be read.
    """
    from dataclasses import asdict

    from clinfo.retrieval.silos.loading import load_files
    from clinfo.retrieval.silos.staged import About
    from clinfo.retrieval.silos.store import loaded_silos
    from clinfo.settings import load_settings

    about = About(title=title, licence=licence, date=date, version=version)
    with loaded_silos(load_settings()) as silos:
        first = not silos.names()
        done = load_files(silos, silo, [Path(one) for one in files], about, streams.complain)
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
        print(json_format.dumps({"schema": 1, **asdict(done)}))
    else:
        print(
            f"{silo}: {done.documents:,} documents; {done.new:,} new or changed, "
            f"{done.removed:,} taken out, {done.files_kept:,} files as they were"
        )
    return 0
