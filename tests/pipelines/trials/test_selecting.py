"""Passages of each paper, by URCA's formula."""

import math

import pytest

from clinfo.pipelines.trials.quoting import share, together, uniform
from clinfo.retrieval.chunking import by_section
from clinfo.retrieval.documents import Asked
from clinfo.retrieval.readers.plain import of_text
from clinfo.retrieval.rerankers.results import ResultReranker

LONG = "RESULTS:\n" + "\n".join(
    f"Itching fell with zinc at week {n} compared with placebo (P = 0.0{n})." for n in range(1, 9)
)
SHORT = "RESULTS:\nThe cream was kept cold.\n\nMETHODS:\nItching was asked about by telephone.\n"


@pytest.mark.parametrize(
    ("k", "beta", "papers", "most", "expected"),
    [
        (10, 3.0, 1, 50, 10),
        (10, 3.0, 2, 50, math.ceil((10 + 3 * math.log(2)) / 2)),
        (10, 3.0, 5, 12, math.ceil(12 / 5)),
        (10, 3.0, 0, 50, 0),
    ],
)
def test_the_share_of_a_paper(k: int, beta: float, papers: int, most: int, expected: int) -> None:
    assert share(k, beta, papers, most) == expected


def test_uniform_leaves_no_paper_out_and_global_may() -> None:
    papers = {
        name: by_section(of_text(text, name), 90) for name, text in (("a", LONG), ("b", SHORT))
    }
    asked = Asked("", "itching", "zinc", "placebo")
    even = uniform(asked, papers, ResultReranker(), 2)
    assert [passage.document for passage, _ in even] == ["a", "a", "b", "b"]
    best = together(asked, papers, ResultReranker(), 4)
    assert [passage.document for passage, _ in best] == ["a"] * 4
    assert [score for _, score in best] == sorted((score for _, score in best), reverse=True)
