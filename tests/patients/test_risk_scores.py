"""Risk scores: every item evidenced or missing, and a range where one is."""

from __future__ import annotations

from datetime import date

import pytest

from clinfo.errors import UsageError
from clinfo.patients.recognisers import reader
from clinfo.patients.records import CodedEntry, Note, Record
from clinfo.patients.risk_scores import Item, Score, names, score

READ = reader()
WHOLE = (
    "The patient is a 76-year-old female with atrial fibrillation. She has hypertension and a "
    "history of stroke. No history of diabetes or heart failure. Denies myocardial infarction."
)


def scored(name: str, *texts: str, entries: tuple[CodedEntry, ...] = ()) -> Score:
    notes = tuple(Note(f"n{at}", "p", text, f"202{at}-03-01") for at, text in enumerate(texts))
    record = Record("p", notes, entries)
    mentions = {note.id: READ(note.text) for note in notes}
    found = score(name, record, mentions, READ, date(2025, 3, 1))
    by_id = {note.id: note.text for note in notes}
    for item in found.items:
        for place in item.places:
            assert not place.note or by_id[place.note][place.start : place.end] == place.quote
    return found


def item(found: Score, begins: str) -> Item:
    return next(each for each in found.items if each.name.startswith(begins))


def test_a_record_that_settles_every_item_gives_one_number() -> None:
    found = scored("CHA2DS2-VASc", WHOLE)
    assert [(each.state, each.least, each.most) for each in found.items] == [
        ("absent", 0, 0),
        ("present", 1, 1),
        ("present", 2, 2),
        ("absent", 0, 0),
        ("present", 2, 2),
        ("absent", 0, 0),
        ("present", 1, 1),
    ]
    assert (found.least, found.most, found.open, str(found)) == (6, 6, (), "CHA2DS2-VASc 6")


def test_a_missing_item_leaves_a_range_and_is_named() -> None:
    found = scored("CHA2DS2-VASc", "A 76-year-old man with hypertension.")
    assert (found.least, found.most) == (3, 8)
    assert [each.state for each in found.items].count("not documented") == 4
    assert str(found).startswith("CHA2DS2-VASc at least 3, at most 8 (not settled: Congestive")


def test_an_empty_record_has_all_items_missing() -> None:
    found = scored("CHA2DS2-VASc")
    assert (found.least, found.most, len(found.open)) == (0, 9, 7)


def test_a_relatives_disease_gives_no_point() -> None:
    found = scored("CHA2DS2-VASc", "Her mother had a stroke, diabetes and hypertension.")
    assert (found.least, item(found, "Stroke").state) == (0, "not documented")


def test_what_is_only_suspected_leaves_a_range() -> None:
    stroke = item(scored("CHA2DS2-VASc", "Possible stroke."), "Stroke")
    assert (stroke.state, stroke.least, stroke.most) == ("uncertain", 0, 2)


def test_a_denial_of_the_past_contradicts_and_both_notes_are_shown() -> None:
    found = item(scored("CHA2DS2-VASc", "Acute stroke.", "No history of stroke."), "Stroke")
    assert (found.state, found.least, found.most) == ("contradicted", 0, 2)
    assert [place.note for place in found.places] == ["n1", "n0"]
    today = item(scored("CHA2DS2-VASc", "Acute stroke.", "CT: no new stroke today."), "Stroke")
    assert (today.state, today.least) == ("present", 2)


@pytest.mark.parametrize(
    ("age", "least", "most"), [(58, 0, 0), (59, 0, 1), (60, 1, 1), (69, 1, 2), (70, 2, 2)]
)
def test_age_is_counted_on_to_the_day_within_a_year(age: int, least: int, most: int) -> None:
    found = item(scored("CHA2DS2-VASc", f"This is a {age}-year-old woman."), "Age")
    assert (found.least, found.most) == (least, most)


def test_coded_entries_are_evidence() -> None:
    entry = CodedEntry("p", "condition", "Diabetes mellitus type 2 (disorder)", start="2001-01-01")
    found = item(scored("CHA2DS2-VASc", entries=(entry,)), "Diabetes")
    assert (found.state, found.places[0].day, found.places[0].quote) == (
        "present",
        "2001-01-01",
        entry.text,
    )


def test_what_comes_after_the_day_is_not_known_yet() -> None:
    entry = CodedEntry("p", "condition", "Diabetes", start="2026-01-01")
    found = item(scored("CHA2DS2-VASc", entries=(entry,)), "Diabetes")
    assert found.state == "not documented"


def test_medicines_in_use_and_the_newest_value_count() -> None:
    found = scored("HAS-BLED", "BP 172/90. Started on aspirin 81 mg.", "BP 130/80.")
    assert item(found, "Antiplatelet").state == "present"
    pressure = item(found, "Uncontrolled")
    assert (pressure.state, pressure.places[0].quote) == ("absent", "BP 130/80")
    stopped = scored("HAS-BLED", "Started on aspirin 81 mg.", "Aspirin was stopped.")
    assert item(stopped, "Antiplatelet").state == "absent"


def test_an_unknown_score_is_refused() -> None:
    assert names() == ("CHA2DS2-VASc", "HAS-BLED")
    with pytest.raises(UsageError):
        scored("MELD")


def test_every_concept_of_the_tables_is_a_heading() -> None:
    from clinfo.patients.risk_scores import _table
    from clinfo.terms.packaged import PackagedTable

    mesh = PackagedTable()
    concepts = [
        each
        for told in _table().values()
        for row in told["items"]
        for each in [*row.get("concepts", ()), *row.get("medicines", ())]
    ]
    assert [
        each
        for each in concepts
        if (found := mesh.match_exactly(each)) is None or found.heading != each
    ] == []


def condition(text: str, status: str = "active") -> CodedEntry:
    return CodedEntry("p", "condition", text, start="2019-01-01", value=status)


@pytest.mark.parametrize(
    ("entry", "name", "state"),
    [
        (condition("Diabetes mellitus", "refuted"), "Diabetes", "not documented"),
        (condition("Diabetes mellitus", "unconfirmed"), "Diabetes", "uncertain"),
        (condition("Family history of stroke"), "Stroke", "not documented"),
        (condition("No history of diabetes mellitus"), "Diabetes", "absent"),
        (condition("Suspected heart failure"), "Congestive", "uncertain"),
        (condition("History of stroke", "resolved"), "Stroke", "present"),
    ],
)
def test_a_coded_entry_counts_by_its_status_and_words(
    entry: CodedEntry, name: str, state: str
) -> None:
    assert item(scored("CHA2DS2-VASc", entries=(entry,)), name).state == state


def test_an_operation_that_was_not_done_gives_no_point() -> None:
    entry = CodedEntry("p", "procedure", "Renal dialysis", start="2019-02-02", value="not-done")
    assert item(scored("HAS-BLED", entries=(entry,)), "Abnormal renal").state == "not documented"


def test_the_age_is_not_that_of_a_relative() -> None:
    text = "Lives with her 82-year-old mother, who brought the patient in."
    assert item(scored("CHA2DS2-VASc", text), "Age").state == "not documented"
    later = "The patient is a 50-year-old woman. Her husband, an 85-year-old man, is ill."
    found = scored("CHA2DS2-VASc", later)
    assert (item(found, "Age").state, item(found, "Female").state) == ("absent", "present")


@pytest.mark.parametrize(
    "text", ["78F with AF.", "78 y.o. female with AF.", "A 78-yr-old lady.", "78 yo F, AF."]
)
def test_short_forms_of_age_and_sex(text: str) -> None:
    found = scored("CHA2DS2-VASc", text)
    assert (item(found, "Age").least, item(found, "Female").state) == (2, "present")


@pytest.mark.parametrize("text", ["Temp 98F with chills.", "Walked 50m with a stick.", "78f with"])
def test_a_temperature_or_distance_is_no_age(text: str) -> None:
    found = scored("CHA2DS2-VASc", text)
    assert {item(found, "Age").state, item(found, "Female").state} == {"not documented"}


def test_birth_date_and_sex_of_the_patient_come_first() -> None:
    def coded(code: str, value: str) -> CodedEntry:
        return CodedEntry("p", "observation", "x", code, "http://loinc.org", value=value)

    entries = (coded("21112-8", "1950-04-01"), coded("46098-0", "female"))
    found = scored("CHA2DS2-VASc", "An 80-year-old man.", entries=entries)
    assert (item(found, "Age").least, item(found, "Age").most) == (1, 1)
    assert item(found, "Female").state == "present"


def test_of_a_coded_pressure_the_systolic_counts() -> None:
    def coded(text: str, code: str, value: str) -> CodedEntry:
        return CodedEntry("p", "observation", text, code, start="2020-01-01", value=value)

    entries = (
        coded("Systolic blood pressure", "8480-6", "190"),
        coded("Diastolic blood pressure", "8462-4", "100"),
        coded("Blood pressure", "85354-9", "normal"),
    )
    assert item(scored("HAS-BLED", entries=entries), "Uncontrolled").state == "present"
    assert item(scored("HAS-BLED", entries=entries[1:]), "Uncontrolled").state == "not documented"


@pytest.mark.parametrize("text", ["No family history of stroke.", "Family History: no stroke."])
def test_what_the_family_has_not_says_nothing_of_the_patient(text: str) -> None:
    assert item(scored("CHA2DS2-VASc", text), "Stroke").state == "not documented"


def test_what_items_are_named_after_is_found() -> None:
    found = scored("CHA2DS2-VASc", "The patient has LV dysfunction and aortic plaque.")
    assert [item(found, name).state for name in ("Congestive", "Vascular")] == ["present"] * 2
    liver = item(scored("HAS-BLED", "The patient has cirrhosis."), "Abnormal liver")
    assert liver.state == "present"


@pytest.mark.parametrize(
    ("text", "state"),
    [
        ("Admitted with melena.", "present"),
        ("Epistaxis yesterday.", "uncertain"),
        ("Denies melena.", "uncertain"),
        ("No history of bleeding.", "absent"),
    ],
)
def test_a_kind_of_bleeding_that_is_denied_does_not_settle_bleeding(text: str, state: str) -> None:
    assert item(scored("HAS-BLED", text), "Bleeding").state == state


def test_a_medicine_that_a_list_leaves_out_or_a_plan_orders_may_be_in_use() -> None:
    lists = ("MEDICATIONS\naspirin 81 mg\n", "MEDICATIONS\nmetformin 500 mg\n")
    assert item(scored("HAS-BLED", *lists), "Antiplatelet").state == "uncertain"
    assert item(scored("HAS-BLED", "Start naproxen."), "Antiplatelet").state == "uncertain"
