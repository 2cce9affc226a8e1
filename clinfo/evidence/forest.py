"""A plot in the style of a forest plot: the effects that abstracts state, with their intervals, on
one scale.

Nothing is pooled and no weight is given: the figure shows what was stated, ordered by design and
then year. Needs matplotlib (the extra ``plots``), imported on use. The same groups give the same
bytes.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal

from clinfo.evidence.balance import CONCERN
from clinfo.evidence.design import POOLING, plural, strength
from clinfo.evidence.drawing import (
    INK,
    STRONG,
    draw_interval,
    image,
    limits,
    plain,
    scale_axis,
    wrapped,
)
from clinfo.evidence.effect_words import stated, titled
from clinfo.records.appraisal import Effect, EvidenceRow, Scale
from clinfo.text.printable import one_line
from clinfo.text.terms import GENERIC_WORDS, is_content, stem, words

MOST_ROWS = 40
"""Effects drawn in one figure; the figure says how many further ones were left out."""
LEAST_ROWS = 2
CAPTION = "Effects as stated in the abstracts; not pooled, outcomes may differ"

_COMPARING: tuple[Scale, ...] = ("ratio", "difference", "standardised difference")
_LEVEL = 95.0


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
        return titled(self.measure, self.unit)


def drawable(rows: Sequence[EvidenceRow]) -> tuple[PlotGroup, ...]:
    """The groups that can be drawn, that of most rows first: two rows at least of one measure,
    unit, level and outcome.

    Only rows whose outcome is named are drawn, and those of one group all share a telling
    word. A study with several reports is drawn once a group, by the first of them in
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
    """The stems of what an outcome is of."""
    kept = (word for word in words(outcome) if is_content(word) and not word.isdigit())
    return frozenset(stem(word) for word in kept if word not in GENERIC_WORDS)


def draw(group: PlotGroup, to: Path | BinaryIO, format: Literal["svg", "png"] = "svg") -> None:
    """Write the figure of a group to a path or a binary stream. Raises UsageError without
    matplotlib.

    Text of an SVG stays text, with a title and a description for those who do not see it; words of
    rows are never markup.
    """
    title, description = _described(group)
    data = image(lambda new: _figure(group, new), format, title, description)
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


def _order(row: EvidenceRow) -> tuple[int, str, int, int]:
    return strength(row.design), row.design or "", -(row.year or 0), row.n


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


def _figure(group: PlotGroup, new: Any) -> Any:
    shown, hidden = group.rows[:MOST_ROWS], group.rows[MOST_ROWS:]
    lines = _lines(shown)
    total = lines[-1].top + lines[-1].height
    height = _HEAD + _FOOT + total * _LINE
    figure = new(figsize=(_WIDTH, height), facecolor="white")
    axes = figure.add_axes((_LEFT, _FOOT / height, _RIGHT - _LEFT, total * _LINE / height))
    effects = [row.effect for row in shown if row.effect is not None]
    bounds = [(each.low or 0.0, each.estimate, each.high or 0.0) for each in effects]
    ratio = group.scale == "ratio"
    low, high = limits(bounds, ratio)
    scale_axis(axes, low, high, ratio)
    axes.set_ylim(total, 0)

    def write(x: float, y: float, text: str, **style: Any) -> None:
        style = {"color": INK, "va": "center", "parse_math": False, **style}
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
        _mark(axes, each.row, each.row.effect, each.top + 0.75)
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
        name = plain(plural(row.design) if row.design else "studies of unstated design")
        if name != design:
            top += 0.3 if lines else 0.0
            heading = wrapped(f"{name[:1].upper()}{name[1:]}", _LABEL_LETTERS, 2)
            lines.append(_Line(top, 1.4 + heading.count("\n"), heading=heading))
            top, design = top + lines[-1].height, name
        parts = [str(row.year) if row.year else "year not stated"]
        parts += [f"{row.sample_size:,} participants"] if row.sample_size else []
        parts += dict.fromkeys(notice.kind for notice in row.notices if notice.kind in CONCERN)
        aside = wrapped(plain(row.outcome or ""), _LABEL_LETTERS, 3)
        height = 1.6 + (0.95 * (aside.count("\n") + 1) if aside else 0.0)
        lines.append(
            _Line(
                top,
                height,
                row=row,
                label=wrapped(f"[{row.n}] {', '.join(parts)}", _LABEL_LETTERS, 1),
                aside=aside,
            )
        )
        top += height
    return lines


def _mark(axes: Any, row: EvidenceRow, effect: Effect, y: float) -> None:
    """The interval as a line with its estimate on it, and an arrow where it goes on beyond the
    axis.
    """
    pools = row.design in POOLING
    colour = STRONG if pools else INK
    draw_interval(axes, effect.low or 0.0, effect.high or 0.0, y, colour)
    axes.plot(
        [effect.estimate],
        [y],
        marker="D" if pools else "s",
        color=colour,
        markersize=7 if pools else 6,
        clip_on=False,
        zorder=4,
    )


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


def _interval_words(group: PlotGroup) -> str:
    level = f"{group.level:g} % interval" if group.level is not None else "interval as stated"
    return f"{group.measure if len(group.measure) <= 6 else 'Effect'} ({level})"


def _described(group: PlotGroup) -> tuple[str, str]:
    """The title and the description of the figure."""
    told = [
        (
            f"[{row.n}] {plain(row.design or 'study of unstated design')}, "
            f"{row.year or 'year not stated'}: {stated(row.effect)}"
        )
        for row in group.rows[:MOST_ROWS]
        if row.effect is not None
    ]
    return f"{plain(group.title)}: {len(group.rows)} studies", f"{CAPTION}. {'; '.join(told)}."
