"""Reads notes and coded entries of a table: CSV, or divided by semicolons, tabs or bars, with a row
of headers.

MIMIC's NOTEEVENTS is one of them, as it is (rows marked ISERROR are skipped), and so are the tables
of Synthea.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import PurePath

from clinfo.errors import RecordError
from clinfo.patients.collecting import Collection
from clinfo.patients.readers.coded_tables import Holds, entries, holds
from clinfo.patients.readers.files import MOST_LINE, Source, lines
from clinfo.patients.records import Note
from clinfo.patients.times import first_number_is_day, iso
from clinfo.text.terms import fold

HEADERS = {
    "patient": "patient patientid subjectid subject person personid pid mrn patientnumber"
    " patientmrn medicalrecordnumber patientenid patientennummer patientennr patnr patid"
    " patientnummer numeropatient ipp paciente idpaciente nhc paziente idpaziente",
    "visit": "visit visitid hadmid admission admissionid encounter encounterid stay stayid csn"
    " visitoccurrenceid fall fallnummer fallnr",
    "moment": "charttime datetime timestamp notetime notedatetime time collected collectiontime"
    " collectiondatetime collecteddatetime specimencollected measurementdatetime starttime"
    " resultdatetime effectivedatetime conditionstartdatetime drugexposurestartdatetime"
    " proceduredatetime observationdatetime entnahmezeit entnahmezeitpunkt abnahmezeit",
    "day": "chartdate date notedate servicedate reportdate start startdate onset onsetdate"
    " collectiondate collectdate collecteddate measurementdate conditionstartdate testdate"
    " drugexposurestartdate proceduredate performeddate observationdate visitstartdate visitdate"
    " encounterdate diagnosisdate dategiven givendate administrationdate administereddate"
    " vaccinationdate immunizationdate dispensedate filldate recordeddate effectivedate"
    " dateofservice datum entnahmedatum abnahmedatum labordatum diagnosedatum resultdate orderdate"
    " befunddatum probendatum dateprelevement datedeprelevement dateduprelevement dateexamen"
    " dateresultat fecha fechamuestra fechaextraccion fecharesultado dataprelievo dataesame"
    " datareferto afnamedatum datumafname data",
    "stop": "stop stopdate stoptime end enddate ende conditionenddate drugexposureenddate"
    " visitenddate abatement resolveddate dateresolved discontinueddate",
    "birth": "birthdate birthdatetime dob dateofbirth geburtsdatum datenaissance datedenaissance"
    " fechanacimiento fechadenacimiento datanascita datadinascita geboortedatum",
    "birth year": "yearofbirth birthyear geburtsjahr",
    "birth month": "monthofbirth birthmonth",
    "birth day": "dayofbirth birthday",
    "death": "deathdate deathdatetime dod dateofdeath todesdatum",
    "sex": "gender sex geschlecht sexe sexo sesso geslacht genderconceptname"
    " gendersourcevalue genderconceptid",
    "code": "loinc loinccode loincnum snomed snomedcode snomedct icd10 icd10code icd10cm"
    " icd10cmcode icd10gm icd icdcode rxnorm rxnormcode rxcui cvx cvxcode code diagnosiscode itemid"
    " conditionconceptid drugconceptid procedureconceptid measurementconceptid"
    " observationconceptid",
    "system": "system codesystem codingsystem vocabulary vocabularyid",
    "name": "description testname test labtest labname analyte analyt parameter component"
    " componentname untersuchung bezeichnung diagnosis diagnosisname diagnosisdescription problem"
    " problemname condition conditionname diagnose medication medicationname drug drugname"
    " medikament display conceptname allergen substance procedure procedurename vaccine vaccinename"
    " immunization item conditionconceptname drugconceptname procedureconceptname"
    " measurementconceptname observationconceptname conditionsourcevalue drugsourcevalue"
    " proceduresourcevalue measurementsourcevalue observationsourcevalue analyse laborparameter"
    " messgroße messgroesse examen parametre libelle prueba analisis determinacion parametro"
    " analito esame analisi analita bepaling onderzoek name",
    "value": "value result resultvalue testresult valuenum valueasnumber valueasconceptname"
    " valueasstring valuesourcevalue wert messwert ergebnis befund"
    " resultat valeur resultado valor risultato valore esito uitslag resultaat waarde",
    "unit": "unit units einheit uom valueuom resultunit resultunits unitofmeasure unitsourcevalue"
    " unitconceptname unite unites unidad unidades unita unitadimisura eenheid",
    "mark": "comparator operator operatorconceptname operatorconceptid",
    "flag": "flag abnormalflag abnormal resultflag interpretation bewertung",
    "status": "status resultstatus clinicalstatus verificationstatus orderstatus problemstatus"
    " diagnosisstatus medicationstatus conditionstatus conditionstatusconceptname"
    " conditionstatussourcevalue",
    "category": "category notecategory type notetype doctype documenttype",
    "text": "text note notetext content body report document",
    "id": "rowid noteid id documentid docid reportid",
    "error": "iserror error enteredinerror",
}
"""Headers in lower case without marks and accents, by what they hold; the first that a row has is
taken."""
_BY_HEADER = {name: what for what, names in HEADERS.items() for name in names.split()}

_DECIMAL = re.compile(r"(?<=\d),(?=\d+$)")
_NUMBER = re.compile(r"\D{0,2}\d+([.,])\d+")
_GROUPED = re.compile(r"\D{0,2}[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})*(?:(?!\1)[.,]\d+)?")
_EMPTY = ("", "No matching concept")
_NOTHING = frozenset(("\\N", "___", "NULL", "NaN", "nan", "<NA>", "#N/A"))
"""How databases, MIMIC and spreadsheets write that there is nothing."""
_BRACKET = re.compile(r"\s*[(\[]([^()\[\]]+)[)\]]\s*$")
"""The unit behind the name of a column ("Result (mmol/L)")."""
_NO_ERROR = ("", "0", "0.0", "false", "f", "n", "no")


def columns(header: str, name: str) -> tuple[dict[str, list[int]], str, Holds]:
    """The places of each thing in a table with this line of headers, what divides its cells, and
    what its rows are: notes where it has a text and another known column.
    """
    mark = max(",;\t|", key=header.count)
    try:
        row = next(csv.reader([header], delimiter=mark), [])
    except csv.Error:
        return {}, mark, ""
    places = {_plain(_BRACKET.sub("", cell)): place for place, cell in enumerate(row)}
    places |= {_plain(cell): place for place, cell in enumerate(row)}
    found: dict[str, list[int]] = {}
    for known, what in _BY_HEADER.items():
        if known in places:
            found.setdefault(what, []).append(places[known])
    return found, mark, holds(found, name)


def _plain(header: str) -> str:
    return re.sub(r"[\W_]", "", fold(header))


def read_table(source: Source, collection: Collection) -> None:
    """Read a table; rows without patient are of one named after the file."""
    with source.open() as file:
        header = next((line for _, line in lines(file, lambda _: None) if line.strip()), "")
    stem = PurePath(source.name.rpartition(": ")[2]).name.partition(".")[0]
    where, mark, held = columns(header, stem)
    if not held:
        raise RecordError(f"{source.name}: its first line names no column of notes")
    unnamed = f"{source.folder}/{stem}"
    titles = next(csv.reader([header], delimiter=mark))
    day_first, decimals = _habits(source, where, mark)
    text_at = where.get("text", [-1])[0]
    unread = short = doubtful = 0
    for number, row in _rows(source, mark, collection):
        if len(row) <= text_at or (held != "notes" and len(row) < len(where)):
            short += 1
            continue
        plain = ["" if cell.strip() in _NOTHING else cell.strip() for cell in row]
        full = {
            what: next((at for at in some if {*plain[at : at + 1]} - {*_EMPTY}), some[0])
            for what, some in where.items()
        }
        cells = {what: plain[at] for what, at in full.items() if at < len(row)}
        headers = {what: _plain(titles[at]) for what, at in full.items()}
        if cells.get("error", "").lower() not in _NO_ERROR:
            collection.skipped["marked as an error"] += 1
            continue
        written = cells.get("moment") or cells.get("day", "")
        time = iso(written, day_first)
        if written and not time and cells.get("day"):
            time = iso(cells["day"], day_first)
        unread += bool(written) and not time
        if held != "notes":
            value = cells.get("value", "")
            if value and (unit := _BRACKET.search(titles[full["value"]])):
                cells["unit"] = cells.get("unit") or unit[1]
            cells["value"] = _pointed(value, mark, decimals)
            if value and not cells["value"]:
                cells["value"] = f"{value} (thousands or decimals?)"
                doubtful += 1
            if not cells.get("birth"):
                parts = [cells.get(f"birth {one}", "").zfill(2) for one in ("year", "month", "day")]
                cells["birth"] = "-".join(takewhile(lambda one: one != "00", parts))
            days = {
                what: iso(cells.get(what, ""), day_first) for what in ("stop", "birth", "death")
            }
            cells["patient"] = cells.get("patient") or (
                cells.get("id", "") if held == "patients" else collection.unnamed_patient(unnamed)
            )
            for entry in entries(held, {**cells, **days, "time": time}, headers):
                collection.entry(entry)
            continue
        note = Note(
            id=cells.get("id", ""),
            patient=cells.get("patient") or collection.unnamed_patient(unnamed),
            text=row[text_at],
            time=time,
            category=cells.get("category", ""),
            visit=cells.get("visit", "").removesuffix(".0"),
        )
        collection.note(note, f"{source.name}, line {number}")
    if short:
        collection.problem(f"{source.name}: {short} rows are too short")
    if doubtful:
        collection.problem(
            f"{source.name}: {doubtful} values can be thousands or decimals; not read"
        )
    if unread:
        collection.problem(
            f"{source.name}: {unread} dates could not be read for sure; write them as 2020-04-03"
        )


def _rows(source: Source, mark: str, collection: Collection) -> Iterator[tuple[int, list[str]]]:
    """The rows after the headers, with the numbers of the lines on which they end."""
    csv.field_size_limit(max(csv.field_size_limit(), MOST_LINE))
    with source.open() as file:
        told = collection.problem
        text = lines(file, lambda line: told(f"{source.name}, {line}"))
        before = next((number for number, line in text if line.strip()), 0)
        reader = csv.reader((line for _, line in text), delimiter=mark)
        try:
            for row in reader:
                if row:
                    yield before + reader.line_num, row
        except csv.Error as error:
            told(f"{source.name}, line {before + reader.line_num}: {error}; not read on")


def _habits(
    source: Source, where: dict[str, list[int]], mark: str
) -> tuple[bool | None, frozenset[str]]:
    """Return whether the table writes 13/04/2020, by its own dates (None where none shows it or
    they differ), and the signs that its values have before decimals.
    """
    at = [at for what in ("moment", "day", "stop", "birth") for at in where.get(what, ())]
    shown: set[bool] = set()
    signs: set[str] = set()
    for _, row in _rows(source, mark, Collection()):
        for place in at:
            order = first_number_is_day(row[place]) if place < len(row) else None
            if order is not None:
                shown.add(order)
        values = [row[place].strip() for place in where.get("value", ()) if place < len(row)]
        numbers = [_NUMBER.fullmatch(one) for one in values if not _GROUPED.fullmatch(one)]
        signs |= {one[1] for one in numbers if one}
    return shown.pop() if len(shown) == 1 else None, frozenset(signs)


def _pointed(value: str, mark: str, decimals: frozenset[str]) -> str:
    """A value with a point before its decimals and nothing between thousands, as the table's other
    values write them; "" where "1.250" can be either.
    """
    if found := _GROUPED.fullmatch(value):
        sign, other = found[1], "," if found[1] == "." else "."
        sure = value.count(sign) > 1 or other in value or decimals == {other}
        if sure or (sign == mark and decimals != {sign}):
            value = value.replace(sign, "")
        elif sign == "." and mark == ";" and decimals != {sign}:
            return ""
    return _DECIMAL.sub(".", value) if mark == ";" else value
