"""Medicines by all names that they are asked for and written with, from ``medicines.txt`` beside
this file: generic names, brands, abbreviations, combinations and their parts.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import product
from pathlib import Path

from clinfo.records.articles import MeshDescriptor
from clinfo.terms.lexicon import EVERYDAY, GIVEN, SURNAME, flags
from clinfo.terms.mesh import Mesh
from clinfo.text.lexicon import entries, words_of
from clinfo.text.words import key, keys

FILE = Path(__file__).with_name("medicines.txt")
MOST_WORDS = 8
"""Words of the longest name."""
_SALTS = frozenset(words_of("medicine_items", "salts"))
_FORMS = frozenset(words_of("medicine_items", "forms"))
_DRUGS = "D"
_NUMBER = re.compile(r"\d\S*|nda\d+|x\d*")


@dataclass(frozen=True, slots=True)
class Medicine:
    """``names`` the first of which is its own; ``listed`` those that only lists of medicines mean
    it by; ``parts`` the names of what it is a kind of, or of what it is a combination of;
    ``within`` the names of the one combination that it is given in.
    """

    names: tuple[str, ...]
    listed: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    within: tuple[str, ...] = ()

    @property
    def generic(self) -> Iterator[str]:
        """The names that are no brands or abbreviations."""
        return (name for name in self.names if name.islower())


def medicine(name: str) -> Medicine | None:
    """The medicine of this name, whatever its case and hyphens; None where the table has none."""
    return _table()[0].get(key(name))


def in_text(name: str) -> Medicine | None:
    """The medicine that a name means in running text: a brand that is a word of everyday English or
    somebody's name ("Camila") means it only where medicines are listed or asked for.
    """
    if (one := medicine(name)) is None:
        return None
    its_words = key(name).split()
    brand = " ".join(its_words) in (key(own) for own in one.names if own.istitle())
    doubtful = all(flags(word) & (EVERYDAY | GIVEN | SURNAME) for word in its_words)
    return None if brand and doubtful else one


def medicines() -> tuple[Medicine, ...]:
    """All medicines."""
    return tuple(dict.fromkeys(_table()[0].values()))


def implied(one: Medicine) -> tuple[Medicine, ...]:
    """A medicine, and all that who takes it takes with it, itself first."""
    found = {one.names[0]: one}
    ahead = [one]
    while ahead:
        last = ahead.pop()
        for name in (*last.parts, *(last.within if last is one else ())):
            part = _table()[0][key(name)]
            if name not in found:
                found[name] = part
                ahead.append(part)
    return tuple(found.values())


def with_part(one: Medicine) -> tuple[Medicine, ...]:
    """The combinations and kinds that a medicine is taken with."""
    return tuple(other for other in _whole().get(one.names[0], ()) if other is not one)


@lru_cache(maxsize=20_000)
def in_item(text: str) -> tuple[Medicine, ...]:
    """The medicines of an item of a list that names nothing else, with doses and forms as RxNorm
    and prescribers write them; () of any other text.
    """
    found = tuple(dict.fromkeys(_found(key(text).split(), _table()[1], _FORMS)))
    whole = _table()[2].get(frozenset(one.names[0] for one in found))
    return found if whole is None else (whole, *found)


@lru_cache(maxsize=20_000)
def asked_for(phrase: str) -> Medicine | None:
    """The one medicine that a phrase names, or the combination of all that it names; forms are read
    where a strength stands with them, for an "inhaled" alone says which are meant.
    """
    if (one := medicine(phrase)) is not None:
        return one
    forms = _FORMS if any(map(str.isdecimal, phrase)) else frozenset[str]()
    found = frozenset(_found(key(phrase).split(), _table()[0], forms))
    whole = (one for one in found if found <= set(implied(one)))
    return _table()[2].get(frozenset(one.names[0] for one in found)) or next(whole, None)


@lru_cache(maxsize=4_096)
def heading_of(one: Medicine, mesh: Mesh) -> MeshDescriptor | None:
    """The heading of MeSH that is this medicine and no other of the table: MeSH has escitalopram as
    a name of citalopram.
    """
    for name in one.names:
        found = mesh.match_exactly(name)
        if found is None or not any(place.startswith(_DRUGS) for place in found.tree_numbers):
            continue
        if (asked_for(found.heading) or one) is one:
            return found
    return None


def _found(
    words: Sequence[str], named: Mapping[str, Medicine], forms: frozenset[str]
) -> list[Medicine]:
    """The medicines that words name, where the others say nothing or only how they are given."""
    found: list[Medicine] = []
    at = 0
    while at < len(words):
        for end in range(min(len(words), at + MOST_WORDS), at, -1):
            if (one := named.get(" ".join(words[at:end]))) is not None:
                found.append(one)
                at = end
                break
        else:
            word = words[at]
            if word not in _SALTS and not (forms and (word in forms or _NUMBER.fullmatch(word))):
                return []
            at += 1
    return found


Table = tuple[dict[str, Medicine], dict[str, Medicine], dict[frozenset[str], Medicine]]


@cache
def _table() -> Table:
    """The medicines by the keys of their names, by these and those of lists, and combinations by
    their parts.
    """
    rows: dict[str, Medicine] = {}
    telling: list[tuple[str, str]] = []
    for line in entries(FILE):
        names, _, parts = line.partition(" = ")
        every = names.split("; ")
        own = tuple(name for name in every if name[0] != "~")
        given = tuple(name[1:] for name in every if name[0] == "~")
        of = parts.split(" + ") if parts else []
        telling += [(part[1:], own[0]) for part in of if part[0] == "*"]
        rows[own[0]] = Medicine(own, given, tuple(part.lstrip("*") for part in of))
    by_parts = {frozenset(row.parts): row for row in rows.values() if len(row.parts) > 1}
    for row in by_parts.values():
        if len(row.parts) == 2:
            orders = (row.parts, row.parts[::-1])
            pairs = (product(*(rows[part].generic for part in order)) for order in orders)
            also = (" ".join(pair) for order in pairs for pair in order)
            own = tuple(dict.fromkeys((*row.names, *also)))
            rows[row.names[0]] = replace(row, names=own)
    for part, whole in telling:
        rows[part] = replace(rows[part], within=(*rows[part].within, whole))
    by_parts = {of: rows[row.names[0]] for of, row in by_parts.items()}
    named = [(name, row) for row in rows.values() for name in row.names]
    listed = [(name, row) for row in rows.values() for name in row.listed]
    return _by_key(named), _by_key([*named, *listed]), by_parts


@cache
def _whole() -> dict[str, list[Medicine]]:
    """The medicines that each is taken with, by its name."""
    found: dict[str, list[Medicine]] = {}
    for other in medicines():
        for part in implied(other):
            found.setdefault(part.names[0], []).append(other)
    return found


def _by_key(named: Sequence[tuple[str, Medicine]]) -> dict[str, Medicine]:
    found: dict[str, Medicine] = {}
    for own, (_, row) in zip(keys([name for name, _ in named]), named, strict=True):
        found.setdefault(own, row)
    return found
