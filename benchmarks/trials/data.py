"""The sets that the trials pipeline is measured on.

A folder holds `articles.jsonl.gz` (pmcid, title, text), `questions.jsonl.gz` (pmcid, outcome,
intervention, comparator, gold, spans), `numbers.jsonl.gz` (what each arm's numbers are) and
`number_texts.jsonl.gz` (abstract and results of those papers, as JATS fragments).
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clinfo.errors import UsageError
from clinfo.retrieval.documents import Asked, Document, Span
from clinfo.retrieval.readers.plain import of_text


@dataclass(frozen=True)
class Question:
    """A physician's question about one trial: ``gold`` is increase, decrease, no_difference or "",
    ``spans`` the marked evidence in the paper's text.
    """

    id: str
    paper: str
    asked: Asked
    gold: str
    spans: tuple[Span, ...]


def papers(folder: Path) -> dict[str, Document]:
    """The articles by their PMC number."""
    return {
        row["pmcid"]: of_text(row["text"], f"pmcid:PMC{row['pmcid']}", title=row["title"])
        for row in rows(folder, "articles")
    }


def questions(folder: Path) -> list[Question]:
    """The questions, in the file's order."""
    return [
        Question(
            row["prompt_id"],
            row["pmcid"],
            Asked("", row["outcome"], row["intervention"], row["comparator"]),
            row["gold"] or "",
            tuple((span["start"], span["end"]) for span in row["spans"] or ()),
        )
        for row in rows(folder, "questions")
    ]


def rows(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """The rows of one of the folder's files. Raises UsageError where it cannot be read."""
    try:
        with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
            yield from map(json.loads, file)
    except (OSError, EOFError, ValueError) as error:
        raise UsageError(f"{folder / name}.jsonl.gz cannot be read: {error}") from None
