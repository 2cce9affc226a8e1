"""Effect of the query check on 230 queries written by a language model.

    python -m benchmarks.own.repairs [--data FOLDER] [--show]

Each query is checked as the chain checks a generated one, with a table of MeSH. Printed are how
many each rewrite mended, and three numbers that must be 0: queries that became empty, that changed
without a word, and that changed though they had no fault (PubMed reads them without a remark, and
their headings exist as they are written). ``--show`` prints every query that changed.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from clinfo.errors import ClinfoError
from clinfo.pipelines.literature.search.query_check import check
from clinfo.pubmed.query import parse
from clinfo.pubmed.repairs import heading_texts, repaired, with_headings
from clinfo.records.articles import Query
from clinfo.sources.mesh_lookup import TableLookup
from clinfo.sources.protocols import MeshLookup
from clinfo.terms.mesh import Mesh
from clinfo.terms.mesh_files import load
from clinfo.terms.mesh_table import table_path

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
QUERIES = "llm_pubmed_queries.jsonl.gz"
MESH = "mesh/mesh_descriptors.jsonl.gz"


@dataclass(frozen=True)
class Row:
    """One query: as written, as checked, the names of the rewrites that changed it, and whether it
    had any fault before.
    """

    before: str
    after: Query
    rewrites: tuple[str, ...]
    faulty: bool

    @property
    def changed(self) -> bool:
        return self.after.text != self.before

    @property
    def empty(self) -> bool:
        return parse(self.after.text).tree is None


def read_queries(path: Path) -> list[str]:
    """The queries of a file, in its order."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["query"] for line in lines]


async def checked(text: str, lookup: MeshLookup) -> Row:
    """One query checked, and which rewrites it took."""
    after = await check(Query(0, text), lookup, repair=True)
    mended = repaired(text)
    names = [repair.name for repair in mended.repairs]
    tree = parse(mended.text).tree
    if tree is not None:
        names += [
            repair.name
            for repair in with_headings(tree, await lookup.match(heading_texts(tree)))[1]
        ]
    return Row(text, after, tuple(dict.fromkeys(names)), bool(names or parse(text).remarks))


def measure(folder: Path) -> list[Row]:
    """A row for each query in ``folder``. Raises ClinfoError."""

    async def rows(lookup: MeshLookup) -> list[Row]:
        return [await checked(text, lookup) for text in read_queries(folder / QUERIES)]

    with tempfile.TemporaryDirectory() as beside:
        table = table_path(Path(beside))
        load(folder / MESH, table)
        mesh = Mesh(table)
        try:
            return asyncio.run(rows(TableLookup(mesh)))
        finally:
            mesh.close()


def report(rows: Sequence[Row], show: bool = False) -> str:
    """The counts, and with ``show`` the queries that changed."""
    counts = Counter(name for row in rows for name in row.rewrites)
    lines = [f"{len(rows)} queries, {sum(row.changed for row in rows)} changed", ""]
    lines += [f"{count:>5}  {name}" for name, count in counts.most_common()]
    silent = sum(row.changed and not row.after.repairs for row in rows)
    good = sum(row.changed and not row.faulty for row in rows)
    lines += ["", f"{sum(row.empty for row in rows):>5}  became empty"]
    lines += [f"{silent:>5}  changed without a word", f"{good:>5}  changed though without fault"]
    for row in rows:
        if show and row.changed:
            lines += [
                "",
                f"- {row.before}",
                f"+ {row.after.text}",
                *(f"  {sentence}" for sentence in row.after.repairs),
            ]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print. Exit status 2 where the data are not there, else that of the error."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.own.repairs", description=__doc__.split("\n\n")[0]
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=DATA,
        help=f"folder with {QUERIES} and mesh/ (default: %(default)s)",
    )
    parser.add_argument("--show", action="store_true", help="print every query that changed")
    options = parser.parse_args(arguments)
    missing = [name for name in (QUERIES, MESH) if not (options.data / name).is_file()]
    if missing:
        print(f"{options.data} lacks {' and '.join(missing)}", file=sys.stderr)
        return 2
    try:
        print(report(measure(options.data), options.show))
    except ClinfoError as error:
        print(error, file=sys.stderr)
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main())
