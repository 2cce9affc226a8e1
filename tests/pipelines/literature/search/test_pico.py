"""The strategy pico: reading what a model understood, and the queries made of it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.own import retrieval
from clinfo.errors import ModelError, SourceError
from clinfo.pipelines.literature.replies import PicoTerms
from clinfo.pipelines.literature.search.question2query import (
    CONTROLLED,
    NO_LOOKUP,
    STUDIES,
    pico_of,
    understand,
    write_queries,
)
from clinfo.pipelines.literature.stages import PROMPTS
from clinfo.pubmed.expand import members
from clinfo.pubmed.query import parse as read_query
from clinfo.records.articles import MeshDescriptor, MeshMatch, Pico, Query
from clinfo.runs.protocols import ModelReply, ModelRequest
from clinfo.runs.replies import layout_of, read, schema_of
from clinfo.sources.mesh_lookup import MeshLookup
from clinfo.terms.drug_classes import classes
from clinfo.text.words import key
from tests.shared_data import SHARED, needs_shared

QUESTION = "Do opioids reduce pain in adults with osteoarthritis?"
PROMPT = PROMPTS.parse("pico", PROMPTS.defaults()["pico"])

HEADINGS = (
    MeshDescriptor(
        "D000701",
        "Analgesics, Opioid",
        (
            "opioids",
            "Opioid Analgesics",
            "opioid mixed agonist-antagonists",
            "agonists, opioid partial",
        ),
        ("D27.505.696.277.600.500",),
    ),
    MeshDescriptor(
        "D010003",
        "Osteoarthritis",
        ("Arthritis, Degenerative", "Degenerative Arthritis"),
        ("C05.550.114.606",),
    ),
    MeshDescriptor("D010146", "Pain", ("Ache", "Pain, Burning"), ("C23.888.592.612",)),
    MeshDescriptor("D014807", "Vitamin D", ("Calciferols",), ("D04.210.500.812.768",)),
    MeshDescriptor("D000368", "Aged", ("Elderly",), ("M01.060.116.100",)),
    MeshDescriptor(
        "D001990", "Anti-Infective Agents", ("Anti-Infective Agents",), ("D27.505.954.122",)
    ),
)


class Headings:
    """MeSH of a few headings; it remembers what it was asked, and fails where it is told to."""

    def __init__(self, fail: bool = False) -> None:
        self.fail = fail
        self.asked: list[tuple[str, ...]] = []

    async def match(self, texts: Sequence[str]) -> Mapping[str, MeshMatch]:
        self.asked.append(tuple(texts))
        if self.fail:
            raise SourceError("MeSH is away")
        return {text: self._match(text) for text in texts}

    def _match(self, text: str) -> MeshMatch:
        for one in HEADINGS:
            if key(text) == key(one.heading):
                return MeshMatch(text, "heading", one)
            if key(text) in map(key, one.entry_terms):
                return MeshMatch(text, "entry term", one)
        return MeshMatch(text, "unknown")


MEMBERS = {term for one in classes().values() for term in members(one.members)}


def closed(text: str) -> str:
    """The text without the members to which classes of drugs are opened."""
    terms = "|".join(re.escape(term) for term in sorted(MEMBERS, key=len, reverse=True))
    text = re.sub(f" OR (?:{terms})", "", text)
    return re.sub(r'\((opioids|[^ ()]*\[tiab\]|"[^"]*"\[tiab\])\)', r"\1", text)


def written(pico: Pico, lookup: MeshLookup | None = None) -> dict[str | None, str]:
    return {query.breadth: closed(query.text) for query in asyncio.run(write_queries(pico, lookup))}


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


def test_three_breadths_with_headings_and_entry_terms() -> None:
    pico = Pico(("osteoarthritis",), ("opioids", "tramadol"), ("placebo",), ("pain",))
    queries = asyncio.run(write_queries(pico, Headings()))
    assert [(query.index, query.breadth, query.seed, query.remarks) for query in queries] == [
        (0, "strict", None, ()),
        (1, "standard", None, ()),
        (2, "wide", None, ()),
    ]
    population = (
        '("Osteoarthritis"[mh] OR osteoarthritis*[tiab] OR "degenerative arthritis*"[tiab])'
    )
    intervention = '("Analgesics, Opioid"[mh] OR opioid*[tiab] OR tramadol*[tiab])'
    assert closed(queries[1].text) == f"{population} AND {intervention}"
    assert closed(queries[0].text) == (
        f'{population} AND {intervention} AND placebo*[tiab] AND ("Pain"[mh] OR pain[tiab] OR '
        "ache[tiab])"
    )
    assert (
        closed(queries[2].text) == "osteoarthritis AND ((opioids OR tramadol) OR placebo OR pain)"
    )


def test_studies_stand_in_for_what_is_not_named() -> None:
    texts = written(Pico(("osteoarthritis",), ("tramadol",)), Headings())
    assert texts["strict"] == f"{texts['standard']} AND {CONTROLLED}"
    alone = written(Pico(intervention=("newer opioids",)), Headings())
    block = '("Analgesics, Opioid"[mh] OR opioid*[tiab])'
    assert alone == {
        "strict": f"newer[tiab] AND {block} AND {CONTROLLED}",
        "standard": f"{block} AND {CONTROLLED}",
        "wide": f"opioids AND {STUDIES}",
    }


@pytest.mark.parametrize(
    ("term", "wide"),
    [
        ("SGLT2 pain", "SGLT2 pain"),  # MeSH knows a word of it that is not what it is about
        ("knee osteoarthritis braces", "knee osteoarthritis braces"),
        ("xyzzy plugh", "xyzzy plugh"),
        ("JAK2 opioids", "JAK2 AND opioids"),
        ("newer opioids", "opioids"),
        ("ER opioids", "opioids"),
        ("effect of yoga treatment", "effect of yoga treatment"),
        ("vitamin D supplementation", "vitamin D"),
    ],
)
def test_the_widest_query_keeps_what_a_term_is_about(term: str, wide: str) -> None:
    assert written(Pico(intervention=(term,)), Headings())["wide"] == f"{wide} AND {STUDIES}"


def test_without_mesh_words_are_asked_for() -> None:
    texts = written(Pico(("chronic kidney disease",), ("vitamin D",), (), ("falls",)))
    assert texts["strict"] == (
        'chronic[tiab] AND kidney[tiab] AND disease*[tiab] AND "vitamin d"[tiab] AND (fall[tiab] '
        "OR falls[tiab])"
    )
    failing = asyncio.run(write_queries(Pico(intervention=("opioids",)), Headings(fail=True)))
    assert closed(failing[0].text) == f"opioid*[tiab] AND {CONTROLLED}"
    assert all(query.remarks == (NO_LOOKUP,) for query in failing)


def test_a_class_of_drugs_opens_to_its_members() -> None:
    queries = asyncio.run(write_queries(Pico(("hypertension",), ("β-blockers",)), None))
    for query in queries:
        assert "atenolol[tiab]" in query.text
        assert read_query(query.text).remarks == ()
    newer = asyncio.run(
        write_queries(Pico(("schizophrenia",), ("newer atypical antipsychotics",)), Headings())
    )[1].text
    assert "olanzapine[tiab]" in newer
    assert "haloperidol" not in newer
    assert "newer" not in newer


def test_one_concept_named_twice_is_asked_for_once() -> None:
    texts = written(
        Pico(("osteoarthritis",), ("opioids", "opioid analgesics", "strong opioids", "opioid")),
        Headings(),
    )
    assert texts["standard"].endswith(' AND ("Analgesics, Opioid"[mh] OR opioid*[tiab])')


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


@given(TERMS, TERMS, TERMS, st.booleans())
@example([], [], ["꩐:0A"], False)
def test_every_query_is_one_that_pubmed_reads_as_it_is_meant(
    population: list[str], intervention: list[str], outcome: list[str], with_mesh: bool
) -> None:
    pico = Pico(tuple(population), tuple(intervention), (), tuple(outcome))
    queries: tuple[Query, ...] = asyncio.run(write_queries(pico, Headings() if with_mesh else None))
    texts = [query.text for query in queries]
    assert len(texts) == len(set(texts)) <= 3
    for text in texts:
        read = read_query(text)
        assert read.tree is not None
        assert [
            remark.code
            for remark in read.remarks
            if remark.code not in ("stopword", "other-script")
        ] == []
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
