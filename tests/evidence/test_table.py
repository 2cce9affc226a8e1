"""The evidence table: its fields come from the typed reading, its order from the design."""

from collections.abc import Sequence
from datetime import date

import pytest

from clinfo.evidence.table import appraise
from clinfo.records.appraisal import EvidenceRow, Notice
from clinfo.records.articles import Article, DateInterval, Effect, Section, Study, Summary
from clinfo.sources import demo


def rows(studies: Sequence[Study], notices: Sequence[Notice]) -> tuple[EvidenceRow, ...]:
    return appraise(studies, notices).rows


def _article(
    number: int,
    title: str = "Light",
    text: str = "",
    *,
    types: tuple[str, ...] = (),
    year: int | None = 2015,
    cites: tuple[str, ...] = (),
) -> Article:
    day = None if year is None else DateInterval(date(year, 1, 1), date(year, 12, 31), str(year))
    return Article(
        id=f"pmid:{number}",
        pmid=str(number),
        title=title,
        sections=(Section(text),),
        publication_types=types,
        published=day,
        references=cites,
    )


TRIAL = _article(1, "Bright light in nurses: a randomised trial")
EFFECT = Effect("MD", "difference", -8.5, -12.0, -5.0, 95.0, "minutes")


def test_a_row_says_what_the_typed_reading_says() -> None:
    read = Summary(
        "It shortened sleep latency.",
        design="randomised crossover trial",
        sample_size=143,
        analysed=140,
        population="nurses with insomnia",
        intervention="bright light",
        comparator="dim light",
        outcome="sleep latency",
        effect=EFFECT,
        follow_up="12 weeks",
        result="found benefit",
        usefulness=9,
    )
    (row,) = rows([Study(4, TRIAL, read)], ())
    assert (row.id, row.n, row.year, row.design) == ("pmid:1", 4, 2015, read.design)
    assert (row.level, row.level_reason) == (2, "randomised crossover trial: level 2")
    assert (row.sample_size, row.analysed, row.population) == (143, 140, "nurses with insomnia")
    assert (row.intervention, row.comparator) == ("bright light", "dim light")
    assert (row.outcome, row.effect, row.follow_up) == ("sleep latency", EFFECT, "12 weeks")
    assert (row.result, row.usefulness) == ("found benefit", 9)


def test_without_a_reading_a_row_holds_what_the_record_states_and_no_more() -> None:
    text = "We randomised 143 nurses; sleep latency fell (RR 0.5, 95% CI 0.4 to 0.6)."
    (row,) = rows([Study(1, _article(1, "A trial of light: randomised trial", text), None)], ())
    assert row.design == "randomised trial"
    assert (row.sample_size, row.effect, row.outcome, row.population) == (None, None, None, None)
    assert (row.result, row.stance, row.effect_direction) == (None, None, None)


@pytest.mark.parametrize(
    ("title", "types", "design"),
    [
        ("Light", ("Randomized Controlled Trial",), "randomised controlled trial"),
        ("Light", ("Meta-Analysis", "Systematic Review"), "meta-analysis"),
        ("Light: protocol for a randomised controlled trial", (), "study protocol"),
        ("Light: a non-randomised controlled trial", (), "controlled trial"),
        ("Light: a systematic review and meta-analysis", ("Review",), "meta-analysis"),
        ("A prospective cohort study of light", (), "cohort study"),
        ("Light", ("Review",), "review"),
        ("Light in nurses", ("Journal Article",), None),
    ],
)
def test_a_design_is_one_that_publication_types_or_the_title_word(
    title: str, types: tuple[str, ...], design: str | None
) -> None:
    (row,) = rows([Study(1, _article(1, title, types=types), None)], ())
    assert row.design == design


def _order(*articles: Article) -> list[int]:
    studies = [Study(n, each, None) for n, each in enumerate(articles, 1)]
    return [row.n for row in rows(studies, ())]


def test_guidelines_and_recent_reviews_stand_first_then_the_design_newer_before_older() -> None:
    unknown, cohort = _article(7), _article(6, "A cohort study")
    old = _article(5, types=("Randomized Controlled Trial",), year=1999)
    new = _article(4, types=("Randomized Controlled Trial",))
    review = _article(2, types=("Meta-Analysis",), year=2014)
    guideline = _article(1, types=("Guideline",), year=1990)
    assert _order(unknown, cohort, old, new, review, guideline) == [6, 5, 4, 3, 2, 1]
    same = (_article(1), _article(2))
    assert _order(*same) == [1, 2], "equals keep their rank"


def test_unread_rows_come_last() -> None:
    studies = [Study(1, TRIAL, None, unread=True), Study(2, _article(2), None)]
    assert [row.n for row in rows(studies, ())] == [2, 1]


def test_groups_reviews_and_notices_reach_their_rows() -> None:
    text = "Nurses were randomised. NCT01234567."
    one, other = _article(1, "Light", text), _article(2, "Lamps", text)
    review = _article(3, types=("Meta-Analysis",), cites=("2",))
    notice = Notice("pmid:2", "erratum", "A figure was corrected.", "PubMed's record")
    made = rows([Study(1, one, None), Study(2, review, None), Study(3, other, None)], [notice])
    by_id = {row.id: row for row in made}
    assert [by_id[id].group for id in ("pmid:1", "pmid:3", "pmid:2")] == [1, 2, 1]
    assert by_id["pmid:2"].in_reviews == ("pmid:3",)
    assert by_id["pmid:2"].notices == (notice,)
    assert by_id["pmid:1"].notices == ()


def test_the_demo_corpus_has_a_row_for_each_article() -> None:
    studies = [Study(n, article, None) for n, article in enumerate(demo.load(), 1)]
    made = rows(studies, ())
    assert sorted(row.n for row in made) == [study.n for study in studies]
    assert all(row.level_reason for row in made)
    assert rows([], ()) == ()
