"""Files that go out, read back by readers that are not ours: two for each form."""

import csv
import gzip
import io
import json
from datetime import date

import bibtexparser
import nbib as nbib_package
import pybtex.database
import RISparser
import rispy
from bibtexparser.middlewares import LatexDecodingMiddleware
from Bio import Medline
from citeproc.source.json import CiteProcJSON

from clinfo.pubmed.xml import read_citations
from clinfo.records.articles import Article, Author, Book, DateInterval, Section
from clinfo.references import bibtex, csl, csv_head, csv_lines, nbib, ris
from clinfo.references.reading import read_citations as read_citations_of
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
    assert row["authors"] == "O'Neil, Ann Bea, Jr; The Group"


TITLE = "Zinclozine & “quotes”: <5% of β-cells in 10^6 – a {braced} trial at $2 and 100 %?"
YEAR = DateInterval(date(2021, 5, 1), date(2021, 5, 31), "2021 May")
HARD = (
    Article(
        "pmid:95000301", TITLE, "95000301", sections=(Section("It fell (p < 0.05) & rose."),),
        authors=(
            Author("van der Berg", "Anna Maria", "AM"), Author("O'Neil", "John", "J", "Jr"),
            Author("de la Cruz-Ñúñez", "José", "J"), Author("Παππάς", "Νίκος", "Ν"),
            Author("ZINC & Friends Study Group", collective=True),
        ),
        journal="Annals of Made-up Medicine & Care", volume="12", issue="3 Suppl 1",
        pages="e101", doi="10.1016/S0140-6736(99)00001-2", published=YEAR,
    ),
    Article(
        "pmid:95000302", f"A long title {'of many words ' * 90}ends", "95000302",
        authors=(Author("Solo", "Ann", "A"),), journal="J", pages="S12-9", published=YEAR,
    ),
    Article(
        "ref:3", "A chapter", authors=(Author("Booker", "Al", "A"),), published=YEAR,
        doi="10.1002/(SICI)1097<1661::AID-SIM968>3.0.CO;2-2",
        book=Book("All of Zinc", editors=(Author("Editorman", "Ed", "E"),), publisher="Made Press"),
    ),
)  # fmt: skip
PEOPLE = [
    "van der Berg, Anna Maria", "O'Neil, John, Jr", "de la Cruz-Ñúñez, José", "Παππάς, Νίκος",
    "ZINC & Friends Study Group",
]  # fmt: skip
DOIS = [HARD[0].doi, None, HARD[2].doi]


def test_ris_is_read_back_by_two_programs() -> None:
    text = ris(HARD)
    for one in (rispy.loads(text), [*RISparser.read(text.splitlines())]):
        assert [record["title"] for record in one] == [article.title for article in HARD]
        assert one[0]["authors"] == PEOPLE
        assert [record.get("doi") for record in one] == DOIS
        assert (one[0]["start_page"], one[1]["start_page"], one[1]["end_page"]) == (
            "e101", "S12", "S19",
        )  # fmt: skip
        assert (one[2]["secondary_title"], one[2]["secondary_authors"]) == (
            "All of Zinc", ["Editorman, Ed"],
        )  # fmt: skip
        address = one[2].get("url") or one[2]["urls"]
        assert address in (HARD[2].url, [HARD[2].url])


def test_medline_text_is_read_back_by_two_programs() -> None:
    first, second = _read(nbib(HARD)), nbib_package.read(nbib(HARD))
    assert [one["TI"] for one in first] == [article.title for article in HARD]
    assert [one["title"] for one in second] == [article.title for article in HARD]
    names = [one.replace("John, Jr", "John Jr") for one in PEOPLE[:-1]]
    assert first[0]["FAU"] == [one["author"] for one in second[0]["authors"]] == names
    assert (first[0]["CN"], second[0]["corporate_author"]) == (PEOPLE[-1:], PEOPLE[-1])
    assert [one.get("doi") for one in second] == DOIS
    assert (first[0]["PG"], second[1]["pages"]) == ("e101", "S12-9")


def test_bibtex_is_read_back_by_two_programs() -> None:
    text = bibtex(HARD)
    entries = bibtexparser.parse_string(
        text, append_middleware=[LatexDecodingMiddleware(keep_braced_groups=False)]
    ).entries
    titles = [str(one["title"]).replace("ˆ", "^") for one in entries]
    assert titles == [one.title.translate(str.maketrans("", "", "{}")) for one in HARD]
    ours = read_citations_of(text).articles
    assert [one.title for one in ours] == [article.title for article in HARD]
    assert ours[0].authors[1:] == HARD[0].authors[1:]
    found = pybtex.database.parse_string(text, "bibtex").entries.values()
    assert [str(one) for one in next(iter(found)).persons["author"]] == [
        *PEOPLE[:1], "O'Neil, Jr, John", *PEOPLE[2:4], r"{ZINC \& Friends Study Group}",
    ]  # fmt: skip
    assert [one.fields.get("doi") for one in found] == DOIS
    assert [one.fields.get("pages") for one in found] == ["e101", "S12--S19", None]


def test_csl_is_read_back_by_two_programs() -> None:
    plain = json.loads(csl(HARD))
    read = CiteProcJSON(plain)
    for record, article in zip(plain, HARD, strict=True):
        assert str(read[record["id"].lower()].title) == article.title == record["title"]
        assert record.get("DOI") == article.doi
    names = [
        (str(one.given), str(one.family)) if one.family else str(one)
        for one in read["pmid:95000301"].author[:4]
    ]
    assert names == [
        ("Anna Maria", "van der Berg"), ("John", "O'Neil"), ("José", "de la Cruz-Ñúñez"),
        ("Νίκος", "Παππάς"),
    ]  # fmt: skip
