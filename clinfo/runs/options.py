"""The options of a request, read off its class: each is a field ``Annotated[KIND, Option(…)]``.

From this come the checks of what a person gives, in one pydantic model, with its JSON schema;
flags, forms and the interface over HTTP are made of it too. A field that is None counts as not
given. No message repeats a question.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cached_property
from types import UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    WithJsonSchema,
    create_model,
)

from clinfo.errors import FieldError
from clinfo.records.request import Option, Place
from clinfo.runs.given import as_given, fault, unknown

Readers = Mapping[str, tuple[Callable[..., Any], dict[str, Any]]]
"""Readers of options by name, which raise FieldError, each with the JSON schema of what it takes.
"""


@dataclass(frozen=True)
class Declared:
    """An option as it is declared: ``field`` is that of the request, ``kind`` its type without
    None.
    """

    field: str
    kind: Any
    default: Any
    option: Option

    @property
    def choices(self) -> tuple[str, ...]:
        """The values that there are, where they are counted."""
        return get_args(self.item) if get_origin(self.item) is Literal else ()

    @property
    def item(self) -> Any:
        """The type of one value, or of each of a list."""
        return get_args(self.kind)[0] if self.several else self.kind

    @property
    def several(self) -> bool:
        """Return whether it takes a list."""
        return get_origin(self.kind) is tuple


def declared(request: type) -> dict[str, Declared]:
    """The options of a class of requests by name, in the order of its fields."""
    hints = get_type_hints(request, include_extras=True)
    made: dict[str, Declared] = {}
    for each in fields(request):
        kind, *marks = get_args(hints[each.name]) or (None,)
        option = next((one for one in marks if isinstance(one, Option)), None)
        if option is None:
            continue
        if get_origin(kind) in (Union, UnionType):
            kind = get_args(kind)[0]
        made[option.name or each.name] = Declared(each.name, kind, each.default, option)
    return made


class Options(dict[str, Declared]):
    """The options of a class of requests by name, with the ``readers`` of those that are read in a
    way of their own; ``known`` takes the place of what the class declares.
    """

    def __init__(
        self, request: type, readers: Readers | None = None, known: Mapping[str, Declared] = {}
    ) -> None:
        super().__init__(known or declared(request))
        self._request, self._readers = request, readers or {}

    def at(self, place: Place) -> dict[str, Declared]:
        """The options that may be set in a place, by name."""
        return {name: one for name, one in self.items() if place in one.option.places}

    @cached_property
    def model(self) -> type[BaseModel]:
        """The pydantic model of the options by name; each may be None."""
        made: dict[str, Any] = {
            name: (self._checks(name, one) | None, Field(None, description=one.option.help))
            for name, one in self.items()
        }
        return create_model(
            "AskFields",
            __config__=ConfigDict(strict=True, extra="forbid", arbitrary_types_allowed=True),
            **made,
        )

    def checked(self, given: Mapping[str, Any], **context: Any) -> dict[str, Any]:
        """The values ``given`` by name, checked and read; without those that are None. ``context``
        is for readers. Raises FieldError for the first that cannot be used.
        """
        read = {
            name: as_given(value, self[name].kind)
            if name in self and self[name].default is not MISSING
            else value
            for name, value in given.items()
        }
        try:
            found = dict(self.model.model_validate(read, context=context))
        except ValidationError as error:
            place, told = fault(error, self.model, "unknown field")
            raise FieldError(place.split(".")[0], told) from None
        return {name: value for name, value in found.items() if value is not None}

    def request(self, **given: Any) -> Any:
        """The request of what is given by fields or by the names of options ("from_" is "from");
        fields that are no options are taken as they are. Raises FieldError.
        """
        names = {one.field: name for name, one in self.items()}
        apart = {name.name for name in fields(self._request)} - names.keys()
        own = {name: value for name, value in given.items() if name in apart}
        checked = {names.get(n, n.rstrip("_")): given[n] for n in given if n not in apart}
        found = {self[name].field: value for name, value in self.checked(checked).items()}
        return self._request(**found, **own)

    def _checks(self, name: str, one: Declared) -> Any:
        """The type of an option with its checks and its JSON schema."""
        option = one.option
        if name in self._readers:
            read, schema = self._readers[name]
            return Annotated[one.kind, PlainValidator(read), WithJsonSchema(schema)]
        if one.item in (int, float):
            least = {"gt" if option.above else "ge": one.item(option.least)}
            number: Any = Annotated[one.item, Field(le=one.item(option.most), **least)]
            if not one.several:
                return number
            split = BeforeValidator(lambda value: _numbers(name, value, one.item))
            return Annotated[tuple[number, ...], split]
        if one.several:
            return Annotated[one.kind, BeforeValidator(lambda value: names(name, value))]
        if one.kind is str:
            longest: dict[str, Any] = {"maxLength": option.longest}
            may_be_empty = one.default is not MISSING
            read_text = BeforeValidator(
                lambda value: (
                    value if value == "" and may_be_empty else text(name, value, option.longest)
                )
            )
            return Annotated[str, read_text, Field(json_schema_extra=longest)]
        return one.kind


def _numbers(name: str, value: object, kind: Any) -> tuple[object, ...]:
    """The numbers of a list, or of a text; what is none is left as it is."""
    texts = " ".join(map(str, several(name, value))).replace(",", " ").split()
    return tuple(as_given(text, kind) for text in texts)


def text(field: str, value: object, longest: int) -> str:
    """A text without white space around it. Raises FieldError."""
    if not isinstance(value, str):
        raise FieldError(field, "must be text")
    if not value.strip():
        raise FieldError(field, "is empty")
    if len(value) > longest:
        raise FieldError(field, f"has {len(value):,} characters; at most {longest:,} can be used")
    refuse_controls(field, value)
    return value.strip()


def refuse_controls(field: str, value: str) -> None:
    """Line ends and tabs are white space; other control characters and halves of surrogate pairs
    are no text.
    """
    for character in value:
        if character == "\0":
            raise FieldError(field, "contains a NUL byte")
        category = unicodedata.category(character)
        if category == "Cs":
            raise FieldError(field, "is not valid UTF-8 text")
        if category == "Cc" and character not in "\t\n\r":
            raise FieldError(field, f"contains the control character U+{ord(character):04X}")


def names(field: str, value: object) -> tuple[object, ...]:
    """Names out of a list, or out of a text with commas between them; each once."""
    parts = (part.split(",") if isinstance(part, str) else [part] for part in several(field, value))
    every = [part.strip() if isinstance(part, str) else part for names in parts for part in names]
    return tuple(part for place, part in enumerate(every) if part not in every[:place])


def several(field: str, value: object) -> Iterable[object]:
    """The items of a list; a text is one. Raises FieldError."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, (list, tuple)):
        raise FieldError(field, "must be a list")
    return value


def one_of(field: str, value: object, choices: tuple[Any, ...]) -> Any:
    """The value, where it is among the choices. Raises FieldError."""
    if value not in choices:
        raise FieldError(field, unknown(value, choices))
    return value
