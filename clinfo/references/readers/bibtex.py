"""BibTeX: macros put in, LaTeX's marks and accents as characters."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress

from clinfo.pubmed.dates import month_name
from clinfo.records.articles import Article
from clinfo.references.parts import OF_KIND, plain
from clinfo.references.readers.tagged import Fields
from clinfo.references.record import Reader, Record, book_of, parted, record
from clinfo.text.identifiers import find_doi, named_pmid, read_pmid

_NAMES = ("author", "editor")
_PROSE = (
    *("title", "subtitle", "booktitle", "journal", "journaltitle"),
    *("publisher", "abstract", "keywords"),
)
_RAW_TITLE = re.compile(
    r"\btitle\s{0,9}=\s{0,9}[{\"]{1,3}([^{}\"\n]{1,300}?)(?:,\s{0,9}\w{1,20}\s{0,9}=|[{}\"\n])",
    re.IGNORECASE,
)
_RAW_PMID = re.compile(r"\bpmid\s{0,9}=\s{0,9}[{\"]?\s{0,3}([0-9]{1,8})\b", re.IGNORECASE)
_NO_KEY = re.compile(r"^@(?!string|comment)\w+\s*[{(]\s*(?=\w+\s*=\s*[{\"\w])", re.M | re.I)
"""An entry that begins with its first field; parsers want a key before it."""
_SHOWN = 200
_LONGEST = 100_000
"""Characters of a value beyond which no more parts are put to it."""
_BARE = re.compile(r"(?<!\\)([%&])")
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


def bibtex_records(text: str) -> Iterator[Record]:
    """The entries; of one that is damaged what can be told of it."""
    from bibtexparser.entrypoint import parse_string
    from bibtexparser.model import DuplicateBlockKeyBlock, Entry, ParsingFailedBlock

    logger = logging.getLogger("bibtexparser")
    level = logger.level
    logger.setLevel(logging.CRITICAL)  # what it complains of is kept as a block
    try:
        library = parse_string(_NO_KEY.sub(r"\g<0>-,", text), parse_stack=())
    finally:
        logger.setLevel(level)
    decoded, macros = _Decoding(), dict[str, str]()
    for macro in library.strings:
        macros[macro.key.lower()] = _whole(str(macro.value), macros)[0]
    entries, read = dict[str, Fields](), list[Fields | Record]()
    for block in library.blocks:
        line = (block.start_line or 0) + 1
        held = block.ignore_error_block if isinstance(block, DuplicateBlockKeyBlock) else block
        if isinstance(held, Entry):
            found = Fields(line, {"": [held.entry_type.lower()]})
            for one in held.fields:
                name, rest = one.key.lower(), str(one.value)
                while name:
                    value, rest = _whole(rest, macros)
                    found.values[name] = [*_values(name, value, decoded)]
                    after = _FIELD.match(rest)  # no comma stands before it
                    name, rest = (after[1].lower(), rest[after.end() :]) if after else ("", "")
            entries.setdefault(held.key.lower(), found)
            read.append(found)
        elif isinstance(block, ParsingFailedBlock):
            read.append(_damaged(line, block.raw or ""))
    for entry in read:
        yield (
            entry
            if isinstance(entry, Record)
            else _of_entry(entry, entries.get(entry.first("crossref").lower()))
        )


def _damaged(line: int, raw: str) -> Record:
    """An entry that cannot be parsed, with its title and numbers as far as they stand in it."""
    title, pmid = _RAW_TITLE.search(raw), _RAW_PMID.search(raw)
    named = pmid[1] if pmid else named_pmid(raw)
    told = plain(title[1] if title else raw[:_SHOWN])
    article = Article("", told, named, doi=find_doi(freed(raw)) or None)
    return Record(line, article, "this entry is no BibTeX, a brace may be missing")


def _of_entry(one: Fields, whole: Fields | None) -> Record:
    """An entry with what it lacks from the one that it stands in."""
    if whole is not None:
        held = {name: text for name, text in whole.values.items() if name != "title"}
        one = Fields(one.line, {"booktitle": whole.all("title")} | held | one.values)
    kind = one.first("")
    book = kind in ("book", "inbook", "incollection", "inproceedings")
    noted = " ".join(
        one.all("note", "annote", "annotation", "url", "howpublished", "eprint", "extra")
    )
    day = one.first("date").partition("/")[0] or " ".join(
        filter(None, (one.first("year"), month_name(one.first("month").replace("~", " "))))
    )
    numbered = "pubmed" in " ".join(one.all("eprinttype", "archiveprefix")).lower()
    eprint = one.first("eprint") if numbered else ""
    return record(
        one.line,
        title=": ".join(filter(None, (one.first("title"), one.first("subtitle")))),
        abstract=one.first("abstract"),
        authors=one.all("author"),
        journal="" if book else one.first("journal", "journaltitle"),
        volume=one.first("volume"),
        issue=one.first("number", "issue"),
        pages=one.first("pages", "eid", "article-number", "articleno").replace("--", "-"),
        dates=[day, one.first("year")],
        pmid=read_pmid(one.first("pmid", "pubmed", "pubmedid") or eprint) or named_pmid(noted),
        doi=find_doi(one.first("doi")) or find_doi(noted),
        pmcid=one.first("pmcid", "pmc"),
        languages=one.all("language", "langid"),
        types=[OF_KIND.get(kind, "")],
        keywords=parted(one.first("keywords"), ",;"),
        book=book_of(
            one.first("booktitle"), one.all("editor"), one.first("edition"),
            one.first("publisher"), one.first("address", "location"), one.first("isbn"),
        ) if book else None,
    )  # fmt: skip


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
    value = " ".join(value.split())
    for each in split_multiple_persons_names(
        value if " and " in value else value.replace(";", " and ")
    ):
        if each.startswith("{") and each.find("}") == len(each) - 1:
            yield f"{{{decoded(each)}}}"  # is no person's
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
    value = _RAISED.sub("^{", _BARE.sub(r"\\\1", value))  # 10^6 is not 106
    value = _ANGLES.sub(lambda sign: "<" if sign[1] == "less" else ">", value)
    value = value.replace(r"\textbraceleft", r"\{").replace(r"\textbraceright", r"\}")
    if not {*"\\$~{}"}.isdisjoint(value) or "--" in value:
        with suppress(RecursionError):  # nested so deeply that nobody wrote it
            value = LatexNodes2Text().latex_to_text(value).translate(_ACCENTS)
    value = _LOWERED.sub("", value) if math else value  # H$_2$O is H2O
    return " ".join(value.replace(_LINE, "_").split())


READER = Reader(
    "BIBTEX", lambda text: re.match(r"(?:%[^\n]*\n|\s)*@\w+\s*[{(]", text), bibtex_records
)
