"""An effect from its figures as an abstract prints them and a model copied them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final

from clinfo.records.articles import Effect, Scale

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
