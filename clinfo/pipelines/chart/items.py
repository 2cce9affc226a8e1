"""The things that a note says, one by one: its sentences, list items and what commas divide, each
with the section that it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from clinfo.patients.sections import sections
from clinfo.text.lexicon import words_of
from clinfo.text.sentences import sentence_spans
from clinfo.text.terms import FUNCTION_WORDS, stem, words

_DIVIDED = re.compile(r"[;,](?=\s)|\s(?:and|&)\s")
_DOSE = re.compile(r"\d")
LONGEST: Final = 4_000
"""Characters of a line that are read as one; a longer one is cut there."""


@dataclass(frozen=True)
class Item:
    """Code points [start, end) of a note. ``whole`` is the sentence or list item that it is part
    of, ``section`` the kind of its section (`clinfo.patients.sections`).
    """

    start: int
    end: int
    text: str
    whole: tuple[int, int]
    section: str


KINDS: Final = (
    "allergy", "condition", "immunization", "medication", "plan", "procedure", "symptom",
)  # fmt: skip


@cache
def _cues() -> dict[str, frozenset[str]]:
    """By kind, the stems of the words that name it."""
    return {name: frozenset(map(stem, words_of("record_kinds", name))) for name in KINDS}


@lru_cache(maxsize=4096)
def kinds_in(text: str) -> frozenset[str]:
    """The semantic kinds (condition, medication, procedure, …) that words of a text name."""
    held = {stem(word) for word in words(text)}
    return frozenset(name for name, stems in _cues().items() if stems & held)


def items_of(text: str) -> Iterator[Item]:
    """The items of a note, in order: each sentence or list item, then its parts where commas or
    semicolons divide it.
    """
    for part in sections(text):
        at = part.start
        for line in text[part.start : part.end].split("\n"):
            for first in range(0, len(line), LONGEST):
                own = line[first : first + LONGEST]
                for a, b in sentence_spans(own):
                    yield from _with_parts(own, a, b, at + first, part.kind)
            at += len(line) + 1


def _with_parts(line: str, a: int, b: int, base: int, section: str) -> Iterator[Item]:
    whole = (base + a, base + b)
    yield Item(*whole, line[a:b], whole, section)
    ends = [one.span() for one in _DIVIDED.finditer(line, a, b)]
    starts, stops = [a, *(past for _, past in ends)], [*(end for end, _ in ends), b]
    for start, end in zip(starts, stops, strict=True) if ends else ():
        start += len(line[start:end]) - len(line[start:end].lstrip())
        if end - start > 2:
            yield Item(base + start, base + end, line[start:end], whole, section)


@lru_cache(maxsize=50_000)
def naming_words(text: str) -> frozenset[str]:
    """The stems of the words of an item that name something: no function words, no doses."""
    return frozenset(
        stem(word) for word in words(text) if word not in FUNCTION_WORDS and not _DOSE.match(word)
    )
