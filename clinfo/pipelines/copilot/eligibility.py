"""A trial's criteria of eligibility against a case, one by one: it fits, it does not, or it is
unclear, which is what most of them are.

Only what both sides say plainly is decided: age, sex, performance status, the status of a marker,
and a criterion that names one thing without a condition. Nothing here says that a patient can
enter a trial.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal

from clinfo.lazy_dataclass import dataclass, field

Fit = Literal["fits", "does not fit", "unclear"]
YEARS: Final = {"year": 1.0, "month": 1 / 12, "week": 1 / 52, "day": 1 / 365}
_AGE = re.compile(
    r"(?i)\b(\d{1,3})[- ]?(?:years?|yrs?|yo|y)(?:[- ](?:old|of age))?\b|\baged? (\d{1,3})\b"
)
_FEMALE = re.compile(r"(?i)\b(?:woman|female|she|her|lady|girl)\b")
_MALE = re.compile(r"(?i)\b(?:man|male|he|his|gentleman|boy)\b")
_ECOG = re.compile(
    r"(?i)\bECOG\b[^.;\n]{0,40}?(?P<sign>≤|<=|<|at most)?\s*"
    r"(?P<values>[0-4](?:\s*(?:-|–|to|or|,|/|and)\s*[0-4])*)"
)
_MARKER = re.compile(
    r"\b(?P<name>HER-?2(?:/neu)?|ER|PR|PgR|PD-?L1|[A-Z][A-Z0-9]{2,7}"
    r"|[Ee]strogen[- ][Rr]eceptor|[Pp]rogesterone[- ][Rr]eceptor)[ -]{0,2}"
    r"(?P<value>(?:over-?expressing|positive|amplified|mutat(?:ed|ion)|negative|wild[- ]?type)\b"
    r"|\+|−|-(?![\w-]))"
)
_NAMES: Final = {
    "her-2": "HER2", "her2/neu": "HER2", "her-2/neu": "HER2", "estrogen receptor": "ER",
    "estrogen-receptor": "ER", "progesterone receptor": "PR", "progesterone-receptor": "PR",
    "pgr": "PR", "pd-l1": "PDL1",
}  # fmt: skip
_NO_MARKER = frozenset(("ECOG", "AND", "NOT", "HIV", "HBV", "HCV", "THE", "COVID"))
_HEADING = re.compile(r"(?i)\b(inclusion|exclusion)\b[^\n:]{0,30}(?::|$)")
_BULLET = re.compile(r"^\s*(?:[*•–-]|\d{1,2}[.)]|[a-z][.)])\s+")
_CONDITION = re.compile(
    r"(?i)\d|\b(?:within|unless|except|other than|or|and|if|prior|previous|adequate|active|"
    r"uncontrolled|severe|significant|willing|able|known|least|more|less|must not|no )\b"
)
"""What makes a criterion say more than the thing that it names."""


@dataclass(frozen=True)
class Criterion:
    """A criterion as the registration has it, [start, end) of its text, with how the case fits and
    why.
    """

    text: str
    excludes: bool
    start: int
    end: int
    fit: Fit = "unclear"
    why: str = ""


@dataclass(frozen=True)
class Patient:
    """What a case says plainly. ``named`` are concepts by what is said of them: True that the
    patient has it, False that it is denied.
    """

    age: float | None = None
    sex: str = ""
    ecog: int | None = None
    markers: Mapping[str, bool] = field(default_factory=dict)
    named: Mapping[str, bool] = field(default_factory=dict)


def patient_of(case: str) -> Patient:
    """What a case says; reading its concepts takes seconds the first time."""
    from clinfo.patients.entities import find_mentions
    from clinfo.patients.lexicon import standard

    age = _AGE.search(case)
    female, male = _FEMALE.search(case), _MALE.search(case)
    ecog = _ECOG.search(case)
    values = re.findall(r"[0-4]", ecog["values"]) if ecog else []
    said: dict[str, set[bool]] = {}
    for one in find_mentions(case, standard()):
        if one.assertion in ("present", "negated"):
            said.setdefault(one.concept, set()).add(one.assertion == "present")
    return Patient(
        float(age[1] or age[2]) if age else None,
        "" if bool(female) == bool(male) else "female" if female else "male",
        int(values[0]) if len(values) == 1 else None,
        markers(case),
        {concept: True in has for concept, has in said.items() if len(has) == 1},
    )


def markers(text: str) -> dict[str, bool]:
    """Markers that are said to be positive (True) or negative; none of which both is said."""
    found: dict[str, set[bool]] = {}
    for match in _MARKER.finditer(text):
        name = _NAMES.get(match["name"].lower(), match["name"].upper())
        value = match["value"].lower()
        if name not in _NO_MARKER:
            negative = value in ("-", "−") or value.startswith(("negative", "wild"))
            found.setdefault(name, set()).add(not negative)
    return {name: values.pop() for name, values in found.items() if len(values) == 1}


def criteria(text: str) -> Iterator[Criterion]:
    """The criteria of a registration's eligibility text, a line or an entry of a list each."""
    excludes, at = False, 0
    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        heading, body = _HEADING.search(line), _BULLET.sub("", line).strip()
        if heading and len(body) < 60:
            excludes = heading[1].lower() == "exclusion"
        elif len(body) > 3:
            first = start + line.find(body)
            yield Criterion(body, excludes, first, first + len(body))


def against(one: Criterion, patient: Patient) -> tuple[Fit, str]:
    """How a case fits a criterion, and why."""
    if not one.excludes and patient.ecog is not None and (asked := _ECOG.search(one.text)):
        values = [int(value) for value in re.findall(r"[0-4]", asked["values"])]
        most = max(values) - (1 if asked["sign"] == "<" else 0)
        least = 0 if asked["sign"] or len(values) == 1 else min(values)
        return _said(least <= patient.ecog <= most, f"ECOG {patient.ecog}")
    asked_for = markers(one.text)
    shared = {name for name in asked_for if name in patient.markers}
    if asked_for and shared:
        same = {name for name in shared if asked_for[name] == patient.markers[name]}
        told = ", ".join(
            f"{name} {'positive' if patient.markers[name] else 'negative'}"
            for name in sorted(shared)
        )
        if one.excludes:
            plain = len(asked_for) == 1 and not _CONDITION.search(_MARKER.sub("", one.text))
            return _said(not same, told) if plain or not same else ("unclear", told)
        if shared - same:
            either = any(_alternative(one.text, match) for match in _MARKER.finditer(one.text))
            return ("unclear", told) if either else ("does not fit", told)
        return ("fits", told) if same == set(asked_for) else ("unclear", told)
    return _named(one, patient)


def _alternative(text: str, marker: re.Match[str]) -> bool:
    """Return whether "or" stands right beside the status of a marker."""
    before, after = text[: marker.start()], text[marker.end() :]
    return bool(re.search(r"(?i)\bor\s*$", before) or re.match(r"(?i)[\s,]*or\b", after))


def _named(one: Criterion, patient: Patient) -> tuple[Fit, str]:
    """How a case fits a criterion that names one thing and nothing else."""
    from clinfo.patients.entities import find_mentions
    from clinfo.patients.lexicon import standard

    if _CONDITION.search(one.text) or len(one.text.split()) > 12:
        return "unclear", ""
    concepts = {mention.concept for mention in find_mentions(one.text, standard())}
    known = [concept for concept in concepts if concept in patient.named]
    if len(concepts) != 1 or not known:
        return "unclear", ""
    has = patient.named[known[0]]
    return _said(has != one.excludes, f"{'has' if has else 'denied'}: {known[0]}")


def limits(fields: Mapping[str, str], patient: Patient) -> Iterator[tuple[str, Fit, str]]:
    """Ages and sex as the registration has them in fields: the criterion, the fit, why."""
    low, high = (_years(fields.get(f"{name}_age", "")) for name in ("minimum", "maximum"))
    if low is not None or high is not None:
        ends = (fields.get("minimum_age") or "0", fields.get("maximum_age") or "any")
        text = f"age {ends[0]} to {ends[1]}"
        if patient.age is None:
            yield text, "unclear", ""
        else:
            fits = (low or 0.0) <= patient.age and (high is None or patient.age < high + 1)
            yield text, *_said(fits, f"{patient.age:g} years")
    sex = fields.get("sex", "").lower()
    if sex in ("male", "female"):
        fit, why = _said(patient.sex == sex, patient.sex)
        yield f"sex {sex}", fit if patient.sex else "unclear", why


def _years(text: str) -> float | None:
    match = re.match(r"\s*(\d+)\s*(year|month|week|day)", text.lower())
    return float(match[1]) * YEARS[match[2]] if match else None


def _said(fits: bool, why: str) -> tuple[Fit, str]:
    return ("fits" if fits else "does not fit"), why
