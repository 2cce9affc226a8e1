"""Vancouver and AMA against the examples of their guides; books and chapters; languages.

Vancouver: NLM, "Samples of Formatted References for Authors of Journal Articles" (1, 2, 3, 5, 6, 8,
10, 15, 18, 22). AMA: AMA Manual of Style, 11th edition, chapter 3.
"""

import json
from datetime import date

import bibtexparser
import pytest
import rispy

from clinfo.pubmed.xml import read_citations
from clinfo.records.articles import Article, Author, Book, DateInterval
from clinfo.references import bibtex, csl, ris
from clinfo.references.medical_line import ama, vancouver


def people(*names: str) -> tuple[Author, ...]:
    """Authors of "Halpern SD"; one without initials is a group."""
    made = []
    for name in names:
        last, _, initials = name.rpartition(" ")
        person = bool(last) and initials.isupper() and len(initials) <= 3
        made.append(Author(last, None, initials) if person else Author(name, collective=True))
    return tuple(made)


def dated(text: str) -> DateInterval:
    year = int(text[:4])
    return DateInterval(date(year, 1, 1), date(year, 12, 31), text)


def article(title: str, *authors: str, day: str, **more: object) -> Article:
    return Article("pmid:1", title, authors=people(*authors), published=dated(day), **more)  # type: ignore[arg-type]


HALPERN = article(
    "Solid-organ transplantation in HIV-infected patients.",
    "Halpern SD", "Ubel PA", "Caplan AL",
    day="2002 Jul 25", journal_abbreviation="N Engl J Med", volume="347", issue="4",
    pages="284-7",
)  # fmt: skip
ROSE = article(
    "Regulation of interstitial excitatory amino acid concentrations after cortical contusion "
    "injury.",
    "Rose ME", "Huerbin MB", "Melick J", "Marion DW", "Palmer AM", "Schiding JK", "Kochanek PM",
    day="2002", journal_abbreviation="Brain Res", volume="935", issue="1-2", pages="40-6",
)  # fmt: skip
PREVENTION = article(
    "Hypertension, insulin, and proinsulin in participants with impaired glucose tolerance.",
    "Diabetes Prevention Program Research Group",
    day="2002", journal_abbreviation="Hypertension", volume="40", issue="5", pages="679-86",
)  # fmt: skip
VALLANCIEN = article(
    "Sexual dysfunction in 1,274 European men suffering from lower urinary tract symptoms.",
    "Vallancien G", "Emberton M", "Harving N", "van Moorselaar RJ", "Alf-One Study Group",
    day="2003", journal_abbreviation="J Urol", volume="169", issue="6", pages="2257-61",
)  # fmt: skip
GERAUD = article(
    "Tolerability and safety of frovatriptan with short- and long-term use for treatment of "
    "migraine and in comparison with sumatriptan.",
    "Geraud G", "Spierings EL", "Keywood C",
    day="2002", journal_abbreviation="Headache", volume="42", issue="Suppl 2", pages="S93-9",
)  # fmt: skip
BANIT = article(
    "Intraoperative frozen section analysis in revision total joint arthroplasty.",
    "Banit DM", "Kaufer H", "Hartford JM",
    day="2002", journal_abbreviation="Clin Orthop", issue="401", pages="230-8",
)  # fmt: skip
MURRAY = article(
    "Medical microbiology.",
    "Murray PR", "Rosenthal KS", "Kobayashi GS", "Pfaller MA",
    day="2002", languages=("eng",),
    book=Book(edition="4th", publisher="Mosby", place="St. Louis", isbn="9780323012133"),
)  # fmt: skip
MELTZER = article(
    "Chromosome alterations in human solid tumors.",
    "Meltzer PS", "Kallioniemi A", "Trent JM",
    day="2002", pages="93-113", languages=("ger", "fre", "mul"),
    book=Book(
        "The genetic basis of human cancer", people("Vogelstein B", "Kinzler KW"), None,
        "McGraw-Hill", "New York",
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("one", "line"),
    [
        (
            HALPERN,
            "Halpern SD, Ubel PA, Caplan AL. Solid-organ transplantation in HIV-infected patients. "
            "N Engl J Med. 2002 Jul 25;347(4):284-7.",
        ),
        (
            ROSE,
            "Rose ME, Huerbin MB, Melick J, Marion DW, Palmer AM, Schiding JK, et al. Regulation "
            "of interstitial excitatory amino acid concentrations after cortical contusion injury. "
            "Brain Res. 2002;935(1-2):40-6.",
        ),
        (
            PREVENTION,
            "Diabetes Prevention Program Research Group. Hypertension, insulin, and proinsulin in "
            "participants with impaired glucose tolerance. Hypertension. 2002;40(5):679-86.",
        ),
        (
            VALLANCIEN,
            "Vallancien G, Emberton M, Harving N, van Moorselaar RJ; Alf-One Study Group. Sexual "
            "dysfunction in 1,274 European men suffering from lower urinary tract symptoms. "
            "J Urol. 2003;169(6):2257-61.",
        ),
        (
            GERAUD,
            "Geraud G, Spierings EL, Keywood C. Tolerability and safety of frovatriptan with "
            "short- and long-term use for treatment of migraine and in comparison with "
            "sumatriptan. Headache. 2002;42 Suppl 2:S93-9.",
        ),
        (
            BANIT,
            "Banit DM, Kaufer H, Hartford JM. Intraoperative frozen section analysis in revision "
            "total joint arthroplasty. Clin Orthop. 2002;(401):230-8.",
        ),
        (
            MURRAY,
            "Murray PR, Rosenthal KS, Kobayashi GS, Pfaller MA. Medical microbiology. 4th ed. "
            "St. Louis: Mosby; 2002.",
        ),
        (
            MELTZER,
            "Meltzer PS, Kallioniemi A, Trent JM. Chromosome alterations in human solid tumors. "
            "In: Vogelstein B, Kinzler KW, editors. The genetic basis of human cancer. New York: "
            "McGraw-Hill; 2002. p. 93-113.",
        ),
    ],
)
def test_vancouver_is_as_nlm_shows_it(one, line):
    assert vancouver(one) == line


def test_ama_is_as_its_manual_says():
    towfighi = article(
        "Utility of Framingham Coronary Heart Disease risk score for predicting cardiac risk after "
        "stroke.",
        "Towfighi A", "Markovic D", "Ovbiagele B",
        day="2012 Nov", journal_abbreviation="Stroke", volume="43", issue="11", pages="2942-7",
        doi="10.1161/STROKEAHA.112.668319",
    )  # fmt: skip
    assert ama(towfighi) == (
        "Towfighi A, Markovic D, Ovbiagele B. Utility of Framingham Coronary Heart Disease risk "
        "score for predicting cardiac risk after stroke. Stroke. 2012;43(11):2942-2947. "
        "doi:10.1161/STROKEAHA.112.668319"
    )
    boushey = article(
        "Application of research paradigms to nutrition practice.", "Boushey CJ",
        day="2013", pages="99-105",
        book=Book(
            "Nutrition in the Prevention and Treatment of Disease",
            people("Coulston AM", "Boushey CJ", "Ferruzzi MG"), "3rd", "Academic Press",
        ),
    )  # fmt: skip
    assert ama(boushey) == (
        "Boushey CJ. Application of research paradigms to nutrition practice. In: Coulston AM, "
        "Boushey CJ, Ferruzzi MG, eds. Nutrition in the Prevention and Treatment of Disease. 3rd "
        "ed. Academic Press; 2013:99-105."
    )
    assert ama(ROSE).startswith("Rose ME, Huerbin MB, Melick J, et al. Regulation")


def test_a_book_and_a_chapter_in_ris():
    book, chapter, journal = rispy.loads(ris([MURRAY, MELTZER, HALPERN]))
    assert (book["type_of_reference"], book["publisher"]) == ("BOOK", "Mosby")
    assert (book["edition"], book["place_published"]) == ("4th", "St. Louis")
    assert (book["issn"], book["language"]) == ("9780323012133", "en")  # rispy's name of SN
    assert "secondary_title" not in book
    assert chapter["type_of_reference"] == "CHAP"
    assert chapter["secondary_title"] == "The genetic basis of human cancer"
    assert chapter["secondary_authors"] == ["Vogelstein, B", "Kinzler, K W"]
    assert (chapter["start_page"], chapter["end_page"]) == ("93", "113")
    assert journal["type_of_reference"] == "JOUR"


def test_a_book_and_a_chapter_in_bibtex():
    entries = bibtexparser.parse_string(bibtex([MURRAY, MELTZER, HALPERN])).entries
    assert [one.entry_type for one in entries] == ["book", "incollection", "article"]
    book, chapter, _ = ({one.key: one.value for one in entry.fields} for entry in entries)
    assert (book["publisher"], book["address"]) == ("Mosby", "St. Louis")
    assert (book["edition"], book["isbn"], book["language"]) == ("4th", "9780323012133", "en")
    assert "journal" not in book
    assert chapter["editor"] == "Vogelstein, B and Kinzler, K W"
    assert chapter["booktitle"] == "The genetic basis of human cancer"
    assert chapter["language"] == "de, fr"


def test_a_book_and_a_chapter_in_csl():
    book, chapter, journal = json.loads(csl([MURRAY, MELTZER, HALPERN]))
    assert (book["type"], chapter["type"]) == ("book", "chapter")
    assert journal["type"] == "article-journal"
    assert (book["publisher"], book["publisher-place"]) == ("Mosby", "St. Louis")
    assert (book["ISBN"], book["edition"], book["language"]) == ("9780323012133", "4th", "en")
    assert chapter["container-title"] == "The genetic basis of human cancer"
    assert chapter["editor"][0] == {"family": "Vogelstein", "given": "B"}
    assert chapter["language"] == "de"


BOOK_XML = b"""<PubmedArticleSet><PubmedBookArticle><BookDocument><PMID Version="1">20301295</PMID>
<ArticleIdList><ArticleId IdType="bookaccession">NBK1116</ArticleId></ArticleIdList><Book>
<Publisher><PublisherName>University of Washington</PublisherName>
<PublisherLocation>Seattle (WA)</PublisherLocation></Publisher>
<BookTitle book="gene">GeneReviews</BookTitle><PubDate><Year>1993</Year></PubDate>
<AuthorList Type="editors"><Author><LastName>Adam</LastName><Initials>MP</Initials></Author>
</AuthorList><Edition>2nd</Edition><Isbn>9780000000002</Isbn></Book>
<ArticleTitle book="gene" part="x">%b</ArticleTitle><Language>eng</Language>
<AuthorList Type="authors"><Author><LastName>Petrucelli</LastName><Initials>N</Initials></Author>
</AuthorList><ContributionDate><Year>1998</Year></ContributionDate></BookDocument>
</PubmedBookArticle></PubmedArticleSet>"""


def test_pubmeds_books_tell_their_book():
    (chapter,) = read_citations(BOOK_XML % b"BRCA1 and cancer")
    (book,) = read_citations(BOOK_XML % b"")
    assert isinstance(chapter, Article)
    assert isinstance(book, Article)
    assert chapter.book == Book(
        "GeneReviews",
        (Author("Adam", None, "MP"),),
        "2nd",
        "University of Washington",
        "Seattle (WA)",
        "9780000000002",
    )
    assert (book.title, book.book and book.book.title) == ("GeneReviews", None)
    assert "TY  - CHAP" in ris([chapter])
    assert "TY  - BOOK" in ris([book])
