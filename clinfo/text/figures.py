"""Figures in medical prose: what number is stated, of what kind, and whether another text states
the same.

`find_figures` reads percentages, ratios with their measure, confidence intervals, p values, sample
sizes, counts, proportions, ranges, means with their spread, doses and other quantities. Numbers
that are part of a name, years and citations are no figures (`clinfo.text.numerals`). Number words
count as figures where something measured or counted follows ("twelve weeks", "three trials").

How it reads: every number is replaced by one character, which leaves a skeleton of the text ("N/N
patients, p < N"), and patterns are laid over the skeleton, the more telling ones first; each number
belongs to the first that takes it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal

from clinfo.lazy_dataclass import dataclass, replace
from clinfo.text.numerals import numerals, plain
from clinfo.text.regex import anycase, regex
from clinfo.text.units import (
    ANY_UNIT,
    NUMBER,
    PERCENT,
    TIMES,
    counted_after,
    rate_after,
    unit_after,
)

Kind = Literal[
    "percent",
    "ratio",
    "difference",
    "interval",
    "p value",
    "sample size",
    "count",
    "proportion",
    "fraction",
    "fold",
    "range",
    "spread",
    "quantity",
    "number",
]
Comparator = Literal["=", "<", "≤", ">", "≥", "≈"]


@dataclass(frozen=True)
class NumericExpression:
    """A figure at [start, end) of the text it was read from.

    ``values`` keep the decimals as printed: one value; the two ends of an interval or range; part
    and whole of a proportion or fraction; mean and spread. ``measure`` is the ratio or difference
    where it is named (HR, OR, RR, MD, …), ``level`` the per cent of a confidence interval. ``unit``
    is a unit in its normal form ("mg/day", "week"), "%" , or what is counted: "participants",
    "studies" or another noun.
    """

    start: int
    end: int
    kind: Kind
    values: tuple[Decimal, ...]
    comparator: Comparator = "="
    measure: str | None = None
    unit: str | None = None
    level: Decimal | None = None
    worded: bool = False


N = NUMBER
_PERCENT = r"(?:\s?%|[\s-]?(?i:per\s?cent)\b)"
_U = rf"(?:{_PERCENT}|\s?(?i:{ANY_UNIT})(?![^\W\d_]))?"
_COMPARE = r"(?:[<>]\s?(?:or|/)?\s?=|[<>=≤≥≈~])"
_CI = (
    r"(?:CIs?|CrIs?|UIs?|c\.i\.|(?i:confidence\s(?:intervals?|limits?)|(?:credible|"
    r"uncertainty)\sintervals?))"
    rf"(?:\s?[\[(](?:(?P<inner>{N}){_PERCENT}\s?)?(?:CI|CrI|UI)s?[\])])?"
)
_INTERVAL = regex(
    rf"(?:(?P<level>{N}){_PERCENT}?[\s-]?|\b){_CI}(?(level)|(?:\s?\(?(?P<late>{N}){_PERCENT}\)?)?)"
    r"(?:[\s:,;=(\[]*(?:(?i:for|of|from|was|were|is|are|between|"
    rf"ranging)\s[^.;{N}]{{0,40}}?)?[\s:,=(\[]*"
    rf"(?P<low>{N}){_U}\s?(?:-|−|to|,|;|and|through|~)\s?(?P<high>{N}){_U})?"
)
_P_VALUE = regex(
    r"\b[pP](?P<word>[\s-]?(?i:values?))?(?:[\s_-]?(?:(?i:for|of)\s)?(?i:trend|interaction|"
    r"heterogeneity|difference|linearity|"
    rf"non-?linearity|all|both|overall)\b|\s?[\[(][^)\]{N}]{{0,20}}[)\]])?\s?,?\s?(?:(?i:was|is|of|"
    r"were|at|all)\s){0,2}"
    rf"(?:=\s?(?=[<>≤≥]))?(?P<compare>{_COMPARE}|(?i:less\sthan|greater\sthan|below|"
    rf"under)\s)?\s?(?P<value>{N})(?!{_PERCENT})"
)
_SPREAD = regex(
    rf"(?P<a>{N}){_U}\s?(?:±\s*(?P<b>{N}){_U}|[\[(]\s?(?:±\s*|(?:SD|SEM?|s\.d\.|"
    r"(?i:standard\s(?:deviation|"
    r"error)))\s?[=:,]?\s?±?\s*)"
    rf"(?P<c>{N}){_U}\s?[\])])"
)
_PROPORTION = regex(
    rf"(?<!{N}/)(?P<a>{N})(?:\s?[\[(]\s?{N}{_PERCENT}\s?[\])])?"
    r"(?:\s?(?P<slash>[/:])\s?|\s(?:of|out\sof|among)\s(?:a\stotal\sof\s|(?:(?:the|all|these|those|"
    r"our|a|total|every)\s){0,2})|"
    r"\s(?P<rate>in)\s(?:every\s)?)"
    rf"(?P<b>{N})(?!\s?/|{_PERCENT})"
)
_PART_WORDS = {
    "third": 3,
    "quarter": 4,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "tenth": 10,
}
_FRACTION = regex(
    rf"(?:\b(?=[hHaA])|(?={N}))(?:\b(?i:halved|halving|halves)\b"
    r"|(?<!first\s)(?<!second\s)\b(?i:a\s)?(?i:half)\b(?!-|\s(?:li(?:fe|ves)|an?)\b)"
    rf"|(?:\b(?i:an?)\s|(?P<top>{N})[\s-])(?i:(?P<part>{'|'.join(_PART_WORDS)}))(?P<plural>s)?"
    r"(?=\s(?i:of|the|fewer|less|more|reduction|lower|higher|increase|decrease|were|was|had)\b|"
    r"\s?[.,;:)]|\s?\Z))"
)
_FOLD_WORDS = {
    f"{word}fold": value
    for value, word in enumerate(("two", "three", "four", "five", "six", "seven", "eight"), 2)
}
_FOLD = regex(
    rf"(?:\b(?=[defstDEFST])|(?={N}))(?:(?P<value>{N})"
    r"(?:[\s-]?(?i:fold)\b|[\s-](?i:times)(?=\s(?i:higher|more|greater|as|the|lower|less|likelier|"
    r"larger)\b))"
    rf"|\b(?i:(?P<word>{'|'.join(_FOLD_WORDS)})|(?P<double>doubl(?:ed|es|ing(?!\s(?:time|dose|"
    r"dilution)))|double(?=\sthe\b)|"
    r"twice(?=\s(?:as|the)\b))|(?P<triple>tripl(?:ed|ing|es)|trebl(?:ed|ing|es)))\b)"
)
_MEASURES: dict[str, str] = {
    "HR": r"[as]?HRs?|(?i:hazards?\sratios?)",
    "OR": r"a?ORs?|(?i:odds\sratios?)",
    "RRR": r"RRR|(?i:relative\srisk\sreduction)",
    "RR": r"a?RRs?|I?IRRs?|(?i:(?:incidence\s)?rate\sratios?|risk\sratios?|relative\srisks?)",
    "PR": r"PRs?|(?i:prevalence\sratios?)",
    "SMR": r"SMRs?|SIRs?|(?i:standardi[sz]ed\s(?:mortality|incidence)\sratios?)",
    "SMD": r"SMDs?|(?i:standardi[sz]ed\smean\sdifferences?|hedges'?\sg|cohen's\sd|effect\ssizes?)",
    "MD": r"W?MDs?|(?i:(?:weighted\s)?mean\sdifferences?)",
    "RD": r"ARR|RDs?|(?i:(?:absolute\s)?risk\s(?:difference|reduction)s?)",
    "NNT": r"NNTs?|(?i:numbers?\sneeded\sto\streat)",
    "NNH": r"NNHs?|(?i:numbers?\sneeded\sto\sharm)",
    "AUC": r"AU(?:RO)?Cs?|(?i:area\sunder\sthe\s(?:\w+\s){0,4}curve)",
}
_DIFFERENCES = frozenset({"SMD", "MD", "RD", "RRR"})
_MEASURE = regex(
    r"\b(?=[A-Zahomwsren])"
    rf"(?:{'|'.join(f'(?P<{name}>{spelling})' for name, spelling in _MEASURES.items())})\b(?!-)"
    r"(?:\s?[\[(][^)\]]{0,30}[)\]])?(?:\s(?i:for|of|in|with|between|versus|vs\.?|"
    rf"comparing)\s[^.;()=<>{N}]{{0,60}}?)?"
    r"[\s:,;=(\[]*(?:(?i:of|was|were|is|are|at|"
    rf"being)\s)*[\s=:(\[]*(?P<compare>{_COMPARE})?\s?(?P<value>{N})"
    rf"(?!{_PERCENT}?[\s-]?(?:CI|c\.i|conf))"
)
_SIZE = regex(
    r"(?:\b[nN]\s?[=:≈]|\b(?i:sample\ssizes?)(?:\s?=|\s(?:of|was|is|"
    rf"were))?)\s?(?P<value>{N})(?!\s?%)"
)
_RANGE = regex(
    rf"\b(?i:between)\s(?P<a>{N}){_U}\sand\s(?P<b>{N})|(?<!\bfrom\s)(?P<c>{N}){_U}(?:\s?[-−~]\s?|"
    rf"\s(?:to|through)\s)(?P<d>{N})"
    rf"|(?<={N}\s)[\[(]\s?(?P<e>{N}){_U}\s?[,;]\s?(?P<f>{N}){_U}\s?[\])]"
)
_LABELLED = regex(
    rf"(?<!{N}\s)(?<!{N}-)(?<!{N})\b(?i:(?P<unit>hour|day|week|month|year)s?)\s"
    rf"(?P<list>{N}(?:(?:,\s?(?:and\s|or\s)?|\s(?:and|or|to)\s){N})*)(?!{_U[:-1]})"
)
_BEFORE = regex(
    rf"(?:(?P<symbol>{_COMPARE})\s?|\b(?i:(?P<above>more\sthan|greater\sthan|over|above|exceeding)|"
    r"(?P<from>at\sleast|"
    r"no\sless\sthan)|"
    r"(?P<below>less\sthan|fewer\sthan|under|below)|(?P<to>up\sto|at\smost|no\smore\sthan)|"
    r"(?P<about>about|around|approximately|approx\.|nearly|almost|roughly|circa))\s|"
    r"(?P<money>[$£€]))\Z"
)
_SYMBOLS: dict[str, Comparator] = {
    "<": "<",
    ">": ">",
    "=": "=",
    "≤": "≤",
    "≥": "≥",
    "≈": "≈",
    "~": "≈",
}
_PHRASES: dict[str, Comparator] = {"above": ">", "from": "≥", "below": "<", "to": "≤", "about": "≈"}
_LIST_GAP = anycase(
    r"\s?(?P<comma>[,;])\s?|\s?(?:,?\s?(?:and|or|to|vs\.?|versus|compared\s(?:with|to))|/)\s?"
)


def find_figures(text: str) -> tuple[NumericExpression, ...]:
    """The figures of ``text`` in order. None overlap, but that "12 (24 %) of 50" is both 12 of 50
    and 24 %.
    """
    return _read(text)[0]


def worded_numbers(text: str) -> tuple[NumericExpression, ...]:
    """The numbers in words that `find_figures` passes over ("the two groups"), which a claim may
    well write in digits.
    """
    return _read(text)[1]


@lru_cache(maxsize=1024)
def _read(text: str) -> tuple[tuple[NumericExpression, ...], tuple[NumericExpression, ...]]:
    read = _Reading(text)
    return read.figures(), read.left_in_words()


class _Reading:
    """One text on its way to figures: its skeleton, and the numbers in it that no figure has taken
    yet.
    """

    def __init__(self, text: str) -> None:
        self.clean = plain(text)
        numbers = numerals(self.clean)
        pieces: list[str] = []
        places: list[int] = []
        self.shifts = [0]
        size = end = 0
        for number in numbers:
            pieces += [self.clean[end : number.start], N]
            places.append(size + number.start - end)
            size, end = places[-1] + 1, number.end
            self.shifts.append(end - size)
        self.skeleton = "".join([*pieces, self.clean[end:]])
        self.places = places
        self.at = dict(zip(places, numbers, strict=True))
        self.free = set(places)

    def figures(self) -> tuple[NumericExpression, ...]:
        if not self.places:
            return tuple(self.fractions_and_folds())
        readers = (
            self.intervals,
            self.p_values,
            self.spreads,
            self.proportions,
            self.fractions_and_folds,
        )
        later = (self.measures, self.sizes, self.ranges, self.labelled, self.singles)
        found = [figure for read in (*readers, *later) for figure in read()]
        return tuple(
            _with_shared_units(
                self.clean, sorted(found, key=lambda figure: (figure.start, -figure.end))
            )
        )

    def left_in_words(self) -> tuple[NumericExpression, ...]:
        """The numbers in words that no figure has taken."""
        left = (self.at[place] for place in sorted(self.free) if self.at[place].worded)
        return tuple(
            NumericExpression(number.start, number.end, "number", (number.value,), worded=True)
            for number in left
        )

    def offset(self, place: int) -> int:
        """Place in the text of a place in the skeleton."""
        return place + self.shifts[bisect_left(self.places, place)]

    def take(
        self, kind: Kind, start: int, end: int, places: Iterable[int], **more: Any
    ) -> Iterator[NumericExpression]:
        """The figure at [start, end) of the skeleton made of the numbers at ``places``, unless one
        of them is taken.
        """
        wanted = tuple(places)
        if self.free.issuperset(wanted):
            self.free.difference_update(wanted)
            numbers = [self.at[place] for place in wanted]
            worded = all(number.worded for number in numbers)
            values = tuple(number.value for number in numbers)
            yield NumericExpression(
                self.offset(start), self.offset(end), kind, values, worded=worded, **more
            )

    def unit(self, end: int) -> tuple[str | None, int]:
        """The unit after ``end``, "%" included, and where it ends; (None, end) where there is
        none.
        """
        percent = PERCENT.match(self.skeleton, end)
        if percent is not None:
            return "%", percent.end()
        return unit_after(self.skeleton, end) or (None, end)

    def intervals(self) -> Iterator[NumericExpression]:
        for match in _INTERVAL.finditer(self.skeleton):
            level = max(match.start(name) for name in ("level", "late", "inner"))
            if match["low"] and not self.at[match.start("low")].worded:
                low, high = match.start("low"), match.start("high")
                unit, end = self.unit(high + 1)
                unit = unit or self.unit(low + 1)[0]
                percent = self.at[level].value if level >= 0 else None
                yield from self.take(
                    "interval", match.start(), end, (low, high), level=percent, unit=unit
                )
            self.free.discard(level)

    def p_values(self) -> Iterator[NumericExpression]:
        for match in _P_VALUE.finditer(self.skeleton):
            if match["compare"] or match["word"]:
                yield from self.take(
                    "p value",
                    match.start(),
                    match.end(),
                    (match.start("value"),),
                    comparator=_comparator(match["compare"]),
                )

    def spreads(self) -> Iterator[NumericExpression]:
        for match in _SPREAD.finditer(self.skeleton):
            mean, spread = match.start("a"), match.start("b") if match["b"] else match.start("c")
            unit = self.unit(spread + 1)[0] or self.unit(mean + 1)[0] or self.unit(match.end())[0]
            yield from self.take("spread", match.start(), match.end(), (mean, spread), unit=unit)

    def proportions(self) -> Iterator[NumericExpression]:
        for match in _PROPORTION.finditer(self.skeleton):
            part, whole = match.start("a"), match.start("b")
            first, second = self.at[part].value, self.at[whole].value
            unit, end = self.unit(whole + 1)
            if unit == "mm Hg":
                yield from self.take("quantity", match.start(), end, (part, whole), unit=unit)
            elif (
                first == int(first)
                and second == int(second)
                and (first <= second or match["slash"])
                and not (match["rate"] and (unit is not None or first > second))
                and unit not in TIMES
            ):
                counted = counted_after(self.skeleton, whole + 1)
                unit = unit or (counted[0] if counted else None)
                yield from self.take(
                    "proportion", match.start(), match.end(), (part, whole), unit=unit
                )

    def fractions_and_folds(self) -> Iterator[NumericExpression]:
        for match in _FRACTION.finditer(self.skeleton):
            top, bottom = Decimal(1), Decimal(_PART_WORDS.get((match["part"] or "").lower(), 2))
            if match["top"]:
                place = match.start("top")
                top = self.at[place].value
                if (
                    not self.at[place].worded
                    or (top == 1) == bool(match["plural"])
                    or place not in self.free
                ):
                    continue
                self.free.discard(place)
            start, end = self.offset(match.start()), self.offset(match.end())
            yield NumericExpression(start, end, "fraction", (top, bottom), worded=True)
        for match in _FOLD.finditer(self.skeleton):
            if match["value"]:
                yield from self.take("fold", match.start(), match.end(), (match.start("value"),))
                continue
            value = (
                _FOLD_WORDS[match["word"].lower()] if match["word"] else 2 if match["double"] else 3
            )
            start, end = self.offset(match.start()), self.offset(match.end())
            yield NumericExpression(start, end, "fold", (Decimal(value),), worded=True)

    def measures(self) -> Iterator[NumericExpression]:
        for match in _MEASURE.finditer(self.skeleton):
            measure = next(name for name in _MEASURES if match[name])
            place = match.start("value")
            unit, end = self.unit(place + 1)
            kind: Kind = "difference" if measure in _DIFFERENCES else "ratio"
            if not self.at[place].worded and (unit is None or unit == "%" or kind == "difference"):
                start = match.start("compare") if match["compare"] else place
                compare = _comparator(match["compare"])
                yield from self.take(
                    kind, start, end, (place,), comparator=compare, measure=measure, unit=unit
                )

    def sizes(self) -> Iterator[NumericExpression]:
        for match in _SIZE.finditer(self.skeleton):
            counted = counted_after(self.skeleton, match.end())
            unit = counted[0] if counted and counted[0] in ("participants", "studies") else None
            yield from self.take(
                "sample size", match.start(), match.end(), (match.start("value"),), unit=unit
            )

    def ranges(self) -> Iterator[NumericExpression]:
        for match in _RANGE.finditer(self.skeleton):
            low, high = next(
                (match.start(a), match.start(b)) for a, b in ("ab", "cd", "ef") if match[a]
            )
            unit, end = self.unit(high + 1)
            if unit is None:
                counted = counted_after(self.skeleton, high + 1)
                unit = self.unit(low + 1)[0] or (counted[0] if counted else None)
            yield from self.take(
                "range", match.start(), max(end, match.end()), (low, high), unit=unit
            )

    def labelled(self) -> Iterator[NumericExpression]:
        for match in _LABELLED.finditer(self.skeleton):
            for place in range(match.start("list"), match.end("list")):
                if place in self.free:
                    yield from self.take(
                        "quantity", place, place + 1, (place,), unit=match["unit"].lower()
                    )

    def singles(self) -> Iterator[NumericExpression]:
        for place in sorted(self.free):
            number = self.at[place]
            before = _BEFORE.search(self.skeleton, max(0, place - 24), place)
            start = before.start() if before else place
            kind: Kind = "number"
            unit, end = self.unit(place + 1)
            rate = rate_after(self.skeleton, place + 1)
            if unit is not None:
                kind = "percent" if unit == "%" else "quantity"
            elif rate is not None and rate[0] in self.free:
                kind, unit, end = (
                    "quantity",
                    f"per {self.at[rate[0]].value.normalize():f} {rate[1]}",
                    rate[2],
                )
                self.free.discard(rate[0])
            elif before and before["money"]:
                kind, unit = "quantity", before["money"]
            elif counted := counted_after(self.skeleton, place + 1):
                unit, end = counted
                known = unit in ("participants", "studies")
                if not known and number.worded:
                    continue
                kind = "count" if number.value == int(number.value) else "number"
            elif number.worded:
                continue
            comparator: Comparator = "="
            if before and not before["money"]:
                named = next((name for name in _PHRASES if before[name]), None)
                comparator = _PHRASES[named] if named else _comparator(before["symbol"])
            yield from self.take(kind, start, end, (place,), comparator=comparator, unit=unit)


def _comparator(written: str | None) -> Comparator:
    """The comparator that "<", "< or =", "less than " or nothing stands for."""
    compact = re.sub(r"\s|or|/", "", written or "=")
    if compact in ("<=", ">="):
        return "≤" if compact == "<=" else "≥"
    if compact[0] in "lbu":
        return "<"
    return ">" if compact[0] == "g" else _SYMBOLS[compact]


def _with_shared_units(clean: str, figures: list[NumericExpression]) -> Iterator[NumericExpression]:
    """Give "12" in "12 and 15 %" the unit of its neighbour, along lists ("5, 10 and 20 mg")."""
    listed = False
    for place in range(len(figures) - 2, -1, -1):
        figure, following = figures[place], figures[place + 1]
        gap = _LIST_GAP.fullmatch(clean, figure.end, following.start)
        shared = (
            figure.kind == "number"
            and figure.unit is None
            and following.kind in ("percent", "quantity", "count")
            and following.unit is not None
            and gap is not None
            and (listed or gap["comma"] is None)
        )
        if shared:
            figures[place] = replace(figure, kind=following.kind, unit=following.unit)
        listed = shared
    return iter(figures)


def same(claim: NumericExpression, source: NumericExpression) -> bool:
    """Return whether one figure of a source states ``claim``; see `states` for what counts as the
    same.
    """
    if claim.kind in ("interval", "range"):
        return (
            source.kind in ("interval", "range")
            and (claim.level is None or source.level is None or claim.level == source.level)
            and _units_agree(claim, source)
            and _pairs_agree(sorted(claim.values), sorted(source.values))
        )
    if claim.kind in ("fraction", "proportion") or source.kind == "fraction":
        return _parts_agree(claim, source)
    if source.kind == "proportion":
        agree = claim.unit is None or source.unit is None or claim.unit == source.unit
        return (
            claim.kind in ("count", "sample size", "number")
            and agree
            and claim.values[0] in source.values
        )
    if len(claim.values) == 2:
        return (
            len(source.values) == 2
            and source.kind == claim.kind
            and _pairs_agree(claim.values, source.values)
        )
    value = source.values[0]
    if source.kind in ("interval", "range"):
        ends = {"≤": max(source.values), "≥": min(source.values)}
        return (
            claim.comparator in ends
            and ends[claim.comparator] == claim.values[0]
            and _units_agree(claim, source)
        )
    if not _kinds_agree(claim, source) or not _comparators_agree(claim, source):
        return False
    if claim.kind == "p value":
        return claim.values[0] == value
    return _value_agrees(claim.values[0], value) or (
        claim.kind != "ratio" and _value_agrees(-claim.values[0], value)
    )


def _kinds_agree(claim: NumericExpression, source: NumericExpression) -> bool:
    """Return whether the two can be of one kind, by kind, measure and unit."""
    if (claim.kind == "p value") != (source.kind == "p value"):
        return False
    if claim.kind == "ratio" or source.kind == "ratio":
        measures = (
            claim.measure is None or source.measure is None or claim.measure == source.measure
        )
        if claim.unit == source.unit == "%":
            return measures
        return measures and {claim.kind, source.kind} <= {"ratio", "number", "fold"}
    if claim.kind == "fold" or source.kind == "fold":
        return claim.kind == source.kind
    if claim.measure and source.measure and claim.measure != source.measure:
        return False
    return _units_agree(claim, source)


def _units_agree(claim: NumericExpression, source: NumericExpression) -> bool:
    """Return whether units or things counted are the same; a number with none goes with any, save
    that per cent is always said.
    """
    if claim.unit == source.unit or _same_dose(claim.unit, source.unit):
        return True
    if "%" in (claim.unit, source.unit):
        return claim.kind in ("interval", "range") and None in (claim.unit, source.unit)
    if "quantity" not in (claim.kind, source.kind):
        return not ({claim.unit, source.unit} >= {"participants", "studies"})
    return claim.unit is None or source.unit is None


def _same_dose(unit: str | None, other: str | None) -> bool:
    """Return whether one says how often and the other leaves it out: 10 mg/day and 10 mg."""
    return (
        unit is not None
        and other is not None
        and any(f"{unit}/{often}" == other or f"{other}/{often}" == unit for often in TIMES)
    )


def _comparators_agree(claim: NumericExpression, source: NumericExpression) -> bool:
    """Return whether both say "=", "<" and so on alike; "about" is let pass, and so is any in
    doses, durations and counts.
    """
    if claim.kind not in ("p value", "percent", "ratio"):
        return True
    return claim.comparator.replace("≈", "=") == source.comparator.replace("≈", "=")


def _parts_agree(claim: NumericExpression, source: NumericExpression) -> bool:
    """Return whether a fraction or proportion is stated: by the same two numbers or, if in words or
    one in n, by its per cent.
    """
    fraction, other = (
        (claim, source) if claim.kind in ("fraction", "proportion") else (source, claim)
    )
    if other.kind in ("fraction", "proportion"):
        return other.values == fraction.values
    if (
        other.kind != "percent"
        or (fraction.kind == "proportion" and fraction.values[0] != 1)
        or not fraction.values[1]
    ):
        return False
    return _value_agrees(other.values[0], 100 * fraction.values[0] / fraction.values[1])


def _pairs_agree(claim: Iterable[Decimal], source: Iterable[Decimal]) -> bool:
    """Return whether two pairs agree value by value, or do so when all signs are turned (a
    reduction of 0.3 to 2.1, −2.1 to −0.3).
    """
    pair, other = tuple(claim), tuple(source)
    turned = tuple(-value for value in reversed(other))
    return any(all(map(_value_agrees, pair, values)) for values in (other, turned))


def _value_agrees(claim: Decimal, source: Decimal) -> bool:
    """Return whether ``claim`` is ``source`` or ``source`` rounded to fewer decimals with two
    significant digits left, not to 0 or 1.
    """
    if claim == source:
        return True
    digits, exponent = len(claim.as_tuple().digits), int(claim.as_tuple().exponent)
    if digits < 2 or exponent <= int(source.as_tuple().exponent) or abs(claim) in (0, 1):
        return False
    return abs(source - claim) <= Decimal(5).scaleb(exponent - 1)
