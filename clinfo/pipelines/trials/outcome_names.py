"""What papers call an outcome: as it was asked, or by another of its names in MeSH."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from clinfo.retrieval.documents import Document
from clinfo.terms.naming import descriptor_of, synonyms

_BRANCHES: Final = ("C", "D", "F", "G")
"""Where MeSH has what happens to people; elsewhere a name may be another thing's: "weight" is
Weights and Measures."""
_RESULTS: Final = re.compile(r"\b(?:results?|findings|outcomes?|abstract|summary)\b", re.IGNORECASE)
_MOST: Final = 3


def names_in(papers: Sequence[Document], outcome: str) -> tuple[str, ...]:
    """The names under which the results of a study's papers report an outcome, at most three, the
    most frequent first: the one asked before any other, and alone where there is no other.
    """
    counts = other_names(papers, outcome)
    found = sorted((name for name in counts if counts[name]), key=lambda name: -counts[name])
    return tuple(name.lower() for name in found[:_MOST]) or (outcome,)


def other_names(papers: Sequence[Document], outcome: str) -> dict[str, int]:
    """MeSH's other names of an outcome with how often the results of papers use each; none where
    they use the one asked, or MeSH knows no such outcome.
    """
    text = "\n".join(_reported(papers))
    if not outcome or _count(outcome, text):
        return {}
    known = descriptor_of(outcome)
    if known is None or not any(tree.startswith(_BRANCHES) for tree in known.tree_numbers):
        return {}
    return {name: _count(name, text) for name in synonyms(outcome)}


def _reported(papers: Iterable[Document]) -> Iterator[str]:
    """The tables and what stands under headings of results; of a paper without these all of it."""
    for paper in papers:
        blocks = [
            one
            for one in paper.blocks
            if one.kind in ("table", "caption") or any(map(_RESULTS.search, one.section))
        ]
        yield from (paper.text[one.start : one.end] for one in blocks or paper.blocks)


def _count(name: str, text: str) -> int:
    pattern = r"[\s-]+".join(map(re.escape, name.split()))
    return len(re.findall(rf"(?<!\w){pattern}(?!\w)", text, re.IGNORECASE))
