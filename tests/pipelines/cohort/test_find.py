"""From notes to the set of those who match, with what stands behind it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import clinfo
from clinfo.errors import RecordError, StaleIndex, UsageError
from clinfo.pipelines.cohort import reading
from clinfo.pipelines.cohort.store import FILE, build, erase, opened
from clinfo.terms.closure import Kind
from tests.pipelines.cohort.notes import RECORDS, record, visit

Asked = Callable[..., set[str]]


def find(folder: Path, query: str, **options: Any) -> dict[str, Any]:
    """The answer to a query."""
    return clinfo.cohort(folder, query=query, **options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("cohort") / "index"
    build(RECORDS, place)
    return place


@pytest.fixture
def asked(folder: Path) -> Asked:
    return lambda query, **options: ids(find(folder, query, **options))


def ids(answer: dict[str, Any]) -> set[str]:
    return {member["id"] for member in answer["members"]}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("condition pneumonia", {"ada"}),
        ('"respiratory tract infections"', {"ada", "ben", "dan"}),
        ("suspected condition pneumonia", {"cem"}),
        ("condition epilepsy or condition fatigue", {"ada", "ben"}),
        ("condition epilepsy and condition fever", {"ada"}),
        ("condition sinusitis and not condition fatigue", {"dan"}),
        ("condition epilepsy before condition pneumonia", {"ada"}),
        ("condition pneumonia after first condition epilepsy", {"ada"}),
        ("condition pneumonia before condition epilepsy", set()),
        ("condition epilepsy within 100 days before condition pneumonia", set()),
        ("condition epilepsy before condition fever", set()),
        ("condition epilepsy within 0 days before condition fever", {"ada"}),
        ("condition fever within 30 days after condition epilepsy", {"ada"}),
        ("condition pneumonia within 500 days before condition epilepsy", set()),
        ("drug clavulanate", {"eva"}),
        ("condition cystic fibrosis", set()),
        ("female and condition fever", {"ada"}),
        ("male and age > 60 in 2021", {"cem"}),
        ("condition high blood pressure", {"cem"}),
        ("at least 2 of (condition epilepsy, condition fever, condition HTN)", {"ada"}),
        ("condition epilepsy since 2020", set()),
        ("condition epilepsy in 2019", {"ada"}),
        ("new condition pneumonia since 2020", {"ada"}),
        ("condition epilepsy except pneumonia", {"ada"}),
        ("not (condition epilepsy or condition sinusitis)", {"cem", "eva"}),
        ("not female", {"cem", "dan"}),  # of eva neither age nor sex is known
        ("not age > 60", {"ada", "ben", "dan"}),
    ],
)
def test_the_set_of_those_who_match(asked: Asked, query: str, expected: set[str]) -> None:
    assert asked(query) == expected


_AGES = "ages run to 2022-06-01, also of patients last seen long before"
_DAYS = '"at least 2 times" counts days on which it is mentioned, not how often it happened'


def _nobody(said: str) -> str:
    return f"no record states {said}: this exclusion removes nobody"


@pytest.mark.parametrize(
    ("query", "least", "told"),
    [
        ("condition epilepsy and age > 30 in 2022", 0, []),
        ("dead", 0, ['"dead" finds only those whose death a record states',
                     "no patient matches dead"]),
        ("dead", 11, ['"dead" finds only those whose death a record states']),
        ("age < 13", 0, [f"{_AGES}: 1 member was not seen in the last 2 years"]),
        ("age > 60 and male", 0, []),
        ("age > 60 and male", 11, [_AGES]),
        ("condition fever at least 2 times", 0,
         [_DAYS, "no record states condition fever at least 2 times"]),
        ("condition epilepsy and not condition gout", 0, [_nobody('condition "gout"')]),
        ("condition epilepsy and not condition gout", 11, []),
        ("condition epilepsy and not (condition gout since 2020 or condition sinusitis)", 0,
         [_nobody('condition "gout" since 2020')]),
        ("not not condition gout", 0, ['no record states condition "gout"']),
        ("condition epilepsy and denied condition gout", 0,
         ['no record states denied condition "gout"']),
        ("not (condition pneumonia after first condition epilepsy)", 11,
         ["the first condition epilepsy is compared with the first condition pneumonia"]),
        ("value egfr < 60", 0, ["no record states latest value egfr < 60 mL/min/1.73 m2"]),
        ("condition gout or family history of condition epilepsy", 0,
         ['no record states condition "gout"',
          "no record states family history of condition epilepsy"]),
        ("gene EGFR", 0, ["no record states gene EGFR"]),
        ("condition epilepsy and condition fatigue", 0, []),
        ("condition epilepsy or condition diabets", 11,
         ["“diabets” is taken for Diabetes Mellitus"]),
    ],
)  # fmt: skip
def test_where_a_form_finds_otherwise_than_its_words_may_say_is_told(
    folder: Path, query: str, least: int, told: list[str]
) -> None:
    assert find(folder, query, least=least, as_of="2022-06-01")["caveats"] == told


def test_criteria_in_words_want_a_model(folder: Path) -> None:
    with pytest.raises(UsageError) as refused:
        clinfo.cohort(folder, "women with high blood pressure on metformin, HbA1c above 7")
    told = str(refused.value)
    assert "--model NAME" in told
    assert "--query 'condition" in told
    assert told.endswith(
        'Names in these words: condition "high blood pressure" (Hypertension); drug metformin; '
        "value hba1c"
    )


def test_each_member_has_the_sentence_behind_each_criterion(folder: Path) -> None:
    (member,) = find(folder, "condition epilepsy and condition pneumonia")["members"]
    quotes = [criterion["spans"][0] for criterion in member["criteria"]]
    assert [quote["date"] for quote in quotes] == ["2019-03-01", "2020-05-01"]
    texts = {note.id: note.text for note in RECORDS[0].notes}
    for quote in quotes:
        assert texts[quote["note"]][quote["start"] : quote["end"]] == quote["quote"]
    assert "epilepsy" in quotes[0]["quote"]


def test_what_is_current_is_so_on_the_day_asked_for(tmp_path: Path) -> None:
    notes = (
        ("2015-01-01", visit("asthma")),
        ("2019-06-01", visit()),
        ("2020-01-01", visit("asthma")),
    )
    build((record("fay", *notes),), tmp_path)
    assert ids(find(tmp_path, "current condition asthma")) == {"fay"}
    assert ids(find(tmp_path, "current condition asthma", as_of="2015-06-01")) == {"fay"}
    assert ids(find(tmp_path, "current condition asthma", as_of="2019-12-01")) == set()


def test_a_later_note_that_it_ended_takes_an_earlier_one_back(tmp_path: Path) -> None:
    told = {
        "off": "Carbimazole was stopped in September.", "again": "Carbimazole 10 mg daily.",
        "other": "Carbimazole was replaced by propylthiouracil.",
    }  # fmt: skip
    begun = ("2026-06-20", "Carbimazole 20 mg daily started.")
    build(tuple(record(one, begun, ("2026-10-01", text)) for one, text in told.items()), tmp_path)
    assert ids(find(tmp_path, "current drug carbimazole")) == {"again"}
    assert ids(find(tmp_path, "drug carbimazole")) == set(told)
    assert ids(find(tmp_path, "current drug carbimazole", as_of="2026-07-01")) == set(told)


def test_an_age_then_that_the_days_leave_open_is_not_documented(tmp_path: Path) -> None:
    old = record("old", ("2020-06-01", visit("gout", person="50 year-old male")))
    older = record("older", ("2020-06-01", visit("gout", person="60 year-old male")))
    gout = "# Assessment and Plan\nPatient is presenting with gout."
    later = record("later", ("2018-01-01", visit(person="49 year-old male")), ("2018-06-01", gout))
    build([old, older, later], tmp_path)
    found = find(tmp_path, "condition gout at age < 50")
    assert (ids(found), found["not_documented"]) == (set(), ["later"])
    assert ids(find(tmp_path, "condition gout at age < 55")) == {"old", "later"}


def test_of_whom_nothing_is_documented(folder: Path) -> None:
    answer = find(folder, "age >= 65 in 2021")
    assert ids(answer) == {"cem"}
    assert answer["not_documented"] == ["eva"]
    assert answer["counts"]["not_matching"] == 3


def test_a_build_reads_what_changed_and_takes_out_what_is_gone(tmp_path: Path) -> None:
    assert build(RECORDS, tmp_path).read == 5
    changed = (RECORDS[0], record("ben", ("2020-01-01", visit("stroke"))), *RECORDS[2:4])
    built = build(changed, tmp_path)
    assert (built.patients, built.read, built.kept, built.removed) == (4, 1, 3, 1)
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0
    assert ids(find(tmp_path, "condition stroke")) == {"ben"}
    assert ids(find(tmp_path, "condition fatigue or condition sinusitis")) == {"dan"}


@pytest.mark.parametrize("columns", [(), ("ALTER TABLE facts RENAME COLUMN said TO told",)])
def test_an_index_of_another_reader_is_stale_and_built_anew(
    tmp_path: Path, columns: tuple[str, ...]
) -> None:
    """Also one of another form, whose tables have other columns: nobody is kept in it by that."""
    folder = tmp_path / "index"
    records = [record("ann", ("2020-01-01", "Has asthma.")), record("bob", ("", "Has asthma."))]

    def age() -> None:
        with closing(sqlite3.connect(folder / FILE)) as base, base:
            base.execute("UPDATE about SET value = '5 older ' || value WHERE name = 'form'")
            for one in columns:
                base.execute(one)

    build(records, folder)
    age()
    with pytest.raises(StaleIndex, match="cohort build RECORDS --out"), opened(folder):
        pass
    assert build(records, folder).read == 2
    assert ids(find(folder, "condition asthma")) == {"ann", "bob"}
    age()
    assert erase(folder, "ann") == 1
    with opened(folder, stale=True) as base:
        assert base.execute("SELECT id FROM patients").fetchall() == [("bob",)]
    assert b"ann" not in (folder / FILE).read_bytes()


def test_python_asks_by_a_query_or_by_a_form(folder: Path) -> None:
    answer = clinfo.cohort(folder, query="any epilepsy and not any hypertension")
    assert ids(answer) == {"ada"}
    assert clinfo.cohort(folder, form=answer["form"])["members"] == answer["members"]
    with pytest.raises(UsageError):
        clinfo.cohort(folder, query="any epilepsy", form=answer["form"])


def test_what_a_user_says_is_a_kind_counts_as_one(tmp_path: Path) -> None:
    kinds = (
        Kind("fatigue", "ward complaints", "our ward, 2026"),
        Kind("ward complaints", "hypertension", "our ward, 2026"),
    )
    build(RECORDS, tmp_path, kinds=kinds)
    assert ids(find(tmp_path, "any ward complaints")) == {"ben"}
    answer = find(tmp_path, "condition high blood pressure")
    assert ids(answer) == {"ben", "cem"}
    assert answer["settings"]["hierarchies"] == "our ward, 2026"
    build(RECORDS, tmp_path)
    with pytest.raises(UsageError):
        find(tmp_path, "any ward complaints")
    assert ids(find(tmp_path, "condition high blood pressure")) == {"cem"}


def test_nothing_of_an_erased_patient_is_left(tmp_path: Path) -> None:
    """Nor in the file, where a deleted row stays unless it is overwritten."""
    build((*RECORDS, record("zoe-4711", ("2020-01-01", visit("epilepsy")))), tmp_path)
    path = tmp_path / FILE
    assert b"zoe-4711" in path.read_bytes()
    assert ids(find(tmp_path, "condition epilepsy")) == {"ada", "zoe-4711"}
    assert erase(tmp_path, "zoe-4711") == 1
    assert b"zoe-4711" not in path.read_bytes()
    assert ids(find(tmp_path, "condition epilepsy")) == {"ada"}
    assert find(tmp_path, "condition epilepsy")["counts"]["patients"] == 5
    assert erase(tmp_path, "zoe-4711") == 0


def test_an_index_that_is_being_built_again_is_not_asked(tmp_path: Path) -> None:
    """Its facts and what they are asked by are of two states until it is closed."""
    build(RECORDS, tmp_path)
    seen: list[str] = []

    def stopped(done: int, of: int) -> None:
        seen.append(f"{done} of {of}")
        with pytest.raises(RecordError, match="not finished"):
            find(tmp_path, "condition stroke")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build((*RECORDS, record("ida", ("2020-01-01", visit("stroke")))), tmp_path, stopped)
    assert seen == ["1 of 1"]
    assert build((*RECORDS, record("ida", ("2020-01-01", visit("stroke")))), tmp_path).read == 0
    assert ids(find(tmp_path, "condition stroke")) == {"ida"}


def test_queries_of_a_physician(tmp_path: Path) -> None:
    records = (
        record("fay", ("2020-01-01", visit("shellfish allergy", "childhood asthma"))),
        record(
            "gil",
            ("2020-01-01", visit("childhood asthma")),
            ("2021-01-01", "# Social History\nPatient is an active smoker.\n"),
        ),
        record(
            "hal",
            (
                "2020-01-01",
                "# Plan\nThe following procedures were conducted:\n"
                "- urine screening test for diabetes\n\n# Social History\n"
                "Patient has never smoked.\n\n# Allergies\n"
                "He has a history of: sulfa antibiotics.\n",
            ),
        ),
    )
    build(records, tmp_path / "index")
    expected = {
        "allergy shellfish": {"fay"},
        "allergy sulfonamides": {"hal"},
        "condition smoking": {"gil"},
        "not condition smoking and condition asthma": {"fay"},
        "denied condition smoking": {"hal"},
        "condition diabetes": set(),
    }
    got = {criteria: ids(find(tmp_path / "index", criteria)) for criteria in expected}
    assert got == expected


def test_what_is_not_clear_makes_no_member_and_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "Asthma is what the old card says she has had."
    monkeypatch.setattr(reading, "SURE", 101)  # no sentence is clear, lists are
    hers = record("eve", ("2020-01-01", "Her mother has gout."))
    build(
        [record("ana", ("2020-01-01", said)), record("bob", ("2020-01-01", visit("asthma"))), hers],
        tmp_path,
    )
    for query in ("condition gout", "family history of condition gout"):  # whose is not clear
        (whose,) = (one for one in find(tmp_path, query, explain=True)["others"]
                    if one["id"] == "eve")  # fmt: skip
        assert whose["criteria"][0]["basis"].startswith("possible")
    found = find(tmp_path, "condition asthma", explain=True)
    assert ids(found) == {"bob"}
    assert ids(find(tmp_path, "suspected condition asthma")) == set()
    assert ids(find(tmp_path, "denied condition asthma")) == set()
    other = next(one for one in found["others"] if one["id"] == "ana")
    (criterion,) = other["criteria"]
    assert criterion["verdict"] == "not documented"
    assert [span["quote"] for span in criterion["spans"]] == [said]
    assert criterion["basis"].startswith("possible")
    without = find(tmp_path, "not condition asthma")["members"][0]
    assert without["id"] == "ana"
    assert "nothing in the notes affirms it; possible" in without["criteria"][0]["basis"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("condition pneumonia within 20 days before condition gout", {"gil"}),
        ("condition pneumonia within 5 days before condition gout", set()),
        ("condition gout within 20 days before condition pneumonia", set()),
        ("condition gout within 400 days before condition pneumonia", {"gil"}),
        ("condition gout before condition pneumonia", {"gil"}),
        ("condition pneumonia before condition gout", set()),
        ("(condition pneumonia or condition fever) within 20 days before condition gout", {"gil"}),
    ],
)
def test_within_days_any_of_the_one_is_compared_with_any_of_the_other(
    tmp_path: Path, query: str, found: set[str]
) -> None:
    days = (("2019-01-01", "gout"), ("2019-12-20", "pneumonia"), ("2020-01-05", "gout"))
    build([record("gil", *((day, visit(said)) for day, said in days))], tmp_path)
    assert ids(find(tmp_path, query)) == found
