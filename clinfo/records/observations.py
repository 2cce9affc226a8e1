"""Observations of tools: passages of documents, and what else is to be said of a call. Offsets are
code points in a document's canonical text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Observed:
    """A passage that a tool brought, [start, end) of a silo's document. ``text`` is what stands
    there.

    ``level`` is the level of evidence as the silo tells it, ``date`` and ``version`` likewise;
    ``facts`` are fields that a reader needs beside the text.
    """

    silo: str
    document: str
    title: str
    start: int
    end: int
    text: str
    level: str = ""
    date: str = ""
    version: str = ""
    licence: str = ""
    url: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Observation:
    """The result of a call: passages, best first, and what else is to be said of it.

    ``missing`` are the silos that hold nothing on what was asked. ``problem`` says why there is no
    result.
    """

    passages: tuple[Observed, ...] = ()
    said: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    problem: str = ""
