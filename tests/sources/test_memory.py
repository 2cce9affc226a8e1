import asyncio
from datetime import date
from pathlib import Path

import pytest
from hypothesis import strategies as st

from benchmarks.servers.citation_xml import render_set
from clinfo.records.articles import (
    Article,
    DateInterval,
    Related,
    SearchRequest,
    SearchResult,
    Section,
)
from clinfo.sources.memory import Memory
from clinfo.sources.registry import ArticleSource, LinkedSource
from tests.pubmed.small_collection import mesh
from tests.shared_data import needs_shared

YEAR = DateInterval(date(2015, 1, 1), date(2015, 12, 31), "2015")


def article(pmid: str, title: str, abstract: str = "", **fields: object) -> Article:
    sections = (Section(abstract),) if abstract else ()
    return Article(id=f"pmid:{pmid}", pmid=pmid, title=title, sections=sections, **fields)  # type: ignore[arg-type]


ARTICLES = [
    article(
        "1",
        "Vitamin D and falls in older adults",
        "A randomised trial of cholecalciferol in care homes.",
    ),
    article("2", "Vitamin C for the common cold", "Ascorbic acid did not shorten colds."),
    article(
        "3", "Hip fractures after falls", "Vitamin deficiency was common; vitamin K was given."
    ),
    article(
        "4",
        "Beta-blockers in heart failure",
        "β-blocker treatment and mortality.",
        keywords=("carvedilol",),
    ),
    article(
        "5",
        "Heart attacks and aspirin",
        "Aspirin for myocardial infarction.",
        mesh=("Humans", "Aspirin"),
    ),
    article(
        "6",
        "Crohn's disease of the bowel",
        "Remission on budesonide.",
        publication_types=("Randomized Controlled Trial",),
    ),
]


def search(
    query: str, source: Memory | None = None, limit: int = 20, **fields: object
) -> SearchResult:
    return asyncio.run((source or Memory(ARTICLES)).search(SearchRequest(query, limit, **fields)))  # type: ignore[arg-type]


def found(query: str) -> set[str]:
    return {id.removeprefix("pmid:") for id in search(query).ids}


@pytest.mark.parametrize(
    ("query", "hits"),
    [
        ("vitamin", "1 2 3"),
        ("vitamin falls", "1 3"),
        ("vitamin AND falls", "1 3"),
        ('"vitamin d"', "1"),
        ("“vitamin d”", "1"),
        ("vitamin NOT falls", "2"),
        ("vitamin AND NOT falls", "2"),
        ("aspirin OR vitamin falls", "1 3 5"),  # words side by side bind first
        ("aspirin OR vitamin AND falls", "1 3"),  # operators from left to right
        ("aspirin OR (vitamin AND falls)", "1 3 5"),
        ("(aspirin OR budesonide) NOT (heart OR lung)", "6"),
        ("aspirin or budesonide", ""),  # a word like any other: operators stand in capitals
        ("aspirin | budesonide", "5 6"),
        ("vitamin & falls", "1 3"),
        ("vitamin[tiab] AND (falls[Title/Abstract] OR fracture*[tw])", "1 3"),
        ("vitamin d[tiab]", "1"),
        ('"vitamin D"[MeSH Terms]', ""),  # one article has headings, and not this one
        ("aspirin[mh]", "5"),
        ("(vitamin OR aspirin)[tiab]", "1 2 3 5"),
        ("asp*", ""),  # three letters are too few for a star
        ("aspi*", "5"),
        ("carvedilol", "4"),
        ("humans[mh]", "5"),
        ("randomized controlled trial[pt]", "6"),
        ("beta-blocker", "4"),
        ("beta blockers", "4"),
        ("crohn disease", "6"),
        ("crohn’s disease", "6"),
        ("heart attack", "5"),
        ("fracture", "3"),
        ("the vitamin of falls", "1 3"),
        ('"falls in older adults"', "1"),
        ('"older falls"', "1"),  # no such phrase: its words
        ('"vitamin AND aspirin"', ""),
        ('"aspirin OR budesonide"', "5 6"),  # operators inside quotes
        ("falls adults homes trial", "1"),
        ('"adults randomised"', "1"),  # no phrase across parts, but words
        ('"falls vitamin"[tiab:~3]', "1"),  # in one text
        ("vitamin AND (", "1 2 3"),
        ("vitamin) AND falls", "1 3"),
        ('vitamin "d', "1"),
        ("[18F]FDG OR aspirin", "5"),
        ("vitamin AND english[la]", "1 2 3"),
        ("english[la] vitamin", "1 2 3"),
        ("vitamin 2010:2020[dp]", "1 2 3"),
        ('vitamin AND ("2010/01/01"[dp] : "3000"[dp])', "1 2 3"),
        ("smith j[au] OR aspirin", "5"),
        ("NOT vitamin", "1 2 3"),  # an operator with nothing before it
        ("aspirin NOT humans[mh]", ""),
        ("unheard", ""),
        ("vitamin unheard", ""),
        ("vitamin OR unheard", "1 2 3"),
        ("", ""),
        ("()", ""),
        ("AND OR NOT", ""),
        ("the of and", ""),
        ("?!…", ""),
    ],
)
def test_queries(query: str, hits: str) -> None:
    assert found(query) == set(hits.split())


def test_warnings_say_what_is_unknown_ignored_or_empty() -> None:
    assert search("vitamin OR unheard OR gnome*").warnings == (
        'No record here has "unheard", "gnome*".',
    )
    assert search("vitamin AND english[la]").warnings == (
        'No record here has the field of "english[la]"; it was ignored.',
    )
    assert search("the vitamin").warnings == ('Too common to search for: "the".',)
    assert search("...").warnings == ("The query contains no searchable word.",)
    assert search("vitamin").warnings == ()
    many = search(" OR ".join(f"nothing{number}" for number in range(30)))
    assert all(f'"nothing{number}"' in many.warnings[0] for number in range(30))


def test_fields_that_no_article_has_filled_exclude_nothing() -> None:
    bare = Memory(ARTICLES[:4])
    result = search('vitamin AND humans[mh] AND "randomized controlled trial"[pt]', bare)
    assert result.count == 3
    assert len(result.warnings) == 1
    assert search('"vitamin d"[mh] NOT review[pt]', bare).ids == (
        "pmid:1",
    )  # a heading is looked for as words


def test_filters_narrow_where_they_can_and_are_named_where_not() -> None:
    result = search("vitamin", filter="english[la]")
    assert (result.count, result.sent) == (3, "(vitamin) AND (english[la])")
    assert result.warnings == ('No record here has the field of "english[la]"; it was ignored.',)
    assert (result.outcome, result.dropped) == ("partly dropped", ("english[la]",))
    assert search("vitamin", filter="falls").count == 2


@needs_shared
def test_with_mesh_words_lead_to_headings_and_their_words() -> None:
    assert search("acute coryza", Memory(ARTICLES)).count == 0
    assert search("acute coryza", Memory(ARTICLES, mesh=mesh())).ids == ("pmid:2",)
    assert search("salicylates[mh]", Memory(ARTICLES, mesh=mesh())).ids == (
        "pmid:5",
    )  # aspirin is a narrower heading


def test_related_articles_are_alike_cite_or_are_cited() -> None:
    async def run() -> None:
        one = article(
            "1",
            "Aspirin for heart attacks",
            "Aspirin after myocardial infarction.",
            references=("2", "77"),
        )
        two = article("2", "Aspirin after myocardial infarction", "A trial of aspirin.")
        three = article("3", "Falls in care homes", "Vitamin D.", references=("1", "2"))
        source: LinkedSource = Memory([one, two, three])
        assert await source.related("pmid:1", 5) == Related(("pmid:2",), ("pmid:3",), ("pmid:2",))
        assert (await source.related("pmid:2", 1)).citing == ("pmid:3",)
        assert await source.related("pmid:2", 0) == Related()
        assert await source.related("pmid:99", 5) == Related()

    asyncio.run(run())


def test_it_is_a_source_of_articles() -> None:
    async def run() -> None:
        source: ArticleSource = Memory(ARTICLES, name="demo", notices=("Small.",))
        assert (source.name, source.remote, source.query_prompt, source.notices) == (
            "demo",
            False,
            "question2query",
            ("Small.",),
        )
        fetched = await source.fetch(["pmid:5", "pmid:77", "pmid:1", "pmid:5"])
        assert fetched.articles == (ARTICLES[4], ARTICLES[0])
        assert fetched.missing == ("pmid:77",)
        result = await source.search(SearchRequest("vitamin", 3))
        assert result.sort == "relevance"
        assert result.sent_at.endswith("+00:00")

    asyncio.run(run())


def test_files_of_citations_with_later_records_and_deletions(tmp_path: Path) -> None:
    (tmp_path / "base.xml").write_bytes(render_set(ARTICLES[:3]))
    later = render_set([article("2", "Vitamin C anew"), article("9", "New")])
    damaged = b"<PubmedArticle><MedlineCitation/></PubmedArticle><DeleteCitation><PMID>3</PMID></DeleteCitation></PubmedArticleSet>"  # noqa: E501
    (tmp_path / "update.xml").write_bytes(later.replace(b"</PubmedArticleSet>", damaged))
    source = Memory.from_files([tmp_path / "base.xml", tmp_path / "update.xml"])
    assert len(source) == 3
    assert set(search("vitamin OR new", source).ids) == {"pmid:1", "pmid:2", "pmid:9"}
    assert search("anew", source).ids == ("pmid:2",)
    assert source.name == "base.xml, update.xml"
    assert source.notices == ("1 damaged record of base.xml, update.xml could not be read.",)


PIECES = st.lists(
    st.sampled_from(
        [
            *'()[]"&|*:~-“”',
            "AND",
            "OR",
            "NOT",
            "vitamin",
            "falls",
            "[tiab]",
            "[pt]",
            "[dp]",
            "vita*",
            "the",
            "0",
            "β",
        ]
    )
    | st.text(max_size=6),
    max_size=25,
).map(" ".join)
