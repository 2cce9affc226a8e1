"""What is measured as a number: its names, units and limits (``quantities.tsv``), and the values
that a text states of it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from unicodedata import normalize

from clinfo.text.lexicon import read_rows

FILE = Path(__file__).with_name("quantities.tsv")
_NUMBER = r"[-−–]?(?:\d{1,3}(?:,\d{3})+|\d{1,6}(?:\.\d+|,\d{1,2})?)"
_PER = r"\s?(?:[uµμ]l|mcl|mm3|min|l)\b"
_DATE = r"(?:\d{1,4}[./-]\d{1,2}[./-]\d{2,4}|\d{1,2}/\d{4})(?![\d/])"
_BRACKET = (
    rf"(?:\s*\([^)\d\n]{{0,20}}\)|\s*[(\[][^)\]\n]{{0,30}}(?:[<>≤≥]\s?\d|\d\s?[-–/]\s?\d|\d\.\d+\.\d)"
    rf"[^)\]\n]{{0,30}}[)\]](?=\s*[:=]?\s*{_NUMBER}))?"
)
"""What is written in brackets before a value: a unit or kind, a day, a range, a goal."""
_SAYS = (
    r"(?:\s*(?:[,:=]|(?:is|was|of|at|has been|measured|reading|level|values?)\b)|"
    rf"[^\S\n]*(?:(?:on|from)\s+)?{_DATE})*"
)
_ARROW = r"(?:[-=–—]*>+|→|⇒|➔|➜)"
_CHANGED = (
    r"(?:\s+(?:up|down|back|rose|risen|fell|fallen|dropped|decreased|increased|improved|worsened|"
    rf"declined)\b)*(?:(?:\s+from\s+{_NUMBER}(?:\s*{{unit}})?)?\s+to\b|"
    rf"(?:\s*{_NUMBER}(?:\s*{{unit}})?\s*{_ARROW})+)?"
)
"""How a value came to be: "fell from 9.1 to 7.2", "1.1 -> 1.7"; the last counts."""
_OTHER_UNIT = r"\s?[a-zµμ]{1,5}/(?:d?l|ml|[uµμ]l|dl|kg|g|mol|mmol|h|hr|min|day|d)\b"
_PRESSURE = re.compile(
    r"(?i)\b(?:BP|blood pressure)\b(?:\s*\([^)\d\n]{0,20}\))?"
    r"(?:\s*(?:[:=]|(?:is|was|of|at|today|reading|measured)\b))*\s*"
    r"(?P<systolic>\d{2,3})\s*/\s*(?P<diastolic>\d{2,3})\b"
)
_ALIKE: Mapping[str, str] = {
    "percent": "%", "vol%": "%", "kg/m^2": "kg/m2", "kg/m*2": "kg/m2", "mm hg": "mmhg",
    "mm[hg]": "mmhg", "degrees": "°c", "degrees c": "°c", "deg c": "°c", "cel": "°c", "c": "°c",
    "celsius": "°c", "degrees f": "°f", "deg f": "°f", "[degf]": "°f", "f": "°f",
    "fahrenheit": "°f", "ug/l": "ng/ml", "mcg/l": "ng/ml", "ng/l": "pg/ml", "ug/ml": "mg/l",
    "mcg/ml": "mg/l", "ug/mg": "mg/g", "mcg/mg": "mg/g", "mg/100ml": "mg/dl", "mg%": "mg/dl",
    "g%": "g/dl", "g/100ml": "g/dl", "gm/dl": "g/dl", "gms/dl": "g/dl", "iu/l": "u/l",
    "units/l": "u/l", "[iu]/l": "u/l", "mu/l": "miu/l", "m[iu]/l": "miu/l", "uiu/ml": "miu/l",
    "u[iu]/ml": "miu/l", "mcu/ml": "miu/l", "uu/ml": "miu/l",
    "cells/cumm": "cells/ul", "mcmol/l": "umol/l", "micromol/l": "umol/l", "msec": "ms",
    "beats/min": "/min", "bpm": "/min", "breaths/min": "/min", "resp/min": "/min",
    "1/min": "/min", "kgs": "kg", "[lb_av]": "lb", "lbs": "lb", "pounds": "lb", "iu/ml": "u/ml",
    "[iu]/ml": "u/ml", "ku/l": "u/ml", "ml/min/{1.73_m2}": "ml/min/1.73m2",
    "ml/min/1.73m^2": "ml/min/1.73m2", "ml/min/1.73sqm": "ml/min/1.73m2",
    "ml/min/1.73": "ml/min/1.73m2", "ratio": "", "1": "", "score": "", "points": "", "inr": "",
}  # fmt: skip
"""Units as they are also written, in small letters, and one of each."""
_COUNT = (
    r"(?:(?:[x×]\s?)?10(?:\*\*|[*^e])?(?P<power>[369])|(?P<thousand>k|thou|tsd\.?)|cells|#|1)?\s?/\s?"
    r"(?P<of>l|ul|mcl|nl|mm3|mm\^3|cmm|cumm)"
)
"""Numbers of cells, of any number, in a volume."""
_SI = r"[dcmuµμnpfk]?(?:g|l|m|mol|eq|s|sec|min|h|d|u|iu|au|kat|osm|pa|m\s?hg|cel)|[x×]?\s?10\S*|k|%"
_PER_LITRE = {"l": 0, "nl": 9}
_CELLS = {6: "cells/ul", 9: "10^9/l"}
_SPELT = {unit.replace(" ", ""): one for unit, one in _ALIKE.items()}


def _alike(unit: str) -> str:
    """A unit as written, in one of its spellings; what braces add in UCUM says no other unit."""
    unit = normalize("NFKC", unit).lower().replace("μ", "u")
    unit = re.sub(r"(?<!/)\{[^}]*\}| creat\w*$|(?<=/min)utes?$|(?<=/h)(?:ou)?r$", "", unit)
    if count := re.fullmatch(_COUNT, unit.strip()):
        power = 3 if count["thousand"] else int(count["power"] or 0)
        return _CELLS.get(power + _PER_LITRE.get(count["of"], 6), unit)
    plain = unit.replace(" ", "")
    return _SPELT.get(plain, plain)


_SPECIMEN = re.compile(
    r" ?\[[^\]]*\]| in (?:(?:serum|plasma|blood|or|arterial|venous|capillary|whole|peripheral|"
    r"specimen|sample)\b[ ,/]*)+(?: by .*)?$"
)
_IDLE = frozenset(
    ("lvl", "level", "hs", "serum", "plasma", "blood", "calc", "calculated", "measured", "total")
)
"""What a name of LOINC and of a laboratory has beside that of the quantity in the blood."""


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

    def value(self, said: str, unit: str, exactly: bool = False) -> float | None:
        """A number in a unit as written, in this quantity's unit; None where it cannot be one, or
        the unit is not given and has to be ``exactly``.
        """
        said = re.sub(r"(?<!\b0),(?=\d{3}\b)", "", said).replace(",", ".")
        number = float(said.replace("−", "-").replace("–", "-"))
        unit = _alike(unit)
        if exactly and bool(unit) == (self.unit == "-"):
            return None
        others = {_alike(name): terms for name, *terms in self.units}
        if not unit and not self.least <= number <= self.most:  # 42,000 platelets, Hb 98
            fitting = [one for one in others if self.value(said, one) is not None]
            unit = fitting[0] if len(fitting) == 1 else ""
        if unit and unit != _alike(self.unit):
            if unit not in others:
                return None
            factor, offset = others[unit]
            number = round(number * factor + offset, 2)
        return number if self.least <= number <= self.most else None

    @property
    def glossed(self) -> str:
        """The quantity and its unit, for a reader."""
        return self.title if self.unit == "-" else f"{self.title}, {self.unit}"


@cache
def quantities() -> dict[str, Quantity]:
    """The quantities by their codes."""
    found = {}
    for code, title, unit, names, least, most, others in read_rows(FILE, 7):
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


def is_blood(specimen: str) -> bool:
    """Return whether a specimen is blood, or a part of it, that quantities are measured in."""
    return _SPECIMEN.fullmatch(f" in {specimen.lower()}") is not None


def quantity_named(name: str) -> Quantity | None:
    """The quantity of a whole name, which as such counts in capitals too ("NA" in a table), and as
    LOINC and laboratories write it ("Glucose [Mass/volume] in Serum or Plasma", "Troponin I, hs").
    """
    known, said = named_quantities(), " ".join(name.split())
    told = (word.strip(",()") for word in _SPECIMEN.sub("", said.lower()).split())
    plain = " ".join(word for word in told if word and word not in _IDLE)
    forms = (said, said.lower(), said.capitalize(), said.upper(), plain, f"{plain} level")
    return next((known[form] for form in forms if form in known), None)


@cache
def _names() -> str:
    every = {name for one in quantities().values() for name in (*one.names, *one.asked)}
    return "|".join(
        re.escape(one) if one.islower() else f"(?-i:{re.escape(one)})"
        for one in sorted(every, key=lambda one: (-len(one), one))
    )


@cache
def _units() -> str:
    every = quantities().values()
    units = {re.escape(row[0]) for one in every for row in one.units}
    units |= {re.escape(one) for one in _ALIKE if one[0] not in "1cf"}
    units |= {re.escape(one.unit.lower()) for one in every if one.unit != "-"}
    units |= {r"[cf]", r"ml/min/1\.73\s?m[2²]", re.sub(r"\?P<\w+>", "?:", _COUNT)}
    return "|".join(one.replace("u", "[uµμ]") for one in sorted(units, key=len, reverse=True))


def is_unit(text: str) -> bool:
    """Return whether words are built like a unit: of one known here, or of SI, by another one."""
    return re.fullmatch(rf"(?i)(?:{_units()}|{_SI})?(?:/.+)?", text.strip()) is not None


@cache
def _stated() -> re.Pattern[str]:
    unit = _units()
    return re.compile(
        rf"(?i)(?<![\w-])(?P<name>{_names()})(?![\w-]){_BRACKET}{_SAYS}"
        r"(?:\s+(?:today|now|currently|stable|elevated|normal|low|high|raised)\b)*"
        rf"{_CHANGED.replace('{unit}', f'(?:{unit})')}"
        rf"\s*(?:(?:at|of|is|was|:|=)\s*)?\(?(?P<value>{_NUMBER})(?!\d|/(?!{_PER})|[.,]\d|-\d|"
        rf"\s*(?:to|-|–)\s*\d|\s*{_ARROW}|\s?(?:(?:years?|days?|weeks?|months?|tab(?:let)?s?)\b|(?:mg|mcg|g|meq|mmol)\b(?![/%])))"
        rf"(?P<unit>\s*(?:{unit})(?![\w/]))?(?!{_OTHER_UNIT}|\s*(?:to|{_ARROW})\s*\d)"
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


def name_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where a text names a quantity, whether or not a value follows."""
    for match in re.finditer(rf"(?i)(?<![\w-])(?P<name>{_names()})(?![\w-])", text):
        yield match.span()


def names_in(text: str) -> Iterator[tuple[Quantity, str]]:
    """The quantities that a text names, with these names."""
    for name in (text[start:end] for start, end in name_spans(text)):
        yield named_quantities().get(name) or named_quantities()[name.lower()], name
