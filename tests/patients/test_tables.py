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
    assert read.problems == ()


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


def test_an_open_quotation_is_told_and_loses_no_note_before_it(tmp_path: Path) -> None:
    path = tmp_path / "notes.csv"
    path.write_text('patient,date,text\np,2020-01-01,first\np,2020-01-02\np,2020-01-03,"open\n')
    read = read_records([path])
    assert [n.text.strip() for n in read.one().notes] == ["first", "open"]
    assert read.problems == ("notes.csv: 1 rows are too short to hold a text",)


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
