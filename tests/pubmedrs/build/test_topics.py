"""The data file of topics, and the searches made of it."""

from datetime import date
from pathlib import Path

import pytest

from clinfo.errors import UsageError
from clinfo.pubmed.query import parse
from pubmedrs.build.plan import Topic, query_of, read_topics
from tests.shared_data import SHARED, needs_shared

ACNE = Topic("dermatology", "acne", ("acne", "rosacea scars", "acne vulgaris[mh]"))


def test_the_query_of_a_topic() -> None:
    assert query_of(ACNE) == (
        '("acne"[tiab] OR "rosacea scars"[tiab] OR acne vulgaris[mh]) AND (systematic[sb] OR '
        '"systematic review"[pt])'
        " AND hasabstract AND english[la]"
    )
    assert query_of(ACNE, date(2021, 10, 1)).endswith(" AND 2021/10/01:3000/12/31[dp]")
    assert query_of(ACNE, None, date(2021, 10, 1)).endswith(" AND 1800/01/01:2021/10/01[dp]")


def test_every_topic_makes_a_query_that_pubmed_can_read() -> None:
    for topic in read_topics():
        assert not parse(query_of(topic, date(2020, 1, 1))).remarks, topic.name


@pytest.mark.parametrize(
    "text",
    [
        "",
        "specialty = 3",
        '[[specialty]]\nname = "a"',
        '[[specialty]]\nname = "a"\nwords = []',
        "[[specialty]\n",
        '[[specialty]]\nwords=["b"]',
    ],
)
def test_a_file_that_cannot_be_used_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "topics.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=r"topics\.toml"):
        read_topics(path)


@needs_shared
def test_the_published_specialties_and_subtopics_are_all_there() -> None:
    from tests.pubmedrs.sample import read_published

    rows = read_published(SHARED / "pubmedrs200" / "PubMedRS-200.csv")
    there = {
        (topic.specialty.lower(), topic.subtopic.lower())
        for topic in read_topics()
        if "published" in topic.origin
    }
    assert {
        (row["specialty"].strip().lower(), row["SubTopic"].strip().lower()) for row in rows
    } - there == set()
