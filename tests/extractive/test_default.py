"""The answer without a language model: concepts, ranking, quotations, the answer."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.extractive.answer import answer, quoted
from clinfo.extractive.asking import understood, write_keywords, write_query
from clinfo.extractive.concepts import concepts, coverage, named_somewhere, why_none
from clinfo.extractive.model import ExtractiveModel
from clinfo.pipelines.literature.stages import LITERATURE
from clinfo.pubmed.query import parse
from clinfo.records.articles import Article, Author, Section, Study, text_of
from clinfo.runs.protocols import ChatModel, ModelRequest

QUESTION = "Does zinc shorten the common cold in children?"
MODEL: ChatModel = ExtractiveModel(LITERATURE.stages)


def article(n: int, title: str, *sections: tuple[str | None, str], **more: Any) -> Article:
    parts = tuple(Section(text, label) for label, text in sections)
    return Article(id=f"pmid:{n}", pmid=str(n), title=title, sections=parts, **more)


TRIAL = article(
    1,
    "Zinc for the common cold: a randomized trial",
    ("BACKGROUND", "Zinc may shorten the common cold by 50% (p<0.001) in theory."),
    ("METHODS", "We gave 13.3 mg of zinc to 99 children."),
    (
        "RESULTS",
        "The mean age was 7.5 years. With zinc the common cold was 2.4 days shorter (95% CI 1.1 to "
        "3.7). Nausea was seen in 29%.",
    ),
    ("CONCLUSIONS", "Zinc shortened the common cold. More research is needed."),
    authors=(Author("Mossad"), Author("Macknin")),
)
OTHER = article(2, "Vitamin C and fatigue", ("CONCLUSIONS", "Vitamin C did nothing."))
PROTOCOL = article(
    3,
    "Zinc lozenges for the common cold in children: study protocol",
    ("DISCUSSION", "Zinc and the common cold will be studied in children; zinc is cheap."),
)
TITLE_ONLY = article(4, "Zinc and the common cold")


def studies(*articles: Article) -> tuple[Study, ...]:
    return tuple(Study(n, one, None) for n, one in enumerate(articles, 1))


def ask(stage: str, seed: int | None = None, **variables: Any) -> str:
    return asyncio.run(MODEL.complete(ModelRequest(stage, (), variables, seed=seed))).text


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Do ACE inhibitors slow kidney disease?", ["ACE inhibitors", "kidney disease"]),
        ("Is metformin safe in patients with heart failure?", ["metformin", "heart failure"]),
        ("Does zorvolimab help asthma?", ["zorvolimab", "asthma"]),
        ("Does intra-articular morphine help?", ["intra-articular", "morphine"]),
        ("Is bupropion good for ADHD?", ["bupropion", "ADHD"]),
        ("What is better for people?", []),
        ("", []),
    ],
)
def test_a_question_is_cut_into_the_longest_names(question: str, expected: list[str]) -> None:
    assert [one.text for one in concepts(question)] == expected


def test_what_an_article_lacks_is_said() -> None:
    said = coverage("Does zinc prevent malaria?", TRIAL).reason
    assert said == "Mentions zinc; no mention of malaria."
    assert "mention nothing of what is asked" in coverage("Does zinc help?", OTHER).reason


def test_a_lay_word_that_no_record_has_keeps_none_out_and_a_treatment_does() -> None:
    asked = named_somewhere("Does zinc shorten a cold in spelunkers?", [TRIAL, OTHER])
    assert coverage(asked, TRIAL).enough
    strict = "Does semaglutide shorten the common cold?"
    assert named_somewhere(strict, [TRIAL]) == strict
    assert not coverage(strict, TRIAL).enough


def test_where_no_record_is_relevant_it_is_said_what_none_names() -> None:
    assert (
        why_none("Does zinc cure malaria?", [TRIAL])
        == "No record found has words known here for malaria."
    )
    apart = [OTHER, article(22, "Zinc in gout", COLDS)]
    asked = "Does zinc help fatigue?"
    assert (
        why_none(asked, apart) == "No record found has words known here for both zinc and fatigue."
    )
    assert (
        why_none("Is it good?", [TRIAL])
        == "No record found has words known here for what is asked."
    )


def test_the_size_of_an_effect_is_quoted_before_p_alone() -> None:
    both = article(
        23,
        "Zinc for colds in children",
        (
            "RESULTS",
            "Zinc shortened the common cold (P < 0.001). "
            "The common cold lasted over a week in 5% with zinc and in 22% without.",
        ),
        ("CONCLUSIONS", "Zinc shortened the common cold."),
    )
    found = quoted(both, QUESTION)
    assert found.result is not None
    assert "22%" in found.result.text


def test_the_conclusion_is_quoted_whole_with_the_nearest_result() -> None:
    found = quoted(TRIAL, QUESTION)
    assert [one.text for one in found.conclusion] == [
        "Zinc shortened the common cold.",
        "More research is needed.",
    ]
    assert found.result is not None
    assert found.result.text.startswith("With zinc the common cold was 2.4 days shorter")
    for one in (*found.conclusion, found.result):
        assert TRIAL.abstract[one.start : one.end] == one.text


def test_background_and_doses_are_no_results() -> None:
    bare = replace(TRIAL, sections=TRIAL.sections[:2])
    assert quoted(bare, QUESTION).result is None
    dose = article(5, "Zinc", ("RESULTS", "Zinc 13.3 mg/day was taken."), ("CONCLUSIONS", "Fine."))
    assert quoted(dose, QUESTION).result is None


def test_an_abstract_without_labels_is_quoted_with_its_last_two_sentences() -> None:
    text = "Zinc was given to 40 adults. None died. Colds lasted 4.5 days (p=0.02) with zinc. "
    text += "We conclude that zinc helps. It is cheap."
    found = quoted(article(6, "Zinc", (None, text)), QUESTION)
    assert [one.text for one in found.conclusion] == [
        "We conclude that zinc helps.",
        "It is cheap.",
    ]
    assert found.result is not None
    assert quoted(TITLE_ONLY, QUESTION).conclusion == ()


def test_every_sentence_of_the_answer_is_a_quotation_with_its_place() -> None:
    second = replace(TRIAL, id="pmid:8", pmid="8", title="Zinc and the common cold", authors=())
    known = studies(TITLE_ONLY, TRIAL, PROTOCOL, second)
    found = answer("synthesis", QUESTION, known)
    assert {one.verdict for one in found} == {"quoted"}
    by_number = {study.n: study.article for study in known}
    for one in found:
        assert one.judges == ()
        pieces = [by_number[span.n].abstract[span.start : span.end] for span in one.spans]
        assert one.text == f"“{' '.join(pieces)}” [{one.cites[0]}]"
    assert found[0].cites == (2,)
    assert "Mossad et al., randomised trial: " in found[0].lead
    assert {one.cites for one in found} == {(2,), (4,)}  # a protocol has found nothing yet
    assert next(one.lead for one in found if one.cites == (4,)) == "\n\nStudy: "


def test_the_tldr_counts_and_singles_out_no_study() -> None:
    (tldr,) = answer("tldr", QUESTION, studies(OTHER, TRIAL))
    said = "2 studies were found; nothing was judged. Quoted below: [2]"
    assert text_of([tldr]) == said
    assert answer("tldr", QUESTION, ()) == ()
    assert answer("tldr", QUESTION, studies(PROTOCOL)) == ()


COLDS = ("CONCLUSIONS", "Zinc shortened the common cold.")
SHORTEN = "Does zinc shorten the common cold?"


@pytest.mark.parametrize(
    ("other", "kept"),
    [
        (article(44, "Zinc for the common cold", COLDS, mesh=("Animals",)), False),
        (article(45, "Zinc in a cold", COLDS, publication_types=("Case Reports",)), True),
        (article(46, "Zinc for the common cold", ("METHODS", "Zinc is given."), COLDS), False),
        (article(47, "Zinc: a meta-analysis", ("CONCLUSIONS", "Zinc cured warts.")), False),
        (article(48, "Zinc in a cold of short duration", COLDS), True),
    ],
)
def test_what_has_found_nothing_in_people_or_names_no_condition_is_not_quoted(
    other: Article, kept: bool
) -> None:
    (tldr,) = answer("tldr", SHORTEN, studies(other, TRIAL))
    assert tldr.cites == ((2, 1) if kept else (2,))


def test_studies_stand_by_how_much_they_name_then_by_design() -> None:
    open_study = article(51, "Zinc in the common cold", COLDS)
    pooled = article(54, "Zinc in the common cold: a meta-analysis", COLDS)
    in_children = article(55, "Zinc in the common cold of children", COLDS)
    known = studies(open_study, pooled, in_children)
    assert answer("tldr", SHORTEN, known)[0].cites == (2, 1, 3)
    assert answer("tldr", QUESTION, known)[0].cites == (3, 2, 1)


@pytest.mark.parametrize(
    ("question", "lacking"),
    [
        (SHORTEN, ""),
        ("Does zinc shorten the acute common cold?", "“acute”"),
        (QUESTION, "“children”"),
        ("Does zinc reduce mortality in the common cold?", "“mortality”"),
        ("Does zinc shorten the common cold in people without asthma?", "“asthma”"),
        ("Does zinc shorten the common cold in people without gout?", ""),
        ("Does prone positioning shorten the common cold?", "“positioning”"),
        ("Does zorvolimab shorten the common cold?", "“zorvolimab”"),
        ("Does zinc clear head lice?", "“head lice”"),
    ],
)
def test_what_title_and_abstract_do_not_name_is_told(question: str, lacking: str) -> None:
    """Headings are the indexer's; quality of life is no length of it."""
    told = ("RESULTS", "Life was better in adults with asthma without gout.")
    one = article(61, "Zinc for the common cold", told, COLDS, mesh=("Child", "Mortality"))
    (tldr,) = answer("tldr", question, studies(one))
    first = answer("synthesis", question, studies(one))[0].lead
    assert ("None of those quoted has the words" in tldr.lead) is bool(lacking)
    assert lacking in tldr.lead
    assert lacking in first
    assert ("these words" in first) is bool(lacking)


def test_another_name_of_a_thing_and_another_spelling_name_it() -> None:
    told = ("CONCLUSIONS", "Omeprazole healed gastroesophageal ulcers of paediatric patients.")
    one = article(62, "Omeprazole", told)
    question = "Do PPIs heal a gastro-oesophageal ulcer in pediatric patients?"
    assert "these words" not in answer("synthesis", question, studies(one))[0].lead


@pytest.mark.parametrize("question", [QUESTION, "Does yoga improve cardiovascular risk factors?"])
def test_queries_can_be_read_and_differ(question: str) -> None:
    queries: list[str] = []
    for seed in range(3):
        queries.append(write_query(question, seed, tuple(queries)))
        assert parse(queries[-1])
    assert len(set(queries)) == 3
    assert "random*" in queries[2]


def test_a_word_that_no_vocabulary_has_is_asked_for_beside_the_first_concept() -> None:
    asked = "Which test confirms cure of Helicobacter pylori?"
    assert write_query(asked, 1) == "(Helicobacter pylori) AND (test OR confirms OR cure)"
    assert [one.text for one in concepts("Is a non-drowsy zorvolimab good?") if one.main] == [
        "zorvolimab"
    ]


@given(st.text(max_size=200), st.integers(0, 5))
def test_any_text_gives_a_query_and_an_answer_without_a_fault(text: str, seed: int) -> None:
    assert isinstance(write_query(text, seed), str)
    assert isinstance(write_keywords(text, seed), str)
    assert set(understood(text)) == {"population", "intervention", "comparator", "outcome"}
    assert coverage(text, TRIAL).reason
    assert all(one.verdict == "quoted" for one in answer("synthesis", text, studies(TRIAL)))


def test_the_rules_of_a_stage_leave_the_event_loop_free_and_answer_in_order() -> None:
    """Each reply waits until the loop has answered it, which it cannot do while it is read there;
    the first is the slowest.
    """
    order: list[int] = []

    async def go() -> None:
        loop = asyncio.get_running_loop()

        def by_rule(variables: Any, seed: int) -> str:
            answered = threading.Event()
            turns = 50 - seed

            def turn(left: int) -> None:
                if left:
                    loop.call_soon(turn, left - 1)
                else:
                    answered.set()

            loop.call_soon_threadsafe(turn, turns)
            assert answered.wait(10), "the event loop was kept busy"
            return str(seed)

        model = ExtractiveModel([replace(LITERATURE.stages[0], by_rule=by_rule)])
        stage = LITERATURE.stages[0].name

        async def one(seed: int) -> None:
            order.append(int((await model.complete(ModelRequest(stage, (), seed=seed))).text))

        await asyncio.gather(*map(one, range(20)))

    asyncio.run(go())
    assert order == list(range(20))


def test_reports_of_one_study_are_one_and_a_notice_is_none() -> None:
    meeting = replace(TRIAL, id="pmid:31", pmid="31", databank_numbers=("NCT00000001",))
    full = article(
        32,
        "Zinc for the common cold: a randomized trial",
        *((one.label, f"{one.text} {one.text}") for one in TRIAL.sections),
        databank_numbers=("NCT00000001",),
    )
    erratum = replace(TRIAL, id="pmid:33", pmid="33", publication_types=("Published Erratum",))
    (tldr,) = answer("tldr", QUESTION, studies(meeting, full, erratum))
    assert tldr.lead == "1 study was found; nothing was judged. "
    assert tldr.cites == (2,)
    assert [one.text for one in concepts("What cures H. pylori?")] == ["H. pylori"]
