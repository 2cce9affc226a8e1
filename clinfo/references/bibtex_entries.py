"""BibTeX as records of values by name, as RIS and MEDLINE text are: macros put in, LaTeX's marks
and accents as characters.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from clinfo.references.tagged import Fields

DAMAGED = "\0"
"""The name under which an entry that cannot be parsed stands as it is written."""
GROUP = "\1"
"""Before a name in braces, which is no person's."""
OTHERS = "\2"
"""In place of the names that "and others" leaves out."""
_NAMES = ("author", "editor")
_PROSE = ("title", "booktitle", "journal", "journaltitle", "publisher", "abstract", "keywords")
_BARE = re.compile(r"(?<!\\)%")
_ESCAPED = re.compile(r"\\([_&%#$~^{}-])")
_RAISED = re.compile(r"\\textsuperscript\s?\{(?=[^{}\\]{1,9}\})")
_BRACES = str.maketrans("", "", "{}")
_ACCENTS = str.maketrans("ˆ˜", "^~")
"""Signs that LaTeX has as accents alone, as they stand in a text."""


MOST_MARKS = 40_000
"""LaTeX's marks of a file that are put into characters, which takes some seconds; those of 500
records with abstracts come to half of it."""


def read_bibtex(text: str) -> Iterator[Fields]:
    """The entries, each with its kind under "" and its key under "key"; authors and editors one by
    one, "Last, First, Jr".
    """
    from bibtexparser.entrypoint import parse_string
    from bibtexparser.middlewares import (
        RemoveEnclosingMiddleware,
        ResolveStringReferencesMiddleware,
    )
    from bibtexparser.model import DuplicateBlockKeyBlock, Entry, ParsingFailedBlock

    logger = logging.getLogger("bibtexparser")
    level = logger.level
    logger.setLevel(logging.CRITICAL)  # what it complains of is kept as a block
    try:
        stack: list[Any] = [
            ResolveStringReferencesMiddleware(True), RemoveEnclosingMiddleware(True),
        ]  # fmt: skip
        blocks = parse_string(text, parse_stack=stack).blocks
    finally:
        logger.setLevel(level)
    decoded = _Decoding()
    for block in blocks:
        found = Fields((block.start_line or 0) + 1)
        if isinstance(block, DuplicateBlockKeyBlock) and isinstance(
            block.ignore_error_block, Entry
        ):
            block = block.ignore_error_block
        if isinstance(block, Entry):
            found.values |= {"": [block.entry_type.lower()], "key": [block.key]}
            for one in block.fields:
                name, value = one.key.lower(), str(one.value)
                found.values[name] = [*_values(name, value, decoded)]
            yield found
        elif isinstance(block, ParsingFailedBlock):
            found.values[DAMAGED] = [block.raw or ""]
            yield found


def freed(text: str) -> str:
    """A value without LaTeX's escapes and braces."""
    return _ESCAPED.sub(r"\1", text).translate(_BRACES)


def _values(name: str, value: str, decoded: _Decoding) -> Iterator[str]:
    from bibtexparser.middlewares.names import (
        parse_single_name_into_parts,
        split_multiple_persons_names,
    )

    if name not in _NAMES:
        yield decoded(value) if name in _PROSE else freed(value)
        return
    for each in split_multiple_persons_names(" ".join(value.split())):
        if each.startswith("{") and each.find("}") == len(each) - 1:
            yield GROUP + decoded(each)
        elif each == "others":
            yield OTHERS
        else:
            parts = parse_single_name_into_parts(each, strict=False)
            last = " ".join((*parts.von, *parts.last))
            named = (last, " ".join(parts.first), " ".join(parts.jr))
            yield ", ".join(filter(None, map(decoded, named)))


class _Decoding:
    """LaTeX as characters, as long as a file has not had more of it than anybody writes."""

    def __init__(self) -> None:
        self._left = MOST_MARKS

    def __call__(self, value: str) -> str:
        marks = sum(map(value.count, "\\${"))
        if marks > self._left:
            return " ".join(freed(value).split())
        self._left -= marks
        return _decoded(value)


def _decoded(value: str) -> str:
    from pylatexenc.latex2text import LatexNodes2Text

    value = _RAISED.sub("^{", _BARE.sub(r"\\%", value))  # 10^6 is not 106
    value = value.replace(r"\textbraceleft", r"\{").replace(r"\textbraceright", r"\}")
    if not {*"\\$~{}"}.isdisjoint(value) or "--" in value:
        with suppress(RecursionError):  # nested so deeply that nobody wrote it
            value = LatexNodes2Text().latex_to_text(value).translate(_ACCENTS)
    return " ".join(value.split())
