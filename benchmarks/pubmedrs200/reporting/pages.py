"""Each question with all systems side by side, as values for the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from benchmarks.pubmedrs200.reporting.building import SOURCE_AUGMENTED, SOURCE_FREE, anchor
from benchmarks.pubmedrs200.reporting.labels import named, ordered
from benchmarks.pubmedrs200.reporting.material import TIMES, Answer, ReportData
from benchmarks.pubmedrs200.reporting.sharing import SET_APART, places
from benchmarks.pubmedrs200.reporting.tables import counted, fixed, one_line, printable
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
            rows.append((one_line(named_so) + (" (unanswered)" if floor else ""), cells))
        if rows:
            yield Scores(
                title,
                tuple(one_line(material.summary.metrics[metric].title) for metric in used),
                tuple(rows),
            )


PUBMED: Final = "https://pubmed.ncbi.nlm.nih.gov/"
_PMID: Final = re.compile(r"[0-9]{1,9}", re.ASCII)


@dataclass(frozen=True)
class Source:
    """An article by its PMID. ``wanted`` tells whether the review refers to it, None where that is
    not known.
    """

    pmid: str
    url: str
    wanted: bool | None
    text: str = ""
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Shown:
    """One system's answer on the page. ``state`` is "" for an answer that was scored, else why it
    needs a second look.

    ``kept`` says what ``relevant`` articles are: judged so, or cited by a system that tells no
    judgements.
    """

    title: str
    state: str
    parts: tuple[tuple[str, str], ...]
    references: tuple[Source, ...]
    relevant: tuple[Source, ...]
    kept: str
    counts: str
    queries: tuple[str, ...]


@dataclass(frozen=True)
class Page:
    """A question's section. ``anchor`` is its id in the page, ``before`` and ``after`` those of its
    neighbours.
    """

    anchor: str
    id: str
    url: str
    heading: str
    review_title: str
    published: str
    reference: str
    answers: tuple[Shown, ...]
    scores: tuple[Scores, ...]
    before: str = ""
    after: str = ""


def pages(material: ReportData) -> Iterator[Page]:
    """Every question that was scored or quarantined, in the order of the data set."""
    quarantined = {id for ids in material.summary.quarantined.values() for id in ids}
    scored = material.questions
    more = quarantined - set(scored)
    ids = [id for id in material.reviews if id in set(scored) | more]
    ids += sorted((set(scored) | more) - set(ids))
    anchors = ["", *(anchor(id) for id in ids), ""]
    for place, id in enumerate(ids):
        yield _page(material, id, anchors[place], anchors[place + 2])


def _page(material: ReportData, id: str, before: str, after: str) -> Page:
    review = material.reviews.get(id)
    answers = [
        _shown(material, label.label, id, material.scored_answers[label.label][id], review)
        for label in ordered(material.scored_answers)
        if id in material.scored_answers[label.label]
    ]
    heading = one_line(review.question if review and review.question else f"Question {id}")
    made_of = review if review and review.title != review.question else None  # else one's own
    return Page(
        anchor(id),
        one_line(id),
        "" if review and not made_of else _url(id),
        heading,
        one_line(made_of.title) if made_of else "",
        made_of.published.isoformat() if made_of else "",
        printable(review.answer) if review else "",
        tuple(answers),
        tuple(scores_of(material, id)),
        before,
        after,
    )


def _url(pmid: str) -> str:
    return f"{PUBMED}{pmid}/" if _PMID.fullmatch(pmid) else ""


def _shown(
    material: ReportData, label: str, id: str, answer: Answer, review: Review | None
) -> Shown:
    wanted = set(review.references) if review else None

    def source(pmid: str, text: str = "", remarks: tuple[str, ...] = ()) -> Source:
        return Source(
            one_line(pmid), _url(pmid), None if wanted is None else pmid in wanted, text, remarks
        )

    references = tuple(
        source(
            reference.pmid,
            (f"[{reference.number}] " if reference.number is not None else "")
            + one_line(reference.text),
            (
                *(
                    ["cited" if reference.cited else "not cited"]
                    if reference.cited is not None
                    else []
                ),
                *(
                    ["judged relevant" if reference.relevant else "judged irrelevant"]
                    if reference.relevant is not None
                    else []
                ),
                *(["not held by the run's source"] if reference.held is False else []),
                *map(one_line, reference.flags),
            ),
        )
        for reference in answer.references
    )
    listed = {reference.pmid for reference in answer.references}
    relevant = tuple(source(pmid) for pmid in answer.relevant or () if pmid not in listed)
    both = (("Synthesis", answer.synthesis), ("TL;DR", answer.tldr))
    apart = material.scores.get(label, {}).get(SET_APART, {}).get(id)
    parts = tuple((name, printable(text).strip()) for name, text in both if text.strip())
    return Shown(
        one_line(named(label).answer_title),
        _state(material, label, id, answer),
        parts,
        references,
        relevant,
        _kept(answer),
        _counts(answer, wanted, apart.value if apart else 0.0),
        tuple(one_line(query) for query in answer.queries),
    )


def _state(material: ReportData, label: str, id: str, answer: Answer) -> str:
    if answer.status == "leaked":
        return "Leaked, quarantined and not scored: " + "; ".join(map(one_line, answer.leaks))
    if answer.status == "failed":
        return f"Failed: {one_line(answer.problem) or 'no reason told'}"
    if answer.status == "unanswered" or not (answer.synthesis.strip() or answer.tldr.strip()):
        return "Unanswered" + (f": {one_line(answer.problem)}" if answer.problem else "")
    doubts = (
        ("A leak cannot be ruled out, not checked", answer.unchecked),
        ("Higher PMID than the review and no known day of entry, perhaps a leak", answer.later),
    )
    return "; ".join(
        f"{doubt}: {', '.join(map(one_line, pmids))}" for doubt, pmids in doubts if pmids
    )


def _kept(answer: Answer) -> str:
    return "cited" if answer.irrelevant is None else "judged relevant"


def _counts(answer: Answer, wanted: set[str] | None, apart: float) -> str:
    lists = (
        ("candidate", answer.retrieved),
        (_kept(answer), answer.relevant),
        ("judged irrelevant", answer.irrelevant),
    )
    parts = []
    for name, pmids in lists:
        if pmids is None or (name == "candidate" and answer.status == "published"):
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
    if answer.tokens is not None:
        parts.append(counted(answer.tokens, "token"))
    if answer.cost_usd is not None:
        parts.append(f"{answer.cost_usd:.4f} US dollars")
    return "; ".join(parts)
