"""The entailment model as judge: what it is asked about a sentence, and what follows from its
probabilities.
"""

import asyncio
from collections.abc import Callable, Sequence

from clinfo.claims.joining import Opinion
from clinfo.claims.learned import Entailment, opinions
from clinfo.errors import ModelError
from clinfo.records.articles import Article, Section, Sentence, Study

FIRST = "We gave zinc to 40 adults. Colds ended sooner with zinc than with placebo."
STUDIES = (
    Study(1, Article("pmid:1", "Zinc for colds", sections=(Section(FIRST),)), None),
    Study(
        2,
        Article(
            "pmid:2", "Zinc and coughs", sections=(Section("Coughs ended no sooner with zinc."),)
        ),
        None,
    ),
)
YES, NO, NEITHER = (
    Entailment(0.97, 0.02, 0.01),
    Entailment(0.01, 0.02, 0.97),
    Entailment(0.2, 0.6, 0.2),
)


class Judge:
    """Tells of each pair what ``tell`` says, and keeps what it was asked."""

    name = "an-nli"

    def __init__(self, tell: Callable[[str, str], Entailment]) -> None:
        self.tell = tell
        self.asked: list[tuple[str, str]] = []

    def entailments(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        self.asked += pairs
        return [self.tell(*pair) for pair in pairs]


def sentence(text: str, *cites: int) -> Sentence:
    return Sentence("synthesis", text, cites, "not_verified", "")


def judged(text: str, *cites: int, tell: Callable[[str, str], Entailment]) -> tuple[Judge, Opinion]:
    judge = Judge(tell)
    return judge, asyncio.run(opinions([sentence(text, *cites)], [0], STUDIES, judge))[0]


def sooner(premise: str, hypothesis: str) -> Entailment:
    return (
        YES
        if premise.startswith("Colds ended sooner")
        else NO
        if "no sooner" in premise
        else NEITHER
    )


def test_a_passage_that_entails_a_sentence_carries_it_and_is_shown() -> None:
    judge, told = judged("People recovered from a cold faster when on zinc [1].", 1, tell=sooner)
    assert (told.judge, told.verdict, told.reason) == (
        "an-nli",
        "supported",
        "passages of [1] entail it (0.97)",
    )
    (span,) = told.spans
    assert FIRST[span.start : span.end] == "Colds ended sooner with zinc than with placebo."
    assert {hypothesis for _, hypothesis in judge.asked} == {
        "People recovered from a cold faster when on zinc."
    }


def test_each_clause_is_held_against_the_articles_cited_for_it() -> None:
    judge, told = judged(
        (
            "Colds in adults ended earlier on zinc [1], while coughs in smokers lasted as long "
            "despite zinc lozenges [2]."
        ),
        1,
        2,
        tell=sooner,
    )
    hypotheses = {hypothesis for premise, hypothesis in judge.asked if "oughs" in premise}
    assert hypotheses == {"while coughs in smokers lasted as long despite zinc lozenges."}
    assert told.verdict == "contradicted"


def test_an_article_that_carries_nothing_of_it_makes_it_partial() -> None:
    tell = lambda premise, hypothesis: YES if premise.startswith("Colds") else NEITHER  # noqa: E731
    _, told = judged("Colds ended earlier on zinc in adults [1][2].", 1, 2, tell=tell)
    assert (told.verdict, told.reason) == (
        "partial",
        "passages of [1] entail it (0.97), none of [2] does",
    )


def test_sentences_that_cite_nothing_are_not_asked_of_and_a_failure_is_no_verdict() -> None:
    class Broken(Judge):
        def entailments(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
            raise ModelError("out of memory")

    found = asyncio.run(
        opinions(
            [sentence("It is a matter of taste."), sentence("Zinc [1].", 1)],
            [1],
            STUDIES,
            Broken(sooner),
        )
    )
    assert found == {
        1: Opinion(
            "an-nli", None, "the entailment model gave no verdict (out of memory)", failed=True
        )
    }
