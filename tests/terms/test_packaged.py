"""The table of MeSH that comes with the program: it answers as a loaded table does, and says which
edition it is.
"""

from __future__ import annotations

import gzip
import random

import pytest

from benchmarks.own.pack_mesh import main, packed
from clinfo.records.articles import MeshDescriptor
from clinfo.terms import naming as concepts
from clinfo.terms import packaged
from clinfo.terms.mesh_table import MeshTable, write_table
from clinfo.terms.packaged import FILE, PackagedTable
from clinfo.text.words import key


@pytest.fixture(scope="module")
def table():
    return PackagedTable()


@pytest.fixture(scope="module")
def lines():
    return gzip.decompress(FILE.read_bytes()).decode().split("\n")[1:]


def test_the_file_is_small_and_named_by_its_year(table):
    assert FILE.stat().st_size <= 4_000_000
    assert table.name == f"MeSH {table.edition.year}"
    readme = FILE.with_name("README.md").read_text(encoding="utf-8")
    assert table.name in readme
    assert "MeSH, U.S. National Library of Medicine" in readme


def test_names_lead_to_their_descriptor(table, lines):
    descriptors = lines[: lines.index("")]
    assert len(descriptors) == table.edition.descriptors
    for row in random.Random(1).sample(descriptors, 400) + descriptors[:2] + descriptors[-2:]:
        ui, heading, trees, terms = row.split("\t")
        found = table.descriptor(ui)
        assert (found.ui, found.heading) == (ui, heading)
        assert found.tree_numbers == tuple(filter(None, trees.split("|")))
        assert table.match(heading).kind == "heading"
        for term in filter(None, terms.split("|")):
            assert key(term) in {
                key(name)
                for one in [table.match(term).descriptor]
                for name in (one.heading, *one.entry_terms)
            }


@pytest.mark.slow
def test_it_answers_as_a_loaded_table_of_the_same_descriptors(table, lines, tmp_path):
    rows = [row.split("\t") for row in lines[: lines.index("")]]
    descriptors = [
        MeshDescriptor(
            ui,
            heading,
            tuple(filter(None, terms.split("|"))),
            tuple(filter(None, trees.split("|"))),
        )
        for ui, heading, trees, terms in rows
    ]
    write_table(tmp_path / "mesh.sqlite", descriptors, lambda: (2020, "x", "0"))
    loaded = MeshTable(tmp_path / "mesh.sqlite")
    assert loaded.vocabulary() == table.vocabulary()
    for text in (
        "Asthma",
        "heart attack",
        "Vascular Diseases",
        "no such heading",
        "D001249",
        "",
        "sjögren's syndrome",
        "\0",
    ):
        assert table.match(text) == loaded.match(text)
        assert table.explode(text) == loaded.explode(text)
        assert table.longest(text.lower().split()) == loaded.longest(text.lower().split())
    for text in ("hypertention", "disease of the kidney", "asthma attacks in kids"):
        assert table.near(text) == loaded.near(text)


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
    loaded = MeshTable(tmp_path / "mesh.sqlite")
    assert loaded.members(loaded.descriptor("bronchodilator agents")) == ["Albuterol"]
    assert PackagedTable().members(drugs[1]) == []


def test_a_table_is_packed_and_read_back(tmp_path, monkeypatch):
    source = tmp_path / "some.jsonl"
    source.write_text(
        (
            '{"ui": "D000002", "heading": "Old", "source": "MeSH 2015 (later removed or '
            'renamed)"}\n'
            '{"ui": "D001249", "heading": "Asthma", "entry_terms": ["Asthma, Bronchial"], '
            '"tree_numbers": ["C08.127"]}\n'
        ),
        encoding="utf-8",
    )
    monkeypatch.setattr("benchmarks.own.pack_mesh.FILE", tmp_path / "mesh.txt.gz")
    monkeypatch.setattr(packaged, "FILE", tmp_path / "mesh.txt.gz")
    packaged._held.cache_clear()
    try:
        main([str(source), "--year", "2030"])
        assert PackagedTable().edition.descriptors == 1
        assert PackagedTable().name == "MeSH 2030"
        assert PackagedTable().match("asthma bronchial").descriptor.tree_numbers == ("C08.127",)
        assert PackagedTable().match("old").kind == "unknown"
    finally:
        packaged._held.cache_clear()
    with pytest.raises(ValueError, match="D000001"):
        packed([MeshDescriptor("D000001", "A|B")], 2030, "x", "0")


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
