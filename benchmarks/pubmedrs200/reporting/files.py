"""The report's files, written together or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from benchmarks.pubmedrs200.reporting.csv_files import table_csv
from benchmarks.pubmedrs200.reporting.html import page
from benchmarks.pubmedrs200.reporting.latex import table_latex
from benchmarks.pubmedrs200.reporting.markdown import escaped, table_text
from benchmarks.pubmedrs200.reporting.report import TIMES_NOTE, Report
from benchmarks.pubmedrs200.reporting.tables import Table
from clinfo.errors import UsageError

_OURS: Final = ("report.md", "report.html", "tables", "plots", "timings.md", "timings.csv")


def contents(report: Report, timings: Table | None) -> Mapping[str, str | bytes]:
    """Every file's contents by its path under the folder."""
    files: dict[str, str | bytes] = {"report.md": markdown(report), "report.html": page(report)}
    for table in report.tables:
        files[f"tables/{table.key}.csv"] = table_csv(table)
        files[f"tables/{table.key}.tex"] = table_latex(table)
    for plot in report.plots:
        files[f"plots/{plot.key}.svg"] = plot.svg
        files[f"plots/{plot.key}.png"] = plot.png
    if timings is not None:
        files["timings.md"] = table_text(timings)
        files["timings.csv"] = table_csv(timings)
    return files


def markdown(report: Report) -> str:
    """The report as Markdown: all tables, the plots as files beside it; each question's texts are
    in report.html alone.
    """
    lines = [
        f"# {escaped(report.title)}",
        "",
        "## In short",
        "",
        *(f"- {escaped(line)}" for line in report.short),
    ]
    lines += ["", "## What was scored", ""]
    lines += [f"- {escaped(name)}: {escaped(value)}" for name, value in report.facts]
    lines += ["", *(f"> {escaped(remark)}\n>" for remark in report.remarks)]
    lines += [
        "",
        escaped(TIMES_NOTE),
        "",
        "Each question with all systems side by side is in report.html.",
        "",
        "## Tables",
        "",
    ]
    text = "\n".join(lines) + "\n" + "\n".join(table_text(table) for table in report.tables)
    if report.plots:
        text += "\n## Plots\n"
    for plot in report.plots:
        text += (
            f"\n### {escaped(plot.title)}\n\n![{escaped(plot.title)}](plots/{plot.key}.svg)\n\n"
            f"{escaped(plot.alt)}\n"
        )
    return text


def check(folder: Path) -> None:
    """UsageError where the folder holds anything that is not a report of ours: nothing of others is
    ever replaced.
    """
    if not folder.exists():
        return
    if not folder.is_dir():
        raise UsageError(f"{folder} is a file; --out names a folder")
    strange = sorted(path.name for path in folder.iterdir() if path.name not in _OURS)
    if strange:
        raise UsageError(
            f"{folder} holds {strange[0]!r}, which is not part of a report; name a folder of its "
            "own with --out"
        )


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Put the files in place of an earlier report by renaming; killed between two renamings, the
    old one is at NAME.old.
    """
    check(folder)
    folder = folder.absolute()
    partial, old = (
        folder.with_name(folder.name + ".partial"),
        folder.with_name(folder.name + ".old"),
    )
    try:
        for stale in (partial, old):
            if stale.exists():
                check(stale)
                shutil.rmtree(stale)
        for name, content in files.items():
            path = partial / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
        if folder.exists():
            os.replace(folder, old)
        os.replace(partial, folder)
        if old.exists():
            shutil.rmtree(old)
    except OSError as error:
        raise UsageError(f"{folder}: {error.strerror or error}") from None
