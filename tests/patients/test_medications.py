"""The medicines of a record over time."""

from __future__ import annotations

import pytest

from clinfo.patients.medications import medication_timeline
from clinfo.patients.recognisers import reader
from clinfo.patients.records import CodedEntry, Note, Record

READ = reader()


def timeline(*texts: str, entries: tuple[CodedEntry, ...] = ()) -> list[tuple[str, str, str, str]]:
    notes = tuple(
        Note(f"n{number}", "p", text, f"202{number}-01-01") for number, text in enumerate(texts)
    )
    record = Record("p", notes, entries)
    found = medication_timeline(record, {note.id: READ(note.text) for note in notes}, READ)
    by_id = {note.id: note for note in notes}
    for each in found:
        if each.note:
            assert by_id[each.note].text[each.start : each.end] == each.quote
    return [(each.day, each.drug, each.change, each.dose) for each in found]


@pytest.mark.parametrize(
    ("text", "drug", "change", "dose"),
    [
        ("She was started on lisinopril 10 mg daily.", "Lisinopril", "started", "10 mg"),
        ("Initiate meloxicam 15 mg once daily.", "Meloxicam", "planned", "15 mg"),
        ("Start metformin 500 mg if HbA1c stays high.", "Metformin", "planned", "500 mg"),
        ("Metformin was discontinued.", "Metformin", "stopped", ""),
        ("We stopped her warfarin.", "Warfarin", "stopped", ""),
        ("Increase metformin to 1000 mg twice daily.", "Metformin", "planned change", "1000 mg"),
        ("He will discontinue the use of Norvasc.", "Amlodipine", "planned stop", ""),
        ("She has stopped taking Prilosec altogether.", "Omeprazole", "stopped", ""),
        ("Lasix has been reduced to 20 mg.", "Furosemide", "changed", "20 mg"),
        ("He is no longer taking aspirin.", "Aspirin", "stopped", ""),
    ],
)
def test_what_a_sentence_says_is_done(text: str, drug: str, change: str, dose: str) -> None:
    assert timeline(text) == [("2020-01-01", drug, change, dose)]


@pytest.mark.parametrize(
    "text",
    [
        "We discussed starting warfarin.",
        "She was not started on warfarin.",
        "Continue warfarin 5 mg.",
        "Her mother was started on warfarin.",
        "ALLERGIES: warfarin, started 2010.",
        "If fever comes, start ibuprofen.",
        "An increase in her Prozac dose might help.",
    ],
)
def test_what_is_not_done_is_no_event(text: str) -> None:
    assert timeline(text) == []


def test_lists_tell_what_began_changed_and_ended() -> None:
    assert timeline(
        "# Medications\nlisinopril 10 mg oral tablet; errin 28 day pack\n\n# Plan\nRest.",
        "# Medications\nlisinopril 20 mg oral tablet\n\n# Plan\nRest.",
        "# Plan\nNothing on drugs.",
        "# Medications\nNo Active Medications.\n",
    ) == [
        ("2020-01-01", "Lisinopril", "started", "10 mg"),
        ("2020-01-01", "Norethindrone", "started", ""),
        ("2021-01-01", "Lisinopril", "changed", "20 mg"),
        ("2021-01-01", "Norethindrone", "stopped", ""),
        ("2023-01-01", "Lisinopril", "stopped", "20 mg"),
    ]


def test_a_list_under_a_line_that_says_what_is_done() -> None:
    text = "The patient was prescribed the following medications:\n- amoxicillin 250 mg\n- aspirin"
    assert timeline(text) == [
        ("2020-01-01", "Amoxicillin", "started", "250 mg"),
        ("2020-01-01", "Aspirin", "started", ""),
    ]


def test_coded_prescriptions_begin_and_end() -> None:
    entry = CodedEntry(
        "p", "medication", "Simvastatin 20 MG", start="2019-02-03T10:00:00Z", end="2019-08-01"
    )
    assert timeline(entries=(entry,)) == [
        ("2019-02-03", "Simvastatin", "started", "20 MG"),
        ("2019-08-01", "Simvastatin", "stopped", "20 MG"),
    ]


def test_what_is_prescribed_again_unchanged_is_no_event() -> None:
    assert timeline(
        "Prescribed aspirin 81 mg.", "Prescribed aspirin 81 mg.", "Prescribed aspirin 325 mg."
    ) == [
        ("2020-01-01", "Aspirin", "started", "81 mg"),
        ("2022-01-01", "Aspirin", "changed", "325 mg"),
    ]


def test_a_dose_belongs_to_the_medicine_before_it() -> None:
    text = "We started Lasix 40 mg daily, and continue with Toprol 50 mg."
    assert timeline(text) == [("2020-01-01", "Furosemide", "started", "40 mg")]


def test_several_substances_of_one_item_are_one_medicine() -> None:
    item = "acetaminophen 325 mg / oxycodone hydrochloride 10 mg oral tablet [percocet]"
    assert timeline(f"He was prescribed:\n- {item}\n", f"# Medications\n{item}\n") == [
        ("2020-01-01", "Acetaminophen / Oxycodone", "started", "325 mg / 10 mg"),
    ]


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("Switched from warfarin to apixaban.", {"Warfarin": "stopped", "Apixaban": "started"}),
        (
            "Warfarin was stopped; apixaban was started.",
            {"Warfarin": "stopped", "Apixaban": "started"},
        ),
        (
            "Warfarin stopped and apixaban started.",
            {"Warfarin": "stopped", "Apixaban": "started"},
        ),
        ("Aspirin 81 mg started.", {"Aspirin": "started"}),
        ("Warfarin d/c'd.", {"Warfarin": "stopped"}),
        ("Will start warfarin next week if INR allows.", {"Warfarin": "planned"}),
        ("Plan: start apixaban.", {"Apixaban": "planned"}),
        ("We recommend starting aspirin.", {"Aspirin": "planned"}),
        ("Aspirin should be started by cardiology.", {"Aspirin": "planned"}),
        ("Will stop warfarin next week.", {"Warfarin": "planned stop"}),
        (
            "We will increase her lisinopril to 40 mg and initiate Lasix 20 mg daily.",
            {"Lisinopril": "planned change", "Furosemide": "planned"},
        ),
        (
            "We had changed her furosemide to torsemide at 20 mg.",
            {"Furosemide": "stopped", "Torsemide": "started"},
        ),
        ("Apixaban held for 48 h and then resumed.", {}),
        ("Apixaban was held for 48 h before the procedure.", {"Apixaban": "stopped"}),
        ("DISCHARGE MEDICATIONS:\nSTOP taking: Aspirin 81 mg\n", {}),
        (
            "DISCHARGE MEDICATIONS:\nSTOP taking:\n- Aspirin\nContinue taking:\n- Metformin 1 g\n",
            {"Aspirin": "stopped", "Metformin": "started"},
        ),
    ],
)
def test_what_is_done_to_each_medicine_of_a_sentence(text: str, events: dict[str, str]) -> None:
    assert {drug: change for _, drug, change, _ in timeline(text)} == events


def test_what_was_held_is_taken_again_and_what_is_not_to_be_taken_is_stopped() -> None:
    changes = [
        change
        for _, _, change, _ in timeline(
            "Aspirin 81 mg started.",
            "Aspirin was held.",
            "Resumed aspirin 81 mg.",
            "DISCHARGE MEDICATIONS:\nSTOP taking: Aspirin 81 mg\n",
        )
    ]
    assert changes == ["started", "stopped", "started", "stopped"]


def coded(status: str, start: str, end: str = "") -> CodedEntry:
    return CodedEntry("p", "medication", "Aspirin 81 MG", start=start, end=end, value=status)


@pytest.mark.parametrize(
    ("entries", "events"),
    [
        (
            (coded("stopped", "2010-01-01"), coded("active", "2020-01-01")),
            [("2010-01-01", "started"), ("2010-01-01", "stopped"), ("2020-01-01", "started")],
        ),
        (
            (coded("completed", "2010-01-01", "2012-01-01"), coded("active", "2011-01-01")),
            [("2010-01-01", "started")],
        ),
        ((coded("do-not-perform", "2020-01-01"),), []),
        ((coded("draft", "2020-01-01"), coded("proposal", "2020-01-01")), []),
    ],
)
def test_coded_prescriptions_count_by_their_status(
    entries: tuple[CodedEntry, ...], events: list[tuple[str, str]]
) -> None:
    assert [(day, change) for day, _, change, _ in timeline(entries=entries)] == events
