"""What is read of a note before any question: what it names, and the things it says one by one.

It depends on the text alone and takes most of the time, so it is kept with the patient where there
is a cache.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache as once
from pathlib import Path

import msgspec

import clinfo
from clinfo.cache import Cache
from clinfo.learned_types import learned
from clinfo.patients.entities import find_mentions
from clinfo.patients.lexicon import Lexicon
from clinfo.patients.mentions import Mention
from clinfo.pipelines.chart.items import Item, items_of

_ROOMS = ("patients", "pipelines/chart", "terms", "text")
"""The folders whose code and data decide what is read."""


@dataclass(frozen=True)
class NoteRead:
    """What a note names, and its items, in the order of the text."""

    mentions: tuple[Mention, ...]
    items: tuple[Item, ...]


def read_note(text: str, lexicon: Lexicon, cache: Cache | None = None) -> NoteRead:
    """What a note says; with a ``cache``, which only `with_terms`' lexicons may use, read once."""
    key = Cache.key_of("note", edition(), lexicon.edition, text)
    if cache is not None and (kept := cache.get(key)) is not None:
        try:
            return msgspec.json.decode(kept, type=learned(NoteRead))
        except msgspec.DecodeError:
            pass
    read = NoteRead(tuple(find_mentions(text, lexicon)), tuple(items_of(text)))
    if cache is not None:
        cache.put(key, msgspec.json.encode(read).decode())
    return read


@once
def edition() -> str:
    """A digest that tells the rules and data of this installation from those of another."""
    from clinfo.terms.naming import known

    root = Path(clinfo.__file__).parent
    files = sorted(one for room in _ROOMS for one in (root / room).rglob("*") if one.is_file())
    stats = [
        f"{one.relative_to(root)} {one.stat().st_size} {one.stat().st_mtime_ns}"
        for one in files
        if one.suffix != ".pyc"
    ]
    return Cache.key_of(clinfo.__version__, str(known().edition), stats)
