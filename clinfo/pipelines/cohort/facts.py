"""The statements of a patient's record, as values with their source in the notes; and the values
that notes state and queries name: those in an order (the stage of a cancer, T, N and M, performance
status, grade), states in words, and measured quantities.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

from clinfo.patients.quantities import stated_quantities
from clinfo.patients.times import instant

FactKind = Literal[
    "condition", "drug", "procedure", "observation", "complaint", "alteration", "stage", "age",
    "sex", "death", "allergy",
]  # fmt: skip
Certainty = Literal["confirmed", "suspected"]
Reading = Literal["confirmed", "suspected", "unclear"]
"""The certainty of a note on a fact; "unclear" where the reader is not sure of what the note says.
Such a fact makes nobody a member and denies nothing; it is shown of those who are not documented.
"""
Subject = Literal["patient", "family", "other"]
PAST = "past"
"""``said`` of what the note tells to have ended: a drug that was stopped, an illness of 2008."""
ACTIVE = "active"
"""``said`` of a coded entry that is active and has no end: it is current whatever its day."""
TESTED = "tested"
"""``said`` of what a test did not find: it denies what it is a test of, and nothing wider."""
AT_LEAST = ">="
"""``said`` of a value of which the note gives only the least that it is ("BMI 30+")."""
UNNAMED = "a code without a name"
"""The name of what an entry states by a code alone, beside the code: it may be what is asked."""
BOUNDS = (AT_LEAST, ">", "<=", "<")
"""``said`` of values that are only known to be on one side of a number."""


@dataclass(frozen=True, slots=True)
class Source:
    """A statement's place: code points [start, end) of a note's text."""

    note: str
    time: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement of a note; statements of the same are equal, wherever they stand.

    ``name`` is what it names, as keys are written, or a code of the fact's kind ("t", "ecog");
    ``concept`` the MeSH identifier where MeSH has the whole name, else ""; ``value`` a number in
    ``unit`` or a position in the kind's order, ``said`` the value in words.
    """

    kind: FactKind
    name: str
    source: Source = field(compare=False)
    concept: str = field(default="", compare=False)
    value: float | None = None
    unit: str = ""
    said: str = ""
    certainty: Reading = "confirmed"
    negated: bool = False
    subject: Subject = "patient"


def stated(kind: FactKind, name: str, span: tuple[int, int], **more: Any) -> Fact:
    """A statement at code points [start, end) of a text that is not yet known for a note's."""
    return Fact(kind, name, Source("", "", *span), **more)


def consolidate(facts: Iterable[Fact]) -> dict[Fact, list[Source]]:
    """The facts of one record, each with every place that states it, by time, those without one
    last; contradictions stay.
    """
    places: dict[Fact, dict[Source, None]] = {}
    for fact in sorted(facts, key=lambda fact: (not fact.source.time, instant(fact.source.time))):
        places.setdefault(fact, {})[fact.source] = None
    return {fact: [*sources] for fact, sources in places.items()}


_ROMAN = {"0": 0.0, "i": 1.0, "ii": 2.0, "iii": 3.0, "iv": 4.0}
_SPECIAL = {"is": 0.5, "mi": 1.05}
_CODE = re.compile(r"(?i)[tnm]?(?P<whole>iv|i{1,3}(?!s)|\d)(?P<part>[a-d]?)\d?")
_PART = 0.1
"""Each letter adds this: IIA is 2.1, IIB 2.2."""
WITHIN = 0.49
"""The parts of a value may add this to it: stage II takes in IIA to IIC."""
ORDERED: Mapping[str, str] = {
    "stage": "stage of a cancer: I is 1, IIA 2.1, IIB 2.2, IV 4",
    "t": "T of TNM: Tis is 0.5, T1 1, T2a 2.1",
    "n": "N of TNM",
    "m": "M of TNM: M0 is 0, M1 1",
    "ecog": "ECOG performance status, 0 to 5",
    "ckd": "stage of chronic kidney disease: 3a is 3.1, 3b 3.2",
    "grade": "grade of a tumour, 1 to 4",
}
"""The codes of values in order, glossed."""
IN_PARTS = ("stage", "t", "n", "m", "ckd")
STATED: Mapping[str, Mapping[str, str]] = {
    "extent": {
        "metastatic": "(?<!non-)metastatic|metastasi[sz]ed",
        "locally advanced": r"locally[- ]advanced", "advanced": "advanced",
        "extensive stage": r"extensive[- ]stage", "limited stage": r"limited[- ]stage",
        "non-muscle-invasive": r"non-?\s?muscle[- ]invasive",
        "muscle-invasive": r"muscle[- ]invasive",
        "borderline resectable": "borderline resectable",
        "unresectable": "unresectable|inoperable", "resectable": "resectable",
    },
    "course": {
        "locally recurrent": r"locally[- ]recurrent", "recurrent": "recurrent",
        "platinum resistant": r"platinum[- ]resistant",
        "platinum sensitive": r"platinum[- ]sensitive",
        "platinum refractory": r"platinum[- ]refractory", "refractory": "refractory",
        "relapsed": "relapsed",
    },
    "castration": {
        "castration sensitive": r"castrat(?:ion|e)[- ](?:sensitive|na[iï]ve)|hormone[- ]sensitive",
        "castration resistant": r"castrat(?:ion|e)[- ]resistant|hormone[- ]refractory",
    },
}  # fmt: skip
"""The states that notes state of a tumour, by code: words of the form, and how notes write them."""


_STAGE = re.compile(
    r"(?i)\bstage\s*(?::|is|of|group)?\s*(?P<code>(?:0|iv|i{1,3}|[1-5])[abcd]?)\d?\b"
)
_TNM = re.compile(
    r"(?<![A-Za-z])(?P<prefix>yp|yc|[cpyra])?(?P<t>T(?:is|[0-4][a-d]?|1mi))?"
    r"(?:(?<=\w)[\s,]*)?(?:yp|[cpyr])?(?P<n>N[0-3][a-c]?)?(?:(?<=\w)[\s,]*)?[cp]?(?P<m>M[01][a-c]?)?"
    r"(?![A-Za-z0-9])"
)
_OTHERS = {
    "ecog": r"\b(?:ECOG|zubrod|eastern cooperative oncology group)(?:\s*/?\s*(?:who|ps))*\s*"
    r"(?:performance\s+(?:status|score))?\s*(?:score|ps|grade)?\s*(?:\(ps\))?\s*(?:of|is|was|:|=)?\s*(?P<code>[0-5])\b",
    "grade": r"\b(?:histolog\w+|nuclear|tumou?r|nottingham|who)\s+grade\s*(?::|is|was|of)?\s*G?"
    r"(?P<code>iv|i{1,3}|[1-4])\b",
    "ckd": r"\b(?:CKD|chronic (?:kidney|renal) (?:disease|failure))\s*,?\s*\(?(?:stage\s*|grade\s*|"
    r"(?=G\d|[1-5][ab]\b|ii|iv))G?(?P<code>[1-5][ab]?|iv|i{2,3})\)?(?!\w)",
}
_STATES = re.compile(
    "(?i)(?<![-\\w])(?:"
    + "|".join(
        f"(?P<{code}_{at}>{pattern})"
        for code, states in STATED.items()
        for at, pattern in enumerate(states.values())
    )
    + r")\b"
)
_DENIED = re.compile(r"(?i)\b(?:no|not|without|non)[\s-]+(?:\w+\s+)?$")


def code_value(said: str) -> float | None:
    """The number of a value as it is written ("IIB", "3a", "is"); None of what is none."""
    if (special := _SPECIAL.get(said.lower())) is not None:
        return special
    if (found := _CODE.fullmatch(said)) is None:
        return None
    whole, part = found["whole"].lower(), " abcd".index(found["part"].lower() or " ")
    return round((_ROMAN.get(whole) or float(whole)) + part * _PART, 2)


def value_code(name: str, value: float) -> str:
    """A number as queries write it of a code: 2.2 of a stage is IIB; other numbers as they are."""
    whole, part = int(value), round((value - int(value)) / _PART)
    if name not in IN_PARTS or not 0 <= part <= 4 or round(whole + part * _PART, 2) != value:
        return f"{Decimal(repr(value)):f}".removesuffix(".0")
    letter = " abcd"[part].strip()
    roman = [one for one, number in _ROMAN.items() if number == whole and not one.isdigit()]
    return f"{roman[0]}{letter}".upper() if name == "stage" and roman else f"{whole}{letter}"


def stated_values(text: str) -> Iterator[Fact]:
    """The values of an order and the states that a text states, with places in it, in no order."""
    kidney = []
    for code, pattern in _OTHERS.items():
        for match in re.finditer(f"(?i){pattern}", text):
            yield stated("stage", code, match.span(), value=code_value(match["code"]))
            kidney += [match.span()] if code == "ckd" else []
    for match in _STAGE.finditer(text):
        if not any(low <= match.start() < high for low, high in kidney):
            yield stated("stage", "stage", match.span(), value=code_value(match["code"]))
    for match in _TNM.finditer(text):
        for code in filter(match.group, "tnm"):
            number, prefix = code_value(match[code][1:]), match["prefix"] or ""
            yield stated("stage", code, match.span(code), value=number, said=prefix)
    for match in _STATES.finditer(text):
        if match.lastgroup and not _DENIED.search(text, max(0, match.start() - 24), match.start()):
            code, at = match.lastgroup.split("_")
            yield stated("stage", code, match.span(), said=tuple(STATED[code])[int(at)])


def stated_facts(text: str) -> Iterator[Fact]:
    """The measured values that a text states, with places in it; of "30+" only the least is
    known.
    """
    for one in stated_quantities(text):
        yield stated(
            "observation", one.quantity.code, (one.start, one.end), value=one.value,
            unit=one.quantity.unit, said=AT_LEAST if text[one.end : one.end + 1] == "+" else "",
            certainty="confirmed" if one.sure else "unclear",
        )  # fmt: skip
