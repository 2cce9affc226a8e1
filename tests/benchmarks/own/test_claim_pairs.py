"""The made pairs and the paraphrases that measure the judge of claims: are they what they say? No
judge is asked here.
"""

import json
import random
import re

import pytest

from benchmarks.own import claims
from benchmarks.own.claim_edits import KINDS, direction_flipped, negated
from benchmarks.own.claim_figures import figure_made_up, figure_of_abstract, figures
from benchmarks.own.claim_pairs import CLASSES, UNEDITED, Pair, build, shares
from benchmarks.own.claim_rewording import reformatted, restructured
from benchmarks.own.claim_sources import Candidate, candidates, makes_claim
from benchmarks.own.claim_terms import Term, Vocabulary, exchangeable, stands_in
from benchmarks.own.verdict_rates import wilson
from clinfo.records.articles import Article, Section
from tests.shared_data import SHARED, needs_shared

COUNT = 48


def article(
    *sections: tuple[str, str], title: str = "A trial of two treatments for asthma"
) -> Article:
    return Article(
        "pmid:2", title, pmid="2", sections=tuple(Section(text, label) for label, text in sections)
    )


@pytest.fixture(scope="module")
def even() -> list[Pair]:
    return build(COUNT, 3, "even", SHARED)


def test_half_is_unedited_and_classes_are_equal() -> None:
    wanted = shares(2000)
    assert sum(wanted.values()) == 2000
    assert wanted[UNEDITED] == 1000
    for name in CLASSES:
        assert sum(wanted[kind] for kind, group in KINDS.items() if group == name) == 250


@pytest.mark.slow
@needs_shared
def test_pairs_are_the_same_each_time_and_halves_share_no_article(even: list[Pair]) -> None:
    assert build(COUNT, 3, "even", SHARED) == even
    odd = build(COUNT, 3, "odd", SHARED)
    assert len(odd) == len(even) == COUNT
    assert {int(pair.pmid) % 2 for pair in even} == {0}
    assert {int(pair.pmid) % 2 for pair in odd} == {1}
    assert not {pair.article.pmid for pair in even} & {pair.article.pmid for pair in odd}
    assert len({pair.pmid for pair in even}) == len(even)
    assert {pair.pmid for pair in build(COUNT, 4, "even", SHARED)} != {pair.pmid for pair in even}


@needs_shared
def test_edited_sentences_differ_from_reworded_ones_and_those_from_the_abstract(
    even: list[Pair],
) -> None:
    for pair in even:
        assert pair.plain.rstrip(".") != pair.source.rstrip("."), pair.id
        if pair.kind == UNEDITED:
            assert pair.sentence == pair.plain
            assert pair.pmid == pair.article.pmid
        elif pair.kind == "citation moved":
            assert pair.sentence == pair.plain
            assert pair.pmid != pair.article.pmid
        else:
            assert pair.sentence != pair.plain, pair.id
            assert pair.pmid == pair.article.pmid


@needs_shared
def test_edited_figures_and_terms_are_where_they_should_be(even: list[Pair]) -> None:
    kinds = set()
    for pair in even:
        whole = f"{pair.article.title} {pair.article.abstract}"
        numbers = {
            float(raw.replace(",", "").replace("·", "."))
            for raw in re.findall(r"\d[\d,]*(?:[.·]\d+)?", whole)
        }
        if pair.kind == "made-up figure":
            assert float(pair.new.replace(",", "")) not in numbers, pair.id
        elif pair.kind == "figure of the same abstract":
            assert pair.new in whole, pair.id
            assert pair.new not in re.findall(r"\d+(?:[.·]\d+)?", pair.plain), pair.id
        elif pair.group == "swapped terms":
            assert stands_in(pair.new, whole), pair.id
            assert not stands_in(pair.new, pair.plain), pair.id
            assert pair.new in pair.sentence
        kinds.add(pair.kind)
    assert kinds == {UNEDITED, *KINDS}


@needs_shared
def test_rows_are_those_that_verify_reads(even: list[Pair]) -> None:
    for pair in even[:10]:
        row = json.loads(json.dumps(claims.as_row(pair)))
        assert row["sentence"].endswith(" [1].")
        assert row["cites"] == [1]
        assert set(row["articles"][0]) == {"n", "pmid", "title", "abstract"}
        assert row["truth"]["edited"] is (pair.kind in KINDS)


def test_paraphrases_are_well_formed() -> None:
    rows = [
        json.loads(line) for line in claims.PARAPHRASES.read_text(encoding="utf-8").splitlines()
    ]
    assert all(set(row) == {"id", "pmid", "sentence"} for row in rows)
    assert all(
        row["sentence"].endswith(" [1].") and row["sentence"].count("[") == 1 for row in rows
    )
    assert len({row["id"] for row in rows}) == len({row["sentence"] for row in rows}) == len(rows)
    halves = [int(row["pmid"]) % 2 for row in rows]
    assert halves.count(1) >= 150
    assert halves.count(0) >= 180


@needs_shared
@pytest.mark.parametrize("half", ["even", "odd"])
def test_paraphrases_are_of_shared_articles_and_in_own_words(half: str) -> None:
    for pair in claims.read_paraphrases(half, SHARED):
        words = re.findall(r"\w+", pair.sentence.lower())
        abstract = " ".join(re.findall(r"\w+", pair.article.abstract.lower()))
        runs = [" ".join(words[place : place + 12]) for place in range(len(words) - 11)]
        assert not any(run in abstract for run in runs), f"{pair.id} copies the abstract"


def test_rewording_changes_how_numbers_are_written_and_not_what_they_are() -> None:
    text = "Pain fell by 12% in 1,234 patients (0.75, 95% CI 0.60-0.94, p<0.001)"
    written = {reformatted(text, random.Random(seed)) for seed in range(60)}
    assert len(written) > 10
    plain = {
        re.sub(r"(?<=\d)[ \u202f,](?=\d{3} )", "", one.replace("1 234", "1234"))
        .replace("< .", "<0.")
        .replace("<.", "<0.")
        for one in written
    }
    assert {tuple(re.findall(r"\d+(?:\.\d+)?", one)) for one in plain} == {
        ("12", "1234", "0.75", "95", "0.60", "0.94", "0.001")
    }


def test_no_clause_with_a_negation_or_exception_is_dropped() -> None:
    source = article(("RESULTS", "x"))
    text = (
        "Drug A reduced pain (but not in women) and improved sleep (p = 0.01) in 80 adults with "
        "asthma."
    )
    for seed in range(40):
        said = restructured(Candidate(source, text, "", True), random.Random(seed)).text
        assert "(but not in women)" in said
    respectively = (
        "Pain and sleep improved by 12% and 15%, whereas they improved by 3% and 4% with placebo, "
        "respectively."
    )
    for seed in range(40):
        assert (
            "placebo"
            in restructured(Candidate(source, respectively, "", True), random.Random(seed)).text
        )


@pytest.mark.parametrize(
    ("text", "flipped"),
    [
        ("Mortality was lower with drug A", "Mortality was higher with drug A"),
        ("Naproxen reduced pain in adults", "Naproxen increased pain in adults"),
        ("Drug A was well tolerated by children", "Drug A was poorly tolerated by children"),
        ("There was no increase in mortality", None),
        ("Pain of the lower limb was measured twice", None),
        ("More than 50 patients had pain", None),
    ],
)
def test_a_direction_is_turned_only_where_something_was_found(
    text: str, flipped: str | None
) -> None:
    edit = direction_flipped(text, random.Random(0))
    assert (edit.text if edit else None) == flipped


@pytest.mark.parametrize(
    ("text", "denied"),
    [
        (
            "Naproxen significantly reduced pain in adults",
            "Naproxen did not significantly reduce pain in adults",
        ),
        ("Drug A did not improve sleep", "Drug A improved sleep"),
        ("Mortality was higher with placebo", "Mortality was not higher with placebo"),
        (
            "There was no significant difference in pain",
            "There was a significant difference in pain",
        ),
        ("The cause is not yet known in adults", None),
        ("Those who were better at the start gained weight", None),
    ],
)
def test_a_finding_is_denied_or_a_denial_lifted(text: str, denied: str | None) -> None:
    made = {
        edit.text if edit else None
        for seed in range(8)
        if (edit := negated(text, random.Random(seed))) or True
    }
    assert denied in made
    assert denied is not None or made == {None}


def test_a_figure_is_never_one_the_sentence_implies() -> None:
    source = article(
        (
            "RESULTS",
            (
                "Pain fell by 12% with drug A. Sleep improved in 12.1% and appetite in 48% of them "
                "(p<0.05)."
            ),
        )
    )
    text = "Pain fell by 12% with drug A (p<0.001)"
    assert [figure.kind for figure in figures(text)] == ["percent", "p <"]
    for seed in range(30):
        edit = figure_of_abstract(text, source, random.Random(seed))
        assert edit is not None
        assert (edit.old, edit.new) == ("12", "48")
        made_up = figure_made_up(text, source, random.Random(seed))
        assert made_up is not None
        assert made_up.new not in re.findall(r"\d+(?:\.\d+)?", source.abstract)


def test_names_and_years_are_no_figures_of_a_claim() -> None:
    assert (
        figures(
            "In type 2 diabetes, HbA1c and IL-6 and the SF-36 were measured in 2010 with 95% CI"
        )
        == []
    )


def test_terms_that_are_one_thing_or_stand_together_are_not_exchanged() -> None:
    def term(text: str, number: str) -> Term:
        return Term(text, "drug", frozenset({number}))

    assert exchangeable(
        term("aspirin", "D1.2"),
        term("morphine", "D3.4"),
        "Aspirin was compared in adults. Then morphine was given.",
    )
    assert not exchangeable(
        term("aspirin", "D1.2"), term("morphine", "D3.4"), "We gave aspirin and morphine to adults."
    )
    assert not exchangeable(
        term("aspirin", "D1.2"), term("salicylates", "D1"), "Aspirin is one of the salicylates."
    )
    assert not exchangeable(
        term("aspirin", "D1.2"),
        term("acetylsalicylic acid", "D9.9"),
        "Acetylsalicylic acid (aspirin) was given.",
    )
    assert not exchangeable(term("weight loss", "C1.2"), term("weight gain", "C3.4"), "Nothing.")


def test_groups_of_people_are_terms() -> None:
    found = Vocabulary({}).terms("Women and children improved", "population")
    assert [term.text for term in found] == ["Women", "children"]


def test_aims_plans_and_questions_make_no_claim() -> None:
    assert makes_claim("Drug A significantly reduced pain compared with placebo in adults.")
    assert not makes_claim("The aim was to determine whether drug A reduced pain in these adults.")
    assert not makes_claim("Patients will be followed for mortality and a higher rate of relapse.")
    structured = article(
        ("BACKGROUND", "Drug A has reduced pain significantly in all earlier trials of adults."),
        ("RESULTS", "Drug A significantly reduced pain compared with placebo in adults."),
    )
    assert [candidate.text for candidate in candidates(structured)] == [
        "Drug A significantly reduced pain compared with placebo in adults."
    ]


def test_interval_of_wilson() -> None:
    # R: prop.test(81, 263, correct = FALSE)$conf.int, as in Newcombe 1998, Stat Med 17:857, table I
    low, high = wilson(81, 263)
    assert (round(low, 4), round(high, 4)) == (0.2553, 0.3662)
    assert wilson(0, 0) == (0.0, 1.0)
    assert round(wilson(0, 20)[1], 4) == 0.1611


def test_single_odd_cases_are_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        claims.main(["--half", "odd", "--show", "figure"])
    assert "--really" in capsys.readouterr().err


def test_report_counts_found_and_kept() -> None:
    source = article(("RESULTS", "x"))
    results = [
        (Pair("1", "negated", "s", source, "2"), "contradicted", ""),
        (Pair("2", "direction flipped", "s", source, "2"), "partial", ""),
        (Pair("3", UNEDITED, "s", source, "2"), "partial", ""),
        (Pair("4", "paraphrase", "s", source, "2"), "unsupported", "why"),
    ]
    text = claims.report(results)
    assert re.search(r"direction and negation +found  50\.0 %  \(1/2.*MISSED", text)
    assert re.search(r"supported or partial +100\.0 %  \(1/1.*reached", text)
    assert [line.split(":")[0] for line in claims.missed(results, "direction and negation")] == [
        "2"
    ]
    assert list(claims.missed(results, "negated")) == []
    assert len(list(claims.missed(results, "paraphrase"))) == 1
