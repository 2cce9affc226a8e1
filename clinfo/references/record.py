"""A record of another program as an article: what every format has, brought into one form."""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final

from clinfo.pubmed.dates import month_name, read_interval
from clinfo.records.articles import Article, Author, Book, Correction, DateInterval, Section
from clinfo.references.parts import plain
from clinfo.references.people import NOTHING, names_in, people_of
from clinfo.text.languages import code_of
from clinfo.text.markup import unmarked

_NUMBERS = re.compile(
    r"(\d{4})(?:[/-](0?[1-9]|1[0-2])(?:[/-](\d{1,2}))?(?!\d))?(?![/-]\d|\d)", re.ASCII
)
_HEADED = re.compile(r"(?:Abstract|ABSTRACT)\W{0,2}\s(?=[^\W\d_a-zß-ÿ])")
"""The heading above an abstract."""
_LABEL = re.compile(r"(?:^|(?<=[.?!)\]] ))([A-Z][A-Z][A-Z /&,()'-]{2,60}): (?=\S)")
_HYPHENS: Final = str.maketrans(dict.fromkeys("‐‑–—", "-"))
NOTED = re.compile(r"\s*(?:<p>)?PMID\s*:?\s*(\d{1,8})\b", re.IGNORECASE)


_NOTHING_READ: Final = Article("", "")


@dataclass(frozen=True)
class Record:
    """What stands at a line (from 1) as an article without an id, or what is wrong with it."""

    line: int
    article: Article = _NOTHING_READ
    fault: str = ""


@dataclass(frozen=True)
class Reader:
    """A form by its name: whether a text, its lines parted by \\n, is of it, and its records."""

    name: str
    reads: Callable[[str], object]
    records: Callable[[str], Iterable[Record]]


def record(
    at: int,
    *,
    title: str,
    abstract: str,
    authors: Iterable[str | Author],
    journal: str,
    volume: str,
    issue: str,
    pages: str,
    dates: Sequence[str],
    pmid: str | None,
    doi: str,
    pmcid: str,
    languages: Iterable[str],
    types: Iterable[str],
    keywords: Iterable[str],
    abbreviation: str = "",
    groups: Iterable[str] = (),
    electronic: str = "",
    entered: str = "",
    mesh: Iterable[str] = (),
    databanks: Iterable[str] = (),
    status: str = "",
    corrections: tuple[Correction, ...] = (),
    book: Book | None = None,
) -> Record:
    text = plain(unmarked(abstract))
    text = "" if NOTHING.fullmatch(text) else _HEADED.sub("", text)
    number = re.search(r"PMC\d{1,9}", pmcid)
    named = [
        name
        for written in authors
        for name in ([written] if isinstance(written, Author) else names_in(plain(written)))
    ]
    people = [*people_of(named)]
    people += [Author(plain(name), collective=True) for name in groups if plain(name)]
    article = Article(
        "",
        plain(unmarked(title)),
        pmid,
        sections=_sections(text),
        authors=tuple(people),
        authors_complete="" not in named,
        journal=plain(journal) or None,
        journal_abbreviation=plain(abbreviation) or None,
        volume=plain(volume) or None,
        issue=plain(issue) or None,
        pages=plain(pages.translate(_HYPHENS)) or None,
        published=next(filter(None, map(_interval, dates)), None),
        electronic=_day(electronic),
        entered=_day(entered),
        doi=doi or None,
        pmcid=number[0] if number else None,
        languages=_each(map(code_of, languages)),
        publication_types=_each(types),
        mesh=_each(mesh),
        keywords=_each(keywords),
        databank_numbers=_each(databanks),
        corrections=corrections,
        status=plain(status) or None,
        book=book,
    )
    return Record(at, article)


def book_of(
    title: str,
    editors: Iterable[str | Author],
    edition: str,
    publisher: str,
    place: str,
    isbn: str,
) -> Book:
    people = tuple(people_of(one if isinstance(one, Author) else plain(one) for one in editors))
    return Book(
        plain(title) or None, people, plain(edition) or None, plain(publisher) or None,
        plain(place) or None, plain(isbn) or None,
    )  # fmt: skip


def _sections(abstract: str) -> tuple[Section, ...]:
    """The sections of an abstract on one line, as far as it begins with a label in capitals."""
    first, *parts = _LABEL.split(abstract)
    if first or not parts:
        return (Section(abstract),) if abstract else ()
    return tuple(
        Section(text.strip(), label)
        for label, text in zip(parts[::2], parts[1::2], strict=True)
        if text.strip()
    )


def parted(text: str, at: str = ";") -> list[str]:
    return re.split(rf"\s*[{at}]\s*", text)


def _each(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for one in texts if (text := plain(one))))


def _interval(text: str) -> DateInterval | None:
    """The days of "2019/05/12/", "2019-05", "2019" or a date as PubMed prints it."""
    text = re.sub(r"^(\d{4})(\d\d)(\d\d)$", r"\1/\2/\3", plain(text))
    text = re.sub(r"/(?=[^\W\d])|(?<=[^\W\d])/", " ", text)
    found = _NUMBERS.match(text)
    if found and (found[2] or len(text.strip("/")) == 4):
        year, month, day = (part or "" for part in found.groups())
        text = " ".join(filter(None, (year, month_name(month), day.lstrip("0"))))
    held = read_interval(text)
    if held is None or re.match(r"\d{4}(?:[\s-](?!\d\d[-/])|$)", text):
        return held
    return replace(held, text=_printed(held.start, held.end) or text)


def _printed(start: date, end: date) -> str:
    """An interval of one day, of whole months or of years, as PubMed prints it; "" of another."""
    first, last = (f"{day:%Y} {month_name(str(day.month))}" for day in (start, end))
    if start == end:
        return f"{first} {start.day}"
    if start.day > 1 or (end + timedelta(1)).day > 1:
        return ""
    if (start.month, end.month) == (1, 12):
        return "-".join(dict.fromkeys((str(start.year), str(end.year))))
    return first if first == last else f"{first}-{last.removeprefix(f'{start.year} ')}"


def _day(text: str) -> date | None:
    with suppress(ValueError):
        return date.fromisoformat(text)
    return None
