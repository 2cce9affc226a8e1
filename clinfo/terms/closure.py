"""A closure of kinds: every name of an index with all the names and headings above it, as rows
of a closure table.

A name is below the heading of MeSH that it is a name of and all broader ones; one that MeSH does
not have is below what it ends with ("acute viral sinusitis": sinusitis) or begins with before a
preposition ("sprain of ankle": sprain), and below what it is due to. A medicine is below all its
names and those of its parts. MeSH orders headings for searching: where its order is no "is a",
`NOT_A_KIND` says so, and of medicines their table.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from clinfo.terms.composed import broader_headings, headings_with, meanings
from clinfo.terms.medicines import Medicine, asked_for, heading_of, implied, in_item
from clinfo.terms.mesh import Mesh
from clinfo.text.words import key

Relation = Literal["same", "narrower", "past"]
NOT_A_KIND = frozenset(
    {
        ("covid 19", "pneumonia viral"),
        ("coronavirus infections", "pneumonia viral"),
        ("prediabetic state", "diabetes mellitus"),
        ("pregnancy outcome", "pregnancy"),
    }
)
"""Pairs of keys, the narrower first, that MeSH has below each other and medicine has not."""
ALSO_A_KIND = {
    "lymphoma follicular": "Lymphoma, B-Cell",
    "lymphoma mantle cell": "Lymphoma, B-Cell",
    "leukemia hairy cell": "Leukemia, B-Cell",
    "dermatitis atopic": "Eczema",
}
"""Headings, by their keys, that MeSH has not below one that they are a kind of by WHO's
classification of haematolymphoid tumours (2022); atopic eczema is an eczema by its name.
"""
_MEDICINES = "the table of medicines"
_PREPOSITIONS = frozenset(
    ["of", "in", "with", "without", "due", "caused", "associated", "to", "from", "by", "at", "on",
     "for"]
)  # fmt: skip
_BOTH = (("due", "to"), ("caused", "by"), ("associated", "with"))
_ADDS_NOTHING = ("symptom", "symptoms", "finding", "disorder")
_HEADS = ("C", "F03", "F01.145", "D", "E", "G08", "G07")
"""Branches of MeSH in which a head noun says what a thing is."""


@dataclass(frozen=True, slots=True)
class Below:
    """``name`` is, or is a kind of, what ``above`` stands for: "name:KEY" or "mesh:IDENTIFIER";
    ``source`` says by which table or rule.
    """

    name: str
    above: str
    relation: Relation
    source: str


def closure(names: Mapping[str, str], mesh: Mesh) -> Iterator[Below]:
    """The rows of ``names``: keys, each with its MeSH identifier or "", sorted."""
    edition = mesh.name
    for name in sorted(names):
        rows: dict[str, tuple[Relation, str]] = {f"name:{name}": ("same", "the record")}
        past = name.startswith("history of ")
        own = name.removeprefix("history of ")
        if names[name]:
            _put(rows, names[name], mesh, "same", edition)
        elif not past:
            for ui in headings_with(frozenset({meanings(own)}), mesh):
                _put(rows, ui, mesh, "same", f"its meaning, {edition}")
            for ui in broader_headings(meanings(own), mesh):
                _put(rows, ui, mesh, "narrower", f"its meaning, {edition}")
        medicines = dict.fromkeys(part for found in in_item(own) for part in implied(found))
        for one in medicines:
            relation: Relation = "same" if own in map(key, one.names) else "narrower"
            for other in one.names:
                rows.setdefault(f"name:{key(other)}", (relation, _MEDICINES))
            if (heading := heading_of(one, mesh)) is not None:
                _put(rows, heading.ui, mesh, relation, _MEDICINES)
        for head in _heads(own, past) if not medicines else ():
            if head in names:
                rows.setdefault(f"name:{head}", ("narrower", "its head"))
            ui = names.get(head) or _identifier(head, mesh)
            if ui and not names[name]:
                _put(rows, ui, mesh, "past" if past else "narrower", f"its head, {edition}")
        for above, (relation, source) in rows.items():
            yield Below(name, above, relation, source)


@lru_cache(maxsize=50_000)
def ancestors(ui: str, mesh: Mesh) -> tuple[str, ...]:
    """The identifiers of all broader headings: a kind of a kind of a thing is a kind of it, also
    where MeSH has the narrow one at fewer places; without those of `NOT_A_KIND` and other medicines
    than are given with it: MeSH has methylprednisolone below prednisolone, as chemistry does.
    """
    one = _medicine(ui, mesh)
    every = _ancestors(ui, mesh)
    if one is None:
        return every
    own = {None, *implied(one)}
    return tuple(above for above in every if _medicine(above, mesh) in own)


def _put(
    rows: dict[str, tuple[Relation, str]], ui: str, mesh: Mesh, relation: Relation, source: str
) -> None:
    rows.setdefault(f"mesh:{ui}", (relation, source))
    for above in ancestors(ui, mesh):
        rows.setdefault(f"mesh:{above}", ("narrower", source))


def _heads(name: str, past: bool) -> Iterator[str]:
    """Yield what a name is a kind of by its words, the longest first."""
    its_words = name.split()
    while its_words and its_words[-1] in _ADDS_NOTHING:
        its_words.pop()
    stop = next((at for at, word in enumerate(its_words) if word in _PREPOSITIONS), 0)
    if past or len(its_words) < name.count(" ") + 1:
        yield " ".join(its_words)
    for start in range(0 if stop else 1, stop or len(its_words)):
        yield " ".join(its_words[start : stop or len(its_words)])
    for at in range(stop, len(its_words) - 2):  # both are present, as SNOMED names them
        if tuple(its_words[at : at + 2]) in _BOTH:
            yield from (" ".join(its_words[start:]) for start in range(at + 2, len(its_words)))


@lru_cache(maxsize=20_000)
def _identifier(head: str, mesh: Mesh) -> str:
    found = mesh.match_exactly(head)
    heads = found is not None and any(place.startswith(_HEADS) for place in found.tree_numbers)
    return found.ui if found is not None and heads else ""


@lru_cache(maxsize=50_000)
def _medicine(ui: str, mesh: Mesh) -> Medicine | None:
    found = mesh.descriptor(ui)
    return asked_for(found.heading) if found is not None else None


@lru_cache(maxsize=50_000)
def _ancestors(ui: str, mesh: Mesh) -> tuple[str, ...]:
    own = mesh.descriptor(ui)
    if own is None:
        return ()
    places = _places(mesh)
    direct = {
        places[broader]
        for place in own.tree_numbers
        if (broader := place.rpartition(".")[0]) in places
    }
    found: dict[str, None] = {}
    also = mesh.match_exactly(ALSO_A_KIND.get(key(own.heading), ""))
    for one in (*mesh.numbered(sorted(direct)).values(), *((also,) if also else ())):
        if (key(own.heading), key(one.heading)) not in NOT_A_KIND and one.ui != ui:
            found.update(dict.fromkeys((one.ui, *_ancestors(one.ui, mesh))))
    return tuple(found)


@lru_cache(maxsize=2)
def _places(mesh: Mesh) -> Mapping[str, int]:
    return mesh.places()
