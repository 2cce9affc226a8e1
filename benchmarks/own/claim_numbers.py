"""Falsified context of a number: by and to, the sides of from and to, the unit, the noun counted,
the time.

The number itself stays. What is put in its place stands with that number nowhere in title or
abstract.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from benchmarks.own.claim_figures import Edited
from clinfo.records.articles import Article

_NUMBER = r"[-−–]?\d+(?:[.,·]\d+)*"
_SPREAD = r"(?: ?(?:±|\+/-) ?\d+(?:[.·]\d+)?| ?\((?:SDs?|SE|SEM|IQR|range|[-+±/:,.;–\d% ])+\))?"
_UNIT = (
    r"(?:[ -]?(?:%|per ?cent|points?|mg/dL|mg/dl|mmol/L|mmol/l|mm ?Hg|mg|g|kg|mL|ml|cm|mm|cases|"
    r"patients|min|minutes))?"
)
_CHANGE = (
    r"\b(?:increas\w*|decreas\w*|reduc\w*|declin\w*|improv\w*|rose|ris(?:es?|ing|en)|fell|fall(?:s|"
    r"en)?|drop\w*|lower(?:ed|ing|s)|"
    r"grew|gain\w*|lost|elevat\w*|rais(?:ed|es|e)|diminish\w*|worsen\w*|shorten\w*|prolong\w*|"
    r"chang(?:ed|es|e)|cut)\b"
)
_BETWEEN = r"(?:(?!\b(?:by|to|from|than|at|in|and|or|with)\b)[^.;,()]){0,70}?"
_NO_TIME = r"(?![\d-]|\.\d)(?! ?(?:-?fold|times|weeks?|months?|years?|days?|hours?|h|to|of)\b)"
_ABOUT = (
    r"(?:(?:an? )?(?:average|mean|median|about|approximately|nearly|almost|more than) (?:of )?)?"
)
_BY = re.compile(rf"{_CHANGE}{_BETWEEN}\b(by) {_ABOUT}{_NUMBER}{_NO_TIME}", re.I)
_TO = re.compile(
    (
        rf"{_CHANGE}{_BETWEEN}(?<!due )(?<!up )(?<!compared )(?<!related )(?<!equivalent )(?<!\d "
        rf")\b(to) {_ABOUT}{_NUMBER}{_NO_TIME}"
    ),
    re.I,
)
_FROM_TO = re.compile(
    (
        r"\bfrom ((?:a (?:mean|median|baseline)[a-z ]{0,12} of "
        rf")?)({_NUMBER}{_UNIT}{_SPREAD})((?: at [a-z]+| before [a-z]+)?) "
        rf"to ({_NUMBER}{_UNIT}{_SPREAD})(?![\d.]*\d| ?(?:weeks?|months?|years?|days?|hours?|years "
        r"of age)\b)"
    ),
    re.I,
)
_BOUND = re.compile(
    r"(?:\b(?:CI|confidence interval)[^()]{0,4}|(?:\b(?:than|least|most|over|up to)|[<>≤≥=]) ?)$"
)
"""A bound before a number may hold in another unit as well."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_RANGE = re.compile(
    (
        r"\b(?:rang\w+|varied|varies|vary|aged?|between|CI|confidence|odds|scale|increments?|"
        r"moderate|dose[sd]?)\b[^;,]{0,40}$"
    ),
    re.I,
)

_PERCENT = r"(?:%|per ?cent)"
UNITS: dict[str, tuple[str, ...]] = {
    r"mm ?Hg": ("kPa", "cmH2O"),
    r"mg/d[Ll]": ("mmol/L", "g/L"),
    r"mmol/[Ll]": ("mg/dL", "mol/L"),
    r"g/d[Ll]": ("g/L", "mg/dL"),
    r"ng/m[Ll]": ("mg/mL", "µg/mL"),
    r"mg/kg": ("g/kg", "µg/kg"),
    r"mg/day": ("g/day", "µg/day"),
    r"(?:µg|μg|mcg|microg)": ("mg", "g"),
    r"mg": ("g", "µg"),
    r"g": ("mg", "kg"),
    r"kg": ("g", "lb"),
    r"m[Ll]": ("L", "dL"),
    r"cm": ("mm", "m"),
    r"mm": ("cm", "m"),
    r"kcal": ("kJ", "cal"),
    r"IU": ("mg", "g"),
    r"minutes?": ("hours", "seconds"),
    r"min": ("h", "s"),
    r"hours?": ("days", "minutes"),
    r"h": ("min", "days"),
    r"days?": ("weeks", "hours"),
    r"weeks?": ("months", "days"),
    r"months?": ("weeks", "years"),
    r"years?": ("months", "weeks"),
    r"points?": ("%", "standard deviations"),
    _PERCENT: ("per 1000", "per 10,000"),
}
"""A unit (as a pattern) and others that make the number say something else."""
_SINGULAR = ("minute", "hour", "day", "week", "month", "year", "point")
_PERCENT_TAKEN = 0.3
"""Share taken of the sentences that have no unit but %, which would make up most of the kind."""
_UNIT_END = r"(?![\w/%²³^·]|-\w|\.\d| ?(?:CI\b|confidence))"
_UNIT_HERE = re.compile(
    rf"(?<![\w.,-])({_NUMBER})([ -]?)({'|'.join(sorted(UNITS, key=len, reverse=True))}){_UNIT_END}"
)

PEOPLE = (
    "patients",
    "participants",
    "subjects",
    "women",
    "men",
    "children",
    "adults",
    "individuals",
    "people",
    "volunteers",
    "infants",
    "girls",
    "boys",
    "adolescents",
    "students",
    "persons",
)
_COUNTED = (
    (" ".join(PEOPLE), "hospitals visits admissions events"),
    ("cases", "hospitals deaths countries"),
    ("deaths", "admissions strokes relapses"),
    ("events episodes relapses recurrences infections complications reactions", "deaths patients"),
    ("admissions hospitalizations hospitalisations readmissions visits", "deaths patients"),
    ("studies trials RCTs articles", "patients hospitals countries"),
    ("eyes knees hips teeth lesions implants fractures tumors tumours", "patients hospitals"),
    ("pregnancies births deliveries embryos oocytes", "miscarriages women"),
    ("hospitals centers centres countries schools clinics", "patients physicians"),
    ("samples specimens isolates strains", "patients hospitals"),
    ("nurses physicians doctors surgeons", "patients hospitals"),
)
"""Nouns that abstracts count, and nouns that the same number does not count."""
COUNTED = {noun: tuple(others.split()) for nouns, others in _COUNTED for noun in nouns.split()}
_NO_ADJECTIVE = (
    r"(?:are|was|were|is|in|and|or|to|on|from|than|by|with|for|as|at|vs|versus|had|have|more|fewer|"
    r"less|only)\b"
)
_COUNTED_HERE = re.compile(
    rf"(?<![\w.,/-])(?<!group \d and )(?<!groups \d and )({_NUMBER}(?: ?%| ?per ?cent)?(?: "
    r"\(\d[^()]{0,12}\))?) "
    rf"((?:of )?(?:the |all )?(?:(?!{_NO_ADJECTIVE})[a-z]+ "
    rf")?)({'|'.join(sorted(COUNTED, key=len, reverse=True))})(?![\w-])"
)

_WORDS = {
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "twelve": 12,
}
_NAMES = {number: word for word, number in _WORDS.items()}
_TIME = re.compile(
    r"\b(?P<at>at|after|by|within|over|for|until|through|to|of|the|a|first|day|week|month) "
    rf"(?P<number>\d{{1,3}}|{'|'.join(_WORDS)})(?P<gap>[ -])"
    r"(?P<unit>minute|min|hour|h|day|week|wk|month|year|yr)(?P<plural>s?)\b",
    re.I,
)
_NUMBERED = re.compile(
    r"\b(?P<at>at|by|on|until|through|from) (?P<unit>week|month|day|year)(?P<gap> "
    r")(?P<number>\d{1,3})\b(?!\s?[-–/,]| and| or| to)"
)
_OCCASION = (
    r"treatment|surgery|intervention|operation|transplantation|exercise|training|therapy|"
    r"vaccination|discharge|delivery|birth|"
    r"randomi[sz]ation|stroke|admission|injection|administration|extubation|induction|ingestion|"
    r"intubation|meals?|supplementation|"
    r"infusion|chemotherapy|radiotherapy|incision"
)
_BEFORE_AFTER = re.compile(
    (
        r"\b(before|after|prior to|following)(?= (?:the |their |initial |this )?(?:\w+ "
        rf")?(?:{_OCCASION})\b)|"
        r"\b(pre|post)(?=-?operative|-?treatment|-?surgery\b)"
    ),
    re.I,
)
_BOTH = re.compile(
    r"\b(?:before|pre\w*|prior to) (?:and|or|versus|vs\.?|to) |(?:and|or|versus|vs\.?) (?:before|"
    r"after|post|pre)"
)
_OPPOSITE = {
    "before": "after",
    "after": "before",
    "prior to": "after",
    "following": "before",
    "pre": "post",
    "post": "pre",
}


def number_preposition(text: str, article: Article, draw: random.Random) -> Edited | None:
    """A change "by" a number made one "to" it, or the other way about."""
    choices = []
    for pattern, put in ((_BY, "to"), (_TO, "by")):
        for match in pattern.finditer(text):
            if "from" in text[match.start() : match.end() + 25].split() or _RANGE.search(
                text[: match.start(1)]
            ):
                continue
            tail = re.match(r"[^ ]* ?[^ .,;]*", text[match.end() :])
            stretch = (
                match.group(1) + text[match.end(1) : match.end()] + (tail.group() if tail else "")
            )
            choices.append(
                Edited(
                    text[: match.start(1)] + put + text[match.end(1) :],
                    stretch,
                    put + stretch[len(match.group(1)) :],
                )
            )
    return draw.choice(choices) if choices else None


def sides_of_from_to(text: str, article: Article, draw: random.Random) -> Edited | None:
    """A change from one number to another told the other way about."""
    choices = []
    for match in _FROM_TO.finditer(text):
        start, low, when, high = match.groups()
        if (
            _RANGE.search(text[: match.start()])
            or not re.search(_CHANGE, text, re.I)
            or _value(low) == _value(high)
            or _YEAR.fullmatch(low)
        ):
            continue
        unit = re.search(rf"{_UNIT}$", re.sub(rf"{_SPREAD}$", "", high))
        if unit and unit.group() and not re.search(r"[A-Za-z%]", low):
            low, high = low + unit.group(), high.replace(unit.group(), "", 1)
        put = f"from {start}{high}{when} to {low}"
        choices.append(
            Edited(text[: match.start()] + put + text[match.end() :], match.group(), put)
        )
    return draw.choice(choices) if choices else None


def unit_changed(text: str, article: Article, draw: random.Random) -> Edited | None:
    """The unit after a number made another, wherever the sentence has it; "mmHg" kPa, "weeks"
    months.
    """
    found = [match for match in _UNIT_HERE.finditer(text) if _named(UNITS, match.group(3))]
    found = [match for match in found if not _BOUND.search(text[: match.start()])]
    rest = [match for match in found if not re.fullmatch(_PERCENT, match.group(3))]
    if not rest and draw.random() > _PERCENT_TAKEN:
        return None
    if not found:
        return None
    match = draw.choice(rest or found)
    old = match.group(3)
    pattern, news = _named(UNITS, old)
    whole = f"{article.title} {article.abstract}"
    for new in draw.sample(news, len(news)):
        put = new.removesuffix("s") if match.group(2) == "-" or old in _SINGULAR else new
        if re.search(
            rf"(?<![\d.]){re.escape(match.group(1))}[ -]?{re.escape(new.removesuffix('s'))}", whole
        ):
            continue
        units = re.compile(rf"(?<=\d)([ -]?)(?:{pattern}){_UNIT_END}")
        changed = units.sub(
            lambda other, put=put: (other.group(1) or ("" if put == "%" else " ")) + put, text
        )  # type: ignore[misc]
        return Edited(changed, match.group(), f"{match.group(1)}{match.group(2) or ' '}{put}")
    return None


def counted_noun(text: str, article: Article, draw: random.Random) -> Edited | None:
    """The noun that a number counts made another that the article never counts: patients events,
    deaths admissions.
    """
    whole = f"{article.title} {article.abstract}".lower()
    choices = []
    for match in _COUNTED_HERE.finditer(text):
        for new in COUNTED[match.group(3)]:
            if not re.search(rf"\b{new[:-1]}", whole):
                put = f"{match.group(1)} {match.group(2)}{new}"
                choices.append(
                    Edited(text[: match.start()] + put + text[match.end() :], match.group(), put)
                )
    return draw.choice(choices) if choices else None


def timing(text: str, article: Article, draw: random.Random) -> Edited | None:
    """A time made another that the article does not name (at 6 months, at 12 months), or before
    made after.
    """
    whole = f"{article.title} {article.abstract}"
    choices = []
    for pattern in (_TIME, _NUMBERED):
        for match in pattern.finditer(text):
            if re.match(r" (?:and|or) (?:later|beyond|more|thereafter)", text[match.end() :]):
                continue
            if re.search(r"\b(?:aged?|ages)\b[^,;.]{0,12}$", text[: match.start() + 3], re.I):
                continue
            choices += [
                edit
                for factor in (2, 3, 0.5)
                if (edit := _other_time(text, match, factor, whole)) is not None
            ]
    if choices and draw.random() < 0.7:
        return draw.choice(choices)
    turns = []
    for match in _BEFORE_AFTER.finditer(text):
        around = text[max(0, match.start() - 12) : match.end() + 12].lower()
        if not _BOTH.search(around):
            new = _OPPOSITE[match.group().lower()]
            put = new.capitalize() if match.group()[0].isupper() else new
            turns.append(
                Edited(text[: match.start()] + put + text[match.end() :], match.group(), put)
            )
    return draw.choice(turns or choices) if turns or choices else None


def _other_time(text: str, match: re.Match[str], factor: float, whole: str) -> Edited | None:
    written, unit = match.group("number"), match.group("unit")
    number = _WORDS.get(written.lower()) or int(written)
    value = number * factor
    if value != int(value) or not 1 <= value <= 120:
        return None
    new = int(value)
    near = re.compile(
        (
            rf"\b(?:{new}|{_NAMES.get(new, new)})[ -]?(?:th )?{unit}|\b{unit}s? {new}\b|{unit}s? "
            rf"\d+(?:, \d+)*,? and {new}\b|"
            rf"\b{new},? (?:\d+,? )*(?:and|or|to|-|–) \d+[ -]?{unit}"
        ),
        re.I,
    )
    if near.search(whole) or re.search(rf"\b{written}[ -]?{unit}", text[: match.start()]):
        return None
    put = match.group().replace(
        written, str(new) if written.isdigit() else _NAMES.get(new, str(new)), 1
    )
    if match.groupdict().get("plural") is not None and match.group("gap") == " ":
        stem = put.removesuffix("s") if unit + "s" in put else put
        put = stem if new == 1 else (stem + "s" if len(unit) > 2 else put)
    return Edited(text[: match.start()] + put + text[match.end() :], match.group(), put)


def _named(table: dict[str, tuple[str, ...]], unit: str) -> tuple[str, tuple[str, ...]]:
    return next(
        ((pattern, news) for pattern, news in table.items() if re.fullmatch(pattern, unit)),
        ("", ()),
    )


def _value(text: str) -> str:
    match = re.match(_NUMBER, text)
    return match.group() if match else ""


NUMBER_EDITS: dict[str, Callable[[str, Article, random.Random], Edited | None]] = {
    "number preposition": number_preposition,
    "sides of from and to": sides_of_from_to,
    "unit changed": unit_changed,
    "counted noun changed": counted_noun,
    "timing changed": timing,
}
