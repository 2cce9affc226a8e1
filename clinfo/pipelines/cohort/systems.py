"""The cohort of the two published systems that search by likeness instead of by facts: the
retriever alone, and a model that reads what was retrieved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clinfo.pipelines.cohort.events import CohortFound
from clinfo.pipelines.cohort.reader import Verdict
from clinfo.pipelines.cohort.retriever import Candidate, Chunk
from clinfo.retrieval.sparse import searched_words
from clinfo.text.sentences import sentence_spans

_QUOTED = 3


def cohort_of(
    criteria: str, everyone: Sequence[str], found: Sequence[Candidate], said: Sequence[Verdict]
) -> CohortFound:
    """The cohort of those found, each with what was ``said`` and a ``score``; of whom nothing was
    retrieved, or no reply read, nothing is known.
    """
    pairs = list(zip(found, said, strict=True))
    members = [(one, verdict) for one, verdict in pairs if verdict.match]
    judged = {one.patient for one, verdict in pairs if verdict.match is not None}
    unknown = tuple(id for id in everyone if id not in judged)
    sizes = (("all patients", everyone), ("retrieved", found), (criteria, members))
    return CohortFound(
        members=tuple(_member(criteria, one, verdict) for one, verdict in members),
        not_documented=unknown,
        attrition=tuple(
            {"criterion": name, "alone": len(some), "left": len(some)} for name, some in sizes
        ),
        counts={
            "patients": len(everyone), "members": len(members),
            "not_matching": len(judged) - len(members), "not_documented": len(unknown),
        },
    )  # fmt: skip


def _member(criteria: str, candidate: Candidate, verdict: Verdict) -> dict[str, Any]:
    if verdict.chunk is not None:
        spans = [_span(verdict.chunk, verdict.start, verdict.end)]
    else:
        spans = [_span(one, *_likest(criteria, one)) for one in candidate.chunks[:_QUOTED]]
    told = {"text": criteria, "verdict": "matches", "spans": spans}
    return {"id": candidate.patient, "score": candidate.score, "criteria": [told]}


def _span(chunk: Chunk, start: int, end: int) -> dict[str, Any]:
    quote = chunk.text[start - chunk.start : end - chunk.start]
    return {"note": chunk.note, "date": chunk.date, "start": start, "end": end, "quote": quote}


def _likest(criteria: str, chunk: Chunk) -> tuple[int, int]:
    """The line's sentence that has most words of the criteria."""
    asked = set(searched_words(criteria))
    start, end = max(
        sentence_spans(chunk.text),
        key=lambda span: len(asked.intersection(searched_words(chunk.text[slice(*span)]))),
        default=(0, len(chunk.text)),
    )
    return chunk.start + start, chunk.start + end
