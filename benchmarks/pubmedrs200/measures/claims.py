"""The sentences of an answer and the articles they cite: what judges are asked about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.pubmedrs200.running.records import Record
from benchmarks.pubmedrs200.running.references import load_articles, numbered
from clinfo.pipelines.literature.events import ArticlesChased, ArticlesFetched, loads
from clinfo.records.articles import PROGRAM, Article
from clinfo.text.citations import citation_marks
from clinfo.text.sentences import sentences


@dataclass(frozen=True)
class Claim:
    """A sentence without its citation marks, the part it stands in (synthesis or tldr), and the
    numbers of what it cites.
    """

    part: str
    text: str
    cites: tuple[int, ...]


def claims(record: Record, *, of_chain: bool) -> tuple[Claim, ...]:
    """The sentences to judge.

    Those of a chain (``of_chain``) are in the answer's own list of sentences, which this program
    wrote. Whatever an external system lists is its own word on what is to be judged, so its texts
    are split here and their citation marks read.
    """
    if of_chain:
        return tuple(
            Claim(form["in"], without_marks(form["text"]), tuple(dict.fromkeys(form["cites"])))
            for form in _listed(record)
            if not _of_the_program(form)
        )
    return tuple(
        Claim(
            part,
            without_marks(text),
            tuple(
                dict.fromkeys(number for mark in citation_marks(text) for number in mark.numbers)
            ),
        )
        for part, whole in (("synthesis", record.synthesis), ("tldr", record.tldr))
        for text in sentences(whole)
    )


def set_apart(record: Record, *, of_chain: bool) -> float | None:
    """The share of an answer's sentences that no judge is asked about: those of a chain that it
    added, or that only count studies.

    0 where texts are split here; None without any sentence.
    """
    if of_chain:
        listed = _listed(record)
        return sum(map(_of_the_program, listed)) / len(listed) if listed else None
    return 0.0 if claims(record, of_chain=False) else None


def _listed(record: Record) -> Sequence[Mapping[str, Any]]:
    return record.answer["sentences"] if record.answer is not None else ()


def _of_the_program(sentence: Mapping[str, Any]) -> bool:
    return sentence.get("counts_only") is True or sentence.get("judges") == [PROGRAM]


def without_marks(text: str) -> str:
    """``text`` without its citation marks and the spaces and commas that stood before them."""
    kept, at = [], 0
    for mark in citation_marks(text):
        kept.append(text[at : mark.start].rstrip(" ,"))
        at = mark.end
    return "".join([*kept, text[at:]]).strip()


def cited_articles(record: Record, root: Path) -> dict[int, Article] | None:
    """The articles behind an answer's reference numbers; None where nobody knows them.

    They are in the events of a chain's run under ``root``, and in what the run's source held of a
    command's references where it could be asked (`benchmarks.pubmedrs200.running.references`).
    References that are not there are left out. Raises UsageError and RecordError for files that
    hold something else.
    """
    if record.answer is None:
        return None
    if not has_events(record, root):
        fetched = load_articles(root, record.cell)
        if fetched is None:
            return None
        by_pmid = {article.pmid: article for article in fetched.articles}
        listed = numbered(record.answer["references"])
        return {n: by_pmid[form["pmid"]] for n, form in listed.items() if form["pmid"] in by_pmid}
    by_id: dict[str, Article] = {}
    with _events(record, root).open(encoding="utf-8") as file:
        for event in loads(file):
            if isinstance(event, ArticlesFetched | ArticlesChased):
                by_id.update((article.id, article) for article in event.articles)
    return {
        form["n"]: by_id[form["id"]] for form in record.answer["references"] if form["id"] in by_id
    }


def has_events(record: Record, root: Path) -> bool:
    """Return whether this program answered: only its own systems leave events in the run's folder
    ``root``.
    """
    return _events(record, root).exists()


def _events(record: Record, root: Path) -> Path:
    return record.cell.path(root, "events", ".jsonl")
