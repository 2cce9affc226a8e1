"""Reading structured replies of language models: the JSON in a text, whatever stands around it and
however loosely it is written.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Collection
from typing import Any, Final

from clinfo.text.loose_json import LooseJson, NoJson

_DECODER: Final = json.JSONDecoder(strict=False)
_START: Final = re.compile(r"\{|\[\s*[\[{\"“']")
_WIDE: Final = str.maketrans("｛｝［］：，", "{}[]:,")
_MOST: Final = 400
"""Places of a text at which JSON is looked for: what degenerates is not read to its end."""


def json_object(text: str, wanted: Collection[str] = ()) -> dict[str, Any] | None:
    """The last whole object of JSON in ``text``, one with a ``wanted`` key before others, or None.

    An object that breaks off counts where no other does, one without keys last of all. Around it
    may stand prose, code fences, a list of one, quotation marks (JSON in a string of JSON).
    """
    best, rank = None, (-1, -1, -1)
    for value, whole in json_values(text):
        inner = value[0] if isinstance(value, list) and len(value) == 1 else value
        if isinstance(inner, dict):
            own = (int(any(key in inner for key in wanted)), int(bool(inner)), int(whole))
            if own >= rank:
                best, rank = inner, own
    return best


def json_values(text: str) -> list[tuple[Any, bool]]:
    """The objects and lists of JSON in ``text`` from first to last, none within another, each with
    whether it is whole.
    """
    try:
        value = _DECODER.decode(text.strip())
    except (ValueError, RecursionError):  # ValueError too for a number of thousands of digits
        pass
    else:
        if isinstance(value, str) and "{" in value:
            return json_values(value)
        if isinstance(value, (dict, list)):
            return [(well_formed_values(value), True)]
    variants = (text, text.replace('\\"', '"'), html.unescape(text), text.translate(_WIDE))
    for variant in dict.fromkeys(variants):
        if found := _scanned(variant):
            return found
    return []


def _scanned(text: str) -> list[tuple[Any, bool]]:
    found, at = [], 0
    loose = LooseJson(text)
    for _ in range(_MOST):
        if (start := _START.search(text, at)) is None:
            break
        at = start.start()
        try:
            value, end = _DECODER.raw_decode(text, at)
            whole = True
        except (ValueError, RecursionError):
            try:
                value, end, whole = loose.value(at)
            except NoJson:
                at += 1
                continue
        found.append((well_formed_values(value), whole))
        at = end
    return found


def well_formed(text: str) -> str:
    """``text`` with halves of surrogate pairs joined or, where one stands alone, replaced by
    U+FFFD.

    JSON can spell such halves (``"\\ud83d"``); no file and no database can hold them.
    """
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def well_formed_values(value: Any) -> Any:
    """A value of JSON in which every text is `well_formed`."""
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, list):
        return [well_formed_values(each) for each in value]
    if isinstance(value, dict):
        return {well_formed(name): well_formed_values(each) for name, each in value.items()}
    return value
