"""Reading structured replies of language models: the JSON object in a text, whatever stands around
it.
"""

from __future__ import annotations

import json
import re
from typing import Any

_REASONING = re.compile(r"\A\s*<think(?:ing)?>.*?(?:</think(?:ing)?>\s*|\Z)", re.DOTALL)
_DECODER = json.JSONDecoder(strict=False)


def json_object(text: str) -> dict[str, Any] | None:
    """The first JSON object in ``text`` (code fences and prose around it are passed over), or
    None.
    """
    start = text.find("{")
    while start != -1:
        try:
            value = well_formed_values(_DECODER.raw_decode(text, start)[0])
        except (ValueError, RecursionError):  # ValueError too for a number of thousands of digits
            pass
        else:
            if isinstance(value, dict):
                return value
        start = text.find("{", start + 1)
    return None


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


def without_reasoning(text: str) -> str:
    """``text`` without the block, ended or not, in which some models think aloud before they
    reply.
    """
    return _REASONING.sub("", text, count=1)


def words_of(value: object) -> str | None:
    """A field's value as one line of text, or None where it says nothing ("", "unknown", "not
    stated", null).
    """
    if value is None or isinstance(value, (dict, list, bool)):
        return None
    text = " ".join(str(value).split())
    return (
        None
        if text.lower().rstrip(".")
        in ("", "null", "none", "n/a", "na", "unknown", "not reported", "not stated")
        else text
    )


def texts_of(value: object) -> list[str]:
    """A field's value as a list of texts: a list item by item, one text cut at commas, semicolons
    and line ends.

    What says nothing (`words_of`) is left out; of objects in a list, and of one that stands alone,
    the texts within count.
    """
    if isinstance(value, str):
        return [
            text
            for part in re.split(r"[;,\n]", value)
            if (text := words_of(part.strip(" \t\"'*•-")))
        ]
    if isinstance(value, dict):
        value = list(value.values())
    if not isinstance(value, list):
        return [text] if (text := words_of(value)) else []
    found: list[str] = []
    pending = list(reversed(value))
    while pending:
        item = pending.pop()
        if isinstance(item, (dict, list)):
            pending += reversed(list(item.values()) if isinstance(item, dict) else item)
        elif text := words_of(item):
            found.append(text)
    return found
