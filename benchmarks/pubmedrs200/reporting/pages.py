"""Each question with all systems side by side, as values for the page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.pubmedrs200.reporting.building import SOURCE_AUGMENTED, SOURCE_FREE
from benchmarks.pubmedrs200.reporting.labels import named, ordered
from benchmarks.pubmedrs200.reporting.material import TIMES, Answer, ReportData
from benchmarks.pubmedrs200.reporting.sharing import SET_APART, places
from benchmarks.pubmedrs200.reporting.tables import counted, fixed
from benchmarks.pubmedrs200.running.folder import numbered
from benchmarks.pubmedrs200.running.records import Record
from pubmedrs.records import Review

NO_SCORE: Final = "–"
_TEXT_METRICS: Final = {*SOURCE_AUGMENTED, *SOURCE_FREE, "exact_match"}
_WHOLE: Final = "Measures of whole answers"


@dataclass(frozen=True)
class Scores:
    """A table of one question's scores: metric titles, then a line a system."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


def scores_of(material: ReportData, id: str) -> Iterator[Scores]:
    """A table of the metrics of texts and one of the measures of whole answers, where the question
    has any.
    """
    metrics = [metric for metric in material.summary.metrics if metric != TIMES]
    parts = (
        (
            f"Scores of texts, orientation {material.summary.orientation}",
            [metric for metric in metrics if metric in _TEXT_METRICS],
        ),
        (_WHOLE, [metric for metric in metrics if metric not in _TEXT_METRICS]),
    )
    for title, chosen in parts:
        used = [
            m
            for m in chosen
            if any(id in material.scores[label].get(m, {}) for label in material.scores)
        ]
        rows = []
        for system in material.systems:
            found = [
                material.scores.get(system.label, {}).get(metric, {}).get(id) for metric in used
            ]
            if not any(found):
                continue
            cells = tuple(
                NO_SCORE
                if row is None
                else fixed(row.value, places(row.metric, material.summary.metrics.get(row.metric)))
                for row in found
            )
            floor = any(row is not None and row.unanswered for row in found)
            named_so = system.answer_title if title == _WHOLE else system.title
            rows.append((named_so + (" (unanswered)" if floor else ""), cells))
        if rows:
            titles = tuple(material.summary.metrics[metric].title for metric in used)
            yield Scores(title, titles, tuple(rows))


PUBMED: Final = "https://pubmed.ncbi.nlm.nih.gov/"
_PMID: Final = re.compile(r"[0-9]{1,9}", re.ASCII)
Source = tuple[str, str, Sequence[str]]
"""An article: its PMID, its text, and remarks."""


@dataclass(frozen=True)
class Shown:
    """One system's answer on the page. ``state`` is "" for an answer that was scored, else why it
    needs a second look; ``relevant`` are the articles that are not among the ``references``.
    """

    title: str
    state: str
    record: Record
    references: tuple[Source, ...]
    relevant: tuple[Source, ...]
    counts: str


@dataclass(frozen=True)
class Page:
    """A question's section."""

    id: str
    review: Review | None
    answers: tuple[Shown, ...]
    scores: tuple[Scores, ...]

    @property
    def made_of(self) -> Review | None:
        """The review that the question was made of; None of somebody's own questions."""
        return self.review if self.review and self.review.title != self.review.question else None


def pages(material: ReportData) -> Iterator[Page]:
    """Every question that was scored or quarantined, in the order of the data set."""
    quarantined = {id for ids in material.summary.quarantined.values() for id in ids}
    every = quarantined | set(material.questions)
    ids = [id for id in material.reviews if id in every]
    for id in [*ids, *sorted(every - set(ids))]:
        review = material.reviews.get(id)
        answers = tuple(
            _shown(material, label.label, id, material.scored_answers[label.label][id], review)
            for label in ordered(material.scored_answers)
            if id in material.scored_answers[label.label]
        )
        yield Page(id, review, answers, tuple(scores_of(material, id)))


def url(pmid: str) -> str:
    """The address of a PubMed record, "" where the id is no PMID."""
    return f"{PUBMED}{pmid}/" if _PMID.fullmatch(pmid) else ""


def _shown(
    material: ReportData, label: str, id: str, answer: Answer, review: Review | None
) -> Shown:
    record = answer.record
    references = tuple(_references(answer))
    listed = {pmid for pmid, *_ in references}
    apart = material.scores.get(label, {}).get(SET_APART, {}).get(id)
    return Shown(
        named(label).answer_title,
        _state(record),
        record,
        references,
        tuple((pmid, "", ()) for pmid in record.relevant or () if pmid not in listed),
        _counts(record, set(review.references) if review else None, apart.value if apart else 0.0),
    )


def _references(answer: Answer) -> Iterator[Source]:
    """The entries of an answer's own list of references."""
    record, fetched = answer.record, answer.cited
    listed = (record.answer or {}).get("references", ())
    numbers = {id(entry): f"[{number}] " for number, entry in numbered(listed).items()}
    known = {article.pmid: article.title for article in fetched.articles} if fetched else {}
    for entry in listed:
        pmid, cited, flags = entry.get("pmid") or "", entry.get("cited"), entry.get("flags")
        text = entry.get("citation") or entry.get("title") or known.get(pmid) or ""
        judged = record.relevant is not None and record.irrelevant is not None
        told = {
            "cited": cited is True,
            "not cited": cited is False,
            "judged relevant": judged and pmid in (record.relevant or ()),
            "judged irrelevant": judged and pmid in (record.irrelevant or ()),
            "not held by the run's source": bool(fetched and pmid and pmid not in known),
        }
        remarks = [remark for remark, true in told.items() if true]
        remarks += map(str, flags) if isinstance(flags, list) else ()
        yield pmid, numbers.get(id(entry), "") + str(text), remarks


def _state(record: Record) -> str:
    if record.status == "leaked":
        leaks = (f"PMID {leak.pmid} in {leak.where}: {leak.reason}" for leak in record.leaks)
        return "Leaked, quarantined and not scored: " + "; ".join(leaks)
    if record.status == "failed":
        return f"Failed: {record.problem or 'no reason told'}"
    if record.status == "unanswered" or not (record.synthesis.strip() or record.tldr.strip()):
        return "Unanswered" + (f": {record.problem}" if record.problem else "")
    doubts = (
        ("A leak cannot be ruled out, not checked", record.unchecked),
        ("Higher PMID than the review and no known day of entry, perhaps a leak", record.later),
    )
    return "; ".join(f"{doubt}: {', '.join(pmids)}" for doubt, pmids in doubts if pmids)


def _counts(record: Record, wanted: set[str] | None, apart: float) -> str:
    kept = "cited" if record.irrelevant is None else "judged relevant"
    parts = []
    for name, pmids in (
        ("candidate", record.retrieved),
        (kept, record.relevant),
        ("judged irrelevant", record.irrelevant),
    ):
        if pmids is None:
            continue
        found = (
            f", {len(set(pmids) & wanted)} of the review's {counted(len(wanted), 'reference')}"
            if wanted
            else ""
        )
        parts.append(counted(len(pmids), name, "" if name == "candidate" else name) + found)
    if apart:
        parts.append(
            f"{fixed(100 * apart, 1)}% of its sentences set apart, which no judge was asked about"
        )
    if (usage := record.usage) is not None:
        parts.append(counted(usage["prompt_tokens"] + usage["completion_tokens"], "token"))
        if usage["cost_usd"] is not None:
            parts.append(f"{usage['cost_usd']:.4f} US dollars")
    return "; ".join(parts)
