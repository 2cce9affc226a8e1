"""An effect from its figures as an abstract prints them and a model copied them, and in words: its
measure and figures as they are stated, never rounded.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from clinfo.records.articles import Effect, Scale
from clinfo.text.wording import one_line

_NAMES = {
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
    name = _NAMES.get(measure, measure)
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


_MEASURES: Final[dict[str, tuple[str, Scale]]] = {
    "risk ratio": ("RR", "ratio"),
    "relative risk": ("RR", "ratio"),
    "rr": ("RR", "ratio"),
    "odds ratio": ("OR", "ratio"),
    "or": ("OR", "ratio"),
    "aor": ("OR", "ratio"),
    "adjusted odds ratio": ("OR", "ratio"),
    "hazard ratio": ("HR", "ratio"),
    "hr": ("HR", "ratio"),
    "ahr": ("HR", "ratio"),
    "adjusted hazard ratio": ("HR", "ratio"),
    "rate ratio": ("IRR", "ratio"),
    "incidence rate ratio": ("IRR", "ratio"),
    "irr": ("IRR", "ratio"),
    "risk difference": ("RD", "difference"),
    "rd": ("RD", "difference"),
    "absolute risk reduction": ("RD", "difference"),
    "mean difference": ("MD", "difference"),
    "md": ("MD", "difference"),
    "weighted mean difference": ("WMD", "difference"),
    "wmd": ("WMD", "difference"),
    "standardised mean difference": ("SMD", "standardised difference"),
    "standardized mean difference": ("SMD", "standardised difference"),
    "smd": ("SMD", "standardised difference"),
    "cohen's d": ("SMD", "standardised difference"),
    "hedges' g": ("SMD", "standardised difference"),
}
_SIGNS: Final = str.maketrans({**dict.fromkeys("−–‐‑", "-"), **dict.fromkeys("·∙⋅", ".")})
_THOUSANDS: Final = r"[1-9]\d{0,2}(?:[, \u2009\u202f]\d{3})+(?!\d)"
_NUMBER: Final = re.compile(rf"-?(?:{_THOUSANDS}|\d+,\d+|\d+)?(?:\.\d+)?")
_SIGN_APART: Final = re.compile(r"\A\s*-\s+(?=[\d.])")


def figure(text: str | None) -> str:
    """The first number in a figure as printed, with its marks of thousands; "" without one."""
    clean = _SIGN_APART.sub("-", (text or "").translate(_SIGNS))
    return next((one for one in _NUMBER.findall(clean) if any(map(str.isdigit, one))), "")


def printed(text: str | None) -> float | None:
    """The first number of a figure as printed ("−0·98 mmHg" is -0.98, "1,4" is 1.4, "1,400" is
    1400); None without one.
    """
    found = figure(text)
    if re.search(_THOUSANDS, found):
        found = re.sub(r"[, \u2009\u202f]", "", found)
    value = float(found.replace(",", ".")) if found else math.nan
    return value if math.isfinite(value) and abs(value) < 1e12 else None


def _is_range(text: str) -> bool:
    """Return whether a figure gives two numbers from one to the other: "9 - 10", "9 to 10"."""
    clean = _SIGN_APART.sub("-", text.translate(_SIGNS))
    if not (first := figure(text)):
        return False
    after = clean.partition(first)[2].strip()
    joint = next((one for one in ("-", "to ") if after.startswith(one)), "")
    return bool(joint) and after.removeprefix(joint).strip()[:1].isdigit()


def typed_measure(name: str | None) -> str:
    """The short name of a measure ("RR" for "relative risk"); the name given of one not known."""
    plain = " ".join((name or "").split())
    return _MEASURES[plain.lower()][0] if plain.lower() in _MEASURES else plain


def typed_effect(
    measure: str | None,
    estimate: str | None,
    interval: tuple[str | None, str | None],
    p: str | None,
    arms: Sequence[str],
    unit: str | None,
    level: str | None,
    text: str = "",
    turned: bool = False,
    subset: str = "",
) -> Effect | None:
    """The effect of these printed figures; the values of the arms where no estimate is given.

    ``interval`` is its lower and upper bound; one that does not hold the estimate is left out. A
    unit of per cent is left out where ``text`` does not print the figure with it: counts are none.
    None where neither an estimate nor two arms can be read.
    """
    name = " ".join((measure or "").lower().split())
    known, scale = _MEASURES.get(name, (" ".join((measure or "").split()), "difference"))
    value, low, high = printed(estimate), printed(interval[0]), printed(interval[1])
    if _is_range(estimate or ""):
        value = None  # "9 - 10" is no single figure
    if value is None:
        values = [printed(one) for one in arms[:2]]
        if len(values) < 2 or values[0] is None or values[1] is None:
            return None
        same = unit or ("%" if all("%" in one for one in arms[:2]) else None)
        if same == "%" and not _per_cent(text, arms[:2]):
            same = None
        told = tuple(" ".join(one.split()) for one in arms)
        two = p if len(arms) == 2 else None  # of more arms nobody says which two P compares
        return Effect(
            *(known, "values", values[0], None, None, None, same, None, values[1], two, told),
            subset=subset,
        )
    whole = low is not None and high is not None and low <= value <= high
    bounds = (low, high) if whole else (None, None)
    of = unit if scale == "difference" else None
    told = tuple(" ".join(one.split()) for one in arms) if len(arms) == 2 else ()
    return Effect(
        *(known or "effect", scale, value, *bounds, printed(level), of),
        p=p,
        arms=told,
        turned=turned,
        subset=subset,
    )


def _per_cent(text: str, arms: Sequence[str]) -> bool:
    """Return whether a text prints the first number of each figure with a sign of per cent, or the
    two together with one ("62 v 22 %"); true where there is no text to look into.
    """
    clean, sign = text.translate(_SIGNS), r"(?=\s?(?:%|per ?cent))"
    shares = {printed(one) for one in re.findall(rf"-?\d[\d.]*{sign}", clean)}
    pairs = re.findall(rf"(-?\d[\d.]*)\D{{1,9}}(-?\d[\d.]*){sign}", clean)
    values = tuple(map(printed, arms))
    together = {(printed(one), printed(other)) for one, other in pairs}
    return not text or shares.issuperset(values) or values in together
