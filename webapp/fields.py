"""Checks of what a visitor sends that are the same whatever pipeline is asked. Each raises
FieldError, which names the field as the HTTP interface has it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from clinfo.errors import FieldError, UsageError
from clinfo.learned_types import learned
from webapp.settings import WebSettings

Kind = TypeVar("Kind")


def known(given: Mapping[str, Any], fields: Collection[str]) -> dict[str, Any]:
    """What is given; None counts as not given."""
    asked = {name: value for name, value in given.items() if value is not None}
    for name in asked:
        if name not in fields:
            raise FieldError(name[:60], "unknown field")
    return asked


def one_of(models: Sequence[str], model: Any) -> str:
    """The model that is chosen of those on offer, the first where None is."""
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


def converted(
    kind: type[Kind], values: Mapping[str, Any], names: Mapping[str, str], rest: str = "question"
) -> Kind:
    """``values`` as what is declared, whose fields are named otherwise over HTTP as ``names`` says;
    a fault of no field is told at ``rest``.
    """
    try:
        return msgspec.convert(values, learned(kind))
    except msgspec.ValidationError as error:
        told, _, where = str(error).partition(" - at `$.")
        name = where.partition("[")[0].strip("`.…") or rest
        outer = {inner: outer for outer, inner in names.items()}.get(name, name)
        raise FieldError(outer, told[:1].lower() + told[1:]) from None


def of_flag(error: UsageError, fields: Collection[str], rest: str) -> FieldError:
    """An error that begins with a flag of the command line, as one of the field of its name; any
    other at ``rest``.
    """
    flag, _, told = str(error).partition(" ")
    name = flag.removeprefix("--").replace("-", "_")
    named = flag.startswith("--") and name in fields
    return FieldError(name, told) if named else FieldError(rest, str(error))
