"""One study in many papers, and studies that a review lists; registry numbers and names are made
up.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clinfo.evidence.design import stated_design
from clinfo.evidence.table import groups, overlaps, own_numbers
from clinfo.records.appraisal import StudyOverlap
from clinfo.records.articles import Article, Correction, DateInterval, Section, Summary


def _article(
    number: int,
    title: str = "Walking and sleep",
    text: str = "Adults were randomly assigned to walking or rest.",
    *,
    types: tuple[str, ...] = (),
    banks: tuple[str, ...] = (),
    year: int = 2015,
    cites: tuple[str, ...] = (),
    label: str = "METHODS",
) -> Article:
    day = DateInterval(date(year, 1, 1), date(year, 12, 31), str(year))
    return Article(
        id=f"pmid:{number}",
        pmid=str(number),
        title=title,
        sections=(Section(text, label),),
        publication_types=types,
        databank_numbers=banks,
        published=day,
        references=cites,
    )


def _designs(articles: Sequence[Article]) -> dict[str, str | None]:
    return {article.id: stated_design(article) for article in articles}


def _ids(*articles: Article) -> list[tuple[str, ...]]:
    return [group.ids for group in groups(articles, _designs(articles))]


TRIAL = _article(
    1, text="Adults were randomly assigned to walking or rest. Trial registration: NCT01234567."
)


def test_reports_with_one_registry_number_are_one_study() -> None:
    later = _article(
        3,
        "Sleep two years on",
        "Adults of the trial were followed. ClinicalTrials.gov NCT 01234567.",
    )
    bank = _article(4, "Costs of walking", banks=("ClinicalTrials.gov/NCT01234567",))
    found = groups([TRIAL, _article(2), later, bank], {})
    assert [group.ids for group in found] == [("pmid:1", "pmid:3", "pmid:4"), ("pmid:2",)]
    assert found[0].reason == "both are registered as NCT01234567"
    assert found[0].registry_numbers == ("NCT01234567",)
    assert found[1].reason == ""


def test_a_report_that_pools_two_trials_does_not_make_one_of_them() -> None:
    twin = _article(2, text="Adults were randomly assigned to walking or rest (NCT07654321).")
    pooled = _article(
        3,
        "Post hoc analysis of two trials",
        "A post hoc analysis of both trials (NCT01234567, NCT07654321).",
    )
    assert _ids(TRIAL, twin, pooled) == [("pmid:1",), ("pmid:2",), ("pmid:3",)]


@pytest.mark.parametrize("kind", ["UpdateIn", "UpdateOf", "CorrectedandRepublishedIn"])
def test_versions_of_one_article_are_one_study(kind: str) -> None:
    preprint = replace(
        _article(2, "Rest and sleep, a preprint"),
        corrections=(Correction(kind, "J Tests. 2016", "3"),),
    )
    became = _article(3, "Walking and other things")
    found = groups([became, TRIAL, preprint], {})
    assert [group.ids for group in found] == [("pmid:3", "pmid:2"), ("pmid:1",)]
    assert found[0].reason == "they are versions of one article"
    erratum = replace(preprint, corrections=(Correction("ErratumIn", "J Tests. 2016", "3"),))
    assert len(groups([became, TRIAL, erratum], {})) == 3


def test_groups_stand_by_their_best_rank() -> None:
    other = _article(3, text="Registered as ISRCTN12345678.")
    assert _ids(_article(2), other, TRIAL, _article(5, text="Registered as ISRCTN 12345678.")) == [
        ("pmid:2",), ("pmid:3", "pmid:5"), ("pmid:1",),
    ]  # fmt: skip


def test_another_number_is_another_study() -> None:
    assert len(_ids(TRIAL, _article(2, text="Trial registration: NCT01234568."))) == 2


@pytest.mark.parametrize(
    "other",
    [
        _article(2, text="A comment on the trial NCT01234567.", types=("Comment",)),
        _article(2, text="An editorial on NCT01234567.", types=("Editorial",)),
        _article(2, text="We review walking, as in NCT01234567.", types=("Review",)),
        _article(
            2,
            text="We searched for randomised trials and pooled NCT01234567.",
            types=("Meta-Analysis",),
        ),
        _article(2, text="Data of NCT01234567, NCT01234568 and NCT01234569 were used."),
        _article(2, text="Pooled data of NCT01234567 and NCT01234568 were used."),
    ],
)
def test_who_only_names_a_number_reports_nothing_of_it(other: Article) -> None:
    assert len(_ids(TRIAL, other)) == 2


def test_registers_side_by_side_do_not_part_a_study() -> None:
    twice = _article(2, text="Registered as NCT01234567 and EudraCT 2013-003817-16.")
    assert _ids(TRIAL, twice) == [("pmid:1", "pmid:2")]


def test_reviews_are_tied_by_their_own_registration_only() -> None:
    first = _article(
        1,
        text="We pooled randomised trials such as NCT01234567. PROSPERO CRD42014009110.",
        types=("Meta-Analysis",),
    )
    second = _article(
        2,
        text="We pooled randomised trials. PROSPERO CRD42014009110.",
        types=("Systematic Review",),
    )
    third = _article(
        3, text="We pooled randomised trials such as NCT01234567.", types=("Systematic Review",)
    )
    assert _ids(first, second, third) == [("pmid:1", "pmid:2"), ("pmid:3",)]
    assert own_numbers(first, "meta-analysis") == ("CRD42014009110",)
    assert own_numbers(third, "systematic review") == ()


def test_overlap_is_a_primary_study_in_the_list_of_a_review() -> None:
    pooled = ("We searched for randomised trials.",)
    review = _article(
        9, "Walking: a review", *pooled, types=("Systematic Review",), cites=("1", "2", "8", "77")
    )
    earlier = _article(
        8, "Walking: an earlier review", *pooled, types=("Meta-Analysis",), cites=("1",)
    )
    narrative = _article(
        7, "Thoughts on walking", "We review walking.", types=("Review",), cites=("1", "2")
    )
    articles = [TRIAL, _article(2), review, earlier, narrative]
    found = overlaps(articles, _designs(articles))
    assert found == (
        StudyOverlap("pmid:9", ("pmid:1", "pmid:2")),
        StudyOverlap("pmid:8", ("pmid:1",)),
    )


def test_nothing_gives_nothing() -> None:
    assert groups([], {}) == ()
    assert overlaps([], {}) == ()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(alphabet="NCT01234567 ISRCTN,.(", max_size=60), max_size=5))
def test_every_article_is_in_one_group(texts: list[str]) -> None:
    articles = [_article(number, text=text) for number, text in enumerate(texts)]
    found = [id for group in groups(articles, {}) for id in group.ids]
    assert sorted(found) == sorted(article.id for article in articles)


def test_two_reports_that_randomised_as_many_people_to_the_same_two_are_one_trial() -> None:
    one, other = _article(1), _article(2)
    read = Summary("", sample_size=980, intervention="Clozapine", comparator="olanzapine")
    designs = dict.fromkeys((one.id, other.id), "randomised controlled trial")
    same = groups([one, other], designs, {one.id: read, other.id: replace(read)})
    assert [group.ids for group in same] == [("pmid:1", "pmid:2")]
    assert same[0].reason == "both randomised 980 people to Clozapine or olanzapine"
    for apart in ({"sample_size": 979}, {"comparator": "risperidone"}, {"sample_size": None}):
        assert (
            len(groups([one, other], designs, {one.id: read, other.id: replace(read, **apart)}))
            == 2
        )
    assert (
        len(
            groups(
                [one, other], dict.fromkeys(designs, "cohort study"), {one.id: read, other.id: read}
            )
        )
        == 2
    )
