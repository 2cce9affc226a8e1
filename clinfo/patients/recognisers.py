"""Readers of entities, by name: the house's own, or one of another program's.

A name is "mesh" or ``module:function``. The function takes a text and gives (start, end, concept,
types) of each mention, in code points; what is said of a mention is found by this house's rules, so
that a plug-in for MedCAT or scispaCy is a dozen lines (docs/entities.md shows both).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import Protocol

from clinfo.errors import UsageError
from clinfo.patients.assertion import asserted
from clinfo.patients.entities import find_mentions
from clinfo.patients.lexicon import standard
from clinfo.patients.mentions import Mention
from clinfo.patients.sections import sections

OWN = "mesh"
Reader = Callable[[str], tuple[Mention, ...]]


class Recogniser(Protocol):
    """A function of another program that finds mentions in a text."""

    def __call__(self, text: str, /) -> Iterable[tuple[int, int, str, tuple[str, ...]]]:
        """Return (start, end, concept, types) of each mention."""


def reader(name: str = OWN) -> Reader:
    """The reader of this name. Raises UsageError where the name leads to no function, and its
    reader UsageError where a mention lies outside the text.
    """
    if name == OWN:
        return lambda text: find_mentions(text, standard())
    module, _, function = name.partition(":")
    try:
        found: Recogniser = getattr(importlib.import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"no reader of entities is called {name!r}: {error}") from None
    return lambda text: _read(text, found, name)


def _read(text: str, recogniser: Recogniser, name: str) -> tuple[Mention, ...]:
    mentions: list[Mention] = []
    for start, end, concept, types in sorted(recogniser(text), key=lambda row: (row[0], -row[1])):
        if not 0 <= start < end <= len(text):
            raise UsageError(f"{name} gave a mention [{start}, {end}) outside its text")
        if not mentions or start >= mentions[-1].end:
            mentions.append(Mention(start, end, text[start:end], concept, tuple(types)))
    return asserted(text, sections(text), mentions)
