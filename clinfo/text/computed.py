"""What follows from the figures of a sentence by plain arithmetic: 24 % from 12 of 50, "halved" from 40 and 20 %.

Only what a reader would do in the head, and only where the claim's own words ask for it: a difference where it says "by",
"difference" or "lower", a relative reduction from a ratio where it says that something fell or rose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from clinfo.text.figures import Figure

THRESHOLDS = frozenset(map(Decimal, ("0.1", "0.05", "0.01", "0.005", "0.001", "0.0001")))
"""Levels that a p value is said to lie below or above."""
NEAR = Decimal("0.05")
"""How far, as a share, a value may lie from what is called "about" it."""
ABOUT_DOUBLE = Decimal("0.04")
"""How far, as a share, a ratio may lie from 2 to be called "doubled"."""

_DOWN = re.compile(r"\b(?:reduc|lower|decreas|fewer|less|fell|fall|declin|drop|cut|prevent|protect|smaller)", re.IGNORECASE)
_UP = re.compile(r"\b(?:increas|higher|more|greater|rais|rose|elevat|gain|excess|larger|additional)", re.IGNORECASE)
_DIFFERENCE = re.compile(r"\b(?:differ\w*|points?|absolute|by|gap|margin)\b", re.IGNORECASE)
_RELATIVE = re.compile(r"\b(?:relative\w*|by|proportional\w*)\b", re.IGNORECASE)
_LEANING = re.compile(
    r"\b(?:(?P<above>more than|over|above|greater than|at least)|(?P<below>nearly|almost|just under|less than|under|fewer than)|"
    r"(?P<about>about|around|approximately|roughly|some))\s+(?:an?\s+)?\Z",
    re.IGNORECASE,
)
_DAYS = {"hour": Decimal(1) / 24, "day": Decimal(1), "week": Decimal(7)}
_MONTHS = {"month": Decimal(1), "year": Decimal(12)}
_SCALES = {
    "kg": ("g", 3), "g": ("g", 0), "mg": ("g", -3), "µg": ("g", -6), "ng": ("g", -9),
    "L": ("L", 0), "dL": ("L", -1), "mL": ("L", -3), "m": ("m", 0), "cm": ("m", -2), "mm": ("m", -3), "km": ("m", 3),
    "mol": ("mol", 0), "mmol": ("mol", -3), "µmol": ("mol", -6), "nmol": ("mol", -9), "pmol": ("mol", -12),
}  # fmt: skip
_RATIOS = frozenset({"HR", "OR", "RR", "PR", "SMR"})


def follows(claim: Figure, before: str, after: str, source: Figure, mates: Sequence[Figure]) -> str:
    """How ``claim`` follows from ``source`` and its ``mates`` (all figures of one sentence), in words; "" where it does not.

    ``before`` and ``after`` are the claim's words around it. ``source`` is always one of the figures computed with.
    """
    return next(_ways(claim, before, after, source, mates), "")


def _ways(claim: Figure, before: str, after: str, source: Figure, mates: Sequence[Figure]) -> Iterator[str]:
    if claim.kind == "p value" or source.kind == "p value":
        if claim.kind == source.kind:
            yield from _p_values(claim, source)
        return
    if len(claim.values) == 2 and claim.kind in ("interval", "range", "spread"):
        if source.kind == claim.kind and len(source.values) == 2 and _alike(claim, source):
            ends = zip(claim.values, source.values, strict=True)
            if all(_rounded(value, other) for value, other in ends):
                yield "rounded"
        return
    around = f"{before[-60:]} {after[:60]}"
    if claim.kind in ("fraction", "proportion", "fold"):
        yield from _parts(claim, before, around, source, mates)
        return
    value = abs(claim.values[0])
    if len(source.values) == 1 and _alike(claim, source) and _rounds(claim, value, source):
        yield "rounded"
    if claim.unit == "%":
        yield from _percentages(claim, value, around, source, mates)
    elif claim.kind == "quantity":
        yield from _quantities(claim, value, around, source, mates)
    elif claim.kind == "count" and source.unit == "%":
        wholes = [mate for mate in mates if mate.kind in ("count", "sample size") and mate.unit in (claim.unit, None)]
        if any(_exact(value, source.values[0] * mate.values[0] / 100) for mate in wholes):
            yield "that share of the number stated"
    elif claim.kind == "number" and source.unit == "%" and len(source.values) == 1 and 0 < value < 1:
        if _exact(value, source.values[0] / 100):
            yield "the percentage as a proportion"
    elif claim.kind == "number" and claim.unit is None and _DIFFERENCE.search(around):
        yield from _differences(value, source, mates)


def _p_values(claim: Figure, source: Figure) -> Iterator[str]:
    """p < 0.05 follows from p = 0.04 and p < 0.01; p > 0.05 from p = 0.2; 0.03 from 0.034, but not 0.05 from 0.049."""
    limit, value = claim.values[0], source.values[0]
    if claim.comparator in ("<", "≤") and source.comparator in ("=", "<", "≤", "≈") and value < limit and limit in THRESHOLDS:
        yield "a smaller p value is stated"
    elif claim.comparator in (">", "≥") and source.comparator in ("=", ">", "≥", "≈") and value > limit and limit in THRESHOLDS:
        yield "a larger p value is stated"
    elif claim.comparator == "=" == source.comparator and _rounded(limit, value) and limit not in THRESHOLDS:
        yield "rounded"


def _parts(claim: Figure, before: str, around: str, source: Figure, mates: Sequence[Figure]) -> Iterator[str]:
    """Fractions in words, "one in five", "12/50", "halved" and "two-fold"."""
    if claim.kind == "fold":
        wanted, turned = claim.values[0], False
    elif not claim.values[1]:
        return
    else:
        wanted, turned = claim.values[0] / claim.values[1], True
    if claim.kind == "proportion" and claim.values[0] != 1:
        if source.unit == "%" and len(source.values) == 1:
            wholes = [mate for mate in mates if mate.kind in ("count", "sample size") and mate.values[0] == claim.values[1]]
            if wholes and _exact(claim.values[0], source.values[0] * claim.values[1] / 100):
                yield "that share of the number stated"
        return
    share = _share(source)
    if turned and share is not None and _leans(share, wanted, before):
        yield "the share stated"
    change = claim.kind == "fold" or wanted == Decimal("0.5")
    if change and source.kind in ("ratio", "fold", "number") and source.measure in (*_RATIOS, None):
        value = source.values[0]
        if value > 0 and (_near(value, wanted) or _near(1 / value, wanted)):
            yield "the ratio stated"
    if change and len(source.values) == 1 and source.kind not in ("ratio", "fold"):
        for mate in _others(source, mates):
            pair = sorted((abs(source.values[0]), abs(mate.values[0])))
            if pair[0] > 0 and (_near(pair[1] / pair[0], wanted) or (turned and _near(pair[0] / pair[1], wanted))):
                yield "the ratio of the two values stated"


def _percentages(claim: Figure, value: Decimal, around: str, source: Figure, mates: Sequence[Figure]) -> Iterator[str]:
    share = _share(source)
    if share is not None and source.unit != "%" and _exact(value, 100 * share):
        yield "the share stated"
    falls, rises = _DOWN.search(around) is not None, _UP.search(around) is not None
    if source.kind in ("ratio", "number") and source.measure in _RATIOS and (falls or rises):
        ratio = source.values[0]
        if (ratio < 1 and falls and _exact(value, 100 * (1 - ratio))) or (ratio > 1 and rises and _exact(value, 100 * (ratio - 1))):
            yield f"from the ratio {ratio:f}"
    if falls or rises or _DIFFERENCE.search(around):
        if source.kind == "percent":
            yield from _differences(value, source, mates)
        if _RELATIVE.search(around) and len(source.values) == 1 and source.kind in ("percent", "quantity", "number"):
            for mate in _others(source, mates):
                low, high = sorted((abs(source.values[0]), abs(mate.values[0])))
                change = 100 * (high - low)
                if low and ((falls and _exact(value, change / high)) or (rises and _exact(value, change / low))):
                    yield "the change from one value stated to the other"


def _quantities(claim: Figure, value: Decimal, around: str, source: Figure, mates: Sequence[Figure]) -> Iterator[str]:
    unit, other = claim.unit or "", source.unit or ""
    if len(source.values) != 1:
        return
    stated = abs(source.values[0])
    if unit != other:
        if _same_time(value, unit, stated, other):
            yield "the same time in another unit"
        elif _scaled(unit, other, stated) == value:
            yield "the same amount in another unit"
    elif _DIFFERENCE.search(around):
        yield from _differences(value, source, mates)


def _same_time(value: Decimal, unit: str, stated: Decimal, other: str) -> bool:
    """Whether two times are the same; weeks are called months four at a time, or 52 a year."""
    if unit in _DAYS and other in _DAYS:
        return _exact(value, stated * _DAYS[other] / _DAYS[unit])
    if unit in _MONTHS and other in _MONTHS:
        return value * _MONTHS[unit] == stated * _MONTHS[other]
    if unit in _MONTHS and other == "week":
        return stated in (4 * value * _MONTHS[unit], 52 * value * _MONTHS[unit] / 12)
    return unit == "week" and other in _MONTHS and _same_time(stated, other, value, unit)


def _scaled(unit: str, other: str, value: Decimal) -> Decimal | None:
    """The value in ``unit`` of a value in ``other``, where both are of one kind ("mg/day" and "g/day")."""
    one, _, per = unit.partition("/")
    two, _, rate = other.partition("/")
    if per != rate or one not in _SCALES or two not in _SCALES or _SCALES[one][0] != _SCALES[two][0]:
        return None
    return value.scaleb(_SCALES[two][1] - _SCALES[one][1])


def _differences(value: Decimal, source: Figure, mates: Sequence[Figure]) -> Iterator[str]:
    for mate in _others(source, mates):
        if _exact(value, abs(source.values[0] - mate.values[0])):
            yield "the difference of the two values stated"


def _others(source: Figure, mates: Iterable[Figure]) -> Iterator[Figure]:
    """The two neighbours of a figure among those of its kind and unit."""
    alike = [mate for mate in mates if mate.kind == source.kind and mate.unit == source.unit and len(mate.values) == 1]
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
        return 0 <= share - wanted <= Decimal("0.1")
    if leaning is not None and leaning["below"]:
        return 0 <= wanted - share <= NEAR
    return abs(share - wanted) <= (Decimal("0.03") if leaning is not None else Decimal("0.01"))


def _alike(claim: Figure, source: Figure) -> bool:
    if claim.unit != source.unit or (claim.measure and source.measure and claim.measure != source.measure):
        return False
    return claim.kind == source.kind or {claim.kind, source.kind} <= {"ratio", "number", "difference"}


def _rounds(claim: Figure, value: Decimal, source: Figure) -> bool:
    """Whether a value is the source's rounded, or near it where the claim says "about"; comparators must be alike."""
    stated = abs(source.values[0])
    if claim.kind in ("count", "sample size") and claim.comparator != "≈":
        return False
    if claim.comparator == "≈":
        return abs(stated - value) <= NEAR * stated
    if claim.comparator in (">", "≥") and source.comparator == "=":
        return value <= stated <= value * (1 + 2 * NEAR)
    if claim.comparator in ("<", "≤") and source.comparator == "=":
        return value * (1 - 2 * NEAR) <= stated <= value
    return claim.comparator == source.comparator and _rounded(value, stated) and value not in (0, 1)


def _rounded(claim: Decimal, source: Decimal) -> bool:
    """Whether ``claim`` is ``source`` rounded to the decimals of ``claim``, half up or down."""
    exponent = int(claim.as_tuple().exponent)
    if claim != source and (exponent <= int(source.as_tuple().exponent) or not claim):
        return False
    return abs(source - claim) <= Decimal(5).scaleb(exponent - 1)


def _exact(claim: Decimal, computed: Decimal) -> bool:
    """Whether a computed value is ``claim`` when rounded to its decimals, and is not nothing."""
    exponent = int(claim.as_tuple().exponent)
    return bool(claim) and abs(computed - claim) <= Decimal(5).scaleb(exponent - 1)


def _near(value: Decimal, wanted: Decimal) -> bool:
    return abs(value - wanted) <= ABOUT_DOUBLE * wanted
