"""Where the things of a record stand: its mentions by concept, its items by text and by note."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from clinfo.lazy_dataclass import dataclass
from clinfo.patients.mentions import Mention
from clinfo.pipelines.chart.index import ChartIndex
from clinfo.text.words import key


@dataclass(frozen=True)
class Lookup:
    """Where the things of an index are, by number of the occurrence: ``concepts`` has the mentions
    by the key of their concept with their notes, ``parts`` those of items that commas divide.
    """

    concepts: Mapping[str, Sequence[tuple[str, Mention]]]
    of_item: Mapping[int, Sequence[int]]
    of_note: Mapping[str, Sequence[int]]
    parts: Mapping[int, Sequence[int]]


_CACHE: Final = "_lookup_of_things"


def lookup(index: ChartIndex) -> Lookup:
    """The lookup of an index, made once."""
    known: Lookup | None = index.__dict__.get(_CACHE)
    if known is not None:
        return known
    concepts: dict[str, list[tuple[str, Mention]]] = {}
    of_item: dict[int, list[int]] = {}
    of_note: dict[str, list[int]] = {}
    parts: dict[int, list[int]] = {}
    wholes: dict[tuple[str, int, int], int] = {}
    for note, mentions in index.mentions.items():
        for mention in mentions:
            concepts.setdefault(key(mention.concept), []).append((note, mention))
    for number, one in enumerate(index.occurrences):
        of_item.setdefault(one.item, []).append(number)
        of_note.setdefault(one.note, []).append(number)
        if (one.at.start, one.at.end) == one.at.whole:
            wholes[one.note, *one.at.whole] = number
        elif (whole := wholes.get((one.note, *one.at.whole))) is not None:
            parts.setdefault(whole, []).append(number)
    known = Lookup(concepts, of_item, of_note, parts)
    object.__setattr__(index, _CACHE, known)
    return known
