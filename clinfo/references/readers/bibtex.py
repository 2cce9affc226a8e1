"""BibTeX as records of values by name, as RIS and MEDLINE text are: macros put in, LaTeX's marks
and accents as characters.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from operator import attrgetter

from clinfo.pubmed.dates import month_name
from clinfo.records.articles import Article, Author
from clinfo.references.parts import OF_KIND
from clinfo.references.readers.tagged import Fields
from clinfo.references.record import Record, book_of, parted, record
from clinfo.text.identifiers import find_doi, named_pmid, read_pmid

BIBTEX = re.compile(r"(?:\ufeff|%[^\n]*\n|\s)*@\w+\s*[{(]")
DAMAGED = "\0"
"""The name under which an entry that cannot be parsed stands as it is written."""
GROUP = "\1"
"""Before a name in braces, which is no person's."""
OTHERS = "\2"
"""In place of the names that "and others" leaves out."""
_NAMES = ("author", "editor")
_PROSE = ("title", "booktitle", "journal", "journaltitle", "publisher", "abstract", "keywords")
_LONGEST = 100_000
"""Characters of a value beyond which no more parts are put to it."""
_BARE = re.compile(r"(?<!\\)%")
_ESCAPED = re.compile(r"\\([_&%#$~^{}-])")
_RAISED = re.compile(r"\\textsuperscript\s?\{(?=[^{}\\]{1,9}\})")
_ANGLES = re.compile(r"\\text(less|greater)(?:\{\}|\s+|\b)")
_BRACES = str.maketrans("", "", "{}")
_FIELD = re.compile(r"\s*([A-Za-z][\w-]*)\s*=\s*(?=\S)")
_SUM = re.compile(r"(?<!\\)\$(?=\d[\d.,]*\s?(?:[A-Za-z]{2}|[A-Za-z] [A-Za-z]{2}|[-–]+\\?\$|$))")
"""Dollars that are money, which LaTeX would have with a backslash."""
_LOWERED = re.compile(r"(?<=[^\W\d])_(?=\w)")
_LINE = "\3"
"""In place of a written underscore, which is no mark of what stands lower."""
_ACCENTS = str.maketrans("ˆ˜", "^~")
"""Signs that LaTeX has as accents alone, as they stand in a text."""


MOST_MARKS = 40_000
"""LaTeX's marks of a file that are put into characters, which takes some seconds; those of 500
records with abstracts come to half of it."""


def read_bibtex(text: str) -> Iterator[Fields]:
    """The entries, each with its kind under "" and its key under "key"; authors and editors one by
    one, "Last, First, Jr".
    """
    from bibtexparser.entrypoint import parse_string
    from bibtexparser.model import DuplicateBlockKeyBlock, Entry, ParsingFailedBlock

    logger = logging.getLogger("bibtexparser")
    level = logger.level
    logger.setLevel(logging.CRITICAL)  # what it complains of is kept as a block
    try:
        library = parse_string(text, parse_stack=())
    finally:
        logger.setLevel(level)
    decoded, macros = _Decoding(), dict[str, str]()
    for macro in library.strings:
        macros[macro.key.lower()] = _whole(str(macro.value), macros)[0]
    entries, read = dict[str, Fields](), list[Fields]()
    for block in library.blocks:
        found = Fields((block.start_line or 0) + 1)
        if isinstance(block, DuplicateBlockKeyBlock) and isinstance(
            block.ignore_error_block, Entry
        ):
            block = block.ignore_error_block
        if isinstance(block, Entry):
            found.values |= {"": [block.entry_type.lower()], "key": [block.key]}
            for one in block.fields:
                name, rest = one.key.lower(), str(one.value)
                while name:
                    value, rest = _whole(rest, macros)
                    found.values[name] = [*_values(name, value, decoded)]
                    after = _FIELD.match(rest)  # no comma stands before it
                    name, rest = (after[1].lower(), rest[after.end() :]) if after else ("", "")
            entries.setdefault(block.key.lower(), found)
        elif isinstance(block, ParsingFailedBlock):
            found.values[DAMAGED] = [block.raw or ""]
        read.append(found)
    for entry in filter(attrgetter("values"), read):
        whole = entries.get(entry.first("crossref").lower())
        held = {} if whole is None else {"booktitle": whole.all("title")} | whole.values
        held.pop("title", None)
        yield Fields(entry.line, held | entry.values)


def of_entry(entry: Fields) -> Record:
    if DAMAGED in entry.values:
        return Record(
            entry.line, Article("", ""), "this entry is no BibTeX, a brace may be missing"
        )
    book = entry.first("") in ("book", "inbook", "incollection", "inproceedings")
    noted = " ".join(entry.all("note", "annote", "url", "howpublished", "eprint", "extra"))
    day = entry.first("date").partition("/")[0] or " ".join(
        filter(None, (entry.first("year"), month_name(entry.first("month")).title()[:3]))
    )
    names = entry.all("author")
    eprint = "eprint" if entry.first("eprinttype").lower() == "pubmed" else ""
    found = record(
        entry.line,
        title=entry.first("title"),
        abstract=entry.first("abstract"),
        authors=[
            Author(one.removeprefix(GROUP), collective=True) if one.startswith(GROUP) else one
            for one in names
            if one != OTHERS
        ],
        journal="" if book else entry.first("journal", "journaltitle"),
        volume=entry.first("volume"),
        issue=entry.first("number", "issue"),
        pages=entry.first("pages", "eid", "article-number", "articleno").replace("--", "-"),
        dates=[day, entry.first("year")],
        pmid=read_pmid(entry.first("pmid", "pubmed", "pubmedid", eprint)) or named_pmid(noted),
        doi=find_doi(entry.first("doi")) or find_doi(noted),
        pmcid=entry.first("pmcid", "pmc"),
        languages=entry.all("language"),
        types=[OF_KIND.get(entry.first(""), "")],
        keywords=parted(entry.first("keywords"), ",;"),
        book=book_of(
            entry.first("booktitle"), entry.all("editor"), entry.first("edition"),
            entry.first("publisher"), entry.first("address", "location"), entry.first("isbn"),
        ) if book else None,
    )  # fmt: skip
    some = replace(found.article, authors_complete=False)
    return replace(found, article=some) if OTHERS in names else found


def _whole(written: str, macros: Mapping[str, str]) -> tuple[str, str]:
    """A value out of its braces, quotation marks or macros, also several joined by "#", and what
    stands behind it.
    """
    value, rest = "", written.lstrip()
    while rest and len(value) <= _LONGEST:  # macros of macros may make any length
        end = _closing(rest)
        if end:
            value += rest[1:end]
        else:
            end = (rest + "#").index("#") - 1
            value += macros.get(rest[: end + 1].strip().lower(), rest[: end + 1].strip())
        rest = rest[end + 1 :].lstrip()
        if not rest.startswith("#"):
            break
        rest = rest[1:].lstrip()
    return value, rest


def _closing(text: str) -> int:
    """The place of the mark that closes the one at the beginning of a text; 0 without one."""
    depth = 0
    for at, char in enumerate(text if text[:1] in ("{", '"') else ""):
        depth += (char == "{") - (char == "}")
        if at and depth == 0 and char == ('"' if text[0] == '"' else "}"):
            return at
    return 0


def freed(text: str) -> str:
    """A value without LaTeX's escapes and braces."""
    return _ESCAPED.sub(r"\1", text).translate(_BRACES)


def _values(name: str, value: str, decoded: _Decoding) -> Iterator[str]:
    from bibtexparser.middlewares.names import (
        parse_single_name_into_parts,
        split_multiple_persons_names,
    )

    if name not in _NAMES:
        yield decoded(value) if name in _PROSE else freed(value)
        return
    for each in split_multiple_persons_names(" ".join(value.split())):
        if each.startswith("{") and each.find("}") == len(each) - 1:
            yield GROUP + decoded(each)
        elif each == "others":
            yield OTHERS
        else:
            parts = parse_single_name_into_parts(each, strict=False)
            last = " ".join((*parts.von, *parts.last))
            named = (last, " ".join(parts.first), " ".join(parts.jr))
            yield ", ".join(filter(None, map(decoded, named)))


class _Decoding:
    """LaTeX as characters, as long as a file has not had more of it than anybody writes."""

    def __init__(self) -> None:
        self._left = MOST_MARKS

    def __call__(self, value: str) -> str:
        marks = sum(map(value.count, "\\${"))
        if marks > self._left:
            return " ".join(freed(value).split())
        self._left -= marks
        return _decoded(value)


def _decoded(value: str) -> str:
    from pylatexenc.latex2text import LatexNodes2Text

    value = _SUM.sub(r"\\$", value.replace(r"^{\circ}", "°").replace(r"^\circ", "°")).replace(
        r"\_", _LINE
    )
    math = "$" in value.replace(r"\$", "")
    value = _RAISED.sub("^{", _BARE.sub(r"\\%", value))  # 10^6 is not 106
    value = _ANGLES.sub(lambda sign: "<" if sign[1] == "less" else ">", value)
    value = value.replace(r"\textbraceleft", r"\{").replace(r"\textbraceright", r"\}")
    if not {*"\\$~{}"}.isdisjoint(value) or "--" in value:
        with suppress(RecursionError):  # nested so deeply that nobody wrote it
            value = LatexNodes2Text().latex_to_text(value).translate(_ACCENTS)
    value = _LOWERED.sub("", value) if math else value  # H$_2$O is H2O
    return " ".join(value.replace(_LINE, "_").split())
