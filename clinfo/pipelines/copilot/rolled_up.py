"""The broader changes of which a specific one is a kind: PIK3CA H1047R is a mutation of exon 21."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from clinfo.pipelines.copilot.naming import table
from clinfo.pipelines.copilot.variants import ANY_CHANGE, Change

_FUSED: Final = frozenset(("fusion", "rearrangement"))
_OF_SEQUENCE: Final = frozenset(
    ("itd", "tkd", "viii", "p-loop", "kinase domain", "dna binding", "frameshift", "truncating",
     "splice", "skipping", "deleterious")
)  # fmt: skip
"""Marks of changes that are mutations, whatever they are called."""
_LESS = re.compile(r"(?i)\b(?:rare|conserved|non)\b")
"""Words of names that leave out some of what the other words say."""
_CODON = re.compile(r"[A-Z](\d+)")
_CODE = re.compile(r"[A-Z](\d+)(?:_[A-Z](\d+))?(\D*)")
_KIND_OF_CODE: Final = {
    "DELINS": "insertion", "DEL": "deletion", "INS": "insertion", "DUP": "insertion",
    "FS": "frameshift",
}  # fmt: skip
"""What the end of a code tells of its kind; anything else is a substitution. In the place of one
codon more is put in than is taken out.
"""


def broader(gene: str, asked: Change, known: Mapping[str, Change]) -> list[str]:
    """The variants, of a gene's ``known`` ones, that hold the change asked for and more: its codon
    first, then its exon, then any mutation; fusions with any partner for one that is named.
    """
    found = [
        (rank, name)
        for name, own in known.items()
        if not _LESS.search(name) and (rank := _covers(gene, own, asked)) is not None
    ]
    return [name for _, name in sorted(found)]


def narrower(gene: str, asked: Change, known: Mapping[str, Change]) -> list[str]:
    """The variants, of a gene's ``known`` ones, that are held by the change asked for: V600E by any
    mutation, a duplication by the insertions of its exon.
    """
    return sorted(name for name, own in known.items() if _covers(gene, asked, own) is not None)


def _covers(gene: str, own: Change, asked: Change) -> int | None:
    """How much broader a change is than the one asked for, 0 the least; None where it is not."""
    if own.special - {"frameshift"} or "wild type" in (*own.kinds, *asked.kinds):
        return None
    if own.places:
        each = [any(holds(gene, one, own, place) for place in asked.places) for one in own.places]
        codons = all(map(_CODON.fullmatch, own.places))
        held = any(each) if codons else all(each)  # G12/G13 is either
        return (0 if codons else 1) if held else None
    if own.special:
        return None
    kinds = {*own.kinds}
    if own.partners:  # EML4-ALK of one whose exons are named
        same = own.partners == asked.partners and kinds <= _FUSED
        return 1 if asked.places and same else None
    if not kinds:
        return None
    of_sequence = asked.special & _OF_SEQUENCE or any(map(_CODE.fullmatch, asked.places))
    if of_sequence or (asked.places and len(asked.partners) < 2):
        return 2 if kinds <= ANY_CHANGE else None
    return 2 if len(asked.partners) > 1 and kinds <= _FUSED else None


def holds(gene: str, wide: str, own: Change, place: str) -> bool:
    """Whether a codon or an exon holds a specific place."""
    code = _CODE.fullmatch(place)
    if code is None:
        return False
    if (codon := _CODON.fullmatch(wide)) is not None:
        kinds = {*own.kinds} - ANY_CHANGE
        return codon[1] == code[1] and wide != place and not code[2] and not kinds
    if wide == f"codon {code[1]}":
        return True
    if not wide.startswith("exon ") or wide.removeprefix("exon ") not in _exons(gene, int(code[1])):
        return False
    told = ({*own.kinds} | {*own.special}) - ANY_CHANGE
    kind = next((kind for end, kind in _KIND_OF_CODE.items() if code[3].startswith(end)), "")
    return not told or told == {kind}


@cache
def _exons(gene: str, codon: int) -> frozenset[str]:
    """The exons that hold a codon, by number; none where the table has not the gene."""
    rows = (re.split("[ -]", one) for one in table("exons.txt").get(gene, ()))
    return frozenset(exon for exon, first, last in rows if int(first) <= codon <= int(last))
