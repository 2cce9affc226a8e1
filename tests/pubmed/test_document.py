"""What of a citation stands in which store."""

from datetime import date

import pytest

from clinfo.pubmed.citation import Citation, Heading, OtherAbstract, Qualifier
from clinfo.pubmed.document import document
from clinfo.records.articles import Article, Author, Correction, DateInterval, Section

ARTICLE = Article(
    id="pmid:101",
    title="Rest at home: a Systematic Review.",
    pmid="101",
    sections=(Section("To rest.", "AIM", "OBJECTIVE"), Section("Some did.", "RESULTS", "RESULTS")),
    authors=(
        Author("O'Hara", "Jo Ann", "JA", "3rd"),
        Author("Rest Group", collective=True),
        Author("Madonna"),
        Author("Müller", "Jean-Paul"),
    ),
    journal="Journal of rest",
    journal_abbreviation="J. Rest",
    volume="12",
    issue="3 Suppl",
    pages="123-9; discussion 130",
    published=DateInterval(date(2019, 3, 1), date(2019, 3, 31), "2019 Mar"),
    electronic=date(2019, 2, 9),
    doi="10.1000/x",
    pmcid="PMC77",
    vernacular_title="Ruhe zu Hause.",
    languages=("eng", "ger"),
    publication_types=("Journal Article", "Preprint"),
    mesh=("Rest", "Humans"),
    keywords=("bed rest",),
    databank_numbers=("NCT00000001",),
    corrections=(
        Correction("RetractionIn", "J Rest. 2020;1:2", "9"),
        Correction("ErratumIn", "J Rest. 2019;1:9"),
    ),
    references=("55", "66"),
    status="MEDLINE",
)
CITATION = Citation(
    article=ARTICLE,
    headings=(
        Heading("Rest", "D1", False, (Qualifier("methods", "Q1", True), Qualifier("trends", "Q2"))),
        Heading("Sleep", "D2", True, (Qualifier("physiology", "Q3"),)),
        Heading("Humans", "D3"),
    ),
    substances=(("Melatonin", "JL5DK93RCL"), ("Dreams", "")),
    supplementary=("Sleepiness syndrome",),
    other_abstracts=(
        OtherAbstract("Ils se reposent.", "Publisher", "fre"),
        OtherAbstract("Rest well.", "plain-language-summary", "eng"),
    ),
    affiliations=("Ward 7, Rest Hospital",),
    author_identifiers=("0000-0001-2345-6789",),
    investigators=(Author("Zed", "Zoe", "Z"),),
    personal_subjects=(Author("Nightingale", "Florence", "F"),),
    grants=("R01 X, XX, NIH, United States",),
    identifiers=(("pubmed", "101"), ("doi", "10.1000/x"), ("pmc", "PMC77")),
    days={
        "epdat": date(2019, 2, 9),
        "edat": date(2019, 2, 11),
        "crdt": date(2019, 2, 10),
        "mhda": date(2019, 6, 1),
        "dcom": date(2019, 6, 2),
        "lr": date(2020, 1, 1),
    },
    all_electronic=(date(2019, 2, 9), date(2019, 4, 1)),
    issns=("1234-5678",),
    nlm_id="777",
    medline_journal="J Rest",
    country="France",
    subsets=("IM",),
    databanks=(("ClinicalTrials.gov", "NCT00000001"),),
    conflict="None declared.",
    publication_status="aheadofprint",
    publication_model="Print-Electronic",
    indexing_method="Automated",
)
FOUND = document(CITATION)


@pytest.mark.parametrize(
    ("store", "keys"),
    [
        ("mh", ["rest", "sleep", "humans"]),
        ("majr", ["rest", "sleep"]),
        ("mhq", ["rest/methods", "rest/trends", "sleep/physiology"]),
        ("majrq", ["rest/methods", "sleep/physiology"]),
        ("sh", ["methods", "trends", "physiology"]),
        ("pt", ["journal article", "preprint"]),
        ("la", ["eng", "english", "ger", "german"]),
        ("sb", ["medline", "pubmed pmc", "systematic", "im"]),
        ("au", ["o hara ja", "o hara ja 3rd", "madonna", "muller jp"]),
        ("au1", ["o hara ja", "o hara ja 3rd"]),
        ("aulast", ["muller jp"]),
        (
            "fau",
            ["o hara jo ann", "jo ann o hara", "madonna", "muller jean paul", "jean paul muller"],
        ),
        ("ir", ["zed z"]),
        ("fir", ["zed zoe", "zoe zed"]),
        ("ps", ["nightingale f", "nightingale florence", "florence nightingale"]),
        ("auid", ["0000 0001 2345 6789"]),
        ("ta", ["journal of rest", "j rest", "1234 5678", "777"]),
        ("jid", ["777"]),
        ("vi", ["12"]),
        ("ip", ["3 suppl"]),
        ("pg", ["123"]),
        ("nm", ["melatonin", "dreams", "sleepiness syndrome"]),
        ("rn", ["jl5dk93rcl"]),
        ("si", ["clinicaltrials gov", "nct00000001", "clinicaltrials gov/nct00000001"]),
        ("aid", ["101", "10 1000 x", "pmc77"]),
        ("pmid", ["101"]),
        ("pl", ["france"]),
        ("refs", ["55", "66"]),
        (
            "flag",
            [
                "hasabstract",
                "hasstructuredabstract",
                "hasnonenglishabstract",
                "hasplainlanguagesummary",
                "haskeyword",
                "hascois",
                "hasretractionin",
                "haserratumin",
                "pubstatusaheadofprint",
                "indexingmethod automated",
                "indexingmethod_automated",
                "preprint",
            ],
        ),
    ],
)
def test_keys(store: str, keys: list[str]) -> None:
    assert list(FOUND.keys[store]) == keys


def test_a_databank_number_of_a_file_is_found_with_and_without_its_bank() -> None:
    found = document(Citation(Article("pmid:1", "T", databank_numbers=("Dryad/10.5061/a1",))))
    assert found.keys["si"] == ("dryad 10 5061 a1", "dryad", "10 5061 a1")


def test_an_electronic_journal_has_no_print_date() -> None:
    days = document(
        Citation(
            Article(id="pmid:1", title="T", published=ARTICLE.published),
            publication_model="Electronic",
        )
    ).days
    assert "ppdat" not in days
    assert days["epdat"] == days["dp"]


def test_books() -> None:
    book = Citation(
        Article(id="pmid:9", title="Sleep", pmid="9", status="ppublish"),
        identifiers=(("bookaccession", "NBK1"),),
        editors=(Author("Ed", "Eve", "E"),),
        book="All of Rest",
        collection="Great Books",
        isbns=("978-0-1",),
        publisher="Rest Press",
    )
    found = document(book)
    assert found.texts["bt"] == ("all of rest",)
    assert found.texts["ab"] == ("all of rest", "great books")
    assert [found.keys[store] for store in ("book", "ed", "isbn", "pubn", "sb", "flag")] == [
        ("all of rest", "nbk1"),
        ("ed e", "ed eve", "eve ed"),
        ("978 0 1",),
        ("rest press",),
        ("pubmed books",),
        ("pmcbook",),
    ]
