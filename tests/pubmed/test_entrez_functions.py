"""All functions of Bio.Entrez over our E-utilities, over real HTTP, with the citations of
`edirect_citations`; and the texts of EFetch against those that PubMed gave.
"""

import json
import urllib.request
from io import BytesIO, StringIO
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


def test_einfo_describes_pubmed():
    (info,) = Entrez.read(Entrez.einfo(db="pubmed"))["DbInfo"]
    assert (info["DbName"], info["Count"]) == ("pubmed", "10")
    fields = {one["Name"]: one for one in info["FieldList"]}
    assert fields["TIAB"]["FullName"] == "Title/Abstract"
    assert (fields["PDAT"]["IsDate"], fields["MESH"]["Hierarchy"]) == ("Y", "Y")
    assert {one["Name"] for one in info["LinkList"]} >= {"pubmed_pmc", "pubmed_pubmed_refs"}
    assert "pubmed" in Entrez.read(Entrez.einfo())["DbList"]


def test_einfo_of_another_database_is_refused():
    with pytest.raises(RuntimeError, match="nucleotide"):
        Entrez.read(Entrez.einfo(db="nucleotide"))


def test_every_field_of_einfo_is_one_that_a_query_may_name():
    for field in Entrez.read(Entrez.einfo(db="pubmed"))["DbInfo"][0]["FieldList"]:
        found = Entrez.read(Entrez.esearch(db="pubmed", term=f"2020[{field['Name']}]"))
        assert not found.get("ErrorList", {}).get("FieldNotFound")
    unknown = Entrez.read(Entrez.esearch(db="pubmed", term="2020[FOO]"))
    assert unknown["ErrorList"]["FieldNotFound"] == ["FOO"]


@pytest.mark.parametrize("between", [",", " ", "\n", ", ", "\r\n"])
def test_ids_are_parted_by_commas_blanks_or_lines(ask, between):
    ids = between.join(("90000002", "90000001"))
    assert ask("efetch.fcgi", db="pubmed", id=ids, rettype="uilist", retmode="text").split() == [
        "90000002",
        "90000001",
    ]


def test_efetch_of_articles_and_parse():
    read = Entrez.read(Entrez.efetch(db="pubmed", id="2539356,90000001", retmode="xml"))
    titles = [one["MedlineCitation"]["Article"]["ArticleTitle"] for one in read["PubmedArticle"]]
    assert titles[0] == "Nucleotide sequences required for Tn3 transposition immunity."
    with pytest.raises(ValueError, match="list"):  # as for NCBI's own answer
        list(Entrez.parse(Entrez.efetch(db="pubmed", id="2539356", retmode="xml")))


def test_esummary_is_parsed_one_by_one():
    summaries = Entrez.parse(Entrez.esummary(db="pubmed", id="2539356,90000001"))
    assert [one["Id"] for one in summaries] == ["2539356", "90000001"]
    documents = Entrez.efetch(db="pubmed", id="2539356", rettype="docsum", retmode="xml")
    assert Entrez.read(documents)[0]["Source"] == "J Bacteriol"


def test_medline_is_read_by_biopython():
    (record,) = Medline.parse(
        Entrez.efetch(db="pubmed", id="90000003", rettype="medline", retmode="text")
    )
    assert (record["OWN"], record["STAT"], record["JID"]) == ("NLM", "MEDLINE", "9999999")
    assert record["IS"] == "9999-9994 (Print) 9999-9994 (Linking)"
    assert (record["EDAT"], record["PST"]) == ("2023/03/06 06:00", "ppublish")
    assert record["CRDT"] == ["2023/03/06 06:00"]
    assert record["MH"] == ["*Common Cold/drug therapy", "Humans", "Zinc/*therapeutic use"]
    assert record["RIN"] == ["J Invent Med. 2023 Dec;14(12):1. PMID: 90000004"]


def test_a_foreign_article_and_its_retraction_stand_in_the_abstract_format():
    text = Entrez.efetch(
        db="pubmed", id="90000003,90000004", rettype="abstract", retmode="text"
    ).read()
    assert "\n\n[Article in French]\n\n" in text
    assert "\n\nRetraction in\n    J Invent Med. 2023 Dec;14(12):1\n\n" in text
    assert "\n\n\n2. J Invent Med. 2023 Dec;14(12):1.\n" in text


def test_espell_mends_words_and_leaves_tags():
    asked = "asthmaa[tiab] AND budesonid NOT 2020[dp]"
    read = Entrez.read(Entrez.espell(db="pubmed", term=asked))
    assert read["Query"] == asked
    assert read["CorrectedQuery"] == "asthma[tiab] AND budesonide NOT 2020[dp]"
    assert Entrez.read(Entrez.espell(db="pubmed", term="asthma"))["CorrectedQuery"] == ""


def test_ecitmatch_finds_says_why_not_and_asks_for_more():
    def line(key: str, **parts: str) -> dict[str, str]:
        return {"key": key, **parts}

    answer = Entrez.ecitmatch(
        db="pubmed",
        bdata=[
            line(
                "one",
                journal_title="proc natl acad sci u s a",
                year="1991",
                volume="88",
                first_page="3248",
                author_name="mann bj",
            ),
            line("many", journal_title="J Invent Med"),
            line("none", journal_title="science", year="1900"),
        ],
    ).read()
    text = answer.decode() if isinstance(answer, bytes) else answer
    assert [row.rpartition("|")[2] for row in text.splitlines()] == [
        "2014248",
        "AMBIGUOUS (4 citations)",
        "NOT_FOUND",
    ]


def test_elink_to_pmc_and_back():
    (there,) = Entrez.read(Entrez.elink(dbfrom="pubmed", db="pmc", id="2539356"))
    (link,) = there["LinkSetDb"]
    assert (link["DbTo"], link["LinkName"]) == ("pmc", "pubmed_pmc")
    assert [one["Id"] for one in link["Link"]] == ["209839"]
    (back,) = Entrez.read(Entrez.elink(dbfrom="pmc", db="pubmed", id="209839"))
    assert back["DbFrom"] == "pmc"
    assert [one["Id"] for one in back["LinkSetDb"][0]["Link"]] == ["2539356"]


def test_elink_to_publishers():
    (links,) = Entrez.read(Entrez.elink(dbfrom="pubmed", cmd="prlinks", id="2539356,3026048"))
    with_doi, without = links["IdUrlList"]["IdUrlSet"]
    assert with_doi["ObjUrl"][0]["Url"] == "https://doi.org/10.1128/jb.171.4.1904-1914.1989"
    assert without["Info"]
    (all_links,) = Entrez.read(Entrez.elink(dbfrom="pubmed", cmd="llinks", id="2539356"))
    assert len(all_links["IdUrlList"]["IdUrlSet"][0]["ObjUrl"]) == 2


def test_elink_tells_which_links_there_are():
    (names,) = Entrez.read(Entrez.elink(dbfrom="pubmed", cmd="acheck", id="16588492"))
    infos = names["IdCheckList"]["IdLinkSet"][0]["LinkInfo"]
    assert "pubmed_pmc" in [one["LinkName"] for one in infos]
    (outside,) = Entrez.read(Entrez.elink(dbfrom="pubmed", cmd="lcheck", id="2539356,3026048"))
    has = [one.attributes["HasLinkOut"] for one in outside["IdCheckList"]["Id"]]
    assert has == ["Y", "N"]


def test_egquery_counts():
    # Biopython 1.88 has no function for it any more; earlier ones ask this address.
    asked = urllib.request.Request(f"{NCBI}egquery.fcgi?term=asthma")
    result = Entrez.read(Entrez.urlopen(asked))
    assert [(one["DbName"], one["Count"]) for one in result["eGQueryResult"]] == [("pubmed", "2")]


def test_epost_takes_blanks_and_the_history_is_fetched(ask):
    posted = Entrez.read(BytesIO(ask("epost.fcgi", db="pubmed", id="90000001 2014248").encode()))
    read = Entrez.read(
        Entrez.efetch(
            db="pubmed", webenv=posted["WebEnv"], query_key=posted["QueryKey"], retmode="xml"
        )
    )
    assert len(read["PubmedArticle"]) == 2


def test_a_sort_by_name_holds_in_the_history():
    found = Entrez.read(
        Entrez.esearch(
            db="pubmed", term="asthma OR transposition", sort="Author", usehistory="y", retmax=2
        )
    )
    assert found["IdList"] == ["90000001", "90000002"]
    fetched = Entrez.efetch(
        db="pubmed",
        webenv=found["WebEnv"],
        query_key=found["QueryKey"],
        rettype="uilist",
        retmode="text",
    )
    assert fetched.read().split() == ["90000001", "90000002", "6271474", "2539356"]


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
