"""The JSON of logical forms: one table of shapes, from which come the schema, the check, the
reading and the writing.

Each row is a type of `form` by the member that tells it: its members' names in JSON, the fields
that they fill, and their schemas.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from functools import cache
from typing import Any, NoReturn, get_args

from clinfo.errors import UsageError
from clinfo.pipelines.cohort.facts import Certainty, Subject
from clinfo.pipelines.cohort.form import (
    Age,
    And,
    AtLeast,
    Before,
    Dead,
    Form,
    Gene,
    Has,
    Not,
    Or,
    Sex,
    Value,
    When,
)  # fmt: skip
from clinfo.pipelines.cohort.quantities import quantities
from clinfo.pipelines.cohort.values import ORDERED, STATED

Schema = Mapping[str, Any]


def closed(**fields: Schema) -> Schema:
    """An object with exactly these fields."""
    return {"type": "object", "properties": fields, "required": [*fields],
            "additionalProperties": False}  # fmt: skip


def one_of(choices: Sequence[str]) -> Schema:
    """One of these texts."""
    return {"type": "string", "enum": [*choices]}


def list_of(item: Schema) -> Schema:
    """Any number of these."""
    return {"type": "array", "items": item}


DEEPEST = 40
_SHOWN = 60
_TIME = r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?"
_SPAN = r"\d{1,3} (days|weeks|months|years)"
_TEXT = {"type": "string"}
_NAME = {"type": "string", "pattern": r"[\s\S]*\S[\s\S]*"}
_FLAG = {"type": "boolean"}
_NUMBER = {"type": "number"}
_YEARS = {"type": "integer", "minimum": 0, "maximum": 150}
_COUNT = {"type": "integer", "minimum": 1, "maximum": 10_000}
_AT = {"type": "string", "pattern": rf"^({_TIME})?$"}
_SINCE = {"type": "string", "pattern": rf"^({_TIME}|{_SPAN})?$"}
_FORM = {"$ref": "#/$defs/form"}
_FORMS = {**list_of(_FORM), "minItems": 1}
KINDS = ("", "condition", "drug", "procedure", "allergy", "complaint", "observation")


def _glossed(schema: Schema, gloss: str) -> Schema:
    return {**schema, "description": gloss}


CODES = "; ".join(
    f"{code}: {gloss}"
    for code, gloss in (
        *ORDERED.items(),
        *((code, f"in said, one of {', '.join(words)}") for code, words in STATED.items()),
        *((code, one.glossed) for code, one in quantities().items()),
    )
)
"""The codes of values, each with what it is and its unit."""
_CODES = _glossed(one_of((*ORDERED, *STATED, *quantities())), CODES)
_KIND = _glossed(one_of(KINDS), "what the name is; empty: any of them")
_WHEN = _glossed(
    one_of(get_args(When)),
    "ever; current: stated in the last year of notes and not ended; new: first stated between "
    "since and until; latest, at diagnosis: the last or first of the values",
)
_TIMES = _glossed(_COUNT, "stated on at least so many days")
_FROM = _glossed(_SINCE, "first year, month or day (2022-01-31), or a span before today: 6 months")
_UNTIL = _glossed(_SINCE, "last year, month or day, or longer ago than a span: 2 years")
_CHANGE = _glossed(
    _TEXT,
    "alteration (any), mutation, fusion, amplification, deletion, wild type, positive, negative, "
    "V600E, exon 19 deletion, …",
)
_DENIED = _glossed(_FLAG, "true: a note must deny it; false: nothing affirms it")
_DAY = _glossed(_AT, "a year or a day; empty: today")
_AGED = _glossed(_YEARS, "age in years when it was first stated")


@dataclass(frozen=True, slots=True)
class Shape:
    """A row: ``members`` are fields (two, where a list fills them) and schemas by the members'
    names; ``inside`` where they stand in an object of their own under the name that tells the
    shape.
    """

    makes: type[Any]
    members: Mapping[str, tuple[str, Schema]]
    inside: bool = False

    def defaults(self) -> dict[str, Any]:
        """What a field is where nothing is said; a field that is not in it has to be said, and so
        has what tells the shape.
        """
        told = "" if self.inside else next(iter(self.members.values()))[0]
        return {
            one.name: one.default
            for one in fields(self.makes)
            if one.default is not MISSING and one.name != told
        }


SHAPES: Mapping[str, Shape] = {
    "has": Shape(Has, {
        "has": ("concept", _NAME), "kind": ("kind", _KIND),
        "certainty": ("certainty", one_of(get_args(Certainty))),
        "when": ("when", _WHEN), "times": ("times", _TIMES),
        "other_than": ("other_than", _glossed(list_of(_NAME), "kinds that do not count")),
        "since": ("since", _FROM), "until": ("until", _UNTIL),
        "subject": ("subject", _glossed(one_of(get_args(Subject)), "who has it")),
        "age_from": ("age_from", _AGED), "age_to": ("age_to", _AGED),
    }),
    "value": Shape(Value, {
        "value": ("name", _CODES), "from": ("low", _NUMBER), "to": ("high", _NUMBER),
        "when": ("when", _WHEN), "said": ("said", _TEXT),
        "strict": ("strict", _glossed(_FLAG, "the bounds themselves do not count")),
        "since": ("since", _FROM), "until": ("until", _UNTIL),
    }),
    "age": Shape(
        Age, {"from": ("low", _YEARS), "to": ("high", _YEARS), "at": ("at", _DAY)}, inside=True
    ),
    "sex": Shape(Sex, {"sex": ("sex", one_of(("female", "male")))}),
    "dead": Shape(Dead, {"dead": ("dead", _FLAG), "at": ("at", _DAY)}),
    "gene": Shape(Gene, {
        "gene": ("genes", {**list_of(_NAME), "minItems": 1}), "change": ("change", _CHANGE),
        "nature": ("nature", _TEXT), "origin": ("origin", one_of(("", "germline", "somatic"))),
        "other_than": ("other_than", list_of(_NAME)),
    }),
    "and": Shape(And, {"and": ("parts", _FORMS)}),
    "or": Shape(Or, {"or": ("parts", _FORMS)}),
    "not": Shape(Not, {"not": ("part", _FORM), "stated": ("stated", _DENIED)}),
    "before": Shape(Before, {
        "before": ("first second", {**_FORMS, "minItems": 2, "maxItems": 2}),
        "within_days": ("within_days", {"type": "integer", "minimum": 0}),
    }),
    "at_least": Shape(AtLeast, {"at_least": ("count", _COUNT), "of": ("parts", _FORMS)}),
}  # fmt: skip


def to_json(form: Form) -> dict[str, Any]:
    """The JSON of a form; what is as by default is left out."""
    name, shape = next((name, one) for name, one in SHAPES.items() if one.makes is type(form))
    defaults = shape.defaults()
    said = {}
    for member, (filled, _) in shape.members.items():
        values = [getattr(form, field) for field in filled.split()]
        value = values[0] if len(values) == 1 else tuple(values)
        if filled not in defaults or value != defaults[filled]:
            said[member] = _written(value)
    return {name: said} if shape.inside else said


def _written(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_written(one) for one in value]
    return to_json(value) if type(value) in {one.makes for one in SHAPES.values()} else value


def from_json(data: object, at: str = "", depth: int = 0) -> Form:
    """The form of its JSON; ``at`` is its place in a larger one. Members that are null are as by
    default. Raises UsageError that names the first place where it is none.
    """
    given = data if isinstance(data, Mapping) else {}
    held: Mapping[str, Any] = {name: one for name, one in given.items() if one is not None}
    name = next((name for name in SHAPES if name in held), None)
    if name is None:
        _wrong(at, f"{_short(data)} is no object with one of {', '.join(SHAPES)}")
    if depth > DEEPEST:
        _wrong(at, f"more than {DEEPEST} forms stand within each other")
    shape, defaults = SHAPES[name], SHAPES[name].defaults()
    if shape.inside:
        if len(held) > 1 or not isinstance(held[name], Mapping):
            _wrong(at, f"{_short(data)}: {name} stands alone and is an object")
        held, at = held[name], f"{at}.{name}"
    if strange := [str(member) for member in held if member not in shape.members]:
        _wrong(f"{at}.{strange[0]}", f"is none of {', '.join(shape.members)}")
    made = dict(defaults)
    for member, (filled, schema) in shape.members.items():
        value, place = held.get(member), f"{at}.{member}"
        if value is None:
            if filled not in defaults:
                _wrong(place, "is missing")
            continue
        _check(value, schema, place)
        read = _read(value, schema, place, depth)
        made.update(zip(filled.split(), read, strict=True) if " " in filled else [(filled, read)])
    form: Form = shape.makes(**made)
    if isinstance(form, (And, Or)) and len(form.parts) == 1:
        return form.parts[0]
    bounds = (made.get("low"), made.get("high"), made.get("said"))
    if isinstance(form, (Age, Value)) and not any(one is not None and one != "" for one in bounds):
        _wrong(at, "wants from, to or both")
    if isinstance(form, Value) and form.name in STATED and form.said not in STATED[form.name]:
        _wrong(f"{at}.said", f"is none of {', '.join(STATED[form.name])}")
    for first, last in (("low", "high"), ("age_from", "age_to")):
        low, high = made.get(first), made.get(last)
        if low is not None and high is not None and low > high:
            _wrong(at, "from is above to")
    if isinstance(form, Value) and form.strict and form.low == form.high:
        if form.low is not None:
            _wrong(at, "nothing lies strictly between a number and itself")
        form = replace(form, strict=False)
    if isinstance(form, AtLeast) and len({*form.parts}) < max(len(form.parts), form.count):
        _wrong(at, "names a part twice, or fewer parts than it wants")
    return form


def _read(value: Any, schema: Schema, at: str, depth: int) -> Any:
    if schema is _FORM:
        return from_json(value, at, depth + 1)
    if isinstance(value, list):
        item = schema["items"]
        return tuple(_read(one, item, f"{at}[{n}]", depth) for n, one in enumerate(value))
    return int(value) if schema.get("type") == "integer" else value


_TYPES: Mapping[str, tuple[type[Any], ...]] = {
    "string": (str,), "boolean": (bool,), "number": (int, float), "integer": (int, float),
    "array": (list,),
}  # fmt: skip


def _check(value: Any, schema: Schema, at: str) -> None:
    """Raise UsageError where a value is not as a schema of the table wants it."""
    kind = schema.get("type", "")
    if not kind:
        return
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "boolean"):
        _wrong(at, f"{_short(value)} is no {kind}")
    if number and (not math.isfinite(value) or (kind == "integer" and value != int(value))):
        _wrong(at, f"{_short(value)} is no {kind}")
    if "enum" in schema and value not in schema["enum"]:
        _wrong(at, f"{_short(value)} is none of {', '.join(filter(None, schema['enum']))}")
    if "pattern" in schema and not re.fullmatch(schema["pattern"], value):
        wanted = "is empty" if schema is _NAME else "is no year, month or day (2022-01-31)"
        _wrong(at, f"{_short(value)} {wanted}" + (" or span (2 years)" if schema is _SINCE else ""))
    size = len(value) if kind == "array" else value
    least, most = (
        schema.get("minItems" if kind == "array" else "minimum"),
        schema.get("maxItems" if kind == "array" else "maximum"),
    )
    if (least is not None and size < least) or (most is not None and size > most):
        span = f"at least {least}" + (f" and at most {most}" if most is not None else "")
        _wrong(at, f"{_short(value)}: {span} wanted")
    for number_of, one in enumerate(value if kind == "array" else ()):
        _check(one, schema["items"], f"{at}[{number_of}]")


def _short(value: object) -> str:
    return repr(value)[:_SHOWN]


def _wrong(at: str, what: str) -> NoReturn:
    raise UsageError(f"not a logical form: {at.lstrip('.') or 'the whole'}: {what}")


@cache
def form_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of a form, as ``clinfo cohort schema`` prints it."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Logical form of criteria of clinfo cohort",
        **_FORM,
        "$defs": definitions(every=False),
    }


def definitions(every: bool) -> dict[str, Any]:
    """The schemas of the shapes by name, and "form", any of them; with ``every`` no member may be
    left out, as providers that hold a model to a schema want it: null says what is as by default.
    """
    made: dict[str, Any] = {"form": {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in SHAPES]}}
    for name, shape in SHAPES.items():
        defaults = shape.defaults()
        members = {
            member: {"anyOf": [schema, {"type": "null"}]} if filled in defaults else schema
            for member, (filled, schema) in shape.members.items()
        }
        needed = [
            member for member, (filled, _) in shape.members.items()
            if every or filled not in defaults
        ]  # fmt: skip
        own = {**closed(**members), "required": needed}
        made[name] = closed(**{name: own}) if shape.inside else own
    return made
