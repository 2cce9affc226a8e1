"""The interface of a MeSH table: the descriptor of a name, narrower descriptors, near headings.

Names are compared by `clinfo.text.words.key`, so that a heading's brackets, commas and hyphens
count as spaces. Two kinds of tables exist: the one that NLM's file was loaded into
(`clinfo.terms.mesh_table`), and the one that comes with the program (`clinfo.terms.packaged`).
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from clinfo.records.articles import MeshDescriptor, MeshMatch
from clinfo.terms.mesh_nearest import WordTable, nearest
from clinfo.text.words import key

SUGGESTIONS = 3
"""Nearest headings that come with a text that is none."""
ACTIONS = "D27."
"""The branch of MeSH for what drugs do and are used for ("Chemical Actions and Uses"): the headings
of classes of drugs.
"""
_MOST_EXPLODED = 512
_UI = re.compile(r"D[0-9]{6,9}")
Kind = Literal["heading", "entry term"]


@dataclass(frozen=True)
class Edition:
    """The edition of MeSH in a table: the year (None where the file does not tell), the file's name
    and SHA-256, numbers, loading time.

    ``loaded_at`` is ISO 8601, UTC.
    """

    year: int | None
    source: str
    sha256: str
    descriptors: int
    entry_terms: int
    loaded_at: str


class Mesh(WordTable):
    """A table of MeSH, to be asked from any number of threads. Every method raises RecordError
    where the table is unusable.
    """

    def __init__(self) -> None:
        self._exploded = lru_cache(maxsize=_MOST_EXPLODED)(self._explode)

    @property
    @abstractmethod
    def edition(self) -> Edition:
        """Return which MeSH this is."""

    @property
    def name(self) -> str:
        """The edition for a reader: "MeSH 2020", or "MeSH" where the year is not known."""
        return f"MeSH {self.edition.year}" if self.edition.year else "MeSH"

    def descriptor(self, name: str) -> MeshDescriptor | None:
        """The descriptor with this unique identifier (``D001249``), heading or entry term."""
        if (
            _UI.fullmatch(ui := name.strip().upper())
            and (found := self._identified(ui)) is not None
        ):
            return found
        return self.match_exactly(name)

    def match_exactly(self, text: str) -> MeshDescriptor | None:
        """The descriptor with this heading or entry term, without looking for near ones."""
        found = self._meant(text)
        return found[1] if found is not None else None

    def match(self, text: str) -> MeshMatch:
        """Return what MeSH holds for ``text``; where it holds nothing, with the nearest
        headings.
        """
        return self.known_as(text) or MeshMatch(
            text, "unknown", None, self.near(text), self.edition.year
        )

    def known_as(self, text: str) -> MeshMatch | None:
        """Return what MeSH holds for ``text``, None where it holds nothing."""
        found = self._meant(text)
        if found is None:
            return None
        acts = any(place.startswith(ACTIONS) for place in found[1].tree_numbers)
        return MeshMatch(
            text,
            *found,
            year=self.edition.year,
            members=tuple(self.members(found[1])) if acts else (),
        )

    def longest(self, words: Sequence[str], start: int = 0) -> tuple[int, MeshDescriptor] | None:
        """The longest run of ``words`` (as of `clinfo.text.words.words`) from ``start`` on that is
        a heading or an entry term.

        Gives the number of words and the descriptor, None where no run is one.
        """
        named = self._known(list(_runs(words[start : start + self._most_words()])))
        longest = max(named, key=len, default="")
        found = self._meant(longest) if longest else None
        return (longest.count(" ") + 1, found[1]) if found is not None else None

    def explode(self, name: str) -> frozenset[str]:
        """The heading of ``name`` (identifier, heading or entry term) and all narrower ones, as
        keys; empty if there is none.

        What was asked for last is remembered, because queries come back to the same headings.
        """
        return self._exploded(name)

    def _explode(self, name: str) -> frozenset[str]:
        descriptor = self.descriptor(name)
        if descriptor is None:
            return frozenset()
        return frozenset(
            (key(descriptor.heading), *(key(heading) for heading in self.narrower(descriptor)))
        )

    def narrower(self, descriptor: MeshDescriptor) -> list[str]:
        """The headings below ``descriptor`` at any of its places in the tree, in alphabetical
        order.
        """
        below: set[int] = set()
        for place in descriptor.tree_numbers:
            below |= self._below(place)
        headings = {one.heading for one in self.numbered(sorted(below)).values()} - {
            descriptor.heading
        }
        return sorted(headings, key=str.lower)

    def members(self, descriptor: MeshDescriptor) -> list[str]:
        """The headings of substances that have ``descriptor`` or a narrower one as a
        pharmacological action, in alphabetical order.

        Empty where the table does not hold actions.
        """
        actions = (key(heading) for heading in (descriptor.heading, *self.narrower(descriptor)))
        numbers = {number for action in actions for number in self._acting(action)}
        headings = {one.heading for one in self.numbered(sorted(numbers)).values()}
        return sorted(headings, key=str.lower)

    def near(self, text: str, limit: int = SUGGESTIONS) -> tuple[str, ...]:
        """The headings that themselves or by an entry term come nearest to ``text``, nearest first;
        none that is far.
        """
        return nearest(self, self.edition.descriptors, text, limit)

    @abstractmethod
    def names(self) -> Iterator[tuple[str, int]]:
        """All headings and entry terms as keys, each with the number of the first descriptor that
        bears it.
        """

    def close(self) -> None:
        """Free what is held; the next lookup takes it up again."""
        self._exploded.cache_clear()

    def _meant(self, name: str) -> tuple[Kind, MeshDescriptor] | None:
        numbers = self._called(key(name))
        return meant(name, list(self.numbered(numbers).values())) if numbers else None

    @abstractmethod
    def _identified(self, ui: str) -> MeshDescriptor | None:
        """The descriptor with this unique identifier."""

    @abstractmethod
    def _called(self, name: str) -> list[int]:
        """The numbers of the descriptors that have this name, given as a key, in ascending
        order.
        """

    @abstractmethod
    def _known(self, names: Sequence[str]) -> list[str]:
        """Those of ``names``, given as keys, that are names of any descriptor."""

    @abstractmethod
    def _below(self, place: str) -> set[int]:
        """The numbers of the descriptors whose tree numbers begin with ``place`` and a dot."""

    @abstractmethod
    def places(self) -> Mapping[str, int]:
        """The number of the descriptor at each tree number."""

    @abstractmethod
    def _acting(self, action: str) -> set[int]:
        """The numbers of the descriptors with this pharmacological action, given as a key."""

    @abstractmethod
    def _most_words(self) -> int:
        """Words of the longest name."""


def meant(name: str, descriptors: Sequence[MeshDescriptor]) -> tuple[Kind, MeshDescriptor] | None:
    """Return which of ``descriptors`` is called ``name``, None if none is.

    A heading wins over an entry term. Where several bear a name that `clinfo.text.words.key` takes
    for the same, the one that is spelt exactly so (but for case and spaces) wins, then the one with
    the lowest number, which is the oldest.
    """
    compared, exact = key(name), plain(name)
    called: list[tuple[bool, bool, int, Kind, MeshDescriptor]] = []
    for one in descriptors:
        is_heading = key(one.heading) == compared
        if is_heading or any(key(term) == compared for term in one.entry_terms):
            spelt = exact in map(plain, (one.heading, *one.entry_terms))
            called.append(
                (
                    not is_heading,
                    not spelt,
                    number_of(one),
                    "heading" if is_heading else "entry term",
                    one,
                )
            )
    if not called:
        return None
    *_, kind, descriptor = min(called, key=lambda found: found[:3])
    return kind, descriptor


def plain(name: str) -> str:
    """``name`` in lower case with single spaces: two spellings that differ in nothing else are the
    same.
    """
    return " ".join(name.casefold().split())


def number_of(descriptor: MeshDescriptor) -> int:
    """The number in a descriptor's identifier, by which tables are in order."""
    return int(descriptor.ui[1:])


def _runs(words: Sequence[str]) -> Iterator[str]:
    run = ""
    for word in words:
        run = f"{run} {word}" if run else word
        yield run
