"""The integrity gate: what records, titles, a list and reference lists say, and that nothing
retracted is missed.
"""

import pytest

from benchmarks.own import integrity as figures
from clinfo.integrity.notices import excluding, is_preprint, notices, reason
from clinfo.integrity.retractions import Entry, Loaded, Retractions
from clinfo.records.appraisal import Notice
from clinfo.records.articles import Article, Correction, Section
from tests.shared_data import needs_shared

NOTICE = Correction("RetractionIn", "J Tests. 2003 Jan;3(1):1", "900")


def article(
    number: int = 1,
    *links: Correction,
    title: str = "A trial of rest",
    types: tuple[str, ...] = (),
    **more,
) -> Article:
    pmid = str(number)
    return Article(f"pmid:{pmid}", title, pmid, publication_types=types, corrections=links, **more)


def listed(*entries: Entry) -> Retractions:
    return Retractions(Loaded((), "2026-01-02T00:00:00+00:00"), entries)


def only(found: tuple[Notice, ...]) -> Notice:
    assert len(found) == 1, found
    return found[0]


def kinds(*articles: Article, retractions: Retractions | None = None) -> list[str]:
    return [one.kind for one in notices(articles, retractions)]


def test_a_notice_at_hand_withholds_what_it_retracts_before_that_record_says_so() -> None:
    notice = article(
        900, Correction("RetractionOf", "J Tests. 2003", "1"), title="Retraction of A trial of rest"
    )
    (own,) = [one for one in notices([article(), notice]) if one.id == "pmid:1"]
    assert excluding(own)
    assert own.pmid == "900"
    review = article(3, references=("1",))
    assert kinds(article(), notice, review) == [
        "retracted",
        "retraction notice",
        "cites retracted articles",
    ]
    replaced = article(1, Correction("RetractedandRepublishedFrom", "J Tests. 2002", "5"))
    assert kinds(replaced, notice) == ["retracted and republished", "retraction notice"]


@pytest.mark.parametrize(
    ("one", "kind", "withheld"),
    [
        (article(1, NOTICE), "retracted", True),
        (article(types=("Journal Article", "Retracted Publication")), "retracted", True),
        (article(1, Correction("RetractedandRepublishedIn", "", "5")), "retracted", True),
        (article(types=("Retraction of Publication",)), "retraction notice", True),
        (article(1, Correction("RetractionOf", "", "5")), "retraction notice", True),
        (
            article(1, Correction("RetractedandRepublishedFrom", "", "5")),
            "retracted and republished",
            False,
        ),
        (article(1, Correction("PartialRetractionIn", "", "5")), "partly retracted", False),
        (article(1, Correction("ExpressionOfConcernIn", "", "5")), "expression of concern", False),
        (article(types=("Expression of Concern",)), "expression of concern", False),
        (article(1, Correction("ErratumIn", "", "5")), "erratum", False),
        (article(1, Correction("CorrectedandRepublishedIn", "", "5")), "erratum", False),
        (article(1, Correction("RepublishedFrom", "", "5")), "erratum", False),
        (article(types=("Published Erratum",)), "erratum", False),
        (article(types=("Preprint",)), "preprint", False),
        (
            article(1, Correction("UpdateIn", "", "5"), types=("Preprint",)),
            "preprint with a published version",
            False,
        ),
        (article(1, Correction("UpdateIn", "", "5")), "superseded", False),
    ],
)
def test_what_a_record_says(one: Article, kind: str, withheld: bool) -> None:
    notice = only(notices([one]))
    assert (notice.id, notice.kind, notice.reported_by, excluding(notice)) == (
        "pmid:1",
        kind,
        "PubMed's record",
        withheld,
    )
    assert notice.text.endswith(".")
    assert notice.pmid == (one.corrections[0].pmid if one.corrections else None)


@pytest.mark.parametrize(
    "one",
    [
        article(),
        article(
            1,
            Correction("CommentIn", "", "5"),
            Correction("UpdateOf", "", "6"),
            Correction("Cites", "", "7"),
        ),
        article(title="Retraction of the eyelid in thyroid disease: a review"),
        article(title="Retracted meniscus and withdrawn patients"),
        article(title="Withdrawal: a review of benzodiazepines"),
        article(
            title="Retraction: a new sign of the soft palate",
            sections=(Section("We measured it in 12 patients."),),
        ),
        article(title="Effect of nicotine replacement (withdrawn patients included)"),
        article(title="Withdrawn: patients' experience of leaving a trial"),
        article(title="Withdrawn - why people leave"),
        article(title="Withdrawn. How people leave a trial"),
        article(title="Retraction of the tongue and airway pressure: a trial"),
        article(title="Expression of concern in nurses after night shifts"),
        article(title="Correction of hyponatraemia: a review"),
        article(
            title="Correction: a new method for the spine",
            sections=(Section("We measured it in 12 patients."),),
        ),
        article(title="Erratum-free proofs of the tibia"),
        article(title="The lung after surgery - how retracted"),
    ],
)
def test_ordinary_articles_bear_no_notice(one: Article) -> None:
    assert notices([one]) == ()


@pytest.mark.parametrize(
    "title",
    [
        "RETRACTED: Rest after surgery",
        "Retracted: Rest",
        "[Retracted] Rest",
        "RETRACTED ARTICLE: Rest",
        "WITHDRAWN: Rest",
        "[Retracted: Rest after surgery].",
        "Rest after surgery [Retracted]",
        "Rest (Retracted article. See vol. 5, pg 3, 2010).",
        "758 WITHDRAWN: Rest",
        "TEMPORARY REMOVAL: Rest",
        "Withdrawn – Rest",
        "RETRACTED ARTICLE. Rest after surgery",
        "WITHDRAWN. Rest after surgery",
        "Rest after surgery - Retracted",
        "Rest after surgery – RETRACTED ARTICLE.",
        "Rest after surgery. WITHDRAWN",
        "Retracted article. Rest",
        "Withdrawn: miR-21 and rest",
        "Retracted: miR-21 and rest",
        "Withdrawn article: rest",
        "WITHDRAWN: rest",
    ],
)
def test_titles_that_say_it(title: str) -> None:
    notice = only(notices([article(title=title)]))
    assert (notice.kind, notice.reported_by) == ("retracted", "the title")


@pytest.mark.parametrize(
    "one",
    [
        article(title="Retraction Note: Rest after surgery"),
        article(title="Notice of Retraction: Rest after surgery"),
        article(title="Statement of retraction: Rest"),
        article(title='Retraction notice to "Rest after surgery" [J Tests 3 (2003) 1]'),
        article(title="Retraction. Rest after surgery."),
        article(title="Rest after surgery: Retraction."),
        article(title="Retraction for Smith et al., Rest after Surgery"),
        article(title="Retraction for Smith and O’Brien, “Rest after Surgery”"),
        article(title="Retraction of Smith, Jones, et al. Rest after surgery"),
        article(
            title="Retraction: Rest",
            sections=(Section("[This retracts the article DOI: 10.1000/rest.]"),),
        ),
    ],
)
def test_titles_of_notices(one: Article) -> None:
    notice = only(notices([one]))
    assert (notice.kind, excluding(notice)) == ("retraction notice", True)


def test_a_notice_names_what_it_stands_in_and_a_reason_tells_it() -> None:
    notice = only(notices([article(1, NOTICE, types=("Retracted Publication",))]))
    assert notice.text == "This article was retracted: J Tests. 2003 Jan;3(1):1, PMID 900."
    assert (notice.citation, notice.pmid) == ("J Tests. 2003 Jan;3(1):1", "900")
    assert (
        reason(notice) == "retracted: J Tests. 2003 Jan;3(1):1, PMID 900 (source: PubMed's record)"
    )
    bare = only(notices([article(types=("Retracted Publication",))]))
    assert reason(bare) == "retracted (source: PubMed's record)"


def test_a_version_replaced_under_its_own_pmid_stays() -> None:
    notice = only(
        notices([article(1, Correction("RetractedandRepublishedIn", "J Tests. 2004", "1"))])
    )
    assert (notice.kind, notice.pmid, excluding(notice)) == (
        "retracted and republished",
        None,
        False,
    )


def test_a_preprint_is_published_where_another_article_here_updates_it() -> None:
    preprint = article(1, doi="10.1101/2020.03.22.20040758")
    published = article(2, Correction("UpdateOf", "medRxiv", "1"))
    notice = only(notices([preprint, published]))
    assert (notice.id, notice.kind, notice.pmid) == (
        "pmid:1",
        "preprint with a published version",
        "2",
    )


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"journal": "medRxiv : the preprint server for health sciences"}, True),
        ({"journal_abbreviation": "Res Sq."}, True),
        ({"journal": "bioRxiv [Preprint]"}, True),
        ({"doi": "10.1101/2020.03.22.20040758"}, True),
        ({"doi": "10.1101/123456"}, True),
        ({"doi": "https://doi.org/10.21203/rs.3.rs-1234/v1"}, True),
        ({"doi": "10.2139/SSRN.3556518"}, True),
        ({"doi": "10.1101/gr.123456.107", "journal": "Genome research"}, False),
        ({"doi": "10.21203/rs.2.pex-12/v1"}, False),
        ({"doi": "10.1101/1234567"}, False),
        ({"journal": "Preprints of the trade"}, False),
        ({}, False),
    ],
)
def test_preprints_by_journal_and_doi(more: dict[str, str], expected: bool) -> None:
    assert is_preprint(article(**more)) is expected


def test_what_a_list_says() -> None:
    held = listed(
        Entry(
            "retraction",
            "1",
            "10.1000/one",
            "2023-07-12",
            "900",
            "10.1000/n",
            "",
            ("Paper Mill", "A", "B", "C"),
        ),
        Entry("expression of concern", "2", day="2022-01-01"),
        Entry("correction", None, "10.1000/three", notice_doi="10.1000/fix"),
        Entry("retraction", "4"),
        Entry("reinstatement", "4"),
    )
    articles = [article(number) for number in (1, 2)] + [
        article(3, doi="10.1000/THREE"),
        article(4),
        article(900),
    ]
    found = notices(articles, held)
    assert [(one.id, one.kind, one.reported_by) for one in found] == [
        ("pmid:1", "retracted", "the retraction list"),
        ("pmid:2", "expression of concern", "the retraction list"),
        ("pmid:3", "erratum", "the retraction list"),
        ("pmid:900", "retraction notice", "the retraction list"),
    ]
    assert found[0].text == (
        "The retraction list records this article as retracted (2023-07-12, notice: PMID 900), "
        "with the reasons Paper Mill; A; B; "
        "and 1 more."
    )
    assert reason(found[0]) == "retracted: doi: 10.1000/n, PMID 900 (source: the retraction list)"
    assert kinds(Article("doi:10.1000/one", "By DOI", doi="10.1000/one"), retractions=held) == [
        "retracted"
    ]


def test_record_and_list_agree_in_one_notice() -> None:
    held = listed(Entry("retraction", "1", day="2003-01-01", notice_pmid="900", reasons=("Error",)))
    notice = only(notices([article(types=("Retracted Publication",))], held))
    assert (notice.reported_by, notice.pmid) == ("PubMed's record", "900")
    assert (
        notice.text
        == "This article was retracted. The retraction list records it too, with the reason Error."
    )


def test_the_version_that_took_its_place_stays() -> None:
    held = listed(
        Entry("retraction", "5", "10.1000/same", notice_pmid="1", reasons=("Retract and Replace",))
    )
    replacement = article(1, Correction("RetractedandRepublishedFrom", "", "5"), doi="10.1000/same")
    assert kinds(replacement, retractions=held) == ["retracted and republished"]
    assert kinds(article(1), retractions=held) == ["retracted and republished"], (
        "also where the record says nothing"
    )
    assert kinds(article(5), retractions=held) == ["retracted"]


def test_reference_lists_that_hold_what_was_retracted() -> None:
    held = listed(*(Entry("retraction", str(number)) for number in range(10, 15)))
    review = article(1, references=("9", "10", "11", "12", "13", "14", "2", "14"))
    fallen = article(2, NOTICE, references=("10",))
    republished = article(
        3, Correction("RetractedandRepublishedFrom", "", "10"), references=("10", "900")
    )
    found = notices([review, fallen, republished], held)
    assert [(one.id, one.kind) for one in found] == [
        ("pmid:1", "cites retracted articles"),
        ("pmid:2", "retracted"),
        ("pmid:3", "retracted and republished"),
    ]
    assert (
        found[0].text
        == "Its reference list contains 6 retracted articles (PMID 10, 11, 12 and 3 more)."
    )
    assert (found[0].reported_by, found[0].pmid) == ("the reference list", "10")
    alone = only(notices([review, fallen])[:1])
    assert alone.text == "Its reference list contains a retracted article (PMID 2)."


@pytest.mark.slow
@needs_shared
def test_nothing_retracted_in_the_real_data_goes_unflagged() -> None:
    rows = {row.file: row for row in figures.rows()}
    assert {
        row.file
        for row in rows.values()
        if row.listed_found < row.listed or row.marked_found < row.marked
    } == set()
    cited = [
        rows["citations/drug_class_review_citations.xml.gz"],
        rows["citations/pmc_trial_citations.xml.gz"],
        rows["citations/pubmedqa_citations.xml.gz"],
        rows["medline/medsample1_2017.xml.gz"],
    ]
    assert [row.listed_found for row in cited] == [12, 3, 1, 3]
    assert sum(row.listed_found for row in cited) == figures.CITED_LISTED
    assert rows["medline/medsample1_2017.xml.gz"].marked_found == 3
    assert rows[figures.LISTING].listed_found == 82
    reduced = [
        row
        for name, row in rows.items()
        if name.startswith("citations/") and name != figures.LISTING
    ]
    assert sum(row.others_excluded for row in reduced) == 0, (
        "no citation is withheld that is not listed"
    )
