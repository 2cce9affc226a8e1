"""The demo corpus: real trials on a few clinical questions, so that the chain can be tried without
any network.

Bibliographic fields are those of the real records. The abstracts were rewritten for this project
from the facts and figures of the real ones. Each file of ``demo_corpus/`` is one question with its
articles:

    question = "…?"
    [[article]]
    pmid, title, authors = ["Last, Fore Names[, Suffix]"], journal, journal_abbreviation, year, volume, pages, doi
    month, issue, groups = ["…"], databank_numbers = ["…"]        where the record has them
    [[article.section]]
    label, text                                                   NLM's label of the section; white space is folded
"""  # noqa: E501

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Literal

import msgspec

from clinfo.errors import RecordError
from clinfo.learned_types import learned
from clinfo.pubmed.dates import month_name, read_interval
from clinfo.records.articles import Article, Author, Section

NOTICE = (
    "This comes from a small demonstration corpus: the articles are real, but their "
    "abstracts were rewritten for "
    "this project, so check every statement in the original and do not base decisions on it."
)

_Text = Annotated[str, msgspec.Meta(pattern=r"\S")]


class _Section(msgspec.Struct, forbid_unknown_fields=True):
    label: Literal["BACKGROUND", "OBJECTIVE", "METHODS", "RESULTS", "CONCLUSIONS"]
    text: _Text


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    """One ``[[article]]`` as written."""

    pmid: Annotated[str, msgspec.Meta(pattern=r"^[1-9]\d*$")]
    title: _Text
    authors: list[Annotated[str, msgspec.Meta(pattern=r"^[^,]+, [^,]+(, [^,]+)?$")]]
    journal: _Text
    journal_abbreviation: _Text
    year: Annotated[int, msgspec.Meta(ge=1800, le=2100)]
    volume: _Text
    pages: _Text
    doi: Annotated[str, msgspec.Meta(pattern=r"^10\.\d+/\S+$")]
    section: Annotated[list[_Section], msgspec.Meta(min_length=1)]
    month: Annotated[int, msgspec.Meta(ge=1, le=12)] | None = None
    issue: _Text | None = None
    groups: list[_Text] = msgspec.field(default_factory=list)
    databank_numbers: list[_Text] = msgspec.field(default_factory=list)


def load() -> tuple[Article, ...]:
    """All articles, file by file in the order of their names. Raises RecordError."""
    return tuple(article for _, articles in _corpus() for article in articles)


def questions() -> tuple[str, ...]:
    """The clinical questions that the corpus has articles on, one a file. Raises RecordError."""
    return tuple(question for question, _ in _corpus())


def read(name: str, text: str) -> tuple[str, tuple[Article, ...]]:
    """Question and articles of one file of the corpus. Raises RecordError naming the file and the
    article at fault.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise RecordError(f"demo corpus, {name}: {error}") from error
    question, entries = table.get("question"), table.get("article")
    if not isinstance(question, str) or not question.strip():
        raise RecordError(f"demo corpus, {name}: the question is missing")
    if not isinstance(entries, list) or not entries:
        raise RecordError(f"demo corpus, {name}: there is no article")
    if unknown := sorted(table.keys() - {"question", "article"}):
        raise RecordError(f"demo corpus, {name}: unknown field {unknown[0]}")
    return question, tuple(
        _article(name, number, entry) for number, entry in enumerate(entries, start=1)
    )


@cache
def _corpus() -> tuple[tuple[str, tuple[Article, ...]], ...]:
    folder = files("clinfo.sources") / "demo_corpus"
    found = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".toml")),
        key=lambda file: file.name,
    )
    return tuple(read(file.name, file.read_text(encoding="utf-8")) for file in found)


def _article(name: str, number: int, entry: Any) -> Article:
    try:
        fields = msgspec.convert(entry, learned(_Entry))
    except msgspec.ValidationError as error:
        pmid = entry.get("pmid") if isinstance(entry, dict) else None
        raise RecordError(
            f"demo corpus, {name}, article {number} (PMID {pmid or 'missing'}): {error}"
        ) from error
    return Article(
        id=f"pmid:{fields.pmid}",
        pmid=fields.pmid,
        title=fields.title,
        sections=tuple(
            Section(" ".join(part.text.split()), part.label, part.label) for part in fields.section
        ),
        authors=(
            *map(_author, fields.authors),
            *(Author(group, collective=True) for group in fields.groups),
        ),
        journal=fields.journal,
        journal_abbreviation=fields.journal_abbreviation,
        volume=fields.volume,
        issue=fields.issue,
        pages=fields.pages,
        published=read_interval(f"{fields.year} {month_name(str(fields.month or ''))}"),
        doi=fields.doi,
        languages=("eng",),
        databank_numbers=tuple(fields.databank_numbers),
    )


def _author(written: str) -> Author:
    """A person from "Last, Fore Names[, Suffix]"; initials keep the case of the names, as NLM's do
    (Wim van den: Wvd).
    """
    last, fore, *suffix = written.split(", ")
    initials = "".join(re.findall(r"(?<![^\s.\-])[^\W\d_]", fore))
    return Author(last, fore, initials, suffix[0] if suffix else None)
