"""The style of all plots, and turning a drawn one into bytes that are the same every time."""

from __future__ import annotations

import io
import re
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from clinfo.extras import needed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK: Final = "#1b1c1d"
GRID: Final = "#d6d7d8"
COLOURS: Final = {
    "no retrieval": "#7f7f7f",
    "restricted search": "#0072b2",
    "source dropped": "#e69f00",
    "unrestricted search": "#009e73",
    "other": "#cc79a7",
}
"""By `Named.colour`: Okabe and Ito's colours, told apart by all common kinds of colour vision
(Wong, Nature Methods 2011).
"""
MARKERS: Final = "osD^vP*X<>ph"
DASHES: Final = ("-", "--", "-.", ":")

_SETTINGS: Final[dict[str, Any]] = {
    "svg.hashsalt": "pubmedrs",
    "svg.fonttype": "none",
    "font.family": ["DejaVu Sans"],
    "font.size": 9,
    "text.parse_math": False,
    "text.usetex": False,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "figure.dpi": 100,
}


@dataclass(frozen=True)
class Plot:
    """A finished plot. ``alt`` says in words what it shows, with the key figures."""

    key: str
    title: str
    alt: str
    svg: str
    png: bytes


@contextmanager
def figure(width: float, height: float) -> Iterator[tuple[Figure, Axes]]:
    """An empty figure of so many inches in the report's style, whatever settings the user's
    matplotlib has.
    """
    matplotlib = needed("matplotlib", "plots")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        drawn = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(drawn)
        yield drawn, drawn.add_subplot()


def titled(standing: str) -> dict[str, Any]:
    """Return what the figures stand on, above a legend, so that a plot taken out of the report
    still says it.
    """
    return {"title": textwrap.fill(standing, 140), "title_fontsize": 7.5}


def finished(key: str, title: str, alt: str, drawn: Figure) -> Plot:
    """Both files of a figure: no date, no version, no path in them."""
    svg, png = io.StringIO(), io.BytesIO()
    drawn.savefig(svg, format="svg", metadata={"Date": None, "Creator": None}, transparent=True)
    drawn.savefig(png, format="png", dpi=200, metadata={"Software": None}, facecolor="white")
    text = svg.getvalue().replace(
        "font-family: 'DejaVu Sans'", "font-family: 'DejaVu Sans', Verdana, sans-serif"
    )
    text = re.sub(r"(font: [^;\"]*)'DejaVu Sans'", r"\1'DejaVu Sans', Verdana, sans-serif", text)
    return Plot(key, title, alt, text, png.getvalue())


def inline(plot: Plot) -> str:
    """The SVG as part of an HTML page: ids of its own, the page's ink and grid colours, the page's
    width.
    """
    body = plot.svg[plot.svg.index("<svg") :]
    body = re.sub(r'\bid="([^"]+)"', lambda match: f'id="{plot.key}-{match[1]}"', body)
    body = re.sub(
        r'(xlink:href="#|url\(#)([^")]+)', lambda match: f"{match[1]}{plot.key}-{match[2]}", body
    )
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    opening, rest = body.split(">", 1)
    opening = re.sub(r'\s(?:width|height)="[^"]*"', "", opening)
    return (
        (opening + ' aria-hidden="true" focusable="false">' + rest)
        .replace(INK, "currentColor")
        .replace(GRID, "var(--line)")
    )
