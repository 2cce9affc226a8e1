"""Fields that a visitor sends, declared once: the checks and the OpenAPI document are made of these
types. What cannot be used is a FieldError, which names the field as the HTTP interface has it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, TypeVar

from pydantic import (
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    ValidationError,
    WithJsonSchema,
)
from pydantic_core import CoreSchema

from clinfo.errors import FieldError, PromptError, UsageError
from clinfo.llm import Prompt, PromptSet
from clinfo.pipelines import pipeline
from clinfo.runs import Given, fault
from webapp.settings import WebSettings

Json = dict[str, Any]
MAX_KEY: Final = 500
"""Characters of a visitor's key."""

Texts = Annotated[tuple[str, ...], Field(strict=False)]
"""A list of texts."""
Model = Annotated[
    Any, WithJsonSchema({"type": "string", "description": "The model of every stage."})
]
"""One of the models on offer, which `one_of` looks up."""
Seconds = Annotated[Any, WithJsonSchema({"type": "number", "exclusiveMinimum": 0})]
"""A deadline, which `seconds` holds against the host's."""
Key = Annotated[
    Any,
    WithJsonSchema(
        {
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_KEY,
            "pattern": "^[!-~]+$",
            "writeOnly": True,
            "description": "The asker's own key for the provider of the model. Never stored in "
            "plain text, never shown.",
        }
    ),
]
"""A visitor's own key; no message repeats it."""


class Fields(Given):
    """Fields that may be sent, by name; null counts as not given."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> Json:
        made = handler(core)
        schema = handler.resolve_ref_schema(made)
        needed = schema.get("required", ())
        schema["properties"] = {
            name: one if name in needed else or_null(one)
            for name, one in schema["properties"].items()
        }
        return made


Sent = TypeVar("Sent", bound=Fields)


def or_null(schema: Json) -> Json:
    """A field that may be null. An enumeration needs no type beside it, of which makers of clients
    would make several types.
    """
    kind, null = schema.get("type"), {"type": "null"}
    if "enum" in schema or "const" in schema:
        values = schema["enum"] if "enum" in schema else [schema["const"]]
        rest = {name: one for name, one in schema.items() if name not in ("type", "const")}
        return rest | {"enum": [*(one for one in values if one is not None), None]}
    if kind:
        return schema | {"type": kind if isinstance(kind, list) else [kind, "null"]}
    told = {name: one for name, one in schema.items() if name == "description"}
    kinds = (
        schema["anyOf"]
        if "anyOf" in schema
        else [{k: v for k, v in schema.items() if k not in told}]
    )
    return told | {"anyOf": kinds if null in kinds else [*kinds, null]}


def texts_of(names: Iterable[str], longest: int) -> Json:
    """Further words of a schema: texts by these names, and no other."""
    properties = {name: {"type": "string", "maxLength": longest} for name in names}
    return {"properties": properties, "additionalProperties": False}


def read(kind: type[Sent], sent: Mapping[str, Any]) -> Sent:
    """The fields that were sent. Raises FieldError for the first field that cannot be used."""
    try:
        return kind.model_validate(sent)
    except ValidationError as error:
        field, told = fault(error, kind, "unknown field")
    field, _, inner = field.partition(".")
    raise FieldError(field, f"{inner} {told}".strip())


def asked_of(kind: type[Sent], of: str, given: Mapping[str, Any]) -> tuple[Sent, dict[str, Any]]:
    """The fields of what was sent to the pipeline ``of`` that are this app's, and the options that
    it declares for HTTP, which hold a question. Raises FieldError.
    """
    options = pipeline(of).options
    declared = options.at("http")
    own = read(kind, {name: given[name] for name in given if name not in declared})
    chosen = options.checked({name: given[name] for name in given if name in declared})
    if not chosen.get("question"):
        raise FieldError("question", "must not be empty")
    return own, chosen


def checked_prompt(known: PromptSet, name: str, text: str) -> Prompt:
    """An edited prompt. Raises FieldError."""
    if name not in known.names:
        raise FieldError("prompts", f"{name[:60]} is none of: {', '.join(known.names)}")
    try:
        return known.parse(name, text)
    except PromptError as error:
        raise FieldError(f"prompts.{name}", str(error)) from None


def refuse(*faults: tuple[object, str, str]) -> None:
    """Raise FieldError for the first of ``faults`` that is there, each with its field and what is
    said of it.
    """
    for found, field, told in faults:
        if found:
            raise FieldError(field, told)


def one_of(models: Sequence[str], model: Any) -> str:
    """The model that is chosen of those on offer, the first where None."""
    if model is not None and model not in models:
        raise FieldError("model", f"is not available here; choose one of: {', '.join(models)}")
    return str(model or models[0])


def seconds(value: object, web: WebSettings) -> float:
    """The deadline, the host's longest where none is given."""
    longest = web.longest_seconds
    if value is None:
        return longest
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= longest:
        raise FieldError("max_seconds", f"must be a number above 0 and at most {longest:,g}")
    return float(value)


def of_flag(error: UsageError, fields: Collection[str], rest: str) -> FieldError:
    """An error that begins with a flag of the command line, as one of the field of its name; any
    other at ``rest``.
    """
    if isinstance(error, FieldError):
        return error
    flag, _, told = str(error).partition(" ")
    name = flag.removeprefix("--").replace("-", "_")
    named = flag.startswith("--") and name in fields
    return FieldError(name, told) if named else FieldError(rest, str(error))
