"""What a judge is shown of an article: passages first, the whole where a figure needs it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

from clinfo.claims.model_judge import opinions
from clinfo.claims.passages import LEFT_OUT, passages, text
from clinfo.records.articles import Article, Effect, Section, Study, Summary
from clinfo.runs.protocols import ModelReply, ModelRequest
from tests.claims.test_model_judge import PROMPT
from tests.claims.test_model_judge import sentence as said_of

SECTIONS = (
    Section("Colds are frequent. Zinc may shorten them.", "BACKGROUND"),
    Section("We gave zinc or placebo to 120 adults. They kept a diary.", "METHODS"),
    Section(
        "Colds lasted 4.1 days with zinc and 6.2 with placebo. Nausea was seen in 14.", "RESULTS"
    ),
    Section("Zinc shortened colds.", "CONCLUSIONS"),
)
ARTICLE = Article("pmid:1", "Zinc for colds", sections=SECTIONS)
READ = Summary("Shorter.", sample_size=120, quotes=("Colds lasted 4.1 days with zinc",))
STUDY = Study(1, ARTICLE, READ)


def test_quoted_sentences_those_with_figures_and_the_conclusion_are_shown() -> None:
    assert passages(STUDY) == (
        f"{LEFT_OUT} We gave zinc or placebo to 120 adults. {LEFT_OUT} Colds lasted 4.1 days with "
        f"zinc and 6.2 with placebo. {LEFT_OUT} Zinc shortened colds."
    )
    assert text(STUDY, whole=False).splitlines()[0] == "Zinc for colds"


def test_the_whole_is_shown_without_quotations_or_where_little_is_left_out() -> None:
    unread = replace(STUDY, summary=None)
    assert passages(unread) == passages(replace(STUDY, summary=Summary("Shorter."))) == ""
    assert text(unread, whole=False) == text(unread) == f"Zinc for colds\n{ARTICLE.abstract}"
    effect = Effect("", "values", 14, None, None, None, None)
    told = replace(READ, effect=effect, quotes=(*READ.quotes, "Colds are frequent. Zinc may"))
    assert passages(replace(STUDY, summary=told)) == ""


def test_an_opinion_says_that_it_saw_passages_and_what_it_would_have_instead() -> None:
    asked: list[ModelRequest] = []
    said = {
        "label": "S1",
        "quotes": [{"article": 1, "words": "4.1 days with zinc"}],
        "reason": "Of adults.",
        "verdict": "partial",
        "instead": "In adults colds lasted 4.1 days with zinc [1].",
    }

    async def answer(call: str, request: ModelRequest) -> ModelReply:
        asked.append(request)
        return ModelReply(json.dumps({"verdicts": [said]}), "a-judge")

    def heard(whole: bool):  # type: ignore[no-untyped-def]
        one = [said_of("Colds lasted 4.1 days with zinc in all [1].", 1)]
        found = opinions(one, [0], [STUDY], "text", PROMPT, answer, mend=True, whole=whole)
        return asyncio.run(found)[0][0]

    assert (heard(False).in_part, heard(True).in_part) == (True, False)
    assert heard(True).instead == said["instead"]
    assert "They kept a diary" not in asked[0].messages[-1].content
    assert "They kept a diary" in asked[1].messages[-1].content
    assert "instead" in json.dumps(asked[0].schema)
