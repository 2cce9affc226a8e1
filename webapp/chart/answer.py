"""What is shown of a run that has ended: its answer with links into the notes, the notes found on a
line of time, and what each stage kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from clinfo.patients.records import Note
from clinfo.pipelines.chart.packing import Chunk, packed
from clinfo.pipelines.chart.run_log import build_answer
from clinfo.records.chart import NOT_DOCUMENTED, ChartAnswer, ChartRequest, StageTrace
from clinfo.text.dates import day
from clinfo.views.verdicts import VERDICTS
from webapp.chart.asking import audit
from webapp.chart.common import log_of, notes_of
from webapp.records import StoredRun
from webapp.services import services
from webapp.visitors import visitor

EXPORTS: Final = {
    "answer.json": ("application/json", "JSON", "the answer, its notes and stages"),
    "answer.md": ("text/markdown", "Markdown", "the answer with the notes that it quotes"),
    "trace.json": ("application/json", "Trace", "what each stage kept and why, as JSON"),
}
"""By file: kind, what it is called, and what it holds."""
QUOTED: Final = 10
"""Notes that are quoted; the timeline marks the others."""
ROWS: Final = 100
"""Chunks of a stage that are told one by one."""
STAGES: Final = {
    "types": "Kinds of things that the question is after",
    "entities": "Things that the question names",
    "dense": "Likest to the question",
    "recovery": "Brought back",
    "rerank": "In order",
    "time": "The time that is asked for",
    "reranker": "In the order of the reranker",
}
_CITED: Final = re.compile(r'(?:"(?P<quote>[^"\n]{2,400})"(?P<between>\s?))?\[(?P<id>[^\]\n]+)\]')
Piece = tuple[str, int | None, str]
"""Words, the number of the note that they name (None: none), and the place there as "12-40"."""


def shown(run: StoredRun) -> dict[str, Any]:
    """Return what templates/chart/answer.html shows of a run that has ended; that it was looked at
    is logged.
    """
    notes = notes_of(run)
    audit(run, visitor(), services().chain, "view")
    run_log = log_of(run)
    if run_log.started is None:
        return {"answer": None}
    answer = build_answer(run_log)
    number = {note.id: place for place, note in enumerate(notes, 1)}
    found = {one.id: place for place, one in enumerate(answer.notes, 1)}
    quoted = [one for one in answer.notes if one.spans][:QUOTED]
    return {
        "answer": answer,
        "lines": [_linked(line, notes, number) for line in answer.answer.splitlines()],
        "established": [_linked(line, notes, number) for line in answer.established.splitlines()],
        "documented": answer.answer != NOT_DOCUMENTED,
        "claims": [
            {
                "claim": one,
                "verdict": VERDICTS[one.verdict],
                "quoted": [
                    {
                        "text": each.quotation.text,
                        "note": number.get(each.note),
                        "day": day(each.date) or "no date",
                        "at": f"{each.quotation.start}-{each.quotation.end}",
                    }
                    for each in one.quoted
                ],
            }
            for one in answer.claims
        ],
        "quoted": [(one, number[one.id], day(one.date)) for one in quoted if one.id in number],
        "timeline": list(_timeline(notes, found, {one.id for one in quoted})),
        "found": len(found),
        "exports": EXPORTS,
        "count": len(notes),
        "stages": list(_stages(run.request, notes, answer, number)),
    }


def _linked(line: str, notes: Sequence[Note], number: dict[str, int]) -> list[Piece]:
    """A line of an answer in pieces: a quotation leads to its place in the note that is cited."""
    pieces, at = list[Piece](), 0
    for match in _CITED.finditer(line):
        place = number.get(match["id"])
        if place is None:
            continue
        if match.start() > at:
            pieces.append((_curly(line[at : match.start()]), None, ""))
        span = _place(match["quote"] or "", notes[place - 1].text)
        if match["quote"]:
            pieces.append((f"“{match['quote']}”", place if span else None, span))
            pieces.append((match["between"] or " ", None, ""))
        pieces.append((f"note {place}", place, span))
        at = match.end()
    return [*pieces, (_curly(line[at:]), None, "")] if at < len(line) else pieces


def _curly(words: str) -> str:
    return re.sub(r'"([^"\n]+)"', r"“\1”", words)


def _place(quote: str, text: str) -> str:
    """Where a quotation stands in a note, whatever its white space, "" where it does not."""
    words = quote.removesuffix("…").split()
    found = re.search(r"\s+".join(map(re.escape, words)), text) if words else None
    return f"{found.start()}-{found.end()}" if found else ""


def _timeline(
    notes: Sequence[Note], found: dict[str, int], quoted: set[str]
) -> Iterator[dict[str, Any]]:
    """The notes that were found in order of time, and how many others lie between them."""
    between = 0
    for number, note in enumerate(notes, 1):
        if note.id not in found:
            between += 1
            continue
        yield {
            "between": between,
            "number": number,
            "note": note,
            "date": day(note.time) or "no date",
            "place": found[note.id],
            "quoted": note.id in quoted,
        }
        between = 0
    if between:
        yield {"between": between, "number": None}


def _stages(
    asked: ChartRequest, notes: Sequence[Note], answer: ChartAnswer, number: dict[str, int]
) -> Iterator[dict[str, Any]]:
    """What each stage was given and kept, with why."""
    chunks = {one.id: one for one in packed(notes, across_visits=asked.across_visits)}
    for stage in answer.stages:
        kept = set(stage.kept)
        rows = sorted(stage.given, key=lambda id: id not in kept)[:ROWS]
        yield {
            "name": STAGES.get(stage.name, stage.name),
            "given": len(stage.given),
            "kept": len(stage.kept),
            "more": len(stage.given) - len(rows),
            "rows": [_row(stage, chunks.get(id), id in kept, id, number) for id in rows],
        }


def _row(
    stage: StageTrace, chunk: Chunk | None, kept: bool, id: str, number: dict[str, int]
) -> dict[str, Any]:
    return {
        "note": number.get(chunk.parts[0].note) if chunk else None,
        "date": day(chunk.since) or "no date" if chunk else id,
        "category": chunk.category if chunk else "",
        "notes": len({part.note for part in chunk.parts}) if chunk else 1,
        "kept": kept,
        "why": stage.reasons.get(id, ""),
    }
