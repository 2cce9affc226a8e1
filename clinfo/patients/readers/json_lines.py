"""Reads JSON: one record or FHIR resource a line, or a whole document.

A record is ``{"id", "notes": [{"date", "type", "encounter", "text"}]}``, or the same patient's
coded entries under ``encounters``, ``Condition``, ``MedicationRequest`` and ``Procedure``.
"""

import json
from typing import Any

from clinfo.errors import RecordError
from clinfo.patients.collecting import Collection
from clinfo.patients.readers.coded_tables import entries
from clinfo.patients.readers.fhir import FhirReader
from clinfo.patients.readers.fhir_fields import part, parts_of
from clinfo.patients.readers.files import MOST_LINE, Source, lines
from clinfo.patients.records import Kind, Note

_KINDS: dict[str, Kind] = {
    "Condition": "condition",
    "MedicationRequest": "medication",
    "Procedure": "procedure",
    "encounters": "encounter",
}


def read_json(source: Source, first: str, collection: Collection, fhir: FhirReader) -> None:
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
            _read(one, source.name, collection, fhir)
        return
    with source.open() as file:
        told = collection.problem
        for number, line in lines(file, lambda line: told(f"{source.name}, {line}")):
            if line.strip():
                where = f"{source.name}, line {number}"
                if (value := _parsed(line)) is None:
                    told(f"{where}: not JSON, passed over")
                else:
                    _read(value, where, collection, fhir)


def _parsed(text: str | bytes) -> Any:
    """The value, None where the text is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _read(value: object, where: str, to: Collection, fhir: FhirReader) -> None:
    if not isinstance(value, dict):
        to.problem(f"{where}: not a record, passed over")
    elif "resourceType" in value:
        fhir.read(value, where)
        if value["resourceType"] == "Bundle":
            fhir.finish()
    elif "id" in value and value.keys() & {"notes", *_KINDS}:
        _record(value, where, to)
    else:
        to.problem(f"{where}: neither a record nor FHIR, passed over")


def _record(row: dict[str, Any], where: str, to: Collection) -> None:
    patient = str(row["id"]).strip()
    if not patient:
        to.problem(f"{where}: a record without a patient's id, passed over")
        return
    if not any(parts_of(row, key) for key in ("notes", *_KINDS)):
        to.problem(f"{where}: a record without notes, passed over")
    for note in parts_of(row, "notes"):
        to.note(
            Note(
                id=str(note.get("id") or ""),
                patient=patient,
                text=str(note.get("text") or ""),
                time=str(note.get("date") or note.get("time") or ""),
                category=str(note.get("type") or note.get("category") or ""),
                visit=str(note.get("encounter") or note.get("visit") or ""),
            ),
            where,
        )
    for key, kind in _KINDS.items():
        for one in parts_of(row, key):
            named = part(one, "type") if kind == "encounter" else one
            cells = {
                "patient": patient,
                "name": named.get("display"),
                "code": named.get("code"),
                "system": named.get("system"),
                "time": one.get("date") or one.get("start"),
                "stop": one.get("end"),
                "status": one.get("status"),
                "visit": one.get("id" if kind == "encounter" else "encounter"),
            }
            told = {what: str(cell) for what, cell in cells.items() if cell}
            for entry in entries(kind, told, {}):
                to.entry(entry)
