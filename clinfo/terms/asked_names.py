"""Names and abbreviations that criteria use and MeSH has not, from ``asked_names.tsv`` beside this
file.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from clinfo.text.words import key

FILE = Path(__file__).with_name("asked_names.tsv")


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing: its names, what it is (condition, drug, procedure), and the names that it takes in
    and leaves out.
    """

    names: tuple[str, ...]
    kind: str
    takes: tuple[str, ...]
    leaves: tuple[str, ...]


def asked(name: str) -> Asked | None:
    """What a name stands for; None where the list has it not."""
    return _listed().get(key(name))


def asked_names() -> tuple[str, ...]:
    """All names of the list."""
    return tuple(dict.fromkeys(name for row in _listed().values() for name in row.names))


@cache
def _listed() -> dict[str, Asked]:
    found: dict[str, Asked] = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            names, kind, takes, leaves = line.split("\t")
            row = Asked(_parts(names), kind, _parts(takes), _parts(leaves))
            found.update((key(name), row) for name in row.names)
    return found


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(";") if part != "-")
