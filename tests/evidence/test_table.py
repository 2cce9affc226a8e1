"""The evidence table: its fields, its order, and that it runs over real records."""

from __future__ import annotations

from datetime import date

import pytest

from clinfo.evidence.table import is_recent, rows
from clinfo.records.appraisal import Notice
from clinfo.records.articles import Article, DateInterval, Section, Study, Summary
from clinfo.sources import demo
from tests.shared_data import SHARED, needs_shared

QUESTION = "Does bright light reduce insomnia in nurses?"


def _article(
    number: int,
    title: str,
    *parts: tuple[str, str],
    types: tuple[str, ...] = (),
    year: int | None = 2015,
    cites: tuple[str, ...] = (),
) -> Article:
    day = None if year is None else DateInterval(date(year, 1, 1), date(year, 12, 31), str(year))
    return Article(
        id=f"pmid:{number}",
        pmid=str(number),
        title=title,
        sections=tuple(Section(text, label) for label, text in parts),
        publication_types=types,
        published=day,
        references=cites,
    )


def _table(*articles: Article, today: date | None = None) -> list[int]:
    """The citation numbers of the rows in their order."""
    return [
        row.n
        for row in rows(
            QUESTION, [Study(n, each, None) for n, each in enumerate(articles, 1)], (), today
        )
    ]


TRIAL = _article(
    1,
    "Bright light versus dim light for insomnia in nurses: a randomised controlled trial",
    (
        "METHODS",
        (
            "We randomly assigned 143 nurses with insomnia to bright light or dim light. The "
            "primary outcome was sleep "
            "latency at 12 weeks."
        ),
    ),
    (
        "RESULTS",
        (
            "Sleep latency was shorter with bright light (mean difference -8.5 minutes, 95% CI "
            "-12.0 to -5.0). Headache was "
            "commoner (RR 2.10, 95% CI 1.10 to 4.00)."
        ),
    ),
    ("CONCLUSIONS", "Bright light reduced sleep latency in nurses with insomnia."),
    types=("Randomized Controlled Trial",),
)


def test_a_row_says_what_the_abstract_says() -> None:
    (row,) = rows(QUESTION, [Study(4, TRIAL, None)], ())
    assert (row.id, row.n, row.year) == ("pmid:1", 4, 2015)
    assert (row.design, row.level) == ("randomised controlled trial", 2)
    assert row.level_reason == "randomised controlled trial, question of treatment benefit: level 2"
    assert row.sample_size == 143
    assert row.population is not None
    assert "nurses" in row.population
    assert (row.intervention, row.comparator, row.outcome) == (
        "Bright light",
        "dim light",
        "sleep latency",
    )
    assert row.effect is not None
    assert (
        row.effect.measure,
        row.effect.estimate,
        row.effect.low,
        row.effect.high,
        row.effect.unit,
    ) == (
        "MD",
        -8.5,
        -12.0,
        -5.0,
        "minute",
    )
    assert row.effect.span.n == 4
    assert TRIAL.abstract[row.effect.span.start : row.effect.span.end].startswith(
        "mean difference -8.5 minutes"
    )
    assert (row.effect_direction, row.stance, row.follow_up, row.group) == (
        "decreased",
        None,
        "12 weeks",
        1,
    )
    assert (row.in_reviews, row.notices) == ((), ())


def test_the_summary_says_direction_and_relation() -> None:
    summary = Summary("No change.", stance="contradicts", effect_direction="no difference")
    (row,) = rows(QUESTION, [Study(1, TRIAL, summary)], ())
    assert (row.effect_direction, row.stance) == ("no difference", "contradicts")


def test_what_is_not_said_stays_empty() -> None:
    (row,) = rows(QUESTION, [Study(1, Article(id="doi:1", title="Light"), None)], ())
    unsaid = (
        row.year,
        row.design,
        row.level,
        row.sample_size,
        row.population,
        row.intervention,
        row.comparator,
        row.outcome,
    )
    assert (*unsaid, row.effect, row.follow_up) == (None,) * 10
    assert row.effect_direction == "unclear"
    assert row.level_reason


def test_the_outcome_is_never_paired_with_a_foreign_effect() -> None:
    article = _article(
        1,
        "Effect of bright light on mood in nurses",
        ("METHODS", "We randomly assigned nurses. The primary outcome was mood."),
        (
            "RESULTS",
            (
                "Insomnia was rarer with bright light (odds ratio for insomnia 0.60, 95% CI 0.40 "
                "to 0.90)."
            ),
        ),
    )
    (row,) = rows(QUESTION, [Study(1, article, None)], ())
    assert row.effect is not None
    assert row.outcome == "insomnia"


GUIDELINE = _article(
    2, "Insomnia", ("METHODS", "We advise light."), types=("Practice Guideline",), year=2005
)
REVIEW = _article(
    3, "Light", ("METHODS", "We pooled randomised trials."), types=("Meta-Analysis",), year=2014
)
OLD_REVIEW = _article(
    4, "Light", ("METHODS", "We pooled randomised trials."), types=("Meta-Analysis",), year=2004
)
OLD_TRIAL = _article(
    5,
    "Light",
    ("METHODS", "Nurses were randomised."),
    types=("Randomized Controlled Trial",),
    year=1999,
)
COHORT = _article(
    6, "Light", ("METHODS", "A prospective cohort of nurses was followed."), year=2015
)
UNKNOWN = _article(7, "Light", ("METHODS", "We asked."), year=2015)


def test_order_of_strength() -> None:
    assert _table(UNKNOWN, COHORT, OLD_TRIAL, TRIAL, OLD_REVIEW, REVIEW, GUIDELINE) == [
        7,
        6,
        5,
        4,
        3,
        2,
        1,
    ]


def test_recent_counts_from_the_newest_article_or_the_day_given() -> None:
    old, older = (
        _article(
            1,
            "Light",
            ("METHODS", "We pooled cohort studies."),
            types=("Meta-Analysis",),
            year=2012,
        ),
        OLD_TRIAL,
    )
    assert _table(older, old) == [
        2,
        1,
    ]  # the newest article is the review itself: recent, so before a stronger design
    assert _table(older, old, today=date(2030, 1, 1)) == [
        1,
        2,
    ]  # recent no more: level 3 after level 2
    assert is_recent(2010, 2015)
    assert not is_recent(2009, 2015)
    assert not is_recent(None, 2015)


def test_equals_keep_their_rank() -> None:
    same = ("METHODS", "Nurses were randomised.")
    assert _table(_article(1, "Light", same), _article(2, "Light", same)) == [1, 2]


def test_groups_reviews_and_notices_reach_their_rows() -> None:
    text = "Nurses were randomised. NCT01234567."
    one, other = _article(1, "Light", ("METHODS", text)), _article(2, "Lamps", ("METHODS", text))
    review = _article(
        3,
        "Light",
        ("METHODS", "We pooled randomised trials."),
        types=("Meta-Analysis",),
        cites=("2",),
    )
    notice = Notice("pmid:2", "erratum", "A figure was corrected.", "PubMed's record")
    made = rows(
        QUESTION, [Study(1, one, None), Study(2, review, None), Study(3, other, None)], [notice]
    )
    by_id = {row.id: row for row in made}
    assert [by_id[id].group for id in ("pmid:1", "pmid:3", "pmid:2")] == [1, 2, 1]
    assert by_id["pmid:2"].in_reviews == ("pmid:3",)
    assert by_id["pmid:2"].notices == (notice,)
    assert by_id["pmid:1"].notices == ()


def test_a_protocol_has_no_effect() -> None:
    article = _article(
        1,
        "Light",
        (
            "METHODS",
            "We will randomise nurses. We will assume an odds ratio of 0.60 (95% CI 0.40 to 0.90).",
        ),
        types=("Clinical Trial Protocol",),
    )
    (row,) = rows(QUESTION, [Study(1, article, None)], ())
    assert row.effect is None
    assert row.level is None


@pytest.mark.slow
def test_long_junk_is_read_in_linear_time() -> None:
    for junk in ("OR 1.5 ; ", "odds ratio 0.5 (0.4 to 0.6), ", "randomised to a or b "):
        article = _article(1, junk * 50, ("RESULTS", junk * (50_000 // len(junk))))
        assert len(rows(QUESTION, [Study(1, article, None)], ())) == 1


def test_nothing_gives_nothing() -> None:
    assert rows(QUESTION, [], ()) == ()


@pytest.mark.parametrize("question", demo.questions())
def test_the_demo_corpus(question: str) -> None:
    studies = [Study(n, article, None) for n, article in enumerate(demo.load(), 1)]
    made = rows(question, studies, ())
    assert sorted(row.n for row in made) == [study.n for study in studies]
    for row in made:
        article = studies[row.n - 1].article
        text = " ".join(f"{article.title} {article.abstract}".split())
        assert all(
            phrase in text for phrase in (row.intervention, row.comparator, row.outcome) if phrase
        )
        assert row.level_reason


@pytest.mark.slow
@needs_shared
def test_real_records() -> None:
    from clinfo.pubmed.xml import read_file

    path = SHARED / "citations" / "pubmedrs200_source_reviews.xml.gz"
    articles = [item for item in read_file(path) if isinstance(item, Article)]
    made = rows(
        "Does it help?", [Study(n, article, None) for n, article in enumerate(articles, 1)], ()
    )
    assert len(made) == len(articles) == 209
    bounded = [row for row in made if row.effect is not None and row.effect.low is not None]
    assert len(bounded) >= 5  # what says more than outcome and arms is left out
    for row in bounded:
        assert row.effect is not None
        span, article = row.effect.span, articles[row.n - 1]
        stated = (article.title if span.field == "title" else article.abstract)[
            span.start : span.end
        ]
        assert any(char.isdigit() for char in stated)
