"""Parts taken out of a query that finds nothing."""

import asyncio
from dataclasses import replace

import pytest

from clinfo.pipelines.literature.search import relax
from clinfo.pipelines.literature.search.question2query import CONTROLLED
from clinfo.pubmed.query import parse, printed
from clinfo.pubmed.tree import Boolean, Node, Term, leaves


def tree(text: str) -> Node:
    node = parse(text).tree
    assert node is not None
    return node


def counting(counts: dict[str, int]) -> tuple[list[str], relax.Count]:
    asked: list[str] = []

    async def count(query: str) -> int:
        asked.append(query)
        return counts[query]

    return asked, count


@pytest.mark.parametrize(
    ("query", "counts", "said"),
    [
        (
            "a AND b",
            {"a": 3, "b": 0},
            "It finds nothing because this part finds nothing on its own: “b”.",
        ),
        (
            "a AND b",
            {"a": 0, "b": 0},
            "It finds nothing because each of these parts finds nothing on its own: “a”, “b”.",
        ),
        (
            "a AND b AND c",
            {"a": 3, "b": 4, "c": 5, "b AND c": 1, "a AND c": 0, "a AND b": 2},
            "Every part finds something on its own, but no article matches all of them; "
            "without “a” it has 1 hit; without “c” it has 2 hits.",
        ),
        (
            "a AND b AND c",
            {"a": 3, "b": 4, "c": 5, "b AND c": 0, "a AND c": 0, "a AND b": 0},
            (
                "Every part finds something on its own, but no article matches all of them, or all "
                "but one."
            ),
        ),
        ("a OR b", {}, None),
        ("", {}, None),
    ],
)
def test_why_a_query_of_the_user_found_nothing(
    query: str, counts: dict[str, int], said: str | None
) -> None:
    assert asyncio.run(relax.explanation(query, counting(counts)[1])) == said


def test_a_query_of_thousands_of_levels() -> None:
    deep: Node = Term("x")
    for level in range(4_000):
        deep = Boolean("AND" if level % 2 else "OR", (Term(f"w{level}"), deep))
    assert len(list(leaves(deep))) == 4_001
    relax.conjuncts(deep)
    nots: Node = Term("x")
    for level in range(4_000):
        nots = Boolean("NOT" if level % 2 else "AND", (nots, Term(f"w{level}")))
    assert len(relax.conjuncts(nots)[1]) == 2_000


def test_the_treatment_and_the_condition_stay_and_all_else_goes() -> None:
    query = "(tube feeding) AND life AND (advanced dementia)"
    step = relax.next_step(query, ("tube feeding",), [])
    assert step == relax.Step("tube feeding AND advanced dementia", ("life",), "narrowest")
    assert relax.next_step(query, ("life",), []) == replace(step, cause="not found")
    assert relax.next_step(step.query, (), ["narrowest"]) is None
    text = printed(tree(CONTROLLED))
    assert relax.next_step(f"asthma AND {CONTROLLED}", (), []) == relax.Step(
        "asthma", (text,), "narrowest"
    )
    assert relax.next_step(f"placebo*[tiab] AND {CONTROLLED}", (), []) is None
