"""NBIB and CSV, read back by readers that are not ours."""

import csv
import gzip
import io

from Bio import Medline

from clinfo.pubmed.xml import read_citations
from clinfo.records.articles import Article, Author, Section
from clinfo.references import csv_head, csv_lines, nbib
from tests.shared_data import SHARED, needs_shared

MEDLINE = SHARED / "medline"


def _read(text: str) -> list[dict[str, object]]:
    return [dict(record) for record in Medline.parse(io.StringIO(text))]


@needs_shared
def test_nbib_says_what_pubmeds_own_export_of_the_record_says() -> None:
    folder = MEDLINE / "pmid_20000000"
    [article] = [
        one
        for one in read_citations((folder / "20000000.xml").read_bytes())
        if isinstance(one, Article)
    ]
    [ours] = _read(nbib([article]))
    with (folder / "20000000.medline").open() as stream:
        theirs = dict(Medline.read(stream))
    for tag in (
        "PMID",
        "STAT",
        "VI",
        "IP",
        "DP",
        "TI",
        "PG",
        "AB",
        "FAU",
        "AU",
        "LA",
        "PT",
        "TA",
        "JT",
        "SO",
    ):
        assert ours[tag] == theirs[tag], tag
    plain_headings = [heading.split("/")[0].replace("*", "") for heading in theirs["MH"]]
    assert ours["MH"] == plain_headings


@needs_shared
def test_every_real_record_is_read_back_whole() -> None:
    with gzip.open(MEDLINE / "pubmed_export_orthopaedics_2019.xml.gz") as stream:
        articles = [one for one in read_citations(stream.read()) if isinstance(one, Article)]
    records = _read(nbib(articles))
    assert len(records) == len(articles) > 100
    for article, record in zip(articles, records, strict=True):
        assert record["PMID"] == article.pmid
        assert record["TI"] == article.title
        assert len(record.get("FAU", [])) + len(record.get("CN", [])) == len(article.authors)  # type: ignore[arg-type]
        assert record.get("AB", "") == " ".join(
            f"{s.label}: {s.text}" if s.label else s.text for s in article.sections
        )
    rows = list(csv.DictReader(io.StringIO(csv_head() + csv_lines(articles))))
    assert [row["pmid"] for row in rows] == [article.pmid for article in articles]
    assert [row["title"].removeprefix("'") for row in rows] == [
        article.title for article in articles
    ]


ODD = Article(
    "pmid:1",
    '=HYPERLINK("x")\nPMID- 2',
    "1",
    sections=(Section("Line one\nTI  - no title", "AIM"), Section('Two, "quoted"')),
    authors=(Author("O'Neil", "Ann Bea", "AB", "Jr"), Author("The Group", collective=True)),
)


def test_text_of_a_record_never_begins_a_field_of_its_own() -> None:
    [record] = _read(nbib([ODD, ODD]))[:1]
    assert record["PMID"] == "1"
    assert record["TI"] == '=HYPERLINK("x") PMID- 2'
    assert record["FAU"] == ["O'Neil, Ann Bea Jr"]
    assert record["CN"] == ["The Group"]
    assert "no title" in str(record["AB"])


def test_csv_is_no_formula() -> None:
    [row] = csv.DictReader(io.StringIO(csv_head() + csv_lines([ODD])))
    assert row["title"].startswith("'=")
    assert row["abstract"] == 'AIM: Line one TI - no title Two, "quoted"'
    assert row["authors"] == "O'Neil Ann Bea Jr; The Group"
