"""The sentences of an answer and the articles they cite: what judges are asked about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.running.records import Record
from clinfo.events import ArticlesChased, ArticlesFetched, loads
from clinfo.records import PROGRAM, Article
from clinfo.text.citations import citation_marks
from clinfo.text.sentences import sentences


@dataclass(frozen=True)
class Claim:
    """A sentence without its citation marks, the part it stands in (synthesis or tldr), and the numbers of what it cites."""

    part: str
    text: str
    cites: tuple[int, ...]


def claims(record: Record) -> tuple[Claim, ...]:
    """The sentences to judge: of the answer's own list where it has one, else as its texts are split here."""
    if record.answer is not None and record.answer.get("sentences"):
        return tuple(
            Claim(form["in"], without_marks(form["text"]), tuple(form["cites"]))
            for form in record.answer["sentences"]
            if not _of_the_program(form)
        )
    return tuple(
        Claim(part, without_marks(text), tuple(dict.fromkeys(number for mark in citation_marks(text) for number in mark.numbers)))
        for part, whole in (("synthesis", record.synthesis), ("tldr", record.tldr))
        for text in sentences(whole)
    )


def _of_the_program(sentence: Mapping[str, Any]) -> bool:
    return bool(sentence.get("counts_only")) or tuple(sentence.get("judges", ())) == (PROGRAM,)


def without_marks(text: str) -> str:
    """``text`` without its citation marks and the spaces and commas that stood before them."""
    kept, at = [], 0
    for mark in citation_marks(text):
        kept.append(text[at : mark.start].rstrip(" ,"))
        at = mark.end
    return "".join([*kept, text[at:]]).strip()


def cited_articles(record: Record, root: Path) -> dict[int, Article] | None:
    """The articles behind an answer's reference numbers, from the events of its run under ``root``; None where there are no events.

    References that the events do not hold are left out.
    """
    path = record.cell.path(root, "events", ".jsonl")
    if record.answer is None or not path.exists():
        return None
    by_id: dict[str, Article] = {}
    with path.open(encoding="utf-8") as file:
        for event in loads(file):
            if isinstance(event, ArticlesFetched | ArticlesChased):
                by_id.update((article.id, article) for article in event.articles)
    return {form["n"]: by_id[form["id"]] for form in record.answer["references"] if form["id"] in by_id}
