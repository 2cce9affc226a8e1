"""Ages, sexes and death as criteria say them: "over 75", "66-year-olds", "alive in 2022"."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from clinfo.patients.lexicon import ABBREVIATIONS, read_rows
from clinfo.pipelines.cohort.form import Age, Dead, Form, Sex
from clinfo.terms.asked_names import asked

_AT = (
    r"(?:,?\s+(?:in|on|as of|as at|at|by|during|back in|at the end of|by the end of)\s+"
    r"(?P<at>\d{4}(?:-\d\d-\d\d)?)\b|\s+(?P<now>today)\b)?"
)
_PREFIX = r"(?P<aged>\b(?:aged|ages|age)\b\s*(?:is|was|of|range|group|:|=)?\s*)?"
_UNIT = r"(?:'?s\b)?(?P<unit>\s*-?\s*(?:years?|yrs?|y/?o)\b(?:[\s-]*(?:olds?|of age)\b)?)?"
_AGE = r"(?:the age of\s*|age\s*)?(?P<low>\d{1,3})"
_TO = r"(?P<first_unit>\s*(?:years?|yrs?))?\s*(?:to|-|–|and|through|until)\s*(?P<high>\d{1,3})"
_BARE = re.compile(
    r"\s*(?:$|[,;.)\ue000-\uf8ff]|(?:and|or|who|with|without|but|on|in|at|as|by|alive|living|"
    r"still|women|men|females?|males?|patients?|people|pts|when|had|have|has|having|taking|not|no|"
    r"diagnosed|only|never|missing|taking|since)\b)",
    re.IGNORECASE,
)
"""What follows a number that is an age though nothing says so."""
_LEAST_BARE = 12
_CHILDREN = re.compile(r"(?i)\b(?:children|kids|infants|toddlers|babies|boys|girls)\s+$")
"""Of whom a small number may be the age."""
_MOST = 120
_PERSON = re.compile(
    r"(?i)(?:^|[,;:(]|\b(?:who|that|and|or|but|are|is|were|was|aged?|patients?|pts?|people|persons?|"
    r"adults?|women|woman|men|man|males?|females?|boys?|girls?|children|kids|only|any(?:one|body)|"
    r"every(?:one|body)|some(?:one|body)|no(?:body| one)|those|cases|elderly|all|not))\s*[(]?\s*$"
)
"""What stands before a sign with a number that is of people, and of no measured thing."""
_OF_THINGS = re.compile(
    r"(?i)\s*(?:<|>|≤|≥|below|above|less|more|greater|at (?:least|most)|up to|no )"
)
_MEASURED = re.compile(r"\b[A-Z][A-Z0-9-]{1,6}\s*$")
"""What can be a measured thing's abbreviation."""
_LASTING = re.compile(
    r"(?i)\b(?:for|within|last|past|next|every|lasting|since|smoked)\s*(?:the\s+)?$"
)
_IN = re.compile(r"(?i)\bin\s*$")
_AGO = re.compile(r"(?i)\s*(?:ago|later|earlier|before|after|prior|history|duration|apart|of\b)")
"""What stands before or after years that are no age."""
_DECADES = {
    "twenties": 20, "thirties": 30, "forties": 40, "fifties": 50, "sixties": 60, "seventies": 70,
    "eighties": 80, "nineties": 90,
}  # fmt: skip
_BY_BIRTHDAYS = {
    "sexagenarian": 60, "septuagenarian": 70, "octogenarian": 80, "nonagenarian": 90
}  # fmt: skip
Bounds = Callable[[int, int | None], tuple[int | None, int | None]]


def _pattern(said: str) -> re.Pattern[str]:
    return re.compile(rf"(?:\b(?:who\s+)?(?:are|is|were|was)\s+)?{said}", re.IGNORECASE)


_SPANS: tuple[tuple[re.Pattern[str], Bounds], ...] = tuple(
    (_pattern(said), bounds)
    for said, bounds in (
        (
            rf"{_PREFIX}(?P<between>\b(?:between|from)\s+)?{_AGE}{_TO}{_UNIT}{_AT}",
            lambda low, high: (low, high),
        ),
        (
            rf"{_PREFIX}(?:\b(?:not (?:over|older than|above)|no older than|no more than|at most|"
            rf"up to|maximum(?: age)?(?: of)?)|≤|<=)\s*{_AGE}{_UNIT}{_AT}",
            lambda low, _: (None, low),
        ),
        (
            rf"{_PREFIX}(?:\b(?:at least|of at least|not (?:under|younger than)|no younger than|"
            rf"no less than|minimum(?: age)?(?: of)?)|≥|>=)\s*{_AGE}{_UNIT}{_AT}",
            lambda low, _: (low, None),
        ),
        (
            rf"{_PREFIX}(?:\b(?:older than|over|above|more than|greater than|past)|>)\s*[- ]?"
            rf"{_AGE}{_UNIT}{_AT}",
            lambda low, _: (low + 1, None),
        ),
        (
            rf"{_PREFIX}(?:\b(?:younger than|under|below|less than|not yet)|<)\s*-?{_AGE}{_UNIT}"
            rf"{_AT}",
            lambda low, _: (None, low - 1),
        ),
        (
            rf"{_PREFIX}\b{_AGE}{_UNIT}(?P<open>\s*(?:\+|plus\b|(?:or|and)\s+(?:older|over|above|"
            rf"more|up(?:wards)?)\b|upwards?\b)){_UNIT.replace('unit', 'unit2')}{_AT}",
            lambda low, _: (low, None),
        ),
        (
            rf"{_PREFIX}\b{_AGE}{_UNIT}(?P<open>\s*(?:or|and)\s+(?:younger|under|below|less)\b){_AT}",
            lambda low, _: (None, low),
        ),
        (
            rf"{_PREFIX}\b{_AGE}{_UNIT}{_AT}(?!\s*(?:\+|or (?:older|over)))",
            lambda low, _: (low, low),
        ),
    )
)  # fmt: skip
"""Patterns in the order in which they are looked for, and the ages that they ask for."""


def _rule(
    said: str, form_of: Callable[[str], Form]
) -> tuple[re.Pattern[str], Callable[[str], Form]]:
    return re.compile(said, re.IGNORECASE), form_of


_WHO = r"\b(?:(?:who|that|which)\s+)?"
_HAVE = r"(?:have |has |had |are |is |were |was |did )?"
_WORDS = (
    _rule(r"\b(?:no longer|not) (?:with us|alive|living(?!\s+with))\b", lambda at: Dead()),
    _rule(
        rf"{_WHO}(?:(?:haven't|hasn't|hadn't|aren't|isn't|weren't|wasn't|{_HAVE}(?:not|never))\s+"
        rf"(?:yet\s+)?(?:died|dead|deceased)|{_HAVE}(?:still\s+)?(?:living(?!\s+with)|alive|"
        rf"surviving|with us))\b{_AT}",
        lambda at: Dead(False, at),
    ),
    _rule(
        rf"{_WHO}{_HAVE}(?:since\s+)?(?:died|deceased|dead|expired|passed away|deaths?|"
        r"decedents?)\b",
        lambda at: Dead(),
    ),
    _rule(rf"{_WHO}{_HAVE}(?:females?|women|woman|girls?|ladies|lady)\b", lambda at: Sex("female")),
    _rule(
        rf"{_WHO}{_HAVE}(?:males?|men|man|boys?|gentlemen|gentleman)\b", lambda at: Sex("male")
    ),
    _rule(
        rf"\b(?:elderly|seniors|senior citizens|older adults|pensioners){_AT}",
        lambda at: Age(65, None, at),
    ),
    _rule(rf"\badults?\b{_AT}", lambda at: Age(18, None, at)),
    _rule(
        rf"(?<!\bno )(?<!\bhave )(?<!\bhas )(?<!\bhad )(?<!\bany )(?<!\bwithout )"
        rf"\b(?:children|minors|kids|(?:paediatric|pediatric)(?: patients| population| cases)?)\b"
        rf"{_AT}",
        lambda at: Age(None, 17, at),
    ),
    _rule(rf"\b(?:teenagers|teens)\b{_AT}", lambda at: Age(13, 19, at)),
)  # fmt: skip
_DECADE = re.compile(
    rf"(?i)(?:\bin their )(?:(?P<digits>[2-9]0)'?s|(?P<word>{'|'.join(_DECADES)})){_AT}|"
    rf"\b(?P<noun>{'|'.join(_BY_BIRTHDAYS)})s?\b{_AT.replace('at>', 'at2>').replace('now', 'now2')}"
)
NOW = "today"
"""The time of an age or a death that was said to be of the day of asking."""


def with_ages(text: str, put: Callable[[Form], str]) -> str:
    """A text with what it says of ages, sexes and death as what ``put`` gives for their forms."""
    text = _DECADE.sub(lambda match: f" {put(_decade(match))} ", text)
    for pattern, bounds in _SPANS:
        text = pattern.sub(
            lambda match, bounds=bounds: _span(match, bounds, put),  # type: ignore[misc]
            text,
        )
    for pattern, form_of in _WORDS:
        text = pattern.sub(
            lambda match, form_of=form_of: f" {put(form_of(_at(match)))} ",  # type: ignore[misc]
            text,
        )
    return text


def _decade(match: re.Match[str]) -> Age:
    if match["noun"]:
        low = _BY_BIRTHDAYS[match["noun"].lower()]
    else:
        low = int(match["digits"] or _DECADES[match["word"].lower()])
    return Age(low, low + 9, match["at"] or match["at2"] or "")


def _span(match: re.Match[str], bounds: Bounds, put: Callable[[Form], str]) -> str:
    groups = match.groupdict()
    said = any(groups.get(one) for one in ("aged", "unit", "unit2", "first_unit"))
    named = said or re.search(r"(?i)\bolder|\byounger|the age of", match[0]) is not None
    tells_bounds = bounds is not _SPANS[-1][1] and ("between" not in groups or groups["between"])
    bare = (
        tells_bounds
        and (
            int(groups["low"]) >= _LEAST_BARE
            or "s" in match[0][-2:]
            or _CHILDREN.search(match.string, 0, match.start()) is not None
        )
        and _BARE.match(match.string, match.end()) is not None
    )
    lasting = not groups.get("aged") and (
        _LASTING.search(match.string, 0, match.start()) or _AGO.match(match.string, match.end())
    )
    ahead = match.string[: match.start()]
    if bounds is _SPANS[-1][1] and "old" not in match[0].lower() and _IN.search(ahead):
        return match[0]  # "no HbA1c in 1 year"
    person = _PERSON.search(ahead) is not None
    between = "between" in groups and person and groups["high"] and not groups["between"]
    if between and _BARE.match(match.string, match.end()) is not None:
        bare = _LEAST_BARE <= int(groups["low"]) < int(groups["high"])  # "women 50-70"
    elif bare and not person:
        bare = _OF_THINGS.match(match[0]) is None and _of_a_person(ahead)
    if not (named or bare) or lasting or int(groups["low"]) > _MOST:
        return match[0]
    low, high = bounds(int(groups["low"]), int(groups["high"]) if groups.get("high") else None)
    return f" {put(Age(low, high, _at(match)))} "


@cache
def _abbreviated() -> frozenset[str]:
    return frozenset(row[0] for row in read_rows(ABBREVIATIONS, 3))


def _of_a_person(ahead: str) -> bool:
    """Whether what stands before "over 60" can be people or what they have: "ESR over 30" is no
    age.
    """
    measured = _MEASURED.search(ahead)
    return (
        measured is None
        or asked(measured[0].strip()) is not None
        or measured[0].strip() in _abbreviated()
    )


def _at(match: re.Match[str]) -> str:
    groups = match.groupdict()
    return groups.get("at") or groups.get("now") or ""
