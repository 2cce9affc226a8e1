"""The numbers of a model's reply held against what it quotes: each is located there, or emptied and
told; a standard deviation is made of what stands in its place.

Sections are those of the Cochrane Handbook, version 6.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from clinfo.evidence.effect_words import figure, printed, typed_measure
from clinfo.evidence.meta_analysis.values import student_quantile
from clinfo.pipelines.trials.effects import CHANGES
from clinfo.pipelines.trials.quoting import Piece, located
from clinfo.pipelines.trials.records import (
    ArmNumbers,
    Number,
    Quote,
    StatedEffect,
    StudyNumbers,
    StudyReading,
)
from clinfo.pipelines.trials.stages import Arm, Stated, StudyReply
from clinfo.retrieval.documents import Document
from clinfo.text.quotes import locate
from clinfo.text.stated_numbers import worded_numbers

FROM_PERCENT: Final = "from the percentage and the group's size"
FROM_SE: Final = "from the standard error (Cochrane Handbook 6.5.2.2)"
FROM_CI: Final = "from the confidence interval of the mean (Cochrane Handbook 6.5.2.2)"
FALLEN: Final = "printed as the amount of a fall"
_ARMS: Final = ("intervention", "comparator")
_SHARE: Final = 0.6
"""Percentage points by which a printed percentage may differ from that of events and people."""


class _Places:
    """The places where figures may stand: what the reply quotes, and of a table's row the table's
    caption, header and notes. ``lost`` are figures that stand nowhere there.
    """

    def __init__(self, quotes: Sequence[Quote], papers: Mapping[str, Document]) -> None:
        around = (span for one in quotes for span in _table_around(one, papers[one.paper]))
        self._spans = [
            (one, papers[one.paper].text[one.start : one.end])
            for one in dict.fromkeys((*quotes, *around))
        ]
        self.lost: list[str] = []

    def find(self, written: str | None, what: str) -> Number | None:
        """The number of a figure at its place; None where nothing is given, and, with ``what`` it
        was, where it stands nowhere.
        """
        value = printed(written)
        if value is None:
            value = next((float(one) for one, _, _ in worded_numbers(written or "")), None)
        if value is None:
            return None
        for one, text, start, end in self._standing(value, figure(written)):
            return Number(value, text[start:end], one.paper, one.start + start, one.start + end)
        self.lost.append(f"{what} {written}")
        return None

    def _standing(self, value: float, digits: str) -> Iterator[tuple[Quote, str, int, int]]:
        """The places of a value: in digits as they were written, then in words."""
        for one, text in self._spans:
            place = locate(digits, text) if digits else None
            if place and printed(text[slice(*place)]) == value:
                yield one, text, *place
        for one, text in self._spans:
            for worded, start, end in worded_numbers(text):
                if float(worded) == value:
                    yield one, text, start, end


def reading_of(
    reply: StudyReply, read: Sequence[Piece], papers: Mapping[str, Document]
) -> StudyReading:
    """The reading of a reply beside the direction, its figures located."""
    places = _Places(located((*reply.number_quotes, *reply.quotes), read), papers)
    numbers = _numbers(reply, places)
    return StudyReading(
        numbers,
        _stated(reply.effect, places) if reply.effect else None,
        " ".join((reply.outcome or "").split()),
        reply.cluster_randomised,
        reply.about_people,
        reply.one_trial if len(papers) > 1 else None,
        tuple(places.lost),
    )


def _table_around(quote: Quote, paper: Document) -> list[Quote]:
    for block in paper.blocks:
        if block.table is not None and block.start <= quote.start < block.end:
            table = block.table
            rows = [one for one in table.lines if one[0] < quote.end and quote.start < one[1]]
            spans = (*rows, *table.lines[: table.header], table.caption, table.notes)
            return [Quote(paper.id, a, b) for a, b in spans if a < b]
    return []


def _numbers(reply: StudyReply, places: _Places) -> StudyNumbers | None:
    if reply.arms is None:
        return None
    given = {name: getattr(reply.arms, name) or Arm() for name in _ARMS}
    means = any(arm.mean or arm.median for arm in given.values())
    binary = not means or any(arm.events for arm in given.values())
    flags: list[str] = [CHANGES] if reply.scores in ("change", "fall") else []
    made = {}
    for name, arm in given.items():
        read = _counts(arm, name, places, flags) if binary else _means(arm, name, places)
        if not binary and reply.scores == "fall":
            read = _fallen(read)
        made[name] = replace(read, name=" ".join((arm.name or "").split()))
    if not any((arm.events, arm.mean, arm.sd, arm.median) != (None,) * 4 for arm in made.values()):
        return None
    return StudyNumbers(
        "binary" if binary else "continuous",
        made["intervention"],
        made["comparator"],
        " ".join((reply.timepoint or "").split()),
        tuple(flags),
        " ".join((reply.unit or "").split()),
    )


def _counts(arm: Arm, name: str, places: _Places, flags: list[str]) -> ArmNumbers:
    events, total = places.find(arm.events, f"{name}: events"), places.find(arm.n, f"{name}: n")
    share = places.find(arm.percent, f"{name}: percent")
    if share is not None and total is not None and total.value > 0:
        if events is None and not arm.events:
            value = round(share.value * total.value / 100)
            events = replace(share, value=float(value), derived=FROM_PERCENT)
        elif events is not None and abs(100 * events.value / total.value - share.value) > _SHARE:
            flags.append(
                f"{name.capitalize()}: {events.value:g} of {total.value:g} are "
                f"{100 * events.value / total.value:.1f}%, the paper prints {share.value:g}%."
            )
    return ArmNumbers(events=events, total=total)


def _means(arm: Arm, name: str, places: _Places) -> ArmNumbers:
    def find(field: str) -> Number | None:
        return places.find(getattr(arm, field), f"{name}: {field.replace('_', ' ')}")

    total, mean, sd = find("n"), find("mean"), find("sd")
    error, low, high = find("se"), find("ci_low"), find("ci_high")
    if sd is None and total is not None and total.value > 1:
        people = total.value
        if error is not None:
            sd = replace(error, value=error.value * math.sqrt(people), derived=FROM_SE)
        elif low is not None and high is not None:
            half = (high.value - low.value) / 2 / student_quantile(int(people) - 1)
            sd = replace(high, value=half * math.sqrt(people), derived=FROM_CI)
            sd = replace(sd, text=f"{low.text} to {high.text}")
    return ArmNumbers(None, total, mean, sd, find("median"), find("q1"), find("q3"))


def _fallen(arm: ArmNumbers) -> ArmNumbers:
    """An arm whose numbers say by how much it fell, as changes."""

    def turned(one: Number | None) -> Number | None:
        return replace(one, value=-one.value, derived=FALLEN) if one else None

    return replace(
        arm, mean=turned(arm.mean), median=turned(arm.median), q1=turned(arm.q3), q3=turned(arm.q1)
    )


def _stated(effect: Stated, places: _Places) -> StatedEffect | None:
    def value(field: str) -> float | None:
        found = places.find(getattr(effect, field), f"effect: {field}")
        return found.value if found else None

    estimate, low, high = (value(field) for field in ("estimate", "low", "high"))
    p = (effect.p or "") if value("p") is not None else ""
    if estimate is None and low is None and not p:
        return None
    whole = low is not None and high is not None and low <= high
    low, high = (low, high) if whole else (None, None)
    return StatedEffect(
        typed_measure(effect.measure), estimate, low, high, printed(effect.level), p
    )
