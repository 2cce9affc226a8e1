"""Values that have an order: the stage of a cancer, T, N and M, performance status, grade."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clinfo.pipelines.cohort.form import Value

ROMAN = {
    "0": 0.0,
    "i": 1.0,
    "ii": 2.0,
    "iii": 3.0,
    "iv": 4.0,
    "1": 1.0,
    "2": 2.0,
    "3": 3.0,
    "4": 4.0,
}
LETTERS = {"": 0.0, "a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4}
WITHIN = 0.49
"""What a substage may add to its stage: stage II takes in IIA to IIC."""
WHOLE = ("ecog", "grade")
"""What has no parts of its values."""
_SPECIAL = {"is": 0.5, "x": -1.0, "mi": 1.05}


@dataclass(frozen=True, slots=True)
class Stated:
    """A value of a text: its code ("stage", "t", "n", "m", "ecog", "grade"), its number, the prefix
    of a TNM value ("", "p", "yp", …), and its place.
    """

    name: str
    value: float
    prefix: str
    start: int
    end: int
    sub: bool


_STAGE = re.compile(
    r"(?i)\bstage\s*(?::|is|of|group)?\s*(?P<roman>0|iv|i{1,3}|[1-4])(?P<letter>[abcd])?(?P<digit>\d)?\b"
)
_TNM = re.compile(
    r"(?<![A-Za-z])(?P<prefix>yp|yc|[cpyra])?(?P<t>T(?:is|[0-4xX][a-d]?|1mi))"
    r"(?:[\s,]*(?:yp|[cpyr])?(?P<n>N(?:[0-3xX][a-c]?)))?(?:[\s,]*[cp]?(?P<m>M(?:[01xX][a-c]?)))?(?![A-Za-z0-9])|"
    r"(?<![A-Za-z])(?P<prefix2>yp|yc|[cpyra])?(?P<n2>N[0-3][a-c]?)(?:[\s,]*[cp]?(?P<m2>M[01][a-c]?))?(?![A-Za-z0-9])|"
    r"(?<![A-Za-z])(?P<prefix3>[cp])?(?P<m3>M[01][a-c]?)(?![A-Za-z0-9])"
)
_ECOG = re.compile(
    r"(?i)\b(?:ECOG|zubrod)(?:\s*/?\s*(?:who|ps))*\s*(?:performance\s+(?:status|score))?\s*(?:score|ps)?\s*"
    r"(?:\(ps\))?\s*(?:of|is|was|:|=)?\s*(?P<value>[0-5])\b"
)
CKD = re.compile(
    r"(?i)\b(?:(?:CKD|chronic (?:kidney|renal) (?:disease|failure))\s*,?\s*\(?(?:stage\s*|grade\s*|"
    r"(?=G\d))(?P<least>at least\s+)?G?(?P<low>[1-5])(?P<sub>[ab])?"
    r"(?:\s*(?:-|to|or)\s*(?P<high>[1-5])[ab]?)?\)?|"
    r"stage\s*(?P<low2>[1-5])(?P<sub2>[ab])?(?:\s*(?:-|to|or)\s*(?P<high2>[1-5])[ab]?)?\s*"
    r"(?:CKD|chronic (?:kidney|renal) (?:disease|failure)))\b"
    r"(?P<more>\s*(?:or|and) (?:higher|worse|above|more|over|later|greater))?"
)
"""The stage of a chronic kidney disease, which is no stage of a cancer."""
_GRADE = re.compile(
    r"(?i)\b(?:(?:histolog\w+|nuclear|tumou?r|nottingham|bloom[- ]richardson|who)\s+grade\s*"
    r"(?::|is|was|of)?\s*|grade\s*(?=[1-4IV]+\s(?:[a-z-]+\s){0,3}?[a-z]*(?:carcinoma|cancer|tumou?r|"
    r"glioma|sarcoma|lymphoma|cytoma)))G?(?P<value>iv|i{1,3}|[1-4])\b"
)
"""The grade of a tumour; that of anything else is another."""
_PERFORMANCE = {
    "ckd": "CKD stage",
    "ecog": "ECOG",
    "grade": "histologic grade",
    "stage": "stage",
    "t": "T",
    "n": "N",
    "m": "M",
}


def stated_values(text: str) -> Iterator[Stated]:
    """The values that a text states, in no order."""
    kidney = list(CKD.finditer(text))
    for match in kidney:
        low, _, sub = ckd_bounds(match)
        yield Stated("ckd", low, "", *match.span(), sub)
    for match in _STAGE.finditer(text):
        if any(one.start() <= match.start() < one.end() for one in kidney):
            continue
        letter = (match["letter"] or "").lower()
        yield Stated(
            "stage",
            ROMAN[match["roman"].lower()] + LETTERS[letter],
            "",
            *match.span(),
            bool(letter),
        )
    for match in _TNM.finditer(text):
        prefix = match["prefix"] or match["prefix2"] or match["prefix3"] or ""
        for group in ("t", "n", "m", "n2", "m2", "m3"):
            if match[group]:
                code = match[group]
                value = tnm_value(code[1:])
                if value >= 0:
                    yield Stated(
                        code[0].lower(), value, prefix, *match.span(group), code[-1].isalpha()
                    )
    for match in _GRADE.finditer(text):
        yield Stated("grade", ROMAN[match["value"].lower()], "", *match.span(), False)
    for match in _ECOG.finditer(text):
        yield Stated("ecog", float(match["value"]), "", *match.span(), False)


def ckd_bounds(match: re.Match[str]) -> tuple[float, float | None, bool]:
    """The lowest and highest stage that `CKD` found, None without one, and whether the lowest is
    one of its parts (3a).
    """
    sub = match["sub"] or match["sub2"] or ""
    low = float(match["low"] or match["low2"]) + LETTERS[sub.lower()]
    high = match["high"] or match["high2"]
    if match["more"] or match["least"]:
        return low, None, bool(sub)
    return low, round((float(high) if high else low) + (0 if sub else WITHIN), 2), bool(sub)


def tnm_value(code: str) -> float:
    """The position of what follows T, N or M; -1 where it could not be assessed."""
    code = code.lower()
    if code in _SPECIAL:
        return _SPECIAL[code]
    return float(code[0]) + LETTERS.get(code[1:], 0.0)


def exactly(name: str, value: float, sub: bool, prefix: str = "", when: str = "latest") -> Value:
    """The criterion that a value is this one, or a substage of it."""
    high = value if sub or name in WHOLE else value + WITHIN
    return Value(name, value, round(high, 2), when, prefix)  # type: ignore[arg-type]


def said_value(form: Value) -> str:
    """A value criterion in words."""
    if form.low is None and form.high is None:
        return form.said
    name = f"{form.said}{_PERFORMANCE.get(form.name, form.name)}"
    low, high = _code(form.name, form.low), _code(form.name, form.high)
    joint = "" if form.name in "tnm" else " "
    whole = form.low is not None and form.high is not None and 0 <= form.high - form.low < 0.5
    if whole:
        said = f"{name}{joint}{low}"
    elif form.low is None:
        said = f"{name} at most {high}"
    elif form.high is None:
        said = f"{name} at least {low}"
    else:
        said = f"{name} {low} to {high}"
    return said + (f" {form.when}" if form.when in ("at diagnosis", "ever") else "")


def _code(name: str, value: float | None) -> str:
    if value is None:
        return ""
    if name in "tnm" and value == _SPECIAL["is"]:
        return "is"
    whole, part = int(value), round(value - int(value), 2)
    letter = next((letter for letter, size in LETTERS.items() if size == part), "")
    if name == "stage":
        return ("0", "I", "II", "III", "IV")[whole] + letter.upper()
    return f"{whole}{letter}"
