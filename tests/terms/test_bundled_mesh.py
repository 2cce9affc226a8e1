"""The table of MeSH that comes with the program: it answers as a loaded table does, and says which
edition it is.
"""

import random

import pytest

from clinfo.records.articles import MeshDescriptor
from clinfo.terms import naming as concepts
from clinfo.terms.mesh import FILE, Mesh, bundled_mesh
from clinfo.terms.mesh_files import write_table
from clinfo.text.words import key


def test_the_file_is_small_and_named_by_its_year():
    table = bundled_mesh()
    assert FILE.stat().st_size <= 7_000_000
    assert table.name == f"MeSH {table.edition.year}"
    readme = FILE.with_name("README.md").read_text(encoding="utf-8")
    assert table.name in readme
    assert "MeSH, U.S. National Library of Medicine" in readme


def test_names_lead_to_their_descriptor():
    table = bundled_mesh()
    listed = list(table.numbered(range(1, table.edition.descriptors + 1)).values())
    assert len(listed) == table.edition.descriptors
    for one in random.Random(1).sample(listed, 400) + listed[:2] + listed[-2:]:
        assert table.descriptor(one.ui) == one
        assert table.match(one.heading).kind == "heading"
        for term in one.entry_terms:
            found = table.match(term).descriptor
            assert key(term) in {key(name) for name in (found.heading, *found.entry_terms)}


def test_actions_are_known_of_a_loaded_table_and_of_one_made_before_they_were_kept_as_none(
    tmp_path,
):
    drugs = [
        MeshDescriptor(
            "D000420", "Albuterol", ("Salbutamol",), ("D02.033",), ("Bronchodilator Agents",)
        ),
        MeshDescriptor("D001993", "Bronchodilator Agents", (), ("D27.505",)),
    ]
    write_table(tmp_path / "mesh.sqlite", drugs, lambda: (2025, "x", "0"))
    loaded = Mesh(tmp_path / "mesh.sqlite")
    assert loaded.members(loaded.descriptor("bronchodilator agents")) == ["Albuterol"]
    assert bundled_mesh().members(drugs[1]) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("heart attacks", "myocardial infarction"),
        ("high blood pressure", "Hypertension"),
        ("tube feeding", "enteral nutrition"),
    ],
)
def test_names_of_one_concept(one, other):
    assert key(other) in map(key, concepts.synonyms(one))


def test_what_is_narrower():
    assert "Asthma, Occupational" in concepts.descendants("asthma")
    assert concepts.synonyms("qqq www") == concepts.descendants("qqq www") == ()
