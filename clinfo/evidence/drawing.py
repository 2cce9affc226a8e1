"""What figures of effects have in common: the axis, intervals on it, text from outside, and files
of the same bytes for the same figure.

Needs matplotlib (the extra ``plots``), imported on use.
"""

from __future__ import annotations

import io
import math
import re
import textwrap
import threading
import unicodedata
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal
from xml.sax.saxutils import escape

from clinfo.evidence.effect_words import number, places
from clinfo.extras import needed
from clinfo.text.printable import one_line

Format = Literal["svg", "png", "pdf"]

_REACH = 1.5
"""The reach of the axis beyond the outermost estimates, in median widths of an interval. Beyond it
an interval is clipped.
"""
_SPARE = 0.3
"""An interval that would be clipped by less than this share of the axis is shown whole instead."""
INK, GUIDE, STRONG = "#1a1a1a", "#8a8a8a", "#0072b2"
"""Ink, guide lines, and the blue of Okabe and Ito's palette, which is told from ink in every kind
of colour vision and is lighter in grey; the shape of the mark says the same."""
_LOCK = threading.Lock()  # matplotlib keeps its settings for the whole process


def image(make: Callable[[Any], Any], format: Format, title: str, description: str) -> bytes:
    """The file of a figure that ``make`` makes of matplotlib's class. Raises UsageError without
    matplotlib.

    Text of an SVG stays text, with a title and a description for those who do not see it.
    """
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
        figure = make(figure_module.Figure)
        metadata = {"Title": title, **_UNDATED[format]}
        figure.savefig(stream, format=format, dpi=150, metadata=metadata)
    return _described(stream.getvalue(), description) if format == "svg" else stream.getvalue()


_UNDATED: dict[Format, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def scale_axis(axes: Any, low: float, high: float, ratio: bool) -> None:
    """Give axes their scale, ticks, the line of no effect, and nothing else."""
    axes.set(xscale="log" if ratio else "linear", xlim=(low, high))
    at = ticks(low, high, ratio)
    axes.set_xticks(at, [_tick(value) for value in at])
    axes.set_xticks([], minor=True)
    axes.set_yticks([])
    axes.spines[["left", "right", "top"]].set_visible(False)
    axes.axvline(1.0 if ratio else 0.0, color=GUIDE, linewidth=1, zorder=1)


def draw_interval(axes: Any, start: float, end: float, y: float, colour: str) -> None:
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


def limits(intervals: Sequence[tuple[float, float, float]], ratio: bool) -> tuple[float, float]:
    """The ends of the axis for (low, estimate, high): every estimate and "no effect" show;
    intervals do up to `_REACH` median widths beyond.
    """
    scaled, back = (math.log, math.exp) if ratio else (float, float)
    bounds = [(scaled(low), scaled(estimate), scaled(high)) for low, estimate, high in intervals]
    widths = sorted(high - low for low, _, high in bounds)
    reach = _REACH * widths[len(widths) // 2]
    estimates = [estimate for _, estimate, _ in bounds]
    first, last = min(low for low, _, _ in bounds), max(high for _, _, high in bounds)
    low = min(max(first, min(estimates) - reach), scaled(1.0 if ratio else 0.0))
    high = max(min(last, max(estimates) + reach), scaled(1.0 if ratio else 0.0))
    spare = _SPARE * (high - low)
    low, high = (
        (first if 0 < low - first < spare else low),
        (last if 0 < last - high < spare else high),
    )
    room = 0.06 * (high - low)
    return back(low - room), back(high + room)


def ticks(low: float, high: float, ratio: bool) -> list[float]:
    """Round numbers within the axis, about three to seven; "no effect" is always one of them."""
    if ratio and high / low >= 4:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        for steps in ((1.0, 2.0, 3.0, 4.0, 5.0, 7.0), (1.0, 2.0, 5.0), (1.0, 3.0)):
            found = [
                value
                for power in powers
                for step in steps
                if low <= (value := step * 10.0**power) <= high
            ]
            if len(found) <= 7:
                return found
        every = math.ceil(len(powers) / 6)
        return [
            10.0**power for power in powers if power % every == 0 and low <= 10.0**power <= high
        ]
    power = 10.0 ** math.floor(math.log10(high - low))
    step = next(
        step * power
        for step in (2.0, 1.0, 0.5, 0.25, 0.2, 0.1)
        if (high - low) / (step * power) >= 3.5
    )
    return [place * step for place in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _tick(value: float) -> str:
    """A tick as it is written, without the traces of binary fractions."""
    value = float(f"{value:.10g}")
    return number(value, places(value))


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


def _described(svg: bytes, text: str) -> bytes:
    described = re.sub(
        r"</title>",
        lambda end: f"{end.group()}\n <desc>{escape(text)}</desc>",
        svg.decode(),
        count=1,
    )
    return described.replace("<svg ", '<svg role="img" ', 1).encode()
