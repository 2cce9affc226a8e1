"""Facts of notes: what they name, with assertion, values, and places."""

import re

import pytest

from clinfo.patients.records import Note
from clinfo.pipelines.cohort.age_and_sex import born
from clinfo.pipelines.cohort.facts import Fact, consolidate
from clinfo.pipelines.cohort.reading import read_note
from tests.pipelines.cohort.notes import visit


def facts(text: str, time: str = "2020-01-01") -> list[Fact]:
    return list(read_note(Note("n", "p", text, time)))


def test_an_enumeration_is_read_item_by_item() -> None:
    text = visit("fever (finding)", "suspected covid-19", "sprain of ankle")
    found = [fact for fact in facts(text) if fact.kind == "condition"]
    assert [(fact.name, fact.certainty) for fact in found] == [
        ("fever", "confirmed"),
        ("covid 19", "suspected"),
        ("sprain of ankle", "confirmed"),
    ]
    assert text[found[0].source.start : found[0].source.end] == "fever (finding)"


def test_a_list_within_a_line_begins_at_its_title() -> None:
    text = "Patient with asthma. Allergies: penicillin (rash). Medication: warfarin 5 mg."
    found = {(one.kind, one.name): text[one.source.start : one.source.end] for one in facts(text)}
    assert found["drug", "warfarin"] == "warfarin 5 mg"
    assert found.keys() >= {("condition", "asthma"), ("drug", "warfarin")}
    assert ("drug", "penicillin") not in found
    assert ("allergy", "penicillin") in found  # without what it does


def test_a_drug_is_read_under_each_ingredient() -> None:
    text = "# Medications\namoxicillin 250 mg / clavulanate 125 mg oral tablet; lisinopril 10 mg\n"
    assert {fact.name for fact in facts(text) if fact.kind == "drug"} == {
        "amoxicillin", "clavulanate", "lisinopril",
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "# Family History\nbrother: gout\nmother: asthma",
        "# Family History\n- gout (father)",
        "# Problems\n- maternal grandfather: gout",
    ],
)
def test_a_list_of_relatives_illnesses_is_not_the_patients(text: str) -> None:
    found = [fact for fact in facts(text) if fact.kind == "condition"]
    assert {fact.subject for fact in found} == {"family"}


def test_what_one_is_allergic_to_is_no_drug_taken() -> None:
    text = "# Allergies\nPatient has a documented history of: penicillin v. \n\n# Plan\nRest.\n"
    assert [(fact.kind, fact.name) for fact in facts(text)] == [
        ("allergy", "penicillin v"),
        ("condition", "penicillin v allergy"),
    ]
    text = "# Allergies\n- SULFA ANTIBIOTICS\n- latex (hives)\n- penicillin: rash\n- NKDA\n"
    named = {fact.name for fact in facts(text) if fact.kind == "allergy"}
    assert named == {"sulfa antibiotics", "latex", "penicillin"}
    text = "Reported aspirin allergy since school. Challenge negative: aspirin allergy excluded."
    assert {fact.negated for fact in facts(text)} == {True}
    assert facts("Plan: metformin to be started.")[0].certainty == "suspected"  # not taken yet
    text = "Assessment and plan:\n1. Hypertension: lisinopril 10 mg daily.\n2. Gout, no flare\n"
    named = [(fact.kind, fact.name) for fact in facts(text)][:3]
    assert named == [("condition", "hypertension"), ("drug", "lisinopril"), ("condition", "gout")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No evidence of pneumonia.", ("pneumonia", True, "patient", "confirmed")),
        ("Mother had breast cancer.", ("breast neoplasms", False, "family", "confirmed")),
        ("She has diabetes mellitus.", ("diabetes mellitus", False, "patient", "confirmed")),
        ("Possible pulmonary embolism.", ("pulmonary embolism", False, "patient", "suspected")),
        ("She has schizophrenia.", ("schizophrenia", False, "patient", "confirmed")),
        (
            "Has acute lymphoblastic leukaemia.",  # of a wider heading, so as it is written
            ("acute lymphoblastic leukemia", False, "patient", "confirmed"),
        ),
        ("She is not pregnant.", ("pregnancy", True, "patient", "confirmed")),
        (
            "WALKING AIDS IN PLACE.",
            ("acquired immunodeficiency syndrome", False, "patient", "unclear"),
        ),
        ("Have you had gout?\nYes", ("gout", False, "patient", "confirmed")),
        ("Have you ever had gout?\nNo", ("gout", True, "patient", "confirmed")),
    ],
)
def test_free_text_is_read_with_its_assertion(
    text: str, expected: tuple[str, bool, str, str]
) -> None:
    found = [
        (fact.name, fact.negated, fact.subject, fact.certainty)
        for fact in facts(text)
        if fact.kind == "condition"
    ]
    assert found == [expected]


def test_stages_and_performance_are_values_in_their_order() -> None:
    for text, sure in (("Clot in the right M1 segment.", "unclear"), ("T2 N1 M1.", "confirmed")):
        assert [one.certainty for one in facts(text) if one.name == "m"] == [sure]
    found = facts("Stage IIIB adenocarcinoma of the lung, pT2aN1M0, ECOG PS 1.")
    values = {fact.name: (fact.value, fact.said) for fact in found if fact.kind == "stage"}
    assert values == {
        "stage": (3.2, ""), "t": (2.1, "p"), "n": (1.0, "p"), "m": (0.0, "p"), "ecog": (1.0, ""),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [  # values that are aimed at or conditions are not the patient's, those of relatives theirs
        ("Target HbA1c 6.5 %, HbA1c today 8.1 %.", {("hba1c", 8.1, "patient")}),
        ("Goal BP: 125/75. Transfuse if Hb 7 g/dL. Keep SpO2 92%.", set()),
        ("Not at goal: HbA1c 8.1 %; goal LDL 70; LDL 131 mg/dL.",
         {("hba1c", 8.1, "patient"), ("ldl", 131, "patient")}),
        ("HbA1c (%)\n2023-01-02 9.1\nLDL 95 mg/dL last year, now 131 mg/dL.", set()),
        ("Potassium 5.9 mmol/L, lithium 0.8 mmol/L. Weight 80 kg, lost 5 kg. After CABG EF 35 %.",
         {("potassium", 5.9, "patient"), ("weight", 80, "patient"), ("ef", 35, "patient")}),
        ("Hb 13 g/dL, MCHC 33 g/dL, LDL 180 mg/dL on statin, apoB 90 mg/dL, HbA1c 8 % from 9 %.",
         {("hemoglobin", 13, "patient"), ("ldl", 180, "patient"), ("hba1c", 8, "patient")}),
        ("Brother's PSA was 9 ng/mL.", {("psa", 9, "family")}),
        ("Stage 2 hypertension, stage 3 sacral pressure ulcer, free T4 by mail.", set()),
        ("Stage 3b chronic kidney disease; thoracic pain at T4.", {("ckd", 3.2, "patient")}),
        ("Colon cancer stage III, T3, with hypertension.",
         {("stage", 3, "patient"), ("t", 3, "patient")}),
    ],
)  # fmt: skip
def test_values_are_those_measured_of_the_patient(
    text: str, expected: set[tuple[str, float, str]]
) -> None:
    sure = (one for one in facts(text) if one.certainty == "confirmed")
    found = {(one.name, one.value, one.subject) for one in sure if one.value is not None}
    assert found == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Locally advanced, platinum-resistant disease.",
         {("extent", "locally advanced"), ("course", "platinum resistant")}),
        ("Metastatic melanoma.", {("extent", "metastatic")}),
        ("Non-metastatic and not recurrent.", set()),
    ],
)  # fmt: skip
def test_states_of_a_tumour_are_values_in_words(text: str, expected: set[tuple[str, str]]) -> None:
    assert {(one.name, one.said) for one in facts(text) if one.kind == "stage"} == expected


def test_genes_and_markers_are_read_with_their_change() -> None:
    text = "EGFR exon 19 deletion detected. No ALK rearrangement. HER2 negative, MSI-H."
    found = {
        (fact.name, fact.said, fact.negated) for fact in facts(text) if fact.kind == "alteration"
    }
    assert found == {
        ("egfr", "||exon 19 deletion", False), ("alk", "||fusion", True),
        ("her2", "||negative", False), ("msi", "||high", False),
    }  # fmt: skip


def test_ages_leave_the_days_of_birth() -> None:
    one = facts(visit(person="40 year-old white female"), "2020-06-01")
    other = facts(visit(person="41 year-old white female"), "2020-06-10")
    assert born([*one, *other]) == ("1979-06-02", "1979-06-10")
    assert born([*one, *facts(visit(person="70 year-old male"), "2020-06-10")]) == ("", "")


def test_contradictions_stay() -> None:
    said = ("She has pneumonia.", "She has pneumonia.", "No evidence of pneumonia.")
    found = [fact for at, text in enumerate(said, 1) for fact in facts(text, f"2020-01-0{at}")]
    days = {
        fact.negated: [one.time for one in sources]
        for fact, sources in consolidate(found).items() if fact.name == "pneumonia"
    }  # fmt: skip
    assert days == {False: ["2020-01-01", "2020-01-02"], True: ["2020-01-03"]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Patient was diagnosed with gout, asthma.", {"gout", "asthma"}),
        ("Brother diagnosed with gout in 1972; he asks about tests.", set()),
        ("She was never diagnosed with gout.", set()),
    ],
)
def test_an_enumeration_is_of_the_patient_only(text: str, expected: set[str]) -> None:
    found = facts(f"# History\n{text}\n")
    assert expected == {
        fact.name
        for fact in found
        if fact.kind == "condition" and fact.subject == "patient" and not fact.negated
    }


@pytest.mark.parametrize(
    ("text", "age", "sex"),
    [
        ("66F with cough.", 66, "female"),
        ("A 66-year-old man was seen.", 66, "male"),
        ("Mrs Jones attended today.", None, "female"),
        ("Age: 70\nSex: M\n", 70, "male"),
        ("Her 90-year-old mother is unwell.", None, None),
        ("Father died at 66 years of age.", None, None),
    ],
)
def test_age_and_sex_are_the_patients(text: str, age: int | None, sex: str | None) -> None:
    found = facts(text)
    assert next((fact.value for fact in found if fact.kind == "age"), None) == age
    assert next((fact.said for fact in found if fact.kind == "sex"), None) == sex


@pytest.mark.parametrize(
    ("text", "values"),
    [  # in the unit of the quantity; "?" without a unit that tells mmol/L from mg/dL
        ("Na 138, K 5.1, Cl 101, Ca 8.2", "sodium 138 potassium 5.1 chloride 101 calcium 8.2"),
        ("Mg 1.9, Phos 3.4; later Mg 1.9 mg/dL", "magnesium? 1.9 phosphate? 3.4 magnesium 0.78"),
        ("creatinine 1.4 mg/dL, T-score –2.8, base excess −6", "creatinine 1.4 tscore -2.8 "
         "baseexcess -6"),
        ("K 20 mEq po, Mg 2 g IV, Ca 500 mg, mg 1.9, MG 1.9, vitamin K 5 mg", ""),
        ("potassium 5.1", "potassium 5.1"), ("LDL" + " " * 50_000, ""),
        ("troponin 0,012 ng/mL, TSH 2.1 mU/mL", "troponin 12"),
        ("Hb 98; K (4.1), K [3.5-5.1]: 5.8; A1c 12.03.2023: 8,4 %; PSA from 3/2023 4.5 ng/mL",
         "hemoglobin 9.8 potassium 4.1 potassium 5.8 hba1c 8.4 psa 4.5"),
        ("Na fell from 140 mmol/L to 131; Cr 1.1 -> 1.7; K 4 foo/L", "sodium 131 creatinine 1.7"),
        ("K 3.1 > 4.2; Cr 1.2 => 2.9. Hb 12 g/dl to 8.", "potassium 4.2 creatinine 2.9"),
    ],
)  # fmt: skip
def test_short_names_are_results_as_they_are_written_and_before_a_value(
    text: str, values: str
) -> None:
    found = facts(text)
    told = (
        f"{fact.name}{'?' * (fact.certainty == 'unclear')} {fact.value:g}"
        for fact in found
        if fact.kind == "observation"
    )
    assert sorted(told) == sorted(re.findall(r"\S+ \S+", values))
    assert not values or {fact.kind for fact in found} == {"observation"}
