"""What is measured as a number: its names, units and limits (``quantities.tsv``), and the values
that a text states of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("quantities.tsv")
_NUMBER = r"[-−–]?\d{1,6}(?:\.\d+)?"
_SAYS = r"(?:\s*(?:[,:=]|(?:is|was|of|at|has been|measured|reading|level|values?)\b))*"
_PRESSURE = re.compile(
    r"(?i)\b(?:BP|blood pressure)\b(?:\s*\([^)\d\n]{0,20}\))?"
    r"(?:\s*(?:[:=]|(?:is|was|of|at|today|reading|measured)\b))*\s*"
    r"(?P<systolic>\d{2,3})\s*/\s*(?P<diastolic>\d{2,3})\b"
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
    lower case; ``asked`` the names that count in queries alone.
    """

    code: str
    title: str
    unit: str
    names: tuple[str, ...]
    least: float
    most: float
    units: tuple[tuple[str, float, float], ...]
    asked: tuple[str, ...] = ()

    def value(self, said: str, unit: str) -> float | None:
        """A number in a unit as written, in this quantity's unit; None where it cannot be one."""
        number, unit = float(said.replace("−", "-").replace("–", "-")), _alike(unit)
        if unit and unit != _alike(self.unit):
            known = [row for row in self.units if _alike(row[0]) == unit]
            if not known:
                return None
            number = round(number * known[0][1] + known[0][2], 2)
        return number if self.least <= number <= self.most else None

    @property
    def glossed(self) -> str:
        """The quantity and its unit, for a reader."""
        return self.title if self.unit == "-" else f"{self.title}, {self.unit}"


@cache
def quantities() -> dict[str, Quantity]:
    """The quantities by their codes."""
    found = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            code, title, unit, names, least, most, others = line.split("\t")
            units = tuple(
                (name, float(factor), float(offset))
                for other in others.split(";") if other != "-"
                for name, _, terms in [other.partition("=")]
                for factor, _, offset in [terms.partition("+")]
            )  # fmt: skip
            own = tuple(name for name in names.split(";") if name[-1] != "*")
            asked = tuple(name[:-1] for name in names.split(";") if name[-1] == "*")
            found[code] = Quantity(code, title, unit, own, float(least), float(most), units, asked)
    return found


@cache
def named_quantities() -> dict[str, Quantity]:
    """The quantities by their codes and all names, in small letters but for those that count only
    as they are written (Mg, which mg is not).
    """
    return {
        name: one
        for one in quantities().values()
        for name in (one.code, one.title.lower(), *one.names, *one.asked)
    }


def quantity_named(name: str) -> Quantity | None:
    """The quantity of a whole name, which as such counts in capitals too ("NA" in a table)."""
    known, said = named_quantities(), " ".join(name.split())
    forms = (said, said.lower(), said.capitalize(), said.upper())
    return next((known[form] for form in forms if form in known), None)


@cache
def _names() -> str:
    every = {name for one in quantities().values() for name in (*one.names, *one.asked)}
    return "|".join(
        re.escape(one) if one.islower() else f"(?-i:{re.escape(one)})"
        for one in sorted(every, key=lambda one: (-len(one), one))
    )


@cache
def _stated() -> re.Pattern[str]:
    every = quantities().values()
    units = {re.escape(unit[0]) for one in every for unit in one.units}
    units |= {re.escape(one.unit.lower()) for one in every if one.unit != "-"}
    units |= {*map(re.escape, _ALIKE), r"ml/min/1\.73\s?m[2²]", r"x?\s?10[\^*e]?9\s?/l"}
    unit = "|".join(sorted(units, key=len, reverse=True))
    return re.compile(
        rf"(?i)(?<![\w-])(?P<name>{_names()})(?![\w-])(?:\s*\([^)\d\n]{{0,20}}\))?{_SAYS}"
        r"(?:\s+(?:today|now|currently|stable|elevated|normal|low|high|raised)\b)*"
        rf"\s*(?:at|of|is|was|:|=)?\s*(?P<value>{_NUMBER})(?![\d/]|\.\d|-\d|\s*(?:to|-|–)\s*\d|"
        rf"\s?(?:(?:years?|days?|weeks?|months?|tab)\b|(?:mg|mcg|g|meq|mmol)\b(?![/%])))"
        rf"(?P<unit>\s*(?:{unit})(?![\w/]))?"
    )


@dataclass(frozen=True, slots=True)
class Stated:
    """A value that a text states at [start, end), in the unit of its quantity; ``sure`` where the
    text gives a unit, or none is needed to know it. The name is text[start:named].
    """

    quantity: Quantity
    value: float
    start: int
    named: int
    end: int
    sure: bool = True


def stated_quantities(text: str) -> Iterator[Stated]:
    """The values that a text states."""
    for match in _PRESSURE.finditer(text):
        for code in ("systolic", "diastolic"):
            one, value = quantities()[code], float(match[code])
            if one.least <= value <= one.most:
                yield Stated(one, value, match.start(), match.end(), match.end())
    for match in _stated().finditer(text):
        name, unit = match["name"], (match["unit"] or "").strip()
        one = named_quantities().get(name) or named_quantities()[name.lower()]
        if (found := one.value(match["value"], unit)) is not None:
            sure = bool(unit) or not {name, name.lower()} & {*one.asked}
            yield Stated(one, found, match.start(), match.end("name"), match.end(), sure)


def names_in(text: str) -> Iterator[tuple[Quantity, str]]:
    """The quantities that a text names, with these names, whether or not a value follows."""
    for match in re.finditer(rf"(?i)(?<![\w-])(?P<name>{_names()})(?![\w-])", text):
        name = match["name"]
        yield named_quantities().get(name) or named_quantities()[name.lower()], name
