"""The report as one HTML file that needs nothing else: no script, no network, styles and plots
within.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.pubmedrs200.reporting.numbers import counted
from benchmarks.pubmedrs200.reporting.plots.drawing import inline
from benchmarks.pubmedrs200.reporting.printable import one_line, printable
from benchmarks.pubmedrs200.reporting.report import TIMES_NOTE, Report
from benchmarks.pubmedrs200.reporting.tables import Cell, Table, unbroken
from clinfo.extras import needed

_TEMPLATES = Path(__file__).parent / "templates"
_LONG = 40


def page(report: Report) -> str:
    """The file's text. Everything from outside is escaped by the template engine; only our own
    plots are put in as markup.
    """
    jinja2 = needed("jinja2", "metrics")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["counted"] = counted
    environment.filters["unbroken"] = unbroken
    environment.filters["line"] = one_line
    environment.filters["clean"] = printable
    from markupsafe import Markup

    context: dict[str, Any] = {
        "report": report,
        "plots": [(plot, Markup(inline(plot))) for plot in report.plots],
        "kind": _kind,
        "times_note": TIMES_NOTE,
        "style": Markup((_TEMPLATES / "report.css").read_text(encoding="utf-8")),
    }
    text: str = environment.get_template("report.html").render(context)
    return text


def _kind(table: Table, place: int, cell: Cell) -> str:
    """Classes of a cell: numbers to the right, and with them the words that stand in a number's
    place, in italics.
    """
    if cell.value is not None:
        return "number"
    if table.numeric(place):
        return "number words"
    return "long" if cell.link or len(cell.text) > _LONG else "counts"
