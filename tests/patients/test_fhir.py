"""FHIR R4: notes with their attachments, coded entries, what is marked as an error."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from clinfo.patients.reading import read_records
from clinfo.patients.records import CodedEntry, Record

Json = dict[str, Any]
P = {"reference": "urn:uuid:p1"}
V = {"reference": "Encounter/v1"}
SNOMED, RXNORM = "http://snomed.info/sct", "http://www.nlm.nih.gov/research/umls/rxnorm"


def coding(code: str, display: str, system: str = SNOMED) -> Json:
    return {"coding": [{"system": system, "code": code, "display": display}]}


def attached(text: bytes, kind: str = "text/plain; charset=utf-8") -> Json:
    return {"attachment": {"contentType": kind, "data": base64.b64encode(text).decode()}}


def document(id: str, *content: Json, **more: Any) -> Json:
    return {
        "resourceType": "DocumentReference",
        "id": id,
        "status": "current",
        "type": coding("34117-2", "History and physical note", "http://loinc.org"),
        "subject": P,
        "date": "2019-03-02T10:00:00.000-05:00",
        "author": [{"display": "Dr. Ana Ruiz"}],
        "content": list(content),
        "context": {"encounter": [V]},
        **more,
    }


RESOURCES: list[Json] = [
    {"resourceType": "Patient", "id": "p1", "gender": "female", "birthDate": "1950-06-01"},
    document("d1", attached("Température 38 °C.\r\nNo cough.".encode())),
    document(
        "d2",
        attached(b"%PDF-1.4", "application/pdf"),
        attached(b"<p>Addendum:</p><p>warfarin &amp; INR</p>", "text/html"),
        relatesTo=[{"code": "appends", "target": {"reference": "DocumentReference/d1"}}],
    ),
    document("d3", attached(b"wrong patient"), status="entered-in-error"),
    document("d4", attached(b"old version"), status="superseded"),
    document("d5", {"attachment": {"contentType": "text/plain", "url": "Binary/9"}}),
    document("d6", {"attachment": {"contentType": "text/plain", "data": "!!"}}),
    {
        "resourceType": "DiagnosticReport",
        "id": "r1",
        "status": "final",
        "code": coding("24627-2", "CT chest", "http://loinc.org"),
        "subject": P,
        "encounter": V,
        "effectiveDateTime": "2019-03-03",
        "presentedForm": [attached(b"No embolus.")["attachment"]],
    },
    {
        "resourceType": "Encounter",
        "id": "v1",
        "status": "finished",
        "class": {"code": "AMB"},
        "type": [coding("185345009", "Encounter for symptom")],
        "subject": P,
        "period": {"start": "2019-03-02T10:00:00-05:00", "end": "2019-03-02T10:15:00-05:00"},
    },
    {
        "resourceType": "Condition",
        "id": "c1",
        "clinicalStatus": coding("active", ""),
        "verificationStatus": coding("confirmed", ""),
        "code": {**coding("49436004", "Atrial fibrillation (disorder)"), "text": "AF"},
        "subject": P,
        "encounter": V,
        "onsetDateTime": "2019-03-02",
    },
    {
        "resourceType": "Condition",
        "id": "c2",
        "verificationStatus": coding("refuted", ""),
        "code": coding("59282003", "Pulmonary embolism"),
        "subject": P,
    },
    {
        "resourceType": "MedicationRequest",
        "id": "m1",
        "status": "stopped",
        "medicationReference": {"reference": "urn:uuid:med1"},
        "subject": P,
        "encounter": V,
        "authoredOn": "2019-03-02",
    },
    {
        "resourceType": "MedicationRequest",
        "id": "m2",
        "status": "active",
        "contained": [
            {"resourceType": "Medication", "id": "x", "code": coding("1", "Apixaban", RXNORM)}
        ],
        "medicationReference": {"reference": "#x"},
        "subject": P,
        "authoredOn": "2019-04-02",
    },
    {
        "resourceType": "Observation",
        "id": "o1",
        "status": "final",
        "code": coding("85354-9", "Blood pressure", "http://loinc.org"),
        "subject": P,
        "effectiveDateTime": "2019-03-02",
        "component": [
            {
                "code": coding("8480-6", "Systolic blood pressure", "http://loinc.org"),
                "valueQuantity": {"value": 142, "unit": "mm[Hg]"},
            },
            {
                "code": coding("8462-4", "Diastolic blood pressure", "http://loinc.org"),
                "valueQuantity": {"value": 80.5, "unit": "mm[Hg]"},
            },
        ],
    },
    {
        "resourceType": "Observation",
        "id": "o2",
        "status": "final",
        "code": coding("33914-3", "eGFR", "http://loinc.org"),
        "subject": P,
        "effectiveDateTime": "2019-03-02",
        "valueQuantity": {"comparator": "<", "value": 15, "unit": "mL/min"},
    },
    {
        "resourceType": "Procedure",
        "id": "x1",
        "status": "completed",
        "code": coding("18286008", "Catheter ablation"),
        "subject": P,
        "performedPeriod": {"start": "2019-05-01", "end": "2019-05-02"},
    },
    {"resourceType": "Medication", "id": "med1", "code": coding("855332", "Warfarin 5 MG", RXNORM)},
    {"resourceType": "CarePlan", "id": "i1"},
]


def bundle() -> Json:
    entries = [
        {"fullUrl": f"urn:uuid:{one['id']}", "resource": one, "request": {"method": "POST"}}
        for one in RESOURCES
    ]
    return {"resourceType": "Bundle", "type": "transaction", "entry": entries}


def entry(record: Record, text: str) -> CodedEntry:
    (found,) = [one for one in record.entries if one.text == text]
    return found


def test_nothing_is_taken_for_another_patients(tmp_path: Path) -> None:
    """An identifier of two systems, or that is another's id; an id that two patients' entries and a
    medicine have.
    """

    def bundle(*rows: Json) -> None:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.json"
        entry = [one if "request" in one else {"resource": one} for one in rows]
        path.write_text(json.dumps({"resourceType": "Bundle", "type": "batch", "entry": entry}))

    def patient(id: str, system: str, value: str) -> Json:
        known = [{"system": system, "value": value}]
        return {"resourceType": "Patient", "id": id, "identifier": known}

    def condition(id: str, text: str, **of: str) -> Json:
        subject = {"identifier": of} if "value" in of else of
        return {"resourceType": "Condition", "id": id, "code": {"text": text}, "subject": subject}

    def gone(id: str) -> Json:
        return {"request": {"method": "DELETE", "url": f"Condition/{id}"}}

    visit = {"resourceType": "Encounter", "subject": {"reference": "Patient/A"},
             "status": "planned",
             "diagnosis": [{"condition": {"reference": "Condition/5"}}]}  # fmt: skip
    medicine = {"resourceType": "Medication", "id": "5", "code": {"text": "Warfarin"}}
    bundle(patient("A", "mrn", "1"), patient("B", "insurance", "1"), patient("7", "mrn", "9"),
           condition("a", "gout", system="mrn", value="1"), condition("b", "lupus", value="1"),
           condition("c", "asthma", system="mrn", value="7"), medicine, visit)  # fmt: skip
    bundle(condition("d", "stroke", reference="Patient/A"), condition("e", "flu", value="9"))
    bundle(condition("d", "ulcer", reference="Patient/B"), gone("d"), gone("e"))
    read = read_records([tmp_path])
    found = {(record.patient, one.text) for record in read.records for one in record.entries}
    assert found == {("A", "gout"), ("A", "stroke"), ("B", "ulcer")}
    assert read.skipped["of no patient"] == 2


def test_a_bundle_as_synthea_writes_it(tmp_path: Path) -> None:
    path = tmp_path / "patient.json"
    path.write_text(json.dumps(bundle(), indent=2))
    read = read_records([path])
    record = read.one()
    first, added, report = record.notes
    assert (first.id, first.patient, first.visit) == ("d1", "p1", "v1")
    assert first.text == "Température 38 °C.\nNo cough."
    assert first.time == "2019-03-02T10:00:00.000-05:00"
    assert first.category == "History and physical note"
    assert added.text == "Addendum:\nwarfarin & INR"
    assert (report.id, report.category, report.text) == ("r1", "CT chest", "No embolus.")
    assert read.skipped == {
        "attachments of application/pdf": 1,
        "marked as an error": 1,
        "replaced by a later version": 1,
        "attachments that are only addresses": 1,
        "FHIR resources of the kind CarePlan": 1,
    }
    assert read.problems == (
        "patient.json, DocumentReference d6: an attachment is not base64, passed over",
        "1 entry passed over: marked as entered in error",
        "of these nothing is read: 1 attachments that are only addresses",
    )
    assert entry(record, "AF") == CodedEntry(
        "p1", "condition", "AF", "49436004", SNOMED, "2019-03-02", "", "active", "", "v1",
        also="Atrial fibrillation (disorder)",
    )  # fmt: skip
    assert entry(record, "Pulmonary embolism").value == "refuted"
    assert entry(record, "Warfarin 5 MG") == CodedEntry(
        "p1", "medication", "Warfarin 5 MG", "855332", RXNORM, "2019-03-02", "", "stopped",
        visit="v1", standing="past",
    )  # fmt: skip
    assert entry(record, "Apixaban").code == "1"
    pressure = entry(record, "Diastolic blood pressure")
    assert (pressure.value, pressure.unit, pressure.start) == ("80.5", "mm[Hg]", "2019-03-02")
    assert (entry(record, "eGFR").comparator, entry(record, "eGFR").value) == ("<", "15")
    assert entry(record, "Catheter ablation").end == "2019-05-02"
    assert entry(record, "Encounter for symptom").visit == "v1"
    assert entry(record, "Birth date").value == "1950-06-01"
    assert entry(record, "Sex").value == "female"
    assert not [one for one in record.entries if one.text == "Blood pressure"]


def test_xml_gives_the_same_record(tmp_path: Path) -> None:
    def add(above: etree._Element, name: str, value: Any) -> None:
        for one in value if isinstance(value, list) else [value]:
            element = etree.SubElement(above, name)
            if not isinstance(one, dict):
                element.set("value", str(one).lower() if isinstance(one, bool) else str(one))
                continue
            if "resourceType" in one:
                element = etree.SubElement(element, one["resourceType"])
            for key in one.keys() - {"resourceType"}:
                add(element, key, one[key])

    root = etree.Element("Bundle", {"xmlns": "http://hl7.org/fhir"})
    add(root, "entry", bundle()["entry"])
    (tmp_path / "a.xml").write_bytes(etree.tostring(root))
    (tmp_path / "a.json").write_text(json.dumps(bundle()))
    assert read_records([tmp_path / "a.xml"]).one() == read_records([tmp_path / "a.json"]).one()


def test_ndjson_gives_the_same_record_in_any_order(tmp_path: Path) -> None:
    whole = tmp_path / "bundle.json"
    whole.write_text(json.dumps(bundle()))
    lines = tmp_path / "bulk"
    lines.mkdir()
    for number, one in enumerate(reversed(RESOURCES)):
        with (lines / f"{number % 3}.ndjson").open("a") as file:
            file.write(json.dumps(one) + "\n")
    assert read_records([lines]).one() == read_records([whole]).one()


def test_a_report_that_repeats_a_note_is_one_note(tmp_path: Path) -> None:
    text = attached(b"The same text.")
    report = {
        "resourceType": "DiagnosticReport",
        "id": "r9",
        "status": "final",
        "subject": P,
        "encounter": V,
        "effectiveDateTime": "2019-03-02T10:00:00.000-05:00",
        "presentedForm": [text["attachment"]],
    }
    path = tmp_path / "a.ndjson"
    path.write_text(json.dumps(document("d9", text)) + "\n" + json.dumps(report) + "\n")
    read = read_records([path])
    assert [one.id for one in read.one().notes] == ["d9"]
    assert read.skipped == {"the same note again": 1}


def test_resources_that_are_not_as_fhir_says_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.ndjson"
    rows = [
        {"resourceType": "Bundle", "entry": [{"resource": None}, 7]},
        {"resourceType": "Condition", "code": "text", "subject": "me"},
        {"resourceType": "Condition", "code": {"coding": "x"}, "subject": P},
        {"resourceType": "Observation", "subject": P, "component": [{}], "code": []},
        {"resourceType": "DocumentReference", "content": 7},
        document("d1", attached(b"kept")),
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    read = read_records([path])
    assert [n.text for n in read.one().notes] == ["kept"]
    assert read.skipped == {"not a resource": 2, "of no patient": 2, "entries without a name": 2}
    assert "2 entries passed over: no FHIR resource" in read.problems


def test_only_references_to_one_patient_of_one_server_are_of_one_patient(tmp_path: Path) -> None:
    def about(reference: str, text: str) -> Json:
        return {
            "resourceType": "Condition",
            "code": {"text": text},
            "subject": {"reference": reference},
        }

    def within(server: str, *resources: Json) -> Json:
        entries = [
            {"fullUrl": f"{server}/{one['resourceType']}/{one.get('id', 1)}", "resource": one}
            for one in resources
        ]
        return {"resourceType": "Bundle", "type": "searchset", "entry": entries}

    born = {"resourceType": "Patient", "id": "7", "birthDate": "1950-01-01"}
    rows = [
        about("Patient/7", "plain"),
        about("Patient/7/_history/2", "versioned"),
        about("http://other/Patient/7", "elsewhere"),
        about("Group/7", "group"),
        about("7", "bare"),
        within("http://a/fhir", about("Patient/7", "a"), about("http://a/fhir/Patient/7", "a too")),
        within("http://b/fhir", about("Patient/7", "b"), born),
    ]
    path = tmp_path / "a.ndjson"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    read = read_records([path])
    assert {one.patient: sorted(each.text for each in one.entries) for one in read.records} == {
        "7": ["a", "a too", "plain", "versioned"],
        "http://other/Patient/7": ["elsewhere"],
        "http://b/fhir/Patient/7": ["Birth date", "b"],
    }
    assert read.skipped == {"of no patient": 2}


def test_a_status_counts_by_its_kind_and_one_that_is_not_known_is_told(tmp_path: Path) -> None:
    def one(kind: str, status: str, **more: Any) -> Json:
        return {
            "resourceType": kind, "subject": P, "status": status, "code": {"text": status}, **more
        }  # fmt: skip

    rows = [
        one("MedicationRequest", "cancelled"), one("MedicationStatement", "completed"),
        one("Procedure", "not-done"), one("MedicationRequest", "PARKED"),
        one("MedicationRequest", "active", intent="proposal"),
        one("MedicationRequest", "stopped", intent="plan"),
        one("Procedure", "entered-in-error"),
        {"resourceType": "AllergyIntolerance", "patient": P, "code": coding("716186003", "")},
        {"resourceType": "MedicationRequest", "subject": P, "status": "on-hold",
         "medicationReference": {"reference": "Medication/4580"}},
        {"resourceType": "MedicationRequest", "subject": P, "status": "active",
         "medicationReference": {"reference": "Medication/4581", "display": "Zinclozine"}},
    ]  # fmt: skip
    path = tmp_path / "a.ndjson"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    read = read_records([path])
    assert sorted((each.text, each.standing) for each in read.one().entries) == [
        ("", "past"), ("716186003", "negated"), ("PARKED", "uncertain"), ("Zinclozine", "present"),
        ("active", "planned"), ("cancelled", "negated"), ("completed", "past"),
        ("not-done", "negated"), ("stopped", "uncertain"),
    ]  # fmt: skip
    assert read.skipped == {"marked as an error": 1}
    assert "named only by an address that is not among the files: 1" in "".join(read.problems)
    assert [line for line in read.problems if "status “PARKED” of 1" in line]


def test_a_resource_of_a_transaction_is_called_by_its_address(tmp_path: Path) -> None:
    """Bundles that are to be stored give no ids; who it is about is known all the same."""
    born = {"resourceType": "Patient", "gender": "female", "birthDate": "1950-01-01"}
    asthma = {
        "resourceType": "Condition",
        "code": {"text": "Asthma"},
        "subject": {"reference": "urn:uuid:p1"},
    }
    entries = [
        {"fullUrl": "urn:uuid:p1", "resource": born},
        {"fullUrl": "urn:uuid:c1", "resource": asthma},
    ]
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"resourceType": "Bundle", "type": "transaction", "entry": entries}))
    (record,) = read_records([path]).records
    assert record.patient == "p1"
    assert {one.text for one in record.entries} >= {"Asthma", "Birth date"}


@pytest.mark.parametrize(
    ("resources", "told"),
    [
        ([{"specimen": {"reference": "Specimen/s"}}, {"resourceType": "Specimen", "id": "s",
          "type": {"text": "Urine"}}], ("Glucose in Urine", "7 mmol/L", "")),
        ([{"specimen": {"display": "Venous blood"}}], ("Glucose", "7 mmol/L", "")),
        ([{"code": "Family history", "valueQuantity": None, "valueString": "Gout: mother"}],
         ("Gout", "mother", "")),
        ([{"code": "Family history", "valueQuantity": None, "valueString": "Source: chart"}],
         ("Family history", "Source: chart", "")),
        ([{"valueQuantity": None, "hasMember": []}], ("Glucose", "", "")),
        ([{"resourceType": "Condition", "code": "Gout", "clinicalStatus": {"text": "In remission"},
           "verificationStatus": {"text": "Established"}}], ("Gout", "In remission", "")),
        ([{"note": [{"text": "Haemolysed"}]}], ("Glucose", "7 mmol/L", "note: Haemolysed")),
        ([{"resourceType": "Encounter", "period": {"end": "2023-05-04"}, "hospitalization": {
            "dischargeDisposition": {"text": "Expired"}}}],
         ("Deceased", "2023-05-04", "discharge: Expired")),
        ([{"resourceType": "Condition", "code": {"text": "CKD"}, "stage": [{"summary": {
            "text": "Stage 3b"}}]}], ("CKD", "", "stage: Stage 3b")),
        ([{"note": [{"text": json.loads("[" * 300 + "]" * 300)}]}], ("Glucose", "7 mmol/L", "")),
    ],
)  # fmt: skip
def test_what_else_is_told(resources: list[Json], told: tuple[str, ...], tmp_path: Path) -> None:
    given = {"resourceType": "Observation", "subject": P, "code": {"text": "Glucose"},
             "valueQuantity": {"value": 7, "unit": "mmol/L"}}  # fmt: skip
    rows = [
        {"subject": P, **one} if "resourceType" in one else {**given, **one} for one in resources
    ]
    (tmp_path / "a.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert told in {
        (one.text, f"{one.shown} {one.unit}".strip(), one.interpretation)
        for one in read_records([tmp_path]).one().entries
    }


def test_reports_deaths_answers_and_versions_are_read_and_what_is_not_is_told(
    tmp_path: Path,
) -> None:
    def one(kind: str, id: str, **more: Any) -> Json:
        return {"resourceType": kind, "id": id, "subject": P, **more}

    asked = [{"answer": [{"valueBoolean": True}], "text": "Do you smoke?", "linkId": "2-1"}]
    made = {"data": "Tm8gbWFzcy4=", "creation": "2020-05-06"}
    more: Json = {"presentedForm": [made], "context": [{"reference": "Appointment/9"}]}
    rows = [
        one(
            "DiagnosticReport",
            "r1",
            conclusion="No mass.",
            conclusionCode=[{"text": "Cyst"}],
            **more,
        ),
        one("DiagnosticReport", "r2"),
        one("DiagnosticReport", "r3", result=[{"reference": "Observation/1"}]),
        {
            "resourceType": "Patient",
            "id": "p1",
            "deceasedDateTime": "2022",
            "link": [{"other": {"reference": "Patient/p0"}, "type": "replaces"}],
        },
        one(
            "DocumentReference",
            "t",
            content=[
                {
                    "attachment": {
                        "contentType": "text/rtf",
                        "data": base64.b64encode(rb"{\rtf1 x}").decode(),
                    }
                }
            ],
        ),
        one("QuestionnaireResponse", "q", item=[{"linkId": "0", "item": asked}]),
        one("Condition", "c", code={"text": "Gout"}, modifierExtension=[{"url": "x"}]),
        one("Condition", "cr", code={"text": "Flu"}, implicitRules="http://x/rules"),
        one("DeviceUseStatement", "u", device={"reference": "Device/d"}, status="completed"),
        {"resourceType": "Device", "id": "d", "deviceName": [{"name": "Pump"}], "patient": P},
        {
            "resourceType": "FamilyMemberHistory",
            "patient": P,
            "status": "in-progress",
            "condition": [{"code": "Lupus"}],
        },
        {"resourceType": "FamilyMemberHistory", "patient": P, "note": [{"text": "No cancer."}]},
        *(one("CarePlan", id) for id in "ab"),
        one("Claim", "c"),
    ]
    asthma, gout = (one("Condition", id, code={"text": text}) for id, text in ("ag", "bh"))
    old = {**asthma, "code": {"text": "older"}}
    deleted = {"request": {"method": "DELETE", "url": "Condition/b"}}
    focus = [{"reference": "Patient/donor"}]
    rows.append({"resourceType": "Observation", "id": "d", "status": "final", "focus": focus,
                 "subject": {"reference": "Patient/p"}, "code": {"text": "HIV"}})  # fmt: skip
    gone = {"request": {"method": "DELETE", "url": "Condition/z"}}
    before = one(
        "Condition", "z", code={"text": "TB"}, meta={"lastUpdated": "2020-01-01T00:00:00Z"}
    )
    history = [
        gone,
        {"resource": before},
        {"resource": asthma},
        deleted,
        {"resource": old},
        {"resource": gout},
    ]
    versions = ("active", "entered-in-error")
    history += [{"resource": one("Condition", "late", code={"text": "TB"}, verificationStatus=said,
                                 meta={"versionId": str(at)})}
                for at, said in enumerate(versions)]  # fmt: skip
    rows.append({"resourceType": "Bundle", "type": "history", "entry": history})
    path = tmp_path / "a.ndjson"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    read = read_records([path])
    record = read.one()
    assert [(one.text, one.time, one.visit) for one in record.notes] == [
        ("No mass.", "2020-05-06", "")
    ]
    assert "2-1" not in {one.loinc for one in record.entries}
    assert {(one.kind, one.name, one.standing, one.value) for one in record.entries} == {
        ("condition", "Family history: Lupus", "family", ""),
        ("observation", "Deceased", "present", "2022"), ("device", "Pump", "present", ""),
        ("observation", "Do you smoke?", "present", "true"),
        ("device", "Pump", "past", "completed"),
        ("condition", "Flu", "uncertain", "with a modifier that is not known here"),
        ("condition", "Gout", "uncertain", "with a modifier that is not known here"),
        ("condition", "Cyst", "present", "concluded of a report"),
        ("condition", "g", "present", ""),
    }  # fmt: skip
    assert read.skipped["reports without a text"] == 1
    assert (
        "of these nothing is read: 2 CarePlan, 1 FamilyMemberHistory without a condition, "
        "1 Observation about another (focus), "
        "1 attachments of application/rtf" in read.problems
    )
    assert "patients p0 and p1 are told to be one person; each is apart" in read.problems
