"""The strategy pico: reading what a model understood, and the queries made of it."""

import asyncio
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.own import retrieval
from clinfo.errors import ModelError
from clinfo.pipelines.literature.replies import PicoTerms
from clinfo.pipelines.literature.search.question2query import (
    CONTROLLED,
    STUDIES,
    pico_of,
    understand,
    write_queries,
)
from clinfo.pipelines.literature.stages import PROMPTS
from clinfo.pubmed.query import parse as read_query
from clinfo.records.articles import Pico
from clinfo.runs.protocols import ModelReply, ModelRequest
from clinfo.runs.replies import layout_of, read, schema_of
from tests.shared_data import SHARED, needs_shared

QUESTION = "Do opioids reduce pain in adults with osteoarthritis?"
PROMPT = PROMPTS.parse("pico", PROMPTS.defaults()["pico"])


def written(pico: Pico) -> dict[str | None, str]:
    return {one.breadth: one.text for one in write_queries(pico)}


class Replies:
    """Answers with these texts in turn and keeps the requests."""

    def __init__(self, *texts: str) -> None:
        self.texts = list(texts)
        self.calls: list[tuple[str, ModelRequest]] = []

    async def __call__(self, call: str, request: ModelRequest) -> ModelReply:
        self.calls.append((call, request))
        return ModelReply(self.texts.pop(0), "queue")


# understanding


def test_the_model_is_asked_for_json_and_once_again_where_it_is_unreadable() -> None:
    ask = Replies(
        "I cannot say.", 'Here:\n```json\n{"intervention": ["opioids"], "outcome": "pain"}\n```'
    )
    pico = asyncio.run(understand(QUESTION, 7, PROMPT, ask))
    assert pico == Pico(intervention=("opioids",), outcome=("pain",))
    (first, asked), (second, again) = ask.calls
    assert (first, second) == ("question2query pico", "question2query pico again")
    assert (asked.stage, asked.schema, asked.seed, asked.attempt, again.attempt) == (
        "question2query",
        schema_of(PicoTerms),
        7,
        0,
        1,
    )
    assert asked.variables == {"question": QUESTION, "form": "pico"}
    assert QUESTION in asked.messages[-1].content
    assert asked.layout == layout_of(PicoTerms)
    assert layout_of(PicoTerms) in again.messages[-1].content
    assert again.messages[-2].content == "I cannot say."


def test_two_replies_without_a_term_are_an_error() -> None:
    nothing = (
        '{"population": [], "intervention": ["treatment", ""], "comparator": null, "outcome": "not '
        'stated"}'
    )
    with pytest.raises(ModelError, match="what the question is about") as raised:
        asyncio.run(understand(QUESTION, 0, PROMPT, Replies(nothing, "[]")))
    assert QUESTION not in str(raised.value)


def parse_pico(reply: str) -> Pico | None:
    said = read(PicoTerms, reply)
    return None if said is None else pico_of(said)


@pytest.mark.parametrize(
    ("reply", "pico"),
    [
        ('{"population": "asthma; hay fever"}', Pico(population=("asthma", "hay fever"))),
        (
            '{"Intervention": null, "Outcomes": [["falls"], {"term": "fractures"}]}',
            Pico(outcome=("falls", "fractures")),
        ),
        ('{"pico": {"P": ["COPD"], "I": "tiotropium"}}', Pico(("COPD",), ("tiotropium",))),
        ('{"intervention": ["yoga", "Yoga", 3, true]}', Pico(intervention=("yoga",))),
        (
            '{"population": ["asthma"], "outcome": ["asthmas", "death"]}',
            Pico(("asthma",), outcome=("death",)),
        ),
        ('{"comparison": ["placebo"], "note": "x"}', Pico(comparator=("placebo",))),
        ('{"intervention": ["drug", "effect of treatment"]}', None),
        ("{}", None),
        ("population: asthma", Pico(population=("asthma",))),
        ('{"pico": "asthma"}', None),
    ],
)
def test_replies_of_many_shapes(reply: str, pico: Pico | None) -> None:
    assert parse_pico(reply) == pico


# queries


def test_three_breadths() -> None:
    pico = Pico(("osteoarthritis",), ("yoga", "tai chi"), ("zinc",), ("falls",))
    queries = write_queries(pico)
    assert [(query.index, query.seed) for query in queries] == [(0, None), (1, None), (2, None)]
    given = "(yoga OR (tai chi))"
    assert {query.breadth: query.text for query in queries} == {
        "strict": f"{given} AND osteoarthritis AND falls AND zinc",
        "standard": f"{given} AND osteoarthritis",
        "wide": f"{given} AND (osteoarthritis OR falls OR zinc)",
    }


def test_studies_stand_in_for_what_is_not_named() -> None:
    both = written(Pico(("osteoarthritis",), ("yoga",)))
    assert both["strict"] == f"yoga AND osteoarthritis AND {CONTROLLED}"
    alone = written(Pico(intervention=("effect of yoga treatment",)))
    assert alone == {"strict": f"yoga AND {CONTROLLED}", "wide": f"yoga AND {STUDIES}"}


def test_people_alone_stand_in_the_narrowest_query_only() -> None:
    texts = written(Pico(("elderly",), ("vitamin D supplementation",), (), ("falls",)))
    assert texts["standard"] == "(vitamin D) AND falls"
    assert texts["strict"] == f"(elderly) AND {texts['standard']}"


def test_a_class_of_drugs_opens_to_its_members() -> None:
    for query in write_queries(Pico(("hypertension",), ("β-blockers",))):
        assert "atenolol[tiab]" in query.text
        assert read_query(query.text).remarks == ()
    newer = write_queries(Pico(("schizophrenia",), ("newer atypical antipsychotics",)))[1].text
    assert "olanzapine[tiab]" in newer
    assert "haloperidol" not in newer


TERMS = st.lists(
    st.sampled_from(
        [
            "opioids",
            "long-acting opioids",
            "NSAIDs",
            "vitamin D",
            "COX-2 inhibitors",
            "type 2 diabetes",
            "elderly",
        ]
    )
    | st.text(max_size=20)
    | st.text(alphabet='abcdé OR()[]"*-:/', max_size=20),
    max_size=3,
)


@given(TERMS, TERMS, TERMS)
@example([], [], ["꩐:0A"])
@example([], [], ["ำ"])
def test_every_query_is_one_that_pubmed_reads_as_it_is_meant(
    population: list[str], intervention: list[str], outcome: list[str]
) -> None:
    pico = Pico(tuple(population), tuple(intervention), (), tuple(outcome))
    texts = [query.text for query in write_queries(pico)]
    assert len(texts) == len(set(texts)) <= 3
    for text in texts:
        read = read_query(text)
        assert read.tree is not None
        codes = {remark.code for remark in read.remarks} - {"stopword"}
        beside = {"other-script", "dangling-operator"}  # of a part that is of other scripts alone
        assert not codes or ("other-script" in codes and codes <= beside)
        assert not re.search(r"\(\)|\bAND AND\b|\bOR OR\b", text)


# what it is for


@pytest.mark.slow
@needs_shared
def test_it_finds_more_included_studies_than_the_title() -> None:
    rows = retrieval.rows(SHARED)[0]
    mean = {
        way: sum(row.recall[way][-1] for row in rows if row.recall) / len(rows)
        for way in retrieval.WAYS
    }
    assert mean["pico"] >= mean["BM25"] + 0.05
    held_out = [row.recall for row in rows if row.recall and row.review.name not in retrieval.TUNED]
    assert sum(one["pico"][-1] for one in held_out) > sum(one["BM25"][-1] for one in held_out)
