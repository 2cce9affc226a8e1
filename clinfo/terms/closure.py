"""A closure of kinds: every name of an index with all the names and headings above it, as rows
of a closure table; and the tables of what is a kind of what that users bring along.

A name is below the heading of MeSH that it is a name of and all broader ones; one that MeSH does
not have is below what it ends with ("acute viral sinusitis": sinusitis) or begins with before a
preposition ("sprain of ankle": sprain), and below what it is due to. A medicine is below all its
names and those of its parts. MeSH orders headings for searching: where its order is no "is a",
`NOT_A_KIND` says so, and of medicines their table.

A user's table is CSV with the columns child, parent, source, date, or OncoTree as JSON: its list of
tumour types (``/api/tumorTypes``) or its tree. A code of OncoTree and the name that goes with it
stand for the same. Its first level, organs, is left out: a tumour is no kind of an organ.
"""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from clinfo.errors import UsageError, file_errors
from clinfo.terms.composed import broader_headings, headings_with, meanings
from clinfo.terms.medicines import Medicine, asked_for, heading_of, implied, in_item
from clinfo.terms.mesh import Mesh
from clinfo.text.terms import FUNCTION_WORDS
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
    places = mesh.places
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


COLUMNS = ("child", "parent", "source", "date")
_DAY = re.compile(r"\d{4}(?:-\d\d){0,2}")
_EDITION = re.compile(r"(\d{4})_(\d\d)_(\d\d)")
_UNSPECIFIED = re.compile(r",?\s+NOS$")


@dataclass(frozen=True, slots=True)
class Kind:
    """``child`` is a kind of ``parent`` (keys) by ``source``, a table with its date."""

    child: str
    parent: str
    source: str


def read_hierarchy(path: Path) -> tuple[Kind, ...]:
    """The rows of a table. Raises UsageError, naming the line, where it is none."""
    with file_errors(f"cannot read {path}"):
        raw = path.read_bytes()
    try:
        text = raw.decode("utf-8-sig")
        found = dict.fromkeys(
            _oncotree(json.loads(text), path.name)
            if text.lstrip()[:1] in ("[", "{")
            else _rows(text.splitlines(), path.name)
        )
    except ValueError as error:
        raise UsageError(f"{path} is no table of kinds: {error}") from None
    kinds = tuple(one for one in found if one.child != one.parent)
    if not kinds:
        raise UsageError(f"{path} is no table of kinds: it has no rows")
    return kinds


def _rows(lines: Sequence[str], file: str) -> Iterator[Kind]:
    table = csv.DictReader(lines)
    if missing := [name for name in COLUMNS if name not in (table.fieldnames or ())]:
        raise ValueError(f"its first line must name the columns {', '.join(COLUMNS)}; "
                         f"{', '.join(missing)} is missing")  # fmt: skip
    for row in table:
        child, parent = (key(row[name] or "") for name in COLUMNS[:2])
        source, date = ((row[name] or "").strip() for name in COLUMNS[2:])
        if not child or not parent:
            raise ValueError(f"line {table.line_num}: child and parent must be names")
        if not _DAY.fullmatch(date):
            raise ValueError(f"line {table.line_num}: the date must be as 2026-01-31, not {date!r}")
        yield Kind(child, parent, f"{source or file}, {date}")


def _oncotree(data: Any, file: str) -> Iterator[Kind]:
    nodes = {str(node["code"]): node for node in _nodes(data)}
    edition = _EDITION.search(file)
    source = f"OncoTree, {'-'.join(edition.groups())}" if edition else f"OncoTree, {file}"
    for code, node in nodes.items():
        if int(node["level"]) < 2:
            continue
        names = _names(code, str(node["name"]))
        for other in names[1:]:
            yield Kind(names[0], other, source)
            yield Kind(other, names[0], source)
        above = nodes.get(str(node.get("parent")))
        if above is not None and int(above["level"]) > 1:
            yield Kind(names[0], key(str(above["name"])), source)


def _nodes(data: Any) -> Iterator[Mapping[str, Any]]:
    """The tumour types of a list, or of a tree from its root on."""
    for node in data if isinstance(data, list) else data.values():
        if not isinstance(node, dict) or not {"code", "name", "level"} <= set(node):
            raise ValueError("a tumour type of OncoTree has code, name, level and parent")
        yield node
        yield from _nodes(node.get("children") or {})


def _names(code: str, name: str) -> list[str]:
    """The names of a tumour type as keys, its own first; a code that is a word is none."""
    said = [key(name), key(_UNSPECIFIED.sub("", name))]
    return list(dict.fromkeys([*said, *([key(code)] if key(code) not in FUNCTION_WORDS else [])]))


def lifted(rows: Iterable[Below], kinds: Sequence[Kind], mesh: Mesh) -> Iterator[Below]:
    """The rows of a closure, and those that users' tables add: what is below a child is below its
    parent, and below what the parent is a kind of.
    """
    above: dict[str, list[Kind]] = {}
    for kind in kinds:
        for entry in _entries(kind.child, mesh)[:2]:
            above.setdefault(entry, []).append(kind)
    held: dict[str, list[str]] = {}
    for row in rows:
        held.setdefault(row.name, []).append(row.above)
        yield row
    for name, todo in held.items():
        found = set(todo)
        while todo:
            for kind in above.get(todo.pop(), ()):
                for entry in _entries(kind.parent, mesh):
                    if entry not in found:
                        found.add(entry)
                        todo.append(entry)
                        yield Below(name, entry, "narrower", kind.source)


def _entries(name: str, mesh: Mesh) -> list[str]:
    """Return what a name stands for: itself, the heading that it names, and the broader ones."""
    found = mesh.descriptor(name)
    headings = [] if found is None else [found.ui, *ancestors(found.ui, mesh)]
    return [f"name:{name}", *(f"mesh:{ui}" for ui in headings)]
