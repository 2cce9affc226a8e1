"""The table of MeSH that comes with the program: compact text, held as two strings of bytes and
searched in place.

``mesh.txt.gz`` beside this file has a line of facts (JSON), a line for each descriptor in the order
of their identifiers, an empty line, and a line for each name, as a key, in the order of bytes, with
the numbers of the lines of those that bear it. `benchmarks.own.pack_mesh` writes it; README.md
beside it says whose the terms are. It is read at the first lookup.
"""

from __future__ import annotations

import gzip
import json
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

from clinfo.records.articles import MeshDescriptor
from clinfo.terms.mesh import Edition, Mesh

FILE = Path(__file__).with_name("mesh.txt.gz")
_WORD = re.compile(rb"[^ \t\n]+")


@dataclass(frozen=True)
class _Held:
    """The file's content: ``places`` are the offsets of the descriptors' lines, ``names`` begins
    and ends with a line's end.
    """

    edition: Edition
    most_words: int
    descriptors: bytes
    places: array[int]
    names: bytes


class PackagedTable(Mesh):
    """The table that comes with the program. Raises OSError where its file is missing: the program
    is not whole then.
    """

    @property
    def edition(self) -> Edition:
        """Return which MeSH this is; ``loaded_at`` is when the file was made."""
        return _held().edition

    def bearing(self, words: Sequence[str]) -> dict[str, array[int]]:
        """For each of ``words`` that occurs in any name: the numbers of the descriptors in whose
        names it does.
        """
        found: dict[str, array[int]] = {}
        for word in words:
            numbers = {number for line in _lines_with(word) for number in _numbers(line)}
            if numbers:
                found[word] = array("I", sorted(numbers))
        return found

    def vocabulary(self) -> Sequence[str]:
        """All words of headings and entry terms that are no numbers."""
        return _vocabulary()

    def names(self) -> Iterator[tuple[str, int]]:
        """All names as keys, each with the number of the first descriptor that bears it."""
        found = re.findall(r"(.*)\t(\d+)", _held().names.decode())
        return ((name, int(number)) for name, number in found)

    def numbered(self, numbers: Sequence[int]) -> dict[int, MeshDescriptor]:
        """The descriptors with these numbers of this table."""
        return {number: _descriptor(number) for number in numbers}

    def _identified(self, ui: str) -> MeshDescriptor | None:
        number = _identifiers().get(ui.encode("utf-8", "surrogatepass"))
        return None if number is None else _descriptor(number)

    def _called(self, name: str) -> list[int]:
        return _numbers(_line_of(name))

    def _known(self, names: Sequence[str]) -> list[str]:
        return [name for name in names if _line_of(name)]

    def _below(self, place: str) -> set[int]:
        trees, numbers = _trees()
        first, past = (bisect_left(trees, f"{place}{end}".encode()) for end in "./")
        return set(numbers[first:past])

    def places(self) -> dict[str, int]:
        """The number of the descriptor at each tree number."""
        return {
            place: number
            for number in range(len(_held().places))
            for place in _descriptor(number).tree_numbers
        }

    def _acting(self, action: str) -> set[int]:
        return set()  # which substances have an action is known of a loaded file of NLM's only

    def _most_words(self) -> int:
        return _held().most_words


@cache
def _held() -> _Held:
    first, _, rest = gzip.decompress(FILE.read_bytes()).partition(b"\n")
    facts = json.loads(first)
    middle = rest.index(b"\n\n")
    descriptors, names = b"\n" + rest[: middle + 1], rest[middle + 1 :]
    places = array("I", (end.end() for end in re.finditer(b"\n", descriptors[:-1])))
    edition = Edition(**{one.name: facts[one.name] for one in fields(Edition)})
    return _Held(edition, facts["most_words"], descriptors, places, names)


@cache
def _identifiers() -> dict[bytes, int]:
    """The number of the descriptor with each identifier."""
    lines = _held().descriptors[1:-1].split(b"\n")
    return {line.partition(b"\t")[0]: number for number, line in enumerate(lines)}


@cache
def _trees() -> tuple[list[bytes], array[int]]:
    """All tree numbers in the order of bytes, so that those below one stand together ("/" follows
    "."), and the number of each one's descriptor.
    """
    lines = _held().descriptors[1:-1].split(b"\n")
    found = sorted(
        (tree, number)
        for number, line in enumerate(lines)
        for tree in line.split(b"\t", 3)[2].split(b"|")
    )
    return [tree for tree, _ in found], array("I", [number for _, number in found])


@cache
def _vocabulary() -> tuple[str, ...]:
    names = (line.partition(b"\t")[0] for line in _held().names.split(b"\n"))
    return tuple(
        sorted(
            word
            for word in {word.decode() for name in names for word in name.split()}
            if not word.isdigit()
        )
    )


def _descriptor(number: int) -> MeshDescriptor:
    held = _held()
    start = held.places[number]
    ui, heading, trees, terms = (
        held.descriptors[start : held.descriptors.index(b"\n", start)].decode().split("\t")
    )
    return MeshDescriptor(
        ui, heading, tuple(filter(None, terms.split("|"))), tuple(filter(None, trees.split("|")))
    )


def _line_of(name: str) -> bytes:
    """The line of a name; empty where there is none. The line that the middle falls into is
    compared, then the half beside it.
    """
    names, sought = _held().names, name.encode("utf-8", "surrogatepass")
    low, high = 0, len(names) - 1  # a line's end stands at each
    while low < high:
        begin = names.rfind(b"\n", low, max((low + high) // 2, low + 1))
        end = names.index(b"\n", begin + 1)
        line = names[begin + 1 : end]
        found = line.partition(b"\t")[0]
        if found == sought:
            return line
        low, high = (end, high) if found < sought else (low, begin)
    return b""


def _lines_with(word: str) -> list[bytes]:
    names, sought, lines = _held().names, word.encode("utf-8", "surrogatepass"), []
    at = names.find(sought) if _WORD.fullmatch(sought) else -1
    while at >= 0:
        end = at + len(sought)
        if names[at - 1 : at] in (b" ", b"\n") and names[end : end + 1] in (b" ", b"\t"):
            lines.append(names[names.rfind(b"\n", 0, at) + 1 : names.index(b"\n", at)])
            end = names.index(b"\n", at)
        at = names.find(sought, end)
    return lines


def _numbers(line: bytes) -> list[int]:
    return [int(number) for number in line.rpartition(b"\t")[2].split(b",")] if line else []
