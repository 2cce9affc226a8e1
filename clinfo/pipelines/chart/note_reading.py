"""What is read of a note before any question: what it names, and the things it says one by one.

It depends on the text alone and takes most of the time, so it is kept with the patient where there
is a cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import msgspec

from clinfo.cache import Cache
from clinfo.learned_types import learned
from clinfo.patients.coded import said_of
from clinfo.patients.coded_texts import CodedLine
from clinfo.patients.entities import find_mentions
from clinfo.patients.lexicon import Lexicon
from clinfo.patients.mentions import Mention
from clinfo.patients.reading_version import reading_version
from clinfo.pipelines.chart.items import Item, items_of


@dataclass(frozen=True)
class NoteRead:
    """What a note names, and its items, in the order of the text."""

    mentions: tuple[Mention, ...]
    items: tuple[Item, ...]


def read_note(text: str, lexicon: Lexicon, cache: Cache | None = None) -> NoteRead:
    """What a note says; with a ``cache``, which only `with_terms`' lexicons may use, read once."""
    from clinfo.terms.naming import known

    edition = reading_version("chart"), str(known().edition), lexicon.edition
    key = Cache.key_of("note", *edition, text)
    if cache is not None and (kept := cache.get(key)) is not None:
        with suppress(msgspec.DecodeError):
            return msgspec.json.decode(kept, type=learned(NoteRead))
    read = NoteRead(tuple(find_mentions(text, lexicon)), tuple(items_of(text)))
    if cache is not None:
        cache.put(key, msgspec.json.encode(read).decode())
    return read


def read_coded(lines: Sequence[CodedLine], text: str, lexicon: Lexicon) -> NoteRead:
    """Return what such a text names, by the statuses of its entries, and its lines."""

    def read(name: str) -> tuple[Mention, ...]:
        return find_mentions(name, lexicon)

    mentions, items = list[Mention](), list[Item]()
    for line in lines:
        said = said_of(line.entry, read)
        mentions += [
            replace(one, start=one.start + line.start, end=one.end + line.start, assertion=said)
            for one in read(line.entry.text)
        ]
        whole = (line.start, line.end)
        section = "allergies" if line.entry.kind == "allergy" else ""
        items.append(Item(*whole, text[line.start : line.end], whole, section))
    return NoteRead(tuple(mentions), tuple(items))
