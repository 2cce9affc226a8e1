"""Tables of what is a kind of what that users bring along: rows of their own, and OncoTree.

A table is CSV with the columns child, parent, source, date, or OncoTree as JSON: its list of tumour
types (``/api/tumorTypes``) or its tree. A code of OncoTree and the name that goes with it stand for
the same. Its first level, organs, is left out: a tumour is no kind of an organ.
"""

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clinfo.errors import UsageError, file_errors
from clinfo.terms.closure import Below, ancestors
from clinfo.terms.mesh import Mesh
from clinfo.text.terms import FUNCTION_WORDS
from clinfo.text.words import key

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
