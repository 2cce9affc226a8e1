"""Units: units of measure, and the nouns after a number that say what was counted."""

from __future__ import annotations

import re

from clinfo.text.lexicon import either, words_of
from clinfo.text.regex import anycase, regex

NUMBER = "\ue000"
"""Stands for one number in a skeleton (`clinfo.text.figures`)."""

_SPELLINGS: dict[str, str] = {
    "mg": "mg|milligrams?",
    "g": "g|grams?",
    "kg": "kg|kilograms?",
    "µg": "µg|mcg|ug|mu g|micrograms?",
    "ng": "ng|nanograms?",
    "pg": "pg",
    "mL": "ml|millilit(?:er|re)s?",
    "dL": "dl",
    "L": "l|lit(?:er|re)s?",
    "mmol": "mmol",
    "µmol": "µmol|umol",
    "nmol": "nmol",
    "pmol": "pmol",
    "mol": "mol",
    "mEq": "meq",
    "IU": "iu|international units?",
    "U": "U|units?",
    "mm Hg": r"mm\s?hg",
    "cm": "cm|centimet(?:er|re)s?",
    "mm": "mm|millimet(?:er|re)s?",
    "m²": "m2|m²",
    "m": "m|met(?:er|re)s?",
    "km": "km|kilomet(?:er|re)s?",
    "kcal": "kcal|calories",
    "kJ": "kj",
    "Hz": "hz",
    "°C": "°c|° c|degrees celsius",
    "Gy": "gy",
    "kPa": "kpa",
    "bpm": "bpm|beats?(?: per minute|/min)",
    "hour": "hours?|hrs?|h",
    "minute": "minutes?|mins?",
    "second": "seconds?|secs?|s",
    "day": "days?|d",
    "week": "weeks?|wks?",
    "month": "months?|mos?",
    "year": "years?|yrs?|y",
    "person-year": r"(?:person|patient)[\s-]years?",
    "point": r"points?(?!\sto\b)",
}
_UNIT = "|".join(f"(?P<_{place}>{spelling})" for place, spelling in enumerate(_SPELLINGS.values()))
_ONE_LETTER_CASES = frozenset("glLUmshdy")
TIMES = frozenset(words_of("times", "units"))
DOSES = frozenset({"kg", "g", "mg", "µg", "ng", "mL", "IU", "U", "Gy", "mEq"})
"""Units in which doses are given, which nobody rounds."""
ANY_UNIT = "|".join(_SPELLINGS.values())
"""Every unit, for use inside a pattern that ignores case."""

_FIRST = anycase(rf"[\s-]?(?:{_UNIT})(?![^\W\d_]|-(?!old))")
_PER = anycase(rf"(?:\s?/\s?|\s(?:per|a|each|every)\s)(?:{_UNIT})(?!\w)")
_RATE = anycase(
    rf"(?:\s[a-z]+){{0,2}}\s?(?:per|/)\s?({NUMBER})\s((?:person|patient|woman|child)?[\s-]?[a-z]+)"
)
_ADVERB = anycase(r"(?:,?\s(?:once|twice|three times))?\s(daily|weekly|monthly)\b")
_ADVERBS = {"daily": "day", "weekly": "week", "monthly": "month"}

PERCENT = anycase(r"\s?%(?!\w)(?:\spoints?\b)?|[\s-]?per\s?cent(?:age)?\b(?:[\s-]points?\b)?")

_PERSONS = rf"{either('people', 'units')}|enrol+ees?"
_STUDIES = (
    "trials?|stud(?:y|ies)|rcts?|reviews?|meta-?\\s?analys[ei]s|articles?|publications?|reports?|"
    "papers?|"
    "experiments?|surveys?|guidelines?|records?|citations?|references?"
)
_NO_ADJECTIVE = (
    "of|in|for|and|to|with|the|or|per|than|vs|versus|were|was|had|have|has|by|from|at|on|among|as|"
    "who|that|which|is|are|did|not|"
    "identified|included|yielded|met|after|before|during|between|within|when|while|but|if|times|a|"
    "an|respectively|received|all|"
    "both|each|arm|group|groups"
)
_COUNTED = anycase(
    r"(?:\s(?:different\s)?of\s(?:the|these|those|"
    rf"our)\b)?(?:[\s-](?!(?:{_NO_ADJECTIVE})\b)[A-Za-z{NUMBER}\ue001/]{{1,30}},?)"
    r"{0,6}?"
    rf"\s(?:(?P<person>{_PERSONS})|(?P<study>{_STUDIES})(?!\s(?:{_PERSONS})\b))\b(?!-)"
)
_NO_PLURAL = (
    "was|has|is|as|this|thus|plus|less|vs|its|does|versus|times|perhaps|unless|gives|points|speaks|"
    "supports|shows|finds|bears|"
    "answers|"
    "suggests|indicates|favou?rs|contradicts|agrees|remains|needs|seems|means|leaves|concludes"
)
_PLURAL = regex(rf"\s(?P<noun>(?!(?:{_NO_PLURAL})\b)[a-z]{{3,}}s)\b(?!-)")


def unit_after(skeleton: str, at: int) -> tuple[str, int] | None:
    """The unit that starts at ``at`` in its normal form ("mg/day") and where it ends; None where no
    unit stands there.
    """
    first = _FIRST.match(skeleton, at)
    if first is None:
        return None
    unit, end = _name(first), first.end()
    if unit is None:
        return None
    while (per := _PER.match(skeleton, end)) is not None:
        below = _name(per)
        if below is None:
            break
        unit, end = f"{unit}/{below}", per.end()
    adverb = _ADVERB.match(skeleton, end)
    if adverb is not None and unit not in TIMES:
        unit, end = f"{unit}/{_ADVERBS[adverb[1].lower()]}", adverb.end()
    return unit, end


def rate_after(skeleton: str, at: int) -> tuple[int, str, int] | None:
    """(place of the second number, what it counts, end) of "… per 1000 person-years" at ``at``."""
    rate = _RATE.match(skeleton, at)
    return (
        None
        if rate is None
        else (
            rate.start(1),
            re.sub(r"s\Z", "", rate[2].lower().strip().replace(" ", "-")),
            rate.end(),
        )
    )


def counted_after(skeleton: str, at: int) -> tuple[str, int] | None:
    """Return what is counted from ``at`` on: ("participants", end), ("studies", end) or another
    plural noun; None where nothing is.
    """
    found = _COUNTED.match(skeleton, at)
    if found is not None:
        return ("participants" if found["person"] else "studies"), found.end()
    plural = _PLURAL.match(skeleton, at)
    return None if plural is None else (plural["noun"], plural.end())


def _name(match: re.Match[str]) -> str | None:
    """The normal form of the unit found; one letter counts only in its usual case."""
    written = match[int(match.lastindex or 0)]
    if len(written) == 1 and written not in _ONE_LETTER_CASES:
        return None
    return next(name for place, name in enumerate(_SPELLINGS) if match[f"_{place}"] is not None)
