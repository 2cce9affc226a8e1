"""A plot in the style of a forest plot: the effects that abstracts state, with their intervals, on
one scale.

Nothing is pooled and no weight is given: the figure shows what was stated, ordered by design and
then year.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from clinfo.evidence.design import POOLING, plural, strength
from clinfo.evidence.effect_words import stated, titled
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
