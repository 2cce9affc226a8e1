"""Reads the rows of tables of results, diagnoses, medicines and the like as coded entries."""

import re
from collections.abc import Collection, Mapping
from typing import Literal, get_type_hints

from clinfo.patients.coded import standing_of, taken_from
from clinfo.patients.readers.fhir import FhirReader, Form, of_patient
from clinfo.patients.readers.fhir_fields import LOINC, LOINC_CODE
from clinfo.patients.records import CodedEntry, Kind, Note
from clinfo.patients.times import real

Holds = Literal["notes", "patients", "names", ""] | Kind
"""The things that the rows of a table are (also names of codes); "" where that is not known."""
_STEMS: dict[str, Kind] = {
    "condition": "condition", "diagnos": "condition", "problem": "condition",
    "medication": "medication", "drug": "medication", "prescription": "medication",
    "medikation": "medication", "procedure": "procedure", "prozedur": "procedure",
    "allerg": "allergy", "immuni": "immunization", "vaccin": "immunization", "impf": "immunization",
    "device": "device", "encounter": "encounter", "visit": "encounter",
}  # fmt: skip
"""Kinds of entries by a part of the table's name."""
_SNOMED = "http://snomed.info/sct"
_RXNORM = "http://www.nlm.nih.gov/research/umls/rxnorm"
_SYSTEMS = {
    "loinc": LOINC, "snomed": _SNOMED, "rxnorm": _RXNORM, "icd10": "http://hl7.org/fhir/sid/icd-10",
    "icd9": "http://hl7.org/fhir/sid/icd-9-cm", "rxcui": _RXNORM, "cvx": "http://hl7.org/fhir/sid/cvx",
}  # fmt: skip
"""Systems of codes by the beginning of their column's header or of their name."""
_SYNTHEA: dict[Kind, str] = {
    "condition": _SNOMED, "procedure": _SNOMED, "encounter": _SNOMED, "device": _SNOMED,
    "medication": _RXNORM, "immunization": _SYSTEMS["cvx"],
}  # fmt: skip
"""The systems that the data dictionary of Synthea says its columns CODE are of."""
_CODE = re.compile(r"(\d{1,7}-\d)[ :|]+(\S.*)|[A-Z]?\d[\dA-Z.-]*")
"""A code as a source of OMOP's tables has it (I21.9, 2160-0), or one of LOINC before a name."""
_FLAGGED = re.compile(r"([<>]?=?\s*\d[\d.,]*)(\s*[(\[]?(?:\*+|[HL]{1,2}|A|↑+|↓+|!+)[)\]]?)")
"""A result with the flag in its cell: "7.4 L", "18.2 (H)", "6.9*"."""
_OMOP = {
    "GT": ">", "GE": ">=", "LT": "<", "LE": "<=", "EQ": "", "NI": "",
    "0": "", "4171754": "<=", "4171755": ">=", "4171756": "<", "4172703": "", "4172704": ">",
    "9191": "positive", "9189": "negative", "8532": "female", "8507": "male", "8554": "%",
    "8840": "mg/dL", "8753": "mmol/L", "8749": "umol/L", "8751": "mg/L", "8713": "g/dL",
    "8636": "g/L", "8645": "U/L", "8923": "IU/L", "8837": "ug/dL", "8842": "ng/mL", "8845": "pg/mL",
    "8817": "ng/dL", "8748": "ug/L", "8859": "ug/mL", "9557": "meq/L", "8848": "10*3/uL",
    "8961": "10*3/mm3", "9444": "10*9/L", "8784": "cells/uL", "8815": "10*6/uL", "8583": "fL",
    "8564": "pg", "8876": "mmHg", "8541": "/min", "8483": "/min", "9529": "kg", "8504": "g",
    "9531": "kg/m2", "8582": "cm", "586323": "Cel", "9289": "[degF]", "8752": "mm/h",
    "720870": "mL/min/1.73m2", "8795": "mL/min",
}  # fmt: skip
"""Comparators, answers, sexes and units by their concept of OMOP, or as PCORnet has them."""
_OF_NAMES = {"code", "name", "specimen", "category", "system", "id"}
"""Columns of tables that only name codes."""
_CODED = ("conceptid", "resultmodifier")


def holds(where: Collection[str], name: str) -> Holds:
    """What the rows of a table with these columns and this name are."""
    coded = not {"name", "code", "source"}.isdisjoint(where)
    if "text" in where and len(where) > 1 and not (coded and "value" in where):
        return "notes"
    kind: Holds = _kind(name)
    if coded and "patient" in where and (kind or "value" in where):
        return "observation" if "value" in where and kind != "allergy" else kind
    if {"code", "name"} <= {*where} <= _OF_NAMES:
        return "names"
    if {"patient", "sex"} <= {*where} and not coded:
        return "patients"
    who = not {"birth", "birth year", "death"}.isdisjoint(where) and "patient" in where
    return "patients" if who or {"birth", "sex"} <= {*where} else ""


def _kind(name: str) -> Kind | Literal[""]:
    return next((kind for part, kind in _STEMS.items() if part in name.lower()), "")


def read_row(
    held: Holds, cells: Mapping[str, str], headers: Mapping[str, str], where: str, fhir: FhirReader
) -> None:
    """Read a row by what its cells are, with the headers of their columns and times in ISO 8601:
    a note, what it says of the patient, and the thing that the rows are of as a small resource.
    """
    if held == "notes":
        told = {name: cells.get(name, "") for name in get_type_hints(Note)}
        fhir.to.note(Note(**told), where)
        return
    numbers = {what for what, header in headers.items() if header.endswith(_CODED)} - {"code"}
    known = {one: _OMOP.get(cells[one], f"OMOP {cells[one]}") for one in numbers if cells.get(one)}
    cells = {**cells, **known}
    if held == "names":
        kind, code = _kind(cells.get("table", "")), cells.get("code", "")
        named = CodedEntry("", "observation", cells.get("name", ""))
        named = taken_from(named, cells.get("specimen", ""))
        system = _system(kind or "observation", code, cells, headers)
        fhir.to.names[code].append((kind, system, named.text))
        return
    patient = cells.get("patient", "")
    time, stop = (real(cells.get(key, "")) for key in ("time", "stop"))
    if standing_of("death", cells.get("left", "")) == "past":
        cells = {**cells, "death": cells.get("death") or stop or time or "true"}
    for entry in of_patient(patient, cells):
        fhir.to.entry(entry)
    if held == "patients" or not held:
        return
    code, value, flag = (cells.get(key, "") for key in ("code", "value", "flag"))
    source, text, concept = cells.get("source", ""), cells.get("name", ""), code
    if built := _CODE.fullmatch(source):
        code, text = built[1] or source, text or built[2]
    if source and not text and concept not in ("", "0"):
        fhir.to.concepts[held, source].add(concept)
    text = text or source or ("" if code == "0" else code)
    code = (source or text) if code == "0" else code  # OMOP names nothing but the source's code
    if cells.get("unit") and (flagged := _FLAGGED.fullmatch(value)):
        marked = flagged[2].strip("()[] ")
        if not cells["unit"].upper().startswith(marked):  # but the unit itself: "2 L", L/min
            value, flag = flagged[1], flag or marked
    visit = cells.get("visit") or (cells.get("id", "") if held == "encounter" else "")
    system = _system(held, code, cells, headers)
    quantity = {"value": cells.get("mark", "").removeprefix("=") + value, "unit": cells.get("unit")}
    row = {
        "resourceType": held, "id": visit,
        "encounter": {"reference": visit and f"urn:uuid:{visit}"},  # an id may have a stroke
        "name": {"text": text, "coding": [{"code": code, "system": system}] if code else []},
        "time": time, "abatement": stop, "status": cells.get("status", ""),
        "valueQuantity": quantity if value else None, "interpretation": flag,
    }  # fmt: skip
    if not fhir.lost(row, patient):
        fhir.entries(row, patient, Form(held, ("name",), ("time",), ("abatement",)))


def _system(kind: Kind, code: str, cells: Mapping[str, str], headers: Mapping[str, str]) -> str:
    """The system of a code: as its own column or the header of its column says, the one that
    Synthea means, or LOINC for what is built like a code of it.
    """
    if not code:
        return ""
    said = cells.get("system", "")
    said = f"icd{said}" if said in ("9", "10") else said
    plain = "".join(filter(str.isalnum, (said or headers.get("code", "")).lower()))
    known = next((system for name, system in _SYSTEMS.items() if plain.startswith(name)), said)
    if known or kind == "observation":
        return known or (LOINC if LOINC_CODE.fullmatch(code) else "")
    synthea = (headers.get("code"), headers.get("name")) == ("code", "description")
    return _SYNTHEA.get(kind, "") if synthea else ""
