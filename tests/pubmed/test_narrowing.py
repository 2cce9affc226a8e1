"""The cheap look before a plan is evaluated: a plan that finds at least as much, for less work."""

import random

import pytest

from clinfo.pubmed.citation import Citation
from clinfo.pubmed.document import document
from clinfo.pubmed.in_memory import InMemoryEngine
from clinfo.pubmed.index.narrowing import narrowed
from clinfo.pubmed.plan import All, AnyOf, Keys, Nothing, Phrase, Plan, Unscored, Without
from clinfo.records.articles import Article, Section

TOTAL = 1_000_000
HELD = {"therapy": 580_000, "pain": 530_000, "robotic": 1_500, "vr": 1_800, "virtual": 3_000}


def _frequency(field: str, term: str) -> int:
    return HELD.get(term, 0) if field == "ab" else 0


def _word(word: str) -> Phrase:
    return Phrase(("ab",), (word,))


@pytest.mark.parametrize(
    ("plan", "kept"),
    [
        (All((_word("robotic"), _word("therapy"))), All((_word("robotic"),))),
        (
            All((AnyOf((All((_word("robotic"), _word("therapy"))), _word("vr"))), _word("pain"))),
            All((AnyOf((All((_word("robotic"),)), _word("vr"))),)),
        ),
        (Without(_word("vr"), _word("pain")), _word("vr")),
        (All((_word("absent"), _word("therapy"))), All((_word("absent"),))),
    ],
)
def test_common_conjuncts_are_left_out(plan: Plan, kept: Plan) -> None:
    found = narrowed(plan, _frequency, TOTAL)
    assert repr(found.plan) == repr(kept)  # plans of parts are equal only to themselves
    assert found.pays


def test_what_is_common_throughout_does_not_pay() -> None:
    assert not narrowed(All((_word("therapy"), _word("pain"))), _frequency, TOTAL).pays
    assert not narrowed(AnyOf((_word("robotic"), _word("therapy"))), _frequency, TOTAL).pays


def test_it_finds_all_that_the_plan_finds() -> None:
    draw = random.Random(7)
    words = [f"w{number}" for number in range(30)]
    # The lower a word's number, the more articles have it.
    articles = [
        Article(
            f"pmid:{pmid}",
            "T",
            str(pmid),
            sections=(
                Section(" ".join(word for at, word in enumerate(words) if draw.random() < 0.9**at)),
            ),
        )
        for pmid in range(1, 200)
    ]
    engine = InMemoryEngine(document(Citation(one)) for one in articles)

    def frequency(field: str, term: str) -> int:
        if field == "keys":
            return engine.count(Keys("pmid", frozenset((term.removeprefix("pmid:"),))))
        return engine.count(Phrase((field,), (term,)))

    def drawn(levels: int) -> Plan:
        kind = draw.randrange(7 if levels else 3)
        if kind < 2:
            return Phrase(("ti", "ab"), tuple(draw.sample(words, 1 + kind)))
        if kind == 2:
            return Keys("pmid", frozenset(str(draw.randrange(1, 250)) for _ in range(9)))
        parts = tuple(drawn(levels - 1) for _ in range(draw.randrange(1, 5)))
        if kind == 3:
            return Without(parts[0], parts[-1])
        return (All, AnyOf, lambda several: Unscored(several[0]))[kind - 4](parts)

    paid = 0
    for _ in range(500):
        plan = drawn(3)
        found = narrowed(plan, frequency, len(engine))
        paid += found.pays
        assert engine.count(Without(plan, found.plan)) == 0
        assert engine.count(found.plan) <= found.most
    assert paid
    assert narrowed(Nothing(), frequency, len(engine)).plan == Nothing()
