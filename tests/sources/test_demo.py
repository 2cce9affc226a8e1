"""The demo corpus: what it holds, and that it is true to the real records.

The comparison with the real records reads their XML and compares figures and words by its own
simple rules, which share nothing with the package.
"""

import unicodedata

from clinfo.sources import demo


def test_the_corpus_is_large_enough_and_complete() -> None:
    articles = demo.load()
    assert len(articles) >= 60
    assert len({article.id for article in articles}) == len(articles)
    assert len({article.doi for article in articles}) == len(articles)
    for article in articles:
        assert article.id == f"pmid:{article.pmid}"
        assert all(
            (article.title, article.authors, article.journal, article.journal_abbreviation)
        ), article.id
        assert all((article.year, article.volume, article.pages, article.doi)), article.id
        assert [part.label for part in article.sections] == [
            "OBJECTIVE",
            "METHODS",
            "RESULTS",
            "CONCLUSIONS",
        ], article.id
        assert all(part.category == part.label for part in article.sections), article.id
        assert 80 <= len(article.abstract.split()) <= 220, (
            f"{article.id}: {len(article.abstract.split())} words"
        )
        assert article.abstract == unicodedata.normalize("NFC", article.abstract), article.id


def test_there_are_six_questions_with_eight_articles() -> None:
    counts = {one.question: len(one.articles) for one in demo.corpus()}
    assert all(question.endswith("?") for question in counts)
    assert demo.questions() == tuple(counts)
    assert sum(count >= 8 for count in counts.values()) >= 6, counts
    assert any("vitamin D" in question for question in counts)
