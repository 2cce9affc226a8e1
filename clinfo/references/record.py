"""A record of another program as an article: what every format has, brought into one form."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final

from clinfo.pubmed.dates import month_name, read_interval
from clinfo.records.articles import Article, Author, Book, Correction, DateInterval, Section
from clinfo.references.parts import plain
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
    text = re.sub(
        r"/?([^\W\d_]+)/?",
        lambda one: one[0].replace(one[1], month_name(one[1])).replace("/", " "),
        text,
    )
    found = _NUMBERS.match(text)
    if found and (found[2] or len(text.strip("/")) == 4):
        year, month, day = (part or "" for part in found.groups())
        text = " ".join(filter(None, (year, month_name(month), day.lstrip("0"))))
    held = read_interval(text)
    if held is None or re.match(r"\d{4}(?:[\s-](?!\d\d?[-/\s])|$)", text):
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


SHORT_NAME = re.compile(r"[^,]+\s(?:[A-ZÀ-ÖØ-Þ]\.?[- ]?){1,5}(?:\s(?:Jr|Sr|\dnd|\drd|III|IV))?")
INITIALS = re.compile(r"(?:[A-ZÀ-ÖØ-Þ][-. ]{0,2}){1,4}")
_GROUPS: Final = frozenset(
    {
        "association", "collaboration", "collaborative", "collaborators", "committee", "consortium",
        "council", "foundation", "group", "initiative", "institute", "investigators", "network",
        "organization", "society", "team",
    }
)  # fmt: skip
"""Last words of names that are no person's; EndNote has a comma after such a name."""
_IN_GROUPS: Final = _GROUPS | {
    "academy", "agency", "alliance", "center", "centers", "centre", "college", "commission",
    "department", "federation", "for", "force", "hospital", "ministry", "of", "office", "on",
    "panel", "program", "programme", "registry", "study", "the", "trialists", "union", "university",
}  # fmt: skip
_OTHERS = re.compile(r"(?:and )?(?:et al|others)\.?", re.IGNORECASE)
NOTHING = re.compile(
    r"\W*(?:anonymous|anon|n/?a|nan|null|none|no (?:abstract|author\w*)\b.{0,30}"
    r"|abstract (?:is )?not\b.{0,20})\W*",
    re.IGNORECASE,
)
"""What programs write where there is no author or no abstract."""
_SUFFIX = re.compile(r"(?:Jr|Sr|2nd|3rd|II|III|IV)\.?", re.IGNORECASE)


def people_of(named: Iterable[str | Author]) -> Iterator[Author]:
    read = (one if isinstance(one, Author) else person(one) for one in named)
    return filter(None, read)


def names_in(written: str) -> list[str]:
    """The names in an author's field, which some programs fill with all of them; "" for those that
    "et al." leaves out, none for nobody's.
    """
    if written.startswith("{"):  # a group's, which is not to be divided
        return [written]
    if written.startswith(("['", '["')):  # a list of a program's
        return re.split(r"['\"],\s*['\"]", written.strip("[]'\""))
    written = re.sub(r"\s*\([^()]*\)$", "", written)
    names = [each for name in parted(written) if name for each in _divided(name)]
    return [
        "" if _OTHERS.fullmatch(name) else name for name in names if not NOTHING.fullmatch(name)
    ]


def _divided(names: str) -> list[str]:
    """The names between commas and "and": "Smith, J, Doe, A", "Smith J, Doe A", "Ann Smith, Al Doe
    and Jo Roe", "Smith, Ann and Doe, Al".
    """
    parts = re.split(r"\s*,\s*(?:(?:&|and)\s+)?|\s+(?:&|and)\s+", names.strip(" ,"))
    if len(parts) > 3 and len(parts) % 2 == 0 and are_initials(parts[1::2]):
        return [", ".join(pair) for pair in zip(parts[::2], parts[1::2], strict=True)]
    if all(map(SHORT_NAME.fullmatch, parts)) or (
        len(parts) > 2 and all(" " in one for one in parts)
    ):
        return parts
    return re.split(r",?\s+and\s+", names) if "," in names.partition(" and ")[0] else [names]


def person(name: str) -> Author | None:
    """A person of "Smith, John A, Jr", "van Smith JA Jr", "J. A. Smith" or "Jane Smith"."""
    if name.startswith("{") and name.find("}") == len(name) - 1:
        return Author(name[1:-1], collective=True)
    last, *rest = (part.strip() for part in name.split(","))
    said, known = last.lower().split(), _GROUPS if any(rest) else _IN_GROUPS
    if " " in last and ((rest and not any(rest)) or not known.isdisjoint(said)):
        return Author(", ".join(filter(None, (last, *rest))), collective=True)
    suffixes = [part for part in rest if len(rest) > 1 and _SUFFIX.fullmatch(part)]
    suffix = suffixes[-1] if suffixes else None
    rest = [part for part in rest if part not in suffixes and "@" not in part]
    fore = " ".join(rest)
    words = last.split()
    ending = not rest and len(words) > 2 and _SUFFIX.fullmatch(words[-1])
    if ending and (INITIALS.fullmatch(words[-2]) or not words[-1].isupper()):
        suffix = words.pop()  # but "van Roe JR" has initials
    if not rest and len(words) > 1:
        ends = next((n for n in range(1, len(words)) if are_initials(words[n:])), None)
        if ends is None and words[0].islower():  # "van der Merwe Jane"
            ends = next((n for n, word in enumerate(words, 1) if not word.islower()), None)
        begins = next((n for n, word in enumerate(words) if n and word.islower()), -1)
        last, fore = (
            " ".join(words[:ends] if ends else words[begins:]),
            " ".join(words[ends:] if ends else words[:begins]),
        )
    elif fore and len(words) > 1 and _SUFFIX.fullmatch(words[-1]):
        last, suffix = " ".join(words[:-1]), words[-1]
    elif " " in fore and not suffix and _SUFFIX.fullmatch(fore.split()[-1]):  # MEDLINE's FAU
        fore, _, suffix = fore.rpartition(" ")
    if not last:
        return Author(fore) if fore else None
    initials = "".join(re.findall(r"[^\W\d_]", fore))
    if not INITIALS.fullmatch(fore):
        initials = "".join(re.findall(r"(?<![^\s.\-])[^\W\d_]", fore))
        return Author(last, fore or None, initials or None, suffix)
    return Author(last, None, initials, suffix)


def are_initials(words: Sequence[str]) -> bool:
    return all(map(INITIALS.fullmatch, words))
