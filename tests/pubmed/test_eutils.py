"""E-utilities over a local index, asked over real HTTP by Bio.Entrez, unmodified but for the
address.
"""

import http.client
import io
import json
import threading
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from urllib.parse import urlencode

import pytest
import waitress
from Bio import Entrez, Medline
from lxml import etree

from benchmarks.servers.citation_xml import render_set
from clinfo.pubmed.eutils import PATH, EutilsApplication
from clinfo.pubmed.index import LocalIndex, build
from clinfo.records.articles import Article, Author, DateInterval, Section
from clinfo.terms.mesh_files import load
from tests.shared_data import SHARED, needs_shared

HEADINGS = (
    {
        "ui": "D001249",
        "heading": "Asthma",
        "entry_terms": ["Bronchial Asthma"],
        "tree_numbers": ["C08.127.108"],
    },
    {"ui": "D015014", "heading": "Zinc", "entry_terms": [], "tree_numbers": ["D01.268.956"]},
)
WINDOW = 25


def _article(number: int, title: str, **more: object) -> Article:
    year = 2000 + number % 20
    plain = Article(
        f"pmid:{number}",
        title,
        str(number),
        sections=(
            Section("Forty patients took part.", "METHODS", "METHODS"),
            Section("They got better.", "RESULTS", "RESULTS"),
        ),
        authors=(Author("Doe", "Jane Ann", "JA"), Author("The Study Group", collective=True)),
        journal="Journal of Trials",
        journal_abbreviation="J Trials",
        volume="3",
        issue="2",
        pages="11-9",
        published=DateInterval(date(year, 1, 1), date(year, 12, 31), str(year)),
        entered=date(year, 3, 1),
        doi=f"10.1000/{number}",
        languages=("eng",),
        publication_types=("Journal Article",),
        status="MEDLINE",
    )
    return replace(plain, **more)  # type: ignore[arg-type]


ARTICLES = [
    _article(101, "Zinc for the common cold", mesh=("Zinc",), references=("102", "999")),
    _article(102, "Zinc lozenges in colds of children", mesh=("Zinc",)),
    _article(103, "Asthma and breathing exercises", mesh=("Asthma",)),
    *(_article(200 + number, f"Vitamin trial {number}") for number in range(40)),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalIndex]:
    folder = tmp_path_factory.mktemp("eutils")
    (folder / "mesh.jsonl").write_text("".join(json.dumps(one) + "\n" for one in HEADINGS))
    load(folder / "mesh.jsonl", folder / "mesh.sqlite")
    (folder / "all.xml").write_bytes(render_set(ARTICLES))
    build([folder / "all.xml"], folder / "index", mesh=folder / "mesh.sqlite")
    opened = LocalIndex.open(folder / "index")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def address(index: LocalIndex) -> Iterator[str]:
    server = waitress.create_server(
        EutilsApplication(index, window=WINDOW), host="127.0.0.1", port=0, threads=4
    )
    threading.Thread(target=server.run, daemon=True).start()
    yield f"http://127.0.0.1:{server.effective_port}{PATH}"
    server.close()


@pytest.fixture
def entrez(address: str, monkeypatch: pytest.MonkeyPatch) -> object:
    """Bio.Entrez, whose requests go to our server instead of NCBI's, at no distance from each
    other.
    """

    def opened(request: urllib.request.Request) -> http.client.HTTPResponse:
        moved = request.full_url.replace("https://eutils.ncbi.nlm.nih.gov/entrez/eutils/", address)
        reply: http.client.HTTPResponse = urllib.request.urlopen(
            urllib.request.Request(moved, data=request.data)
        )
        return reply

    monkeypatch.setattr(Entrez, "urlopen", opened)
    monkeypatch.setattr(Entrez, "email", "nobody@example.org")
    monkeypatch.setattr(Entrez, "sleep_between_tries", 0)
    monkeypatch.setattr(Entrez, "max_tries", 1)
    monkeypatch.setattr(Entrez, "api_key", "any")  # a shorter pause between requests
    return Entrez


def _asked(address: str, utility: str, **fields: object) -> tuple[int, bytes]:
    url = f"{address}{utility}.fcgi"
    try:
        with urllib.request.urlopen(f"{url}?{urlencode(fields, doseq=True)}") as reply:
            return reply.status, reply.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def test_a_search_is_answered_with_ids_translation_and_history(entrez) -> None:
    found = entrez.read(
        entrez.esearch(db="pubmed", term="zinc AND colds", sort="relevance", usehistory="y")
    )
    assert found["Count"] == "2"
    assert set(found["IdList"]) == {"101", "102"}
    assert '"zinc"[MeSH Terms]' in found["QueryTranslation"]
    assert {"From": "zinc", "To": '"zinc"[MeSH Terms] OR "zinc"[All Fields]'} in [
        dict(one) for one in found["TranslationSet"]
    ]
    again = entrez.read(
        entrez.esearch(
            db="pubmed",
            term="#1 AND children",
            webenv=found["WebEnv"],
            usehistory="y",
            sort="relevance",
        )
    )
    assert (again["IdList"], again["QueryKey"], again["WebEnv"]) == (["102"], "2", found["WebEnv"])
    fetched = entrez.read(
        entrez.efetch(db="pubmed", webenv=found["WebEnv"], query_key=again["QueryKey"])
    )
    assert [str(one["MedlineCitation"]["PMID"]) for one in fetched["PubmedArticle"]] == ["102"]


def test_warnings_stand_where_pubmed_puts_them(entrez, address) -> None:
    found = entrez.read(
        entrez.esearch(db="pubmed", term='zinc[foo] AND the[tiab] OR "no such phrase"[tiab]')
    )
    assert [str(one) for one in found["ErrorList"]["PhraseNotFound"]] == ["the"]
    assert [str(one) for one in found["WarningList"]["QuotedPhraseNotFound"]] == [
        '"no such phrase"[tiab]'
    ]
    _, body = _asked(address, "esearch", db="pubmed", term="zinc", retmode="json")
    clean = json.loads(body)["esearchresult"]
    assert "errorlist" not in clean
    assert "warninglist" not in clean
    assert (clean["count"], clean["retmax"], clean["retstart"]) == ("2", "2", "0")
    _, body = _asked(
        address, "esearch", db="pubmed", term="zinc[foo] AND zinc", retmode="json", rettype="count"
    )
    assert json.loads(body)["esearchresult"] == {"count": "2"}


def test_errors_come_as_the_live_service_sends_them(address, entrez) -> None:
    assert _asked(address, "esearch", db="pubmed", term=" ") == (
        200,
        _asked(address, "esearch", db="pubmed")[1],
    )
    assert (
        b"<ERROR>Empty term and query_key - nothing todo</ERROR>"
        in _asked(address, "esearch", db="pubmed", term="")[1]
    )
    assert (
        b"<ERROR>Invalid db name specified: nothing</ERROR>"
        in _asked(address, "epost", db="nothing", id="1")[1]
    )
    stars = " OR ".join(f"word{number}*" for number in range(300))
    assert b"Search Backend failed" in _asked(address, "esearch", db="pubmed", term=stars)[1]
    status, body = _asked(
        address, "esearch", db="pubmed", term="vitamin", retstart=WINDOW, retmode="json"
    )
    assert status == 200
    assert b"\n'retstart' cannot be larger than 24" in body
    with pytest.raises(ValueError, match="Invalid control character"):
        json.loads(body)
    with pytest.raises(RuntimeError, match="retstart"):
        entrez.read(entrez.esearch(db="pubmed", term="vitamin", retstart=WINDOW))
    assert (
        json.loads(
            _asked(address, "esearch", db="pubmed", term="asthma", retstart=WINDOW, retmode="json")[
                1
            ]
        )["esearchresult"]["count"]
        == "1"
    )
    assert _asked(address, "efetch", db="pubmed", id="")[0] == 400
    assert _asked(address, "elsewhere")[0] == 404


def test_the_window_holds_for_pages_and_for_the_history(address) -> None:
    _, body = _asked(
        address, "esearch", db="pubmed", term="vitamin", retmax=1000, retmode="json", usehistory="y"
    )
    result = json.loads(body)["esearchresult"]
    assert (result["count"], result["retmax"], len(result["idlist"])) == ("40", "25", 25)
    assert (
        "Restrictions achieved. start and count adjusted to 0, 25"
        in result["warninglist"]["outputmessages"]
    )
    _, body = _asked(
        address, "esearch", db="pubmed", term="vitamin", retstart=24, retmax=2, retmode="json"
    )
    assert len(json.loads(body)["esearchresult"]["idlist"]) == 1
    history = {"WebEnv": result["webenv"], "query_key": result["querykey"]}
    status, body = _asked(address, "efetch", db="pubmed", retstart=WINDOW, **history)
    assert status == 400
    assert b"retstart" in body
    status, body = _asked(
        address,
        "efetch",
        db="pubmed",
        retstart=20,
        retmax=10,
        rettype="uilist",
        retmode="text",
        **history,
    )
    assert body.decode().split() == result["idlist"][20:]


def test_records_come_whole_and_in_the_order_asked(entrez, address) -> None:
    fetched = entrez.read(entrez.efetch(db="pubmed", id=["102", "7", "101"], retmode="xml"))
    assert [str(one["MedlineCitation"]["PMID"]) for one in fetched["PubmedArticle"]] == [
        "102",
        "101",
    ]
    stored = etree.fromstring(render_set(ARTICLES[1:2]))[0]
    sent = etree.fromstring(entrez.efetch(db="pubmed", id="102").read())[0]
    assert (
        etree.tostring(sent, method="c14n").strip() == etree.tostring(stored, method="c14n").strip()
    )
    [record] = Medline.parse(
        io.StringIO(entrez.efetch(db="pubmed", id="101", rettype="medline", retmode="text").read())
    )
    assert (record["PMID"], record["TI"], record["MH"]) == (
        "101",
        "Zinc for the common cold",
        ["Zinc"],
    )
    assert json.loads(
        _asked(address, "efetch", db="pubmed", id="101,7,102", retmode="json")[1]
    ) == ["101", "102"]
    abstract = _asked(address, "efetch", db="pubmed", id="101", rettype="abstract", retmode="text")[
        1
    ].decode()
    assert "METHODS: Forty patients" in abstract
    assert abstract.strip().endswith("PMID: 101 [Indexed for MEDLINE]")


def test_summaries_in_three_forms(entrez, address) -> None:
    [old] = entrez.read(entrez.esummary(db="pubmed", id="101"))
    assert (old["Title"], old["AuthorList"], old["SO"]) == (
        "Zinc for the common cold",
        ["Doe JA", "The Study Group"],
        "J Trials. 2001;3(2):11-9. doi: 10.1000/101.",
    )
    form = json.loads(_asked(address, "esummary", db="pubmed", id="101,7", retmode="json")[1])[
        "result"
    ]
    assert form["uids"] == ["101", "7"]
    assert form["7"] == {"uid": "7", "error": "cannot get document summary"}
    assert (form["101"]["source"], form["101"]["pubdate"], form["101"]["lang"]) == (
        "J Trials",
        "2001",
        ["eng"],
    )
    new = etree.fromstring(_asked(address, "esummary", db="pubmed", id="101", version="2.0")[1])
    assert new.findtext("DocumentSummarySet/DocumentSummary/Title") == "Zinc for the common cold"
    with pytest.raises(RuntimeError, match="cannot get document summary"):
        entrez.read(entrez.esummary(db="pubmed", id="7"))


def test_links_one_set_an_id_or_merged(entrez) -> None:
    [cited] = entrez.read(
        entrez.elink(dbfrom="pubmed", db="pubmed", id="101", linkname="pubmed_pubmed_refs")
    )
    assert [one["Id"] for one in cited["LinkSetDb"][0]["Link"]] == ["102"]
    [citing] = entrez.read(
        entrez.elink(dbfrom="pubmed", db="pubmed", id="102", linkname="pubmed_pubmed_citedin")
    )
    assert [one["Id"] for one in citing["LinkSetDb"][0]["Link"]] == ["101"]
    similar = {"dbfrom": "pubmed", "db": "pubmed", "linkname": "pubmed_pubmed"}
    sets = entrez.read(entrez.elink(id=["101", "103"], cmd="neighbor_score", **similar))
    assert [list(one["IdList"]) for one in sets] == [["101"], ["103"]]
    scores = [int(one["Score"]) for one in sets[0]["LinkSetDb"][0]["Link"]]
    assert scores == sorted(scores, reverse=True)
    assert sets[0]["LinkSetDb"][0]["Link"][0]["Id"] == "101"
    [merged] = entrez.read(entrez.elink(id="101,103", **similar))
    assert list(merged["IdList"]) == ["101", "103"]
    refs = {**similar, "linkname": "pubmed_pubmed_refs"}
    [kept] = entrez.read(entrez.elink(id="101", cmd="neighbor_history", **refs))
    fetched = entrez.read(
        entrez.efetch(
            db="pubmed", webenv=kept["WebEnv"], query_key=kept["LinkSetDbHistory"][0]["QueryKey"]
        )
    )
    assert [str(one["MedlineCitation"]["PMID"]) for one in fetched["PubmedArticle"]] == ["102"]


def test_dates_beside_the_term(address) -> None:
    def found(**limits: object) -> set[str]:
        _, body = _asked(
            address,
            "esearch",
            db="pubmed",
            retmode="json",
            retmax=25,
            **{"term": "vitamin", **limits},
        )
        return set(json.loads(body)["esearchresult"]["idlist"])

    entered = {one.pmid for one in ARTICLES[3:] if one.entered and one.entered.year in (2003, 2004)}
    assert found(datetype="edat", mindate="2003", maxdate="2004/12/31") <= entered
    assert found(datetype="crdt", mindate="2003", maxdate="2004/12/31") == entered
    assert found(datetype="pdat", mindate="2003", maxdate="2004/12/31") == entered
    assert found(datetype="pdat", reldate=30) == set()
    for term in (
        "vitamin OR",
        "vitamin NOT",
        "vitamin OR (",
        "zinc OR (vitamin",
    ):  # what is left open takes no date in
        assert found(term=term, datetype="pdat", mindate="2003", maxdate="2004/12/31") >= entered
        assert not found(term=term, datetype="pdat", mindate="1801", maxdate="1802")


@needs_shared
def test_answers_have_the_shapes_of_the_recorded_ones(address, entrez) -> None:
    """Every element of our answers stands in NCBI's recorded answer of the same utility, under the
    same parent.
    """

    def paths(body: bytes) -> set[str]:
        root = etree.fromstring(body)
        tree = root.getroottree()
        return {
            "/".join(part.split("[")[0] for part in tree.getpath(node).split("/"))
            for node in root.iter("*")
        }

    folder = SHARED / "eutils"
    _, searched = _asked(address, "esearch", db="pubmed", term="zinc", usehistory="y")
    recorded = set().union(
        *(
            paths((folder / name).read_bytes())
            for name in ("esearch1.xml", "esearch2.xml", "esearch3.xml")
        )
    )
    assert paths(searched) <= recorded
    assert paths((folder / "esearch1.xml").read_bytes()) <= paths(searched)
    assert paths(_asked(address, "epost", db="pubmed", id="101")[1]) == paths(
        (folder / "epost1.xml").read_bytes()
    )
    assert paths(_asked(address, "epost", db="nothing", id="101")[1]) == paths(
        (folder / "epost2.xml").read_bytes()
    )
    linked = _asked(
        address, "elink", dbfrom="pubmed", db="pubmed", id="101", linkname="pubmed_pubmed"
    )[1]
    assert paths(linked) <= paths((folder / "elink1.xml").read_bytes())
    theirs = {
        node.get("Name")
        for node in etree.fromstring((folder / "esummary1.xml").read_bytes()).iter("Item")
    }
    ours = {
        node.get("Name")
        for node in etree.fromstring(_asked(address, "esummary", db="pubmed", id="101")[1]).iter(
            "Item"
        )
    }
    assert ours - {"doi", "DOI"} <= theirs
    [one] = json.loads((SHARED / "medline/pmid_20000000/20000000.json").read_text())["result"][
        "uids"
    ]
    recorded_form = json.loads((SHARED / "medline/pmid_20000000/20000000.json").read_text())[
        "result"
    ][one]
    form = json.loads(_asked(address, "esummary", db="pubmed", id="101", retmode="json")[1])[
        "result"
    ]["101"]
    assert list(form) == list(recorded_form)
    assert {name: type(value) for name, value in form.items()} == {
        name: type(value) for name, value in recorded_form.items()
    }
