"""At which age something began, as criteria say it: "stroke before the age of 55", "under 40 at
diagnosis", "diagnosed at 30 to 39".
"""

from __future__ import annotations

import re

from clinfo.pipelines.cohort.signs import AgeThen, Signs

_SIDES = {
    "under": ("before", "under", "younger than", "less than", "below", "<"),
    "most": ("by", "at most", "no older than", "no later than", "up to", "≤", "<="),
    "least": ("after", "at least", "no younger than", "from", "≥", ">="),
    "over": ("over", "older than", "more than", "above", ">"),
}
_SIDE = "|".join(sorted((re.escape(one) for of in _SIDES.values() for one in of), key=len)[::-1])
_UNIT = r"(?:\s*-?\s*(?:years?|yrs?|y/?o)\b)?(?:\s+(?:old|of age)\b)?"
_YEARS = (
    rf"(?:(?P<side>{_SIDE})\s*)?(?:(?:the\s+)?age(?:\s+of)?\s+)?"
    rf"(?:(?P<side2>{_SIDE})\s*)?(?P<low>\d{{1,3}})(?![\d/%.]){_UNIT}"
    rf"(?:\s*(?:to|-|–|and)\s*(?P<high>\d{{1,3}})(?!\d){_UNIT})?"
    r"(?P<more>\s+(?:or|and) (?:older|over|above)\b|\+)?"
    r"(?P<less>\s+(?:or|and) (?:younger|under|below)\b)?"
)
_FIRST = r"(?:(?:the )?(?:time of )?(?:first |initial )?(?:diagnosis|dx|onset|presentation))"
_PATTERNS = tuple(
    re.compile(rf"(?i){said}")
    for said in (
        rf"\b(?:with )?(?:an? )?age at {_FIRST}\s*(?:was|is|of|:)?\s*(?:between\s+)?{_YEARS}",
        rf"(?:\b(?:who (?:were|was)\s+)?(?:aged?|between)\s+)?{_YEARS}\s+"
        rf"(?:at {_FIRST}|when (?:first )?diagnosed)\b",
        rf"\b(?:(?:first|newly)\s+)?(?:diagnosed|onset)\s+(?:(?:at|when|between)\s+)?(?:aged\s+)?{_YEARS}"
        r"(?!\s*(?:days?|weeks?|months?|hours?)\b)",
        rf"(?<=\w )(?:(?:first|for the first time)\s+)?(?:at\s+(?=(?:the\s+)?age\b)|"
        rf"(?=(?:before|after|by)\s+(?:(?:the\s+)?age\b|[2-9]\d\s*(?:$|[,;)]|(?:and|or|with|on|who)\b)))"
        rf"){_YEARS}",
    )
)
_MOST = 120
_AGED = re.compile(r"(?i)\b(?:aged?|years?|yrs?|y/?o|old)\b")
_APART = re.compile(r"(?i)(?:^|[,;:(]|\b(?:who|patients?|pts|people|women|men|those|adults))\s*$")
"""What stands before a number of people, and of no measured thing, though no age is said."""
_PEOPLE = re.compile(
    r"(?i)(?:\b(?:patients?|pts|people|persons?|adults?|women|woman|men|man|(?:fe)?males?|boys?|"
    r"girls?|children|anyone|everyone|those|died|dead|alive|living)|[\ue000-\uf8ff])\s*$"
)
"""Who is of an age, so that it is no illness's."""


def with_ages_then(text: str, held: Signs) -> str:
    """A text with what it says of the age at which something began as signs."""
    for pattern in _PATTERNS:
        text = pattern.sub(lambda match: _sign(match, held), text)
    return text


def said_age_then(low: int | None, high: int | None) -> str:
    """The words that `with_ages_then` reads as these bounds; "" without one."""
    if low is None and high is None:
        return ""
    if low is not None and high is not None:
        return f"at age {low}" if low == high else f"at age {low} to {high}"
    return f"at age at least {low}" if high is None else f"at age at most {high}"


def _sign(match: re.Match[str], held: Signs) -> str:
    ahead = match.string[: match.start()]
    if match.re is _PATTERNS[-1] and _PEOPLE.search(ahead):
        return match[0]
    if match.re is _PATTERNS[1] and not (_AGED.search(match[0]) or _APART.search(ahead)):
        return match[0]  # "CA125 > 50 at diagnosis"
    if int(match["low"]) > _MOST:
        return match[0]
    low, side = int(match["low"]), (match["side2"] or match["side"] or "").lower()
    kind = next((name for name, of in _SIDES.items() if side in of), "")
    if match["high"]:
        bounds = AgeThen(low, int(match["high"]))
    elif match["more"] or kind == "least":
        bounds = AgeThen(low)
    elif match["less"] or kind == "most":
        bounds = AgeThen(None, low)
    elif kind == "under":
        bounds = AgeThen(None, low - 1)
    elif kind == "over":
        bounds = AgeThen(low + 1)
    else:
        bounds = AgeThen(low, low)
    if bounds.low is not None and bounds.high is not None and bounds.low > bounds.high:
        return match[0]
    return f" {held.sign(bounds)} "
