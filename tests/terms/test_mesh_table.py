"""The table of MeSH: lookups, the tree, the nearest headings; on a few real headings and on the
whole shared list.
"""

import gzip
import json
import re
import sqlite3
import subprocess
import sys
from collections import defaultdict

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clinfo.errors import RecordError
from clinfo.records.articles import MeshDescriptor, MeshMatch
from clinfo.terms.mesh import Mesh, meant
from clinfo.terms.mesh_files import load, write_table
from clinfo.text.words import key, words
from tests.shared_data import SHARED, needs_shared

FEW = [
    MeshDescriptor(
        "D001564", "Benzo(a)pyrene", ("3,4-Benzopyrene",), ("D02.455.426.559.847.799.306.300",)
    ),
    MeshDescriptor(
        "D008881",
        "Migraine Disorders",
        ("Migraine", "Sick Headache", "Headache, Sick"),
        ("C10.228.140.546.399.750",),
    ),
    MeshDescriptor(
        "D006973", "Hypertension", ("Blood Pressure, High", "High Blood Pressure"), ("C14.907.489",)
    ),
    MeshDescriptor(
        "D006978", "Hypertension, Renovascular", (), ("C12.777.419.331.490", "C14.907.489.631.485")
    ),
    MeshDescriptor("D006977", "Hypertension, Renal", (), ("C12.777.419.331", "C14.907.489.631")),
    MeshDescriptor("D014652", "Vascular Diseases", (), ("C14.907",)),
    MeshDescriptor("D007674", "Kidney Diseases", (), ("C12.777.419",)),
    MeshDescriptor(
        "D001205", "Ascorbic Acid", ("Vitamin C", "L-Ascorbic Acid"), ("D02.241.081.844.107",)
    ),
    MeshDescriptor(
        "D003139", "Common Cold", ("Cold, Common", "Coryza, Acute"), ("C01.748.561.750",)
    ),
    MeshDescriptor("D003080", "Cold Temperature", ("Cold",), ("G01.906.595.272",)),
    MeshDescriptor("D014815", "Vitamins", ("Vitamin",), ("D27.505.696.377.605.600",)),
    MeshDescriptor("D045304", "Cytochromes c", ("Cytochrome c",), ("D08.244.300",)),
    MeshDescriptor("D045305", "Cytochromes c'", ("Cytochrome c'",), ("D08.244.305",)),
    MeshDescriptor("D000070116", "Lotus", ("Trefoil",), ("B01.650.940.800",)),
    MeshDescriptor("D029885", "Lotus Plants", ("Trefoil",), ("B01.650.940.801",)),
    MeshDescriptor("D005260", "Female"),
    MeshDescriptor(
        "D012859", "Sjogren's Syndrome", ("Sjögren Syndrome",), ("C05.550.114.154.774",)
    ),
    MeshDescriptor("D000328", "Adult", ("Adults",), ("M01.060.116",)),
]


@pytest.fixture
def table(tmp_path):
    write_table(tmp_path / "mesh.sqlite", FEW, lambda: (2025, "desc2025.xml", "0" * 64))
    return Mesh(tmp_path / "mesh.sqlite")


@pytest.mark.parametrize(
    ("text", "kind", "heading"),
    [
        ("Benzo(a)pyrene", "heading", "Benzo(a)pyrene"),
        ("benzo a pyrene", "heading", "Benzo(a)pyrene"),
        ("MIGRAINE", "entry term", "Migraine Disorders"),
        ("headache, sick", "entry term", "Migraine Disorders"),
        ("blood pressure  high", "entry term", "Hypertension"),
        ("Hypertension", "heading", "Hypertension"),
        ("sjögren's syndrome", "heading", "Sjogren's Syndrome"),
        ("Sjogren syndrome", "entry term", "Sjogren's Syndrome"),
        ("female", "heading", "Female"),
    ],
)
def test_headings_and_entry_terms(table, text, kind, heading):
    match = table.match(text)
    assert (match.text, match.kind, match.descriptor.heading, match.suggestions) == (
        text,
        kind,
        heading,
        (),
    )


def test_a_name_of_two_is_the_one_spelt_so_then_the_oldest(table):
    assert table.match("cytochromes C'").descriptor.ui == "D045305"
    assert table.match("cytochromes c").descriptor.ui == "D045304"
    assert table.match("cytochrome-c").descriptor.ui == "D045304"
    assert table.match("trefoil").descriptor.ui == "D029885"
    two = [
        MeshDescriptor("D000002", "Other", ("Shared name",)),
        MeshDescriptor("D000009", "Shared Name"),
    ]
    assert meant("shared name", two) == ("heading", two[1])
    assert meant("something else", two) is None


def test_what_is_neither_comes_with_the_nearest_headings(table):
    assert table.match("hypertention") == MeshMatch(
        "hypertention", "unknown", None, table.near("hypertention")
    )
    assert table.near("hypertention")[0] == "Hypertension"
    assert table.near("renal hypertention")[0] == "Hypertension, Renal"
    assert table.near("disease of the kidney")[0] == "Kidney Diseases"
    assert table.near("renal hypertention", limit=1) == ("Hypertension, Renal",)
    assert table.near("hypertension", limit=0) == table.near("?!") == table.near("qqqq wwww") == ()
    assert table.match("").kind == "unknown"
    assert table.match("x" * 100_000).suggestions == ()


def test_exploded_is_a_heading_with_all_below_it_at_any_of_its_places(table):
    renal = {"hypertension renal", "hypertension renovascular"}
    assert table.explode("Vascular Diseases") == {"vascular diseases", "hypertension", *renal}
    assert table.explode("kidney diseases") == {"kidney diseases", *renal}
    assert table.explode("D006977") == table.explode("d006977 ") == renal
    assert table.explode("high blood pressure") == {"hypertension", *renal}
    assert table.explode("Female") == {"female"}
    assert table.explode("no such heading") == frozenset()
    assert table.narrower(table.descriptor("D006973")) == [
        "Hypertension, Renal",
        "Hypertension, Renovascular",
    ]


def test_the_longest_name_from_a_place_on(table):
    sought = words("Does vitamin C help the common cold?")
    assert table.longest(sought) is None
    assert table.longest(sought, 1) == (2, FEW[7])
    assert table.longest(sought, 5) == (2, FEW[8])
    assert table.longest(sought, 6)[1].heading == "Cold Temperature"
    assert table.longest(sought, 99) is None
    assert table.longest(["vitamin"], 0)[1].heading == "Vitamins"


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.text(st.characters(), max_size=40)
    | st.sampled_from(["D000001", "d045304\ud800", "\0", "a" * 5000, "x " * 3000])
)
def test_any_text_may_be_asked(table, text):
    match = table.match(text)
    assert (match.descriptor is None) == (match.kind == "unknown")
    assert table.explode(text) == frozenset() or table.descriptor(text) is not None
    table.longest(words(text))


def test_a_table_that_cannot_be_used_says_how_to_get_one(tmp_path):
    def told(path):
        with pytest.raises(RecordError) as raised:
            Mesh(path).match("asthma")
        assert "clinfo mesh load FILE" in str(raised.value)
        return str(raised.value)

    path = tmp_path / "mesh.sqlite"
    assert "there is no MeSH table" in told(path)
    for content in (b"", b"no database at all" * 100):
        path.write_bytes(content)
        assert "cannot be read" in told(path)
    path.unlink()
    write_table(path, FEW, lambda: (2025, "x", "0"))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    told(path)
    path.write_bytes(whole)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE facts SET value = 99 WHERE name = 'form'")
    connection.close()
    assert "another version" in told(path)


def test_a_full_disk_leaves_the_table_as_it_was(table):
    before = table.path.read_bytes()
    program = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from clinfo.errors import RecordError\n"
        "from clinfo.terms.mesh_files import write_table\n"
        "from clinfo.records.articles import MeshDescriptor\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))\n"
        "many = [MeshDescriptor(f'D{n:06}', f'Heading {n}') for n in range(1, 5000)]\n"
        "try:\n"
        "    write_table(Path(sys.argv[1]), many, lambda: (1, 'x', '0'))\n"
        "except RecordError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(table.path)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert re.fullmatch(
        rf"the MeSH table {re.escape(str(table.path))} cannot be written: .+\n", done.stdout
    )
    assert table.path.read_bytes() == before
    assert [path.name for path in table.path.parent.iterdir()] == ["mesh.sqlite"]


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    path = tmp_path_factory.mktemp("mesh") / "mesh.sqlite"
    load(SHARED / "mesh" / "mesh_descriptors.jsonl.gz", path, year=2021)
    return Mesh(path)


@pytest.fixture(scope="module")
def listed():
    with gzip.open(SHARED / "mesh" / "mesh_descriptors.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.slow
@needs_shared
def test_every_heading_of_the_list_is_found_as_itself(shared, listed):
    by_key = defaultdict(set)
    for one in listed:
        by_key[key(one["heading"])].add(one["ui"])
    for one in listed:
        match = shared.match(one["heading"])
        assert match.kind == "heading"
        assert match.descriptor.ui in by_key[key(one["heading"])]
        assert match.descriptor.ui == one["ui"] or len(by_key[key(one["heading"])]) > 1


@needs_shared
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("diabtes melitus", "Diabetes Mellitus"),
        ("differentiated thyroid cancer", "Thyroid Neoplasms"),
        ("cardiac function", "Heart Function Tests"),
        ("heart attack treatment", "Myocardial Infarction"),
        ("early mobilisation", "Early Ambulation"),
        ("type 2 diabetes in adults", "Diabetes Mellitus, Type 2"),
        ("Atherosclerotic Cardiovascular Disease", "Cardiovascular Diseases"),
        ("asthma attacks in kids", "Asthma"),
    ],
)
def test_the_nearest_heading_of_what_people_write(shared, text, expected):
    assert shared.match(text).kind == "unknown"
    assert shared.near(text)[0] == expected
