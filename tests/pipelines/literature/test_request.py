"""Requests: what is refused, how it is said, and what comes out."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.errors import FieldError
from clinfo.pipelines.literature.request import MAX_QUESTION, checked, checked_question
from clinfo.pipelines.literature.stages import MODEL_STAGES

QUESTION = "Does zinc shorten the common cold?"


def ask(**fields):
    return checked(**{"question": QUESTION, "model": "extractive", **fields})


def fault(**fields):
    with pytest.raises(FieldError) as caught:
        ask(**fields)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_status == 2
    return caught.value


def refusal(**fields):
    """The error that a request of these fields is refused with, or None."""
    try:
        ask(**fields)
    except FieldError as error:
        return error
    return None


def test_a_plain_request():
    request = ask()
    assert request.question == QUESTION
    assert request.models == dict.fromkeys(MODEL_STAGES, "extractive")
    assert (request.source, request.regime, request.queries, request.per_query) == (
        "pubmed",
        "unrestricted",
        3,
        16,
    )


def test_everything_given():
    request = ask(
        models={"tldr": "small"},
        source="demo",
        query=["zinc AND cold"],
        filter="english[la]",
        queries=2,
        per_query=20,
        max_articles=50,
        rerank=10,
        seed=7,
        max_cost=0,
        max_seconds=12.5,
        repair=False,
        fresh=True,
        strict=True,
        prompts={"tldr": " {question} {synthesis}\n"},
        **{"from": "2001", "to": "2020-02"},
    )
    assert request.models == {**dict.fromkeys(MODEL_STAGES, "extractive"), "tldr": "small"}
    assert (request.published_from, request.published_to) == (date(2001, 1, 1), date(2020, 2, 29))
    assert request.own_queries == ("zinc AND cold",)
    assert request.max_cost == 0.0
    assert request.prompts == {"tldr": " {question} {synthesis}\n"}
    assert not request.repair


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("", "is empty"),
        (" \n\t", "is empty"),
        (None, "is empty"),
        (17, "must be text"),
        (["Does zinc help?"], "must be text"),
        ("?!… ---", "no word"),
        ("2019 / 2020?", "no word"),
        ("x" * 10_000, "10,000 characters"),
        ("zinc\0cold", "NUL"),
        ("zinc\x1b[31mcold", "U+001B"),
        ("zinc \udcff", "UTF-8"),
        ("亜鉛は風邪に効きますか", "English"),
        ("Помогает ли цинк при простуде?", "English"),
    ],
)
def test_questions_that_cannot_be_searched(question, said):
    error = fault(question=question)
    assert error.field == "question"
    assert said in str(error)


@pytest.mark.parametrize(
    "question",
    [
        "COVID-19 の治療は?",
        "Hilft Zink bei Erkältung?",
        "100% of {patients} \\ 5%?",
        "α-blockers, yes?\nOr no?",
    ],
)
def test_questions_that_go_on(question):
    assert checked_question(f"  {question} ") == question


@given(st.text(max_size=MAX_QUESTION + 10))
def test_any_text_is_taken_or_refused_in_one_line_that_does_not_repeat_it(text):
    error = refusal(question=text)
    assert error is None or (
        "\n" not in str(error) and len(str(error)) < 120 and error.field == "question"
    )
    assert error is not None or checked_question(text) == text.strip()


@pytest.mark.parametrize(
    ("loose", "exact"),
    [
        ({"from": 2020, "to": 2021.0}, {"from": "2020", "to": "2021"}),
        ({"known": 17}, {"known": "17"}),
        ({"known": " ", "query": [" ", None], "filter": "", "limits": []}, {}),
        ({"query": "zinc", "limits": "humans"}, {"query": ["zinc"], "limits": ["humans"]}),
        ({"limits": '["humans", ""]'}, {"limits": ["humans"]}),
        ({"max_articles": "12", "queries": 3.0}, {"max_articles": 12, "queries": 3}),
        ({"max_cost": "0.5", "strict": "TRUE"}, {"max_cost": 0.5, "strict": True}),
        ({"source": " ", "seed": "", "strict": None, "max_seconds": "  "}, {}),
        ({"regime": "Unrestricted"}, {"regime": "unrestricted"}),
    ],
)
def test_what_a_form_or_a_model_leaves_loose_is_taken(loose, exact):
    assert checked(question=QUESTION, model="m", **loose) == checked(
        question=QUESTION, model="m", **exact
    )


@pytest.mark.parametrize(
    ("fields", "field", "said"),
    [
        ({"source": "pubmde"}, "source", "pubmed, semantic-scholar, local, demo"),
        ({"source": "/etc/passwd.xml"}, "source", "unknown"),
        ({"regime": "closed"}, "regime", "source-dropped"),
        ({"regime": "restricted"}, "before", "needs a day"),
        ({"regime": "restricted", "before": "2020-01"}, "before", "complete date"),
        ({"before": "2020-01-01"}, "before", "with the restricted regime"),
        ({"regime": "source-dropped"}, "drop", "at least one"),
        ({"regime": "source-dropped", "drop": ["12x"]}, "drop", "not a PMID"),
        ({"regime": "source-dropped", "drop": ["٣"]}, "drop", "not a PMID"),
        ({"drop": ["123"]}, "drop", "with the source-dropped regime"),
        ({"from": "2020-13"}, "from", "not a valid date"),
        ({"to": "2021-02-29"}, "to", "not a valid date"),
        ({"to": "0000"}, "to", "not a valid date"),
        ({"from": "01/02/2020"}, "from", "YYYY"),
        ({"from": "2021", "to": "2020-12"}, "from", "after"),
        ({"queries": 0}, "queries", "1 to 20"),
        ({"per_query": -3}, "per_query", "1 to"),
        ({"max_articles": True}, "max_articles", "whole number"),
        ({"rerank": 0}, "rerank", "1 to"),
        ({"chase": -1}, "chase", "0 to 50"),
        ({"chase": 51}, "chase", "0 to 50"),
        ({"chase": 2.5}, "chase", "whole number"),
        ({"strategy": "picos"}, "strategy", "seeds, kinds, pico"),
        ({"strategy": "pico", "query": ["zinc"]}, "strategy", "combined with your queries"),
        ({"known": ["1, 2, x"]}, "known", "not a PMID"),
        ({"known": ",".join(map(str, range(1, 1002)))}, "known", "1,001 studies"),
        ({"term_counts": 1}, "term_counts", "true or false"),
        ({"seed": -1}, "seed", "0 to"),
        ({"max_cost": -0.5}, "max_cost", "from 0"),
        ({"max_cost": float("nan")}, "max_cost", "from 0"),
        ({"max_seconds": 0}, "max_seconds", "above 0"),
        ({"max_seconds": float("inf")}, "max_seconds", "above 0"),
        ({"max_seconds": 10**400}, "max_seconds", "above 0"),
        ({"filter": "english\0[la]"}, "filter", "NUL"),
        ({"filter": "english[la]) OR (cats"}, "filter", ") has no partner"),
        ({"filter": "(english[la]"}, "filter", "( has no partner"),
        ({"filter": "english[la"}, "filter", "[ has no partner"),
        ({"filter": 'english[la] AND "cats'}, "filter", '" has no partner'),
        ({"filter": "(english[la)]"}, "filter", "[ has no partner"),
        (
            {"query": ['zinc AND "cold'], "filter": "english[la]"},
            "query",
            "combined with a filter or dates",
        ),
        (
            {"query": ["zinc", "zinc) OR (cold"], "from": "2020"},
            "query",
            "combined with a filter or dates",
        ),
        (
            {"query": ["zinc (cold"], "regime": "restricted", "before": "2020-01-01"},
            "query",
            "combined with a filter or dates",
        ),
        ({"limits": ["humanz"]}, "limits", "humans, adults"),
        ({"limits": 3}, "limits", "unknown"),
        ({"limits": [["humans"]]}, "limits", "unknown"),
        (
            {"limits": ["rct"], "source": "semantic-scholar"},
            "limits",
            "cannot be applied at semantic-scholar",
        ),
        ({"limits": ["rct"], "query": ["zinc (cold"]}, "query", "combined with a filter or dates"),
        ({"models": {"judging": "x"}}, "models", "question2query"),
        ({"prompts": {"haiku": "x"}}, "prompts", "tldr"),
        ({"prompts": {"tldr": ""}}, "prompts", "the prompt tldr is empty"),
        ({"prompts": {"tldr": 3}}, "prompts", "the prompt tldr must be text"),
        ({"max_cost": 1e10}, "max_cost", "to 1,000,000,000"),
        ({"strict": "yes"}, "strict", "true or false"),
        ({"colour": "blue"}, "colour", "unknown field"),
    ],
)
def test_what_is_refused_names_its_field(fields, field, said):
    error = fault(**fields)
    assert error.field == field
    assert said in error.fault


def test_a_query_goes_as_it_is_where_nothing_stands_beside_it():
    assert ask(query=['zinc AND "cold', "zinc) OR (cold"]).own_queries == (
        'zinc AND "cold',
        "zinc) OR (cold",
    )
    assert ask(
        query=['"a (b" AND (zinc[ti] OR “x)”)'], filter='(english[la] OR "a ] b"[ti])'
    ).filter.startswith("(english")


def test_how_the_search_is_done_and_shown():
    request = ask(
        strategy="pico",
        chase=5,
        known=["12, 13;14\n", "13", "15 16"],
        term_counts=True,
        per_query=200,
    )
    assert (request.strategy, request.chase, request.term_counts, request.per_query) == (
        "pico",
        5,
        True,
        200,
    )
    assert request.known == ("12", "13", "14", "15", "16")
    assert ask(known="7").known == ("7",)
    assert ask(known="# of the guideline of 2024\r\n12\n  // 13, withdrawn\n14\n").known == (
        "12",
        "14",
    )
    assert (ask().strategy, ask().chase, ask().known, ask().term_counts) == ("seeds", 0, (), False)


def test_every_stage_needs_a_model():
    with pytest.raises(FieldError, match=r"model: no model is chosen$"):
        checked(question=QUESTION)
    others = ", ".join(stage for stage in MODEL_STAGES if stage != "tldr")
    with pytest.raises(FieldError, match=f"no model is chosen for {others}$"):
        checked(question=QUESTION, models={"tldr": "small"})


def test_a_citation_file_is_a_source_only_where_files_are_allowed(tmp_path):
    file = tmp_path / "mine.xml.gz"
    file.touch()
    assert checked(
        files=True, question=QUESTION, model="extractive", source=str(file)
    ).source == str(file)
    assert "unknown" in fault(source=str(file)).fault
    for source, said in (
        (str(tmp_path / "missing.xml"), "does not exist"),
        ("notes.doc", "citation file"),
        ("x" * 300 + ".xml", "cannot be read"),
    ):
        with pytest.raises(FieldError, match=said):
            checked(files=True, question=QUESTION, model="extractive", source=source)


_SOME = [
    "queries",
    "max_cost",
    "strategy",
    "known",
    "chase",
    "from",
    "drop",
    "query",
    "models",
    "prompts",
    "source",
]


@given(
    st.dictionaries(
        st.sampled_from(_SOME),
        st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text()),
    )
)
def test_no_value_whatever_leads_to_another_error(fields):
    error = refusal(**fields)
    assert error is None or error.field in fields
