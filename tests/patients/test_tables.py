"""Notes of tables: MIMIC's as it is, headers of other houses, dates that can be read two ways."""

from __future__ import annotations

from pathlib import Path

import pytest

from clinfo.patients.reading import read_records
from clinfo.patients.times import iso

MIMIC = """\
ROW_ID,SUBJECT_ID,HADM_ID,CHARTDATE,CHARTTIME,STORETIME,CATEGORY,DESCRIPTION,CGID,ISERROR,TEXT
174,22532,167853,"2151-08-04",,,"Discharge summary","Report",,,"Admission Date:  [**2151-7-16**]
Discharge ""home"", with oxygen."
99,22532,167853,"2151-08-04",,,"Discharge summary","Addendum",,,"Add: start warfarin."
175,22532,167853,"2151-07-20","2151-07-20 07:30:00",,"Nursing","Report",17,,"Slept well."
176,22532,167853,"2151-07-20","2151-07-20 09:30:00",,"Nursing","Report",17,1,"Wrong patient."
177,13702,,"2118-06-14 00:00:00",,,"Echo","Report",,,"EF 35%."
"""


def test_mimic_noteevents_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "NOTEEVENTS.csv").write_text(MIMIC)
    read = read_records([tmp_path / "NOTEEVENTS.csv"])
    record = read.one("22532")
    assert [(n.id, n.time, n.category, n.visit) for n in record.notes] == [
        ("175", "2151-07-20T07:30:00", "Nursing", "167853"),
        ("174", "2151-08-04", "Discharge summary", "167853"),
        ("99", "2151-08-04", "Discharge summary", "167853"),
    ]
    assert record.notes[1].text.endswith('Discharge "home", with oxygen.')
    assert read.one("13702").notes[0].time == "2118-06-14"
    assert read.skipped == {"marked as an error": 1}
    assert read.problems == ("1 entry passed over: marked as entered in error",)


@pytest.mark.parametrize(
    "table",
    [
        "Patient ID;Encounter;Note Date;Note Type;Note Text\np;v;2020-04-03;Nursing;Slept well.\n",
        "mrn\tvisit\tdatetime\ttype\tbody\np\tv\t2020-04-03\tNursing\tSlept well.\n",
        "\ufefftext|date|patient|visit|category\nSlept well.|3 Apr 2020|p|v|Nursing\n",
    ],
)
def test_headers_of_other_houses(tmp_path: Path, table: str) -> None:
    (tmp_path / "notes.csv").write_text(table, encoding="utf-8")
    (note,) = read_records([tmp_path]).one("p").notes
    assert (note.time, note.category, note.visit, note.text) == (
        "2020-04-03",
        "Nursing",
        "v",
        "Slept well.",
    )


def test_a_date_that_can_be_read_two_ways_is_not_guessed(tmp_path: Path) -> None:
    path = tmp_path / "notes.csv"
    path.write_text("patient,date,text\np,03/04/2020,a\n")
    read = read_records([path])
    assert read.one().notes[0].time == ""
    assert len(read.problems) == 2


def test_units_and_answers_by_their_concepts(tmp_path: Path) -> None:
    """Of OMOP: https://athena.ohdsi.org has 8753, 8840, 9191; 1 is none of a unit."""
    (tmp_path / "measurement.csv").write_text(
        "person_id,measurement_source_value,value_as_number,value_as_concept_id,unit_concept_id\n"
        "7,2345-7 Glucose,5.6,,8753\n7,2345-7 Glucose,40,,8840\n7,HIV,,9191,0\n7,Na,3,,1\n"
    )
    told = {(e.text, e.loinc or e.code, e.shown, e.unit, e.polarity)
            for e in read_records([tmp_path]).one("7").entries}  # fmt: skip
    assert told == {
        ("Glucose", "2345-7", "5.6", "mmol/L", ""), ("Glucose", "2345-7", "40", "mg/dL", ""),
        ("HIV", "", "positive", "", "positive"), ("Na", "", "3", "OMOP 1", ""),
    }  # fmt: skip


def test_a_code_has_the_name_that_its_own_kind_and_system_give_it(tmp_path: Path) -> None:
    head = "icd_code,icd_version,long_title\n"
    for name, table in {
        "d_icd_diagnoses": f"{head}4582,9,Low\n0331,9,Cough\n0331,10,Other\n1,9,A\n1,9,B\n",
        "d_icd_procedures": f"{head}4582,9,Resection\n",
        "d_labitems": "itemid,label,fluid\n7,HIV RNA,Blood\n",
        "diagnoses_icd": "subject_id,icd_code,icd_version\n7,4582,9\n7,0331,9\n7,1,9\n",
        "labs": "patient,itemid,charttime,result (copies/mL)\n7,7,2020-01-01,45000\n",
        "more": "patient,test,charttime,result (venous)\n7,Na,2020-01-01,140\n",
        "problems": "code,name,status\nI10,Hypertension,active\n",
    }.items():
        (tmp_path / f"{name}.csv").write_text(table)
    read = read_records([tmp_path])
    assert {(one.code, one.text, one.unit) for one in read.one().entries} == {
        ("4582", "Low", ""), ("0331", "Cough", ""), ("1", "1", ""),
        ("7", "HIV RNA", "copies/mL"), ("", "Na", ""),
    }  # fmt: skip
    told = "\n".join(read.problems)
    assert "problems.csv: a table whose rows are not known" in told
    assert "no unit is known in the brackets of result (venous)" in told
    (tmp_path / "labs.csv").write_text("code,name\nI10,Hypertension\n")
    assert "there is no entry that has one: 1" in "".join(
        read_records([tmp_path / "labs.csv"]).problems
    )


def test_a_row_of_omop_has_the_name_of_its_concept(tmp_path: Path) -> None:
    for name, table in {
        "concept": "concept_id,concept_name,vocabulary_id\n31,Gout,SNOMED\n52,Sodium,LOINC\n",
        "condition_occurrence": "person_id,condition_concept_id,condition_source_value\n"
        "7,31,M10.9\n7,0,X1\n",
        "measurement": "person_id,measurement_concept_id,measurement_source_value,value_as_number\n"
        "7,52,NATR,140\n",
    }.items():
        (tmp_path / f"{name}.csv").write_text(table)
    read = read_records([tmp_path])
    assert {(one.text, one.code, one.also) for one in read.one().entries} == {
        ("Gout", "M10.9", ""), ("X1", "X1", ""), ("Sodium", "52", "NATR"),
    }  # fmt: skip
    assert not read.unnamed


def test_a_column_that_is_not_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("patient,test,result,date,date\n7,Na,140,2020-01-01,\n")
    (problem,) = read_records([tmp_path]).problems
    assert problem.endswith("the first is read, not date")


def test_an_open_quotation_is_told_and_loses_no_note_before_it(tmp_path: Path) -> None:
    path = tmp_path / "notes.csv"
    path.write_text('patient,date,text\np,2020-01-01,first\np,2020-01-02\np,2020-01-03,"open\n')
    read = read_records([path])
    assert [n.text.strip() for n in read.one().notes] == ["first", "open"]
    assert read.problems == ("notes.csv: 1 rows are too short",)


@pytest.mark.parametrize(
    "header",
    [
        "Patient;Datum;Analyse;Ergebnis;Einheit;Referenz",
        "Numéro patient;Date de prélèvement;Paramètre;Résultat;Unité;Normes",
        "Paciente;Fecha;Determinación;Valor;Unidad;Rango",
        "Paziente;Data prelievo;Esame;Risultato;Unità di misura;Riferimento",
        "Patiëntnummer;Afnamedatum;Bepaling;Uitslag;Eenheid;Referentie",
    ],
)
def test_tables_of_european_laboratories(header: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"{header}\nE;13.04.2023;CRP;<0,6;mg/l;<5,0\n", "utf-8")
    (one,) = read_records([tmp_path]).one("E").entries
    assert (one.text, one.start, one.comparator + one.value, one.unit) == (
        *("CRP", "2023-04-13", "<0.6", "mg/l"),
    )


@pytest.mark.parametrize(
    ("written", "time"),
    [
        ("2020", "2020"),
        ("2020-04", "2020-04"),
        ("2020-04-03", "2020-04-03"),
        ("2020-04-03 07:05", "2020-04-03T07:05"),
        ("2020-04-03T07:05:09.123-04:00", "2020-04-03T07:05:09.123-04:00"),
        ("2020-04-03 00:00:00", "2020-04-03"),
        ("20200403", "2020-04-03"),
        ("03-APR-2020", "2020-04-03"),
        ("April 3, 2020 3:04 PM", "2020-04-03T15:04:00"),
        ("3.4.2020", "2020-04-03"),
        ("4/4/2020", "2020-04-04"),
        ("13/4/2020", "2020-04-13"),
        ("3/4/2020", ""),
        ("2020-13-40", ""),
        ("2020-04-03T25:00:00", ""),
        ("yesterday", ""),
        ("", ""),
    ],
)
def test_times(written: str, time: str) -> None:
    assert iso(written) == time


CODED = {
    "conditions.csv": "START,STOP,PATIENT,ENCOUNTER,CODE,DESCRIPTION\n"
    "2001-05-01,2001-06-02,p,e1,195662009,Pharyngitis\n2010-02-03,,p,2020/0042,59621000,Hypertension\n",
    "patients.csv": "Id,BIRTHDATE,DEATHDATE,GENDER\np,1950-01-02,2022-03-04,F\n",
    "labor.csv": "Patient;Datum;Untersuchung;Wert;Einheit;Bewertung\n"
    "p;12.02.2024;Kalium;5,4;mmol/l;H\np;12.02.2024;HBs-Ag;negativ;;\n",
    "results.csv": "MRN,Collected,Test,LOINC,Result,Units\np,2024-03-05,CRP,1988-5,<0.5,mg/dL\n",
    "careplans.csv": "Id,START,PATIENT,CODE,DESCRIPTION\n1,2001-01-01,p,1,Plan\n",
}


def test_tables_of_entries_are_read_by_their_headers_and_names(tmp_path: Path) -> None:
    """Synthea's, a German laboratory's, an American one's; one of a kind that is not known."""
    for name, table in CODED.items():
        (tmp_path / name).write_text(table, "utf-8")
    read = read_records([tmp_path])
    told = {
        (one.text, one.start, one.comparator + one.value, one.unit, one.standing, one.polarity)
        for one in read.one("p").entries
    }
    assert told == {
        ("Pharyngitis", "2001-05-01", "", "", "past", ""),
        ("Hypertension", "2010-02-03", "", "", "present", ""),
        ("Birth date", "", "1950-01-02", "", "present", ""),
        ("Sex", "", "female", "", "present", ""),
        ("Deceased", "2022-03-04", "2022-03-04", "", "present", ""),
        ("Kalium", "2024-02-12", "5.4", "mmol/l", "present", ""),
        ("HBs-Ag", "2024-02-12", "negativ", "", "present", "negative"),
        ("CRP", "2024-03-05", "<0.5", "mg/dL", "present", ""),
    }
    systems = {one.code: one.system for one in read.one("p").entries}
    assert (systems["59621000"], systems["1988-5"]) == (
        "http://snomed.info/sct",
        "http://loinc.org",
    )
    assert {one.visit for one in read.one("p").entries} == {"", "e1", "2020/0042"}
    assert [one.interpretation for one in read.one("p").entries if one.text == "Kalium"] == ["H"]
    (problem,) = read.problems
    assert problem.startswith("careplans.csv: a table whose rows are not known: of its columns ")


@pytest.mark.parametrize(
    ("name", "table", "told"),
    [  # OMOP's own columns, statuses in words, numbers as the mark of the table says
        ("condition_occurrence", "person_id,condition_concept_id,condition_concept_name,"
         "condition_source_value\n7,1,Asthma,J45\n7,0,No matching concept,I21.9\n",
         [("Asthma", "J45", "", "present"), ("I21.9", "I21.9", "", "present")]),
        ("condition_occurrence", "person_id,condition_concept_id,condition_source_value,"
         "condition_source_name\n7,2,M10.9,Gout\n", [("Gout", "M10.9", "", "present")]),
        ("labs", "patient,test,result,status\n7,A,1,F\n7,B,2,P\n7,C,3,X\n7,D,4,W\n"
         "7,E,5,Cancelled - haemolysed\n",
         [("A", "", "1", "present"), ("B", "", "2", "present")]),
        ("measurement", "person_id,measurement_concept_name,operator_concept_name,value_as_number,"
         "value_as_concept_name\n7,HBsAg,,,Negative\n7,eGFR,>,90,\n7,TSH,=,2,\n",
         [("HBsAg", "", "Negative", "present"), ("TSH", "", "2", "present"),
          ("eGFR", "", ">90", "present")]),
        ("measurement", "person_id,measurement_source_value,operator_concept_id,value_as_number\n"
         "7,eGFR,4172704,60\n7,FHX,0,Mother: gout\n",
         [("eGFR", "", ">60", "present"), ("gout", "", "Mother", "family")]),
        ("labs", "patient,test,result,units\n7,PLT,\"1,024\",K/uL\n7,Hb,,g/dL\n",
         [("Hb", "", "", "present"), ("PLT", "", "1024", "present")]),
        ("labs", "patient,test,result (g/dL)\n7,Hb,7.4 L\n7,Hb,18.2 (H)\n7,Hb,6.9*\n7,Hb,\\N\n",
         [("Hb", "", "", "present"), ("Hb", "", "18.2", "present"), ("Hb", "", "6.9", "present"),
          ("Hb", "", "7.4", "present")]),
        ("labs", "patient,test,result\n7,Cr,\"0,850\"\n", [("Cr", "", "0,850", "present")]),
        ("labor", "patient;test;wert\n7;CRP;<0,500\n", [("CRP", "", "<0.500", "present")]),
        ("labor", "patient;test;wert\n7;CRP;5,4\n7;PLT;1.250\n",
         [("CRP", "", "5.4", "present"), ("PLT", "", "1250", "present")]),
        ("labor", "patient;test;wert\n7;PLT;1.250\n",
         [("PLT", "", "1.250 (thousands or decimals?)", "present")]),
        ("diagnoses", "patient,diagnosis,status\n7,Gout,Ruled out\n7,Flu,Entered in error\n",
         [("Gout", "", "Ruled out", "negated")]),
        ("drugs", "patient,drug,status\n7,Lithium,Never taken\n7,Warfarin,Discontinued\n",
         [("Lithium", "", "Never taken", "negated"), ("Warfarin", "", "Discontinued", "past")]),
        ("person", "person_id,gender_concept_name,year_of_birth,month_of_birth,birth_datetime\n"
         "7,FEMALE,1961,4,\n", [("Birth date", "21112-8", "1961-04", "present"),
                               ("Sex", "46098-0", "female", "present")]),
        ("labs", "patient,test,date,result,date.1,result.1\n7,Na,2024-05-01,140,2023-02-01,130\n",
         [("Na", "", "130", "present"), ("Na", "", "140", "present")]),
        ("diagnoses", "patient,diagnosis1,diagnosis2\n7,Gout,\n7,Flu,Asthma\n",
         [(one, "", "", "present") for one in ("Asthma", "Flu", "Gout")]),
        ("labs", "patient,test,result,test2,unit\n7,Na,140,K,mmol/L\n7,Oxygen flow,2 L,,L/min\n",
         [("K", "", "", "present"), ("Na", "", "140", "present"),
          ("Oxygen flow", "", "2", "present")]),
        ("drugs", "patient,drug,end\n7,A,0000-00-00\n7,B,9999-12-31\n7,C,03/04/23\n7,D,ongoing\n",
         [("A", "", "", "present"), ("B", "", "", "present"), ("C", "", "", "past"),
          ("D", "", "", "present")]),
        ("patients", "MRN,DOB,date of death\n7,03/15/51,N/A\n",
         [("Birth date", "21112-8", "03/15/51", "present")]),
        ("visits", "patient,end,name,discharge status\n7,2020-05-01,Ward,Expired\n",
         [("Deceased", "81956-5", "2020-05-01", "present"), ("Ward", "", "", "past")]),
        ("labs", "patient,test,result (numeric),status\n7,Na,140,\n,K,4,\n7,Cl,9,error\n",
         [("Na", "", "140", "present")]),
        ("labs", "patient,collected_dt,collection_time,test,result\n7,03-MAR-2021,17:40,Na,140\n",
         [("Na", "", "140", "present")]),
        ("death", "person_id,death_date\n7,2021-03-04\n",
         [("Deceased", "81956-5", "2021-03-04", "present")]),
    ],
)  # fmt: skip
def test_a_row_is_an_entry_as_its_columns_say(
    name: str, table: str, told: list[tuple[str, ...]], tmp_path: Path
) -> None:
    (tmp_path / f"{name}.csv").write_text(table)
    entries = read_records([tmp_path]).one().entries
    assert "numeric" not in {one.unit for one in entries}
    assert sorted((one.text, one.code, one.shown, one.standing) for one in entries) == told
