"""Make the table of MeSH that comes with the program out of a file of descriptors.

    python -m benchmarks.own.pack_mesh FILE [--year YEAR]

FILE is one that ``clinfo mesh load`` reads. Descriptors whose ``source`` member says that they were
later removed or renamed are left out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
from pathlib import Path
from tempfile import TemporaryDirectory

from clinfo.terms.mesh import FILE
from clinfo.terms.mesh_files import DescriptorFile, write_table


def main(arguments: list[str] | None = None) -> None:
    """Write the file that `clinfo.terms.mesh.bundled_mesh` reads."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.own.pack_mesh", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--year", type=int, help="the edition, where the file does not tell it")
    options = parser.parse_args(arguments)
    file = DescriptorFile(options.file)
    gone = _gone(options.file)
    descriptors = [one for one in file.read() if one.ui not in gone]
    with TemporaryDirectory() as folder:
        table = Path(folder) / "mesh.sqlite"
        write_table(
            table, descriptors, lambda: (options.year or file.year, file.path.name, file.sha256)
        )
        FILE.write_bytes(lzma.compress(table.read_bytes(), preset=9))
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
