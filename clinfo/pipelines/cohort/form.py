"""The logical form of criteria: typed values with their JSON, read, written and as a schema.
`query` reads them from a line of text, `query_text` writes that.

{"has": "Hypertension", "kind": "condition", "certainty": "suspected", "when": "current"}
{"has": "Asthma", "subject": "family"}    {"has": "Asthma", "since": "2015", "when": "new"}
{"has": "Stroke", "age_to": 54}
{"age": {"from": 18, "to": 64, "at": "2022"}}    {"sex": "female"}    {"dead": true}
{"value": "ecog", "from": 0, "to": 2, "when": "latest"}    {"value": "bmi", "from": 35,
"strict": true}    {"gene": ["EGFR"], "change": "L858R"}
{"and": [...]}  {"or": [...]}  {"not": …}  {"before": [A, B], "within_days": 90}
{"at_least": 2, "of": [...]}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import (
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    Strict,
    TypeAdapter,
    ValidationError,
)
from pydantic_core import core_schema

from clinfo.errors import UsageError
from clinfo.patients.quantities import quantities
from clinfo.pipelines.cohort.facts import ORDERED, STATED, Certainty, Subject

DEEPEST = 40
CODES = "; ".join(
    f"{code}: {gloss}"
    for code, gloss in (
        *ORDERED.items(),
        *((code, f"in said, one of {', '.join(words)}") for code, words in STATED.items()),
        *((code, one.glossed) for code, one in quantities().items()),
    )
)
"""The codes of values, each with what it is and its unit."""
if TYPE_CHECKING:
    _Code = str
else:
    _Code = Literal[(*ORDERED, *STATED, *quantities())]
_TIME = r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?"
_SPAN = r"\d{1,3} (days|weeks|months|years)"
_Name = Annotated[str, Field(pattern=r"[\s\S]*\S[\s\S]*")]
_Flag = Annotated[bool, Strict()]
_Number = Annotated[float, Strict(), Field(allow_inf_nan=False)]
_Years = Annotated[int, Strict(), Field(ge=0, le=150)]
_Count = Annotated[int, Strict(), Field(ge=1, le=10_000)]
_Since = Annotated[str, Field(pattern=rf"^({_TIME}|{_SPAN})?$")]
_From = Annotated[
    _Since,
    Field(description="first year, month or day (2022-01-31), or a span before today: 6 months"),
]
_Until = Annotated[
    _Since, Field(description="last year, month or day, or longer ago than a span: 2 years")
]
_Day = Annotated[str, Field(pattern=rf"^({_TIME})?$", description="a year or a day; empty: today")]
_Aged = Annotated[_Years | None, Field(description="age in years when it was first stated")]
When = Literal["ever", "current", "latest", "at diagnosis", "new"]
_When = Annotated[
    When,
    Field(
        description="ever; current: stated in the last year of notes and not ended, or coded "
        "active without an end; new: first "
        "stated between since and until; latest, at diagnosis: the last or first of the values"
    ),
]


@dataclass(frozen=True, slots=True)
class Has:
    """The record states what ``concept`` names or a kind of it, at least ``times`` times on
    different days; ``other_than`` are kinds that do not count.

    ``kind`` is "" where any will do. ``since`` and ``until`` are the first and the last year, month
    or day (ISO 8601) of a note that counts, or a span before the day of asking ("2 years");
    "new" is what is first stated within them. ``subject`` is who has it. ``age_from`` and
    ``age_to`` are the years that the patient had reached when it was first stated.
    """

    concept: Annotated[_Name, Field(alias="has")]
    kind: Annotated[
        Literal["", "condition", "drug", "procedure", "allergy", "complaint", "observation"],
        Field(description="what the name is; empty: any of them"),
    ] = ""
    certainty: Certainty = "confirmed"
    when: _When = "ever"
    times: Annotated[_Count, Field(description="stated on at least so many days")] = 1
    other_than: Annotated[tuple[_Name, ...], Field(description="kinds that do not count")] = ()
    since: _From = ""
    until: _Until = ""
    subject: Annotated[Subject, Field(description="who has it")] = "patient"
    age_from: _Aged = None
    age_to: _Aged = None


@dataclass(frozen=True, slots=True)
class Value:
    """A stated value within [low, high], with ``strict`` between them; None is no bound. ``name``
    is a code of `values` or `quantities`; of one in parts ``high`` takes in its own: stage 2 those
    from IIA to IIC. ``said`` is a value in words. ``since`` and ``until`` are as those of `Has`.
    """

    name: Annotated[_Code, Field(alias="value", description=CODES)]
    low: Annotated[_Number | None, Field(alias="from")] = None
    high: Annotated[_Number | None, Field(alias="to")] = None
    when: _When = "latest"
    said: str = ""
    strict: Annotated[_Flag, Field(description="the bounds themselves do not count")] = False
    since: _From = ""
    until: _Until = ""


@dataclass(frozen=True, slots=True)
class Age:
    """Years reached, within [low, high]; ``at`` is a year or a day, "" the day of asking."""

    low: Annotated[_Years | None, Field(alias="from")] = None
    high: Annotated[_Years | None, Field(alias="to")] = None
    at: _Day = ""


@dataclass(frozen=True, slots=True)
class Sex:
    """The patient's sex as noted."""

    sex: Literal["female", "male"]


@dataclass(frozen=True, slots=True)
class Dead:
    """The patient's death is documented, or, with ``dead`` false, life at or after ``at``."""

    dead: _Flag
    at: _Day = ""


@dataclass(frozen=True, slots=True)
class Gene:
    """A change of one of ``genes``: ``change`` a kind of it ("mutation", "fusion",
    "amplification", "deletion", "V600E", "exon 19 deletion", "wild type", …), ``origin`` germline
    or somatic, ``nature`` ("pathogenic", "actionable") where it was asked for; ``other_than`` are
    changes that do not count.
    """

    genes: Annotated[tuple[_Name, ...], Field(alias="gene", min_length=1)]
    change: Annotated[
        str,
        Field(
            description="alteration (any), mutation, fusion, amplification, deletion, wild type, "
            "positive, negative, V600E, exon 19 deletion, …"
        ),
    ] = "alteration"
    nature: str = ""
    origin: Literal["", "germline", "somatic"] = ""
    other_than: tuple[_Name, ...] = ()


@dataclass(frozen=True, slots=True)
class And:
    """All of them."""

    parts: Annotated[Forms, Field(alias="and")]


@dataclass(frozen=True, slots=True)
class Or:
    """Any of them."""

    parts: Annotated[Forms, Field(alias="or")]


@dataclass(frozen=True, slots=True)
class Not:
    """None of it is documented; with ``stated`` its absence is."""

    part: Annotated[Form, Field(alias="not")]
    stated: Annotated[
        _Flag, Field(description="true: a note must deny it; false: nothing affirms it")
    ] = False


@dataclass(frozen=True, slots=True)
class Before:
    """The first of the one part is earlier than the first of the other; with ``within_days``, any
    of the one on the same day as any of the other or at most so many days earlier.
    """

    parts: Annotated[Forms, Field(alias="before", min_length=2, max_length=2)]
    within_days: Annotated[int, Strict(), Field(ge=0)] | None = None


@dataclass(frozen=True, slots=True)
class AtLeast:
    """At least ``count`` of the parts."""

    count: Annotated[_Count, Field(alias="at_least")]
    parts: Annotated[Forms, Field(alias="of")]


class _Told:
    """Tells a form in JSON by the first of `SHAPES` that is a member."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        choices = {name: handler.generate_schema(kind) for name, kind in SHAPES.items()}
        choices["age"] = core_schema.no_info_before_validator_function(
            _alone,
            choices["age"],
            serialization=core_schema.wrap_serializer_function_ser_schema(
                lambda age, written: {"age": written(age)}
            ),
        )
        union = core_schema.tagged_union_schema(choices, _shape)
        return core_schema.with_info_wrap_validator_function(_read, union)


Leaf: TypeAlias = Has | Value | Age | Sex | Dead | Gene
Form: TypeAlias = Annotated[Leaf | And | Or | Not | Before | AtLeast, _Told()]
Forms: TypeAlias = Annotated[tuple[Form, ...], Field(min_length=1)]
SHAPES: Mapping[str, type[Any]] = {
    "has": Has, "value": Value, "age": Age, "sex": Sex, "dead": Dead, "gene": Gene, "and": And,
    "or": Or, "not": Not, "before": Before, "at_least": AtLeast,
}  # fmt: skip
"""The types of forms by the member of their JSON that tells them."""


def _shape(form: Any) -> str | None:
    if isinstance(form, Mapping):
        return next((name for name in SHAPES if name in form), None)
    return next((name for name, kind in SHAPES.items() if type(form) is kind), None)


def _given(data: Any) -> Any:
    """The members that are not null; a whole number is one however it is written."""
    if not isinstance(data, Mapping):
        return data
    return {
        name: int(one) if isinstance(one, float) and one.is_integer() else one
        for name, one in data.items()
        if one is not None
    }


def _alone(data: Any) -> Any:
    if len(data) > 1 or not isinstance(data["age"], Mapping):
        raise ValueError("age stands alone and is an object")
    return _given(data["age"])


def _read(data: Any, read: Any, info: core_schema.ValidationInfo) -> Form:
    """A form of its JSON, refused where it cannot be meant; one of a list is itself."""
    above: list[Any] = info.context  # type: ignore[assignment]
    if len(above) > DEEPEST:
        raise ValueError(f"more than {DEEPEST} forms stand within each other")
    above.append(data)
    form: Form = read(_given(data))
    above.pop()
    match form:
        case And((only,)) | Or((only,)):
            return only
        case Age(low, high) | Has(age_from=low, age_to=high) | Value(low=low, high=high):
            if low is not None and high is not None and low > high:
                raise ValueError("from is above to")
    match form:
        case Age(None, None) | Value(_, None, None, said=""):
            raise ValueError("wants from, to or both")
        case Value(name, said=said) if name in STATED and said not in STATED[name]:
            raise ValueError(f"said: is none of {', '.join(STATED[name])}")
        case Value(_, None, None, strict=True):
            return replace(form, strict=False)
        case Value(_, low, high, strict=True) if low == high:
            raise ValueError("nothing lies strictly between a number and itself")
        case AtLeast(count, parts) if len({*parts}) < max(len(parts), count):
            raise ValueError("names a part twice, or fewer parts than it wants")
    return form


def parts_of(form: Form) -> tuple[Form, ...]:
    """The forms that stand within a form; none within a single criterion."""
    if isinstance(form, Not):
        return (form.part,)
    return () if isinstance(form, Leaf) else form.parts


def every(form: Form) -> Iterator[Form]:
    """A form and all that stand within it, in order."""
    yield form
    for part in parts_of(form):
        yield from every(part)


_SHOWN = 60
_FORM = {"$ref": "#/$defs/form"}
_HOLDS_FORMS = ("and", "or", "not", "before", "of")
_TOLD = {
    "union_tag_not_found": f"no object with one of {', '.join(SHAPES)}",
    "unexpected_keyword_argument": "there is no such member",
    "missing": "it is missing",
    "string_pattern_mismatch": "no year, month or day (2022-01-31), nor a span (2 years)",
}
"""Words for a fault where the library's are of its own things."""


@cache
def _adapter() -> TypeAdapter[Form]:
    return TypeAdapter(Form, config=ConfigDict(extra="forbid"))


def to_json(form: Form) -> dict[str, Any]:
    """The JSON of a form; what is as by default is left out."""
    made: dict[str, Any] = _adapter().dump_python(
        form, mode="json", by_alias=True, exclude_defaults=True
    )
    return made


def from_json(data: object) -> Form:
    """The form of its JSON. Members that are null are as by default. Raises UsageError that names
    the first place where it is none.
    """
    try:
        return _adapter().validate_python(data, context=[])
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        place, given = _place(wrong["loc"]), wrong["input"]
        told = _TOLD.get(
            wrong["type"], wrong["msg"].removeprefix("Value error, ").removeprefix("Input ")
        )
        told = "is empty" if given == "" else f"{given!r:.{_SHOWN}}: {told}"
        raise UsageError(f"not a logical form: {place}: {told}") from None


def _place(loc: Sequence[int | str]) -> str:
    """The place in the JSON, which has no word for the shape of a form unless that stands alone."""
    told, is_form = "", True
    for one in loc:
        if isinstance(one, int):
            told += f"[{one}]"
            continue
        told += f".{one}" if not is_form or one == "age" else ""
        is_form = not is_form and one in _HOLDS_FORMS
    return told.lstrip(".") or "the whole"


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
    known = _adapter().json_schema()["$defs"]
    made: dict[str, Any] = {"form": {"anyOf": [{"$ref": f"#/$defs/{name}"} for name in SHAPES]}}
    for name, kind in SHAPES.items():
        own = known[kind.__name__]
        needed = own.get("required", [])
        members = {
            member: schema if member in needed else {"anyOf": [schema, {"type": "null"}]}
            for member, whole in own["properties"].items()
            for schema in [_plain(whole)]
        }
        made[name] = _closed(members, [*members] if every else needed)
    made["age"] = _closed({"age": made["age"]}, ["age"])
    return made


def _closed(members: dict[str, Any], needed: Sequence[str]) -> dict[str, Any]:
    return {"type": "object", "properties": members, "required": needed,
            "additionalProperties": False}  # fmt: skip


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """A member's schema without what is said twice, and a form where one stands."""
    if "oneOf" in schema:
        return _FORM
    kept = {name: one for name, one in schema.items() if name not in ("title", "default", "anyOf")}
    if "items" in kept:
        kept["items"] = _plain(kept["items"])
    return {**schema["anyOf"][0], **kept} if "anyOf" in schema else kept
