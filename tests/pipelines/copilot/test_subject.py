"""What a passage is about: diseases by MeSH, and the other things that a question names."""

from __future__ import annotations

import pytest

from clinfo.pipelines.copilot.subject import (
    diseases,
    kind_of,
    not_named,
    of_a_form,
    of_another,
    subtype_of,
)
from clinfo.retrieval.silos import SiloDocument


def page(title: str, text: str = "") -> SiloDocument:
    return SiloDocument("s", "1", title, text, {}, {})


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("What are the stages of bladder cancer?", "Chronic Myelogenous Leukemia"),
        ("stages of NSCLC", "Small Cell Lung Cancer"),
        ("signs of kidney cancer", "Bladder Cancer"),
        ("thyroid cancer treatment", "Metastatic Squamous Neck Cancer with Occult Primary"),
        ("treating melanoma", "Childhood Extracranial Germ Cell Tumors"),
        ("small intestine cancer", "Childhood Vascular Tumors"),
        ("MSI-high CRC", "Breast Cancer"),
        ("pancreatic adenocarcinoma", "Renal Cell Cancer"),
        ("gastric lymphoma", "Hodgkin Lymphoma"),
    ],
)
def test_a_document_on_another_disease(question: str, title: str) -> None:
    assert of_another(question, page(title))


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("stages of NSCLC", "Lung Cancer"),
        ("non-small-cell lung carcinoma", "Non-Small Cell Lung Cancer"),
        ("lung adenocarcinoma", "Non-Small Cell Lung Cancer"),
        ("CRC treatment", "Colon Cancer"),
        ("large bowel cancer", "Rectal Cancer"),
        ("GISTs", "Gastrointestinal Stromal Tumors"),
        ("CML phases", "Chronic Myeloproliferative Neoplasms"),
        ("leukaemia in adults", "Adult Acute Myeloid Leukemia"),
        ("liver cancer", "Liver (Hepatocellular) Cancer"),
        ("oral cavity cancer", "Lip and Oral Cavity Cancer"),
        ("small intestine cancer", "Small Intestine Cancer"),
        ("brain tumours in children", "Childhood Brain and Spinal Cord Tumors"),
        ("cancer and fatigue", "Melanoma"),
        ("fatigue", "Melanoma"),
        ("melanoma and fatigue", "Fatigue"),
    ],
)
def test_a_document_on_the_disease_or_on_none(question: str, title: str) -> None:
    assert not of_another(question, page(title))


def test_without_a_disease_in_its_title_the_text_tells() -> None:
    about = page("Recommendations 2025", "Adjuvant treatment of melanoma is offered.")
    assert of_another("bladder cancer, adjuvant treatment", about)
    assert not of_another("melanoma, adjuvant treatment", about)


def test_a_kind_of_a_disease() -> None:
    (lung,), (nsclc,) = diseases("lung cancer"), diseases("NSCLC")
    assert kind_of(nsclc, lung)
    assert not kind_of(lung, nsclc)
    assert subtype_of("Her2-receptor Positive Breast Cancer", "breast cancer")
    assert not subtype_of("Breast Cancer", "breast carcinoma")


@pytest.mark.parametrize(
    ("question", "text", "missing", "every"),
    [
        ("MSI-high or dMMR colorectal cancer", "Colon cancer.", ("MSI", "dMMR"), True),
        ("HER2 and BRCA1 in breast cancer", "HER-2/neu is tested.", ("BRCA1",), False),
        ("Does Herceptin work?", "Trastuzumab is given.", (), False),
        ("CML and stage II NSCLC by NCCN", "Nothing.", (), True),
    ],
)
def test_what_no_text_names(
    question: str, text: str, missing: tuple[str, ...], every: bool
) -> None:
    found, all_of_them = not_named(question, [text])
    assert found == missing
    assert all_of_them == every or not missing


@pytest.mark.parametrize(
    ("question", "title", "form"),
    [
        ("How is stage IIIB melanoma defined?", "Intraocular (Uveal) Melanoma", True),
        ("How is uveal melanoma treated?", "Intraocular (Uveal) Melanoma", False),
        ("How is lymphoma found?", "Primary CNS Lymphoma", True),
        ("How is melanoma treated?", "Melanoma", False),
        ("What are the signs of lung cancer?", "Non-Small Cell Lung Cancer", False),
        ("How is breast cancer treated?", "Male Breast Cancer", False),
    ],
)
def test_a_page_on_a_form_of_what_is_asked_for(question: str, title: str, form: bool) -> None:
    assert of_a_form(question, page(title, "It is treated.")) == form
