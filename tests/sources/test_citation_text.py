"""Citation files as a source: what this program writes it reads again, what it cannot read it
tells with line and reason.
"""

import json
from dataclasses import replace
from itertools import pairwise

import pytest

from clinfo.errors import RecordError
from clinfo.records.articles import Author
from clinfo.references.formats.nbib_file import nbib
from clinfo.references.reading import (
    MAX_ABSTRACT,
    decoded,
    read_citation_file,
    read_citations,
)
from clinfo.references.registry import specs
from clinfo.sources.demo import load
from tests.cli.process import clinfo

FORMS = ("ris", "nbib", "csv")
READ_AGAIN = (*FORMS, "csl", "bibtex")
KEPT = ("id", "pmid", "title", "abstract", "journal", "volume", "issue", "pages", "published")
RIS = """TY  - JOUR
AU  - O'Neill, Mary Ann, Jr
AU  - van Dam RM
TI  - Zinc <b>and</b> colds
T2  - J Tests
DA  - 2019/05/12/
AB  - BACKGROUND: Colds are common. CONCLUSIONS: Zinc shortened colds.
DO  - 10.1000/ABC.
ER  -
TY  - JOUR
AU  - Nobody, A
ER  -
TY  - JOUR
TI  - Without any number
PY  - 2001
"""


def written(form: str) -> str:
    return next(one for one in specs() if one.name == form).write(load())


@pytest.mark.parametrize("form", READ_AGAIN)
def test_what_this_program_writes_is_read_again_as_it_was(form):
    found = read_citations(written(form))
    again = {one.id: one for one in found.articles}
    assert len(again) == len(load())
    assert not found.lost
    for article in load():
        for name in KEPT:
            value, was = getattr(again[article.id], name), getattr(article, name)
            if name in ("abstract", "title"):
                value, was = " ".join(value.split()).rstrip("."), " ".join(was.split()).rstrip(".")
            assert value == was, (article.id, name)
        labels = [part.label for part in again[article.id].sections]
        assert labels == [part.label for part in article.sections]


def test_a_record_of_another_program():
    first, last = read_citations(RIS).articles
    assert first.id == "doi:10.1000/abc"
    assert first.title == "Zinc and colds"
    assert first.authors == (
        Author("O'Neill", "Mary Ann", "MA", "Jr"),
        Author("van Dam", None, "RM"),
    )
    assert first.published is not None
    assert first.published.start.isoformat() == first.published.end.isoformat() == "2019-05-12"
    assert [(part.label, part.text) for part in first.sections] == [
        ("BACKGROUND", "Colds are common."),
        ("CONCLUSIONS", "Zinc shortened colds."),
    ]
    assert (last.id, last.year) == ("ref:3", 2001)


def test_what_cannot_be_read_is_told_with_its_line_and_why():
    assert [(one.id, one.reason) for one in read_citations(RIS).lost] == [
        ("line 10", "it has no title")
    ]
    rows = "title,abstract,pmid\nOne,a,1\nTwo,b,2,c,d\n,,3\n" + f"Four,{'x' * (MAX_ABSTRACT + 1)},4"
    found = read_citations(rows)
    assert [one.pmid for one in found.articles] == ["1", "4"]
    assert len(found.articles[1].abstract) == MAX_ABSTRACT
    assert found.untitled == ("3",)
    assert [one.id for one in found.unreadable] == ["line 3", "line 5"]


def test_notices_of_medline_text_are_kept():
    text = (
        "PMID- 1\nTI  - Zinc\nPT  - Retracted Publication\n"
        "RIN - J Tests. 2020;1:1. PMID: 2\nMH  - *Zinc/therapeutic use\n"
    )
    (article,) = read_citations(text).articles
    assert [(one.kind, one.pmid) for one in article.corrections] == [("RetractionIn", "2")]
    assert article.publication_types == ("Retracted Publication",)
    assert article.mesh == ("Zinc",)
    (again,) = read_citations(nbib([article])).articles
    assert again.corrections == article.corrections


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "TY  - CPAPER\nTI  - A &amp;lt; B\nAU  - {Salt &amp; Zinc, Ltd}\nAU  - O&#039;Dee, Ann"
            "\nT2  - Trace &amp; Co\nA2  - Ed, I\nPY  - 2019/march/3\nER  -\n",
            "A < B; Salt & Zinc, Ltd; O'Dee; Trace & Co; 2019 Mar 3",
        ),
        (
            '@misc{title="A", subtitle={B {\\em c} &amp; d}, author={Dee, Ann; Roe, O.},'
            'year=2019, month="3~may"}',
            "A: B c & d; Dee; Roe; 2019 May 3",
        ),
        (
            '{"type":"x","title":"A","container-title":"B &amp; C","author":{"literal":"D"}}',
            "A; D; B & C",
        ),
        ("TY  - CONF\nTI  - A\nJF  - Journal of Zinc\nER  -\n", "A; Journal of Zinc"),
        ("TY  - CPAPER\nTI  - A\nT2  - J Zinc\nVL  - 30\nIS  - 15_suppl\nER  -\n", "A; J Zinc"),
        ("PMID- 1\nTI  - A\nOAB - B.\nFAU - Dee, Jr, Ann\nDP  - 2019\n", "A; Dee; 2019; B."),
        ("%0 Journal Article\n%T A\n%X In 4\n%5 of 9\n", "A; In 4 %5 of 9"),
    ],
)
def test_marks_of_pages_programs_and_printers_are_read(text, told):
    (one,) = read_citations(text).articles
    names = (person.last for person in one.authors)
    where = one.book.title if one.book else one.journal
    date = one.published.text if one.published else ""
    assert "; ".join(filter(None, (one.title, *names, where, date, one.abstract))) == told


@pytest.mark.parametrize(
    ("name", "person"),
    [
        ("van der Merwe P Jr", "van der Merwe||P|Jr"),
        ("Smith A III", "Smith||A|III"),
        ("van Roe JR", "van Roe||JR|"),
        ("van der Merwe Jane", "van der Merwe|Jane|J|"),
        ("von Berg", "von Berg|||"),
    ],
)
def test_a_name_without_commas(name, person):
    (one,) = read_citations(f"TY  - JOUR\nTI  - Zinc\nAU  - {name}\nER  -\n").articles[0].authors
    assert "|".join(part or "" for part in (one.last, one.fore, one.initials, one.suffix)) == person


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "no record"),
        (b"Record #1 of 2\nID: CN-1\nTI: Zinc", "the Cochrane Library's text"),
        (b'"TITLE","Zinc"\n"SOURCE","J Z (2020)"', "a table with a field a row"),
        (b'[{"type": "article-journal", ', "no JSON"),
        (b'{"resourceType": "Bundle"}', "no list of CSL items"),
        (
            b"1: Abel Q. Zinc. J Z. 2020.\n",
            "PubMed's summary, which is not read: export it as PubMed",
        ),
        (b"1. J Z. 2020;1:2.\n\nZinc.\n\nAbel Q(1).\n\nPMID: 9541\n", "PubMed's abstracts"),
        (b"just some words\nand more", "line 1"),
        (b"TY  - JOUR\n\x00\x01\x02", "line 2"),
        (b"\xff\xfe\x00\xd8\x00", "UTF-16"),
        (b'title,abstract\nOne,two\n"Two" x,"three\n', "line 3"),
        (b"TY  - JOUR\nAU  - A\nER  -\n", "line 1"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_the_line(tmp_path, raw, said):
    file = tmp_path / "list.ris"
    file.write_bytes(raw)
    with pytest.raises(RecordError, match=r"^list\.ris ") as raised:
        read_citation_file(file)
    assert said in str(raised.value)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_the_encodings_of_reference_managers(encoding):
    text = "TY  - JOUR\r\nTI  - Zinc – naïve\r\nER  - \r\n"
    assert read_citations(decoded(text.encode(encoding))).articles[0].title == "Zinc – naïve"


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_a_citation_file_is_asked_and_searched(tmp_path, form):
    lost = {
        "ris": "TY  - JOUR\nER  -\n",
        "nbib": "\nPMID- 99999999\n",
        "csv": ",,,\r\n99999999,\r\n",
    }
    (tmp_path / f"own.{form}").write_text(written(form) + lost[form], encoding="utf-8")
    source = ("--source", f"own.{form}", "--json")
    hits = json.loads(clinfo("search", "yoga hypertension", *source, cwd=tmp_path).stdout)
    assert hits["articles"]
    question = "Does yoga lower blood pressure?"
    asked = clinfo("ask", question, "--model", "extractive", *source, cwd=tmp_path)
    assert asked.returncode == 0, asked.stderr
    answer = json.loads(asked.stdout)
    assert answer["counts"]["cited"] > 0
    assert answer["settings"]["source"] == f"own.{form}"
    assert any("1 record of " in one and "no title" in one for one in answer["notices"])


def ris(*lines):
    return "\n".join(("TY  - JOUR", *lines, "ER  - "))


ODD = {
    ris("TI  - <i>Zinc</i> in <scp>A</scp> &amp; B"): ("title", "Zinc in A & B"),
    ris("TI  - Z", "AB  - <p>10<sup>6</sup> at p&lt;0.05.</p><p>So</p>"): (
        "abstract", "10^6 at p<0.05. So"),
    ris("TI  - Z", "AU  - Doe, Jane and Roe, R"): ("authors", ["Doe|Jane|J", "Roe|None|R"]),
    ris("TI  - Z", "AU  - Doe J; Roe R. A."): ("authors", ["Doe|None|J", "Roe|None|RA"]),
    "PMID,Title,Authors,First Author,Journal/Book\n1,Z,\"Doe J, Poe, Roe RA.\",Doe J,J Z": (
        "authors", ["Doe|None|J", "Poe|None|None", "Roe|None|RA"]),
    ris("TI  - Z", "AU  - Doe, J., Roe, R., & Poe, E."): (
        "authors", ["Doe|None|J", "Roe|None|R", "Poe|None|E"]),
    ris("TI  - Z", "AU  - Jane Doe, R. B. Roe and Al van Poe"): (
        "authors", ["Doe|Jane|J", "Roe|None|RB", "van Poe|Al|A"]),
    "title,authors\nZ,\"['Doe, J', 'Roe, R']\"": ("authors", ["Doe|None|J", "Roe|None|R"]),
    ris("TI  - Z", "AU  - Doe J, Roe RA", "AU  - Poe, Ed, ed@x.org"): (
        "authors", ["Doe|None|J", "Roe|None|RA", "Poe|Ed|E"]),
    ris("TI  - Z", "AU  - Jane Doe", "AU  - J. A. van Dam"): (
        "authors", ["Doe|Jane|J", "van Dam|None|JA"]),
    ris("TI  - Z", "AU  - Zinc Working Group on Colds", "AU  - [Anonymous]"): (
        "authors", ["Zinc Working Group on Colds|None|None"]),
    ris("TI  - Z", "AU  - Doe, J", "AU  - et al."): ("authors_complete", False),
    ris("TI  - Z", "PY  - 2020/May/12"): ("day", "2020-05-12"),
    ris("TI  - Z", "DA  - 20200512"): ("day", "2020-05-12"),
    ris("TI  - Z", "DO  - 10.1000/A%281%29"): ("doi", "10.1000/a(1)"),
    "    PMID- 7\n    TI  - Zinc\n": ("title", "Zinc"),
    r"@article{a, title={$\alpha$ of H$_2$O, $^2$H at \$5, $10^{-3}$}}": (
        "title", "α of H2O, ^2H at $5, 10^-3"),
    "@article{a, title={From $5 to $6 a day}}": ("title", "From $5 to $6 a day"),
    r"@article{a, title={p \textless 5}}": ("title", "p <5"),
    '@string{j="Made-up J"} @article{a, title="An {A}", journal=j # " (B)"}': (
        "journal", "Made-up J (B)"),
    r"@article{a, title={C\_max at \$5 and H$_2$O at 37$^\circ$C}}": (
        "title", "C_max at $5 and H2O at 37°C"),
    "@article{a, title={Z}, article-number={77}}": ("pages", "77"),
    "@misc{a, title={Z}, eprint={12345678}, eprinttype={pubmed}}": ("pmid", "12345678"),
    ris("TI  - Z", "AB  - [No abstract available]"): ("abstract", ""),
    ris("TI  - Z", "AU  - Ministry of Health", "AU  - Zinc Group, UK", "AU  - Roe, Rita 3rd"): (
        "authors", ["Ministry of Health|None|None", "Zinc Group, UK|None|None", "Roe|Rita|R"]),
    ris("TI  - Z", "PY  - 2019", "DA  - May 12, 2019"): ("day", "2019-05-12"),
    ris("TI  - Z", "DA  - 2019/05/12/Epub"): ("day", "2019-05-12"),
    ris("TI  - Z", "SP  - 212-9", "EP  - 219"): ("pages", "212-9"),
    ris("TI  - Z", "KW  - *a; b"): ("keywords", ("a", "b")),
    "TY  - THES\nTI  - Z\nER  - ": ("publication_types", ("Academic Dissertation",)),
    "@mastersthesis{a, title={Z}}": ("publication_types", ("Academic Dissertation",)),
    ris("TI  - Z", "LA  - English"): ("languages", ("eng",)),
    "PMID- 7\nTI  - Z\nLID - S0140-6736(20)30183-5 [pii]\nLID - e12 [pii]": ("pages", "e12"),
    "%0 Journal Article\n%T Z\n%K a\nb\n%M 7\n%W PubMed": ("keywords", ("a", "b")),
    "title,abstract\nZ,\"One.\nTY  - phoid.\"": ("abstract", "One. TY - phoid."),
    'title\tyear\n"Z" and more\t2019': ("title", '"Z" and more'),
    "Article Title\tPublication Date\tPublication Year\tArticle Number\nZ\tMAY 3\t2019\te7": (
        "day", "2019-05-03"),
    "Title\tSource\nZ\tJ Z (2019) 3:2 (1-9)": ("journal", "J Z"),
    "Title,Authors\nZ,\"Roe R.\nDoe D.\"": ("authors", ["Roe|None|R", "Doe|None|D"]),
    '{"message": {"title": ["Z"], "author": [{"name": "A Group"}], "article-number": "e7"}}': (
        "pages", "e7"),
    '[null, {"type": "book", "title": "Z", "issued": [{"year": 2019}]}]': ("day", "2019-01-01"),
    "@article{a, title={No comma} year={2001}}": ("day", "2001-01-01"),
}  # fmt: skip


@pytest.mark.parametrize("text", ODD)
def test_odd_forms(text):
    (one,) = read_citations(text).articles
    people = [f"{each.last}|{each.fore}|{each.initials}" for each in one.authors]
    day = one.published and one.published.start.isoformat()
    name, right = ODD[text]
    assert {"authors": people, "day": day}.get(name, getattr(one, name, None)) == right


@pytest.mark.parametrize("form", READ_AGAIN)
def test_records_without_numbers_stay_apart(form):
    bare = [replace(one, pmid=None, doi=None) for one in load()[:3]]
    text = next(one for one in specs() if one.name == form)
    again = read_citations(text.write(bare)).articles
    assert [one.title.rstrip(".") for one in again] == [one.title.rstrip(".") for one in bare]


@pytest.mark.parametrize("order", [1, -1])
def test_an_article_with_and_without_its_pmid_is_one(order):
    entries = [
        "TI  - Zinc\nDO  - 10.1000/Zn\nAB  - It helps.",
        "TI  - Zinc.\nDO  - https://doi.org/10.1000/zn\nAN  - 41\nDB  - PubMed",
        "TI  - Other\nDO  - 10.1000/zn",
    ]
    found = read_citations("".join(f"TY  - JOUR\n{one}\nER  - \n" for one in entries[::order]))
    assert {(a.id, a.abstract) for a in found.articles} >= {("pmid:41", "It helps.")}
    assert (len(found.articles), found.repeated) == (2, 1)


def test_chapters_with_the_doi_of_their_book_stay_apart():
    titles = ["Zinc in soil", "Zinc in water", "Zinc in air: a trial", "Zinc in air."]
    dois = ["10.9999/b", "10.9999/b", "10.9999/a", "10.9999/A"]
    text = "".join(
        f"TY  - CHAP\nTI  - {title}\nDO  - {doi}\nER  - \n"
        for title, doi in zip(titles, dois, strict=True)
    )
    found = read_citations(text)
    assert [one.title for one in found.articles] == [*titles[:2], titles[3]]
    assert found.repeated == 1


def test_what_programs_write_for_nothing_is_nothing():
    found = read_citations(
        "PMID,Title,Authors,Abstract,DOI,Year,Journal\nNA,Z one,<NA>,#N/A,\\N,NaN,None\n"
        '95,Z two,"Nan, X; Na, Y",-,n/a,2018.0,NULL\n,Null results,nan,Nan found none.,.,,\n'
    ).articles
    told = [(one.pmid, one.doi, one.journal, one.abstract, len(one.authors)) for one in found]
    assert told == [
        (None, None, None, "", 0),
        ("95", None, None, "", 2),
        (None, None, None, "Nan found none.", 0),
    ]


def test_what_stands_beside_works_is_told():
    found = read_citations("Item Type,Title\nattachment,z.pdf\njournalArticle,Z")
    assert [one.title for one in found.articles] == ["Z"]
    assert "no work" in found.lost[0].reason


@pytest.mark.parametrize(
    "item",
    [
        '{"type": "book", "title": "x", "author": 5}',
        '{"type": "book", "title": "x", "author": [{"family": ["S"], "given": 1}]}',
        '{"type": "book", "title": "x", "issued": {"date-parts": [["2020", "May"]]}}',
        '{"type": "book", "title": "x", "issued": {"date-parts": [[1e400]]}}',
        '{"type": "book", "title": "x", "issued": {"date-parts": {"a": 1}}}',
    ],
)
def test_an_item_of_another_form_is_told_and_keeps_no_other_back(item: str) -> None:
    found = read_citations(f'[{item}, {{"type": "book", "title": "Right"}}]')
    assert [one.title for one in found.articles] == ["Right"]
    assert "no CSL" in found.lost[0].reason


def test_macros_of_macros_are_not_followed_to_any_length() -> None:
    macros = "".join(f"@string{{{b} = {' # '.join(a * 9)}}}" for a, b in pairwise("abcdefghijk"))
    found = read_citations(f"@string{{a = {{0123456789}}}}{macros}@book{{k, title = k}}")
    assert "too long" in found.lost[0].reason
