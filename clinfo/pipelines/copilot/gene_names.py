"""Genes that a text names, by symbol, former symbol or protein."""

from __future__ import annotations

import re
from collections.abc import Iterable

from clinfo.lazy_dataclass import dataclass
from clinfo.pipelines.copilot.naming import joined, key, pieces, runs, table
from clinfo.terms.genes import genes_of

_SHORT = 3
"""Letters up to which a name must be written as the table has it: MET is a gene and met is not."""
_WORDS = frozenset(("axl", "cat", "fos", "jun", "rel", "rest", "kit", "met", "ret", "set", "tank"))

_SYMBOL = re.compile(r"(?![A-Z]\d+[A-Z*]?$)[A-Z][A-Z0-9-]*\d[A-Z0-9]*")
"""Words with a number that are read as HGNC's other names of a gene (INI1); no change (V600E)."""
_FILTRATION = "eGFR"
"""The estimated glomerular filtration rate, which is no gene."""


@dataclass(frozen=True)
class Named:
    """What a text names at [start, end): a symbol, and how it is written."""

    symbol: str
    start: int
    end: int
    written: str


class Genes:
    """The genes of a source; others are not known to it."""

    def __init__(self, symbols: Iterable[str]) -> None:
        aliases = table("gene_names.txt")
        self._names: dict[str, list[tuple[str, str]]] = {}
        self._symbols_known = frozenset(symbols)
        for symbol in sorted(self._symbols_known):
            for name in (symbol, *aliases.get(symbol, ())):
                self._names.setdefault(key(name), []).append((symbol, name))

    def within(self, text: str) -> list[Named]:
        """The genes that a text names, in its order, the longest name at each place."""
        words = pieces(text)
        found: list[Named] = []
        place = 0
        while place < len(words):
            for run in runs(text, words, place):
                start, end = run[0].start, run[-1].end
                if symbols := self._symbols(joined(run), text[start:end]):
                    found += [Named(one, start, end, text[start:end]) for one in symbols]
                    place += len(run)
                    break
            else:
                place += 1
        return found

    def _symbols(self, key: str, written: str) -> list[str]:
        """The gene of a name, or the genes of a family's name (NTRK, BRCA1/2)."""
        if written == _FILTRATION:
            return []
        found = [
            symbol
            for symbol, name in self._names.get(key, ())
            if len(key) > _SHORT or written == name or (key not in _WORDS and written.isupper())
        ]
        if not found and len(key) > _SHORT and _SYMBOL.fullmatch(written):
            found = [one for one in genes_of(written) if one in self._symbols_known]
        return list(dict.fromkeys(found))
