"""The references of an external system: their numbers, and what the run's source holds of them.

A reference has the number that it states as "n", a whole number from 1, else that of its place in
the list, from 1. Of several that state one number the first has it and the others have none; so has
one whose place's number another states. Whatever has no number, or no PMID, is no article that a
sentence could cite.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.pubmedrs200.running.folder import write_text
from benchmarks.pubmedrs200.running.records import Cell, Record
from clinfo.errors import RecordError, UsageError
from clinfo.pipelines.literature.events import ArticlesFetched, loads
from clinfo.records.articles import Article
from clinfo.runs.events import dumps

FOLDER: Final = "cited"


def numbered(references: Iterable[Mapping[str, Any]]) -> dict[int, Mapping[str, Any]]:
    """References by number; those without one are left out."""
    listed = list(references)
    stated: dict[int, Mapping[str, Any]] = {}
    for one in listed:
        if _states_number(one):
            stated.setdefault(one["n"], one)
    placed = {
        place: one
        for place, one in enumerate(listed, 1)
        if place not in stated and not _states_number(one)
    }
    return stated | placed


def _states_number(reference: Mapping[str, Any]) -> bool:
    number = reference.get("n")
    return isinstance(number, int) and not isinstance(number, bool) and number >= 1


def pmids(references: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """The PMIDs of references, each once, in order."""
    return tuple(dict.fromkeys(one["pmid"] for one in references if one["pmid"] is not None))


def write_articles(root: Path, cell: Cell, held: Mapping[str, Article | None]) -> None:
    """Write what the source holds under the PMIDs of a cell's references, None where it holds
    nothing.
    """
    articles = tuple(article for article in held.values() if article is not None)
    missing = tuple(f"pmid:{pmid}" for pmid, article in held.items() if article is None)
    write_text(
        _path(root, cell), dumps(ArticlesFetched(seq=0, articles=articles, missing=missing)) + "\n"
    )


def remove_articles(root: Path, cell: Cell) -> None:
    """Remove what `write_articles` wrote of an answer whose record a kill kept from being written:
    the next may be another one.
    """
    _path(root, cell).unlink(missing_ok=True)


def load_articles(root: Path, cell: Cell) -> ArticlesFetched | None:
    """Return what `write_articles` wrote; None where the source was not asked. Raises UsageError
    for a file that holds something else.
    """
    path = _path(root, cell)
    try:
        events = list(loads(path.read_text(encoding="utf-8").split("\n")))
    except FileNotFoundError:
        return None
    except (UnicodeDecodeError, RecordError) as error:
        raise UsageError(f"{path}: not the articles of an answer ({str(error)[:200]})") from None
    if len(events) != 1 or not isinstance(events[0], ArticlesFetched):
        raise UsageError(f"{path}: not the articles of an answer")
    return events[0]


def read_articles(root: Path, cell: Cell) -> ArticlesFetched | None:
    """As `load_articles`; None too where there is no file that can be read (a disk that was full, a
    machine that lost power).
    """
    try:
        return load_articles(root, cell)
    except UsageError:
        return None


def are_lacking(root: Path, record: Record) -> bool:
    """Return whether the source has still to be asked for the articles of a command's record."""
    return (
        record.status == "answered"
        and record.answer is not None
        and read_articles(root, record.cell) is None
    )


def not_held(references: Sequence[Mapping[str, Any]], fetched: ArticlesFetched) -> int:
    """Return how many references have a PMID under which the source holds nothing."""
    known = {article.pmid for article in fetched.articles}
    return sum(one["pmid"] is not None and one["pmid"] not in known for one in references)


def _path(root: Path, cell: Cell) -> Path:
    return cell.path(root, FOLDER, ".jsonl")
