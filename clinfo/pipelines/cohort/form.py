"""The logical form of criteria: typed values, and their JSON.

{"has": "Hypertension", "kind": "condition", "certainty": "suspected", "when": "current"}
{"has": "Asthma", "subject": "family"}    {"has": "Asthma", "since": "2015", "when": "new"}
{"age": {"from": 18, "to": 64, "at": "2022"}}    {"sex": "female"}    {"dead": true}
{"value": "ecog", "from": 0, "to": 2, "when": "latest"}    {"value": "bmi", "from": 35,
"strict": true}    {"gene": "EGFR", "change": "L858R"}
{"and": [...]}  {"or": [...]}  {"not": …}  {"before": [A, B], "within_days": 90}
{"at_least": 2, "of": [...]}
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from clinfo.errors import UsageError
from clinfo.pipelines.cohort.facts import Certainty, FactKind, Subject

When = Literal["ever", "current", "latest", "at diagnosis", "new"]
_DEEPEST = 40
_TIME = r"\d{4}(?:-\d\d(?:-\d\d)?)?"
_SPAN = r"\d{1,3} (?:days|weeks|months|years)"


@dataclass(frozen=True, slots=True)
class Has:
    """The record states what ``concept`` names or a kind of it, at least ``times`` times on
    different days; ``other_than`` are kinds that do not count.

    ``kind`` is "" where any will do. ``since`` and ``until`` are the first and the last year, month
    or day (ISO 8601) of a note that counts, ``since`` also a span before the day of asking
    ("2 years"); "new" is what is first stated within them. ``subject`` is who has it.
    """

    concept: str
    kind: FactKind | Literal[""] = ""
    certainty: Certainty = "confirmed"
    when: When = "ever"
    times: int = 1
    other_than: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    subject: Subject = "patient"


@dataclass(frozen=True, slots=True)
class Value:
    """A stated value within [low, high], with ``strict`` between them; None is no bound. ``name``
    is a code of `values` or `quantities`.
    """

    name: str
    low: float | None = None
    high: float | None = None
    when: When = "latest"
    said: str = ""
    strict: bool = False


@dataclass(frozen=True, slots=True)
class Age:
    """Years reached, within [low, high]; ``at`` is a year or a day, "" the day of asking."""

    low: int | None = None
    high: int | None = None
    at: str = ""


@dataclass(frozen=True, slots=True)
class Sex:
    """The patient's sex as noted."""

    sex: Literal["female", "male"]


@dataclass(frozen=True, slots=True)
class Dead:
    """The patient's death is documented, or, with ``dead`` false, life at or after ``at``."""

    dead: bool = True
    at: str = ""


@dataclass(frozen=True, slots=True)
class Gene:
    """A change of one of ``genes``: ``change`` a kind of it ("mutation", "fusion",
    "amplification", "deletion", "V600E", "exon 19 deletion", "wild type", …), ``origin`` germline
    or somatic, ``nature`` ("pathogenic", "actionable") where it was asked for; ``other_than`` are
    changes that do not count.
    """

    genes: tuple[str, ...]
    change: str = "alteration"
    nature: str = ""
    origin: Literal["", "germline", "somatic"] = ""
    other_than: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class And:
    """All of them."""

    parts: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Any of them."""

    parts: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """None of it is documented; with ``stated`` its absence is."""

    part: Form
    stated: bool = False


@dataclass(frozen=True, slots=True)
class Before:
    """The first of ``first`` is earlier than the first of ``second``, by at most
    ``within_days``.
    """

    first: Form
    second: Form
    within_days: int | None = None


@dataclass(frozen=True, slots=True)
class AtLeast:
    """At least ``count`` of the parts."""

    count: int
    parts: tuple[Form, ...]


Leaf: TypeAlias = Has | Value | Age | Sex | Dead | Gene
Form: TypeAlias = Leaf | And | Or | Not | Before | AtLeast


def leaves(form: Form) -> Iterator[Leaf]:
    """The single criteria in order."""
    match form:
        case And(parts) | Or(parts) | AtLeast(_, parts):
            for part in parts:
                yield from leaves(part)
        case Not(part):
            yield from leaves(part)
        case Before(first, second):
            yield from leaves(first)
            yield from leaves(second)
        case _:
            yield form


def mapped(form: Form, change: Callable[[Form], Form]) -> Form:
    """The form with each single criterion as ``change`` gives it."""
    match form:
        case And(parts) | Or(parts):
            return type(form)(tuple(mapped(part, change) for part in parts))
        case AtLeast(count, parts):
            return AtLeast(count, tuple(mapped(part, change) for part in parts))
        case Not(part, stated):
            return Not(mapped(part, change), stated)
        case Before(first, second, days):
            return Before(mapped(first, change), mapped(second, change), days)
    return change(form)


def to_json(form: Form) -> dict[str, Any]:
    """The JSON of a form; what is as by default is left out."""
    match form:
        case Has(concept, kind, certainty, when, times, other_than, since, until, subject):
            return _kept(
                {"has": concept, "kind": kind, "other_than": list(other_than), "since": since,
                 "until": until},
                certainty=(certainty, "confirmed"),
                when=(when, "ever"),
                times=(times, 1),
                subject=(subject, "patient"),
            )  # fmt: skip
        case Value(name, low, high, when, said, strict):
            return _kept(
                {"value": name, "from": low, "to": high, "said": said, "when": when},
                strict=(strict, False),
            )
        case Age(low, high, at):
            return {"age": _kept({"from": low, "to": high, "at": at})}
        case Sex(sex):
            return {"sex": sex}
        case Dead(dead, at):
            return _kept({"dead": dead, "at": at})
        case Gene(genes, change, nature, origin, other_than):
            return _kept(
                {"gene": list(genes), "change": change, "nature": nature, "origin": origin,
                 "other_than": list(other_than)}
            )  # fmt: skip
        case And(parts):
            return {"and": [to_json(part) for part in parts]}
        case Or(parts):
            return {"or": [to_json(part) for part in parts]}
        case Not(part, stated):
            return _kept({"not": to_json(part), "stated": stated or None})
        case Before(first, second, days):
            return _kept({"before": [to_json(first), to_json(second)], "within_days": days})
        case AtLeast(count, parts):
            return {"at_least": count, "of": [to_json(part) for part in parts]}


def from_json(data: object, depth: int = 0) -> Form:
    """The form of its JSON. Raises UsageError where it is none."""
    if not isinstance(data, Mapping) or depth > _DEEPEST:
        raise UsageError(f"not a logical form: {str(data)[:80]}")

    def parts(name: str) -> tuple[Form, ...]:
        value = data[name]
        if not isinstance(value, list) or not value:
            raise UsageError(f'"{name}" of a logical form wants a list of forms')
        return tuple(from_json(part, depth + 1) for part in value)

    try:
        match next((name for name in _MEMBERS if name in data), ""):
            case "has":
                return Has(
                    _text(data, "has"), _one_of(data, "kind", ("", *get_args(FactKind)), ""),
                    _one_of(data, "certainty", get_args(Certainty), "confirmed"),
                    _one_of(data, "when", get_args(When), "ever"),
                    int(data.get("times", 1)), _texts(data, "other_than"),
                    _window(data, "since"), _window(data, "until"),
                    _one_of(data, "subject", get_args(Subject), "patient"),
                )  # fmt: skip
            case "value":
                return Value(
                    _text(data, "value"), _number(data, "from"), _number(data, "to"),
                    _one_of(data, "when", get_args(When), "latest"), str(data.get("said", "")),
                    bool(data.get("strict", False)),
                )  # fmt: skip
            case "age":
                age = data["age"]
                low, high = _number(age, "from"), _number(age, "to")
                return Age(
                    None if low is None else int(low),
                    None if high is None else int(high),
                    str(age.get("at", "")),
                )
            case "sex":
                return Sex(_one_of(data, "sex", ("female", "male"), ""))
            case "dead":
                return Dead(bool(data["dead"]), str(data.get("at", "")))
            case "gene":
                return Gene(
                    _texts(data, "gene"), str(data.get("change", "alteration")),
                    str(data.get("nature", "")),
                    _one_of(data, "origin", ("", "germline", "somatic"), ""),
                    _texts(data, "other_than"),
                )  # fmt: skip
            case "and":
                return And(parts("and"))
            case "or":
                return Or(parts("or"))
            case "not":
                return Not(from_json(data["not"], depth + 1), bool(data.get("stated", False)))
            case "before":
                first, second = parts("before")
                days = _number(data, "within_days")
                return Before(first, second, None if days is None else int(days))
            case "at_least":
                return AtLeast(int(data["at_least"]), parts("of"))
    except (TypeError, ValueError, KeyError, AttributeError):
        pass
    raise UsageError(f"not a logical form: {str(dict(data))[:80]}")


_MEMBERS = (
    "has", "value", "age", "sex", "dead", "gene", "and", "or", "not", "before", "at_least"
)  # fmt: skip


def _kept(data: dict[str, Any], **unless: tuple[Any, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in data.items() if value not in (None, "", [])}
    return kept | {name: value for name, (value, default) in unless.items() if value != default}


def _text(data: Mapping[str, Any], name: str) -> str:
    if not isinstance(data[name], str) or not data[name].strip():
        raise ValueError(name)
    return str(data[name])


def _texts(data: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = data.get(name, [])
    if isinstance(value, str):
        value = [value]
    return tuple(map(str, value))


def _one_of(data: Mapping[str, Any], name: str, among: tuple[str, ...], default: str) -> Any:
    value = data.get(name, default)
    if value not in among:
        raise ValueError(name)
    return value


def _window(data: Mapping[str, Any], name: str) -> str:
    """A year, month or day, or a span of time; "" without one."""
    value = str(data.get(name, ""))
    if value and not re.fullmatch(_TIME if name == "until" else f"{_TIME}|{_SPAN}", value):
        raise ValueError(name)
    return value


def _number(data: Mapping[str, Any], name: str) -> float | None:
    value = data.get(name)
    return None if value is None else float(value)
