"""Make the table of MeSH that comes with the program out of a file of descriptors.

    python -m benchmarks.own.pack_mesh FILE [--year YEAR]

FILE is one that ``clinfo mesh load`` reads. Descriptors whose ``source`` member says that they were
later removed or renamed are left out.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from clinfo.records.articles import MeshDescriptor
from clinfo.terms.mesh import Edition, number_of
from clinfo.terms.mesh_files import DescriptorFile
from clinfo.terms.packaged import FILE
from clinfo.text.words import key


def packed(
    descriptors: Iterable[MeshDescriptor], year: int | None, source: str, sha256: str
) -> bytes:
    """The content of the file that `clinfo.terms.packaged` reads, not yet compressed. Raises
    ValueError for a name with | in it.
    """
    in_order = sorted(descriptors, key=lambda one: (number_of(one), one.ui))
    rows, names = [], dict[str, list[int]]()
    for number, one in enumerate(in_order):
        if any(mark in name for name in (one.heading, *one.entry_terms) for mark in "|\t\n"):
            raise ValueError(f"{one.ui} has a name with | or white space other than a space in it")
        rows.append(
            "\t".join((one.ui, one.heading, "|".join(one.tree_numbers), "|".join(one.entry_terms)))
        )
        for name in {key(name) for name in (one.heading, *one.entry_terms)} - {""}:
            names.setdefault(name, []).append(number)
    made = datetime.now(UTC).isoformat(timespec="seconds")
    edition = Edition(
        year, source, sha256, len(rows), sum(len(one.entry_terms) for one in in_order), made
    )
    facts = {
        **asdict(edition),
        "most_words": max((name.count(" ") + 1 for name in names), default=0),
    }
    listed = sorted(names, key=str.encode)
    lines = [
        json.dumps(facts),
        *rows,
        "",
        *(f"{name}\t{','.join(map(str, names[name]))}" for name in listed),
    ]
    return "\n".join([*lines, ""]).encode()


def main(arguments: list[str] | None = None) -> None:
    """Write the file beside `clinfo.terms.packaged`."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.own.pack_mesh", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--year", type=int, help="the edition, where the file does not tell it")
    options = parser.parse_args(arguments)
    file = DescriptorFile(options.file)
    gone = _gone(options.file)
    descriptors = [one for one in file.read() if one.ui not in gone]
    content = packed(descriptors, options.year or file.year, file.path.name, file.sha256)
    FILE.write_bytes(gzip.compress(content, 9, mtime=0))
    print(f"{FILE}: {len(descriptors):,} descriptors, {FILE.stat().st_size:,} bytes")


def _gone(path: Path) -> set[str]:
    """The identifiers of descriptors in JSON lines that are no longer in MeSH, by what their
    ``source`` says.
    """
    if ".json" not in path.name:
        return set()
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    rows = (json.loads(line) for line in text.split("\n") if line.strip())
    return {row["ui"] for row in rows if "later removed" in row.get("source", "")}


if __name__ == "__main__":
    main()
