"""Searching as every local source does it: limits, second readings, the shapes of real answers, and
real citations.
"""

import gzip
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.pubmed.citation import Citation
from clinfo.pubmed.document import document
from clinfo.pubmed.in_memory import InMemoryEngine
from clinfo.pubmed.search import search
from clinfo.pubmed.xml import read_file
from clinfo.records.articles import Article
from clinfo.terms.mesh import Mesh
from clinfo.terms.mesh_files import load
from tests.pubmed.small_collection import TODAY, engine, mesh
from tests.shared_data import SHARED, needs_shared


def holding(*titles: str, **fields: object) -> InMemoryEngine:
    articles = (
        Article(f"pmid:{number}", title, pmid=str(number), **fields)
        for number, title in enumerate(titles, 1)
    )  # type: ignore[arg-type]
    return InMemoryEngine(document(Citation(article)) for article in articles)


@pytest.mark.slow
@needs_shared
def test_words_that_find_nothing_when_mapped_are_searched_as_they_are() -> None:
    """PubMed's "Schema: all": "protein c" is a heading whose words are not split, so only the
    second reading splits it.
    """
    found = search("protein c", holding("A protein of group C", "Nothing"), mesh(), 9, today=TODAY)
    assert found.ids == ("pmid:1",)
    assert found.translation.text == '"protein"[All Fields] AND "c"[All Fields]'
    assert found.translation.messages == ("Schema: all",)
    nowhere = search("protein c", holding("Nothing at all"), mesh(), 9, today=TODAY)
    assert (nowhere.count, nowhere.translation.messages) == (0, ("No items found.",))


def test_a_filter_stays_in_parentheses_of_its_own_and_does_not_rank() -> None:
    held = holding("Rest and sleep", "Rest", "Sleep, sleep, sleep")
    assert search("rest OR sleep", held, None, 9, today=TODAY, filter="rest OR nothing").count == 2
    assert search("sleep OR rest", held, None, 9, today=TODAY, filter="the").count == 3
    ranked = search("rest", held, None, 9, today=TODAY, filter="sleep OR rest")
    assert ranked.ids == search("rest", held, None, 9, today=TODAY).ids
    assert (
        '"nothing"'
        in search("rest", held, None, 9, today=TODAY, filter="rest OR nothing").warnings[0]
    )


def test_fields_without_any_value_can_be_left_out() -> None:
    held = holding("Vitamin D and falls", "Vitamin C")
    query = (
        '"vitamin d"[mh] AND humans[mh] AND review[pt] AND 2020[dp] AND smith j[au] NOT english[la]'
    )
    strict = search(query, held, None, 9, today=TODAY)
    assert strict.count == 0
    loose = search(query, held, None, 9, today=TODAY, leave_out_unfilled=True)
    assert loose.ids == ("pmid:1",)
    assert tuple(loose.translation.as_words) == ('"vitamin d"[mh]',)
    assert tuple(loose.translation.unfilled) == (
        "humans[mh]",
        "review[pt]",
        "2020[dp]",
        "smith j[au]",
        "english[la]",
    )
    assert len(loose.warnings) == 2


def test_headings_without_stars_and_subheadings_are_searched_as_headings_where_asked_for() -> None:
    held = holding("Rest", mesh=("Hypertension",))
    for query in ("hypertension[majr]", "hypertension/therapy", "hypertension/therapy[majr]"):
        assert search(query, held, None, 9, today=TODAY).count == 0
        loose = search(query, held, None, 9, today=TODAY, leave_out_unfilled=True)
        assert loose.translation.text == '"hypertension"[MeSH Terms]'
        assert loose.count == 1
        assert loose.warnings
    assert (
        search("therapy[sh] AND rest", held, None, 9, today=TODAY, leave_out_unfilled=True).count
        == 1
    )


# The translation says what was searched: read as a query, it finds the same.

SAYABLE = [
    "asthma",
    "child rearing",
    "vitamin c common cold",
    "(asthma OR copd) AND adults NOT wheezing",
    "psittacine flight[tw]",
    '"breast feed*"',
    '"hip pain"[tiab:~2]',
    "neoplasms[mh:noexp] OR hypertension/therapy",
    "smith j[au] surgery",
    "2000:2000[dp]",
    '"last 5 years"[dp]',
    "lyme disease AND systematic[sb]",
    "clinical trial[pt] OR therapy[sh]",
    "17170002 16381840",
    "kidney-allograft OR odontalgia",
    "hasabstract AND psittacine",
    "all[sb] NOT asthma",
    "randomized controlled trial",
    'garmin[tiab] OR "body battery"[tiab]',
    "Therapy/Broad[filter]",
    "endocrine pathology",
]


@needs_shared
@pytest.mark.parametrize("query", SAYABLE)
def test_a_translation_finds_what_the_query_found(query: str) -> None:
    first = search(query, engine(), mesh(), 99, today=TODAY)
    second = search(first.translation.text, engine(), mesh(), 99, today=TODAY)
    assert set(second.ids) == set(first.ids) != set()


# Answers recorded from ESearch


def recorded(name: str) -> ElementTree.Element:
    return ElementTree.parse(SHARED / "eutils" / name).getroot()


@needs_shared
def test_a_word_that_no_table_knows_is_translated_as_recorded() -> None:
    answer = recorded("esearch1.xml")
    found = search("biopython", holding("Biopython tools"), mesh(), 9, today=TODAY)
    assert found.translation.text == answer.findtext("QueryTranslation")
    assert (
        len(found.translation.translation_set)
        == len(answer.findall("TranslationSet/Translation"))
        == 0
    )


@needs_shared
def test_a_mapped_word_is_translated_in_the_recorded_form(tmp_path: Path) -> None:
    """PubMed's table has derived words too ("cancerous"); what the rules here make of the word is
    part of what it has.

    The MeSH of the shared folder lacks this entry term of NLM's, so the table is one of its own.
    """
    row = {
        "ui": "D009369",
        "heading": "Neoplasms",
        "entry_terms": ["Cancer", "Cancers"],
        "tree_numbers": ["C04"],
    }
    (tmp_path / "mesh.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    table = tmp_path / "mesh.sqlite"
    load(tmp_path / "mesh.jsonl", table)
    answer = recorded("esearch2.xml")
    pair = answer.find("TranslationSet/Translation")
    assert pair is not None
    found = search(
        "cancer", holding("Cancer and cancers, a cancer's course"), Mesh(table), 9, today=TODAY
    )
    assert [one[0] for one in found.translation.translation_set] == [pair.findtext("From")]
    theirs = set(str(pair.findtext("To")).replace("cancer's", "cancer s").split(" OR "))
    ours = found.translation.text.split(" OR ")
    assert set(ours) <= theirs
    assert len(ours) == len(set(ours)) == 5


# Any text


@given(
    st.lists(
        st.sampled_from(
            [
                *'()[]"&|*:~-/#“',
                "AND",
                "OR",
                "NOT",
                "asthma",
                "pain",
                "[tiab]",
                "[mh]",
                "[pt]",
                "[dp]",
                "[au]",
                "[sb]",
            ]
        )
        | st.sampled_from(
            [
                "asth*",
                "the",
                "2000",
                "#1",
                "hasabstract",
                "smith j",
                "[la]",
                "[ti:~3]",
                "therapy",
                "systematic",
            ]
        )
        | st.text(max_size=5),
        max_size=25,
    ).map(" ".join)
)
def test_any_text_has_an_answer(query: str) -> None:
    for loose in (False, True):
        found = search(query, engine(), None, 5, today=TODAY, leave_out_unfilled=loose)
        assert len(found.ids) == min(5, found.count)
        assert (found.outcome == "zero") == (found.count == 0)
        assert isinstance(found.translation.text, str)


def test_long_queries_are_translated_whole() -> None:
    query = " OR ".join(f"word{number}[tiab] AND (asthma pain hip)" for number in range(250))
    found = search(query, engine(), None, 5, today=TODAY)
    assert len(query) > 8000
    assert found.translation.text.count('"asthma"[MeSH Terms]') == 250


# Real citations: what a query finds is what a scan of the records finds, read by rules of their own


@needs_shared
def test_real_queries_of_a_language_model_find_the_review_they_were_made_for() -> None:
    """Of the 100 questions, live PubMed found the source review for about 97 in a hundred (README
    of the shared data).
    """
    reviews = [
        item
        for item in read_file(SHARED / "citations" / "pubmedrs200_source_reviews.xml.gz")
        if isinstance(item, Article)
    ]
    held = InMemoryEngine(document(Citation(article)) for article in reviews)
    with gzip.open(SHARED / "llm_pubmed_queries.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    found: dict[str, bool] = {}
    for row in rows:
        result = search(row["query"], held, mesh(), len(reviews), today=TODAY)
        found[row["pmid"]] = found.get(row["pmid"], False) or f"pmid:{row['pmid']}" in result.ids
    assert (sum(found.values()), len(found)) == (95, 100)
