"""The forest plot of a pooled analysis: what each study's arms gave, its weight and effect, the
pool, and the studies that are not in it.

Needs matplotlib (the extra ``plots``), imported on use. The same plot gives the same bytes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from clinfo.evidence.drawing import (
    GUIDE,
    INK,
    STRONG,
    Format,
    draw_interval,
    image,
    limits,
    plain,
    scale_axis,
    wrapped,
)
from clinfo.evidence.effect_words import number, titled
from clinfo.evidence.meta_analysis.analysis import Analysis, PooledOutcome
from clinfo.evidence.meta_analysis.values import (
    RATIOS,
    Arm,
    Counts,
    Means,
    Pooled,
    StudyEffect,
    none_of,
)

MOST_ROWS = 300
"""Studies of each kind shown in one figure; the figure says how many further ones there are."""
MODELS = {
    "IV": "fixed effect, inverse variance",
    "MH": "fixed effect, Mantel–Haenszel",
    "DL": "random effects, DerSimonian–Laird",
    "REML": "random effects, REML",
}


def draw(plot: PooledOutcome, to: Path | BinaryIO, format: Format = "svg") -> None:
    """Write the figure to a path or a binary stream. Raises UsageError without matplotlib.

    In an SVG the row of the study at place n of the analysis, from 0, is the group "study-n", of
    those left out "left-out-n". Words of studies are never markup.
    """
    title, description = described(plot)
    data = image(lambda new: _figure(plot, new), format, title, description)
    if isinstance(to, Path):
        to.write_bytes(data)
    else:
        to.write(data)


def described(plot: PooledOutcome) -> tuple[str, str]:
    """The title and the description of the figure, for those who do not see it."""
    analysis = plot.analysis
    title = ": ".join(
        filter(None, (plain(plot.outcome), titled(analysis.measure, plain(plot.unit))))
    )
    told = [f"{plain(each.study)}: {effect_words(each)}" for each in analysis.effects]
    if (pooled := _pool_shown(analysis)) is not None:
        told += [f"{pool_name(pooled)}: {effect_words(pooled)}", *heterogeneity(pooled)]
    told += [f"{plain(each.study)}: not pooled, {plain(each.reason)}" for each in analysis.left_out]
    return title, " ".join(f"{each.removesuffix('.')}." for each in told)


def effect_words(effect: StudyEffect | Pooled) -> str:
    """An effect with its interval: "0.74 (0.54 to 1.01)"."""
    values = (effect.estimate, effect.low, effect.high)
    return "{} ({} to {})".format(*_rounded(effect.measure, *values))


def prediction_words(pooled: Pooled) -> str:
    """The prediction interval: "(0.54 to 1.01)", or "" where there is none."""
    if pooled.prediction is None:
        return ""
    return "({} to {})".format(*_rounded(pooled.measure, *pooled.prediction))


def _rounded(measure: str, *values: float) -> list[str]:
    """Ratios with two decimal places, with up to four where they are below 0.1; differences with
    two at least, a risk difference with three, and with two figures of the narrowest interval.
    """
    if measure in RATIOS:
        return [rounded(value) for value in values]
    width = values[-1] - values[-2]
    least = 3 if measure == "RD" else 2
    fine = math.ceil(-math.log10(width)) + 1 if 0 < width < 1 else 0
    return [number(value, 0 if width >= 200 else min(max(least, fine), 9)) for value in values]


def rounded(value: float) -> str:
    """A number not below 0 with two decimal places; with none from 1,000, with up to four below
    0.1.
    """
    if math.isinf(value):
        return "∞"
    if 0 < value < 5e-5 or value >= 1e7:
        return number(float(f"{value:.2g}"), 0)
    if 0 < value < 0.095:
        return number(value, 3 if value >= 0.0095 else 4)
    return number(value, 2 if value < 999.5 else 0)


def p_words(p: float) -> str:
    """A p value: "p = 0.04", "p < 0.001"."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}" if p < 0.095 else f"p = {p:.2f}"


def pool_name(pooled: Pooled) -> str:
    """How it was pooled."""
    return f"Pooled ({MODELS[pooled.model]}{', Hartung–Knapp' if pooled.hksj else ''})"


def heterogeneity(pooled: Pooled) -> tuple[str, str]:
    """How much the studies differ, and the test of the pooled effect."""
    tau = f"τ² = {rounded(pooled.tau2)}; " if pooled.model in ("DL", "REML") else ""
    return (
        f"Heterogeneity: {tau}Q = {rounded(pooled.q)}, df = {pooled.df} ({p_words(pooled.q_p)}); "
        f"I² = {pooled.i2:.0f} %.",
        f"Test of the pooled effect: {p_words(pooled.p)}.",
    )


def _pool_shown(analysis: Analysis) -> Pooled | None:
    """The pool of more studies than one."""
    return analysis.pooled if len(analysis.effects) > 1 else None


_LINE, _WRAP, _PAD, _LETTER, _BOLD = 0.19, 0.16, 0.15, 0.08, 0.09
"""Inches: a line of text, a further line of the same text, the margin, a letter, a bold one."""
_NAME, _NAMED, _WEIGHT, _AXIS = 2.7, 36, 0.75, 3.3
"""Inches: the columns of names (which hold so many letters) and of weights, and the axis."""
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_FAINT, _JOINED = "#444444", "\u00a0"


class _Sheet:
    """Texts and marks at inches from the left upper corner, kept until the height is known."""

    def __init__(self, plot: PooledOutcome) -> None:
        analysis = plot.analysis
        self.plot, self.measure, self.pooled = plot, analysis.measure, _pool_shown(analysis)
        self.effects = analysis.effects[:MOST_ROWS]
        self.left_out = analysis.left_out[:MOST_ROWS]
        self.texts: list[tuple[float, float, str, dict[str, Any]]] = []
        every = [set(each.notes) for each in self.effects] or [set[str]()]
        self.common = sorted(set.intersection(*every))
        self.marked = sorted(set.union(*every) - set(self.common))
        figures = [effect_words(each) for each in self.effects]
        if self.pooled:
            figures += [effect_words(self.pooled), prediction_words(self.pooled)]
        sides = [_sides(each) for each in self.effects]
        self.arms = [_PAD + _NAME]  # the right ends of the columns of the arms
        self.names = [plain(plot.intervention), plain(plot.comparator)]
        for side in (0, 1) if any(map(any, sides)) else ():
            name = min(20, max([len(self.names[side]) // 3, *map(len, self.names[side].split())]))
            most = max(len("mean (SD), n"), *(len(each[side]) for each in sides))
            self.arms.append(self.arms[-1] + max(most * _LETTER, (name + 1) * _BOLD) + 0.2)
        self.weights = self.arms[-1] + (_WEIGHT if self.pooled else 0.0)
        self.start = self.weights + 0.25
        self.end = self.start + _AXIS
        self.figures = self.end + 0.2
        self.width = self.figures + max([16, *map(len, figures)]) * _LETTER + _PAD
        self.top = self.bottom = self.y = 0.2
        self.rows: list[tuple[float, StudyEffect | Pooled | None]] = []
        self.ends = _ends([*self.effects, *filter(None, [self.pooled])], self.measure)
        self._head()
        if self.effects:
            self._body()
        self._foot()
        self.height = self.y + _PAD

    def write(self, x: float, text: str, **style: Any) -> None:
        """Text whose first line stands at the height that is reached."""
        size = style.get("fontsize", 9) / 9
        for n, line in enumerate(text.split("\n")):
            self.texts.append((x, self.y + 0.72 * _LINE * size + n * _WRAP * size, line, style))
            style = {key: value for key, value in style.items() if key != "gid"}

    def block(
        self, text: str, x: float = _PAD, end: float = 0.0, size: float = 9, **style: Any
    ) -> None:
        """Text in up to four lines from there to the right margin, or to ``end``; goes on below."""
        letter = (_BOLD if "weight" in style else _LETTER) * size / 9
        lines = wrapped(text, int(((end or self.width - _PAD) - x) / letter), 4)
        self.write(x, lines, fontsize=size, **style)
        self.y += _deep(lines) * size / 9

    def _head(self) -> None:
        outcome = plain(self.plot.outcome)
        if outcome:
            self.block(outcome, size=11, weight="bold")
            self.y += 0.04
        self.block(titled(self.measure, plain(self.plot.unit)), weight="bold")
        self.y += 0.8 * _LINE

    def _body(self) -> None:
        self._column_names()
        self.top = self.y
        most = self.pooled.weights if self.pooled else ()
        for place, effect in enumerate(self.effects):
            marks = " ".join(_mark(n) for n, each in enumerate(self.marked) if each in effect.notes)
            name = _fitted(plain(effect.study), _NAMED - len(marks))
            weight = f"{most[place]:.1f} %" if most else ""
            self._row(
                f"{name} {marks}".strip(), effect, _sides(effect), weight, gid=f"study-{place}"
            )
        if hidden := len(self.plot.analysis.effects) - len(self.effects):
            self.block(f"{hidden} further studies are pooled and not shown.", size=8)
        if self.pooled:
            self._pool(self.pooled)
        self.bottom = self.y
        self.y += 0.4 * _LINE
        for sentence in heterogeneity(self.pooled) if self.pooled else ():
            self.block(
                sentence.replace(" = ", f"{_JOINED}={_JOINED}"), end=self.start - 0.3, size=8
            )
        after, self.y = self.y, self.bottom + 1.9 * _LINE
        self._favoured()
        self.y = max(self.y, after)

    def _column_names(self) -> None:
        widths = [b - a - 0.1 for a, b in zip(self.arms, self.arms[1:], strict=False)]
        names = [
            wrapped(name, int(width / _BOLD), 4)
            for name, width in zip(self.names, widths, strict=False)
        ]
        for at, name in zip(self.arms[1:], names, strict=False):
            self.write(at, name, ha="right", weight="bold")
        self.y += max([0.0, *map(_deep, names)])
        for at in self.arms[1:]:
            self.write(at, self._unit_of_arms(), ha="right", fontsize=8, color=_FAINT)
        self.write(_PAD, "Study", weight="bold")
        if self.pooled:
            self.write(self.weights, "Weight", ha="right", weight="bold")
        self.write(self.figures, f"{self.measure} (95 % interval)", weight="bold")
        self.y += 1.5 * _LINE

    def _unit_of_arms(self) -> str:
        arms = [each.comparison.intervention for each in self.effects]
        if all(isinstance(arm, Counts) for arm in arms):
            return "events/total"
        return "mean (SD), n" if any(isinstance(arm, Means) for arm in arms) else ""

    def _row(
        self,
        name: str,
        effect: StudyEffect | Pooled,
        sides: Sequence[str],
        share: str,
        **style: Any,
    ) -> None:
        self.write(_PAD, name, **style)
        style.pop("gid", "")  # that of the name stands for the row
        for at, side in zip(self.arms[1:], sides, strict=False):
            self.write(at, side, ha="right", **style)
        self.write(self.weights, share, ha="right", **style)
        self.write(self.figures, effect_words(effect), **style)
        self.rows.append((self.y + 0.5 * _LINE, effect))
        self.y += _deep(name) + 0.45 * _LINE

    def _pool(self, pooled: Pooled) -> None:
        self.y += 0.3 * _LINE
        totals = [
            _total(arms) for arms in zip(*map(_arms, self.plot.analysis.effects), strict=True)
        ]
        name = wrapped(pool_name(pooled), _NAMED - 4, 3)
        self._row(name, pooled, totals, "100 %", weight="bold")
        if pooled.prediction:
            self.write(_PAD, "95 % prediction interval")
            self.write(self.figures, prediction_words(pooled))
            self.rows.append((self.y + 0.5 * _LINE, None))
            self.y += 1.45 * _LINE

    def _favoured(self) -> None:
        """On each side of the line of no effect the side for which it speaks."""
        if self.plot.better is None:
            left, right = (f"{word} with {self.names[0]}" for word in ("lower", "higher"))
        else:
            named = self.names if self.plot.better == "lower" else self.names[::-1]
            left, right = (f"favours {side}" for side in named)
        low, none, high = _scaled((self.ends[0], none_of(self.measure), self.ends[1]), self.measure)
        share = (none - low) / (high - low)
        letters = [int(25 * 2 * part) for part in (share, 1 - share)]  # of small text, of 50
        lines = [
            _fitted(f"←{_JOINED}{left}", max(12, letters[0]), 4),
            _fitted(f"{right}{_JOINED}→", max(24, letters[1]), 4),
        ]
        for side, text in zip((-1, 1), lines, strict=True):
            at = self.start + share * _AXIS + side * 0.06
            align = "right" if side < 0 else "left"
            self.write(at, text, ha=align, fontsize=8, color=_FAINT)
        self.y += max(map(_deep, lines))

    def _foot(self) -> None:
        if self.left_out:
            self.y += 0.4 * _LINE
            self.block("Not pooled", weight="bold")
            self.y += 0.2 * _LINE
        for place, each in enumerate(self.left_out):
            name = _fitted(plain(each.study), _NAMED)
            self.write(_PAD, name, gid=f"left-out-{place}")
            before, said = self.y, plain(each.comparison.conclusion)
            text = f"{said} (from the text); {each.reason}" if said else each.reason
            self.block(text, x=_PAD + _NAME + 0.1, size=8)
            self.y = max(self.y, before + _deep(name)) + 0.25 * _LINE
        for sentence in self._footnotes():
            self.y += 0.2 * _LINE
            self.block(sentence, size=8, color=_FAINT)

    def _footnotes(self) -> Iterable[str]:
        if hidden := len(self.plot.analysis.left_out) - len(self.left_out):
            yield f"{hidden} further studies are not pooled."
        if not self.effects:
            yield "No study gives numbers that can be pooled."
        elif not self.pooled:
            yield "One study: nothing is pooled."
        for n, note in enumerate(self.marked):
            yield f"{_mark(n)} {_sentence(note)}"
        yield from map(_sentence, (*self.common, *(self.pooled.notes if self.pooled else ())))


def _figure(plot: PooledOutcome, new: Any) -> Any:
    sheet = _Sheet(plot)
    figure = new(figsize=(sheet.width, sheet.height), facecolor="white")
    for x, y, text, style in sheet.texts:
        style = {"color": INK, "va": "baseline", "parse_math": False, **style}
        figure.text(x / sheet.width, 1 - y / sheet.height, text, **style)
    if sheet.rows:
        deep = sheet.bottom - sheet.top
        place = (sheet.start, sheet.height - sheet.bottom, _AXIS, deep)
        shares = [at / (sheet.width, sheet.height)[n % 2] for n, at in enumerate(place)]
        _draw_effects(figure.add_axes(shares), sheet)
    return figure


def _ends(drawn: Sequence[StudyEffect | Pooled], measure: str) -> tuple[float, float]:
    """The ends of the axis, with room for words on both sides of the line of no effect."""
    ratio = measure in RATIOS
    least, most = (1e-12, 1e12) if ratio else (-1e13, 1e13)

    def within(value: float) -> float:
        return min(max(value, least), most)

    bounds = [(within(each.low), within(each.estimate), within(each.high)) for each in drawn]
    if not bounds:
        return least, most
    low, high, none = _scaled((*limits(bounds, ratio), none_of(measure)), measure)
    low, high = min(low, none - (high - none) / 3), max(high, none + (none - low) / 3)
    return (math.exp(low), math.exp(high)) if ratio else (low, high)


def _scaled(values: Sequence[float], measure: str) -> list[float]:
    """Values as they lie on the axis."""
    return [math.log(value) if measure in RATIOS else value for value in values]


def _draw_effects(axes: Any, sheet: _Sheet) -> None:
    ends = sheet.ends
    scale_axis(axes, *ends, sheet.measure in RATIOS)
    axes.set_ylim(sheet.bottom, sheet.top)
    weights = sheet.pooled.weights if sheet.pooled else (100.0,)
    for (y, effect), weight in zip(
        sheet.rows, (*weights[: len(sheet.effects)], 0, 0), strict=False
    ):
        if isinstance(effect, StudyEffect):
            size = max(2.5, 11 * math.sqrt(weight / max(weights)))  # its area is the weight
            style = {"marker": "s", "color": GUIDE, "markersize": size, "markeredgewidth": 0}
            axes.plot([effect.estimate], [y], clip_on=False, zorder=1.5, **style)
            draw_interval(axes, effect.low, effect.high, y, INK)
        elif effect is not None:
            axes.axvline(
                effect.estimate, color=STRONG, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1.2
            )
            corners = [effect.low, effect.estimate, effect.high, effect.estimate]
            axes.fill(corners, [y, y - 0.07, y, y + 0.07], color=STRONG, linewidth=0, zorder=3)
            if effect.low < ends[0] or effect.high > ends[1]:
                draw_interval(axes, effect.low, effect.high, y, STRONG)
        elif sheet.pooled and sheet.pooled.prediction:
            draw_interval(axes, *sheet.pooled.prediction, y, STRONG)


def _fitted(text: str, letters: int, most: int = 3) -> str:
    """Text in lines of so many letters; capitals are a quarter wider than the others."""
    capitals = sum(map(str.isupper, text)) / max(1, len(text))
    return wrapped(text, int(letters / (1 + capitals / 4)), most)


def _deep(lines: str) -> float:
    """The height of text of 9 points."""
    return _LINE + lines.count("\n") * _WRAP


def _mark(n: int) -> str:
    """The mark of a footnote, from 0."""
    return str(n + 1).translate(_RAISED)


def _arms(effect: StudyEffect) -> tuple[Arm | None, Arm | None]:
    return effect.comparison.intervention, effect.comparison.control


def _sides(effect: StudyEffect) -> list[str]:
    return [_arm_words(arm) for arm in _arms(effect)]


def _arm_words(arm: Arm | None) -> str:
    """An arm's numbers: "59/541", "−8.1 (9), 50"."""
    if arm is None:
        return ""
    if isinstance(arm, Counts):
        return f"{_short(arm.events)}/{_short(arm.total)}"
    if isinstance(arm, Means):
        return f"{_short(arm.mean)} ({_short(arm.sd)}), {_short(arm.total)}"
    return f"median {_short(arm.median)}, {_short(arm.total)}"


def _short(value: float) -> str:
    """Whole numbers as they are, others with four figures."""
    return (f"{value:,.0f}" if value == int(value) else f"{value:.4g}").replace("-", "−")


def _total(arms: Sequence[Arm | None]) -> str:
    """The people of all studies' arms, with their events; "" where not all are known."""
    if any(arm is None for arm in arms):
        return ""
    total = _short(math.fsum(arm.total for arm in arms if arm))
    counts = [arm.events for arm in arms if isinstance(arm, Counts)]
    return f"{_short(math.fsum(counts))}/{total}" if len(counts) == len(arms) else total


def _sentence(note: str) -> str:
    return f"{note[:1].upper()}{note[1:]}."
