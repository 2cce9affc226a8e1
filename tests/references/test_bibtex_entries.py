"""BibTeX and odd RIS as sources: LaTeX, macros, a lost brace, lines that only look like tags."""

import time

import pytest

from clinfo.references.reading import CitationText, read_citations
from clinfo.text.identifiers import find_doi, read_pmid

BIB = r"""
@comment{from a shelf}
@string{mjz = "Made-up Journal of Zinc"}
@article{smidt2017,
  title = {{Zinclozine} and {IL}-$\beta$ in {Gr{\"u}n}'s palsy: 5\% of 40~adults},
  author = {de la R{\'u}a, Jr, Jos{\'e} and {Zinc Study Group} and others},
  journal = mjz, year = 2017, month = oct, pages = {e12}, doi = {10.1000/zinc\_(7)1}
}
@article{lost2018, title = {Zinclozine without its brace, year = {2018}
}
@incollection{poe2020, title = "Zinclozine at home", booktitle = {All of Zinc},
  editor = {Ed Itor}, publisher = {Made-up Press}, year = {2020}, note = {PMID: 95000777}}
"""


def read(text: str) -> CitationText:
    return read_citations(text)


def test_bibtex_is_read_without_its_marks_and_a_lost_brace_is_told() -> None:
    found = read(BIB)
    first, second = found.articles
    assert first.title == "Zinclozine and IL-β in Grün's palsy: 5% of 40 adults"
    assert [(one.last, one.fore or one.initials, one.suffix) for one in first.authors] == [
        ("de la Rúa", "José", "Jr"), ("Zinc Study Group", None, None),
    ]  # fmt: skip
    assert (first.authors[1].collective, first.authors_complete) == (True, False)
    assert (first.journal, first.pages, first.doi) == (
        "Made-up Journal of Zinc", "e12", "10.1000/zinc_(7)1",
    )  # fmt: skip
    assert first.published is not None
    assert first.published.start.isoformat() == "2017-10-01"
    assert second.book is not None
    assert (second.pmid, second.book.title, second.book.editors[0].last) == (
        "95000777", "All of Zinc", "Itor",
    )  # fmt: skip
    assert [one.id for one in found.unreadable] == ["line 9"]


def test_lines_that_only_look_like_tags_go_on_with_the_abstract() -> None:
    text = (
        "TY  - JOUR\nTI - Zinclozine\nAB  - Of 40 adults\nER - positive tumours shrank;\n"
        "OR - 0.5 was seen.\nRE - TREATMENT was allowed.\nSP  -\nER  -\nC1  - stray\nTY  - JOUR\n"
        "TI  - Zinclozine again\nER\n"
    )
    first, second = read(text).articles
    assert first.abstract == (
        "Of 40 adults ER - positive tumours shrank; OR - 0.5 was seen. RE - TREATMENT was allowed."
    )
    assert (first.pages, second.title) == (None, "Zinclozine again ER")


@pytest.mark.parametrize(
    ("written", "pmid"),
    [
        ("00095000119", "95000119"), ("[95000123]", "95000123"), ("９５０００１２３", "95000123"),
        ("95000118.0", "95000118"), ("9.5E+07", None), ("[12]", None), ("n/a", None),
    ],
)  # fmt: skip
def test_a_pmid_is_known_in_its_disguises(written: str, pmid: str | None) -> None:
    assert read_pmid(written) == pmid


@pytest.mark.parametrize(
    ("written", "doi"),
    [
        ("https://dx.doi.org/10.1000%2F182", "10.1000/182"),
        ("biorxiv.org/content/10.1101/2020.01.02.123456v2.full", "10.1101/2020.01.02.123456"),
        ("https://a.org/doi/10.1016/x.1/abstract", "10.1016/x.1"),
        ("https://a.org/doi/10.1016/abstract", "10.1016/abstract"),
        ("https://doi.org/10.1016/x/meta?y=1", "10.1016/x/meta"),
        ("10.1016/x.pdf", "10.1016/x.pdf"),
        ("https://a.org/r.uri?doi=10.1016%2fx.1&partnerID=4#top", "10.1016/x.1"),
        ("(doi:10.1016/S0140-6736(99)00001-2).", "10.1016/s0140-6736(99)00001-2"),
        ("10.1002/(SICI)1097-0258(19980815/30)17:15/16<1661::AID-SIM968>3.0.CO;2-2",
         "10.1002/(sici)1097-0258(19980815/30)17:15/16<1661::aid-sim968>3.0.co;2-2"),
    ],
)  # fmt: skip
def test_a_doi_is_found_whole(written: str, doi: str) -> None:
    assert find_doi(written) == doi


def test_a_table_with_a_huge_cell_says_what_is_cut() -> None:
    found = read(f"PMID,Title,Abstract\n1,Zinclozine,{'word ' * 40_000}\n2,Zinclozine two,Short.\n")
    assert [one.pmid for one in found.articles] == ["1", "2"]
    assert "line 2: its abstract is cut after" in found.notices("it")[0]


def test_a_raised_number_is_a_power_and_an_absurd_nesting_no_crash() -> None:
    deep = r"\frac{" * 2_000 + "x" + "}" * 2_000
    found = read(
        "@article{a, title={A count}, abstract={10\\textsuperscript{6} cells}}\n"
        f"@article{{b, title={{Another}}, abstract={{{deep}}}}}\n"
    )
    assert found.articles[0].abstract == "10^6 cells"
    assert [one.title for one in found.articles] == ["A count", "Another"]


def test_more_marks_than_anybody_writes_cost_no_time_and_no_other_entry_its_characters() -> None:
    flood = "$x_{1}$ " * 30_000
    began = time.perf_counter()
    found = read(
        f"@article{{a, title={{Flood}}, abstract={{{flood}}}}}\n"
        '@article{b, title={Na\\"{i}ve}}\n'
    )
    assert time.perf_counter() - began < 5
    assert [one.title for one in found.articles][-1] == "Naïve"
    assert "could not be read" in found.notices("it")[0]
