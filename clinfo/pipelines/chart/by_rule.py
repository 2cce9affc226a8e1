"""The replies of the extractive model at the stages of the chart pipeline."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

NARROWER = 50
"""Narrower headings taken of a concept."""

if TYPE_CHECKING:
    from clinfo.pipelines.chart.declared import Answering, Asking


def types(variables: Asking, seed: int) -> str:
    """The types of what the dictionary finds in the question: none more."""
    return json.dumps({"direct": [], "complementary": []})


def hyde(variables: Asking, seed: int) -> str:
    """The headings of the concepts that the question names and those right below them in MeSH, by
    which a note may call the same thing.
    """
    from clinfo.terms.naming import known

    mesh, named = known(), list[str]()
    for concept in variables["concepts"]:
        if (found := mesh.descriptor(concept)) is not None:
            named += [found.heading, *mesh.narrower(found)[:NARROWER]]
    return "\n".join(named)


def answer(variables: Answering, seed: int) -> str:
    """The answer by rule."""
    return variables["told"]
