"""Citations in the forms in which models write them."""

import pytest

from clinfo.text.citations import (
    citation_marks,
    renumbered,
    with_brackets,
    without_own_list,
)

FORMS = (
    ("It fell 【1】. It rose 【2】.", "It fell [1]. It rose [2]."),
    ("It fell 【1†source】. It rose 【2†L3-L5】.", "It fell [1]. It rose [2]."),
    ("It fell [^1]. It rose [^2].", "It fell [1]. It rose [2]."),
    ("It fell (1). It rose (2).", "It fell [1]. It rose [2]."),
    ("It fell (1,2).", "It fell [1, 2]."),
    ("It fell [Study 1]. It rose [Study 2].", "It fell [1]. It rose [2]."),
    ("It fell [Study 1; Study 3].", "It fell [1, 3]."),
    ("It fell [Studies 1 and 2].", "It fell [1, 2]."),
    ("It fell (Study 1).", "It fell [1]."),
    ("It fell [Ref. 2].", "It fell [2]."),
    ("It fell [1](https://example.org/1). It rose [2](#ref2).", "It fell [1]. It rose [2]."),
    ("It fell [[1]](https://example.org/1).", "It fell [1]."),
    ("It fell \\[1\\].", "It fell [1]."),
    ("It fell [1 and 2].", "It fell [1, 2]."),
    ("Pressure fell¹. Weight rose.²", "Pressure fell [1]. Weight rose [2]."),
    ("Pressure fell¹⁻³.", "Pressure fell [1, 2, 3]."),
    ("Pressure fell<sup>1,2</sup>.", "Pressure fell[1, 2]."),
    ("［1］ told of it.", "[1] told of it."),
    ("It fell [source: 1]. It rose [Abstract 2].", "It fell [1]. It rose [2]."),
    ("It fell [1: Roe 2020]. It rose [2, p. 3].", "It fell [1]. It rose [2]."),
    ("It fell <cite>1</cite> \\cite{2}.", "It fell [1] [2]."),
    (
        "It fell <sup>1</sup>. It rose $^{2}$. It stayed ^3^.",
        "It fell [1]. It rose [2]. It stayed [3].",
    ),
    ("It fell [PMID: 77; PMID 88].", "It fell [1, 2]."),
    ("It fell [ref_1]. It rose [ID: 2] [@3] [1,].", "It fell [1]. It rose [2] [3] [1]."),
    ('It fell <inref id="1"/>. It rose <source>2</source>.', "It fell [1]. It rose [2]."),
)
SAME = (
    "It fell [1, 2]. It rose [1-3] [1–3] [1][2].",
    "The interval was wide (95% CI [3, 8]).",
    "Events were rare (12).",
    "It fell [1] in 40 people (2).",
    "A BMI of 30 kg/m² was usual, platelets 10⁹/L.",
    "Platelets were 10<sup>9</sup>/L.",
    "It fell (Study 9).",
    "It fell [PMID: 99] at 10^2^ a [95: CI] in 3 kg/m^2^.",
)


@pytest.mark.parametrize(("written", "read"), FORMS)
def test_a_form_of_citations_is_read(written: str, read: str) -> None:
    assert with_brackets(written, (1, 2, 3), {"77": 1, "88": 2}) == read
    assert citation_marks(read)


@pytest.mark.parametrize("text", SAME)
def test_what_is_no_citation_of_a_study_stays(text: str) -> None:
    assert with_brackets(text, (1, 2, 3)) == text


ABOVE = "It fell [1]."


@pytest.mark.parametrize(
    ("below", "own"),
    [
        ("\n\nReferences:\n[1] Roe R. Invented J 2031.\n[2] Poe Q. https://a.example", True),
        ("\n\n**Sources**\n\n- [1] Roe R.\n- [3] Poe Q.\n", True),
        ("\n\nLimits:\n[1] was small.\n\n---\n1. [1] Roe\n   https://a.example", True),
        ("\n\nRead:\n[1] Roe. A trial of thornbark for gout. https://a.example", True),
        ("\n\nRead:\n[1] A trial of thornbark for gout saw bleeding.", False),
        ("\n\nRead:\n[1] Roe. A trial of something else. https://a.example", False),
        ("\n\n**Safety**\n[3] Bleeding rose by 20%.\n[4] No deaths were seen.", False),
        ("\n\nHarms\n[2] reported bleeding.\n\nIn sum, benefit is small.", False),
        ("\n\nReferences\n[2] Poe Q.\n\nIn sum, benefit is small.", False),
        ("\n\nReferences\n[2] Poe Q.\n\n   In sum, benefit is small.", False),
        ("\n\nSources of harm:\n[2] reported bleeding.", False),
        ("\n\nHead\n[2] x [3] y" * 5000, False),
        ("\n\nHead\n" + "- [2] fell\n" * 9000, False),
        ("\n\nIn short:\n- It fell [1].\n- It rose [2].", False),
        ("\n\n[1] was small.\n[2] was old.", False),
        ("\n\nBy study:\n[1] fell, as [2] did.", False),
    ],
)
def test_a_list_of_references_of_the_writers_own_is_parted(below: str, own: bool) -> None:
    text, listed = without_own_list(ABOVE + below, {1: "A trial of thornbark for gout"})
    assert bool(listed) is own
    assert text.startswith(ABOVE)
    assert not (own and ("Roe" in text or "Poe" in text))
    assert own or text == ABOVE + below


def test_other_numbers_take_the_place_of_citations() -> None:
    assert renumbered("It fell [1][3] by 3% [2-3].", {1: 7, 2: 8}) == "It fell [7][3] by 3% [8, 3]."
