"""Whether a sentence speaks of the treatments and the outcome that a question asks about."""

from __future__ import annotations

import pytest

from clinfo.evidence.speaking import asking
from clinfo.records.articles import Article, Section


@pytest.mark.parametrize(
    ("question", "sentence", "speaks"),
    [
        ("Does diphenhydramine dull alertness?", "Alertness decreased with diphenhydramine.", True),
        (
            "Does quetiapine raise serum prolactin?",
            "Ziprasidone significantly increased serum prolactin.",
            False,
        ),
        (
            "Is esomeprazole more effective than omeprazole for healing oesophagitis?",
            "Esomeprazole was compared with omeprazole.",
            False,
        ),
    ],
)
def test_a_sentence_must_name_the_treatments_and_say_how_the_outcome_went(
    question: str, sentence: str, speaks: bool
) -> None:
    told = Article(
        "pmid:1", "A randomised trial in adults", "1", (Section(sentence, "CONCLUSIONS"),)
    )
    assert bool(asking(question).speaks(sentence, told)) is speaks
