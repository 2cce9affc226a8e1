"""What follows from the figures of a sentence by plain arithmetic: 24 % from 12 of 50, "halved" from 40 and 20 %.

Only what a reader would do in the head, and only where the claim's own words ask for it: a difference where it says "by 28
points" or "28 % lower", a relative reduction from a ratio where it says that something fell or rose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

from clinfo.text.figures import Figure
from clinfo.text.units import DOSES

THRESHOLDS = frozenset(map(Decimal, ("0.1", "0.05", "0.01", "0.005", "0.001", "0.0001")))
"""Levels that a p value is said to lie below."""
SIGNIFICANT = Decimal("0.05")
"""Least level that a p value is said to lie above."""
NEAR = Decimal("0.05")
"""How far, as a share, a value may lie from what is called "about" it."""
ABOUT_DOUBLE = Decimal("0.04")
"""How far, as a share, a ratio may lie from 2 to be called "doubled"."""
LOOSELY = Decimal("0.1")
"""The same for one called "about" or "nearly" so many times."""
SMALL_WHOLE = 10
"""Greatest whole of a proportion that is a way of speaking ("four in five") and need be no count of people."""
WORDS_AROUND = 60
"""Characters on either side of a figure that say what it is a change of."""

_DOWN = re.compile(r"\b(?:reduc|lower|decreas|fewer|less|fell|fall|declin|drop|cut|prevent|protect|smaller|shorter)", re.IGNORECASE)
_UP = re.compile(r"\b(?:increas|higher|more|greater|rais|rose|elevat|gain|excess|larger|longer|additional)", re.IGNORECASE)
_CHANGE = r"(?:reduction|increase|decrease|drop|fall|rise|gain|decline|improvement|difference|gap|margin)s?"
_BY = re.compile(
    rf"\b(?:by|{_CHANGE}\s(?:of|was|were|is))\s(?:(?:about|around|approximately|only|nearly|almost)\s)?(?:an?\s(?:\w+\s)?)?\Z",
    re.IGNORECASE,
)
_MORE = re.compile(
    rf"\s?(?:(?:percentage\s)?points?\s?)?(?:(?:absolute|relative)\s)?(?:(?:higher|lower|more|fewer|less|greater|shorter|longer|smaller|larger)\b|{_CHANGE}\b)",
    re.IGNORECASE,
)
_LACKING = re.compile(
    r"\b(?:miss(?:ed|es|ing)|without|not|n't|fail(?:ed|s)?|never|free|lack(?:ed|s|ing)?|remaining|other)\b", re.IGNORECASE
)
_LEANING = re.compile(
    r"\b(?:(?P<above>more\sthan|over|above|greater\sthan|at\sleast)|(?P<below>nearly|almost|just\sunder|less\sthan|under|fewer\sthan)|"
    r"(?P<about>about|around|approximately|roughly|some))\s(?:an?\s)?\Z",
    re.IGNORECASE,
)
_DAYS = {"minute": Decimal(1) / 1440, "hour": Decimal(1) / 24, "day": Decimal(1), "week": Decimal(7)}
_MONTHS = {"month": Decimal(1), "year": Decimal(12)}
_SCALES = {
    "kg": ("g", 3), "g": ("g", 0), "mg": ("g", -3), "µg": ("g", -6), "ng": ("g", -9), "pg": ("g", -12),
    "L": ("L", 0), "dL": ("L", -1), "mL": ("L", -3), "m": ("m", 0), "cm": ("m", -2), "mm": ("m", -3), "km": ("m", 3),
    "mol": ("mol", 0), "mmol": ("mol", -3), "µmol": ("mol", -6), "nmol": ("mol", -9), "pmol": ("mol", -12),
}  # fmt: skip
_RATIOS = frozenset({"HR", "OR", "RR", "PR", "SMR"})


@dataclass(frozen=True)
class Step:
    """How a figure follows from others, in words; ``derived`` where its value is not just another writing of one stated."""

    why: str
    derived: bool = True


@dataclass(frozen=True)
class _Asked:
    """A claim's figure with what the words around it say of it."""

    figure: Figure
    before: str
    after: str

    @property
    def value(self) -> Decimal:
        return abs(self.figure.values[0])

    @property
    def falls(self) -> bool:
        return _DOWN.search(f"{self.before} {self.after}") is not None

    @property
    def rises(self) -> bool:
        return _UP.search(f"{self.before} {self.after}") is not None

    @property
    def change(self) -> bool:
        """Whether the figure is said to be a difference or change."""
        return _BY.search(self.before) is not None or _MORE.match(self.after) is not None


def follows(claim: Figure, text: str, source: Figure, mates: Sequence[Figure]) -> Step | None:
    """How ``claim``, read from ``text``, follows from ``source`` and its ``mates``; None where it does not.

    ``mates`` are all figures of one sentence, ``source`` among them; it is always one of those computed with.
    """
    before, after = text[max(0, claim.start - WORDS_AROUND) : claim.start], text[claim.end : claim.end + WORDS_AROUND]
    return next(_steps(_Asked(claim, before, after), source, mates), None)


def _steps(asked: _Asked, source: Figure, mates: Sequence[Figure]) -> Iterator[Step]:
    claim = asked.figure
    single = len(source.values) == 1
    if claim.kind == "p value" or source.kind == "p value":
        if claim.kind == source.kind:
            yield from _p_values(claim, source)
    elif claim.kind in ("interval", "range", "spread"):
        if source.kind == claim.kind and not single and _alike(claim, source) and all(map(_rounded, claim.values, source.values)):
            yield Step("rounded", derived=False)
    elif claim.kind in ("fraction", "proportion", "fold"):
        yield from _parts(asked, source, mates)
    else:
        if single and _alike(claim, source) and _rounds(claim, source):
            yield Step("rounded", derived=False)
        if claim.unit == "%":
            yield from _percentages(asked, source, mates)
        elif claim.kind == "quantity" and single and claim.unit != source.unit:
            yield from _conversions(claim, source)
        elif claim.kind == "count" and source.unit == "%" and single:
            wholes = [mate for mate in mates if mate.kind in ("count", "sample size") and mate.unit in (claim.unit, None)]
            if any(_exact(asked.value, source.values[0] * mate.values[0] / 100) for mate in wholes):
                yield Step("that share of the number stated")
        elif claim.kind == "number" and source.unit == "%" and single and 0 < asked.value < 1:
            if _exact(asked.value, source.values[0] / 100):
                yield Step("the percentage as a proportion", derived=False)
        elif claim.kind in ("quantity", "number", "count", "difference") and asked.change and claim.unit in (source.unit, None):
            yield from _differences(asked.value, source, mates)


def _p_values(claim: Figure, source: Figure) -> Iterator[Step]:
    """p < 0.05 follows from p = 0.04 and p > 0.05 from p = 0.2; p = 0.03 from 0.034, but not 0.05 from 0.049.

    A bound is quoted as it stands: who writes p < 0.05 where the article has p < 0.001 has taken it from elsewhere.
    """
    limit, value = claim.values[0], source.values[0]
    if source.comparator != "=":
        return
    if claim.comparator in ("<", "≤") and value < limit and limit in THRESHOLDS:
        yield Step("a smaller p value is stated", derived=False)
    elif claim.comparator in (">", "≥") and value > limit and limit >= SIGNIFICANT:
        yield Step("a larger p value is stated", derived=False)
    elif claim.comparator == "=" and _rounded(limit, value) and limit not in THRESHOLDS:
        yield Step("rounded", derived=False)


def _parts(asked: _Asked, source: Figure, mates: Sequence[Figure]) -> Iterator[Step]:
    """Fractions in words, "one in five", "12/50", "halved" and "two-fold"."""
    claim = asked.figure
    fold = claim.kind == "fold"
    if not fold and not claim.values[1]:
        return
    wanted = claim.values[0] if fold else claim.values[0] / claim.values[1]
    if claim.kind == "proportion" and claim.values[1] > SMALL_WHOLE:
        wholes = [mate for mate in mates if mate.kind in ("count", "sample size") and mate.values[0] == claim.values[1]]
        part = source.values[0] * claim.values[1] / 100
        if wholes and source.unit == "%" and len(source.values) == 1 and _exact(claim.values[0], part):
            yield Step("that share of the number stated")
        if source.kind in ("count", "number") and source.values[0] == claim.values[0]:
            whole = 100 * claim.values[0] / claim.values[1]
            if any(mate.unit == "%" and len(mate.values) == 1 and _exact(mate.values[0], whole) for mate in mates):
                yield Step("the number and its share stated", derived=False)
        return
    share = _share(source)
    if not fold and share is not None:
        if _leans(share, wanted, asked.before):
            yield Step("the share stated", derived=False)
        elif _LACKING.search(f"{asked.before} {asked.after}") and _leans(1 - share, wanted, asked.before):
            yield Step("the rest of the share stated")
    if not fold and wanted != Decimal("0.5"):
        return
    value = abs(source.values[0])
    if not value:
        return
    about = LOOSELY if _LEANING.search(asked.before[-24:]) else ABOUT_DOUBLE
    if source.kind in ("ratio", "fold") or (source.kind == "number" and value != int(value)):
        leans = wanted < 1 and _leans(value, wanted, asked.before)
        if source.measure in (*_RATIOS, None) and (leans or _near(value, wanted, about)):
            yield Step("the ratio stated", derived=False)
    elif len(source.values) == 1:
        for mate in _others(source, mates):
            other = abs(mate.values[0])
            if other and (_near(other / value, wanted, about) or _near(value / other, wanted, about)):
                yield Step("the ratio of two values stated")


def _percentages(asked: _Asked, source: Figure, mates: Sequence[Figure]) -> Iterator[Step]:
    share = _share(source)
    value = asked.value
    if share is not None and source.unit != "%" and _exact(value, 100 * share):
        yield Step("the share stated", derived=False)
    if len(source.values) != 1:
        return
    stated = abs(source.values[0])
    if source.kind in ("ratio", "number") and source.measure in _RATIOS:
        change = 100 * abs(1 - stated)
        near = _exact(value, change) or (asked.figure.comparator == "≈" and _near(change, value, LOOSELY))
        if near and (asked.falls if stated < 1 else asked.rises):
            yield Step(f"the ratio {source.values[0]:f}")
    elif source.kind in ("percent", "quantity", "number") and asked.change:
        if source.kind == "percent":
            yield from _differences(value, source, mates)
        for mate in _others(source, mates):
            low, high = sorted((stated, abs(mate.values[0])))
            change = 100 * (high - low)
            if low and ((asked.falls and _exact(value, change / high)) or (asked.rises and _exact(value, change / low))):
                yield Step("the change from one value stated to the other")


def _conversions(claim: Figure, source: Figure) -> Iterator[Step]:
    value, stated, unit, other = abs(claim.values[0]), abs(source.values[0]), claim.unit or "", source.unit or ""
    if _same_time(value, unit, stated, other):
        yield Step("the same time in another unit", derived=False)
    elif _scaled(unit, other, stated) == value:
        yield Step("the same amount in another unit", derived=False)


def _same_time(value: Decimal, unit: str, stated: Decimal, other: str) -> bool:
    """Whether two times are the same; weeks are called months four at a time, or 52 a year."""
    if unit in _DAYS and other in _DAYS:
        return _exact(value, stated * _DAYS[other] / _DAYS[unit])
    if unit in _MONTHS and other in _MONTHS:
        return value * _MONTHS[unit] == stated * _MONTHS[other]
    if unit in _MONTHS and other == "week":
        months = value * _MONTHS[unit]
        return stated in (4 * months, 52 * months / 12)
    return unit == "week" and other in _MONTHS and _same_time(stated, other, value, unit)


def _scaled(unit: str, other: str, value: Decimal) -> Decimal | None:
    """The value in ``unit`` of a value in ``other``, where both are of one kind ("mg/day" and "g/day")."""
    one, _, per = unit.partition("/")
    two, _, rate = other.partition("/")
    if per != rate or one not in _SCALES or two not in _SCALES or _SCALES[one][0] != _SCALES[two][0]:
        return None
    return value.scaleb(_SCALES[two][1] - _SCALES[one][1])


def _differences(value: Decimal, source: Figure, mates: Sequence[Figure]) -> Iterator[Step]:
    """The difference of two values or of two means with their spreads."""
    if len(source.values) == 2 and source.kind != "spread":
        return
    for mate in _others(source, mates):
        if _exact(value, abs(source.values[0] - mate.values[0])):
            yield Step("the difference of two values stated")


def _others(source: Figure, mates: Iterable[Figure]) -> Iterator[Figure]:
    """The two neighbours of a figure among those of its kind and unit."""
    alike = [mate for mate in mates if mate.kind == source.kind and mate.unit == source.unit]
    if source in alike:
        at = alike.index(source)
        yield from alike[max(0, at - 1) : at] + alike[at + 1 : at + 2]


def _share(figure: Figure) -> Decimal | None:
    """A share of 0 to 1 that a figure states."""
    if figure.unit == "%" and len(figure.values) == 1:
        return figure.values[0] / 100
    if figure.kind in ("proportion", "fraction") and figure.values[1] > 0 and figure.values[0] <= figure.values[1]:
        return figure.values[0] / figure.values[1]
    return None


def _leans(share: Decimal, wanted: Decimal, before: str) -> bool:
    """Whether a share may be called so: a third for 0.33, more than half for 0.54, nearly a quarter for 0.24."""
    leaning = _LEANING.search(before[-24:])
    if leaning is not None and leaning["above"]:
        return 0 <= share - wanted <= 2 * NEAR
    if leaning is not None and leaning["below"]:
        return 0 <= wanted - share <= 2 * NEAR
    return abs(share - wanted) <= (Decimal("0.03") if leaning is not None else Decimal("0.01"))


def _alike(claim: Figure, source: Figure) -> bool:
    if {claim.kind, source.kind} == {"count", "sample size"}:
        return claim.unit is None or source.unit is None or claim.unit == source.unit
    if claim.unit != source.unit or (claim.measure and source.measure and claim.measure != source.measure):
        return False
    if claim.level and source.level and claim.level != source.level:
        return False
    return claim.kind == source.kind or {claim.kind, source.kind} <= {"ratio", "number", "difference"}


def _rounds(claim: Figure, source: Figure) -> bool:
    """Whether a value is the source's rounded, or near it where the claim says "about"; never a dose, nor an exact count."""
    value, stated = abs(claim.values[0]), abs(source.values[0])
    rounder = _digits(value) < _digits(stated)
    if claim.comparator == "≈" and source.comparator == "=":
        return rounder and abs(stated - value) <= NEAR * stated
    if claim.comparator in (">", "≥") and source.comparator == "=":
        return rounder and value <= stated <= value * (1 + 2 * NEAR)
    if claim.comparator in ("<", "≤") and source.comparator == "=":
        return rounder and value * (1 - 2 * NEAR) <= stated <= value
    exact = claim.kind in ("count", "sample size") or (claim.unit or "").partition("/")[0] in DOSES
    return not exact and claim.comparator == source.comparator and _rounded(value, stated) and value not in (0, 1)


def _digits(value: Decimal) -> int:
    return len(value.normalize().as_tuple().digits)


def _rounded(claim: Decimal, source: Decimal) -> bool:
    """Whether ``claim`` is ``source`` rounded to the decimals of ``claim``, half up or to even."""
    exponent = int(claim.as_tuple().exponent)
    if claim == source:
        return True
    if exponent <= int(source.as_tuple().exponent) or not claim or abs(source) > 10**9:
        return False
    step = Decimal(1).scaleb(exponent)
    return claim in (source.quantize(step, ROUND_HALF_UP), source.quantize(step, ROUND_HALF_EVEN))


def _exact(claim: Decimal, computed: Decimal) -> bool:
    """Whether a computed value is ``claim`` when rounded to its decimals, and is not nothing."""
    exponent = int(claim.as_tuple().exponent)
    return bool(claim) and abs(computed - claim) <= Decimal(5).scaleb(exponent - 1)


def _near(value: Decimal, wanted: Decimal, share: Decimal = ABOUT_DOUBLE) -> bool:
    return abs(value - wanted) <= share * wanted
