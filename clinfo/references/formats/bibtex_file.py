"""BibTeX, in UTF-8. Text fields are escaped for LaTeX; ``doi`` and ``url`` stand as they are, as
every program expects.
"""

import re
import unicodedata
from calendar import month_abbr
from collections.abc import Iterable

from clinfo.records.articles import Article, Author
from clinfo.references.parts import (
    Marks,
    abstract_of,
    date_parts,
    doi_of,
    keywords_of,
    kind_of,
    languages_of,
    marks_of,
    name_of,
    page_ranges,
    plain,
    title_of,
)
from clinfo.references.registry import ReferenceFormat

_ESCAPES = str.maketrans(
    {char: "\\" + char for char in "&%$#_"}
    # BibTeX counts braces whether or not a backslash stands before them, so they may not stand in a
    # value at all
    | {"{": r"{\textbraceleft}", "}": r"{\textbraceright}", "\\": r"{\textbackslash}"}
    | {"~": r"{\textasciitilde}", "^": r"{\textasciicircum}"}
)
_WORD = re.compile(r"[^\W_](?:[\w'’+/-]*[\w+])?")
_NEEDS_BRACES = re.compile(r",|(?:^|\s)and(?:\s|$)|^others$", re.IGNORECASE)


def bibtex(articles: Iterable[Article], marks: Marks | None = None) -> str:
    """The articles as a BibTeX file. A key is made of the article alone (``smith2020_123456``, with
    the PMID where there is one), so it is the same in every file; only where two would be equal a
    letter is added."""
    used: set[str] = set()
    return "".join(_entry(article, _unused(_key(article), used), marks) for article in articles)


def _entry(article: Article, key: str, marks: Marks | None) -> str:
    fields = (
        f",\n  {name} = {value}"
        for name, value in _fields(article, marks)
        if value not in ("", "{}")
    )
    return f"@{kind_of(article)[1]}{{{key}{''.join(fields)}\n}}\n\n"


def _fields(article: Article, marks: Marks | None) -> list[tuple[str, str]]:
    names = [_name(author) for author in article.authors if any(name_of(author))]
    names += [] if article.authors_complete or not names else ["others"]
    date = next(iter(date_parts(article)), ())
    ranges = (f"{one}--{last}" if last else one for one, last in page_ranges(article.pages))
    where = [
        ("journal", _text(article.journal or article.journal_abbreviation)),
        ("shortjournal", _text(article.journal_abbreviation)),
    ]
    if book := article.book:
        editors = (_name(editor) for editor in book.editors if any(name_of(editor)))
        where = [
            ("booktitle", "{" + _title(plain(book.title)) + "}"),
            ("editor", "{" + " and ".join(editors) + "}"),
            ("edition", _text(book.edition)),
            ("publisher", _text(book.publisher)),
            ("address", _text(book.place)),
            ("isbn", _text(book.isbn)),
        ]
    keywords = (keyword.replace(",", "") for keyword in keywords_of(article, marks))
    return [
        ("author", "{" + " and ".join(names) + "}"),
        ("title", "{" + _title(title_of(article)) + "}"),
        *where,
        ("year", f"{{{date[0]}}}" if date else ""),
        ("month", month_abbr[date[1]].lower() if len(date) > 1 else ""),
        ("volume", _text(article.volume)),
        ("number", _text(article.issue)),
        ("pages", _text(", ".join(ranges))),
        ("doi", _verbatim(doi_of(article))),
        ("pmid", _text(article.pmid)),
        ("pmcid", _text(article.pmcid)),
        ("url", _verbatim(article.url)),
        ("language", _text(", ".join(languages_of(article)))),
        ("abstract", _text(abstract_of(article))),
        ("keywords", _text(", ".join(keywords))),
        ("note", _text("; ".join(marks_of(article, marks)))),
    ]


def _text(text: str | None) -> str:
    return "{" + plain(text).translate(_ESCAPES) + "}"


def _verbatim(text: str) -> str:
    """An address or DOI unescaped; the few characters that could end the field or are no part of an
    address as %XX.
    """
    return "{" + re.sub(r"[{}\\\s]", lambda char: f"%{ord(char[0]):02X}", plain(text)) + "}"


def _title(title: str) -> str:
    """The title with braces around every word whose capitals a bibliography style must not lower:
    names and acronyms.
    """
    pieces: list[str] = []
    last = 0
    for word in _WORD.finditer(title):
        before = title[: word.start()].rstrip(" \"'“‘([")
        begins = not before or before.endswith((".", "?", "!", ":"))
        capitals = any(char.isupper() for char in (word[0][1:] if begins else word[0]))
        pieces.append(title[last : word.start()].translate(_ESCAPES))
        text = word[0].translate(_ESCAPES)
        pieces.append(f"{{{text}}}" if capitals else text)
        last = word.end()
    return "".join(pieces) + title[last:].translate(_ESCAPES)


def _name(author: Author) -> str:
    """``Last, Suffix, First``; a group, and a part that BibTeX would take to pieces, in braces."""
    last, fore, suffix = name_of(author)
    if not fore and not suffix:
        return last if last.isalpha() and not author.collective else _text(last)
    parts = (last, suffix, fore) if suffix else (last, fore)
    return ", ".join(
        _text(part) if _NEEDS_BRACES.search(part) else part.translate(_ESCAPES) for part in parts
    )


def _key(article: Article) -> str:
    family = _ascii(article.authors[0].last) if article.authors else ""
    words = [word for word in map(_ascii, article.title.split()) if len(word) > 3]
    return f"{family[:30] or 'anonymous'}{article.year or ''}_{_ascii(article.pmid or '') or (words[0] if words else 'untitled')}"  # noqa: E501


def _ascii(text: str) -> str:
    plainer = unicodedata.normalize(
        "NFKD", text.replace("ß", "ss").replace("ø", "o").replace("Ø", "O")
    )
    return "".join(char for char in plainer if char.isascii() and char.isalnum()).lower()


def _unused(key: str, used: set[str]) -> str:
    """``key``, or with the first letter (then two) after it that no earlier entry took."""
    letters = ["", *"abcdefghijklmnopqrstuvwxyz"]
    candidates = (key + first + second for first in letters for second in letters)
    found = next((one for one in candidates if one not in used), f"{key}_{len(used)}")
    used.add(found)
    return found


FORMAT = ReferenceFormat(
    "bibtex", "BibTeX", "for LaTeX", "bib", "application/x-bibtex; charset=utf-8", bibtex, order=2
)
