"""The makings of typed replies: the class of all, and marks of their fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Any, ClassVar, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict

Kind = TypeVar("Kind", bound=BaseModel)


class Reply(BaseModel):
    """A reply of a model. ``form`` is its name where that is not its stage's; ``prose`` names the
    field that a reply in words alone fills, where one does.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)
    form: ClassVar[str] = ""
    prose: ClassVar[str] = ""


@dataclass(frozen=True)
class Figure:
    """Marks a field that holds figures: its digits must stand in the text that was read."""


@dataclass(frozen=True)
class Quotation:
    """Marks a field that holds words of the text that was read."""


@dataclass(frozen=True)
class Listed:
    """Marks a list whose items a model may write as one text, parted by commas, semicolons or
    lines.
    """


@dataclass(frozen=True)
class AlsoCalled:
    """Marks a field that models know by these names too."""

    names: tuple[str, ...]


def plain_type(annotation: Any) -> tuple[Any, tuple[Any, ...], bool]:
    """A type without what is said of it: the type, its marks, whether it may be None."""
    if hasattr(annotation, "__metadata__"):
        inner, own, maybe = plain_type(annotation.__origin__)
        return inner, (*annotation.__metadata__, *own), maybe
    if get_origin(annotation) in (Union, UnionType):
        kinds = [one for one in get_args(annotation) if one is not NoneType]
        if len(kinds) == 1:
            inner, own, _ = plain_type(kinds[0])
            return inner, own, True
    return annotation, (), False


def item_of(annotation: Any) -> Any:
    """The type of a list's items, None of what is no list."""
    if get_origin(annotation) in (list, tuple, Sequence):
        return get_args(annotation)[0]
    return None


def is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)
