"""Evidence selected by fields: names under their spellings, what is set aside counted."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from clinfo.pipelines.copilot.evidence_items import Fields, given_as, selected
from clinfo.retrieval.silos import SiloDocument
from clinfo.retrieval.silos.readers import civic
from tests.pipelines.copilot.silos import document
from tests.shared_data import SHARED, needs_shared


def item(id: str, gene: str, variant: str, drugs: str, **more: str) -> SiloDocument:
    fields = {
        "gene": gene, "variant": variant, "disease": "Melanoma", "drugs": drugs, "level": "B",
        "direction": "Supports", "significance": "Sensitivity/Response",
    }  # fmt: skip
    return document("civic", id, f"Statement {id}.", **(fields | more))


ITEMS = [
    item("1", "BRAF", "V600E", "Vemurafenib", level="A"),
    item("2", "BRAF", "V600E", "Vemurafenib", direction="Does Not Support", level="D"),
    item("3", "BRAF", "V600E", "Dabrafenib; Trametinib", interaction="Combination", level="C"),
    item("4", "BRAF", "V600", "Binimetinib"),
    item("5", "BRAF", "V600E", "Cetuximab", significance="Resistance", disease="Colon Cancer"),
    item("6", "EGFR", "EXON 19 DELETION", "Erlotinib", disease="Lung Non-small Cell Carcinoma"),
    item("7", "ABL1", "BCR-ABL F317L", "Dasatinib", disease="Chronic Myeloid Leukemia"),
    item("8", "ERBB2", "AMPLIFICATION AND PIK3CA H1047R", "Trastuzumab", disease="Breast Cancer"),
    item("9", "BRAF", "V600E", ""),
    item("10", "KRAS", "Wildtype", "Cetuximab", disease="Colorectal Cancer"),
    item("11", "KRAS", "Non-G12", "Cetuximab", disease="Triple-receptor Negative Breast Cancer"),
    item("12", "KRAS", "G12C", "", type="Prognostic", disease="Lung Small Cell Carcinoma"),
    item("13", "ROS1", "CD74::ROS1 Fusion", "Crizotinib", disease="Lung Adenocarcinoma"),
]


def ids(**fields: str) -> list[str]:
    return [one.id for one in selected(ITEMS, Fields(**fields)).items]


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"gene": "braf", "variant": "p.Val600Glu", "disease": "malignant melanoma"}, "1 2 3"),
        ({"gene": "B-RAF", "variant": "v600e", "disease": "melanoma"}, "1 2 3"),
        ({"gene": "EGFR", "variant": "exon 19 del"}, "6"),
        ({"gene": "EGFR", "disease": "non-small cell lung cancer"}, "6"),
        ({"gene": "ABL1", "variant": "F317L"}, "7"),
        ({"gene": "BCR-ABL", "variant": "Phe317Leu"}, "7"),
        ({"gene": "HER2", "variant": "amplified"}, "8"),
        ({"gene": "PIK3CA"}, "8"),
        ({"drug": "Zelboraf"}, "1 2"),
        ({"gene": "BRAF", "variant": "V600E", "direction": "resistance"}, "5"),
        ({"gene": "BRAF", "disease": "melanoma", "levels": "AB"}, "1 4"),
        ({"gene": "KIT"}, ""),
        ({"disease": "NSCLC"}, "6"),
        ({"disease": "TNBC"}, "11"),
        ({"gene": "KRAS", "disease": "SCLC"}, "12"),
        ({"gene": "KRAS", "variant": "wild-type KRAS"}, "10"),
        ({"gene": "KRAS", "variant": "wt"}, "10"),
        ({"gene": "KRAS", "variant": "G12"}, ""),
        ({"gene": "KRAS", "variant": "non G12 mutation"}, "11"),
        ({"gene": "BRAF", "variant": "BRAF V600E mutation", "levels": "A"}, "1"),
        ({"gene": "BRAF", "variant": "K601E"}, ""),
        ({"gene": "ROS1", "variant": "cd74-ROS1"}, "13"),
        ({"gene": "ROS1", "variant": "EZR-ROS1"}, ""),
    ],
)
def test_names_fit_under_their_spellings(fields: dict[str, str], found: str) -> None:
    assert ids(**fields) == found.split()


def test_negative_items_stand_before_weak_ones_and_support_no_drug() -> None:
    found = selected(ITEMS, Fields(gene="BRAF", variant="V600E", disease="Melanoma"))
    assert [one.id for one in found.items] == ["1", "2", "3"]
    assert found.drugs == ("Dabrafenib", "Trametinib", "Vemurafenib")
    assert given_as(ITEMS[2]) == "Dabrafenib + Trametinib"


def test_what_there_is_beside_is_told_and_what_is_set_aside_counted() -> None:
    found = selected(ITEMS, Fields("BRAF", "V600E", "Melanoma", direction="response", levels="A"))
    told = " | ".join(found.said)
    assert "other variants of BRAF: V600 (1)" in told
    assert "other diseases of BRAF V600E: Colon Cancer (1)" in told
    assert "2 more items of other levels: C (1), D (1)" in told
    assert "without a medicine" in selected(ITEMS, Fields("BRAF", "V600E")).said[-1]
    fused = selected(ITEMS, Fields("ROS1", "CD74-ROS1"))
    assert fused.said == ("the variant “CD74-ROS1” was read as: CD74::ROS1 Fusion (1)",)
    none = selected(ITEMS, Fields("BRAF", "K601E"))
    assert none.missing == "no item of BRAF has the variant “K601E”"
    assert "V600E (4), V600 (1)" in none.said[0]


@needs_shared
def test_the_gold_rows_own_fields_select_their_drugs_and_items() -> None:
    """Every question of the data, by the fields of its gold items: sets are exact."""
    place = SHARED / "copilot"
    with gzip.open(place / "silo_civic.jsonl.gz", "rt") as file:
        rows: list[dict[str, Any]] = [json.loads(line) for line in file]
    items = civic.from_rows(rows, "civic", "civic").documents
    by_id = {one.id: one for one in items}
    for row in json.loads((place / "civic_drug_questions.json").read_text()):
        gold = [by_id[str(one)] for one in row["gold_evidence_ids"]]
        of = gold[0].fields
        direction = "resistance" if of["significance"] == "Resistance" else "response"
        own = (of["gene"], of["variant"], of["disease"])
        asked = Fields(*own, direction=direction, levels="AB")
        found = selected(items, asked)
        assert list(found.drugs) == sorted(row["gold_drugs"]), row["question"]
        assert {one.id for one in gold} <= {one.id for one in found.items}
