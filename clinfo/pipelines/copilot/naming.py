"""Names of things in a text: runs of words that a table knows, whatever their case, hyphens and
spelling.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from clinfo.lazy_dataclass import dataclass

_PIECE = re.compile(r"[^\W_]+|(?<=\w)[+](?!\w)|(?<=[A-Za-z]\d)[-−](?=\s)|(?<=\bER)[-−](?=[\s/])")
_SIGNS = {"+": "positive", "-": "negative", "−": "negative"}
_BETWEEN = re.compile(r"[\s\-–‐/:(),.'’]{0,3}")
_GREEK = {"α": "alpha", "β": "beta", "γ": "gamma", "κ": "kappa"}
_BRITISH = (
    ("tumour", "tumor"), ("leukaem", "leukem"), ("haem", "hem"), ("oesoph", "esoph"),
    ("aemia", "emia"), ("paediatr", "pediatr"), ("ö", "o"), ("ü", "u"), ("é", "e"),
)  # fmt: skip
LONGEST = 9
"""Words of the longest name that is looked for."""


@dataclass(frozen=True)
class Piece:
    """A word of a text, as it is compared."""

    start: int
    end: int
    written: str
    word: str


def pieces(text: str) -> list[Piece]:
    """The words of a text in American spelling and singular, Greek letters by name."""
    return [
        Piece(found.start(), found.end(), found[0], plain(found[0]))
        for found in _PIECE.finditer(text)
    ]


@cache
def plain(word: str) -> str:
    """A word as it is compared."""
    own = _SIGNS.get(word, word.lower())
    for letter, name in _GREEK.items():
        own = own.replace(letter, name)
    own = american(own)
    if len(own) > 4 and own.endswith("s") and not own.endswith(("ss", "us", "is")):
        own = own[:-1]
    return own


def american(word: str) -> str:
    """A word in American spelling."""
    for british, own in _BRITISH:
        word = word.replace(british, own)
    return word


def runs(text: str, words: list[Piece], start: int) -> Iterator[list[Piece]]:
    """Runs of words from one on that only blanks and hyphens divide, the longest first."""
    end = start + 1
    while (
        end < len(words)
        and end - start < LONGEST
        and _BETWEEN.fullmatch(text, words[end - 1].end, words[end].start)
    ):
        end += 1
    for stop in range(end, start, -1):
        yield words[start:stop]


def joined(run: Iterable[Piece]) -> str:
    """A run as it is looked up: without what divides it."""
    return "".join(one.word for one in run)


def key(name: str) -> str:
    """A name as `joined` would give it."""
    return joined(pieces(name))


@cache
def table(file: str) -> Mapping[str, tuple[str, ...]]:
    """The names of a file beside this module: "NAME: other; other" a line."""
    found: dict[str, tuple[str, ...]] = {}
    path = Path(__file__).with_name(file)
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            name, _, others = line.partition(": ")
            own = tuple(one.strip() for one in others.split(";") if one.strip())
            found[name] = (*found.get(name, ()), *own)
    return found
