"""Reads patients' records from files, folders and archives, each by what it holds."""

from collections.abc import Iterable
from pathlib import Path

from clinfo.errors import RecordError
from clinfo.files import file_errors
from clinfo.patients.collecting import Collection, Records
from clinfo.patients.readers.fhir import FhirReader
from clinfo.patients.readers.fhir_xml import read_xml
from clinfo.patients.readers.files import Source, lines, sources
from clinfo.patients.readers.json_lines import read_json
from clinfo.patients.readers.plain import read_plain_note
from clinfo.patients.readers.tables import columns, read_table

_TEXTS = frozenset((".txt", ".text", ".md", ".note"))


def read_records(paths: Iterable[str | Path], patient: str = "", unnamed_as: str = "") -> Records:
    """The records in files and folders; with ``patient``, only that patient's are kept in memory.
    What names nobody is of ``unnamed_as`` ("": of one called after where it lies).

    What cannot be read is among the problems. Raises UsageError where a path is not there.
    """
    collection = Collection(only=patient, unnamed_as=unnamed_as)
    fhir = FhirReader(collection)
    for path in map(Path, paths):
        with file_errors(f"cannot read {path}"):
            path.stat()
        for source in sources(path, path if path.is_dir() else None):
            try:
                _read(source, collection, fhir)
            except OSError as error:
                collection.problem(f"{source.name}: cannot be read ({error.strerror or error})")
            except RecordError as error:
                named = "" if source.name in str(error) else f"{source.name}, "
                collection.problem(f"{named}{error}")
    fhir.finish()
    return collection.records()


def _read(source: Source, collection: Collection, fhir: FhirReader) -> None:
    with source.open() as file:
        first = next((line for _, line in lines(file, lambda _: None) if line.strip()), "").lstrip()
    kinds = set(source.suffixes[-1:])
    if not kinds & _TEXTS and first.startswith(("{", "[")):
        read_json(source, first, fhir)
    elif not kinds & _TEXTS and columns(first, source.name)[2]:
        read_table(source, first, fhir)
    elif first.startswith("<"):
        fhir.read(read_xml(source), source.name)
        fhir.finish()
    elif kinds & _TEXTS or not kinds:
        read_plain_note(source, collection)
    else:
        if known := columns(first, source.name)[0][0]:
            raise RecordError(
                f"{source.name}: a table whose rows are not known: of its columns"
                f" {', '.join(known)} are; results need patient, name or code, value; notes text"
            )
        form = "HL7 v2 messages" if first.startswith(("MSH|", "FHS|", "BHS|")) else "such files"
        raise RecordError(
            f"{source.name}: {form} are not read: FHIR (JSON, NDJSON, XML), tables and texts are"
        )
