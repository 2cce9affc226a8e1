"""Reference lists of others: every form that is read, and that no reference is lost on the way."""

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clinfo.errors import RecordError
from clinfo.integrity.reference_check import reference_list
from clinfo.integrity.reference_lists import Listed, read_reference_list
from clinfo.records.articles import Article, Author, Correction, DateInterval
from clinfo.references import bibtex, csv_head, csv_lines, nbib, ris
from clinfo.text.identifiers import find_doi, named_pmid, read_pmid

RIS = """TY  - JOUR
T1  - First of all
AN  - 12345678
DB  - PubMed
ER  -

TY  - JOUR
TI  - No end,
  and a second line
DO  - https://doi.org/10.1000/ABC(1)
TY - CHAP
TI - Odd spaces
UR - https://pubmed.ncbi.nlm.nih.gov/222/
ER -
TY  - JOUR
TI  - Another database's number
AN  - 9876543
DB  - Embase
ER  -
"""
BIBTEX = """@string{j = "J"}
@comment{left out}
@article{one, title = {The {HbA1c} of "rest"}, doi = "10.1000/A\\_b", journal = j # " x"}
@article{one, title = {The same key}, pmid = 77}
@article{broken, title = {Not closed, doi = {10.1000/broken}
@misc{two, title = {By archive}, eprint = {88}, eprinttype = {pubmed}}
@book(three, title = "In parentheses", note = {PMID: 99; read it})
"""
MEDLINE = """
PMID- 400
TI  - A long title that goes on
      in a second line.
LID - S0140-6736(05)1 [pii]
LID - 10.1000/X [doi]
PT  - Journal Article
PT  - Retracted Publication
RIN - J Tests. 2004 May;4:5. PMID: 500

PMID- 401
TI  - Another.
"""
LINES = """# my list
12345678
PMID: 23
34, 45; 56
https://doi.org/10.1000/alone
3. 67
[4] Able A. Rest after surgery. J Tests. 2001;1:2. doi: 10.1000/four. PMID: 78.
Baker B. Nothing to go by. 1999.
"""


def ids(text: str, name: str = "") -> list[tuple[str | None, str | None]]:
    return [
        (one.article.pmid, one.article.doi) for one in read_reference_list(text, name).references
    ]


def titles(text: str) -> list[str]:
    return [one.article.title for one in read_reference_list(text).references]


def test_identifiers_in_one_form() -> None:
    assert [
        read_pmid(text)
        for text in ("12", " PMID: 12 ", "37476288.0", "0", "0.0", "", None, "123456789", "1 2")
    ] == [
        "12",
        "12",
        "37476288",
        None,
        None,
        None,
        None,
        None,
        None,
    ]
    assert named_pmid("see PMID: 15099190.") == "15099190"
    assert named_pmid("https://www.ncbi.nlm.nih.gov/pubmed/123?x=1") == "123"
    assert named_pmid("about 123 pubmed users") is None
    assert find_doi("(doi: 10.1016/S0140-6736(05)12345-6).") == "10.1016/s0140-6736(05)12345-6"
    assert find_doi(
        "https://doi.org/10.1002/(SICI)1097-0142(1999)85:1<1::AID-CNCR1>3.0.CO;2-A,"
    ) == ("10.1002/(sici)1097-0142(1999)85:1<1::aid-cncr1>3.0.co;2-a")
    assert [find_doi(text) for text in ("10.1/x", "10.1000/", "version 10.2345", "", None)] == [
        ""
    ] * 5


def test_ris() -> None:
    assert ids(RIS) == [("12345678", None), (None, "10.1000/abc(1)"), ("222", None), (None, None)]
    assert titles(RIS)[:3] == ["First of all", "No end, and a second line", "Odd spaces"]
    assert [one.line for one in read_reference_list(RIS).references] == [1, 7, 11, 15]


def test_bibtex_and_what_is_damaged_in_it() -> None:
    assert ids(BIBTEX) == [
        (None, "10.1000/a_b"), ("77", None), (None, "10.1000/broken"), ("88", None), ("99", None),
    ]  # fmt: skip
    assert titles(BIBTEX) == [
        'The HbA1c of "rest"',
        "The same key",
        "Not closed",
        "By archive",
        "In parentheses",
    ]


def test_medline_with_what_it_says_of_notices() -> None:
    listed = read_reference_list(MEDLINE)
    first = listed.references[0].article
    assert (listed.form, first.pmid, first.doi, first.title) == (
        "MEDLINE", "400", "10.1000/x", "A long title that goes on in a second line.",
    )  # fmt: skip
    assert first.publication_types == ("Journal Article", "Retracted Publication")
    assert first.corrections == (Correction("RetractionIn", "J Tests. 2004 May;4:5.", "500"),)


def test_csl_and_endnotes_xml_are_lists_too() -> None:
    assert ids('[{"title": "Z", "DOI": "10.1000/Z"}]') == [(None, "10.1000/z")]
    record = "<record><titles><title>Z</title></titles><electronic-resource-num>10.1000/z"
    closed = "</electronic-resource-num></record>"
    assert ids(f"<xml><records>{record}{closed}</records></xml>") == [(None, "10.1000/z")]


def test_lines() -> None:
    assert ids(LINES) == [
        ("12345678", None),
        ("23", None),
        ("34", None),
        ("45", None),
        ("56", None),
        (None, "10.1000/alone"),
        ("67", None),
        ("78", "10.1000/four"),
        (None, None),
    ]
    last = read_reference_list(LINES).references[-1]
    assert (last.identified, last.label, last.line, last.place) == (
        False,
        "Baker B. Nothing to go by. 1999.",
        8,
        9,
    )


def test_tables() -> None:
    table = '\ufeffTitle;PMID;DOI\n"A; b";12.0;\n\nC;;10.1000/c\nD;;\n'
    assert ids(table, "list.csv") == [("12", None), (None, "10.1000/c"), (None, None)]
    assert ids("pubmed_id\ttitle\n5\tX\n", "list.tsv") == [("5", None)]
    assert ids("12\n13\n", "list.csv") == [("12", None), ("13", None)]


def test_our_own_exports_come_back_whole() -> None:
    articles = [
        Article(
            f"pmid:{number}",
            f"Trial {number} of {{rest}} & 50% of _sleep_",
            str(number),
            doi=f"10.1000/T_{number}(a)",
            authors=(Author("Able", "Ann", "A"),),
            journal="Journal of Tests",
            published=DateInterval(date(2020, 1, 1), date(2020, 12, 31), "2020"),
        )
        for number in range(1, 8)
    ]
    expected = [(str(number), f"10.1000/t_{number}(a)") for number in range(1, 8)]
    for text in (ris(articles), bibtex(articles), nbib(articles)):
        assert ids(text) == expected
    assert ids(csv_head() + csv_lines(articles), "export.csv") == expected


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "@comment{x}\n"])
def test_a_file_without_references_is_refused(text: str) -> None:
    with pytest.raises(RecordError, match="contains no references"):
        read_reference_list(text)


@given(
    st.text() | st.text('@{}=,"\\TY -AN10./x\n'), st.sampled_from(("", "x.csv", "x.tsv", "x.bib"))
)
def test_any_text_is_read_or_refused(text: str, name: str) -> None:
    try:
        listed = read_reference_list(text, name)
    except RecordError:
        return
    assert [one.place for one in listed.references] == list(range(1, len(listed.references) + 1))
    assert all(isinstance(one, Listed) and "\n" not in one.label for one in listed.references)


def test_a_file_without_end_is_refused() -> None:
    with pytest.raises(RecordError, match="longer than"):
        reference_list(Path("/dev/zero"))
