"""BM25 before summaries."""

from clinfo.pipelines.literature.search.rerank import THRESHOLD, keep_best
from clinfo.records.articles import Article

ARTICLES = [
    Article(id=f"pmid:{n}", title=f"Trial {n} of " + ("zinc and colds" if n % 4 == 0 else "rest"))
    for n in range(40)
]


def test_the_best_are_kept_in_the_order_given() -> None:
    kept, dropped = keep_best("Does zinc shorten colds?", ARTICLES, 10)
    assert [article.id for article in kept] == [f"pmid:{n}" for n in range(0, 40, 4)]
    assert len(dropped) == 30
    assert [article.id for article in dropped] == [
        article.id for article in ARTICLES if article not in kept
    ]


def test_up_to_the_threshold_all_are_kept() -> None:
    assert keep_best("zinc", ARTICLES[:THRESHOLD], 3) == (ARTICLES[:THRESHOLD], [])


def test_equal_scores_go_by_rank_and_empty_texts_do_no_harm() -> None:
    blank = [Article(id=f"pmid:{n}", title="") for n in range(40)]
    kept, _ = keep_best("?", blank, 5)
    assert kept == blank[:5]
