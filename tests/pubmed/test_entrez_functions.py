"""All functions of Bio.Entrez over our E-utilities, over real HTTP, with the citations of
`edirect_citations`; and the texts of EFetch against those that PubMed gave.
"""

import json
import urllib.request
from io import StringIO
from urllib.parse import urlencode

import pytest
from Bio import Entrez, Medline

from clinfo.pubmed.eutils_summary import summary
from clinfo.pubmed.eutils_text import abstracts, medline
from clinfo.pubmed.xml import element_of
from tests.shared_data import SHARED, needs_shared

NCBI = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils/"


@pytest.fixture(autouse=True)
def moved(eutils_url, monkeypatch):
    """Bio.Entrez knows no other address than NCBI's: the address is changed as it is opened."""

    def opened(request):
        url = request.full_url.replace(NCBI, eutils_url)
        return urllib.request.urlopen(urllib.request.Request(url, data=request.data))

    monkeypatch.setattr(Entrez, "urlopen", opened)
    monkeypatch.setattr(Entrez, "email", "nobody@example.org")
    monkeypatch.setattr(Entrez, "api_key", "any")  # a shorter pause between requests
    monkeypatch.setattr(Entrez, "max_tries", 1)


@pytest.fixture
def ask(eutils_url):
    """A function that asks by hand, with parameters as they are."""

    def asked(utility: str, **parameters: str) -> str:
        with urllib.request.urlopen(f"{eutils_url}{utility}?{urlencode(parameters)}") as reply:
            return reply.read().decode()

    return asked


def test_every_field_of_einfo_is_one_that_a_query_may_name():
    for field in Entrez.read(Entrez.einfo(db="pubmed"))["DbInfo"][0]["FieldList"]:
        found = Entrez.read(Entrez.esearch(db="pubmed", term=f"2020[{field['Name']}]"))
        assert not found.get("ErrorList", {}).get("FieldNotFound")
    unknown = Entrez.read(Entrez.esearch(db="pubmed", term="2020[FOO]"))
    assert unknown["ErrorList"]["FieldNotFound"] == ["FOO"]


def test_a_foreign_article_and_its_retraction_stand_in_the_abstract_format():
    text = Entrez.efetch(
        db="pubmed", id="90000003,90000004", rettype="abstract", retmode="text"
    ).read()
    assert "\n\n[Article in French]\n\n" in text
    assert "\n\nRetraction in\n    J Invent Med. 2023 Dec;14(12):1\n\n" in text
    assert "\n\n\n2. J Invent Med. 2023 Dec;14(12):1.\n" in text


def test_the_search_of_the_original_runs(ask):
    """What the first Clinfo.AI asks of Bio.Entrez: an ESearch by relevance with a window of dates,
    then one EFetch of XML for all ids, read as a dictionary.
    """
    found = Entrez.read(
        Entrez.esearch(
            db="pubmed",
            term="(asthma[MeSH Terms]) AND budesonide",
            sort="relevance",
            retmax=16,
            retmode="xml",
            mindate="1900/01/01",
            maxdate="2022/12/31",
            datetype="pdat",
        )
    )
    fetched = Entrez.read(Entrez.efetch(db="pubmed", id=",".join(found["IdList"]), retmode="xml"))
    assert {str(one["MedlineCitation"]["PMID"]) for one in fetched["PubmedArticle"]} == {
        "90000001",
        "90000002",
    }
    for one in fetched["PubmedArticle"]:
        article = one["MedlineCitation"]["Article"]
        assert article["Abstract"]["AbstractText"]
        assert article["Journal"]["JournalIssue"]["PubDate"]["Year"] in ("2021", "2022")
        assert article["AuthorList"][0]["LastName"]


@needs_shared
def test_texts_are_those_that_pubmed_gave():
    """Against PubMed's own texts of one record in 2017; what PubMed has changed since is left
    out: DA, the history in PHST, the two blanks before [Indexed for MEDLINE].
    """
    folder = SHARED / "medline" / "pmid_20000000"
    xml = (folder / "20000000.xml").read_text()
    record = xml[xml.index("<PubmedArticle>") : xml.index("</PubmedArticleSet>")].strip()
    made = medline([element_of(record.encode())])
    given = (folder / "20000000.medline").read_text()
    assert [line for line in made.splitlines() if not line.startswith("PHST")] == [
        line for line in given.splitlines() if not line.startswith("DA  -")
    ]
    made = abstracts([element_of(record.encode())])
    given = (folder / "20000000.abstract").read_text()
    assert made.split("PMID")[0].strip() == given.split("\n\nPMID")[0].strip()
    theirs = json.loads((folder / "20000000.json").read_text())["result"]["20000000"]
    ours = summary(record.encode())
    assert list(ours) == list(theirs)
    other = {"pubtype", "articleids"}  # all of them, and none that NCBI does not give any more
    assert {name for name in theirs if ours[name] != theirs[name]} == other
    assert next(Medline.parse(StringIO(medline([element_of(record.encode())]))))["PMID"]
