"""Parses cells of the evidence table so that two of them can be compared: doses, lengths of time,
people.
"""

from __future__ import annotations

import re

from clinfo.lazy_dataclass import dataclass
from clinfo.text.lexicon import either
from clinfo.text.numerals import plain
from clinfo.text.regex import anycase, regex
from clinfo.text.terms import is_content, stem, weight, words

_LONGEST_READ = 2_000
_NUMBER = r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?![\d,])|(?<![\w.,])\d{1,7}(?:\.\d{1,4})?"
_MASS = {
    "µg": 0.001,
    "mcg": 0.001,
    "ug": 0.001,
    "microgram": 0.001,
    "mg": 1.0,
    "milligram": 1.0,
    "g": 1000.0,
    "gram": 1000.0,
}
_KEPT_UNITS = {
    "iu": "IU",
    "international unit": "IU",
    "unit": "U",
    "u": "U",
    "ml": "mL",
    "mmol": "mmol",
    "meq": "mEq",
    "ng": "ng",
    "kcal": "kcal",
    "gy": "Gy",
    "cgy": "cGy",
    "ppm": "ppm",
    "%": "%",
    "cigarette": "cigarettes",
    "cup": "cups",
    "session": "sessions",
    "step": "steps",
}
_DOSE = anycase(
    rf"(?P<low>{_NUMBER})(?:\s?(?:-|to|or|and|/)\s?(?P<high>{_NUMBER}))?[\s-]?"
    rf"(?P<unit>{'|'.join(sorted((*_MASS, *_KEPT_UNITS), key=len, reverse=True))})s?(?![a-z])"
    r"(?P<per>\s?/\s?(?:kg|m2|m²|day|d|week|wk|month|h|hour|min)\b|\s(?:per|a|each|every)\s(?:kg|"
    r"day|week|month|hour)\b"
    r"|\s(?:daily|weekly|monthly)\b)?"
)
_PER = {
    "d": "day",
    "wk": "week",
    "h": "hour",
    "m²": "m2",
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
}
_STRENGTH = anycase(r"\b(high|low|standard)[\s-](?:dos(?:e|age)|intensity)")

_DAYS = {"hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.4, "year": 365.25}
_TIME = anycase(
    rf"(?P<low>{_NUMBER})(?:\s?(?:-|to|or|and)\s?(?P<high>{_NUMBER}))?[\s"
    rf"-]?(?P<unit>{either('times', 'stated')})(?![a-z])"
)
_WORD_TIME = anycase(rf"\b({either('numerals', 'times')})[\s-]({either('times', 'in_words')})\b")
_WORDS = {
    "one": 1.0,
    "two": 2.0,
    "three": 3.0,
    "four": 4.0,
    "five": 5.0,
    "six": 6.0,
    "seven": 7.0,
    "eight": 8.0,
    "nine": 9.0,
    "ten": 10.0,
    "twelve": 12.0,
}
_AGE = regex(
    r"(?:aged?|ages|older than|younger than|over|under)\s[^,;.]{0,40}|\d\s?-?(?:years?|"
    r"months?)[\s-](?:old|of age)"
)


@dataclass(frozen=True)
class Dose:
    """A stated amount: milligrams where it is a mass, else its own unit; ``per`` names kg, day …,
    "" where it does not say.
    """

    low: float
    high: float
    unit: str
    per: str
    text: str

    def alike(self, other: Dose) -> bool:
        """Return whether it may be the other amount: the same kind of unit, and ranges that
        meet.
        """
        return (
            self.unit == other.unit
            and self.low <= other.high * 1.02
            and other.low <= self.high * 1.02
        )

    def comparable(self, other: Dose) -> bool:
        """Return whether the two are of one kind: same unit, and both per the same or one of them
        unsaid.
        """
        return self.unit == other.unit and (self.per == other.per or not (self.per and other.per))


def doses(text: str) -> tuple[Dose, ...]:
    """The amounts stated in the words for an intervention, in order; a concentration in % counts as
    one.
    """
    found = []
    for match in _DOSE.finditer(_read(text)):
        unit, per = (
            match["unit"].lower(),
            re.sub(r"^\s?(?:/|per|a|each|every)\s?", "", (match["per"] or "").strip().lower()),
        )
        factor = _MASS.get(unit, 1.0)
        low = _value(match["low"]) * factor
        high = _value(match["high"]) * factor if match["high"] else low
        name = "mg" if unit in _MASS else _KEPT_UNITS[unit]
        found.append(
            Dose(min(low, high), max(low, high), name, _PER.get(per, per), match.group().strip())
        )
    return tuple(found)


def intensity(text: str) -> frozenset[str]:
    """ "high", "low", "standard" where the text speaks of such a dose or intensity."""
    return frozenset(match[1].lower() for match in _STRENGTH.finditer(_read(text)))


def days(text: str) -> tuple[float, float] | None:
    """The shortest and longest time stated, in days (months of 30.4, years of 365.25); None without
    one. Ages are passed over.
    """
    read = _AGE.sub(" ", _read(text))
    lengths: list[float] = []
    for match in _TIME.finditer(read):
        unit = _unit_of_time(match["unit"].lower())
        lengths += [_value(each) * _DAYS[unit] for each in (match["low"], match["high"]) if each]
    lengths += [
        _WORDS[match[1].lower()] * _DAYS[_unit_of_time(match[2].lower())]
        for match in _WORD_TIME.finditer(read)
    ]
    return (min(lengths), max(lengths)) if lengths else None


def _unit_of_time(unit: str) -> str:
    start = unit[:2]
    return (
        "month"
        if start in ("mo", "mt")
        else {"h": "hour", "d": "day", "w": "week", "y": "year"}[unit[0]]
    )


_PEOPLE = (
    (
        "animals",
        (
            r"\b(?:mice|mouse|murine|rats?|rabbits?|pigs?|piglets?|dogs?|canines?|monkeys?|"
            r"macaques?|hamsters?|zebrafish|"
            r"sheep|lambs?|rodents?|drosophila)\b|\banimal (?:models?|stud(?:y|ies))\b"
        ),
    ),
    ("cells or tissue", r"\bin vitro\b|\bcell lines?\b|\bcultured (?:\w+ )?cells\b|\bex vivo\b"),
    ("newborns", r"\b(?:newborns?|neonat(?:es?|al)|preterm infants?|premature infants?)\b"),
    (
        "children",
        (
            r"\b(?:child(?:ren)?|p(?:a)?ediatric|infants?|toddlers?|adolescents?|teenagers?|"
            r"schoolchildren|boys|girls|newborns?|"
            r"neonat(?:es?|al)|kids|youths?)\b"
        ),
    ),
    ("pregnant women", r"\b(?:pregnant|pregnanc(?:y|ies)|antenatal|gestational)\b"),
    (
        "older people",
        (
            r"\b(?:elderly|older (?:adults?|people|persons?|patients?|men|women)|geriatric|nursing "
            r"home)\b"
        ),
    ),
    (
        "adults",
        (
            r"\b(?:adults?|elderly|geriatric|postmenopausal|older (?:people|persons?|patients?|men|"
            r"women)|middle-aged)\b"
        ),
    ),
    ("men", r"\b(?:men|males?)\b"),
    ("women", r"\b(?:women|females?|postmenopausal|pregnant)\b"),
    (
        "healthy volunteers",
        (
            r"\bhealthy (?:\w+ )?(?:volunteers?|subjects?|adults?|participants?|men|women|"
            r"individuals?|people)\b"
        ),
    ),
    ("type 1 diabetes", r"\btype (?:1|I|one) (?:diabet\w+|DM)\b|\bT1DM?\b"),
    ("type 2 diabetes", r"\btype (?:2|II|two) (?:diabet\w+|DM)\b|\bT2DM?\b"),
)
_PEOPLE_PATTERNS = tuple((name, anycase(pattern)) for name, pattern in _PEOPLE)
OPPOSED_PEOPLE = (
    frozenset({"children", "adults"}),
    frozenset({"men", "women"}),
    frozenset({"type 1 diabetes", "type 2 diabetes"}),
)
"""Kinds of people of whom one is not the other: a text that names one of a pair only speaks of that
one.
"""


def people(text: str) -> frozenset[str]:
    """The kinds of people (or animals) that a text names."""
    return frozenset(
        name for name, pattern in _PEOPLE_PATTERNS if pattern.search(text[:_LONGEST_READ])
    )


def others(asked: frozenset[str], studied: frozenset[str]) -> frozenset[str]:
    """Return what is ``studied`` and clearly not what is ``asked``, both as `people` reads them;
    nothing where either may hold both.
    """
    found: set[str] = {
        name
        for name in ("animals", "cells or tissue")
        if name in studied and not asked & {"animals", "cells or tissue"}
    }
    for pair in OPPOSED_PEOPLE:
        wanted, given = asked & pair, studied & pair
        if len(wanted) == 1 and len(given) == 1 and wanted != given:
            found |= given
    return frozenset(found)


def named(text: str) -> frozenset[str]:
    """The stems of the words that name something: no function words, none that stand in every
    clinical article, no people.
    """
    content = (
        word for word in words(text[:_LONGEST_READ]) if is_content(word) and not word.isdigit()
    )
    return frozenset(stem(word) for word in content if weight(word) > 0.4)


def _read(text: str) -> str:
    return plain(text[:_LONGEST_READ])


def _value(number: str) -> float:
    return float(number.replace(",", ""))
