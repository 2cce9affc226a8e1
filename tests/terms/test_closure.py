"""What is a kind of what, and what phrases are composed of."""

import pytest

from clinfo.terms.closure import closure
from clinfo.terms.composed import meanings
from clinfo.terms.naming import descriptor_of, known


def above(name: str, **others: str) -> set[str]:
    """The headings and names above one name of an index."""
    ui = descriptor_of(name)
    rows = closure({name: ui.ui if ui else "", **others}, known())
    found = set()
    for row in rows:
        if row.name == name:
            heading = known().descriptor(row.above.removeprefix("mesh:"))
            found.add(heading.heading if heading is not None else row.above)
    return found


def test_a_name_of_mesh_is_below_all_broader_headings() -> None:
    found = above("asthma")
    assert {"Asthma", "Lung Diseases", "Respiratory Tract Diseases", "name:asthma"} <= found
    assert "Pneumonia" not in found


@pytest.mark.parametrize(
    ("name", "heading"),
    [
        ("acute bacterial sinusitis", "Sinusitis"), ("sprain of ankle", "Sprains and Strains"),
        ("neuropathy due to type 2 diabetes mellitus", "Diabetes Mellitus, Type 2"),
        ("vomiting symptom", "Vomiting"), ("history of cardiac arrest", "Heart Arrest"),
    ],
)  # fmt: skip
def test_another_name_is_below_its_head(name: str, heading: str) -> None:
    assert heading in above(name)


def test_what_follows_a_preposition_is_no_head() -> None:
    assert not {"Epilepsy", "Seizures"} & above("chronic intractable migraine without aura")


def test_what_a_pregnancy_ends_with_is_no_pregnancy() -> None:
    assert {"Abortion, Spontaneous", "Pregnancy Outcome"} <= above("miscarriage in first trimester")
    assert "Pregnancy" not in above("miscarriage in first trimester")
    assert "Pregnancy" in above("normal pregnancy")


def test_a_kind_of_a_kind_is_a_kind_whatever_its_places() -> None:
    assert {"Salicylates", "Carboxylic Acids"} <= above("aspirin")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("inflamed appendix", "appendicitis"), ("broken collarbone", "fracture of clavicle"),
        ("long-standing lumbar pain", "chronic low back pain"),
        ("stopping of the heart", "cardiac arrest"),
        ("kidney stones", "nephrolithiasis"), ("gum infection", "gingivitis"),
    ],
)  # fmt: skip
def test_two_phrases_of_one_meaning_are_the_same(one: str, other: str) -> None:
    assert meanings(one) == meanings(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("broken ankle", "sprain of ankle"), ("loss of taste", "loss of smell"), ("fever", "cough")],
)
def test_others_are_not(one: str, other: str) -> None:
    assert meanings(one) != meanings(other)


def test_kinds_of_b_cell_lymphoma_that_mesh_has_beside_it_are_below_it() -> None:
    for name in ("follicular lymphoma", "mantle cell lymphoma"):
        assert "Lymphoma, B-Cell" in above(name)
    assert {"Leukemia, B-Cell", "Leukemia, Lymphoid"} <= above("hairy cell leukemia")
    assert "Lymphoma, B-Cell" not in above("mycosis fungoides")
