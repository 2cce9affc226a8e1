"""Measured values: as criteria ask for them ("HbA1c above 9 %"), and as notes state them ("BMI
31.2", "BP 150/90").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from clinfo.pipelines.cohort.form import And, Form, Or, Value, When

FILE = Path(__file__).with_name("quantities.tsv")
_NUMBER = r"\d{1,6}(?:\.\d+)?"
_OR_MORE = r"\s+(?:or|and)\s+(?:more|above|over|higher|greater|up)\b|\s*\+(?!\d)"
_OR_LESS = r"\s+(?:or|and)\s+(?:less|below|under|lower|fewer)\b"
_ABOVE = r"above|over|more than|greater than|higher than|exceeding|exceeds|>"
_BELOW = r"below|under|less than|lower than|<"
_LEAST = r"at least|no less than|not less than|minimum(?: of)?|≥|>="
_MOST = r"at most|up to|no more than|not more than|maximum(?: of)?|≤|<="
_EVER = r"(?P<when>\s+(?:ever|at any time)\b)?(?:\s+(?:latest|most recently|at last check)\b)?"
_SAYS = (
    r"(?:\s*(?:[,:=]|(?:is|was|of|at|has been|that is|that was|which is|measured|reading|level|"
    r"values?)\b))*"
)


_ALIKE: Mapping[str, str] = {
    "percent": "%", "kg/m²": "kg/m2", "mm hg": "mmhg", "degrees": "°c", "degrees c": "°c",
    "ug/l": "ng/ml", "µg/l": "ng/ml", "mcg/l": "ng/ml", "ng/l": "pg/ml", "iu/l": "u/l",
    "units/l": "u/l", "mu/l": "miu/l", "uiu/ml": "miu/l", "µiu/ml": "miu/l", "mu/ml": "miu/l",
    "cells/µl": "cells/ul", "/µl": "cells/ul", "/ul": "cells/ul", "/mm3": "cells/ul",
    "/mcl": "cells/ul", "cells/mm3": "cells/ul", "µmol/l": "umol/l", "mcmol/l": "umol/l",
    "micromol/l": "umol/l", "msec": "ms", "mm/hr": "mm/h", "beats/min": "/min", "bpm": "/min",
    "kgs": "kg", "iu/ml": "u/ml", "ku/l": "u/ml",
}  # fmt: skip
"""Units as they are also written, in small letters, and one of each."""


def _alike(unit: str) -> str:
    """A unit as written, in one of its spellings."""
    unit = " ".join(unit.lower().split())
    if re.fullmatch(r"x?\s?10[\^*e]?9\s?/l", unit):
        return "10^9/l"
    if unit.startswith("ml/min/1.73"):
        return "ml/min/1.73 m2"
    return _ALIKE.get(unit, unit)


@dataclass(frozen=True, slots=True)
class Quantity:
    """One row of ``quantities.tsv``; ``units`` are factor and offset to ``unit`` by other units, in
    lower case; ``bare`` the bounds of a number of criteria without a unit, None where it is
    always of ``unit``; ``asked`` the names that count in criteria alone.
    """

    code: str
    title: str
    unit: str
    names: tuple[str, ...]
    least: float
    most: float
    bare: tuple[float, float] | None
    units: tuple[tuple[str, float, float], ...]
    asked: tuple[str, ...] = ()

    def value(self, said: str, unit: str) -> float | None:
        """A number in a unit as written, in this quantity's unit; None where it cannot be one."""
        number, unit = float(said), _alike(unit)
        if unit and unit != _alike(self.unit):
            known = [row for row in self.units if _alike(row[0]) == unit]
            if not known:
                return None
            number = round(number * known[0][1] + known[0][2], 2)
        return number if self.least <= number <= self.most else None

    def meant(self, said: str, unit: str) -> float | None:
        """A number of criteria; without a unit, and not as numbers of this unit are, in the other
        unit that it fits: a urate above 400 is of µmol/L.
        """
        if unit or self.bare is None or self.bare[0] <= float(said) <= self.bare[1]:
            return self.value(said, unit)
        others = {round(float(said) * factor + offset, 2) for _, factor, offset in self.units}
        fitting = [one for one in others if self.bare[0] <= one <= self.bare[1]]
        return fitting[0] if len(fitting) == 1 else self.value(said, unit)


@cache
def quantities() -> dict[str, Quantity]:
    """The quantities by their codes."""
    found = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            code, title, unit, names, least, most, bare, others = line.split("\t")
            units = tuple(
                (name, float(factor), float(offset))
                for other in others.split(";") if other != "-"
                for name, _, terms in [other.partition("=")]
                for factor, _, offset in [terms.partition("+")]
            )  # fmt: skip
            low, _, high = bare.partition(" ")
            bounds = (float(low), float(high)) if high else None
            own = tuple(name for name in names.split(";") if name[-1] != "*")
            asked = tuple(name[:-1] for name in names.split(";") if name[-1] == "*")
            found[code] = Quantity(
                code, title, unit, own, float(least), float(most), bounds, units, asked
            )
    return found


@cache
def named_quantities() -> dict[str, Quantity]:
    """The quantities by their names, in small letters."""
    return {name: one for one in quantities().values() for name in one.names}


@cache
def _asked_quantities() -> dict[str, Quantity]:
    """The quantities by all names that criteria may give a number of."""
    return {name: one for one in quantities().values() for name in (*one.names, *one.asked)}


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    units = "|".join(
        sorted(
            {re.escape(unit[0]) for one in quantities().values() for unit in one.units}
            | {re.escape(one.unit.lower()) for one in quantities().values() if one.unit != "-"}
            | set(map(re.escape, _ALIKE))
            | {r"ml/min/1\.73\s?m[2²]", r"x?\s?10[\^*e]?9\s?/l"},
            key=len,
            reverse=True,
        )
    )
    unit = rf"(?P<unit>\s*(?:{units})(?![\w/]))?"
    name, asked_name = (
        r"(?<![\w-])(?:(?:a|an|the|their|whose|latest|last|most recent|serum|fasting)\s+)*"
        rf"(?P<name>{_any_of(names)})(?![\w-])"
        for names in (named_quantities(), _asked_quantities())
    )
    asked = re.compile(
        rf"(?i){asked_name}(?P<ever>\s+ever)?{_SAYS}\s*(?:(?P<between>between|from)?\s*(?P<low>{_NUMBER})\s*%?\s*"
        rf"(?:to|-|–|and)\s*(?P<high>{_NUMBER})|(?:(?P<above>{_ABOVE})|(?P<below>{_BELOW})|(?P<least>{_LEAST})|"
        rf"(?P<most>{_MOST}))\s*(?P<one>{_NUMBER})|(?P<exact>{_NUMBER}))"
        rf"{unit}(?:(?P<more>{_OR_MORE})|(?P<less>{_OR_LESS}))?{_EVER}"
    )
    stated = re.compile(
        rf"(?i){name}(?:\s*\([^)\d\n]{{0,20}}\))?{_SAYS}(?:\s+(?:today|now|currently|stable|"
        rf"elevated|normal|low|high|raised)\b)*\s*(?:at|of|is|was|:|=)?\s*(?P<value>{_NUMBER})"
        rf"(?![\d/]|\.\d|-\d|\s*(?:to|-|–)\s*\d|\s?(?:years?|days?|weeks?|months?|mg|mcg|tab)\b){unit}"
    )
    return asked, stated


def _any_of(names: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(names, key=len, reverse=True)))


@cache
def _again() -> re.Pattern[str]:
    """A second bound of one quantity, without its name: "BMI >= 35, or >= 30 with asthma"."""
    names = _any_of(_asked_quantities())
    bound = rf"(?:{_LEAST}|{_MOST}|{_ABOVE}|{_BELOW})\s*{_NUMBER}(?![\d/])"
    return re.compile(
        rf"(?i)(?P<first>(?<![\w-])(?P<name>{names})(?![\w-]){_SAYS}\s*{bound}[^,;.()]{{0,12}}?,?\s+"
        rf"(?:or|and)\s+)(?={bound}(?!\s*-?\s*(?:years?|yrs?|y/?o|old)\b))"
    )


def with_values(text: str, put: Callable[[Form], str]) -> str:
    """A text of criteria with each bound of a measured value as what ``put`` gives for its form."""

    def one(match: re.Match[str]) -> str:
        form = _asked(match)
        return match[0] if form is None else f" {put(form)} "

    while (again := _again().sub(r"\g<first>\g<name> ", text)) != text:
        text = again
    return _patterns()[0].sub(one, _ASKED_PRESSURE.sub(lambda match: f" {put(_two(match))} ", text))


def _two(match: re.Match[str]) -> Form:
    """A bound of blood pressure as "140/90": above it is either, below it are both."""
    values = [("systolic", float(match["systolic"])), ("diastolic", float(match["diastolic"]))]
    strict = not (match["least"] or match["most"])
    if match["above"] or match["least"]:
        return Or(tuple(Value(code, value, None, strict=strict) for code, value in values))
    return And(tuple(Value(code, None, value, strict=strict) for code, value in values))


_ASKED_PRESSURE = re.compile(
    rf"(?i)\b(?:BP|blood pressure)\s*(?:is|was|of|reading)?\s*(?:(?P<above>{_ABOVE})|"
    rf"(?P<below>{_BELOW})|(?P<least>{_LEAST})|(?P<most>{_MOST}))\s*"
    r"(?P<systolic>\d{2,3})\s*/\s*(?P<diastolic>\d{2,3})\b(?:\s*mm\s?hg\b)?"
)


def _asked(match: re.Match[str]) -> Value | None:
    quantity = _asked_quantities()[match["name"].lower()]
    unit = (match["unit"] or "").strip()

    def number(group: str) -> float | None:
        return quantity.meant(match[group], unit) if match[group] else None

    when: When = "ever" if match["when"] or match["ever"] else "latest"
    if match["low"]:
        low, high = number("low"), number("high")
        told = low is not None and high is not None
        return Value(quantity.code, low, high, when) if told else None
    value = number("one") if match["one"] else number("exact")
    if value is None:
        return None
    if match["above"] or match["below"]:
        low, high = (value, None) if match["above"] else (None, value)
        return Value(quantity.code, low, high, when, strict=True)
    if match["least"] or match["more"]:
        return Value(quantity.code, value, None, when)
    if match["most"] or match["less"]:
        return Value(quantity.code, None, value, when)
    return Value(quantity.code, value, value, when)


_PRESSURE = re.compile(
    r"(?i)\b(?:BP|blood pressure)\b(?:\s*\([^)\d\n]{0,20}\))?"
    r"(?:\s*(?:[:=]|(?:is|was|of|at|today|reading|measured)\b))*\s*"
    r"(?P<systolic>\d{2,3})\s*/\s*(?P<diastolic>\d{2,3})\b"
)


def stated_quantities(text: str) -> Iterator[tuple[str, float, str, int, int]]:
    """Code, value, unit and place of each measured value that a text states."""
    for match in _PRESSURE.finditer(text):
        for code in ("systolic", "diastolic"):
            quantity = quantities()[code]
            if (value := quantity.value(match[code], "")) is not None:
                yield code, value, quantity.unit, *match.span()
    for match in _patterns()[1].finditer(text):
        quantity = named_quantities()[match["name"].lower()]
        value = quantity.value(match["value"], (match["unit"] or "").strip())
        if value is not None:
            yield quantity.code, value, quantity.unit, *match.span()


def said_quantity(form: Value) -> str:
    """A criterion of a measured value in words that `with_values` reads as the same."""
    quantity = quantities()[form.name]
    low, high = _plain(form.low), _plain(form.high)
    unit = "" if quantity.unit == "-" else f" {quantity.unit}"
    if form.low is not None and form.high is not None:
        bounds = low if low == high else f"{low} to {high}"
    elif form.low is not None:
        bounds = f"{'above' if form.strict else 'at least'} {low}"
    else:
        bounds = f"{'below' if form.strict else 'at most'} {high}"
    return f"{quantity.title} {bounds}{unit}" + (" ever" if form.when == "ever" else "")


def _plain(value: float | None) -> str:
    return "" if value is None else f"{value:.10g}"
