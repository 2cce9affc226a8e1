"""Silos: collections of documents of one source and use, each searched by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class SiloDocument:
    """A document of a silo with what tells where it is from.

    ``text`` is its canonical text; offsets of hits refer to it. ``abstractions`` are texts made of
    it for a purpose, by name ("fields", "questions", …); they are searched and never quoted.
    ``fields`` are values that structured tools read (gene, variant, level, status …). ``date`` and
    ``version`` are as the source tells them, ISO 8601 where it can be; empty where it does not.
    """

    silo: str
    id: str
    title: str
    text: str
    abstractions: Mapping[str, str]
    fields: Mapping[str, str]
    licence: str = ""
    date: str = ""
    version: str = ""
    url: str = ""


@dataclass(frozen=True)
class SiloHit:
    """A passage of a silo's document, [start, end) in code points of its text, best first.

    ``found_by`` names what was hit: "text" or the name of an abstraction, which brings the passage
    that it was made of.
    """

    document: SiloDocument
    start: int
    end: int
    score: float
    found_by: str

    @property
    def text(self) -> str:
        """The passage."""
        return self.document.text[self.start : self.end]

    @property
    def abstractions(self) -> Mapping[str, str]:
        """The abstractions that were made of what the passage stands in, by name."""
        from clinfo.retrieval.silos.passages import part_of

        found = {}
        for name, text in self.document.abstractions.items():
            start, end = part_of(self.document, name)
            if start <= self.start < end or not self.document.text:
                found[name] = text
        return found
