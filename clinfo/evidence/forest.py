"""Forest plots: the effects that abstracts state, with their intervals, on one scale, of which
nothing is pooled and which are ordered by design and then year; and a pooled analysis: what each
study's arms gave, its weight and effect, the pool, and the studies that are not in it.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from clinfo.evidence.design import POOLING, plural, strength
from clinfo.evidence.effect_words import number, stated, titled
from clinfo.evidence.meta_analysis.analysis import Analysis, PooledOutcome
from clinfo.evidence.meta_analysis.values import (
    RATIOS,
    Arm,
    Counts,
    Means,
    Pooled,
    StudyEffect,
)
from clinfo.evidence.plot import Plot, Row, plain
from clinfo.evidence.table import CONCERN
from clinfo.records.appraisal import EvidenceRow
from clinfo.records.articles import Effect, Scale
from clinfo.text.terms import GENERIC_WORDS, is_content, stem, words
from clinfo.text.wording import one_line

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
    def title(self) -> str:
        """Return what is measured: "Odds ratio (OR)", "Mean difference (MD), mmHg"."""
        return titled(self.measure, self.unit)


def drawable(rows: Sequence[EvidenceRow]) -> tuple[PlotGroup, ...]:
    """The groups that can be drawn, that of most rows first: two rows at least of one measure,
    unit, level and outcome.

    Only rows whose outcome is named are drawn, and those of one group all share a telling
    word. A study with several reports is drawn once a group, by the first of them in the order of
    the figure. Left out are effects of the comparator, without an interval or with one that does
    not hold its estimate, ratios not above 0, mean differences without a unit, and values of two
    arms. An interval whose level is not stated stands among those of 95 per cent.
    """
    groups: dict[tuple[str, Scale, str, float], list[EvidenceRow]] = {}
    for row in sorted(
        rows, key=lambda one: (strength(one.design), one.design or "", -(one.year or 0), one.n)
    ):
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
            level if all(row.effect and row.effect.level is not None for row in members) else None,
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


def _sound(effect: Effect) -> bool:
    low, high, estimate = effect.low, effect.high, effect.estimate
    return (
        effect.scale in _COMPARING
        and not effect.turned
        and low is not None
        and high is not None
        and (effect.measure not in ("MD", "WMD") or bool(effect.unit))
        and all(math.isfinite(one) and abs(one) < 1e12 for one in (low, estimate, high))
        and low <= estimate <= high
        and low < high
        and (effect.scale != "ratio" or low > 1e-9)
    )


def effects_plot(group: PlotGroup) -> Plot:
    """The plot of a group: headings by design, and the rows under them."""
    shown = group.rows[:MOST_ROWS]
    rows: list[Row] = []
    design = None
    for row in shown:
        name = plain(plural(row.design) if row.design else "studies of unstated design")
        if name != design:
            rows.append(Row(f"{name[:1].upper()}{name[1:]}", bold=True))
            design = name
        if row.effect is not None:
            rows.append(_row(row, row.effect))
    foot = [CAPTION + "."]
    if any(row.design in POOLING for row in shown):
        foot.append(
            "Diamonds are reviews, which may pool other studies shown. Squares are single studies."
        )
    if hidden := len(group.rows[MOST_ROWS:]):
        foot.append(f"{hidden} further effect{'s' if hidden > 1 else ''} not shown.")
    told = [
        (
            f"[{row.n}] {plain(row.design or 'study of unstated design')}, "
            f"{row.year or 'year not stated'}: {stated(row.effect)}"
        )
        for row in shown
        if row.effect is not None
    ]
    level = f"{group.level:g} % interval" if group.level is not None else "interval as stated"
    return Plot(
        f"{plain(group.title)}: {len(group.rows)} studies",
        f"{CAPTION}. {'; '.join(told)}.",
        (plain(group.title),),
        group.scale == "ratio",
        tuple(rows),
        f"{group.measure if len(group.measure) <= 6 else 'Effect'} ({level})",
        tuple(Row("", sentence) for sentence in foot),
    )


def _row(row: EvidenceRow, effect: Effect) -> Row:
    parts = [str(row.year) if row.year else "year not stated"]
    parts += [f"{row.sample_size:,} participants"] if row.sample_size else []
    parts += dict.fromkeys(notice.kind for notice in row.notices if notice.kind in CONCERN)
    return Row(
        f"[{row.n}] {', '.join(parts)}",
        stated(effect),
        (effect.low or 0.0, effect.estimate, effect.high or 0.0),
        "review" if row.design in POOLING else "study",
        aside=plain(row.outcome or ""),
    )


MOST_STUDIES = 300
"""Studies of each kind shown in one figure; the figure says how many further ones there are."""
POOL: Final = "Pooled (random effects, REML)"
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def pooled_plot(shown: PooledOutcome) -> Plot:
    """The plot of an analysis."""
    analysis, pooled = shown.analysis, shown.analysis.pooled
    names = plain(shown.intervention), plain(shown.comparator)
    every = [set(each.notes) for each in analysis.effects[:MOST_STUDIES]] or [set[str]()]
    common = sorted(set.intersection(*every))
    marked = sorted(set.union(*every) - set(common))
    unit = "events/total" if analysis.measure in ("RR", "RD") else "mean (SD), n"
    columns = [*((name, unit) for name in names), *([("Weight", "")] if pooled else [])]
    if shown.better is None:
        sides = f"lower with {names[0]}", f"higher with {names[0]}"
    else:
        left, right = names if shown.better == "lower" else names[::-1]
        sides = f"favours {left}", f"favours {right}"
    told = [f"{plain(one.comparison.study)}: {effect_words(one)}" for one in analysis.effects]
    if pooled:
        told += [f"{POOL}: {effect_words(pooled)}", *heterogeneity(pooled)]
    told += [
        f"{plain(one.comparison.study)}: not pooled, {plain(one.reason)}"
        for one in analysis.left_out
    ]
    heads = tuple(filter(None, (plain(shown.outcome), titled(analysis.measure, plain(shown.unit)))))
    return Plot(
        ": ".join(heads),
        " ".join(f"{each.removesuffix('.')}." for each in told),
        heads,
        analysis.measure in RATIOS,
        tuple(_rows(analysis, marked)),
        f"{analysis.measure} (95 % interval)",
        tuple(_foot(analysis, marked, common)),
        tuple(columns),
        sides,
    )


def _rows(analysis: Analysis, marked: Sequence[str]) -> Iterator[Row]:
    """The studies and the pool, each with the cells of both arms and the weight."""
    pooled = analysis.pooled
    weights = pooled.weights if pooled else (100.0,)
    for n, effect in enumerate(analysis.effects[:MOST_STUDIES]):
        marks = " ".join(_mark(n) for n, note in enumerate(marked) if note in effect.notes)
        yield Row(
            f"{plain(effect.comparison.study)} {marks}".strip(),
            effect_words(effect),
            (effect.low, effect.estimate, effect.high),
            "study",
            (*map(_arm_words, _arms(effect)), *([f"{weights[n]:.1f} %"] if pooled else [])),
            size=weights[n] / max(weights),
        )
    if pooled:
        totals = (_total(arms) for arms in zip(*map(_arms, analysis.effects), strict=True))
        at = pooled.low, pooled.estimate, pooled.high
        yield Row(POOL, effect_words(pooled), at, "pool", (*totals, "100 %"), bold=True)
    if pooled and pooled.prediction:
        low, high = pooled.prediction
        words = "({} to {})".format(*_rounded(pooled.measure, low, high))
        yield Row("95 % prediction interval", words, (low, pooled.estimate, high))


def _foot(analysis: Analysis, marked: Sequence[str], common: Sequence[str]) -> Iterator[Row]:
    if analysis.pooled:
        yield from (Row("", sentence) for sentence in heterogeneity(analysis.pooled))
    if hidden := len(analysis.effects[MOST_STUDIES:]):
        yield Row("", f"{hidden} further studies are pooled and not shown.")
    if analysis.left_out:
        yield Row("Not pooled", bold=True)
    for one in analysis.left_out[:MOST_STUDIES]:
        said = plain(one.comparison.conclusion)
        text = f"{said} (from the text); {one.reason}" if said else one.reason
        yield Row(plain(one.comparison.study) or "–", text)
    if hidden := len(analysis.left_out[MOST_STUDIES:]):
        yield Row("", f"{hidden} further studies are not pooled.")
    if not analysis.effects:
        yield Row("", "No study gives numbers that can be pooled.")
    elif not analysis.pooled:
        yield Row("", "One study: nothing is pooled.")
    yield from (Row("", f"{_mark(n)} {_sentence(note)}") for n, note in enumerate(marked))
    yield from (Row("", _sentence(note)) for note in common)


def heterogeneity(pooled: Pooled) -> tuple[str, str]:
    """A line on the difference between studies, and the test of the pooled effect."""
    return (
        f"Heterogeneity: τ² = {rounded(pooled.tau2)}; Q = {rounded(pooled.q)}, df = {pooled.df} "
        f"({p_words(pooled.q_p)}); I² = {pooled.i2:.0f} %.",
        f"Test of the pooled effect: {p_words(pooled.p)}.",
    )


def effect_words(effect: StudyEffect | Pooled) -> str:
    """An effect with its interval: "0.74 (0.54 to 1.01)"."""
    values = (effect.estimate, effect.low, effect.high)
    return "{} ({} to {})".format(*_rounded(effect.measure, *values))


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


def _mark(n: int) -> str:
    """The mark of a footnote, from 0."""
    return str(n + 1).translate(_RAISED)


def _arms(effect: StudyEffect) -> tuple[Arm | None, Arm | None]:
    return effect.comparison.intervention, effect.comparison.control


def _arm_words(arm: Arm | None) -> str:
    """An arm's numbers: "59/541", "−8.1 (9), 50"."""
    if isinstance(arm, Counts):
        return f"{_short(arm.events)}/{_short(arm.total)}"
    return (
        f"{_short(arm.mean)} ({_short(arm.sd)}), {_short(arm.total)}"
        if isinstance(arm, Means)
        else ""
    )


def _short(value: float) -> str:
    """Whole numbers as they are, others with four figures."""
    return (f"{value:,.0f}" if value == int(value) else f"{value:.4g}").replace("-", "−")


def _total(arms: Sequence[Arm | None]) -> str:
    """The people of all studies' arms, with their events."""
    total = _short(math.fsum(arm.total for arm in arms if arm))
    counts = [arm.events for arm in arms if isinstance(arm, Counts)]
    return f"{_short(math.fsum(counts))}/{total}" if counts else total


def _sentence(note: str) -> str:
    return f"{note[:1].upper()}{note[1:]}."
