"""Small files of each kind that a silo takes."""

import json

OLDER = (
    "gene entrez_id variant disease doid phenotypes drugs drug_interaction_type evidence_type "
    "evidence_direction evidence_level clinical_significance evidence_statement citation_id "
    "source_type citation nct_ids rating evidence_status evidence_id variant_origin "
    "last_review_date evidence_civic_url"
).replace(" ", "\t")
NEWER = (
    "molecular_profile molecular_profile_id disease doid phenotypes therapies "
    "therapy_interaction_type evidence_type evidence_direction evidence_level significance "
    "evidence_statement citation_id source_type citation nct_ids rating evidence_status "
    "evidence_id variant_origin last_review_date evidence_civic_url"
).replace(" ", "\t")


def older(id: str, gene: str, variant: str, disease: str, drugs: str, **more: str) -> str:
    """A line of CIViC's table until 2022."""
    said = {
        "gene": gene, "variant": variant, "disease": disease, "drugs": drugs,
        "evidence_type": "Predictive", "evidence_direction": "Supports", "evidence_level": "B",
        "clinical_significance": "Sensitivity/Response", "evidence_id": id,
        "evidence_statement": f"Patients of study {id} with the change had a response.",
        "citation_id": f"1000{id}", "source_type": "PubMed", "citation": "Lee, 2015, Blood",
        "evidence_status": "accepted", "last_review_date": "2020-05-06 10:00:00 UTC", **more,
    }  # fmt: skip
    return "\t".join(said.get(name, "") for name in OLDER.split("\t"))


def newer(id: str, profile: str, disease: str, therapies: str, **more: str) -> str:
    """A line of CIViC's table since 2022."""
    said = {
        "molecular_profile": profile, "disease": disease, "therapies": therapies,
        "evidence_type": "Predictive", "evidence_direction": "Supports", "evidence_level": "A",
        "significance": "Sensitivity/Response", "evidence_id": id,
        "evidence_statement": f"Patients of study {id} with the change had a response.",
        "citation_id": f"1000{id}", "source_type": "PubMed", "citation": "Roe et al., 2023",
        "evidence_status": "accepted", "last_review_date": "2024-01-02 10:00:00 UTC", **more,
    }  # fmt: skip
    return "\t".join(said.get(name, "") for name in NEWER.split("\t"))


ITEMS = "\n".join(
    (
        OLDER,
        older("1", "BRAF", "V600E", "Melanoma", "Vemurafenib,Dabrafenib"),
        older("2", "EGFR", "T790M", "Lung Non-small Cell Carcinoma", "Erlotinib",
              clinical_significance="Resistance"),
        older("3", "ERBB2", "L755S", "Breast Cancer", "HER2 Inhibitor CP-724,714,Lapatinib"),
    )
)  # fmt: skip
ANSWERS = "".join(
    json.dumps(one) + "\n"
    for one in (
        {"id": "a1", "focus": "Warthin Tumour", "question": "What are the zebrafish of it?",
         "answer": "Signs of this tumour include a lump near the jaw. Check with your doctor."},
        {"id": "a2", "focus": "Warthin Tumour", "question": "How to find it?",
         "answer": "Tests that examine the neck are used to diagnose it. Ultrasound shows it."},
    )
)  # fmt: skip
TRIAL = {
    "protocolSection": {
        "identificationModule": {"nctId": "NCT01234567", "briefTitle": "Drug X in Melanoma"},
        "statusModule": {"overallStatus": "RECRUITING",
                         "lastUpdatePostDateStruct": {"date": "2025-03-04"}},
        "descriptionModule": {"briefSummary": "Drug X is compared with placebo."},
        "conditionsModule": {"conditions": ["Melanoma"]},
        "designModule": {"phases": ["PHASE2", "PHASE3"]},
        "armsInterventionsModule": {"interventions": [{"name": "Drug X"}]},
        "outcomesModule": {"primaryOutcomes": [{"measure": "Overall survival"}]},
        "eligibilityModule": {"eligibilityCriteria": "Inclusion: BRAF V600E mutation.",
                              "minimumAge": "18 Years", "sex": "ALL"},
    }
}  # fmt: skip
GUIDELINE = """---
title: A guideline of ours
licence: all rights reserved
date: 2024-06
version: 3
---
# Melanoma

## Stage III

Adjuvant treatment for one year is offered after complete resection.

## Stage IV

Where the tumour carries BRAF V600, both inhibitors together are offered.
"""
PAGE = """<!doctype html>
<html><head><title>Our page</title><script>var bad = "zebra";</script></head>
<body><nav>Menu</nav><h1>Sarcoma</h1><p>Wide <b>excision</b> is the usual treatment.</p>
<ul><li>Radiation follows</li></ul></body></html>"""
