"""A forest plot: effects with their intervals as rows on one axis, and what stands beside and below
them. The same plot gives the same bytes; text from outside is never markup.

Needs matplotlib (the extra ``plots``), imported on use.
"""

import io
import math
import re
import textwrap
import threading
import unicodedata
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal
from xml.sax.saxutils import escape

from clinfo.evidence.effect_words import number, places
from clinfo.extras import needed
from clinfo.text.wording import one_line

Format = Literal["svg", "png", "pdf"]
Mark = Literal["", "study", "review", "pool"]

_REACH = 1.5
"""The reach of the axis beyond the outermost estimates, in median widths of an interval. Beyond it
an interval is clipped.
"""
_SPARE = 0.3
"""An interval that would be clipped by less than this share of the axis is shown whole instead."""
_INK, _GUIDE, _STRONG, _FAINT = "#1a1a1a", "#8a8a8a", "#0072b2", "#444444"
"""Ink, guide lines, the blue of Okabe and Ito's palette, which is told from ink in every kind of
colour vision and is lighter in grey (the shape of the mark says the same), and what matters less.
"""
_LINE, _WRAP, _PAD, _LETTER, _BOLD = 0.19, 0.16, 0.15, 0.08, 0.09
"""Inches: a line of text, a further line of the same text, the margin, a letter, a bold one."""
_NAME, _NAMED, AXIS = 2.7, 36, 3.3
"""Inches: the column of names (which holds so many letters), and the axis."""
_JOINED = "\u00a0"
CLIPPED = "Arrows: the interval extends beyond the axis."
_LOCK = threading.Lock()  # matplotlib keeps its settings for the whole process


@dataclass(frozen=True)
class Row:
    """A line of the plot, or of what stands below it.

    ``at`` are the ends of its interval with the estimate between them (the same three times where
    there is none), None for a line of text. ``cells`` stand between name and axis, ``words`` behind
    it; ``aside`` stands small below the name. The area of a square is ``size``, of which 1 is the
    largest.
    """

    name: str
    words: str = ""
    at: tuple[float, float, float] | None = None
    mark: Mark = ""
    cells: tuple[str, ...] = ()
    aside: str = ""
    size: float = 0.3
    bold: bool = False


@dataclass(frozen=True)
class Plot:
    """A forest plot to be drawn. ``title`` and ``description`` are for those who do not see it.

    ``heads`` stand above, the first one larger; ``columns`` name the cells, each with its unit.
    ``sides`` say what lies on both sides of no effect. ``foot`` stands below, words of a line
    without a name across the whole width.
    """

    title: str
    description: str
    heads: tuple[str, ...]
    ratio: bool
    rows: tuple[Row, ...]
    figures: str
    foot: tuple[Row, ...] = ()
    columns: tuple[tuple[str, str], ...] = ()
    sides: tuple[str, str] | None = None


def image(plot: Plot, format: Format = "svg") -> bytes:
    """The file of a plot. Raises UsageError without matplotlib. Text of an SVG stays text."""
    matplotlib = needed("matplotlib", "plots")
    figure_module = needed("matplotlib.figure", "plots")
    defaults = {
        name: value
        for name, value in matplotlib.rcParamsDefault.items()
        if not name.startswith("backend")
    }
    settings = {
        "svg.hashsalt": "clinfo",
        "svg.fonttype": "none",
        "pdf.fonttype": 42,
        "font.family": ["DejaVu Sans", "sans-serif"],
        "font.size": 9,
        "text.parse_math": False,
        "text.usetex": False,
    }
    stream = io.BytesIO()
    with _LOCK, warnings.catch_warnings(), matplotlib.rc_context({**defaults, **settings}):
        warnings.simplefilter("ignore")  # a letter that the font does not have is drawn as a box
        made = figure(plot, figure_module.Figure)
        metadata = {"Title": plot.title, **_UNDATED[format]}
        made.savefig(stream, format=format, dpi=150, metadata=metadata)
    if format != "svg":
        return stream.getvalue()
    described = f"</title>\n <desc>{escape(plot.description)}</desc>"
    svg = re.sub(r"</title>", lambda end: described, stream.getvalue().decode(), count=1)
    return svg.replace("<svg ", '<svg role="img" ', 1).encode()


_UNDATED: dict[Format, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def figure(plot: Plot, new: Any) -> Any:
    """The figure, made of matplotlib's class ``new``."""
    sheet = Sheet(plot)
    made = new(figsize=(sheet.width, sheet.height), facecolor="white")
    for x, y, text, style in sheet.texts:
        style = {"color": _INK, "va": "baseline", "parse_math": False, **style}
        made.text(x / sheet.width, 1 - y / sheet.height, text, **style)
    if plot.rows:
        deep = sheet.bottom - sheet.top
        place = (sheet.start, sheet.height - sheet.bottom, AXIS, deep)
        shares = [at / (sheet.width, sheet.height)[n % 2] for n, at in enumerate(place)]
        axes = made.add_axes(shares)
        _scale_axis(axes, *sheet.ends, plot.ratio)
        axes.set_ylim(sheet.bottom, sheet.top)
        for y, row in sheet.drawn:
            _draw(axes, y, row)
    return made


class Sheet:
    """Texts and marks at inches from the left upper corner, kept until the height is known."""

    def __init__(self, plot: Plot) -> None:
        self.plot, self.y = plot, 0.2
        self.texts: list[tuple[float, float, str, dict[str, Any]]] = []
        self.drawn: list[tuple[float, Row]] = []
        self.rights = [_PAD + _NAME]  # the right ends of the columns
        for n, (name, unit) in enumerate(plot.columns):
            letters = min(20, max([len(name) // 3, *map(len, name.split())]))
            most = max([len(unit), *(len(row.cells[n]) for row in plot.rows if row.cells)])
            width = max(most * _LETTER, (letters + 1) * _BOLD) + 0.2
            self.rights.append(self.rights[-1] + width)
        self.start = self.rights[-1] + 0.25
        self.figures = self.start + AXIS + 0.2
        longest = max([16, *(len(row.words) for row in plot.rows)])
        self.width = self.figures + longest * _LETTER + _PAD
        for n, head in enumerate(plot.heads):
            self.block(head, size=9 if n else 11, weight="bold")
            self.y += 0.04
        self.y += 0.8 * _LINE
        self.top = self.bottom = self.y
        if plot.rows:
            self.ends = limits([row.at for row in plot.rows if row.at and row.mark], plot.ratio)
            self._body()
            if any(row.at and _beyond(row.at, self.ends) for row in plot.rows):
                self._below(Row("", CLIPPED))
        for row in plot.foot:
            self._below(row)
        self.height = self.y + _PAD

    def write(self, x: float, text: str, **style: Any) -> None:
        """Text whose first line stands at the height that is reached."""
        size = style.get("fontsize", 9) / 9
        for n, line in enumerate(text.split("\n")):
            self.texts.append((x, self.y + 0.72 * _LINE * size + n * _WRAP * size, line, style))

    def block(self, text: str, x: float = _PAD, size: float = 9, **style: Any) -> None:
        """Text in up to four lines from there to the right margin; goes on below."""
        letter = (_BOLD if "weight" in style else _LETTER) * size / 9
        lines = wrapped(text, int((self.width - _PAD - x) / letter), 4)
        self.write(x, lines, fontsize=size, **style)
        self.y += _deep(lines) * size / 9

    def _body(self) -> None:
        plot, rights = self.plot, self.rights
        names = [
            wrapped(name, int((right - left - 0.1) / _BOLD), 4)
            for (name, _), left, right in zip(plot.columns, rights, rights[1:], strict=False)
        ]
        for at, name in zip(rights[1:], names, strict=True):
            self.write(at, name, ha="right", weight="bold")
        self.y += max([0.0, *map(_deep, names)])
        for at, (_, unit) in zip(rights[1:], plot.columns, strict=True):
            self.write(at, unit, ha="right", fontsize=8, color=_FAINT)
        self.write(_PAD, "Study", weight="bold")
        self.write(self.figures, plot.figures, weight="bold")
        self.y += 1.5 * _LINE
        self.top = self.y
        for row in plot.rows:
            self._row(row)
        self.bottom = self.y
        self.y += 1.9 * _LINE
        low, high = (math.log(end) if plot.ratio else end for end in self.ends)
        share = -low / (high - low)  # where no effect lies
        line = self.start + share * AXIS
        if plot.sides is None:
            self.write(line, "no effect", ha="center", fontsize=8, color=_FAINT)
            self.y += 1.5 * _LINE
            return
        letters = [int(25 * 2 * part) for part in (share, 1 - share)]  # of small text, of 50
        left = fitted(f"←{_JOINED}{plot.sides[0]}", max(12, letters[0]), 4)
        right = fitted(f"{plot.sides[1]}{_JOINED}→", max(24, letters[1]), 4)
        self.write(line - 0.06, left, ha="right", fontsize=8, color=_FAINT)
        self.write(line + 0.06, right, ha="left", fontsize=8, color=_FAINT)
        self.y += max(_deep(left), _deep(right)) + 0.4 * _LINE

    def _row(self, row: Row) -> None:
        style = {"weight": "bold"} if row.bold else {}
        name = fitted(row.name, _NAMED)
        self.write(_PAD, name, **style)
        for at, cell in zip(self.rights[1:], row.cells, strict=False):
            self.write(at, cell, ha="right", **style)
        self.write(self.figures, row.words, **style)
        if row.at is not None:
            self.drawn.append((self.y + 0.5 * _LINE, row))
        self.y += _deep(name)
        if row.aside:
            aside = wrapped(row.aside, _NAMED + 8, 3)
            self.write(_PAD + 0.1, aside, fontsize=8, color=_FAINT)
            self.y += _deep(aside) * 8 / 9
        self.y += 0.45 * _LINE

    def _below(self, row: Row) -> None:
        self.y += 0.2 * _LINE
        if not row.name:
            return self.block(row.words, size=8, color=_FAINT)
        if row.bold:
            return self.block(row.name, weight="bold")
        name, before = fitted(row.name, _NAMED), self.y
        self.write(_PAD, name)
        self.block(row.words, x=_PAD + _NAME + 0.1, size=8)
        self.y = max(self.y, before + _deep(name))
        return None


def _draw(axes: Any, y: float, row: Row) -> None:
    """The interval of a row with its estimate on it."""
    low, estimate, high = row.at or (0.0, 0.0, 0.0)
    if row.mark in ("study", "review"):
        of_study = row.mark == "study"
        style = {"marker": "s", "color": _GUIDE} if of_study else {"marker": "D", "color": _STRONG}
        size = max(2.5, 11 * math.sqrt(row.size))  # the area of a square is the weight
        axes.plot([estimate], [y], clip_on=False, zorder=1.5, markersize=size,
                  markeredgewidth=0, **style)  # fmt: skip
    if row.mark == "pool":
        axes.axvline(estimate, color=_STRONG, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1.2)
        corners = [low, estimate, high, estimate]
        axes.fill(corners, [y, y - 0.07, y, y + 0.07], color=_STRONG, linewidth=0, zorder=3)
    if row.mark != "pool" or _beyond((low, estimate, high), axes.get_xlim()):
        _draw_interval(axes, low, high, y, _INK if row.mark == "study" else _STRONG)


def _beyond(at: tuple[float, float, float], ends: tuple[float, float]) -> bool:
    return at[0] < ends[0] or at[2] > ends[1]


def limits(drawn: Sequence[tuple[float, float, float]], ratio: bool) -> tuple[float, float]:
    """The ends of the axis for (low, estimate, high): every estimate and "no effect" show, with
    room for words on both sides of that; intervals do up to `_REACH` median widths beyond.
    """

    def scaled(value: float) -> float:  # no effect is 0
        return math.log(min(max(value, 1e-12), 1e12)) if ratio else min(max(value, -1e13), 1e13)

    bounds = [(scaled(low), scaled(estimate), scaled(high)) for low, estimate, high in drawn]
    widths = sorted(high - low for low, _, high in bounds)
    reach = _REACH * widths[len(widths) // 2]
    estimates = [estimate for _, estimate, _ in bounds]
    first, last = min(low for low, _, _ in bounds), max(high for _, _, high in bounds)
    low = min(max(first, min(estimates) - reach), 0.0)
    high = max(min(last, max(estimates) + reach), 0.0)
    spare = _SPARE * (high - low)
    low = first if 0 < low - first < spare else low
    high = last if 0 < last - high < spare else high
    low, high = low - 0.06 * (high - low), high + 0.06 * (high - low)
    low, high = min(low, -high / 3), max(high, -low / 3)
    return (math.exp(low), math.exp(high)) if ratio else (low, high)


def _scale_axis(axes: Any, low: float, high: float, ratio: bool) -> None:
    """Give axes their scale, ticks, the line of no effect, and nothing else."""
    ticker = needed("matplotlib.ticker", "plots")
    axes.set(xscale="log" if ratio else "linear", xlim=(low, high))
    if ratio and high / low >= 4:
        every = {30: (1, 2, 3, 5, 7), 300: (1, 2, 5), 3_000: (1, 3)}
        steps = next((steps for most, steps in every.items() if high / low < most), (1,))
        axes.xaxis.set_major_locator(ticker.LogLocator(subs=steps, numticks=8))
    else:
        axes.xaxis.set_major_locator(ticker.MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
    axes.xaxis.set_major_formatter(lambda value, _: _tick(value))
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.set_yticks([])
    axes.spines[["left", "right", "top"]].set_visible(False)
    axes.axvline(1.0 if ratio else 0.0, color=_GUIDE, linewidth=1, zorder=1)


def _draw_interval(axes: Any, start: float, end: float, y: float, colour: str) -> None:
    """An interval as a line, with an arrow where it goes on beyond the axis."""
    low, high = axes.get_xlim()
    axes.plot(
        [max(start, low), min(end, high)],
        [y, y],
        color=colour,
        linewidth=1.4,
        solid_capstyle="butt",
        zorder=2,
    )
    for beyond, at, marker in ((start < low, low, "<"), (end > high, high, ">")):
        if beyond:
            axes.plot([at], [y], marker=marker, color=colour, markersize=6, clip_on=False, zorder=3)


def _tick(value: float) -> str:
    """A tick as it is written, without the traces of binary fractions."""
    value = float(f"{value:.10g}")
    return number(value, places(value))


def fitted(text: str, letters: int, most: int = 3) -> str:
    """Text in lines of so many letters; capitals are a quarter wider than the others."""
    capitals = sum(map(str.isupper, text)) / max(1, len(text))
    return wrapped(text, int(letters / (1 + capitals / 4)), most)


def _deep(lines: str) -> float:
    """The height of text of 9 points."""
    return _LINE + lines.count("\n") * _WRAP


def plain(text: str) -> str:
    """Text from outside on one line, without characters that XML or a font cannot hold."""
    return "".join(
        each for each in one_line(text) if unicodedata.category(each) not in ("Cn", "Co", "Cf")
    )


def wrapped(text: str, letters: int, most: int) -> str:
    """Text broken into lines that hold so many letters, at most so many, the last with "…" where
    it was cut.
    """
    places = sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)
    width = letters * len(text) // max(places, 1) or 1
    return "\n".join(textwrap.wrap(text, width, max_lines=most, placeholder=" …"))
