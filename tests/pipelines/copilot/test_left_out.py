"""Changes that a question leaves out, and markers that it says are not there."""

from __future__ import annotations

import pytest

from clinfo.pipelines.copilot.stages import in_words_of_pages
from tests.pipelines.copilot.test_misread import NOT, NSCLC, OPPOSITE, RESISTS, Ask, holding, told
from tests.retrieval.silos.rows import older

__all__ = ["holding"]
CHANGES = (
    older("1", "EGFR", "L858R", NSCLC, "Gefitinib"),
    older("2", "EGFR", "L861Q", NSCLC, "Afatinib"),
    older("3", "EGFR", "EXON 19 DELETION", NSCLC, "Erlotinib"),
    older("4", "EGFR", "E746_A750del", NSCLC, "Dacomitinib"),
    older("5", "EGFR", "WILDTYPE", NSCLC, "Cetuximab"),
    older("6", "RET", "KIF5B-RET", NSCLC, "Vandetanib"),
    older("7", "RET", "CCDC6-RET", NSCLC, "Selpercatinib"),
    older("8", "KRAS", "G12V", "Colorectal Cancer", "Trametinib"),
    older("9", "KRAS", "G12D", "Colorectal Cancer", "Panitumumab"),
    older("10", "KRAS", "MUTATION", "Colorectal Cancer", "Cetuximab"),
    older("11", "ERBB2", "AMPLIFICATION", "Breast Cancer", "Lapatinib"),
    older("12", "ROS1", "CD74-ROS1", NSCLC, "Crizotinib"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "drugs"),
    [
        ("EGFR non-L858R NSCLC: which drugs work?", ["Afatinib", "Dacomitinib", "Erlotinib"]),
        ("NSCLC with EGFR mutations other than L858R or L861Q: drugs?",
         ["Dacomitinib", "Erlotinib"]),
        ("NSCLC, EGFR mutated except exon 19: which drugs?", ["Afatinib", "Gefitinib"]),
        ("NSCLC without an exon 19 mutation of EGFR: which drugs?",
         ["Afatinib", "Cetuximab", "Gefitinib"]),
        ("RET fusions other than KIF5B-RET in NSCLC: which drugs?", ["Selpercatinib"]),
        ("KRAS non-G12V colorectal cancer: drugs?", ["Cetuximab", "Panitumumab"]),
        ("EGFR L861Q NSCLC with or without L858R: which drugs?", ["Afatinib"]),
    ],
)  # fmt: skip
def test_a_change_that_is_left_out_is_not_given(
    holding: Ask, question: str, drugs: list[str]
) -> None:
    found = holding(*CHANGES).answer(question)
    assert list(found.drugs) == drugs
    said = any("Left out, since the question says" in one for one in found.caveats)
    assert said is ("with or without" not in question)


def test_what_may_hold_it_or_was_not_read_is_said(holding: Ask) -> None:
    tool = holding(*CHANGES)
    assert "tell of MUTATION" in tool.answer("KRAS non-G12V colorectal cancer: drugs?").caveats[1]
    (first, *_) = tool.answer("EGFR mutations other than common mutations in NSCLC?").caveats
    assert "other than common mutations” was not read" in first


def test_a_negative_marker_alone_is_answered_as_present(holding: Ask) -> None:
    tool = holding(*CHANGES)
    for question in ("HER2-negative breast cancer: is lapatinib useless?",
                     "ROS1 negative NSCLC: does crizotinib work?"):  # fmt: skip
        found = tool.answer(question)
        assert found.evidence or found.beside
        assert "none of it is recorded for its absence" in found.caveats[0]


def test_what_was_given_with_what_had_failed_was_had(holding: Ask) -> None:
    tool = holding(older("1", "ESR1", "MUTATION", "Breast Cancer", "Everolimus,Exemestane"))
    found = tool.answer("ESR1 mutated breast cancer, progress on exemestane with everolimus: drug?")
    assert found.had == ("Everolimus", "Exemestane")


def test_what_is_recorded_for_the_change_itself_is_not_called_near(holding: Ask) -> None:
    tool = holding(
        older("1", "MET", "MUTATION", NSCLC, "Erlotinib", **RESISTS),
        older("2", "MET", "AMPLIFICATION", NSCLC, "Gefitinib", **RESISTS),
    )
    caveats = " ".join(tool.answer("MET mutated NSCLC: does erlotinib work?").caveats)
    assert "near it" not in caveats
    assert "On that change and disease CIViC has something else" in caveats
    assert told(tool, "MET mutated NSCLC: does erlotinib work?")


def test_an_opposite_is_of_the_same_change_and_disease(holding: Ask) -> None:
    tool = holding(
        older("1", "FGFR2", "MUTATION", "Stomach Cancer", "Infigratinib"),
        older("2", "FGFR2", "N549K", "Endometrial Cancer", "Infigratinib", evidence_level="C",
              **NOT),
        older("3", "FGFR2", "V564F", "Endometrial Cancer", "Infigratinib", evidence_level="C",
              **NOT),
        older("4", "FGFR2", "V564F", "Endometrial Cancer", "Infigratinib"),
    )  # fmt: skip
    said = told(tool, "Which FGFR2 mutated cancers respond to infigratinib?")
    said += told(tool, "FGFR2 mutated endometrial cancer: does infigratinib work?")
    assert not any(OPPOSITE in one and "N549K" in one for one in said)


def test_a_fusion_with_the_change_asked_for_stands_before_the_fusion(holding: Ask) -> None:
    tool = holding(
        older("1", "ROS1", "CD74-ROS1", NSCLC, "Crizotinib"),
        older("2", "ROS1", "CD74-ROS1 G2032R", "Breast Cancer", "Crizotinib", evidence_level="C",
              **RESISTS),
        older("3", "ROS1", "CD74-ROS1 G2032R and L2086F", NSCLC, "Lorlatinib", **RESISTS),
    )  # fmt: skip
    first, second, *rest = told(tool, "CD74-ROS1 NSCLC with ROS1 G2032R: does crizotinib work?")
    both = {"ROS1 G2032R in": first, "": second}
    assert any("in another disease than the one asked for" in one for one in both.values())
    assert any("together with another" in one for one in both.values())
    assert any("CD74-ROS1 in Lung" in one for one in rest)


def test_x_is_any_change_of_a_codon_but_a_stop_that_is_known(holding: Ask) -> None:
    tool = holding(
        older("1", "KRAS", "G13D", "Colorectal Cancer", "Cetuximab"),
        older("2", "KRAS", "G13", "Colorectal Cancer", "Panitumumab"),
        older("3", "KRAS", "G12D", "Colorectal Cancer", "Trametinib"),
        older("4", "TP53", "R213X", "Colorectal Cancer", "Ataluren"),
        older("5", "TP53", "R213L", "Colorectal Cancer", "Nutlin"),
    )  # fmt: skip
    found = tool.answer("KRAS G13X colorectal cancer: which drugs work?")
    assert found.drugs == ("Cetuximab", "Panitumumab")
    assert tool.answer("TP53 R213X colorectal cancer: which drugs work?").drugs == ("Ataluren",)


@pytest.mark.parametrize("said", ["came back", "has come back", "returned"])
def test_what_came_back_is_recurrent(said: str) -> None:
    assert "recurrent or relapsed" in in_words_of_pages(f"Wilms tumor {said}: which treatment?")
