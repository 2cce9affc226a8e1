"""References from records and full texts, brought together."""

import re

import pytest

from clinfo.errors import RecordError
from pubmedrs.build.citing import (
    Cited,
    Reference,
    cited_in_full_texts,
    cited_in_record,
    references,
)
from tests.pubmedrs.build.reviews import review
from tests.shared_data import SHARED, needs_shared


def test_the_list_of_a_record() -> None:
    record = review(
        7, cites=[("11", "10.1000/a"), ("", "https://doi.org/10.1000/B."), ("x", ""), ("0012", "")]
    )
    assert cited_in_record(record.encode()) == (
        Cited("11", "10.1000/a"),
        Cited("", "10.1000/B"),
        Cited("12"),
    )
    assert cited_in_record(review(7).encode()) == ()


@needs_shared
def test_a_real_list_is_read_whole() -> None:
    body = (SHARED / "medline" / "efetch_36400559_2024.xml").read_bytes()
    records = re.findall(rb"<PubmedArticle>.*?</PubmedArticle>", body, re.DOTALL)
    found = [one for record in records for one in cited_in_record(record)]
    entries = re.findall(
        rb"<Reference>.*?</Reference>", body, re.DOTALL
    )  # counted as text, without a parser
    assert len(entries) == 139
    assert (
        sum(bool(one.pmid) for one in found)
        == sum(b'IdType="pubmed"' in entry for entry in entries)
        > 100
    )
    assert len(found) == sum(
        b'IdType="pubmed"' in entry or b'IdType="doi"' in entry for entry in entries
    )


def test_damaged_xml_is_an_error() -> None:
    with pytest.raises(RecordError):
        cited_in_record(b"<PubmedArticle><a>")
    with pytest.raises(RecordError):
        cited_in_full_texts(b"<pmc-articleset><article>")


def test_no_entity_of_the_documents_own_is_expanded() -> None:
    bomb = (
        b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]><pmc-articleset>&a;'
        b"</pmc-articleset>"
    )
    assert cited_in_full_texts(bomb) == {}


def test_one_work_once_with_all_who_name_it_and_never_the_review_itself() -> None:
    found = references(
        {
            "record": [Cited("11"), Cited("", "10.1000/B"), Cited("7"), Cited("11")],
            "elink": [Cited("12"), Cited("11"), Cited("7")],
            "pmc": [
                Cited("12", "10.1000/b"),
                Cited("11", "10.1000/a"),
                Cited("13", "10.1000/A"),
                Cited("", "10.1000/OWN"),
            ],
        },
        "7",
        "10.1000/own",
    )
    assert found == (
        Reference("11", "10.1000/a", ("record", "elink", "pmc")),
        Reference("", "10.1000/B", ("record",)),
        Reference("12", "10.1000/b", ("elink", "pmc")),
        Reference("13", "10.1000/A", ("pmc",)),
    )
