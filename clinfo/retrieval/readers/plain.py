"""Reads plain text and Markdown as it is: the canonical text is the file's own.

Headings are Markdown's (`## Results`) and lines of capitals that end in a colon
(`ABSTRACT.RESULTS:`, whose parts are levels).
"""

from __future__ import annotations

import hashlib
import re

from clinfo.errors import RecordError
from clinfo.retrieval.documents import Block, Document
from clinfo.retrieval.registry import trial_numbers

_LINE = re.compile(r"[^\r\n]+")
_MARKDOWN = re.compile(r"(#{1,6})\s+(\S.*?)\s*#*\s*$")
_CAPITALS = re.compile(r"([A-Z][A-Z0-9 &/,()-]{2,60}(?:\.[^a-z:.][^:]{0,120})?):+\s*$")


def read_plain(raw: bytes, name: str) -> Document:
    """The document in ``raw``, of UTF-8. Raises RecordError where it is not text, or empty."""
    return of_text(decoded(raw, name), f"sha256:{hashlib.sha256(raw).hexdigest()[:16]}", name)


def decoded(raw: bytes, name: str) -> str:
    """The text of a file in UTF-8. Raises RecordError where it is none."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecordError(f"{name}: not UTF-8 text (byte {error.start})") from None
    if "\0" in text:
        raise RecordError(f"{name}: not a text file")
    return text


def of_text(text: str, id: str, name: str = "", title: str = "") -> Document:
    """The document of a text whose offsets are to stay as they are.

    Raises RecordError where nothing stands in it. Without a ``title``, the first block is it where
    it stands under a heading TITLE or is Markdown's first heading.
    """
    blocks: list[Block] = []
    section: tuple[str, ...] = ()
    for line in _LINE.finditer(text):
        start, end = line.span()
        if not (content := line[0].strip()):
            continue
        start += len(line[0]) - len(line[0].lstrip())
        end = start + len(content)
        if found := _MARKDOWN.match(content):
            depth = len(found[1]) - 1
            section = (*section[:depth], found[2])
            title = title or found[2]
        elif found := _CAPITALS.match(content):
            section = tuple(part.strip().capitalize() for part in found[1].split(".", 1))
        elif section == ("Title",) and not blocks:
            title = title or content
            blocks.append(Block("title", start, end, ()))
        else:
            blocks.append(Block("text", start, end, section))
    if not blocks:
        raise RecordError(f"{name or id}: no text in it")
    return Document(id, title, text, tuple(blocks), name, registrations=trial_numbers(text))
