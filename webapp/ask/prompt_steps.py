"""The prompts of the chain in words for their editor: where each is used, and what is put in for its variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_QUESTION = "the question as asked"
_TITLE = "the article's title, fenced"
_ABSTRACT = "the article's abstract, fenced"


@dataclass(frozen=True)
class Step:
    """``used`` says when and how often, ``only`` (where it is not always used) when at all; ``variables`` what comes in."""

    title: str
    used: str
    variables: Mapping[str, str]
    only: str | None = None


STEPS: Final[Mapping[str, Step]] = {
    "question2query": Step(
        "Queries",
        "Writes a query in PubMed's language. Asked once for each query, each time with another seed.",
        {"question": _QUESTION},
    ),
    "pico": Step(
        "PICO terms",
        "Names population, intervention, comparator and outcome. Asked once; three queries are made of the reply.",
        {"question": _QUESTION},
        "Used only where queries are written from PICO terms.",
    ),
    "keywords": Step(
        "Key words",
        "Writes plain key words. Asked once for each query, each time with another seed.",
        {"question": _QUESTION},
        "Used only with Semantic Scholar, in place of “Queries”.",
    ),
    "relevance": Step(
        "Relevance",
        "Says yes or no to one article. Asked once for each article found.",
        {"question": _QUESTION, "title": _TITLE, "abstract": _ABSTRACT},
    ),
    "summary": Step(
        "Summary",
        "Says what one article found. Asked once for each relevant article.",
        {"question": _QUESTION, "title": _TITLE, "abstract": _ABSTRACT},
    ),
    "synthesis": Step(
        "Synthesis",
        "Writes the paragraph over all studies. Asked once; every sentence of the reply is checked.",
        {"question": _QUESTION, "studies": "the summaries, numbered and fenced"},
    ),
    "tldr": Step(
        "TL;DR",
        "Shortens the synthesis to one or two sentences. Asked once.",
        {"question": _QUESTION, "synthesis": "the synthesis, fenced"},
    ),
    "verify": Step(
        "Check",
        "Judges sentences against the articles they cite. Asked once for each ten sentences.",
        {"sentences": "the sentences, labelled", "articles": "the articles they cite, fenced"},
        "Used only where a model checks the sentences.",
    ),
}
"""By name, in the order in which a run uses them."""


def place_of(where: str) -> tuple[str, str]:
    """(id of the control, its name in words) of a text that `clinfo.errors.IdentifiersFound` names."""
    kind, _, which = where.partition(" ")
    if kind == "prompt" and which in STEPS:
        return f"prompt-{which}", f"prompt “{STEPS[which].title}”"
    return kind, f"own query {which}" if kind == "query" else kind
