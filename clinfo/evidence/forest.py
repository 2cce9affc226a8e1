"""A plot in the style of a forest plot: the effects that abstracts state, with their intervals, on
one scale.

Nothing is pooled and no weight is given: the figure shows what was stated, ordered by design and
then year. Needs matplotlib (the extra ``plots``), imported on use. The same groups give the same
bytes.
"""

from __future__ import annotations

import io
import math
import re
import textwrap
import threading
import unicodedata
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Literal
from xml.sax.saxutils import escape

from clinfo.evidence.effect_words import number, places, stated
from clinfo.evidence.included_studies import FLAGS, plural
from clinfo.evidence.studies import POOLING
from clinfo.extras import needed
from clinfo.lazy_dataclass import dataclass
from clinfo.records.appraisal import Effect, EvidenceRow, Scale
from clinfo.text.design import design_strength
from clinfo.text.lexicon import words_of
from clinfo.text.printable import one_line
from clinfo.text.terms import GENERIC_WORDS, is_content, stem, synonym_stems, words

MOST_ROWS = 40
"""Effects drawn in one figure; the figure says how many further ones were left out."""
LEAST_ROWS = 2
CAPTION = "Effects as stated in the abstracts; not pooled, outcomes may differ"

_MEASURES = {
    "RR": "risk ratio",
    "OR": "odds ratio",
    "HR": "hazard ratio",
    "IRR": "incidence rate ratio",
    "RD": "risk difference",
    "MD": "mean difference",
    "WMD": "weighted mean difference",
    "SMD": "standardised mean difference",
}
_SAYS_LITTLE = frozenset(words_of("generic_words", "plots"))
"""Words of outcomes by which two different things may be called."""
_COMPARING: tuple[Scale, ...] = ("ratio", "difference", "standardised difference")
_LEVEL = 95.0
_REACH = 1.5
"""The reach of the axis beyond the outermost estimates, in median widths of an interval. Beyond it
an interval is clipped.
"""
_SPARE = 0.3
"""An interval that would be clipped by less than this share of the axis is shown whole instead."""
_DARK, _PALE, _REVIEW = "#1a1a1a", "#8a8a8a", "#0072b2"
"""Ink, guide lines, and the blue of Okabe and Ito's palette, which is told from ink in every kind
of colour vision and is lighter in grey; the shape of the mark says the same."""


@dataclass(frozen=True)
class PlotGroup:
    """Rows with effects on one scale, in the order they are drawn.

    ``unit`` is that of differences, None for others; ``level`` that of the intervals, None where
    some do not state it.
    """

    measure: str
    scale: Scale
    unit: str | None
    level: float | None
    rows: tuple[EvidenceRow, ...]

    @property
    def none(self) -> float:
        """The value that means no effect."""
        return 1.0 if self.scale == "ratio" else 0.0

    @property
    def title(self) -> str:
        """Return what is measured: "Odds ratio (OR)", "Mean difference (MD), mmHg"."""
        name = _MEASURES.get(self.measure, self.measure)
        words = f"{name[:1].upper()}{name[1:]}" + (
            f" ({self.measure})" if name != self.measure else ""
        )
        return f"{words}, {self.unit}" if self.unit else words


def drawable(rows: Sequence[EvidenceRow]) -> tuple[PlotGroup, ...]:
    """The groups that can be drawn, that of most rows first: two rows at least of one measure,
    unit, level and outcome.

    Only rows whose outcome is named are drawn, and those of one group all name one thing: a telling
    word or its synonym. A study with several reports is drawn once a group, by the first of them in
    the order of the figure. Left out are effects without an interval or with one that does not hold
    its estimate, ratios not above 0, mean differences without a unit, and values of two arms. An
    interval whose level is not stated stands among those of 95 per cent.
    """
    groups: dict[tuple[str, Scale, str, float], list[EvidenceRow]] = {}
    for row in sorted(rows, key=_order):
        effect = row.effect
        if (
            effect is None
            or not row.outcome
            or not _sound(effect)
            or any(notice.kind == "retracted" for notice in row.notices)
        ):
            continue
        unit = one_line(effect.unit or "") if effect.scale == "difference" else ""
        measure = "MD" if effect.measure == "WMD" else effect.measure
        groups.setdefault((measure, effect.scale, unit, effect.level or _LEVEL), []).append(row)
    kept = [(key, members) for key, found in groups.items() for members in _of_one_outcome(found)]
    kept.sort(key=lambda each: (-len(each[1]), _COMPARING.index(each[0][1]), each[0]))
    return tuple(
        PlotGroup(
            measure,
            scale,
            unit or None,
            level if all(map(_levelled, members)) else None,
            tuple(members),
        )
        for (measure, scale, unit, level), members in kept
    )


def _of_one_outcome(rows: Sequence[EvidenceRow]) -> Iterator[list[EvidenceRow]]:
    """The rows parted by what their outcomes share, the word of most studies first; a row stands in
    one part at most.
    """
    named = [(row, _telling(row.outcome or "")) for row in rows]
    while named:
        sharing = {
            word: _once(row for row, telling in named if word in telling)
            for _, all_ in named
            for word in all_
        }
        word = max(sharing, key=lambda each: (len(sharing[each]), each), default="")
        if not word or len(sharing[word]) < LEAST_ROWS:
            return
        yield sharing[word]
        named = [(row, telling) for row, telling in named if word not in telling]


def _once(rows: Iterable[EvidenceRow]) -> list[EvidenceRow]:
    first: dict[int, EvidenceRow] = {}
    for row in rows:
        first.setdefault(row.group, row)
    return list(first.values())


def _telling(outcome: str) -> frozenset[str]:
    """The stems of what an outcome is of, each with the one that stands for its synonyms."""
    kept = [word for word in words(outcome) if is_content(word) and not word.isdigit()]
    kept = [word for word in kept if word not in GENERIC_WORDS and word not in _SAYS_LITTLE]
    return frozenset(min(synonym_stems().get(stem(word), frozenset({stem(word)}))) for word in kept)


def draw(group: PlotGroup, to: Path | BinaryIO, format: Literal["svg", "png"] = "svg") -> None:
    """Write the figure of a group to a path or a binary stream. Raises UsageError without
    matplotlib.

    Text of an SVG stays text, with a title and a description for those who do not see it; words of
    rows are never markup.
    """
    data = _bytes(group, format)
    if isinstance(to, Path):
        to.write_bytes(data)
    else:
        to.write(data)


def _sound(effect: Effect) -> bool:
    low, high = effect.low, effect.high
    if (
        effect.scale not in _COMPARING
        or low is None
        or high is None
        or (effect.measure in ("MD", "WMD") and not effect.unit)
    ):
        return False
    if not all(
        math.isfinite(value) and abs(value) < 1e12 for value in (low, effect.estimate, high)
    ):
        return False
    if not low <= effect.estimate <= high or low == high:
        return False
    return effect.scale != "ratio" or low > 1e-9


def _levelled(row: EvidenceRow) -> bool:
    return row.effect is not None and row.effect.level is not None


def _order(row: EvidenceRow) -> tuple[float, str, int, int]:
    return -design_strength(row.design), row.design or "", -(row.year or 0), row.n


@dataclass(frozen=True)
class _Line:
    """One line block of the figure from the top: a heading, or a row with its label; ``top`` and
    ``height`` in lines of text.
    """

    top: float
    height: float
    heading: str = ""
    row: EvidenceRow | None = None
    label: str = ""
    aside: str = ""


_WIDTH, _LINE, _HEAD, _FOOT = 10.0, 0.19, 0.75, 1.05
"""Inches: width of the figure, height of a line, room above and below the rows."""
_LEFT, _RIGHT = 0.385, 0.775
"""The ends of the axis, as shares of the width: labels stand left of it, figures right."""
_LABEL_LETTERS = 44
_LOCK = threading.Lock()  # matplotlib keeps its settings for the whole process


def _bytes(group: PlotGroup, format: str) -> bytes:
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
        "font.family": ["DejaVu Sans", "sans-serif"],
        "font.size": 9,
        "text.parse_math": False,
        "text.usetex": False,
    }
    words = _described(group)
    metadata = (
        {"Title": words[0], "Date": None, "Creator": None}
        if format == "svg"
        else {"Title": words[0], "Software": None}
    )
    stream = io.BytesIO()
    with _LOCK, warnings.catch_warnings(), matplotlib.rc_context({**defaults, **settings}):
        warnings.simplefilter("ignore")  # a letter that the font does not have is drawn as a box
        figure = _figure(group, figure_module.Figure)
        figure.savefig(stream, format=format, dpi=150, metadata=metadata)
    return _with_description(stream.getvalue(), words[1]) if format == "svg" else stream.getvalue()


def _figure(group: PlotGroup, new: Any) -> Any:
    shown, hidden = group.rows[:MOST_ROWS], group.rows[MOST_ROWS:]
    lines = _lines(shown)
    total = lines[-1].top + lines[-1].height
    height = _HEAD + _FOOT + total * _LINE
    figure = new(figsize=(_WIDTH, height), facecolor="white")
    axes = figure.add_axes((_LEFT, _FOOT / height, _RIGHT - _LEFT, total * _LINE / height))
    low, high = _limits(group, shown)
    axes.set(
        xscale="log" if group.scale == "ratio" else "linear", xlim=(low, high), ylim=(total, 0)
    )
    ticks = _ticks(low, high, group.scale == "ratio")
    axes.set_xticks(ticks, [_tick(value) for value in ticks])
    axes.set_xticks([], minor=True)
    axes.set_yticks([])
    axes.spines[["left", "right", "top"]].set_visible(False)
    axes.axvline(group.none, color=_PALE, linewidth=1, zorder=1)

    def write(x: float, y: float, text: str, **style: Any) -> None:
        style = {"color": _DARK, "va": "center", "parse_math": False, **style}
        figure.text(x, y, text, **style)

    def level_with(line: float) -> float:
        return 1 - (_HEAD + line * _LINE) / height

    for each in lines:
        if each.row is None or each.row.effect is None:
            write(0.015, level_with(each.top + each.height / 2), each.heading, weight="bold")
            continue
        first = level_with(each.top + 0.75)
        write(0.025, first, each.label)
        if each.aside:
            write(
                0.045,
                level_with(each.top + 1.25),
                each.aside,
                fontsize=8,
                va="top",
                color="#444444",
                linespacing=1.25,
            )
        write(_RIGHT + 0.02, first, stated(each.row.effect))
        _mark(axes, each.row, each.row.effect, each.top + 0.75, low, high)
    write(0.015, 1 - 0.25 / height, group.title, weight="bold", fontsize=11)
    write(_RIGHT + 0.02, 1 - 0.55 / height, _interval_words(group), weight="bold")
    line = min(max(_share_of(group, low, high), _LEFT + 0.03), _RIGHT - 0.035)
    write(line, 1 - 0.55 / height, "no effect", ha="center", fontsize=8, color="#444444")
    foot = [CAPTION + "."]
    if any(row.design in POOLING for row in shown):
        foot.append(
            "Diamonds are reviews, which may pool other studies shown. Squares are single studies."
        )
    if _clipped(shown, low, high):
        foot.append("Arrows: the interval extends beyond the axis.")
    if hidden:
        foot.append(f"{len(hidden)} further effect{'s' if len(hidden) > 1 else ''} not shown.")
    write(
        0.015,
        0.42 / height,
        textwrap.fill(" ".join(foot), 125),
        fontsize=8,
        va="center",
        linespacing=1.3,
    )
    return figure


def _lines(rows: Sequence[EvidenceRow]) -> list[_Line]:
    """Headings by design and rows under them, from the top."""
    lines: list[_Line] = []
    top, design = 0.0, None
    for row in rows:
        name = _words(plural(row.design) if row.design else "studies of unstated design")
        if name != design:
            top += 0.3 if lines else 0.0
            heading = _wrapped(f"{name[:1].upper()}{name[1:]}", 2)
            lines.append(_Line(top, 1.4 + heading.count("\n"), heading=heading))
            top, design = top + lines[-1].height, name
        parts = [str(row.year) if row.year else "year not stated"]
        parts += [f"{row.sample_size:,} participants"] if row.sample_size else []
        parts += dict.fromkeys(notice.kind for notice in row.notices if notice.kind in FLAGS)
        aside = _wrapped(_words(row.outcome or ""), 3)
        height = 1.6 + (0.95 * (aside.count("\n") + 1) if aside else 0.0)
        lines.append(
            _Line(
                top,
                height,
                row=row,
                label=_wrapped(f"[{row.n}] {', '.join(parts)}", 1),
                aside=aside,
            )
        )
        top += height
    return lines


def _mark(axes: Any, row: EvidenceRow, effect: Effect, y: float, low: float, high: float) -> None:
    """The interval as a line with its estimate on it, and an arrow where it goes on beyond the
    axis.
    """
    start, end = effect.low or 0.0, effect.high or 0.0
    pools = row.design in POOLING
    colour = _REVIEW if pools else _DARK
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
    axes.plot(
        [effect.estimate],
        [y],
        marker="D" if pools else "s",
        color=colour,
        markersize=7 if pools else 6,
        clip_on=False,
        zorder=4,
    )


def _limits(group: PlotGroup, rows: Sequence[EvidenceRow]) -> tuple[float, float]:
    """The ends of the axis: every estimate and "no effect" show; intervals do up to `_REACH` median
    widths beyond.
    """
    scaled, back = (math.log, math.exp) if group.scale == "ratio" else (float, float)
    effects = [row.effect for row in rows if row.effect is not None]
    bounds = [
        (scaled(each.low), scaled(each.estimate), scaled(each.high))
        for each in effects
        if each.low is not None and each.high is not None
    ]
    widths = sorted(high - low for low, _, high in bounds)
    reach = _REACH * widths[len(widths) // 2]
    estimates = [estimate for _, estimate, _ in bounds]
    first, last = min(low for low, _, _ in bounds), max(high for _, _, high in bounds)
    low = min(max(first, min(estimates) - reach), scaled(group.none))
    high = max(min(last, max(estimates) + reach), scaled(group.none))
    spare = _SPARE * (high - low)
    low, high = (
        (first if 0 < low - first < spare else low),
        (last if 0 < last - high < spare else high),
    )
    room = 0.06 * (high - low)
    return back(low - room), back(high + room)


def _clipped(rows: Sequence[EvidenceRow], low: float, high: float) -> bool:
    return any(
        row.effect is not None and ((row.effect.low or 0) < low or (row.effect.high or 0) > high)
        for row in rows
    )


def _share_of(group: PlotGroup, low: float, high: float) -> float:
    """Return where on the figure's width the value of no effect lies."""
    scaled = math.log if group.scale == "ratio" else float
    return _LEFT + (_RIGHT - _LEFT) * (scaled(group.none) - scaled(low)) / (
        scaled(high) - scaled(low)
    )


def _ticks(low: float, high: float, ratio: bool) -> list[float]:
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


def _interval_words(group: PlotGroup) -> str:
    level = f"{group.level:g} % interval" if group.level is not None else "interval as stated"
    return f"{group.measure if len(group.measure) <= 6 else 'Effect'} ({level})"


def _words(text: str) -> str:
    """Text from outside on one line, without characters that XML or a font cannot hold."""
    return "".join(
        each for each in one_line(text) if unicodedata.category(each) not in ("Cn", "Co", "Cf")
    )


def _wrapped(text: str, most: int) -> str:
    """Text broken into lines that fit the label's column, at most so many, the last with "…" where
    it was cut.
    """
    letters = sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)
    width = _LABEL_LETTERS * len(text) // max(letters, 1) or 1
    return "\n".join(textwrap.wrap(text, width, max_lines=most, placeholder=" …"))


def _described(group: PlotGroup) -> tuple[str, str]:
    """The title and the description of the figure."""
    told = [
        (
            f"[{row.n}] {_words(row.design or 'study of unstated design')}, "
            f"{row.year or 'year not stated'}: {stated(row.effect)}"
        )
        for row in group.rows[:MOST_ROWS]
        if row.effect is not None
    ]
    return f"{_words(group.title)}: {len(group.rows)} studies", f"{CAPTION}. {'; '.join(told)}."


def _with_description(svg: bytes, text: str) -> bytes:
    described = re.sub(
        r"</title>",
        lambda end: f"{end.group()}\n <desc>{escape(text)}</desc>",
        svg.decode(),
        count=1,
    )
    return described.replace("<svg ", '<svg role="img" ', 1).encode()
