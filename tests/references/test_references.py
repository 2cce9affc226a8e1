"""References: the IEEE line against known ones, the files against parsers that know nothing of this
program.
"""

import json
from dataclasses import replace
from datetime import date
from typing import Any
from urllib.parse import unquote

import pybtex.database
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pylatexenc import latex2text, latexwalker

from clinfo.records.articles import Article, Author, DateInterval, Section
from clinfo.references import bibtex, csl, ieee, ris
from clinfo.references.parts import doi_of, plain, title_of


def month(year: int, number: int, last: int | None = None) -> DateInterval:
    last = last or number
    after = date(year + last // 12, last % 12 + 1, 1)
    return DateInterval(
        date(year, number, 1), date.fromordinal(after.toordinal() - 1), "as printed"
    )


YEAR_2020 = DateInterval(date(2020, 1, 1), date(2020, 12, 31), "2020")

ARTICLE = Article(
    id="pmid:101",
    pmid="101",
    title="Walking and the {HbA1c} of 50% of adults: a COVID-19 trial in Leeds.",
    sections=(Section("Sleep & \\rest.", "AIM"), Section("It rose_by 5% ~ 6^2.\nTY  - BOOK")),
    authors=(
        Author("van der Berg", "Jean-Paul M", "JM"),
        Author("Young", "Ann", "A", "3rd"),
        Author("The Walking and Sleep Group, Leeds", collective=True),
    ),
    journal="The Invented journal of medicine",
    journal_abbreviation="Invent J Med",
    volume="12",
    issue="3-4",
    pages="123-9",
    published=month(2020, 5),
    doi="10.1000/abc_{1}<2>",
    pmcid="PMC77",
    languages=("eng",),
    mesh=("Diabetes Mellitus, Type 2", "Walking"),
    keywords=("sleep",),
)


# The IEEE line. Forms as in the IEEE Reference Guide; 227 of 230 lines of real records agreed with
# the style "ieee" of citationstyles.org as rendered by citeproc-py 0.9 (the other three are faults
# of that program in hyphenated initials or issues).


def test_ieee() -> None:
    assert ieee(ARTICLE) == (
        "J.-P. M. van der Berg, A. Young III, and The Walking and Sleep Group, Leeds, "
        '"Walking and the {HbA1c} of 50% of adults: a COVID-19 trial in Leeds," Invent. J. Med., '
        "vol. 12, no. 3–4, pp. 123–129, May 2020, doi: 10.1000/abc_{1}<2>."
    )


PERSON = Author("Hill", "Ann", "A")


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({}, 'A. Hill, "A title."'),
        ({"authors": ()}, '"A title."'),
        ({"title": "Does it work?"}, 'A. Hill, "Does it work?"'),
        ({"title": "Does it work?", "volume": "1"}, 'A. Hill, "Does it work?" vol. 1.'),
        ({"title": '"Rest" or “sleep”...'}, "A. Hill, \"'Rest' or ‘sleep’....\""),
        ({"title": "[Ein Titel]."}, 'A. Hill, "[Ein Titel]."'),
        ({"title": ""}, "A. Hill."),
        ({"title": "", "authors": ()}, "https://pubmed.ncbi.nlm.nih.gov/7/."),
        ({"authors": (PERSON,) * 2}, 'A. Hill and A. Hill, "A title."'),
        ({"authors": (PERSON,) * 5}, 'A. Hill, A. Hill, A. Hill, A. Hill, and A. Hill, "A title."'),
        ({"authors": (PERSON,) * 6}, 'A. Hill et al., "A title."'),
        ({"authors_complete": False}, 'A. Hill et al., "A title."'),
        (
            {"authors": (PERSON,) * 2, "authors_complete": False},
            'A. Hill, A. Hill, et al., "A title."',
        ),
        ({"authors": (Author("Hill", "E M S", "EM"),)}, 'E. M. S. Hill, "A title."'),
        ({"authors": (Author("Hill", None, "EM"),)}, 'E. M. Hill, "A title."'),
        ({"authors": (Author("Hill", "Maria da Luz", "Md"),)}, 'M. da L. Hill, "A title."'),
        ({"authors": (Author("HILL", "J. D.", "JD", "Jr"),)}, 'J. D. HILL Jr., "A title."'),
        ({"authors": (Author("Hill"),)}, 'Hill, "A title."'),
        ({"journal": "Sleep"}, 'A. Hill, "A title," Sleep.'),
        (
            {"journal": "Acta somni (Oslo)", "journal_abbreviation": "Acta Som (Oslo)"},
            'A. Hill, "A title," Acta Som. (Oslo).',
        ),
        (
            {"journal": "Hill's disease research", "journal_abbreviation": "Hills Dis Res"},
            'A. Hill, "A title," Hills Dis. Res.',
        ),
        ({"journal_abbreviation": "J Med"}, 'A. Hill, "A title," J Med.'),
        ({"pages": "S12-8"}, 'A. Hill, "A title," pp. S12–S18.'),
        ({"pages": "45"}, 'A. Hill, "A title," p. 45.'),
        ({"pages": "45, 47-9; discussion 50"}, 'A. Hill, "A title," pp. 45, 47–49.'),
        (
            {"pages": "e1234", "published": month(2019, 6)},
            'A. Hill, "A title," Jun. 2019, Art. no. e1234.',
        ),
        (
            {"pages": "CD012345.pub2", "published": YEAR_2020},
            'A. Hill, "A title," 2020, Art. no. CD012345.pub2.',
        ),
        ({"pages": "e12-e19"}, 'A. Hill, "A title," pp. e12–e19.'),
        (
            {
                "pages": "45",
                "published": YEAR_2020,
                "doi": "10.1/x",
                "sections": (Section("Text."),),
            },
            'A. Hill, "A title," 2020, Art. no. 45, doi: 10.1/x.',
        ),
        ({"issue": "Suppl 1", "volume": "3"}, 'A. Hill, "A title," vol. 3, Suppl 1.'),
        ({"published": month(2020, 7, 8)}, 'A. Hill, "A title," Jul./Aug. 2020.'),
        ({"published": month(2020, 7, 9)}, 'A. Hill, "A title," 2020.'),
        (
            {"published": DateInterval(date(1998, 12, 1), date(1999, 1, 31), "1998 Dec-1999 Jan")},
            'A. Hill, "A title," Dec. 1998/Jan. 1999.',
        ),
        ({"electronic": date(2021, 9, 3)}, 'A. Hill, "A title," Sep. 2021.'),
        ({"doi": "https://doi.org/10.1/x"}, 'A. Hill, "A title," doi: 10.1/x.'),
    ],
)
def test_ieee_leaves_out_what_is_not_known(changes: dict[str, Any], line: str) -> None:
    assert (
        ieee(
            replace(Article(id="pmid:7", pmid="7", title="A title.", authors=(PERSON,)), **changes)
        )
        == line
    )


# The files


def test_ris() -> None:
    assert (
        ris([ARTICLE], {"pmid:101": ("cited", "retracted")})
        == """\
TY  - JOUR
AU  - van der Berg, Jean-Paul M
AU  - Young, Ann, 3rd
AU  - The Walking and Sleep Group Leeds
TI  - Walking and the {HbA1c} of 50% of adults: a COVID-19 trial in Leeds
T2  - The Invented journal of medicine
JO  - The Invented journal of medicine
JA  - Invent J Med
PY  - 2020
DA  - 2020/05//
VL  - 12
IS  - 3-4
SP  - 123
EP  - 129
DO  - 10.1000/abc_{1}<2>
AN  - 101
DB  - PubMed
C2  - PMC77
UR  - https://pubmed.ncbi.nlm.nih.gov/101/
AB  - AIM: Sleep & \\rest. It rose_by 5% ~ 6^2. TY - BOOK
KW  - cited
KW  - retracted
KW  - Diabetes Mellitus, Type 2
KW  - Walking
KW  - sleep
N1  - cited; retracted
LA  - en
ER  -\x20

"""
    )


def test_bibtex() -> None:
    assert (
        bibtex([ARTICLE], {"pmid:101": ("cited",)})
        == r"""@article{vanderberg2020_101,
  author = {van der Berg, Jean-Paul M and Young, 3rd, Ann and {The Walking and Sleep Group, Leeds}},
  title = {Walking and the {\textbraceleft}{HbA1c}{\textbraceright} of 50\% of adults: a {COVID-19} trial in {Leeds}},
  journal = {The Invented journal of medicine},
  shortjournal = {Invent J Med},
  year = {2020},
  month = may,
  volume = {12},
  number = {3-4},
  pages = {123--129},
  doi = {10.1000/abc_%7B1%7D<2>},
  pmid = {101},
  pmcid = {PMC77},
  url = {https://pubmed.ncbi.nlm.nih.gov/101/},
  language = {en},
  abstract = {AIM: Sleep \& {\textbackslash}rest. It rose\_by 5\% {\textasciitilde} 6{\textasciicircum}2. TY - BOOK},
  keywords = {cited, Diabetes Mellitus Type 2, Walking, sleep},
  note = {cited}
}

"""  # noqa: E501
    )


def test_csl() -> None:
    (item,) = json.loads(csl([ARTICLE]))
    assert item == {
        "id": "pmid:101",
        "type": "article-journal",
        "title": "Walking and the {HbA1c} of 50% of adults: a COVID-19 trial in Leeds",
        "author": [
            {"family": "van der Berg", "given": "Jean-Paul M"},
            {"family": "Young", "given": "Ann", "suffix": "3rd"},
            {"literal": "The Walking and Sleep Group, Leeds"},
        ],
        "issued": {"date-parts": [[2020, 5]]},
        "container-title": "The Invented journal of medicine",
        "container-title-short": "Invent J Med",
        "volume": "12",
        "issue": "3-4",
        "page": "123-129",
        "DOI": "10.1000/abc_{1}<2>",
        "PMID": "101",
        "PMCID": "PMC77",
        "URL": "https://pubmed.ncbi.nlm.nih.gov/101/",
        "language": "en",
        "abstract": "AIM: Sleep & \\rest. It rose_by 5% ~ 6^2. TY - BOOK",
        "keyword": "Diabetes Mellitus Type 2, Walking, sleep",
    }


# Round trips. Normalisation: what plain() does, the title's last full stop, commas of names (RIS)
# and keywords (BibTeX, CSL).

INJECTIONS = (
    "\n",
    "\r\n",
    "\nER  - ",
    "\nTY  - BOOK\n",
    "\u2028",
    "\x0b",
    "\x1e",
    "\0",
    "}}",
    "@article{x,",
    "}\n@misc{y,",
)
SPECIALS = ("{", "}", "\\", '"', "%", "#", "$", "&", "_", "~", "^", ",", "\ud800", ".", "?")
WORDS = (
    " and ",
    " AND ",
    "others",
    "<b>",
    "é",
    "β",
    "COVID-19",
    " of ",
    "HbA1c",
    "10.1/a_b",
    "Crohn’s",
    " -- ",
    "``x''",
)
PIECES = st.one_of(st.sampled_from(INJECTIONS + SPECIALS + WORDS), st.text(max_size=4))
TEXT = st.one_of(st.text(max_size=12), st.lists(PIECES, max_size=6).map("".join))
MAYBE = st.one_of(st.none(), TEXT)
AUTHORS = st.builds(
    Author, last=TEXT, fore=MAYBE, initials=MAYBE, suffix=MAYBE, collective=st.booleans()
)
ARTICLES = st.builds(
    Article,
    id=st.just("pmid:5"),
    title=TEXT,
    pmid=st.sampled_from([None, "5"]),
    sections=st.lists(st.builds(Section, TEXT, MAYBE), max_size=2).map(tuple),
    authors=st.lists(AUTHORS, max_size=3).map(tuple),
    authors_complete=st.booleans(),
    journal=MAYBE,
    journal_abbreviation=MAYBE,
    volume=MAYBE,
    issue=MAYBE,
    pages=st.one_of(MAYBE, st.from_regex(r"e?[0-9]{1,5}(-[0-9]{1,5})?", fullmatch=True)),
    published=st.sampled_from([None, YEAR_2020, month(2020, 5), month(2019, 7, 8)]),
    doi=MAYBE,
    keywords=st.lists(TEXT, max_size=2).map(tuple),
)


def name(author: Author) -> list[str]:
    """Return what the files should say of a name: last, forenames, suffix."""
    last, fore, suffix = (plain(part) for part in (author.last, author.fore, author.suffix))
    if author.collective:
        return [last, "", ""]
    fore = fore or " ".join(plain(author.initials).replace(" ", ""))
    return [last, fore, suffix] if last else [fore, "", suffix]


def parsed(text: str) -> Any:
    return pybtex.database.parse_string(text, "bibtex")


WALKING = latexwalker.get_default_latex_context_db().filter_context(
    exclude_categories=["nonascii-specials"]
)
READING = latex2text.get_default_latex_context_db().filter_context(
    exclude_categories=["nonascii-specials"]
)
OWN = {"textbraceleft": "{", "textbraceright": "}", "textasciicircum": "^"}
READING.add_context_category(
    "braces, which its list of commands lacks, and the plain circumflex",
    macros=[latex2text.MacroTextSpec(command, char) for command, char in OWN.items()],
    prepend=True,
)


def decoded(latex: str) -> str:
    """LaTeX as read by pylatexenc, but for the ligatures of TeX's fonts (``--`` and the like),
    which are left as they are.
    """
    nodes = latexwalker.LatexWalker(latex, latex_context=WALKING).get_latex_nodes()[0]
    return str(
        latex2text.LatexNodes2Text(READING, strict_latex_spaces=True).nodelist_to_text(nodes)
    )


@pytest.mark.slow
@given(st.lists(ARTICLES, min_size=1, max_size=3), TEXT)
def test_bibtex_round_trip(articles: list[Article], mark: str) -> None:
    text = bibtex(articles, {"pmid:5": (mark,)})
    assert text.count("@article{") >= len(articles)
    entries = parsed(text).entries
    assert len(entries) == len(articles)
    for entry, article in zip(entries.values(), articles, strict=True):
        assert entry.type == "article"
        assert set(entry.fields) <= BIBTEX_FIELDS
        fields = {
            key: decoded(value) for key, value in entry.fields.items() if key not in ("doi", "url")
        }
        assert fields.get("title", "") == title_of(article)
        assert fields.get("abstract", "") == plain(article.abstract)
        assert fields.get("journal", "") == plain(article.journal or article.journal_abbreviation)
        assert fields.get("volume", "") == plain(article.volume)
        assert fields.get("number", "") == plain(article.issue)
        assert fields.get("note", "") == plain(mark)
        assert unquote(entry.fields.get("doi", "")) == unquote(doi_of(article))
        people = entry.persons.get("author", [])
        names = [one for one in map(name, article.authors) if any(one)]
        if names and not article.authors_complete:
            assert str(people.pop()) == "others"
        read = [
            (p.prelast_names + p.last_names, p.first_names + p.middle_names, p.lineage_names)
            for p in people
        ]
        assert [[closed(" ".join(part)) for part in one] for one in read] == [
            ["".join(part.split()) for part in one] for one in names
        ]


def closed(latex: str) -> str:
    return "".join(decoded(latex).split())


BIBTEX_FIELDS = {
    *(
        "title",
        "journal",
        "shortjournal",
        "year",
        "month",
        "volume",
        "number",
        "pages",
        "doi",
        "pmid",
        "pmcid",
        "url",
    ),
    *("language", "abstract", "keywords", "note"),
}
