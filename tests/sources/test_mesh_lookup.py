"""MeSH for the stages, from a table."""

import asyncio

import pytest

from clinfo.errors import SourceError
from clinfo.records.articles import MeshDescriptor, MeshMatch
from clinfo.sources.mesh_lookup import MeshLookup
from clinfo.terms.mesh import Mesh
from clinfo.terms.mesh_files import write_table

TESTS = MeshDescriptor(
    "D006334", "Heart Function Tests", ("Cardiac Function Tests",), ("E01.370.370",)
)


def test_headings_entry_terms_and_neither(tmp_path):
    write_table(tmp_path / "mesh.sqlite", [TESTS], lambda: (2020, "x", "0"))
    lookup = MeshLookup(Mesh(tmp_path / "mesh.sqlite"))
    texts = ["heart function tests", "Cardiac function tests", "cardiac function", ""]
    matches = asyncio.run(lookup.match(texts))
    assert list(matches) == texts
    assert matches["heart function tests"].descriptor == TESTS
    assert matches["Cardiac function tests"].kind == "entry term"
    assert matches["cardiac function"] == MeshMatch(
        "cardiac function", "unknown", None, ("Heart Function Tests",), 2020
    )


def test_a_table_that_cannot_be_read_is_a_source_error(tmp_path):
    with pytest.raises(SourceError, match="mesh load FILE"):
        asyncio.run(MeshLookup(Mesh(tmp_path / "none.sqlite")).match(["asthma"]))
