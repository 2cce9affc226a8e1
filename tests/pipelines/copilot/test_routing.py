"""Which silo a question is for, without a language model."""

from __future__ import annotations

import pytest

from clinfo.pipelines.copilot.routing import masked_names, route, routed


@pytest.mark.parametrize(
    ("question", "silo"),
    [
        ("Which inhibitors work in PIK3CA H1047R breast carcinoma?", "civic"),
        ("Is resistance to cetuximab predicted by NRAS Q61K?", "civic"),
        ("What are the early signs of testicular cancer?", "cancergov"),
        ("How is neuroblastoma staged?", "cancergov"),
        ("Recruiting studies for relapsed mantle cell lymphoma", "trials"),
        ("NCT03456789 exclusion criteria", "trials"),
        ("What does ESMO recommend after R1 resection of a sarcoma?", "guidelines"),
        ("Side effects of oxaliplatin", "drugs"),
        ("Maximum dose of doxorubicin", "drugs"),
        ("Recent publications on exercise and colon cancer", "literature"),
    ],
)
def test_the_first_silo(question: str, silo: str) -> None:
    assert route(question)[0] == silo


@pytest.mark.parametrize("question", ["Good evening!", "Where is the car park?", ""])
def test_nothing_of_medicine_is_for_no_silo(question: str) -> None:
    assert route(question) == ()


def test_probabilities_sum_to_one_and_none_is_no_silo() -> None:
    found = routed("side effects of imatinib in GIST with KIT exon 11 mutation")
    assert sum(found.values()) == pytest.approx(1.0)
    assert "none" not in route("side effects of imatinib in GIST with KIT exon 11 mutation")


def test_names_stand_as_what_they_are() -> None:
    assert masked_names("Is HER2 V777L breast cancer treated with neratinib by NCCN?").split() == [
        "Is", "xgene", "xchange", "xdisease", "treated", "with", "xdrug", "by", "xbody", "?",
    ]  # fmt: skip
