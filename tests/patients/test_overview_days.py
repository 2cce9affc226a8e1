"""The day as of which a record is told, where days are known in part or lie ahead."""

from datetime import date

import pytest

from clinfo.patients.entities import find_mentions
from clinfo.patients.lexicon import standard
from clinfo.patients.mentions import Mention
from clinfo.patients.overview import overview
from clinfo.patients.records import CodedEntry, Note, Record, Standing
from clinfo.patients.times import iso, within


def read(text: str) -> tuple[Mention, ...]:
    return find_mentions(text, standard())


@pytest.mark.parametrize(
    ("note", "entry", "as_of"),
    [
        ("2020-05", "", "2020-05-31"),
        ("2020-05-05", "2021", "2021-12-31"),
        ("2020-05-05", "9999-12-31", "2020-05-05"),
    ],
)
def test_the_newest_day_is_none_of_the_future(note: str, entry: str, as_of: str) -> None:
    record = Record(
        "p",
        (Note("n", "p", "A 70-year-old woman.", note),),
        (CodedEntry("p", "condition", "Gout", start=entry),),
    )
    assert overview(record, read).as_of == as_of


def test_what_is_ordered_or_forbidden_behind_the_newest_day_is_shown() -> None:
    later: tuple[Standing, ...] = ("planned", "negated")
    entries = (
        CodedEntry("p", "procedure", "Biopsy", start="2020-01-01"),
        *(CodedEntry("p", "order", one, start="2020-03-01", standing=one) for one in later),
    )
    record = Record("p", (), entries)
    shown = overview(record, read)
    assert [one.text for own in shown.others.values() for one in own] == ["Biopsy", *later]
    assert [*overview(record, read, date(2020, 2, 1)).others] == ["Procedures"]


def test_what_is_no_time_is_none() -> None:
    assert [iso(each) for each in ("2020-13", "2020-00", "2020-05", "T" * 20_000)] == [
        "",
        "",
        "2020-05",
        "",
    ]


ASTHMA = "The patient has asthma."


def test_what_the_patient_has_and_does_not_tolerate_at_a_glance() -> None:
    record = Record(
        "p",
        (
            Note(
                "a",
                "p",
                "The patient has asthma. Hgb 9.8 g/dL.\n\nAllergies: penicillin",
                "2019-01-01",
            ),
            Note("b", "p", "History of asthma. Mother had gout. Penicillin allergy.", "2021-01-01"),
        ),
        (
            CodedEntry("p", "condition", "Stroke", "", "", "2020-02-02", "2020-09-09", "resolved"),
            CodedEntry(
                "p",
                "condition",
                "Psoriasis",
                start="2020-02-02",
                value="refuted",
                standing="negated",
            ),
            CodedEntry("p", "condition", "Gout", interpretation="onset age: 35 years"),
            CodedEntry(
                "p", "observation", "PR", standing="uncertain", interpretation="not performed"
            ),
            CodedEntry("p", "allergy", "Latex", start="2018-02-02", value="active"),
            CodedEntry(
                "p", "medication", "Warfarin", start="2018-02-02", value="stopped", standing="past"
            ),
            CodedEntry("p", "medication", "Apixaban", start="2019-02-02", value="active"),
            CodedEntry("p", "observation", "Hgb", start="2018-01-01", value="9.8", unit="g/dL"),
            CodedEntry("p", "observation", "Hgb", start="2019-01-01", value="10.1", unit="g/dL"),
        ),
    )
    found = overview(record, read)
    told = [(one.concept, one.first, one.last, one.count) for one in found.conditions]
    assert told == [
        ("Asthma", "2019-01-01", "2021-01-01", 2),
        ("Stroke", "2020-02-02", "2020-09-09", 1),
        ("Gout", "", "", 1),
    ]
    assert "".join(one.place.quote for one in found.conditions).endswith("onset age: 35 years")
    assert found.told_in_notes == {"allergies": 2, "medicines": 0}
    assert [one.interpretation for one in found.values["PR"]] == ["not performed"]
    assert [one.text for one in found.allergies] == ["Latex"]
    assert [one.text for one in found.medications] == ["Apixaban", "Warfarin"]
    assert [one.value for one in found.values["Hgb"]] == ["10.1", "9.8"]


@pytest.mark.parametrize(
    ("time", "since", "until", "inside"),
    [
        ("2020-05", "2020-05-20", "", True),
        ("2020-05", "2020-06", "", False),
        ("2021", "", "2021-01", True),
        ("2021", "", "2020", False),
        ("in May", "2020", "2021", False),
    ],
)
def test_a_day_known_in_part_counts_where_it_may_lie_within(
    time: str, since: str, until: str, inside: bool
) -> None:
    assert within(time, since, until) == inside


def test_results_are_put_together_by_their_code_and_not_by_their_words() -> None:
    def result(text: str, code: str, value: str, day: str) -> CodedEntry:
        return CodedEntry("p", "observation", text, code, start=day, value=value, loinc=code)

    entries = (
        result("Creatinine", "2160-0", "1.1", "2024-01-01"),
        result("Creatinine", "2161-8", "140", "2024-03-01"),
        result("Kreatinin", "2160-0", "1.9", "2024-02-01"),
    )
    shown = overview(Record("p", (), entries), read).values
    assert {name: [one.value for one in own] for name, own in shown.items()} == {
        "Creatinine": ["140"],
        "Kreatinin": ["1.9", "1.1"],
    }
