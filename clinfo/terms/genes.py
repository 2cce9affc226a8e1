"""Human genes by their symbols, other names and families (HGNC, FamPlex: ``genes.txt.gz``), and the
genes and groups that oncology asks about (``genes.txt``), which are known without a word of change
beside them.
"""

import gzip
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path

from clinfo.text.lexicon import entries

FILE = Path(__file__).with_name("genes.txt.gz")
ONCOLOGY = Path(__file__).with_name("genes.txt")
_GREEK = str.maketrans({"α": "A", "β": "B", "γ": "G", "δ": "D"})
_SPELT = re.compile(r"(?i)(?<=[a-z0-9])-?(alpha|beta|gamma|delta)$")

_THREE = "AlaArgAsnAspCysGlnGluGlyHisIleLeuLysMetPheProSerThrTrpTyrValTer"
_AMINO = {_THREE[3 * n : 3 * n + 3].lower(): one for n, one in enumerate("ARNDCQEGHILKMFPSTWYV*")}
_CHANGE = re.compile(
    rf"(?i)(?<![a-z])({'|'.join(_AMINO)})(\d+)({'|'.join(_AMINO)}|(?![a-z])|(?=del|ins|dup|ext))"
)
_INSERTED = re.compile(rf"(?i)(?<=ins)(?:{'|'.join(_AMINO)})+(?![a-z])")
"""A change of an amino acid in three letters, Val600Glu, and what is inserted, insGluLys."""
_SPELLINGS = (
    (_CHANGE, lambda one: _letter(one[1]) + one[2] + _letter(one[3])),
    (_INSERTED, lambda one: "".join(map(_letter, re.findall("...", one[0])))),
    (re.compile(r"(?i)fsTer(?=\d)"), "fs*"),
    (re.compile(r"(?i)(?<![a-z0-9])([a-z]\d+)X(?![a-z0-9])"), r"\1*"),
    (re.compile(r"(?i)(?<![a-z])exon(?=\d)"), "exon "),
)
"""Spellings of changes with the one that is compared."""


def short_change(text: str) -> str:
    """A text with changes of proteins in one spelling: V600E for p.(Val600Glu)."""
    text = re.sub(r"\b[pc]\.\(?", "", text)
    for pattern, spelt in _SPELLINGS:
        text = pattern.sub(spelt, text)
    return text


def _letter(amino: str) -> str:
    return _AMINO.get(amino.lower(), "")


def gene_key(name: str) -> str:
    """A name as names are compared: capitals, no hyphens, Greek letters as Latin ones."""
    spelt = _SPELT.sub(lambda match: match[1][0], name)
    return spelt.translate(_GREEK).upper().replace("-", "").replace("\N{NON-BREAKING HYPHEN}", "")


@lru_cache(maxsize=5_000)
def genes_of(name: str) -> tuple[str, ...]:
    """The symbols of the genes that a symbol, other name or family stands for; empty of any other
    word. Listed symbols come first, then those of HGNC, families, other names.
    """
    own, groups = gene_key(name), oncology()[1]
    if (listed := _by_key().get(own)) is not None:
        return groups.get(listed) or (listed,)
    found = _named(own) or (_named(own[1:]) if name[:2] in ("c-", "C-") else ())
    return tuple(dict.fromkeys(member for one in found for member in groups.get(one, (one,))))


def symbols_of(name: str) -> tuple[str, ...]:
    """The symbols that HGNC and FamPlex have for a symbol, other name or family; none for a name
    that neither knows. Of two names with a slash ("HER-2/neu") those that both may be.
    """
    known, parts = _named(gene_key(name)), name.split("/")
    if known or len(parts) == 1:
        return known
    return tuple(sorted(set.intersection(*(set(_named(gene_key(one))) for one in parts))))


@cache
def oncology() -> tuple[frozenset[str], Mapping[str, tuple[str, ...]]]:
    """The listed symbols, and the groups with their members."""
    symbols: set[str] = set()
    groups: dict[str, tuple[str, ...]] = {}
    for line in entries(ONCOLOGY):
        name, colon, members = line.partition(":")
        if colon:
            groups[name] = tuple(members.split())
        else:
            symbols.update(line.split())
    return frozenset(symbols), groups


@cache
def _by_key() -> dict[str, str]:
    symbols, groups = oncology()
    return {gene_key(name): name for name in sorted({*symbols, *groups})}


def _named(own: str) -> tuple[str, ...]:
    symbols, others = _table()
    return symbols.get(own) or others.get(own) or ()


@cache
def _table() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    """The genes by their symbols, and by families and other names, of which families come first."""
    genes, _, families = gzip.decompress(FILE.read_bytes()).decode().partition("\n\n")
    symbols: dict[str, tuple[str, ...]] = {}
    others: dict[str, tuple[str, ...]] = {}
    for line in families.splitlines():
        name, _, members = line.partition(":")
        others[gene_key(name)] = tuple(members.split())
    for line in genes.splitlines():
        symbol, *names = line.split(" ")
        symbols[gene_key(symbol)] = (symbol,)
        for name in names:
            others.setdefault(name, (symbol,))
    return symbols, others
