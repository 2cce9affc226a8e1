"""MeSH's qualifiers: names, codes, tree."""

import gzip
import html
import re

import pytest

from clinfo.pubmed.subheadings import QUALIFIERS, explode_qualifier, qualifier_of
from tests.shared_data import SHARED, needs_shared


def test_there_are_as_many_as_nlm_has():
    current = [qualifier for qualifier in QUALIFIERS if not qualifier.retired]
    assert len(current) == 76  # q2020.bin holds 76 records
    assert (
        len({qualifier.code for qualifier in QUALIFIERS})
        == len({qualifier.name for qualifier in QUALIFIERS})
        == len(QUALIFIERS)
    )
    assert all(re.fullmatch(r"[A-Z]{2}", qualifier.code) for qualifier in QUALIFIERS)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("therapy", "therapy"),
        ("DH", "diet therapy"),
        ("dh", "diet therapy"),
        ("Drug  Therapy", "drug therapy"),
        ("prevention & control", "prevention & control"),
        ("Prevention and Control", "prevention & control"),
        ("prevention control", "prevention & control"),
        ("statistics &amp; numerical data", None),
        ("evidence", None),
        ("", None),
        ("radiography", "radiography"),
        ("CT", None),
    ],
)
def test_a_qualifier_by_name_or_code(text, name):
    found = qualifier_of(text)
    assert (found.name if found else None) == name


@pytest.mark.parametrize(
    ("name", "below"),
    [
        # The family of the User Guide, and that of NLM's tutorial on tree structures.
        (
            "therapy",
            (
                "diet therapy, drug therapy, nursing, prevention control, radiotherapy, "
                "rehabilitation, surgery, transplantation"
            ),
        ),
        ("therapeutic use", "administration dosage, adverse effects, poisoning, contraindications"),
        ("surgery", "transplantation"),
        ("adverse effects", "poisoning, toxicity"),
        ("microbiology", "virology"),
        (
            "metabolism",
            (
                "biosynthesis, blood, cerebrospinal fluid, deficiency, enzymology, "
                "pharmacokinetics, urine"
            ),
        ),
        ("drug therapy", ""),
        ("DT", ""),
    ],
)
def test_exploded_is_a_qualifier_with_all_below_it(name, below):
    own = {"DT": "drug therapy"}.get(name, name)
    assert explode_qualifier(name) == {own, *filter(None, below.split(", "))}


@needs_shared
def test_every_qualifier_of_real_records_is_known():
    seen = set()
    for path in [*(SHARED / "medline").rglob("*"), *(SHARED / "citations").glob("*.xml.gz")]:
        if path.is_file():
            data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            seen.update(re.findall(rb"<QualifierName[^>]*>([^<]+)<", data))
    names = {html.unescape(name.decode()) for name in seen}
    assert len(names) > 60
    assert not [name for name in names if qualifier_of(name) is None]
