"""Other forms of words, dates in queries and definitions of filters: the tables that a translation
goes by.
"""

from datetime import date, timedelta

import pytest

from clinfo.pubmed.dates import read_days, read_last, written
from clinfo.pubmed.filters import DEFINITIONS
from clinfo.pubmed.query import parse
from clinfo.text.plurals import variants
from tests.shared_data import SHARED, needs_shared


@pytest.mark.parametrize(
    ("word", "others"),
    [
        ("asthma", "asthmas, asthma s"),
        ("therapies", "therapy"),
        ("therapy", "therapies, therapy s"),
        ("children", "child"),
        ("diagnosis", "diagnoses"),
        ("diagnoses", "diagnosis"),
        ("diseases", "disease"),
        ("virus", "viruses"),
        ("tumours", "tumour, tumors, tumor"),
        ("randomised", "randomized"),
        ("randomized", "randomised"),
        ("exercise", "exercises, exercise s"),
        ("oedema", "oedemas, edema, edemas, oedema s"),
        ("ischemic", "ischaemic"),
        ("academic", ""),
        ("laboratory", "laboratories, laboratory s"),
        ("paediatric", "pediatric"),
        ("antipsychotics", "antipsychotic"),
        ("physics", ""),
        ("hypoxaemia", "hypoxaemias, hypoxemia, hypoxemias, hypoxaemia s"),
        ("hb", ""),
        ("25ohd", ""),
    ],
)
def test_other_forms(word: str, others: str) -> None:
    found = variants(word)
    assert found[0] == word
    wanted = [one for one in others.split(", ") if one]
    ours = [
        one
        for one in found[1:]
        if word not in ("ischemic", "academic", "paediatric") or not one.endswith(("s", " s"))
    ]
    assert ours == wanted


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("2020", "2020/01/01 2020/12/31"),
        ("2020/2", "2020/02/01 2020/02/29"),
        ("2020/02/31", "2020/02/29 2020/02/29"),
        ("2020-01-05", "2020/01/05 2020/01/05"),
        ("2020 Jan 5", "2020/01/05 2020/01/05"),
        ('"2020"', "2020/01/01 2020/12/31"),
        ("3000", "3000/01/01 3000/12/31"),
        ("1804", "1804/01/01 1804/12/31"),
        ("2020/13", ""),
        ("20200", ""),
        ("hip", ""),
        ("12", ""),
        ("", ""),
    ],
)
def test_dates(text: str, days: str) -> None:
    found = read_days(text)
    assert " ".join(map(written, found or ())) == days


def test_the_last_so_many_days_months_and_years() -> None:
    today = date(2024, 2, 29)
    assert read_last("last 5 years", today) == date(2019, 2, 28)
    assert read_last("Last 1 Month", today) == date(2024, 1, 29)
    assert read_last("last 2 weeks", today) == date(2024, 2, 15)
    assert read_last("last 30 days", today) == date(2024, 1, 30)
    assert read_last("last 99999 years", today) == date.min
    assert read_last("last 99999 weeks", today) == today - timedelta(weeks=99999)
    assert read_last("the last straw", today) is None


@pytest.mark.parametrize("name", DEFINITIONS)
def test_definitions_of_filters_are_queries_without_a_flaw(name: str) -> None:
    parsed = parse(DEFINITIONS[name])
    assert parsed.tree is not None
    assert [remark for remark in parsed.remarks if remark.code != "mixed-operators"] == []


@needs_shared
def test_the_systematic_filter_holds_the_titles_of_the_strategy_as_it_was_published() -> None:
    published = (
        (SHARED / "queries" / "systematic_subset_query.txt").read_text(encoding="utf-8").casefold()
    )
    titles = [
        part
        for part in DEFINITIONS["systematic"].casefold().split('"')
        if part.startswith("systematic ")
    ]
    missing = [
        title
        for title in titles
        if f'"{title.replace("-", " ")}"' not in published.replace("-", " ")
    ]
    assert len(titles) > 10
    assert missing == []
