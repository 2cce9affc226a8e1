"""The request for the synthesis, and how much of it fits."""

import re

from clinfo.pipelines.literature.stages import PROMPTS
from clinfo.pipelines.literature.writing import (
    fitting,
    study_text,
    synthesis_request,
)
from clinfo.records.articles import Article, Section, Study, Summary

PROMPTS = {name: PROMPTS.parse(name, text) for name, text in PROMPTS.defaults().items()}


def study(n: int, words: int = 20) -> Study:
    article = Article(id=f"pmid:{n}", title=f"Trial {{studies}} {n}", sections=(Section("Text."),))
    return Study(
        n,
        article,
        Summary("finding " * words, design="cohort study", sample_size=1200, stance="mixed"),
    )


def test_studies_are_shown_with_number_design_and_size() -> None:
    text = (
        synthesis_request("Why {x}?", [study(3), study(8)], PROMPTS["synthesis"])
        .messages[-1]
        .content
    )
    assert re.search(r"^\[3\] <study [0-9a-f]{8}>\nTrial \{studies\} 3$", text, re.MULTILINE)
    assert re.search(r"^\[8\] <study [0-9a-f]{8}>\nTrial \{studies\} 8$", text, re.MULTILINE)
    assert "Design: cohort study, 1,200 people" in text
    assert "Why {x}?" in text


def test_a_study_without_summary_is_shown_by_its_abstract() -> None:
    assert "Abstract: Text." in study_text(Study(1, study(1).article, None))


def test_cut_by_rank_from_the_end() -> None:
    studies = [study(n) for n in range(1, 11)]

    def count(text: str) -> int:
        return len(text.split())

    assert fitting("Q?", studies, PROMPTS["synthesis"], None, count) == (studies, [])
    whole = (
        sum(
            count(message.content) + 8
            for message in synthesis_request("Q?", (), PROMPTS["synthesis"]).messages
        )
        + 1024
    )
    each = count(study_text(studies[0])) + 2
    kept, cut = fitting("Q?", studies, PROMPTS["synthesis"], whole + 4 * each, count)
    assert (kept, cut) == (studies[:4], studies[4:])
    assert fitting("Q?", studies, PROMPTS["synthesis"], 10, count) == ([], studies)
