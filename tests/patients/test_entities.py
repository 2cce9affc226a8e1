"""What notes name: the dictionary, spans, types, and one's own lists."""

from pathlib import Path

import pytest

from clinfo.errors import RecordError
from clinfo.patients.entities import find_mentions
from clinfo.patients.lexicon import Lexicon, read_rows, standard
from clinfo.terms.mesh import bundled_mesh


def concepts(text: str) -> list[str]:
    return [mention.concept for mention in find_mentions(text, standard())]


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("a heart attack in 2019", "Myocardial Infarction"),
        ("chest pains", "Chest Pain"),
        ("pulmonary emboli, oesophageal cancer", "Esophageal Neoplasms"),
        ("anaemia and diarrhoea", "Anemia"),
        ("Type 2 diabetes mellitus (disorder)", "Diabetes Mellitus, Type 2"),
        ("congestive heart\nfailure", "Heart Failure"),
        ("known HTN", "Hypertension"),
        ("takes Lasix daily", "Furosemide"),
        ("seen by Dr. Jones COPD worse", "Pulmonary Disease, Chronic Obstructive"),
        ("Hypotension, MD notified", "Hypotension"),
        ("covid-19 in March", "COVID-19"),
        ("left lower lobe pneu-\nmonia", "Pneumonia"),
        ("osteo\xadarthritis, COVID-\n19", "Osteoarthritis"),
        ("Gastro-esophageal reflux disease", "Gastroesophageal Reflux"),
        ("severe Broncho-pneumonia", "Bronchopneumonia"),
        ("Post-traumatic headache", "Post-Traumatic Headache"),
        ("takes anti-anxiety drugs", "Anti-Anxiety Agents"),
        ("on 5-alpha reductase inhibitors", "5-alpha Reductase Inhibitors"),
        ("post-operative pain management", "Pain Management"),
        ("mi\xadgratory joint pain, cervi-\ncal pain management", "Neck Pain"),
    ],
)
def test_names_in_other_forms_are_found(text: str, concept: str) -> None:
    assert concept in concepts(text)


def test_the_longest_name_wins_and_spans_refer_to_the_text() -> None:
    text = "Low back pain; acute pulmonary embolism (disorder)."
    found = find_mentions(text, standard())
    assert [mention.text for mention in found] == ["Low back pain", "pulmonary embolism"]
    assert all(text[each.start : each.end] == each.text for each in found)
    assert [each.types for each in found] == [("finding",), ("disease",)]


def test_an_abbreviation_counts_in_capitals_only() -> None:
    assert concepts("He had a PE last year.") == ["Pulmonary Embolism"]
    assert concepts("He had pe class, and met his aid.") == []


def test_a_drug_that_no_table_holds_is_known_by_its_ending() -> None:
    (found,) = find_mentions("Started apixaban.", standard())
    assert (found.concept, found.types) == ("Apixaban", ("drug or substance",))


def test_names_do_not_reach_over_sentences_and_headings_name_nothing() -> None:
    assert "Chest Pain" not in concepts("Clear chest. Pain in the foot.")
    assert concepts("# Allergies\nNone.\n\nPHYSICAL EXAMINATION\n\nWell.") == []
    assert concepts("ALLERGIES: penicillin") == ["Penicillins"]


def test_ones_own_terms_go_before_those_of_mesh(tmp_path: Path) -> None:
    table = tmp_path / "own.tsv"
    table.write_text("# mine\nwobbly legs\tAtaxia\tfinding\ncamila\tNorethindrone\tdrug\n")
    lexicon = Lexicon(bundled_mesh(), read_rows(table, 3))
    found = find_mentions("Wobbly legs since Camila; hypertension", lexicon)
    assert [(each.concept, each.types) for each in found] == [
        ("Ataxia", ("finding",)),
        ("Norethindrone", ("drug",)),
        ("Hypertension", ("disease",)),
    ]


@pytest.mark.parametrize("content", ["one column\n", "a\tb\tc\td\n", "\tb\tc\n"])
def test_a_table_of_another_shape_is_refused(tmp_path: Path, content: str) -> None:
    table = tmp_path / "own.tsv"
    table.write_text(content)
    with pytest.raises(RecordError):
        read_rows(table, 3)


def test_an_abbreviation_of_mixed_letters_is_not_the_one_in_capitals() -> None:
    """eGFR is a filtration rate, EGFR a gene."""

    def concepts(text: str) -> list[str]:
        return [one.concept for one in find_mentions(text, standard())]

    rate = ["Glomerular Filtration Rate"]
    assert [concepts(text) for text in ("eGFR 45", "egfr 45", "EGFR")] == [rate, rate, []]
