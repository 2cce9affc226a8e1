"""What criteria say with figures and signs: stages, TNM, ECOG, states of a disease, and what
`ages`, `alterations`, `marks` and `quantities` read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clinfo.pipelines.cohort.ages import with_ages
from clinfo.pipelines.cohort.ages_then import with_ages_then
from clinfo.pipelines.cohort.alterations import replaced
from clinfo.pipelines.cohort.facts import FactKind
from clinfo.pipelines.cohort.form import And, Form, Has, Not, Or, Value, When
from clinfo.pipelines.cohort.marks import with_marks, with_windows
from clinfo.pipelines.cohort.quantities import with_values
from clinfo.pipelines.cohort.signs import Signs
from clinfo.pipelines.cohort.values import (
    CKD,
    WHOLE,
    WITHIN,
    ckd_bounds,
    exactly,
    stated_values,
    tnm_value,
)
from clinfo.pipelines.cohort.values import LETTERS as _LETTERS
from clinfo.pipelines.cohort.values import ROMAN as _ROMAN
from clinfo.text.words import key

_FLAGS = re.IGNORECASE


def signs(text: str, held: Signs | None = None) -> tuple[str, Signs]:
    """A text with its special expressions as signs."""
    held = Signs() if held is None else held
    text = with_values(with_ages_then(text, held), held.sign)
    text = replaced(text, held.sign)
    text = _values(text, held)
    text = _MIXED.sub(lambda match: _mixed(match[0], held), text)
    text = _STATE_GROUP.sub(lambda match: _either(match[0], held), text)
    text = with_windows(with_ages(with_marks(text, held), held.sign), held)
    return " ".join(text.split()), held


def qualified(text: str) -> tuple[list[Form], str]:
    """The states of a disease that a name is said with, and the name without them."""
    found: list[Form] = []

    for group in _STATE_GROUP.finditer(text):
        forms = [
            next(form for pattern, form in _STATES if re.fullmatch(pattern, one, _FLAGS))
            for one in _STATE.findall(group.group())
        ]
        found.append(forms[0] if len(forms) == 1 else Or(tuple(forms)))
    return found, " ".join(_STATE_GROUP.sub(" ", text).split())


def stated_states(text: str) -> Iterator[tuple[FactKind, str, str, int, int]]:
    """Kind, name, value in words and place of each state of a disease that a text affirms."""
    for match in _STATE.finditer(text):
        if re.search(
            r"(?i)\b(?:no|not|without|non)[\s-]+(?:\w+\s+)?$",
            text[max(0, match.start() - 24) : match.start()],
        ):
            continue
        form = next(form for pattern, form in _STATES if re.fullmatch(pattern, match[0], _FLAGS))
        if isinstance(form, Value) and form.said:
            yield "stage", form.name, form.said, *match.span()
        elif isinstance(form, Has):
            yield "condition", key(form.concept), "", *match.span()


def _either(said: str, held: Signs) -> str:
    """Several states of which one is asked for, as one sign; a single one stays as it is."""
    forms, _ = qualified(said)
    return held.sign(forms[0]) if isinstance(forms[0], Or) else said


def _mixed(said: str, held: Signs) -> str:
    """Stages and states of which one is asked for, as one sign: "stage III or metastatic"."""
    signs_of = [held.form(one) for one in re.findall(r"[\ue000-\uf8ff]", said)]
    stages = all(isinstance(one, Value) and one.name in ("stage", *"tnm") for one in signs_of)
    states = [qualified(one)[0][0] for one in _STATE.findall(said)]
    if not stages or not signs_of or not states or re.search(r"(?i)\bor\b|/", said) is None:
        return said
    in_order = [one for one in (*signs_of, *states) if one is not None]
    return f" {held.sign(Or(tuple(in_order)))} "


def _values(text: str, held: Signs) -> str:
    """A text with stages, TNM and performance status as signs: "stage II or higher", "ECOG 0-2"."""
    text = CKD.sub(
        lambda match: f" {held.sign(Value('ckd', *ckd_bounds(match)[:2]))} ",
        text,
    )
    for pattern in (_BETWEEN, _BOUND, _BARE):
        text = pattern.sub(
            lambda match: f" {held.sign(_value(match))} " if _is_value(match) else match[0],
            text,
        )

    def tnm(match: re.Match[str]) -> str:
        forms = [
            exactly(one.name, one.value, one.sub, one.prefix) for one in stated_values(match[0])
        ]
        return (
            f" {held.sign(forms[0] if len(forms) == 1 else And(tuple(forms)))} "
            if forms
            else match[0]
        )

    return _TNM_RUN.sub(tnm, text)


def _is_value(match: re.Match[str]) -> bool:
    """Whether it is no T, N or M with a Roman number, which they never have ("MI", "TIA"), and no
    performance status with a letter.
    """
    if re.search(r"(?i)ecog|performance", match["name"]):
        return all(one.isdigit() for one in (match["low"], match.groupdict().get("high")) if one)
    tnm = re.match(r"(?i)(?:yp|yc|[cpyra])?[tnm](?![a-z]{2}|cog)", match["name"]) is not None
    other = re.match(r"(?i)[tnm]", match["low"])
    if tnm and other is not None and other[0].lower() not in match["name"].lower():
        return False  # "N M0"
    if re.match(r"(?i)ecog|performance", match["name"]):
        return match["low"].isdigit()
    return not tnm or re.match(r"(?i)[tnm]?i(?!s)", match["low"]) is None


def _value(match: re.Match[str]) -> Value:
    name = match["name"].lower()
    prefix, code = "", "stage"
    if "ecog" in name or "performance" in name:
        code = "ecog"
    elif "grade" in name:
        code = "grade"
    elif (found := re.match(r"(yp|yc|[cpyra])?([tnm])\b", name)) is not None:
        prefix, code = found[1] or "", found[2]
    groups = match.groupdict()

    def number(group: str) -> tuple[float, bool]:
        said = re.sub(r"^[tnm](?=\d|is)|^stage\s*", "", groups[group].lower().strip())
        if code in ("stage", "grade"):
            roman = re.match(r"(0|iv|i{1,3}|[1-4])([abcd]?)", said)
            assert roman is not None
            return _ROMAN[roman[1]] + _LETTERS[roman[2]], bool(roman[2])
        return tnm_value(said), said[-1].isalpha()

    when: When = "at diagnosis" if groups.get("when") else "latest"
    if groups.get("high") is not None:
        low, (high, sub) = number("low")[0], number("high")
        return Value(code, low, high if sub or code in WHOLE else high + WITHIN, when, prefix)
    value, sub = number("low")
    bound = (groups.get("bound") or groups.get("bound2") or "").lower()
    top = value if sub or code in WHOLE else round(value + WITHIN, 2)
    if re.search(
        r"at least|no less|or (?:higher|greater|above|more|worse|later)|≥|>=|not less|minimum",
        bound,
    ):
        return Value(code, value, None, when, prefix)
    if re.search(
        r"at most|up to|no more|or (?:lower|less|below|better|earlier)|≤|<=|not more|maximum", bound
    ):
        return Value(code, None, top, when, prefix)
    if re.search(r"above|higher than|greater than|more than|over|>", bound):
        step = 0.1 if sub else 1.0  # the next value that there is
        return Value(code, round(value + step, 2), None, when, prefix)
    if re.search(r"below|lower than|less than|under|<", bound):
        lower = value - 0.1 if sub else value - 1.0 + (0.0 if code in WHOLE else WITHIN)
        return Value(code, None, round(lower, 2), when, prefix)
    return exactly(code, value, sub, prefix, when)


_NAME = (
    r"(?:clinical |disease )*(?P<name>(?:yp|yc|[cpyra])?[TNM](?: |-)"
    r"?(?:stages?|category)?|stages?|"
    r"ECOG(?: performance status| PS| score| status)*|performance status|"
    r"(?:(?:histolog\w+|nuclear|nottingham|who)\s+)+grade|tumou?r grade|"
    r"grade(?=\s*[1-4IV]+\s(?:[a-z-]+\s){0,3}?[a-z]*(?:carcinoma|cancer|tumou?r|glioma|sarcoma|"
    r"lymphoma|cytoma)))"
)
_PLAIN_CODE = r"(?:stage\s*)?(?:(?:iv|i{1,3}|[0-5])[a-d]?|is)"
_CODE = rf"(?:[TNM](?=\d|is))?{_PLAIN_CODE}"
_LIMIT = (
    r"(?:of )?(?:at least|at most|no less than|not less than|no more than|up to|above|below|"
    r"higher than|lower than|"
    r"greater than|less than|more than|over|under|minimum|maximum|≥|>=|≤|<=|>|<)"
)
_WHEN = r"(?P<when>\s+at (?:initial )?(?:diagnosis|presentation))?"
_BETWEEN = re.compile(
    rf"(?i)\b{_NAME}\s*(?:of|is|:|=|between|from)?\s*(?P<low>{_CODE})\s*(?:-|–|to|through|and)"
    rf"\s*(?P<high>{_PLAIN_CODE})\b{_WHEN}"
)
_BOUND = re.compile(
    rf"(?i)\b{_NAME}\s*(?:is\s+)?(?P<bound>{_LIMIT})\s*(?:stage\s+)?(?P<low>{_CODE})\b{_WHEN}"
)
_BARE = re.compile(
    rf"(?i)\b{_NAME}\s*(?:of|is|:|=|score)?\s*(?P<low>{_CODE})\b"
    rf"(?P<bound>\s+(?:or|and) (?:higher|greater|above|more|worse|later|lower|less|below|better|"
    rf"earlier))?{_WHEN}"
)
_TNM_RUN = re.compile(
    r"(?<![A-Za-z0-9])(?:yp|yc|[cpyra])?T(?:is|[0-4][a-d]?)(?:[\s,]*(?:yp|[cpyra])?N[0-3][a-c]?)"
    r"?(?:[\s,]*[cp]?M[01][a-c]?)?(?![A-Za-z0-9])|"
    r"(?<![A-Za-z0-9])(?:yp|yc|[cpyra])?N[0-3][a-c]?(?:[\s,]*[cp]?M[01][a-c]?)?(?![A-Za-z0-9])|"
    r"(?<![A-Za-z0-9])[cp]?M[01](?![A-Za-z0-9])"
)
_METASTASIS = Has("Neoplasm Metastasis", "condition")
_STATES: tuple[tuple[str, Form], ...] = (
    (r"non-?\s?metastatic", Not(_METASTASIS)),
    (r"metastatic|metastasized|metastasised", _METASTASIS),
    (r"locally[- ]advanced", Value("extent", said="locally advanced", when="ever")),
    (r"extensive[- ]stage", Value("extent", said="extensive stage", when="ever")),
    (r"limited[- ]stage", Value("extent", said="limited stage", when="ever")),
    (r"non-?\s?muscle[- ]invasive", Value("extent", said="non-muscle-invasive", when="ever")),
    (r"muscle[- ]invasive", Value("extent", said="muscle-invasive", when="ever")),
    (r"borderline resectable", Value("extent", said="borderline resectable", when="ever")),
    (r"(?<!un)resectable", Value("extent", said="resectable", when="ever")),
    (r"locally[- ]recurrent", Value("course", said="locally recurrent", when="ever")),
    (r"recurrent", Value("course", said="recurrent", when="ever")),
    (r"node[- ]positive", Value("n", 1.0, None)),
    (r"node[- ]negative", Value("n", 0.0, 0.49)),
    (r"advanced", Value("extent", said="advanced", when="ever")),
    (r"unresectable|inoperable", Value("extent", said="unresectable", when="ever")),
    (r"platinum[- ]resistant", Value("course", said="platinum resistant", when="ever")),
    (r"platinum[- ]sensitive", Value("course", said="platinum sensitive", when="ever")),
    (r"platinum[- ]refractory", Value("course", said="platinum refractory", when="ever")),
    (r"(?:radioactive[- ]iodine|radioiodine|RAI)[- ]refractory",
     Value("course", said="radioiodine refractory", when="ever")),
    (r"refractory", Value("course", said="refractory", when="ever")),
    (r"relapsed", Value("course", said="relapsed", when="ever")),
    (r"castrat(?:ion|e)[- ](?:sensitive|na[iï]ve)|hormone[- "
     r"]sensitive", Value("castration", said="castration sensitive", when="ever")),
    (r"castrat(?:ion|e)[- ]resistant|hormone[- "
     r"]refractory", Value("castration", said="castration resistant", when="ever")),
    (r"early[- ]stage", Value("stage", None, 2.49)),
    (r"late[- ]stage", Value("stage", 3.0, None)),
)  # fmt: skip
_STATE = re.compile(rf"(?i)\b(?:{'|'.join(pattern for pattern, _ in _STATES)})\b")
_STATE_GROUP = re.compile(
    rf"(?i){_STATE.pattern.removeprefix('(?i)')}(?:\s*(?:,|/|or|and/or|,\s*or)"
    rf"\s*{_STATE.pattern.removeprefix('(?i)')})*"
)
_ONE_STATE = rf"(?:{_STATE.pattern.removeprefix('(?i)')}|[\ue000-\uf8ff])"
_MIXED = re.compile(rf"(?i){_ONE_STATE}(?:\s*(?:,\s*or\b|,|/|\band/or\b|\bor\b)\s*{_ONE_STATE})+")
