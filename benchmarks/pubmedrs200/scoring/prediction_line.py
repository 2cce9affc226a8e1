"""One line of a file of predictions: the object that it holds, and everything that is wrong with
it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import isfinite
from typing import Any, Final

NEEDED: Final = ("id", "system", "prediction", "reference")
_KINDS: Final = {
    bool: "true or false",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
}


def read_line(raw: bytes) -> tuple[dict[str, Any], list[str]]:
    """The object that a line holds, empty where it holds none, and all that is wrong with the line
    or the object's fields.
    """
    try:
        form, wrong = _form(raw)
        return form, wrong or list(_wrong(form))
    except RecursionError:
        return {}, ["not JSON that can be read: nested too deep"]


def shown(text: str) -> str:
    """A name from outside, short enough for a line."""
    return f"“{text[:60]}{'…' if len(text) > 60 else ''}”"


class _NotJson(ValueError):
    pass


def _form(raw: bytes) -> tuple[dict[str, Any], list[str]]:
    """The object that a line holds, or what is wrong with the line as a whole."""
    try:
        form = json.loads(
            raw.decode("utf-8"),
            parse_constant=_constant,
            parse_int=_Number,
            object_pairs_hook=_pairs,
        )
    except UnicodeDecodeError as error:
        return {}, [
            (
                f"invalid UTF-8: byte 0x{raw[error.start]:02x} at offset {error.start} of the line "
                f"({error.reason})"
            )
        ]
    except _NotJson as error:
        return {}, [str(error)]
    except json.JSONDecodeError as error:
        return {}, [f"not JSON: {error.msg} at column {error.colno}"]
    return (form, []) if isinstance(form, dict) else ({}, [f"not a JSON object but {_kind(form)}"])


class _Number(int):
    """A whole number of a file; its digits are never looked at, since there may be more than Python
    converts.
    """

    def __new__(cls, digits: str) -> _Number:
        return super().__new__(cls, 0)


def _constant(name: str) -> float:
    return float(name.replace("Infinity", "inf"))


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    form = dict(pairs)
    if len(form) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _NotJson(
            f"the field {shown(next(key for key in keys if keys.count(key) > 1))} stands twice in "
            "one object"
        )
    return form


def _wrong(form: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the fields of an object."""
    for key in NEEDED:
        if key not in form:
            yield f"the field “{key}” is missing"
        elif not isinstance(form[key], str):
            yield f"“{key}” must be text, not {_kind(form[key])}"
        elif _lone(form[key]):
            yield f"“{key}” holds half of a surrogate pair, which is not a character"
        elif key == "reference" and not form[key].strip():
            yield "“reference” is empty"
        elif key in ("id", "system") and (what := _unfit(form[key])):
            yield f"“{key}” {what}"
    source = form.get("source")
    if source is not None and not isinstance(source, str):
        yield f"“source” must be text, not {_kind(source)}"
    elif source is not None and _lone(source):
        yield "“source” holds half of a surrogate pair, which is not a character"
    failed = form.get("failed", False)
    if not isinstance(failed, bool):
        yield f"“failed” must be true or false, not {_kind(failed)}"
    elif failed and isinstance(prediction := form.get("prediction"), str) and prediction.strip():
        yield "“failed” is true, and yet there is a prediction"
    for key, value in form.items():
        if key not in (*NEEDED, "source", "failed") and (number := _no_number(value)) is not None:
            yield f"the field {shown(key)} holds {_kind(number)}, which is not JSON"


def _no_number(value: Any) -> float | None:
    """A number that JSON cannot hold, from anywhere in a value."""
    if isinstance(value, float):
        return None if isfinite(value) else value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next((found for one in inner if (found := _no_number(one)) is not None), None)


def _unfit(name: str) -> str:
    if not name.strip():
        return "is empty"
    if name != name.strip():
        return "has blanks around it"
    return "" if name.isprintable() else "holds a line break or another control character"


def _lone(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return "text"
    if isinstance(value, float) and not isfinite(value):
        return "NaN" if value != value else "an infinite number"
    return next(name for kind, name in _KINDS.items() if isinstance(value, kind))
