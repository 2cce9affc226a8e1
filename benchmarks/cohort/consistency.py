"""Pairs of criteria whose sets must stand in a relation, made from MeSH without labels.

For the headings that an index has patients for, with their entry terms: two names of one heading
find the same set, or one within it where the name says more ("anaplastic carcinoma", which MeSH
lists under "Carcinoma"); a narrower heading's set is within the broader one's; "A and B" within A,
A within "A or B", "A and not B" within A and apart from B. The pairs are the first so many in the
order of the SHA-256 of their words.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from functools import cache

from clinfo.pipelines.cohort.matching import Index
from clinfo.pipelines.cohort.query import parse_query
from clinfo.terms.closure import ancestors
from clinfo.terms.mesh import Mesh
from clinfo.terms.naming import descriptor_of
from clinfo.terms.narrower import narrower_names

PAIRS = 10_000
Members = frozenset[int]
Relation = Callable[[Members, Members], bool]
RELATIONS: dict[str, Relation] = {
    "same": lambda one, other: one == other,
    "within": lambda one, other: one <= other,
    "apart": lambda one, other: not one & other,
}


def pairs(index: Index, mesh: Mesh) -> Iterator[tuple[str, str, str]]:
    """Relation, one query and the other of every pair."""
    found = [
        (found.heading, tuple(_names(found.entry_terms, found.ui)))
        for (entry,) in index.base.execute("SELECT DISTINCT above FROM below ORDER BY above")
        if (found := mesh.descriptor(entry.removeprefix("mesh:"))) is not None
        and (concept := index.concepts.named(found.heading)) is not None
        and concept.above[:1] == (entry,)
    ]
    said = {heading: f'"{heading}"' for heading, _ in found}
    for heading, names in found:
        own = descriptor_of(heading)
        for name in names:
            if own is not None and narrower_names(name, own):
                yield "within", f'"{name}"', said[heading]
            else:
                yield "same", said[heading], f'"{name}"'
        for above in ancestors(own.ui, mesh) if own is not None else ():
            broader = mesh.descriptor(above)
            if broader is not None and broader.heading in said:
                yield "within", said[heading], said[broader.heading]
    for one in said.values():
        for other in said.values():
            if one < other:
                yield "within", f"{one} and {other}", other
                yield "within", one, f"{one} or {other}"
                yield "within", f"{one} and not {other}", one
                yield "apart", f"{one} and not {other}", other


def violations(index: Index, mesh: Mesh, most: int = PAIRS) -> tuple[int, list[str]]:
    """The number of pairs tried, and those that are violated or whose names nothing has."""

    @cache
    def members(text: str) -> Members | None:
        form = parse_query(text)
        return None if index.concepts.unknown(form) else frozenset(index.match(form).yes)

    made = list(dict.fromkeys(pairs(index, mesh)))
    labelled = [pair for pair in made if pair[1].count('"') == 2]
    combined = [pair for pair in made if pair[1].count('"') != 2]
    chosen = (sorted(labelled, key=_hash) + sorted(combined, key=_hash))[:most]
    wrong = []
    for relation, one, other in chosen:
        left, right = members(one), members(other)
        if left is None or right is None or not RELATIONS[relation](left, right):
            wrong.append(f"{relation}: {one} | {other}")
    return len(chosen), wrong


def _names(terms: tuple[str, ...], ui: str) -> Iterator[str]:
    """The entry terms as one would write them, that stand for this heading alone."""
    for term in terms:
        found = descriptor_of(term)
        if "," not in term and '"' not in term and found is not None and found.ui == ui:
            yield term


def _hash(pair: tuple[str, str, str]) -> str:
    return hashlib.sha256("\n".join(pair).encode()).hexdigest()
