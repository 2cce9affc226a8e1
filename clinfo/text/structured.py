"""Reading structured replies of language models: the JSON in a text, whatever stands around it and
however loosely it is written.
"""

import html
import json
import re
from collections.abc import Iterator
from typing import Any, Final

from clinfo.text.wording import unescaped

_DECODER: Final = json.JSONDecoder(strict=False)
_START: Final = re.compile(r"\{|\[\s*[\[{\"“']")
_WIDE: Final = str.maketrans("｛｝［］：，−", "{}[]:,-")
_MOST: Final = 400
"""Places of a text at which JSON is looked for: what degenerates is not read to its end."""
_FENCE: Final = re.compile(
    r"```\w*\s(?!.*(?:\n[ \t]*```\w*|```json)\s*[{\[])(?:(.+?)\n[ \t]*```|(.+?)```)", re.DOTALL
)
"""The last block between fences that begins as JSON does; one that ends on a line of its own may
hold fences in its texts.
"""
_WHOLLY: Final = re.compile(r"\A\s*```\w*\s*\n(.*?)\n?[ \t]*```\s*\Z", re.DOTALL)
_OBJECTS: Final = re.compile(r"\s*(?:\{|\[\s*[{\"])")
_PART: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\]]', re.DOTALL)
_KEYED: Final = re.compile(r"\{\s*(?:[\"'“][^\"'”{}\n]{1,80}[\"'”]|\w{1,40})\s*[:：]")
"""How an object begins that has a key, however it is written."""
_BARE: Final = re.compile(
    r"([\"'”]\s*:\s*)([<>≤≥~][^,\]}\"\n]*|-?\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?=\s*[,}\n]))"
)
"""A value without quotation marks that begins with a comparator or has blanks for thousands, which
a mender would drop or cut.
"""
_TAIL: Final = re.compile(r"([:\[]\s*)(?!(?:true|false|null)\s*\Z)[^\s\"'{}\[\]:][^\"'{}\[\]:]*\Z")
_CUT: Final = "\ue000"
"""Marks where a text ends: a value that holds it was not written to its end."""


def prose(text: str) -> str:
    """The text that was asked for, without what stands around it: a fence, a heading, JSON that
    holds texts alone (of several in an object each has its name).
    """
    text = _WHOLLY.sub(r"\1", text)
    text = text if "\n" in text else text.replace("\\n\\n", "\n\n")
    held = [value for value, _ in json_values(text)] if _OBJECTS.match(text) else []
    texts = [*_texts(held)]
    if texts and all(isinstance(one, str) for one in texts):
        named = held[0] if len(held) == 1 and isinstance(held[0], dict) else {}
        flat = len(texts) == len(named) > 1
        return "\n\n".join(map(": ".join, named.items()) if flat else texts)
    return text if "\n#" in text.strip() else re.sub(r"\A\s*#+ [^\n]*\n+", "", text)


def _texts(value: Any) -> Iterator[Any]:
    """What a value holds that is no object and no list."""
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)
    else:
        yield value


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
    if fence := _FENCE.search(text):
        held = json_values(fence[1] or fence[2])
        if any(isinstance(value, dict) or whole for value, whole in held):
            return held  # what stands around it is no part of the reply
    whole, broken = _scanned(text)
    if not whole:
        text = html.unescape(text) if "&quot;" in text else text.replace('\\"', '"')
        whole, broken = _scanned(text)
    mended = _mended(text) if broken or not whole else []
    return [(one, False) for one in mended] or [(one, True) for one in whole]


def _scanned(text: str) -> tuple[list[Any], bool]:
    """The objects and lists of JSON as it should be, and whether one that is not stands around them
    or comes last.
    """
    found, at, read = list[Any](), 0, [True]
    for _ in range(_MOST):
        if (start := _START.search(text, at)) is None:
            break
        try:
            value, at = _DECODER.raw_decode(text, start.start())
            found.append(well_formed_values(value))
            read.append(True)
        except (ValueError, RecursionError):
            at = _end_of(text, start.start())
            held = _mended(text[start.start() : at]) if at else []
            found += held
            at = at if held else start.start() + 1
            read.append(bool(held))
    return found, not read[-1] or (not all(read[:2]) and text.count("{") > text.count("}"))


def _end_of(text: str, start: int) -> int:
    """Where an object with a key ends that begins at ``start``; 0 where it does not."""
    depth = 0
    for part in _PART.finditer(text, start, start + 9_999) if _KEYED.match(text, start) else ():
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(part[0], 0)
        if depth == 0:
            return part.end()
    return 0


def _mended(text: str) -> list[Any]:
    """The objects and lists of JSON as models write it who were not held to it."""
    start = _START.search(text.translate(_WIDE))
    if start is None or text.count("{") + text.count("[") > _MOST:
        return []
    import json_repair

    bare = _BARE.sub(r'\1"\2"', text[start.start() :].translate(_WIDE).rstrip("`\n\r "))
    value = _uncut(json_repair.loads(_TAIL.sub(r"\1null", bare) + _CUT, skip_json_loads=True))
    every = value if isinstance(value, list) else [value]
    return [well_formed_values(one) for one in every if one and isinstance(one, (dict, list))]


def _uncut(value: Any) -> Any:
    """A value without what broke off within it: half a text says something else than the whole."""
    if isinstance(value, dict):
        return {key: _uncut(one) for key, one in value.items() if not _is_cut(one)}
    return [_uncut(one) for one in value if not _is_cut(one)] if isinstance(value, list) else value


def _is_cut(value: Any) -> bool:
    return isinstance(value, str) and _CUT in value


def well_formed(text: str) -> str:
    """``text`` with halves of surrogate pairs joined; U+FFFD for one that stands alone.

    JSON can spell such halves (``"\\ud83d"``); no file and no database can hold them.
    """
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def well_formed_values(value: Any) -> Any:
    """A value of JSON in which every text is `well_formed` and steers no terminal."""
    if isinstance(value, str):
        return unescaped(well_formed(value))
    if isinstance(value, list):
        return [well_formed_values(each) for each in value]
    if isinstance(value, dict):
        return {well_formed(name): well_formed_values(each) for name, each in value.items()}
    return value
