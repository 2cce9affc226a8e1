"""A note as it is read before any question: what it names, and the things it says one by one, which
are its sentences, list items and what commas divide, each with the section that it stands in.

It depends on the text alone and takes most of the time, so it is kept with the patient where there
is a cache.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

import msgspec

from clinfo.cache import Cache
from clinfo.learned_types import learned
from clinfo.patients.coded import named, said_of
from clinfo.patients.coded_texts import CodedLine
from clinfo.patients.entities import find_mentions
from clinfo.patients.lexicon import Lexicon
from clinfo.patients.mentions import Mention
from clinfo.patients.reading_version import reading_version
from clinfo.patients.sections import sections
from clinfo.text.sentences import sentence_spans

_DIVIDED = re.compile(r"[;,](?=\s)|\s(?:and|&)\s")
LONGEST: Final = 4_000
"""Characters of a line that are read as one; a longer one is cut there."""


@dataclass(frozen=True)
class Item:
    """Code points [start, end) of a note. ``whole`` is the sentence or list item that it is part
    of, ``section`` the kind of its section (`clinfo.patients.sections`).
    """

    start: int
    end: int
    text: str
    whole: tuple[int, int]
    section: str


@dataclass(frozen=True)
class NoteRead:
    """The mentions of a note, and its items, in the order of the text."""

    mentions: tuple[Mention, ...]
    items: tuple[Item, ...]


def read_note(text: str, lexicon: Lexicon, cache: Cache | None = None) -> NoteRead:
    """A note as read; with a ``cache``, which only `with_terms`' lexicons may use, read once."""
    from clinfo.terms.naming import known

    version = reading_version("chart"), str(known().edition), lexicon.edition
    key = Cache.key_of("note", *version, text)
    if cache is not None and (kept := cache.get(key)) is not None:
        with suppress(msgspec.DecodeError):
            return msgspec.json.decode(kept, type=learned(NoteRead))
    read = NoteRead(tuple(find_mentions(text, lexicon)), tuple(items_of(text)))
    if cache is not None:
        cache.put(key, msgspec.json.encode(read).decode())
    return read


def read_coded(lines: Sequence[CodedLine], text: str, lexicon: Lexicon) -> NoteRead:
    """A text of coded entries as read: what it names, by their statuses, and its lines."""

    def read(name: str) -> tuple[Mention, ...]:
        return find_mentions(name, lexicon)

    mentions, items = list[Mention](), list[Item]()
    for line in lines:
        said = said_of(line.entry, read)
        mentions += [
            replace(one, start=one.start + line.start, end=one.end + line.start, assertion=said)
            for one in named(line.entry, read)
        ]
        whole = (line.start, line.end)
        section = "allergies" if line.entry.kind == "allergy" else ""
        items.append(Item(*whole, text[line.start : line.end], whole, section))
    return NoteRead(tuple(mentions), tuple(items))


def items_of(text: str) -> Iterator[Item]:
    """The items of a note, in order: each sentence or list item, then its parts where commas or
    semicolons divide it.
    """
    for part in sections(text):
        at = part.start
        for line in text[part.start : part.end].split("\n"):
            for first in range(0, len(line), LONGEST):
                own = line[first : first + LONGEST]
                for a, b in sentence_spans(own):
                    yield from _with_parts(own, a, b, at + first, part.kind)
            at += len(line) + 1


def _with_parts(line: str, a: int, b: int, base: int, section: str) -> Iterator[Item]:
    whole = (base + a, base + b)
    yield Item(*whole, line[a:b], whole, section)
    ends = [one.span() for one in _DIVIDED.finditer(line, a, b)]
    starts, stops = [a, *(past for _, past in ends)], [*(end for end, _ in ends), b]
    for start, end in zip(starts, stops, strict=True) if ends else ():
        start += len(line[start:end]) - len(line[start:end].lstrip())
        if end - start > 2:
            yield Item(base + start, base + end, line[start:end], whole, section)
