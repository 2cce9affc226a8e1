"""Words that readers of text know, one kind a file: abbreviations, function words, people, …

A line of a file is a word and, after ``=``, the groups that hold it; who reads them names the
group, so a word stands in one place. Spaces in a word stand for any white space, and signs of
regular expressions are kept. Lines that begin with ``#`` tell what the file holds, its source and
licence.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent


@cache
def groups(kind: str) -> dict[str, tuple[str, ...]]:
    """The words of a kind by group, in the order of its file. FileNotFoundError where there is no
    such kind."""
    found: dict[str, list[str]] = {}
    for line in (_FOLDER / f"{kind}.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            word, _, names = line.rpartition(" = ")
            for name in names.split():
                found.setdefault(name, []).append(word)
    return {name: tuple(words) for name, words in found.items()}


def words_of(kind: str, group: str) -> tuple[str, ...]:
    """The words of one group. KeyError where the kind has no such group."""
    return groups(kind)[group]
