"""An effect in words: its measure, and its figures as the abstract states them, never rounded."""

from __future__ import annotations

import re
from dataclasses import replace

from clinfo.records.articles import Effect
from clinfo.text.printable import one_line

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

_IN_WORDS = {"irr": "rate ratio", "difference": ""}
"""Measures that are told otherwise than by their short name."""


def stated(effect: Effect) -> str:
    """An effect as its label says it: "0.75 (0.60 to 0.94)", never rounded, with a true minus
    sign.
    """
    low, high = effect.low or 0.0, effect.high or 0.0
    values = effect.estimate, low, high
    usual = min(2, max(map(places, values)))  # 1.21 (0.883 to 1.67): three digits of each
    estimate, start, end = (number(value, max(usual, places(value))) for value in values)
    return f"{estimate} ({start} to {end})"


def places(value: float) -> int:
    """Return how many decimal places a number was written with, at least; 0 for those told by their
    power of ten.
    """
    return 0 if _by_power(value) else len(f"{value:.12f}".rstrip("0").partition(".")[2])


def _by_power(value: float) -> bool:
    return value != 0 and not 1e-4 <= abs(value) < 1e7


def number(value: float, decimals: int) -> str:
    """A number with so many decimal places, thousands apart and a true minus sign; very large and
    small ones by power of ten.
    """
    digits = (
        re.sub(r"e([+-])0*", r"e\1", f"{value:.6g}").replace("e+", "e")
        if _by_power(value)
        else f"{value:,.{decimals}f}"
    )
    return digits.replace("-", "−")


def titled(measure: str, unit: str | None = None) -> str:
    """Return what is measured: "Odds ratio (OR)", "Mean difference (MD), mmHg"."""
    name = _MEASURES.get(measure, measure)
    words = f"{name[:1].upper()}{name[1:]}" + (f" ({measure})" if name != measure else "")
    return f"{words}, {unit}" if unit else words


def effect_text(effect: Effect, given: str = "", comparator: str = "") -> str:
    """``RR 0.75 (95 % CI 0.60 to 0.94)``, before it the values of the arms where they are known:
    ``8.0 % against 8.4 % (p = 0.02)``, the second with its ``comparator`` where one is given.

    An estimate that is printed for the comparator says so, by the names where they are ``given``;
    one of a part of the studies or people names it.
    """
    if effect.subset:
        whole = effect_text(replace(effect, subset=""), given, comparator)
        return f"{whole} in {one_line(effect.subset)}"
    if effect.turned:
        names = f"{comparator or 'the comparator'} against {given or 'the intervention'}"
        return f"{effect_text(replace(effect, turned=False, arms=()))} for {names}"
    values = effect.arms
    if effect.against is not None:
        most = max(places(effect.estimate), places(effect.against))
        values = values or (number(effect.estimate, most), number(effect.against, most))
        estimate, level = (_with_p(one_line(effect.p)) if effect.p else ""), ""
    else:
        estimate, level = _estimate(effect)
    if not values:
        return f"{estimate} ({level})" if level else estimate
    unit = f" {one_line(effect.unit)}" if effect.unit and effect.against is not None else ""
    begins = unit.split()[:1]  # "75.5 %" of a "% of migraines"
    with_unit = [
        one if unit.strip() in one else f"{one.removesuffix(''.join(begins)).strip()}{unit}"
        for one in values
    ]
    second = f" with {comparator}" if comparator and len(values) == 2 else ""
    told = ", ".join(filter(None, (estimate, level)))
    return one_line(" against ".join(with_unit)) + second + (f" ({told})" if told else "")


def _estimate(effect: Effect) -> tuple[str, str]:
    """(the estimate with its measure and unit, the interval that is told beside it or "")."""
    unit = f" {one_line(effect.unit)}" if effect.unit else ""
    name = _IN_WORDS.get(effect.measure.lower(), effect.measure)
    if effect.low is None or effect.high is None:
        return f"{name} {number(effect.estimate, places(effect.estimate))}{unit}".strip(), ""
    estimate, _, interval = stated(effect).partition(" (")
    level = f"{effect.level:g} % CI " if effect.level is not None else ""
    return f"{name} {estimate}{unit}".strip(), level + interval.rstrip(")")


def _with_p(value: str) -> str:
    """A p value with its letter ("p < 0.001" for "< 0.001")."""
    if value[:1].lower() == "p":
        return value
    return f"p {value}" if value[:1] in "<>=≤≥" else f"p = {value}"
