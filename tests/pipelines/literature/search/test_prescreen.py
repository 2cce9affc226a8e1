"""Which articles are judged when more come than may be."""

from hypothesis import given
from hypothesis import strategies as st

from clinfo.pipelines.literature.search.rerank import bm25, screened
from clinfo.pipelines.literature.search.retrieve import fuse
from clinfo.records.articles import Article, Pico, Section

QUESTION = "Does zinc shorten the common cold?"


def article(number: int, text: str) -> Article:
    return Article(id=f"pmid:{number}", pmid=str(number), title=text, sections=(Section(text),))


def test_nothing_is_left_out_where_there_is_room() -> None:
    articles = [article(number, "iron") for number in range(5)]
    assert screened(QUESTION, None, articles, 5) == (articles, [])


def test_an_article_on_the_question_passes_one_that_only_ranked_well() -> None:
    articles = [article(number, "iron and anaemia") for number in range(20)]
    articles[15] = article(15, "zinc lozenges shorten the common cold")
    kept, left_out = screened(QUESTION, None, articles, 10)
    # By search 16th, by words 1st: 1/76 + 1/61. Among the others BM25 says nothing, so the ninth is
    # 9th and 10th.
    assert [one.id for one in kept] == [f"pmid:{number}" for number in (*range(9), 15)]
    assert [one.id for one in left_out] == [
        f"pmid:{number}" for number in (*range(9, 15), *range(16, 20))
    ]


def test_terms_of_the_understood_question_count() -> None:
    articles = [article(number, "iron and anaemia") for number in range(20)]
    articles[15] = article(15, "gluconate lozenges")
    pico = Pico(intervention=("zinc gluconate",))
    assert articles[15] not in screened(QUESTION, None, articles, 10)[0]
    assert articles[15] in screened(QUESTION, pico, articles, 10)[0]


@given(
    st.lists(
        st.sampled_from(["zinc cold", "zinc", "cold cold", "iron", ""]), min_size=1, max_size=12
    ),
    st.integers(1, 12),
)
def test_the_two_ranks_are_fused_and_the_order_of_the_search_stays(
    texts: list[str], limit: int
) -> None:
    articles = [article(number, text) for number, text in enumerate(texts)]
    kept, left_out = screened(QUESTION, None, articles, limit)
    assert len(kept) == min(limit, len(articles))
    assert sorted([*kept, *left_out], key=articles.index) == articles
    assert kept == sorted(kept, key=articles.index)
    scores = dict(zip(articles, bm25(QUESTION, articles), strict=True))
    by_words = sorted(articles, key=lambda one: (-scores[one], articles.index(one)))
    order = fuse([[one.id for one in articles], [one.id for one in by_words]])
    assert {one.id for one in kept} == set(order[: len(kept)])
