"""Reads notes and coded entries of a table: CSV, or divided by semicolons, tabs or bars, with a row
of headers.

MIMIC's NOTEEVENTS is one of them, as it is (rows marked ISERROR are skipped), and so are the tables
of Synthea.
"""

import csv
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import takewhile
from pathlib import PurePath
from string import digits

from clinfo.patients.collecting import Collection
from clinfo.patients.quantities import is_unit
from clinfo.patients.readers.coded_tables import Holds, holds, read_row
from clinfo.patients.readers.fhir import FhirReader
from clinfo.patients.readers.files import MOST_LINE, Source, lines
from clinfo.patients.times import day_span, first_number_is_day, iso, real
from clinfo.text.terms import fold

HEADERS = {
    "patient": "patient patientid subjectid subject person personid pid mrn patientnumber"
    " patientmrn medicalrecordnumber patientenid patientennummer patientennr patnr patid"
    " patientnummer numeropatient ipp paciente idpaciente nhc paziente idpaziente",
    "visit": "visit visitid hadmid admission admissionid encounter encounterid stay stayid csn"
    " visitoccurrenceid fall fallnummer fallnr",
    "moment": "charttime datetime timestamp notetime notedatetime time collected collectiontime"
    " collectiondatetime collecteddatetime specimencollected measurementdatetime starttime"
    " admittime resultdatetime effectivedatetime conditionstartdatetime drugexposurestartdatetime"
    " proceduredatetime observationdatetime entnahmezeit entnahmezeitpunkt abnahmezeit",
    "day": "chartdate date notedate servicedate reportdate start startdate onset onsetdate"
    " collectiondate collectdate collecteddate measurementdate conditionstartdate testdate"
    " drugerastartdate conditionerastartdate drugexposurestartdate proceduredate"
    " performeddate observationdate visitstartdate visitdate encounterdate diagnosisdate"
    " dategiven givendate administrationdate administereddate vaccinationdate"
    " immunizationdate dispensedate filldate recordeddate effectivedate dateofservice"
    " datum entnahmedatum abnahmedatum labordatum diagnosedatum resultdate orderdate"
    " befunddatum probendatum dateprelevement datedeprelevement dateduprelevement"
    " dateexamen dateresultat fecha fechamuestra fechaextraccion fecharesultado"
    " dataprelievo dataesame datareferto afnamedatum datumafname data",
    "stop": "stop stopdate stoptime dischtime end enddate ende conditionenddate drugexposureenddate"
    " visitenddate drugeraenddate conditioneraenddate abatement resolveddate"
    " dateresolved discontinueddate",
    "birth": "birthdate birthdatetime dob dateofbirth geburtsdatum datenaissance datedenaissance"
    " fechanacimiento fechadenacimiento datanascita datadinascita geboortedatum",
    "birth year": "yearofbirth birthyear geburtsjahr",
    "birth month": "monthofbirth birthmonth",
    "birth day": "dayofbirth birthday",
    "death": "deathdate deathdatetime deathtime dod dateofdeath todesdatum",
    "left": "dischargedisposition dischargelocation dischargestatus dischargedto",
    "sex": "gender sex geschlecht sexe sexo sesso geslacht genderconceptname"
    " gendersourcevalue genderconceptid",
    "code": "loinc loinccode loincnum snomed snomedcode snomedct icd10 icd10code icd10cm"
    " icd10cmcode icd10gm icd icdcode rxnorm rxnormcode rxcui cvx cvxcode code diagnosiscode itemid"
    " conditionconceptid drugconceptid procedureconceptid measurementconceptid"
    " observationconceptid conceptid labloinc",
    "system": "system codesystem codingsystem vocabulary vocabularyid icdversion",
    "name": "description testname test labtest labname analyte analyt parameter component"
    " componentname untersuchung bezeichnung diagnosis diagnosisname diagnosisdescription problem"
    " problemname condition conditionname diagnose medication medicationname drug drugname"
    " medikament display conceptname allergen substance procedure procedurename vaccine vaccinename"
    " immunization item conditionconceptname drugconceptname procedureconceptname"
    " measurementconceptname observationconceptname conditionsourcename drugsourcename"
    " proceduresourcename measurementsourcename observationsourcename analyse laborparameter"
    " messgroße messgroesse examen parametre libelle prueba analisis determinacion parametro"
    " analito esame analisi analita bepaling onderzoek label longtitle rawlabname name",
    "source": "conditionsourcevalue drugsourcevalue proceduresourcevalue measurementsourcevalue"
    " observationsourcevalue",
    "specimen": "fluid",
    "value": "value result resultnum resultvalue testresult valuenum valueasnumber"
    " valueasconceptname"
    " valueasstring valuesourcevalue valueasconceptid wert messwert ergebnis befund"
    " resultat valeur resultado valor risultato valore esito uitslag resultaat waarde",
    "unit": "unit units einheit uom valueuom resultunit resultunits unitofmeasure unitsourcevalue"
    " unitconceptname unitconceptid unite unites unidad unidades unita unitadimisura eenheid",
    "mark": "comparator operator operatorconceptname operatorconceptid resultmodifier",
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
_DAYS = ("datetime", "dttm", "dtm", "dts", "dt")
"""Ends of headers of days, as others end in "date"."""
_SAID = ("code", "name", "source", "value", "text")
"""What a row may hold several times, each with the columns that stand there as often."""
Places = list[dict[str, list[int]]]

_DECIMAL = re.compile(r"(?<=\d),(?=\d+$)")
_NUMBER = re.compile(r"\D{0,2}\d+([.,])\d+")
_GROUPED = re.compile(r"\D{0,2}[1-9]\d{0,2}(?:([.,])\d{3})(?:\1\d{3})*(?:(?!\1)[.,]\d+)?")
_NOTHING = frozenset(("\\N", "___", "NULL", "NaN", "nan", "<NA>", "#N/A", "No matching concept"))
"""How databases, OMOP, MIMIC and spreadsheets write that there is nothing."""
_BRACKET = re.compile(r"\s*[(\[]([^()\[\]]+)[)\]]\s*$")
"""The unit behind the name of a column ("Result (mmol/L)")."""
_NO_ERROR = ("", "0", "0.0", "false", "f", "n", "no")


def columns(header: str, name: str) -> tuple[Places, str, Holds]:
    """The places of each thing in a table with this line of headers, once for each time that its
    rows hold them ("Date, Result, Date 2, Result 2"), what divides its cells, and what its rows
    are: notes where it has a text and another known column.
    """
    mark = max(",;\t|", key=header.count)
    try:
        row = next(csv.reader([header], delimiter=mark), [])
    except csv.Error:
        return [{}], mark, ""
    places = defaultdict[str, list[int]](list)
    for place, cell in enumerate(row):
        places[_known(cell)].append(place)
    known = [(what, places[one]) for one, what in _BY_HEADER.items() if one in places]
    often = max((len(own) for what, own in known if what in _SAID), default=1)
    found: Places = [{} for _ in range(often)]
    for what, own in known:
        for number, one in enumerate(found):
            once = own if number == 0 or what not in ("value", "text") else []  # of the first alone
            if here := own[number : number + 1] if own[1:] else once:
                one.setdefault(what, []).extend(here)
    return found, mark, holds(found[0], name)


def _known(header: str) -> str:
    """A header as it is known here, without a unit and the number of a column that stands several
    times; "" where it is not.
    """
    bare = _BRACKET.sub("", header).strip()
    forms = [_plain(one) for one in (header, bare, bare.rstrip(digits))]
    forms += [f"{one.removesuffix(end)}date" for one in forms for end in _DAYS if one.endswith(end)]
    known = next((plain for plain in forms if plain in _BY_HEADER), "")
    clock = forms[0].endswith("time") and f"{forms[0][:-4]}date" in _BY_HEADER
    return known or ("time" if clock else "")


def _unit(header: str) -> str:
    """The unit behind a header, "" where other words stand there ("numeric"), or none."""
    said = found[1] if (found := _BRACKET.search(header)) else ""
    return said if is_unit(said) or is_unit(said.rpartition("/")[2]) else ""  # copies/mL


def _plain(header: str) -> str:
    return "".join(filter(str.isalnum, fold(header)))


def read_table(source: Source, header: str, fhir: FhirReader) -> None:
    """Read a table with a line of headers; rows without patient are of one named after the file."""
    collection = fhir.to
    stem = PurePath(source.name.rpartition(": ")[2]).name.partition(".")[0]
    where, mark, held = columns(header, stem)
    unnamed = f"{source.folder}/{stem}"
    titles = next(csv.reader([header], delimiter=mark))
    used = {at for one in where for some in one.values() for at in some}
    for at, one in enumerate(titles):
        if _known(one) and at not in used:
            collection.problem(f"{source.name}: of columns of a name the first is read, not {one}")
        if _BRACKET.search(one) and _BY_HEADER.get(_known(one)) == "value" and not _unit(one):
            collection.problem(f"{source.name}: no unit is known in the brackets of {one}")
    dated = not {"moment", "day", "birth", "birth year", "death"}.isdisjoint(where[0])
    left = ", ".join(one for one in titles if not _known(one))
    if left and not dated and held != "names":
        collection.problem(f"{source.name}: no column is known for a day (not read: {left})")
    day_first, decimals = _habits(source, titles, where, mark)
    least = max((one["text"][0] for one in where if "text" in one), default=len(where[0]) - 1)
    odd = f"{source.name}: {{}}"

    def day(*written: str) -> str:
        """The first of several times that can be read; of none the first as it is written."""
        found = next(filter(None, (iso(one, day_first) for one in written)), "")
        said = next((one for one in written if not set(digits[1:]).isdisjoint(one)), "")
        doubt = f"{odd} dates could not be read for sure; write them as 2020-04-03"
        collection.counted[doubt] += not found and said != ""
        return real(found or said)

    for number, row in _rows(source, mark, collection):
        collection.counted[f"{odd} rows are too short"] += len(row) <= least
        for cells, headers in _held(row, titles, where) if len(row) > least else ():
            if cells.get("error", "").lower() not in _NO_ERROR:
                collection.skipped["marked as an error"] += 1
                continue
            moment, whole = cells.get("moment", ""), cells.get("day", "")
            time = day(moment, f"{whole} {moment}" if moment else "", whole)
            time = time if day_span(time) else ""
            who = cells.get("patient") or (held == "patients" and cells.get("id"))
            if not who and any(cells.values()) and "patient" in where[0]:
                collection.skipped["of no patient"] += 1
                continue
            whose = "" if who or held == "names" else collection.unnamed_patient(unnamed)
            cells["patient"] = who or whose
            cells["visit"] = cells.get("visit", "").removesuffix(".0")
            value = cells.get("value", "")
            cells["value"] = _pointed(value, mark, decimals)
            if value and not cells["value"]:
                cells["value"] = f"{value} (thousands or decimals?)"
                collection.counted[f"{odd} values can be thousands or decimals; not read"] += 1
            if not cells.get("birth"):
                parts = [cells.get(f"birth {one}", "").zfill(2) for one in ("year", "month", "day")]
                cells["birth"] = "-".join(takewhile(lambda one: one != "00", parts))
            days = {what: day(cells.get(what, "")) for what in ("stop", "birth", "death")}
            place = f"{source.name}, line {number}"
            read_row(held, {**cells, **days, "time": time, "table": stem}, headers, place, fhir)


def _held(
    row: Sequence[str], titles: Sequence[str], where: Places
) -> Iterator[tuple[dict[str, str], dict[str, str]]]:
    """The cells of a row by what they are, with the headers of their columns; once for each time
    that the row holds them.
    """
    plain = ["" if cell.strip() in _NOTHING else cell.strip() for cell in row]
    for one in where:
        full = {
            what: next((at for at in some if any(plain[at : at + 1])), some[0])
            for what, some in one.items()
        }
        reached = {what: at for what, at in full.items() if at < len(row)}
        cells = {what: (row if what == "text" else plain)[at] for what, at in reached.items()}
        if cells.get("value"):
            cells["unit"] = cells.get("unit") or _unit(titles[full["value"]])
        if one is where[0] or any(cells.get(what) for what in one if one[what] != where[0][what]):
            yield cells, {what: _plain(titles[at]) for what, at in full.items()}


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
    source: Source, titles: Sequence[str], where: Places, mark: str
) -> tuple[bool | None, frozenset[str]]:
    """Return whether the table writes 13/04/2020, by its own dates (None where none shows it or
    they differ), and the signs that its values have before decimals.
    """
    shown: set[bool | None] = set()
    signs: set[str] = set()
    for _, row in _rows(source, mark, Collection()):
        for cells, _ in _held(row, titles, where):
            days = (cells.get(what, "") for what in ("moment", "day", "stop", "birth"))
            shown.update(map(first_number_is_day, days))
            value = cells.get("value", "")
            if (found := _NUMBER.fullmatch(value)) and not _GROUPED.fullmatch(value):
                signs.add(found[1])
    shown.discard(None)
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
