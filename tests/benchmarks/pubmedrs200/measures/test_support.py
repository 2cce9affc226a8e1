"""Citation recall and precision on answers worked out by hand after section 3.3 of ALCE."""

import pytest

from benchmarks.pubmedrs200.measures.support import (
    Claim,
    Entailment,
    QuotationJudge,
    claims,
    figures_supported,
    set_apart,
    supports,
)
from benchmarks.pubmedrs200.running.records import Cell, Record
from clinfo.records.articles import PROGRAM, Article, Section

ARTICLES = {
    n: Article(f"pmid:{n}", f"Study {n}", pmid=str(n), sections=(Section(text),))
    for n, text in enumerate(
        (
            "Zinc shortened colds by 2.3 days in 120 adults.",
            "Zinc did not change the risk of falls.",
            "Iron raised haemoglobin by 9%.",
        ),
        1,
    )
}


class Scripted:
    """Supports what it is told is supported: pairs of a sentence and the set of PMIDs that it
    takes.
    """

    name = "scripted"

    def __init__(self, *held: tuple[str, set[str]]) -> None:
        self.held = held
        self.asked: list[Entailment] = []

    def judge(self, asked):
        self.asked += asked
        return [
            any(
                one.sentence == text and pmids <= {article.pmid for article in one.articles}
                for text, pmids in self.held
            )
            for one in asked
        ]


def test_recall_and_precision_as_worked_out_by_hand():
    told = (
        Claim(
            "synthesis", "needs both", (1, 2)
        ),  # recall 1; each alone fails and is not replaceable: both precise
        Claim(
            "synthesis", "needs the first", (1, 3)
        ),  # recall 1; the third is needless: 1 of 2 precise
        Claim("synthesis", "nobody says so", (2,)),  # recall 0, precision 0 of 1
        Claim("synthesis", "cites nothing", ()),  # recall 0, no citation
        Claim("tldr", "needs the first", (1,)),  # counts for the share of sentences only
    )
    judge = Scripted(("needs both", {"1", "2"}), ("needs the first", {"1"}))
    (found,) = supports([(told, ARTICLES)], judge)
    assert found.recall == pytest.approx(2 / 4)
    assert found.precision == pytest.approx((2 + 1 + 0) / 5)
    assert found.sentences == pytest.approx(3 / 5)


def test_a_sentence_that_cites_a_number_without_an_article_has_no_recall():
    judge = Scripted(("invented", set()))
    told = tuple(Claim("synthesis", "invented", cites) for cites in ((9,), (1, 9), (1,)))
    (found,) = supports([(told, ARTICLES)], judge)
    assert (found.recall, found.sentences) == (
        pytest.approx(1 / 3),
        pytest.approx(1 / 3),
    )  # only the third, which 1 supports
    assert found.precision == pytest.approx(1 / 4)  # 9; 1 and 9; 1
    assert [one.articles for one in judge.asked] == [(ARTICLES[1],)], (
        "nothing is asked of the others"
    )


FROM_ONE = "Zinc shortened colds by 2.3 days in 120 adults."
FROM_BOTH = "Zinc shortened colds by 2.3 days in 120 adults; iron raised haemoglobin by 9%."
CITED = {
    **ARTICLES,
    4: Article(
        "pmid:4", "Study 4", pmid="4", sections=(Section("Vitamin D improved mood in nurses."),)
    ),
}


@pytest.mark.parametrize(
    ("text", "cites", "recall", "precision"),
    [
        (FROM_ONE, (1,), 1, 1),
        (
            FROM_ONE,
            (1, 2, 3, 4),
            1,
            1 / 4,
        ),  # 1 alone says all of it; the others do not, and are not needed
        (FROM_ONE, (4, 1), 1, 1 / 2),
        (FROM_ONE, (2, 3, 4), 0, 0),
        (FROM_BOTH, (1,), 0, 0),
        (FROM_BOTH, (1, 3), 1, 1),  # neither alone, and neither can go
        (FROM_BOTH, (1, 4, 3, 2), 1, 2 / 4),
        (FROM_BOTH, (4, 3), 0, 0),
    ],
)
def test_quotations_are_judged_what_cited_articles_say_together_and_needless_ones_cost_precision(
    text, cites, recall, precision
):
    (found,) = supports([((Claim("synthesis", text, cites),), CITED)], QuotationJudge())
    assert (found.recall, found.precision) == (recall, pytest.approx(precision))
    assert found.sentences == recall


def test_figures_stand_in_a_cited_article_or_do_not():
    told = (
        Claim("synthesis", "Colds were 2.3 days shorter.", (1,)),
        Claim(
            "synthesis", "Iron raised haemoglobin by 9%.", (1,)
        ),  # stands in 3, which is not cited
        Claim("tldr", "No figure here.", (2,)),
    )
    assert figures_supported(told, ARTICLES) == pytest.approx(1 / 2)
    assert figures_supported(told[2:], ARTICLES) is None


def sentence(part: str, text: str, cites: list[int], **more: object) -> dict[str, object]:
    return {
        "in": part,
        "text": text,
        "cites": cites,
        "verdict": "supported",
        "judges": ["rules"],
        "counts_only": False,
        **more,
    }


SYNTHESIS = "Zinc helps [1]. Two of three studies agree [1], [2].\n\nThe studies differ [2]."
LISTED = [
    sentence("synthesis", "Zinc helps [1].", [1]),
    sentence("synthesis", "Two of three studies agree [1], [2].", [1, 2], counts_only=True),
    sentence("synthesis", "The studies differ [2].", [2], judges=[PROGRAM]),
    sentence("tldr", "It helps [1].", [1]),
]


def test_sentences_of_a_chain_are_judged_save_those_that_only_count_or_were_added():
    record = Record(
        Cell("s", "unrestricted", 1, "7"),
        "answered",
        SYNTHESIS,
        "It helps [1].",
        {"sentences": LISTED},
    )
    assert claims(record, of_chain=True) == (
        Claim("synthesis", "Zinc helps.", (1,)),
        Claim("tldr", "It helps.", (1,)),
    )
    assert set_apart(record, of_chain=True) == 0.5
    silent = Record(Cell("s", "unrestricted", 1, "7"), "answered", answer={"sentences": []})
    assert set_apart(silent, of_chain=True) is None


@pytest.mark.parametrize(
    "listed",
    [
        LISTED,
        [{**one, "counts_only": True, "cites": [3]} for one in LISTED],
        [*LISTED, *(sentence("synthesis", "", [1]) for _ in range(97))],
        "Zinc helps [1].",
        [],
        None,
    ],
)
def test_what_an_external_system_lists_as_its_sentences_changes_nothing(listed):
    record = Record(
        Cell("s", "unrestricted", 1, "7"),
        "answered",
        SYNTHESIS,
        "It helps [1].",
        {"sentences": listed},
    )
    assert claims(record, of_chain=False) == (
        Claim("synthesis", "Zinc helps.", (1,)),
        Claim("synthesis", "Two of three studies agree.", (1, 2)),
        Claim("synthesis", "The studies differ.", (2,)),
        Claim("tldr", "It helps.", (1,)),
    )
    assert set_apart(record, of_chain=False) == 0
