"""Changes that a question leaves out by name: non-V600, other than R132H, without exon 11."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from clinfo.lazy_dataclass import replace
from clinfo.pipelines.copilot.gene_names import Named
from clinfo.pipelines.copilot.not_found import CODE, GENE, WHAT, masked
from clinfo.pipelines.copilot.rolled_up import holds
from clinfo.pipelines.copilot.variants import ANY_CHANGE, Change

_OUT = (
    r"(?:(?<!\bor\s)(?<!\band\s)\b(?:non[\s-]*|(?:other\s+than|different\s+from"
    r"|except(?:ing)?(?:\s+for)?|exclud(?:ed|ing)|excepted|apart\s+from|aside\s+from|but\s+not|not"
    r"|no|beyond|besides|rather\s+than|instead\s+of|without|lack(?:s|ing)?|outside(?:\s+of)?"
    r"|absence\s+of)\s+))"
)
_NAME = rf"(?:{GENE}+|(?-i:[A-Z][A-Z0-9]{{1,8}}))"
_PLACE = (
    rf"(?:{CODE}+|(?:exons?|codons?)[\s-]*\d+|{_NAME}(?:-|::){GENE}+|{GENE}+(?:-|::){_NAME}|ITD\b)"
)
_LEFT_OUT = re.compile(
    rf"(?i){_OUT}(?:(?:an?|the|any|those|in|at|of|with|for|its)\s+){{0,3}}(?:{_NAME}[\s-]+)?"
    rf"{_PLACE}(?:\s*(?:,|/|&|\band\b|\bor\b|\bnor\b)\s*(?:{_NAME}[\s-]+)?(?:{_PLACE}|\d+\b))*"
    rf"(?:[\s-]+{WHAT})*"
)
_UNREAD = re.compile(
    rf"(?i)\b(?:other\s+than|except(?:ing)?(?:\s+for)?|excluding)\s+(?:[\w-]+\s+){{0,4}}?{WHAT}\b"
    rf"|\bnon-(?:canonical|classical|common|hotspot)\b"
)
_WITHOUT = re.compile(r"(?i)(?:without|lack\w*|no|absence\s+of)\b")
_NUMBERS = re.compile(
    r"(?i)(exons?|codons?)([\s-]*\d+(?:\s*(?:,|/|&|\band\b|\bor\b|\bnor\b)\s*\d+\b)+)"
)
_CODONS = re.compile(r"\b[A-Z]\d{2,4}(?=[A-Z])")


def left_out(text: str, genes: Sequence[Named]) -> list[tuple[int, int]]:
    """Where a text names changes that are not meant. ``genes`` are those that it names."""
    return [found.span() for found in _LEFT_OUT.finditer(masked(text, genes))]


def unread(text: str, genes: Sequence[Named]) -> list[str]:
    """What a text leaves out that is no change by name: "other than common mutations"."""
    rest = masked(text, genes)
    for start, end in left_out(text, genes):
        rest = rest[:start] + "\n" * (end - start) + rest[end:]
    return [text[slice(*found.span())] for found in _UNREAD.finditer(rest)]


def named_out(text: str) -> str:
    """What is left out, without the words that say so, exons and codons each with its word."""
    text = re.sub(rf"(?i)^{_OUT}", " ", text)
    return _NUMBERS.sub(
        lambda found: " , ".join(
            f"{found[1].rstrip('s')} {n}" for n in re.findall(r"\d+", found[2])
        ),
        text,
    )


def may_be_wild(text: str) -> bool:
    """Whether a gene without the change may have none: "without exon 11", not "non-V600"."""
    return _WITHOUT.match(text) is not None


def held(gene: str, out: Change, known: Mapping[str, Change], wild: bool) -> frozenset[str]:
    """The variants, of a gene's ``known`` ones, that are changes left ``out``, or kinds of one, or
    hold one beside others; with ``wild`` its wild type too.
    """
    return frozenset(
        name
        for name, own in known.items()
        if _held(gene, out, _with_codons(name, own)) or (wild and "wild type" in own.kinds)
    )


def may_hold(out: Iterable[str], known: Mapping[str, Change]) -> list[str]:
    """The variants that may hold a change left out, which their names do not tell: any mutation, a
    codon of which one change is left ``out``, by its place.
    """
    codons = {found[0] for one in out if (found := re.match(r"[A-Z]\d+(?=\D)", one))}
    return sorted(
        name
        for name, own in known.items()
        if codons & own.places
        or (not own.places and not own.partners and ANY_CHANGE & {*own.kinds})
    )


def _held(gene: str, out: Change, own: Change) -> bool:
    places = any(
        one == other or one.startswith(f"{other}_") or holds(gene, other, out, one)
        for one in own.places
        for other in out.places
    )
    fused = len(out.partners) > 1 and out.partners <= own.partners
    return places or fused or bool(out.special & own.special & {"itd"})


def _with_codons(name: str, own: Change) -> Change:
    """A change with the codons of a name that is written in no other way: K558NP."""
    return own if own.places else replace(own, places=frozenset(_CODONS.findall(name)))
