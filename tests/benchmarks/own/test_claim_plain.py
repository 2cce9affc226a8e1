"""Plain errors put into copied sentences for the benchmark of the judge: is each what it is called?
No judge is asked here.
"""

import random
import re
from collections import Counter

import pytest

from benchmarks.own.claim_designs import DESIGN_EDITS, design_of, true_opening
from benchmarks.own.claim_foreign import Foreign, foreign_noun
from benchmarks.own.claim_numbers import NUMBER_EDITS
from benchmarks.own.claim_phrases import PHRASE_EDITS
from benchmarks.own.claim_plain import COPIED, OPENED, PLAIN_KINDS, TRUE_COPIES, build_plain
from benchmarks.own.claim_terms import Term
from benchmarks.own.verdict_rates import Bars, lines_of, measures, worst
from clinfo.records.articles import Article, Section
from tests.shared_data import SHARED, needs_shared


def article(text: str, title: str = "A trial of two treatments") -> Article:
    return Article("pmid:2", title, pmid="2", sections=(Section(text, "RESULTS"),))


@pytest.mark.parametrize(
    ("kind", "text", "edited"),
    [
        (
            "number preposition",
            "Pain scores fell by 12% with drug A",
            {"Pain scores fell to 12% with drug A"},
        ),
        (
            "number preposition",
            "Mortality was reduced to 8% in the drug group",
            {"Mortality was reduced by 8% in the drug group"},
        ),
        ("number preposition", "Pain fell by 12 weeks and from 40 to 20 mm", {None}),
        (
            "sides of from and to",
            "Pain decreased from 60 to 20 mm with drug A",
            {"Pain decreased from 20 to 60 mm with drug A"},
        ),
        ("sides of from and to", "Doses ranging from 5 to 20 mg improved sleep", {None}),
        (
            "unit changed",
            "Systolic pressure fell by 12 mmHg with drug A",
            {
                "Systolic pressure fell by 12 kPa with drug A",
                "Systolic pressure fell by 12 cmH2O with drug A",
            },
        ),
        ("unit changed", "The OR was 0.7 (95% CI 0.5 to 0.9)", {None}),
        (
            "counted noun changed",
            "There were 14 deaths with drug A",
            {f"There were 14 {noun} with drug A" for noun in ("admissions", "strokes", "relapses")},
        ),
        (
            "timing changed",
            "Pain was lower at 6 months",
            {
                "Pain was lower at 12 months",
                "Pain was lower at 18 months",
                "Pain was lower at 3 months",
            },
        ),
        ("timing changed", "Pain was lower after surgery", {"Pain was lower before surgery"}),
        ("timing changed", "Pain was lower before and after surgery", {None}),
    ],
)
def test_what_stands_around_a_number_is_changed_and_the_number_left(
    kind: str, text: str, edited: set[str | None]
) -> None:
    source = article(f"{text}.")
    made = {
        edit.text if (edit := NUMBER_EDITS[kind](text, source, random.Random(seed))) else None
        for seed in range(40)
    }
    assert made == edited


@pytest.mark.parametrize(
    ("kind", "text", "more", "edited"),
    [
        (
            "cause for association",
            "Coffee was associated with suicide",
            "We followed a cohort.",
            {"Coffee caused suicide", "Coffee led to suicide"},
        ),
        (
            "cause for association",
            "Drug A was associated with sleep",
            "Patients were randomised.",
            {None},
        ),
        (
            "cause for association",
            "Coffee was not associated with suicide",
            "We followed a cohort.",
            {None},
        ),
        (
            "population changed",
            "Drug A improved sleep in women",
            "Pain was rarer.",
            {"Drug A improved sleep in men"},
        ),
        ("population changed", "Drug A improved sleep in women", "Men slept well.", {None}),
        (
            "population changed",
            "HbA1c fell in type 2 diabetes",
            "",
            {"HbA1c fell in type 1 diabetes"},
        ),
        (
            "arms swapped",
            "Ibuprofen was superior to placebo for pain",
            "",
            {"Placebo was superior to ibuprofen for pain"},
        ),
        (
            "arms swapped",
            "Pain was lower in group A than in group B",
            "",
            {"Pain was lower in group B than in group A"},
        ),
        (
            "arms swapped",
            "There was no difference: pain was lower with ibuprofen than with placebo",
            "",
            {None},
        ),
        (
            "figures of versus swapped",
            "Pain was lower (12% vs 20%)",
            "",
            {"Pain was lower (20% vs 12%)"},
        ),
        (
            "figures of versus swapped",
            "Pain was lower (1.2 versus 20 mm)",
            "",
            {"Pain was lower (20 versus 1.2 mm)"},
        ),
        ("figures of versus swapped", "Pain was similar (12% vs 20%)", "", {None}),
        (
            "all for a subgroup",
            "Mortality was reduced in women",
            "Men were included.",
            {"Mortality was reduced", "Mortality was reduced in all patients"},
        ),
        ("all for a subgroup", "Mortality was reduced in women", "", {None}),
        ("all for some or most", "Most patients improved", "", {"All patients improved"}),
        (
            "significance changed",
            "Pain was not significantly lower",
            "",
            {"Pain was significantly lower"},
        ),
        (
            "significance changed",
            "Pain was significantly lower",
            "",
            {"Pain was non-significantly lower"},
        ),
        (
            "significance changed",
            "There was a nonsignificant rise",
            "",
            {"There was a significant rise"},
        ),
        ("hedge dropped", "Drug A may reduce pain", "", {"Drug A will reduce pain"}),
        ("trial put over another design", "This retrospective study showed less pain", "", None),
        ("other design put over a trial", "Pain was lower", "We surveyed nurses.", {None}),
    ],
)
def test_a_word_that_carries_the_claim_is_changed(
    kind: str, text: str, more: str, edited: set[str | None] | None
) -> None:
    source = article(f"{text}. {more}", "Sleep and pain in a hospital")
    edit = (PHRASE_EDITS | DESIGN_EDITS)[kind]
    made = {
        found.text if (found := edit(text, source, random.Random(seed))) else None
        for seed in range(40)
    }
    if edited is None:
        assert all(
            told is not None
            and re.fullmatch(r"This .*randomi[sz]ed.* trial showed less pain", told)
            for told in made
        )
    else:
        assert made == edited


def test_designs_are_named_only_where_the_article_leaves_no_doubt() -> None:
    trial = article(
        "In all, 120 patients were randomised to drug A or placebo. Pain was lower.",
        "Drug A: a randomised trial",
    )
    assert design_of(trial) == "trial"
    assert true_opening(trial) == "A randomised trial of 120 participants concluded that "
    cohort = article(
        "This retrospective cohort study included 1,204 adults with asthma. Pain was lower.",
        "Drug A in asthma",
    )
    assert design_of(cohort) == "observational"
    assert (
        true_opening(cohort) == "A retrospective cohort study of 1,204 participants concluded that "
    )
    for text in (
        "A cohort within a randomised trial of 80 adults.",
        "We reviewed trials.",
        "Pain was lower in 40 adults.",
    ):
        assert design_of(article(text)) == ""
    part = article(
        "Of 2,182 patients, 536 were randomised to drug A or placebo.", "Drug A: a randomised trial"
    )
    assert true_opening(part) == ""
    opened = {
        edit.text
        for seed in range(30)
        if (
            edit := DESIGN_EDITS["other design put over a trial"](
                "pain was lower", trial, random.Random(seed)
            )
        )
    }
    assert len(opened) > 5
    assert all(told.endswith("pain was lower") and "randomi" not in told for told in opened)


def test_a_time_or_unit_that_the_article_has_is_not_put() -> None:
    source = article(
        "Pain was lower at 6 months, and at 12, 18 and 3 months too. Doses were 5 mg, 5 g or 5 µg."
    )
    assert (
        NUMBER_EDITS["timing changed"]("Pain was lower at 6 months", source, random.Random(0))
        is None
    )
    assert NUMBER_EDITS["unit changed"]("It fell with 5 mg", source, random.Random(0)) is None


def test_a_noun_is_foreign_only_where_the_article_does_not_name_its_concept() -> None:
    numbers = {
        "asthma": "C08.127",
        "epilepsy": "C10.228.490",
        "migraine": "C10.666.111",
        "status asthmaticus": "C08.127.500",
    }
    names = {name: frozenset({number}) for name, number in numbers.items()}
    synonyms = {number: frozenset({name}) for name, number in numbers.items()}
    synonyms["C10.228.490"] |= {"seizure disorder"}
    pool = tuple(Term(name, "condition", names[name]) for name in numbers)
    foreign = Foreign(names, synonyms, {"condition": pool, "treatment": (), "outcome": ()})
    text = "Drug A reduced symptoms of asthma in adults"

    def made(more: str) -> set[str]:
        edits = [
            foreign_noun(
                "condition", text, article(f"{text}. {more}"), foreign, random.Random(seed)
            )
            for seed in range(30)
        ]
        return {edit.new for edit in edits if edit is not None}

    assert made("") == {"epilepsy", "migraine"}
    assert made("None had a seizure disorder.") == {"migraine"}
    assert made("None had migraines or epilepsy.") == set()


def plain_words(text: str) -> str:
    return re.sub(r"\W+", " ", text.lower()).strip()


@pytest.mark.slow
@needs_shared
def test_every_kind_is_made_and_an_article_gives_one_pair() -> None:
    pairs = build_plain(4, 3, "even", SHARED)
    assert build_plain(4, 3, "even", SHARED) == pairs
    counts = Counter(pair.kind for pair in pairs)
    assert counts == {COPIED: 16, OPENED: 8, **dict.fromkeys(PLAIN_KINDS, 4)}
    assert len({pair.pmid for pair in pairs}) == len(pairs)
    for pair in pairs:
        assert int(pair.pmid) % 2 == 0
        assert pair.article.pmid == pair.pmid
        whole = f"{pair.article.title} {pair.article.abstract}".lower()
        assert (pair.sentence == pair.plain) is (pair.kind in TRUE_COPIES), pair.id
        if pair.kind == COPIED:
            assert plain_words(pair.source).endswith(plain_words(pair.sentence)[-25:])
        if pair.kind == OPENED:
            assert re.match(r"An? [a-z -]+ of [\d,]+ participants concluded that ", pair.sentence)
        if pair.kind.startswith("foreign "):
            assert pair.new.lower() not in whole, pair.id
            assert pair.new in pair.sentence


def test_rates_count_verdicts_that_nobody_knew() -> None:
    counts = Counter({"supported": 1, "not_verified": 2, "odd": 1, "contradicted": 6})
    lines = "\n".join(
        lines_of("unit changed", counts, Bars(most_supported=0.1, least_condemned=0.6))
    )
    assert re.search(r"supported +10\.0 %  \(1/10.*<= 10 % reached", lines)
    assert re.search(r"condemned +60\.0 %  \(6/10.*>= 60 % reached", lines)
    assert "not verified 20.0 %" in lines
    assert "odd 10.0 %" in lines
    named = measures("unit changed", counts)
    assert (
        named["unit_changed_n"],
        named["unit_changed_condemned"],
        named["unit_changed_odd"],
    ) == (10, 0.6, 0.1)
    assert worst(["supported", "not_verified", "partial"]) == "not_verified"
    assert worst([]) == "uncited"
