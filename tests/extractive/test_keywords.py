"""Key words of a question, as the extractive model writes them for a source that reads no
operators.
"""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinfo.extractive.keywords import write_keywords
from clinfo.extractive.model import ExtractiveModel
from clinfo.pipelines.literature.declared import LITERATURE
from clinfo.pubmed.clean import Cleaned
from clinfo.pubmed.keywords import keywords
from clinfo.runs.protocols import ModelRequest


@pytest.mark.parametrize(
    ("question", "queries"),
    [
        (
            "Does vitamin D prevent falls in older people?",
            ["vitamin D falls older", "vitamin D falls", "vitamin D older"],
        ),
        (
            "Is aspirin or clopidogrel better for secondary stroke prevention?",
            ["aspirin secondary stroke", "clopidogrel secondary stroke", "aspirin"],
        ),
        ("Is low-dose aspirin safe?", ["low dose aspirin"] * 3),
        ("???", [""] * 3),
    ],
)
def test_three_seeds(question: str, queries: list[str]) -> None:
    assert [write_keywords(question, seed) for seed in range(3)] == queries
    assert write_keywords(question, 4) == queries[1]


def test_a_further_query_differs_while_there_are_words_for_one() -> None:
    question = "Does vitamin D prevent falls in older people?"
    used: list[str] = []
    for _ in range(6):
        query = write_keywords(question, 0, used)
        assert query not in used
        used.append(query)


def test_the_model_writes_them_when_asked_in_that_form() -> None:
    def said(**variables: object) -> str:
        request = ModelRequest(
            "question2query", (), {"question": "Does melatonin help insomnia?", **variables}, seed=0
        )
        return asyncio.run(ExtractiveModel(LITERATURE.stages).complete(request)).text

    assert said(form="keywords") == "melatonin insomnia"
    assert said() == "melatonin AND insomnia"


@settings(max_examples=100, deadline=None)
@given(st.text(), st.integers(0, 5))
def test_any_question_gives_plain_words_or_none(question: str, seed: int) -> None:
    query = write_keywords(question, seed)
    assert keywords(query) == Cleaned(query)
