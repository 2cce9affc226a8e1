"""A question about trials taken apart without a model, by the names that vocabularies know, and
what papers call an outcome: as it was asked, or by another of its names in MeSH.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from clinfo.extractive.concepts import concepts
from clinfo.retrieval.documents import Asked, Document
from clinfo.terms.naming import descriptor_of, kind_of, synonyms
from clinfo.text.terms import fold

_BRANCHES: Final = ("C", "D", "F", "G")
"""The branches of MeSH on what happens to people; elsewhere a name may be another thing's: "weight"
is Weights and Measures."""
_RESULTS: Final = re.compile(r"\b(?:results?|findings|outcomes?|abstract|summary)\b", re.IGNORECASE)


def asked_in(question: str) -> Asked:
    """The first treatment is the intervention, the first name after it that is no treatment the
    outcome, a treatment after that the comparator; "" for what is not there.
    """
    names: list[tuple[str, bool]] = []
    for one in concepts(question):
        treats = kind_of(one.part) == "treatment"
        before, alike = names[-1] if names else ("", None)
        if alike == treats and fold(f"{before} {one.text}") in fold(question):
            names[-1] = (f"{before} {one.text}", treats)
        else:
            names.append((one.text, treats))
    first = next((at for at, (_, treats) in enumerate(names) if treats), 0)
    rest = names[first + 1 :]
    at = next((at for at, (_, treats) in enumerate(rest) if not treats), len(rest))
    tried = [name for name, _ in (*names[first : first + 1], *rest[:at])]
    outcome = rest[at][0] if at < len(rest) else names[0][0] if first else ""
    against = next((name for name, treats in rest[at + 1 :] if treats), "")
    return Asked(question, outcome, ", ".join(tried), against)


def reported_as(papers: Sequence[Document], outcome: str) -> str:
    """The name under which the results of papers report an outcome: as it was asked, else the most
    frequent of its other names in MeSH.
    """
    text = "\n".join(_reported(papers))
    if not outcome or _count(outcome, text):
        return outcome
    known = descriptor_of(outcome)
    if known is None or not any(tree.startswith(_BRANCHES) for tree in known.tree_numbers):
        return outcome
    counts = {name: _count(name, text) for name in synonyms(outcome)}
    found = max(counts, key=counts.__getitem__, default="")
    return found.lower() if counts.get(found) else outcome


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
