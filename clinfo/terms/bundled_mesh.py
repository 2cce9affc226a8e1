"""The table of MeSH that comes with the program: a table as `clinfo mesh load` makes them, packed,
and held in memory.

``mesh.sqlite.xz`` beside this file is made by ``python -m benchmarks.own.pack_mesh``.
"""

import lzma
import sqlite3
from functools import cache
from pathlib import Path

from clinfo.terms.mesh import Mesh

FILE = Path(__file__).with_name("mesh.sqlite.xz")


class BundledMesh(Mesh):
    """The table that comes with the program. Raises OSError where its file is missing: the program
    is incomplete then.
    """

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(":memory:", check_same_thread=False)
        connection.deserialize(lzma.decompress(self.path.read_bytes()))
        return connection


@cache
def bundled_mesh() -> BundledMesh:
    """The one of this process."""
    return BundledMesh(FILE)
