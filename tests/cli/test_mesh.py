"""``clinfo mesh``: loading, looking up, telling what is there; as processes of their own."""

import gzip
import hashlib
import json
import re

import pytest

from tests.cli.process import clinfo
from tests.terms.test_mesh_files import JSONL, XML


@pytest.fixture
def mesh(tmp_path):
    (tmp_path / "desc2025.xml.gz").write_bytes(gzip.compress(XML.encode(), mtime=0))
    (tmp_path / "some.jsonl").write_text(JSONL, encoding="utf-8")

    def run(*arguments: str, **more: str):
        return clinfo(
            "mesh", *arguments, cwd=tmp_path, CLINFO_DATA_DIR=str(tmp_path / "data"), **more
        )

    return run


@pytest.mark.slow
def test_load_show_and_status(mesh, tmp_path):
    nothing = mesh("status")
    assert (nothing.returncode, nothing.stderr) == (0, "")
    assert "no MeSH table" in nothing.stdout
    assert json.loads(mesh("status", "--json").stdout)["loaded"] is False

    loaded = mesh("load", "desc2025.xml.gz")
    assert (loaded.returncode, loaded.stderr) == (0, "reading desc2025.xml.gz\n")
    digest = hashlib.sha256((tmp_path / "desc2025.xml.gz").read_bytes()).hexdigest()
    first, second, third = loaded.stdout.splitlines()
    assert first == "loaded MeSH 2025: 3 headings, 5 entry terms"
    assert second.startswith(f"from desc2025.xml.gz (SHA-256 {digest}), 20")
    assert third == f"in {tmp_path / 'data' / 'mesh.sqlite'}"
    told = mesh("status").stdout
    assert told == loaded.stdout.removeprefix("loaded ")

    shown = mesh("show", "high blood pressure")
    assert shown.returncode == 0
    assert shown.stdout.splitlines() == [
        "Hypertension (D006973, MeSH 2025)",
        "'high blood pressure' is an entry term of this heading",
        "entry terms   Blood Pressure, High; High Blood Pressure",
        "tree numbers  C14.907.489",
        "narrower      0 headings",
    ]
    form = json.loads(mesh("show", "D000001", "--json").stdout)
    assert form == {
        "schema": 1,
        "text": "D000001",
        "kind": "heading",
        "ui": "D000001",
        "heading": "Calcimycin",
        "entry_terms": ["A-23187", "A 23187", "A23187, Antibiotic"],
        "tree_numbers": ["D03.633.100.221.173"],
        "narrower": 0,
        "members": [],
        "year": 2025,
        "suggestions": [],
    }


@pytest.mark.slow
def test_what_mesh_does_not_hold_ends_with_three(mesh):
    mesh("load", "some.jsonl", "--year", "2023")
    status = json.loads(mesh("status", "--json").stdout)
    assert (status["schema"], status["loaded"], status["year"], status["source"]) == (
        1,
        True,
        2023,
        "some.jsonl",
    )
    missed = mesh("show", "hypertention")
    assert (missed.returncode, missed.stderr) == (3, "")
    assert missed.stdout == (
        "'hypertention' is not a heading or entry term of MeSH 2023; nearest headings: "
        "Hypertension\n"
    )
    form = mesh("show", "hypertention", "--json")
    assert form.returncode == 3
    assert json.loads(form.stdout)["suggestions"] == ["Hypertension"]
    assert "\x1b" not in mesh("show", "\x1b[31mred\x1b]0;title\x07").stdout


def test_a_file_that_cannot_be_used_is_one_line_and_the_table_stays(mesh, tmp_path):
    mesh("load", "desc2025.xml.gz")
    (tmp_path / "desc2026.xml.gz").write_bytes((tmp_path / "desc2025.xml.gz").read_bytes()[:300])
    broken = mesh("load", "desc2026.xml.gz")
    assert (broken.returncode, broken.stdout) == (4, "")
    _, line = broken.stderr.splitlines()
    assert re.search(r"^clinfo: desc2026\.xml\.gz .*damaged", line)
    missing = mesh("load", "none.xml")
    assert missing.returncode == 2
    assert "none.xml cannot be opened" in missing.stderr
    assert mesh("load", "some.jsonl", "--year", "20").returncode == 2
    assert mesh("status").stdout.startswith("MeSH 2025: 3 headings")


@pytest.mark.slow
def test_without_a_table_the_one_that_comes_along_is_shown(mesh):
    shown = mesh("show", "heart attack")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert shown.stdout.splitlines()[0] == "Myocardial Infarction (D009203, MeSH 2020)"
    missed = mesh("show", "cardiac disease of women")
    assert missed.returncode == 3
    assert "Heart Diseases" in missed.stdout
    status = json.loads(mesh("status", "--json").stdout)
    assert (status["loaded"], status["year"]) == (False, 2020)
    assert "MeSH 2020, which is included in the program" in mesh("status").stdout
