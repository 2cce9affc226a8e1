"""JSON as models write it who were not held to it: other quotation marks, comments, commas too many
or too few, Python's words, numbers with thousands, quotation marks within a text, an end that is
missing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final


class NoJson(Exception):
    """A text that is no JSON, however loosely it is read."""


_CLOSERS: Final[Mapping[str, str]] = {
    '"': '"',
    "'": "'",
    "`": "`",
    "“": '”“"',
    "”": '”"',
    "„": "“”",
    "‘": "’'",
    "’": "’",
}
_BLANK: Final = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/|#[^\n]*)*", re.DOTALL)
_BETWEEN: Final = re.compile(r"(?:\s|[,;]|//[^\n]*|/\*.*?\*/|#[^\n]*|\.{3}|…)*", re.DOTALL)
_AFTER_TEXT: Final = re.compile(
    r"\s*(?:[:=}\]]|\Z|//|/\*|#"
    r"|(?:[,;\n]\s*)+(?:[\"'`“”„‘{\[}\]\d#…-]|\.{3}|\Z|/[/*]|(?:true|false|null|none)\b|[a-z_]\w*\s*:))",
    re.IGNORECASE,
)
"""Signs that may follow the quotation mark that ends a text; another is part of the text."""
_KEY: Final = re.compile(r"[^\W\d][\w .-]{0,60}?(?=\s*[:=])")
_NUMBER: Final = re.compile(
    r"[-−+]?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?(?=\s*(?:[,;}\]\n]|/[/*]|#|\Z))"
)
_THOUSANDS: Final = re.compile(r"[-−+]?\d{1,3}(?:,\d{3})+(?=\s*(?:[,;}\n]|/[/*]|#|\Z))")
_BARE: Final = re.compile(r"[^,;{}\[\]\"“”\n]+")
_WORDS: Final[Mapping[str, Any]] = {
    "true": True,
    "false": False,
    "null": None,
    "none": None,
    "undefined": None,
    "nan": None,
}
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_DEEPEST: Final = 40
_MOST_STEPS: Final = 50_000


class LooseJson:
    """A reader of one ``text``. It stops at a depth of `_DEEPEST` and after `_MOST_STEPS`, for a
    model may write anything.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._steps = 0
        self._cut = False

    def value(self, at: int) -> tuple[Any, int, bool]:
        """The object or list that begins at ``at``, where it ends, and whether it is whole. Raises
        NoJson.
        """
        self._cut = False
        value, end = self._value(at, 0)
        return value, end, not self._cut

    def _value(self, at: int, depth: int, *, in_list: bool = False) -> tuple[Any, int]:
        self._step(depth)
        sign = self._text[at : at + 1]
        if sign == "{":
            return self._object(at + 1, depth)
        if sign == "[":
            return self._list(at + 1, depth)
        if sign and sign in _CLOSERS:
            return self._string(at)
        if not in_list and (found := _THOUSANDS.match(self._text, at)):
            return _number(found[0].replace(",", "")), found.end()
        if found := _NUMBER.match(self._text, at):
            return _number(found[0]), found.end()
        if (found := _BARE.match(self._text, at)) is None:
            raise NoJson
        told = found[0].partition("//")[0].partition("/*")[0].strip()
        end = at + len(found[0])
        if told.lower() in _WORDS:
            return _WORDS[told.lower()], end
        self._cut = self._cut or end == len(self._text)
        return told, end

    def _object(self, at: int, depth: int) -> tuple[dict[str, Any], int]:
        fields: dict[str, Any] = {}
        while True:
            self._step(depth)
            at = _end(_BETWEEN, self._text, at)
            sign = self._text[at : at + 1]
            if sign == "}":
                return fields, at + 1
            if sign == "]" or not sign:
                self._cut = True
                if not fields and not depth:
                    raise NoJson
                return fields, at
            key, at = self._key(at)
            if self._cut:
                return fields, at
            at = _end(_BLANK, self._text, at)
            if self._text[at : at + 1] not in (":", "="):
                raise NoJson
            at = _end(_BLANK, self._text, at + 1)
            if at >= len(self._text):
                continue
            if self._text[at] in ",}":  # "n": , is not given
                fields[key] = None
                continue
            value, at = self._value(at, depth + 1)
            if not self._cut or isinstance(value, (dict, list)):  # a text cut off says less
                fields[key] = value

    def _key(self, at: int) -> tuple[str, int]:
        if self._text[at] in _CLOSERS:
            return self._string(at)
        if (found := _KEY.match(self._text, at)) is None:
            raise NoJson
        return found[0], found.end()

    def _list(self, at: int, depth: int) -> tuple[list[Any], int]:
        items: list[Any] = []
        while True:
            at = _end(_BETWEEN, self._text, at)
            sign = self._text[at : at + 1]
            if sign == "]":
                return items, at + 1
            if sign == "}" or not sign:
                self._cut = self._cut or not sign
                return items, at
            value, at = self._value(at, depth + 1, in_list=True)
            if not self._cut or isinstance(value, (dict, list)):
                items.append(value)

    def _string(self, at: int) -> tuple[str, int]:
        closers, begin = _CLOSERS[self._text[at]], at + 1
        place = begin
        while place < len(self._text):
            self._step(0)
            found = re.compile(rf"\\|[{closers}]").search(self._text, place)
            if found is None:
                break
            place = found.end()
            if found[0] == "\\":
                place += 1
            elif _AFTER_TEXT.match(self._text, place):
                return _unescaped(self._text[begin : place - 1]), place
        self._cut = True
        return _unescaped(self._text[begin:]), len(self._text)

    def _step(self, depth: int) -> None:
        self._steps += 1
        if depth > _DEEPEST or self._steps > _MOST_STEPS:
            raise NoJson


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _number(text: str) -> int | float | str:
    text = text.replace("−", "-").removeprefix("+")
    try:
        return int(text)
    except ValueError:
        value = float(text)
        return value if abs(value) < float("inf") else text


def _unescaped(text: str) -> str:
    def meant(found: re.Match[str]) -> str:
        try:
            return str(json.loads(f'"{found[0]}"'))
        except ValueError:
            return found[1]

    return _ESCAPE.sub(meant, text)
