"""Coded entries of a record (FHIR) as facts with value, unit, day and the line they rest on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import clinfo
from clinfo.patients.coded import polarity_of
from clinfo.patients.collecting import Collection
from clinfo.patients.quantities import quantities
from clinfo.patients.records import CodedEntry, Record
from clinfo.pipelines.cohort.coded import coded_facts
from clinfo.pipelines.cohort.facts import Fact
from clinfo.pipelines.cohort.store import build

LOINC = "http://loinc.org"


def observed(code: str, value: str, unit: str, system: str = LOINC) -> CodedEntry:
    made = CodedEntry("ada", "observation", "A name", code, system, "2021-03-01", "", value, unit)
    return replace(made, loinc=code if system == LOINC else "")


def finding(name: str, value: str) -> CodedEntry:
    return CodedEntry("ada", "observation", name, value=value, polarity=polarity_of(value))


def stated(*entries: CodedEntry) -> list[Fact]:
    return coded_facts(Record("ada", (), entries))[1]


@pytest.mark.parametrize(
    ("entry", "code", "value"),
    [  # values of other units by the tables of IFCC/NGSP and the International System of Units
        (observed("4548-4", "9.4", "%"), "hba1c", 9.4),
        (observed("4548-4", "53", "mmol/mol"), "hba1c", 7.0),
        (observed("33914-3", "28", "mL/min/{1.73_m2}"), "egfr", 28),
        (observed("8480-6", "151", "mm[Hg]"), "systolic", 151),
        (observed("2345-7", "11", "mmol/L"), "glucose", 198.22),
        (observed("777-3", "210", "10*3/uL"), "platelets", 210),
        (observed("8310-5", "38.5", "Cel"), "temperature", 38.5),
        (observed("8867-4", "72", "/min"), "heartrate", 72),
        (observed("8310-5", "101.3", "degF"), "temperature", 38.5),
        (observed("20570-8", "0.41", "L/L"), "haematocrit", 41),
        (observed("6690-2", "15.2", "K/uL"), "leukocytes", 15.2),
        (observed("6690-2", "3.1", "/nL"), "leukocytes", 3.1),
        (observed("777-3", "42000", "/uL"), "platelets", 42),
        (observed("711-2", "0.45", "x10E3/uL"), "eosinophils", 450),
        (observed("22748-8", "4.9", "mmol/L"), "ldl", 189.48),
        (observed("1975-2", "51", "\N{GREEK SMALL LETTER MU}mol/L"), "bilirubin", 2.98),
        (observed("9318-7", "30", "mg/g{creat}"), "uacr", 30),
        (observed("6301-6", "2.6", "{INR}"), "inr", 2.6),
        (observed("11555-0", "-6.2", "mmol/L"), "baseexcess", -6.2),
        (replace(observed("LEU", "3.1", "/nL", "urn:own"), loinc="6690-2"), "leukocytes", 3.1),
    ],
)
def test_an_observation_is_a_value_in_the_unit_of_its_quantity(
    entry: CodedEntry, code: str, value: float
) -> None:
    (fact,) = stated(entry)
    assert (fact.kind, fact.name, fact.unit) == ("observation", code, quantities()[code].unit)
    assert fact.value == pytest.approx(value, abs=0.01)
    ((note,), *_) = coded_facts(Record("ada", (), (entry,)))
    line = note.text[fact.source.start : fact.source.end]
    known = "LEU" if entry.code == "LEU" else f"LOINC {entry.code}"
    assert line.startswith(f"A name: {entry.value} {entry.unit} ({known}, ")
    assert (note.id, note.time) == (fact.source.note, "2021-03-01")


@pytest.mark.parametrize(
    ("entry", "told"),
    [  # scores and stages: of T, N and M only the answer tells
        (observed("89247-1", "2", ""), {("ecog", 2)}),
        (CodedEntry("ada", "observation", "Eastern Cooperative Oncology Group performance status",
                    value="1"), {("ecog", 1)}),
        (observed("21902-2", "IIB", ""), {("stage", 2.2)}),
        (observed("1-1", "cT2 (finding)", "", "urn:own"), {("t", 2)}),
        (CodedEntry("ada", "observation", "T4 free", "1", "urn:own", value="high"), set()),
        (CodedEntry("ada", "condition", "Chronic kidney disease stage 3a"), {("ckd", 3.1)}),
    ],
)  # fmt: skip
def test_an_entry_states_a_value_in_an_order(entry: CodedEntry, told: set[tuple[str, int]]) -> None:
    assert {(one.name, one.value) for one in stated(entry) if one.kind == "stage"} == told


@pytest.mark.parametrize(
    ("name", "system", "codes"),
    [  # without a code of LOINC the whole name says what was measured
        ("PSA", "", ["psa"]), ("Serum  Creatinine", "urn:own", ["creatinine"]),
        ("Prostate specific Ag [Mass/volume] in Serum or Plasma", "", ["psa"]),
        ("Prostate specific Ag [Mass/volume] in Serum or Plasma", LOINC, ["psa"]),
        ("PSA, total (hs)", "", ["psa"]), ("PSA, Urine", "", []),
        ("PSA density", "", []), ("PSA", LOINC, []),
    ],
)  # fmt: skip
def test_a_value_is_known_by_its_name(name: str, system: str, codes: list[str]) -> None:
    unit = "mg/dL" if "reat" in name else "ng/mL"
    entry = replace(observed("9", "0.6", unit, system), text=name)
    assert [one.name for one in stated(entry) if one.kind == "observation"] == codes


@pytest.mark.parametrize(
    "entry",
    [
        observed("2160-0", "100", "furlong"), observed("2160-0", "100", ""),
        observed("4548-4", "high", "%"), observed("99999-9", "3", "%"),
        observed("4548-4", "9.4", "%", "urn:own"), observed("4548-4", "-1", "%"),
        observed("46098-0", "unknown", ""),
    ],
)  # fmt: skip
def test_what_is_not_known_for_sure_is_no_sure_fact_and_is_counted(entry: CodedEntry) -> None:
    (note,), found, unread = coded_facts(Record("ada", (), (entry,)))
    assert {one.certainty for one in found} <= {"unclear"}
    assert unread == 1
    assert entry.value in note.text


@pytest.mark.parametrize(
    ("name", "has", "not_so"),
    [
        ("Asthma without status asthmaticus (HCC)", "asthma", "status asthmaticus"),
        ("Osteoporosis without current fracture", "osteoporosis", "fracture"),
        ("Epilepsy, not intractable (HCC)", "epilepsy", "hepatocellular carcinoma"),
        (
            "Major depressive disorder, without psychotic features",
            "depressive disorder",
            "psychosis",
        ),
        ("Atrial fibrillation (HCC)", "atrial fibrillation", "hepatocellular carcinoma"),
    ],
)
def test_what_a_diagnosis_excludes_does_not_deny_it(
    name: str, has: str, not_so: str, tmp_path: Path
) -> None:
    kept = Collection()
    kept.entry(CodedEntry("ada", "condition", name))
    build(kept.records().records, tmp_path)
    for query, found in ((has, ["ada"]), (not_so, [])):
        cohort = clinfo.cohort(tmp_path, query=f'condition "{query}"')
        assert [one["id"] for one in cohort["members"]] == found


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("gene KRAS change G12C", ["ada"]),
        ("gene BRAF", []),
        ('denied condition "hepatitis B"', ["ada"]),
        ("denied condition hepatitis", []),
        ('condition "ovarian cancer"', ["ada"]),
        ("condition hypertension", ["ada"]),
    ],
)
def test_further_names_parts_of_a_variant_and_tests_of_one_kind(
    query: str, found: list[str], tmp_path: Path
) -> None:
    entries = (
        replace(
            finding("Variant", "Present"),
            interpretation="Gene: KRAS, Change: p.Gly12Cys, note: BRAF was not tested",
        ),
        finding("Hepatitis B virus surface Ag", "Negative"),
        CodedEntry("ada", "condition", "Malignant neoplasm of ovary"),
        CodedEntry("ada", "condition", "Z99", also="Hypertension (disorder)"),
    )
    build((Record("ada", (), entries),), tmp_path)
    cohort = clinfo.cohort(tmp_path, query=query)
    assert [one["id"] for one in cohort["members"]] == found


def test_what_entries_say_of_the_patient_is_read_from_their_status() -> None:
    by_name = {
        fact.name: fact
        for fact in stated(
            CodedEntry("ada", "condition", "Hypertension", value="active"),
            CodedEntry("ada", "condition", "Asthma", value="refuted", standing="negated"),
            CodedEntry("ada", "condition", "Gout", value="resolved", standing="past"),
            CodedEntry("ada", "condition", "Stroke", value="provisional", standing="uncertain"),
            CodedEntry("ada", "medication", "lisinopril 10 MG Oral Tablet", value="active"),
        )
    }
    assert by_name["asthma"].negated
    assert by_name["gout"].said == "past"
    assert by_name["stroke"].certainty == "suspected"
    assert by_name["hypertension"].concept
    (drug,) = (fact for fact in by_name.values() if fact.kind == "drug")
    assert drug.name.startswith("lisinopril")


@pytest.mark.parametrize(
    ("entry", "query"),
    [
        (observed("21112-8", "1960", ""), "age >= 61 on 2022-05-02"),
        (observed("81956-5", "true", ""), "dead"),
        (finding("HER2 [Presence] in Tissue", "Negative"), "gene HER2 change negative"),
        (finding("KRAS gene mutation analysis", "Detected"), "gene KRAS change mutation"),
        (finding("Oestrogen receptor", "Positive"), "gene ER change positive"),
        (finding("Microsatellite instability", "MSI-H"), "gene MSI change high"),
        (finding("Pregnancy status", "Pregnant"), "condition pregnancy"),
        (finding("Have you ever been diagnosed with gout?", "true"), "condition gout"),
        (finding("HIV 1+2 antibody", "Reactive"), "condition HIV"),
        (CodedEntry("ada", "allergy", "Drug", also="Latex"), "allergy latex"),
        (CodedEntry("ada", "allergy", "Allergy to latex"), "allergy latex"),
        (CodedEntry("ada", "allergy", "No known latex allergy", standing="negated"),
         "denied allergy latex"),
        (replace(finding("Lithium", "1.9"), unit="mmol/L"), "value lithium > 1.5"),
        (finding("Depression screening", "Positive"), "not condition depression"),
    ],
)  # fmt: skip
def test_what_an_entry_settles_is_found(entry: CodedEntry, query: str, tmp_path: Path) -> None:
    build((Record("ada", (), (entry,)),), tmp_path)
    assert [one["id"] for one in clinfo.cohort(tmp_path, query=query)["members"]] == ["ada"]


def test_an_item_of_a_questionnaire_has_the_name_of_its_code() -> None:
    item = finding("Thoughts of hurting yourself", "Not at all")
    told = stated(replace(item, code="44260-8", loinc="44260-8"))
    assert ("suicidal ideation", True) in [(one.name, one.negated) for one in told]


def test_an_active_entry_without_an_end_is_current_whatever_its_day(tmp_path: Path) -> None:
    given = [
        CodedEntry("ada", "medication", name, start="2015-01-01", end=end, value="active")
        for name, end in (("apixaban", ""), ("warfarin", "2016-01-01"))
    ]
    newest = CodedEntry("ada", "condition", "Gout", start="2020-01-01", value="active")
    again = replace(newest, text="Migraine", start="2005-05", value="recurrence")
    build((Record("ada", (), (*given, newest, again)),), tmp_path)
    asked = {"drug apixaban": ["ada"], "drug warfarin": [], "condition migraine": ["ada"]}
    for query, found in asked.items():
        cohort = clinfo.cohort(tmp_path, query=f"current {query}")
        assert [one["id"] for one in cohort["members"]] == found


def test_a_value_that_changes_is_read_anew(tmp_path: Path) -> None:
    """An index takes in entries too: what is asked of them changes with them."""
    first = Record("ada", (), (observed("4548-4", "9.4", "%"),))
    other = Record("ada", (), (observed("4548-4", "6.1", "%"), observed("1-1", "6", "%")))
    assert [build((one,), tmp_path).read for one in (first, first, other)] == [1, 0, 1]
    built = build((first,), tmp_path)
    assert (built.entries, built.unread, built.notes) == (1, 0, 0)


def test_the_latest_value_is_that_of_the_last_instant(tmp_path: Path) -> None:
    """The written hour of 3.1 is before that of 5.9, the instant behind it."""
    told = {"5.9": "2021-03-01T23:00:00Z", "3.1": "2021-03-01T20:30:00-08:00"}
    entries = [replace(observed("2823-3", n, "mmol/L"), start=time) for n, time in told.items()]
    build([Record("ada", (), tuple(entries))], tmp_path)
    found = [clinfo.cohort(tmp_path, query=f"value potassium {q}") for q in ("> 5", "< 4")]
    assert [len(one["members"]) for one in found] == [0, 1]


@pytest.mark.parametrize(
    ("entry", "query", "quote"),
    [
        (replace(observed("99998-1", "88", "ng/mL"), text="99998-1"), "value ferritin > 50",
         "coded 99998-1, name not known here: 88 ng/mL"),
        (observed("33914-3", "38", ""), "value egfr < 45", "A name: 38 (no unit recorded)"),
        (CodedEntry("ada", "condition", "Gout", value="active", standing="uncertain"),
         "condition gout", "Gout, active"),
    ],
)  # fmt: skip
def test_what_is_not_clear_is_shown_and_denies_nothing(
    entry: CodedEntry, query: str, quote: str, tmp_path: Path
) -> None:
    """What a code's name, a number's unit or a modifier means nobody knows here."""
    build([Record("ada", (), (entry,))], tmp_path)
    answer = clinfo.cohort(tmp_path, query=query, explain=True)
    ((told,),) = [one["criteria"] for one in answer["others"]]
    assert (told["verdict"], told["basis"][:8]) == ("not documented", "possible")
    assert told["spans"][0]["quote"].startswith(quote)


@pytest.mark.parametrize(
    ("query", "members", "not_documented"),
    [
        ("egfr > 60", ["over"], []), ("egfr < 60", ["low"], []), ("egfr > 5", ["over"], []),
        ("egfr >= 91", [], ["over"]), ("egfr < 4", [], ["low"]),
    ],
)  # fmt: skip
def test_a_value_known_on_one_side_settles_what_lies_beyond_it(
    query: str, members: list[str], not_documented: list[str], tmp_path: Path
) -> None:
    """ ">90" is above 60 and not below 60; of "above 100" it says nothing."""
    entries = {
        name: replace(observed("33914-3", value, "mL/min"), patient=name, comparator=mark)
        for name, mark, value in (("over", ">", "90"), ("low", "<", "5"))
    }
    build([Record(name, (), (entry,)) for name, entry in entries.items()], tmp_path)
    answer = clinfo.cohort(tmp_path, query=f"value {query}")
    assert [one["id"] for one in answer["members"]] == members
    assert answer["not_documented"] == not_documented
