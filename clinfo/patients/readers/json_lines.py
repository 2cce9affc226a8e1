"""Reads JSON: one record or FHIR resource a line, or a whole document.

A record is ``{"id", "notes": [{"date", "type", "encounter", "text"}]}``, or the same patient's
coded entries under ``encounters``, ``Condition``, ``MedicationRequest`` and ``Procedure``.
"""

import json
from typing import Any

from clinfo.errors import RecordError
from clinfo.patients.readers.coded_tables import Holds, read_row
from clinfo.patients.readers.fhir import FhirReader
from clinfo.patients.readers.fhir_fields import part, parts_of
from clinfo.patients.readers.files import MOST_LINE, Source, lines

_KINDS: dict[str, Holds] = {
    "notes": "notes",
    "Condition": "condition",
    "MedicationRequest": "medication",
    "Procedure": "procedure",
    "encounters": "encounter",
}


def read_json(source: Source, first: str, fhir: FhirReader) -> None:
    """Read a file of JSON with this first line.

    A line that cannot be read is told with its number and the rest read. Raises RecordError where
    the file is a single document and that is damaged.
    """
    if _parsed(first) is None and not {".jsonl", ".ndjson"} & set(source.suffixes):
        with source.open() as file:
            raw = file.read(MOST_LINE + 1)
        if len(raw) > MOST_LINE:
            raise RecordError(f"{source.name}: larger than {MOST_LINE // 1_000_000} MB, not read")
        whole = _parsed(raw)
        if whole is None:
            raise RecordError(f"{source.name}: not JSON that can be read")
        for one in whole if isinstance(whole, list) else [whole]:
            _read(one, source.name, fhir)
        return
    with source.open() as file:
        told = fhir.to.problem
        for number, line in lines(file, lambda line: told(f"{source.name}, {line}")):
            if line.strip():
                where = f"{source.name}, line {number}"
                if (value := _parsed(line)) is None:
                    told(f"{where}: not JSON, passed over")
                else:
                    _read(value, where, fhir)


def _parsed(text: str | bytes) -> Any:
    """The value, None where the text is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _read(value: object, where: str, fhir: FhirReader) -> None:
    if not isinstance(value, dict):
        fhir.to.problem(f"{where}: not a record, passed over")
    elif "resourceType" in value:
        fhir.read(value, where)
        if value["resourceType"] == "Bundle":
            fhir.finish()
    elif "id" in value and value.keys() & _KINDS.keys():
        _record(value, where, fhir)
    else:
        fhir.to.problem(f"{where}: neither a record nor FHIR, passed over")


def _record(row: dict[str, Any], where: str, fhir: FhirReader) -> None:
    patient = str(row["id"]).strip()
    told = [(held, one) for key, held in _KINDS.items() for one in parts_of(row, key)]
    if not patient or not told:
        lacks = "notes" if patient else "a patient's id"
        fhir.to.problem(f"{where}: a record without {lacks}, passed over")
    for held, one in told if patient else ():
        named = part(one, "type") if held == "encounter" else one
        cells = {
            "patient": patient,
            "id": one.get("id"),
            "text": one.get("text"),
            "category": held == "notes" and (one.get("type") or one.get("category")),
            "name": named.get("display"),
            "code": named.get("code"),
            "system": named.get("system"),
            "time": one.get("date") or one.get("start") or one.get("time"),
            "stop": one.get("end"),
            "status": one.get("status"),
            "visit": one.get("id")
            if held == "encounter"
            else one.get("encounter") or one.get("visit"),
        }
        read_row(held, {what: str(cell) for what, cell in cells.items() if cell}, {}, where, fhir)
