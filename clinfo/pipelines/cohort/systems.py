"""The two published systems that search by likeness instead of by facts, answering as `find` does:
the retriever alone, and a model that reads what was retrieved.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from clinfo import __version__
from clinfo.errors import UsageError
from clinfo.patients.access import require_allowed
from clinfo.pipelines.cohort.reader import Reader, Verdict
from clinfo.pipelines.cohort.retriever import SHARE, Candidate, Chunk, Retriever
from clinfo.pipelines.cohort.store import opened
from clinfo.retrieval.embedders import Embedder, embedder_named
from clinfo.retrieval.sparse import searched_words
from clinfo.settings import Settings
from clinfo.text.sentences import sentence_spans

_QUOTED = 3


def embedder_of(settings: Settings) -> Embedder | None:
    """The embedder that the settings name, which must be allowed to see records; None: BM25."""
    if not settings.embedder:
        return None
    require_allowed("embedder", settings.embedder, settings)
    return embedder_named(settings.embedder)


def find_by_likeness(
    settings: Settings,
    folder: Path,
    criteria: str,
    system: Literal["retriever", "reader"],
    *,
    share: float = SHARE,
    chunks: int | None = None,
    model: str | None = None,
    max_cost: float | None = None,
    as_of: str = "",
) -> dict[str, Any]:
    """The cohort as JSON (docs/cohort.md), without a form; each member has a ``score``.

    Raises UsageError, NotForPatients, BudgetReached, ModelError, RecordError.
    """
    if not 0 < share <= 1 or (chunks is not None and chunks < 1):
        raise UsageError("--share wants more than 0 and at most 1, --chunks 1 or more")
    reader = None
    if system == "reader":
        name = model or settings.model
        if name is None or name == "extractive":
            raise UsageError("--system reader asks a language model: name one with --model")
        reader = Reader(settings, name, max_cost)
    embedder = embedder_of(settings)
    with opened(folder) as base:
        retriever = Retriever(base, embedder, as_of)
        until = f"{as_of}\uffff" if as_of else "\uffff"
        everyone = [
            id
            for (id,) in base.execute(
                "SELECT id FROM patients WHERE first <= ? ORDER BY id", (until,)
            )
        ]
    found = retriever.found(criteria, share, chunks)
    said = reader.read(criteria, found) if reader is not None else [Verdict(True)] * len(found)
    return {
        "schema": 1, "question": criteria, "form": None, "text": criteria, "system": system,
        **_outcome(criteria, everyone, found, said),
        "settings": {
            "as_of": as_of, "version": __version__,
            "chunks": chunks if chunks is not None else share,
            "embedder": settings.embedder or "BM25",
            **(reader.settings if reader else {}),
        },
        **({"usage": asdict(reader.usage)} if reader else {}),
    }  # fmt: skip


def _outcome(
    criteria: str, everyone: list[str], found: tuple[Candidate, ...], said: list[Verdict]
) -> dict[str, Any]:
    """Members and counts; of whom nothing was retrieved, or no reply read, nothing is said."""
    pairs = list(zip(found, said, strict=True))
    members = [(one, verdict) for one, verdict in pairs if verdict.match]
    judged = {one.patient for one, verdict in pairs if verdict.match is not None}
    unknown = [id for id in everyone if id not in judged]
    unread = sum(verdict.match is None for verdict in said)
    return {
        "members": [_member(criteria, one, verdict) for one, verdict in members],
        "not_documented": unknown,
        "attrition": [
            {"criterion": name, "alone": number, "left": number}
            for name, number in (
                ("all patients", len(everyone)), ("retrieved", len(found)),
                (criteria, len(members)),
            )
        ],
        "counts": {
            "patients": len(everyone), "members": len(members),
            "not_matching": len(judged) - len(members), "not_documented": len(unknown),
        },
        "warnings": [f"of {unread} patients no reply of the model could be read"] if unread else [],
    }  # fmt: skip


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
