"""Texts and values in fields of FHIR resources, as the large vendors and converters write them."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from clinfo.patients.coded import meant
from clinfo.patients.readers.fhir_fields import without_marks
from clinfo.patients.reading import read_records
from clinfo.patients.records import Record

Json = dict[str, Any]
OF_P: Json = {"subject": {"reference": "Patient/p"}, "status": "final"}


def record(folder: Path, *entries: Json) -> Record:
    path = folder / "bundle.json"
    path.write_text(json.dumps({"resourceType": "Bundle", "entry": list(entries)}))
    (one,) = read_records([path]).records
    return one


POSITIVE: Json = {"interpretation": [{"coding": [{"code": "POS"}]}]}
ONE: Json = {"value": 1, "unit": "1"}
VALUES: dict[str, tuple[Json, tuple[str, str, str]]] = {
    "small": ({"valueQuantity": {"value": 0.00005, "unit": "mg"}}, ("0.00005", "mg", "")),
    "large": ({"valueQuantity": {"value": 1e16}}, ("10000000000000000", "", "")),
    "no number": ({"valueString": "2a"}, ("2a", "", "")),
    "ratio": (
        {"valueRatio": {"numerator": {"value": 1}, "denominator": {"value": 128}}},
        ("1:128", "", ""),
    ),
    "boolean": ({"valueBoolean": False}, ("false", "", "negative")),
    "interpretation alone": (POSITIVE, ("positive", "", "positive")),
    "two that differ": ({"valueString": "negative"} | POSITIVE, ("negative", "", "unclear")),
    "span": ({"valueString": "No growth after 5 days"}, ("No growth after 5 days", "", "negative")),
    "range with one end": ({"valueRange": {"low": {"value": 5, "unit": "mg"}}}, (">=5", "mg", "")),
    "upper end": ({"valueRange": {"high": {"value": 5, "unit": "mg"}}}, ("<=5", "mg", "")),
    "titre": ({"valueRatio": {"numerator": ONE, "denominator": {"value": 80}}}, ("1:80", "", "")),
    "decimal comma": ({"valueString": "5,4 mmol/L"}, ("5.4", "mmol/L", "")),
    "thousands": ({"valueString": "> 1,000 copies/mL"}, (">1000", "copies/mL", "")),
    "either": ({"valueString": "1,234"}, ("1,234", "", "")),
    "minus sign": ({"valueString": "−2.5"}, ("-2.5", "", "")),
    "decimal": ({"valueDecimal": 3.5}, ("3.5", "", "")),
    "coding": ({"valueCoding": {"code": "LA32-8", "display": "No"}}, ("No", "", "negative")),
    "semantic tag": (
        {"valueCodeableConcept": {"text": "Negative (qualifier value)"}},
        ("Negative (qualifier value)", "", "negative"),
    ),
    "answer with more": ({"valueString": "Positive, 1:160"}, ("Positive, 1:160", "", "positive")),
    "answer for": ({"valueString": "NEGATIVE for E"}, ("NEGATIVE for E", "", "negative")),
}


@pytest.mark.parametrize("name", VALUES)
def test_values(name: str, tmp_path: Path) -> None:
    given, right = VALUES[name]
    resource = {"resourceType": "Observation", **OF_P, "code": {"text": "T"}} | given
    (one,) = record(tmp_path, {"resource": resource}).entries
    assert (one.shown, one.unit, one.polarity) == right


OLD: Json = {"value": 12, "code": "a"}
DOSE: Json = {"doseAndRate": [{"doseQuantity": {"value": 5, "unit": "mg"}}], "sequence": 1,
              "timing": {"repeat": {"frequency": 2, "period": 1, "periodUnit": "d"}}}  # fmt: skip
MORE: dict[str, tuple[Json, str]] = {
    "Condition": ({"code": {"text": "T"}, "onsetAge": OLD, "severity": {"text": "Severe"}},
                  "onset age: 12 years, severity: Severe"),
    "Procedure": ({"code": {"text": "T"}, "bodySite": [{"text": "Left hip"}, {"text": "Right hip"}],
                   "performedRange": {"low": OLD, "high": {"value": 14, "code": "a"}}},
                  "performed: 12-14 years, body site: Left hip; Right hip"),
    "MedicationRequest": ({"medicationCodeableConcept": {"text": "T"}, "dosageInstruction": [DOSE]},
                          "dosage instruction: 5 mg, 2 in 1 days"),
    "AllergyIntolerance": ({"code": {"text": "T"}, "reaction": [
        {"substance": {"text": "Latex"}}, {"substance": {"text": "Latex"},
         "manifestation": [{"coding": [{"code": "1", "display": "Hives"}]}]}]},
        "substance: Latex, manifestation: Hives"),
    "Immunization": ({"vaccineCode": {"text": "T"}, "occurrenceString": "summer of 2016",
                      "statusReason": {"text": "Objection"}},
                     "occurrence: summer of 2016, status reason: Objection"),
    "FamilyMemberHistory": ({"relationship": {"text": "mother"}, "condition": [
        {"code": {"text": "T"}, "onsetString": "in her forties"}]}, "onset: in her forties"),
    "Observation": ({"code": {"text": "Variant"}, "valueString": "Present", "component": [
        {"code": {"text": "Gene"}, "valueString": "KRAS"},
        {"code": {"text": "Reads"}, "valueInteger": 31}]}, "Gene: KRAS"),
}  # fmt: skip


@pytest.mark.parametrize("kind", MORE)
def test_what_else_a_resource_tells_stands_behind_its_name(kind: str, tmp_path: Path) -> None:
    given, told = MORE[kind]
    about = {"subject": {"reference": "Patient/p"}, "patient": {"reference": "Patient/p"}}
    first, *_ = (
        one
        for one in record(tmp_path, {"resource": {"resourceType": kind, **about, **given}}).entries
        if one.text in ("T", "Variant")
    )
    assert first.interpretation == told


@pytest.mark.parametrize("status", ["preliminary", "corrected"])
def test_a_result_that_may_change_or_did_is_told_so(tmp_path: Path, status: str) -> None:
    own = {"status": status, "component": [{"code": {"text": "K"}, "valueInteger": 6}]}
    resource = {"resourceType": "Observation", **OF_P, "code": {"text": "T"}} | POSITIVE | own
    entries = record(tmp_path, {"resource": resource}).entries
    assert {one.text: meant(one) for one in entries} == {"T": status, "K": status}


def test_a_reason_why_something_is_absent_is_no_name_and_no_birth_date(tmp_path: Path) -> None:
    absent = "http://terminology.hl7.org/CodeSystem/data-absent-reason"
    code = {"coding": [{"system": absent, "code": "masked", "display": "Masked"}], "text": "masked"}
    why = {"extension": [{"url": "urn:x/data-absent-reason", "valueCode": "masked"}]}
    entries = record(
        tmp_path,
        {"resource": {"resourceType": "Patient", "id": "p", "_birthDate": why}},
        {"resource": {"resourceType": "AllergyIntolerance", **OF_P, "code": code}},
    ).entries
    told = {one.name: one.value for one in entries if one.kind == "observation"}
    assert told == {"Birth date": "not known (masked)"}
    assert {one.kind: one.named for one in entries} == {"observation": True, "allergy": False}


NAMES: dict[str, tuple[str, Json]] = {
    "text alone": ("Condition", {"code": "Gout"}),
    "ingredient of a medicine with a code alone": ("MedicationRequest", {
        "medicationReference": {"reference": "#m"}, "contained": [
            {"resourceType": "Medication", "id": "m", "code": {"coding": [{"code": "7"}]},
             "ingredient": [{"itemCodeableConcept": {"text": "Gout"}}]}]}),
    "a list of one": ("Condition", {"code": [{"text": "Gout"}]}),
    "an object for a list": ("Condition", {"code": {"coding": {"display": "Gout"}}}),
    "allergy known by its reaction": (
        "AllergyIntolerance", {"reaction": [{"substance": {"text": "Gout"}}]}),
    "typed reference": (
        "Condition", {"code": "Gout", "subject": {"type": "Patient", "reference": "p"}}),
    "timing": ("Observation", {"code": "Gout", "effectiveTiming": {"event": ["2024-01-03"]}}),
    "question": ("QuestionnaireResponse", {
        "authored": "2024-01-03",
        "item": [{"item": [{"text": "Gout", "answer": [{"valueBoolean": True}]}]}]}),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names(name: str, tmp_path: Path) -> None:
    kind, fields = NAMES[name]
    found = record(tmp_path, {"resource": {"resourceType": kind, **OF_P, **fields}})
    (one,) = found.entries
    assert (found.patient, one.text) == ("p", "Gout")
    assert one.start in ("", "2024-01-03")


def test_a_report_is_read_with_its_conclusion_and_a_composition_with_its_sections(
    tmp_path: Path,
) -> None:
    words = base64.b64encode(b"Has gout.").decode()
    by_address = {"contentType": "text/plain", "url": "Binary/b"}
    section = {"title": "A", "text": {"div": "<div>B</div>"}, "section": [{"title": "C"}]}
    found = record(
        tmp_path,
        *(
            {"resource": {"resourceType": kind, "id": kind, **OF_P, **fields}}
            for kind, fields in (
                ("DiagnosticReport", {"conclusion": "No clot."}),
                ("Composition", {"section": [section]}),
                ("DocumentReference", {"content": [{"attachment": by_address}]}),
            )
        ),
        {"resource": {"resourceType": "Binary", "id": "b", "data": words}},
    )
    assert sorted(note.text for note in found.notes) == ["A\nB\n\nC", "Has gout.", "No clot."]


def test_cells_of_a_table_stand_apart_and_rows_on_lines_of_their_own() -> None:
    rows = "<tr><th>Na</th><td>140</td></tr><tr><th>K</th><td>4.1</td></tr>"
    lines = without_marks(
        f"<div><table>{rows}</table><p><del>No.</del>Drawn at 8.</p></div>"
    ).splitlines()
    assert [line.strip() for line in lines] == ["Na 140", "K 4.1", "Drawn at 8."]
