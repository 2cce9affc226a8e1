"""The form for a record and a question; what is shown of a run that has ended (its answer leading
into the notes, the notes found on a line of time, what each stage kept); exports, and erasing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from flask import redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from clinfo.patients import Note, PatientStore
from clinfo.pipelines.chart import Chunk, build_answer, packed, trace_text
from clinfo.records import NOT_DOCUMENTED, ChartAnswer, ChartRequest, StageTrace
from clinfo.render import chart_page as written_page
from clinfo.text import day, one_line
from clinfo.views import VERDICTS
from webapp.forms import EXPORTS, export_page, form_page
from webapp.patients import audit, looked_at
from webapp.pipelines import shown as declared
from webapp.pipelines.chart.asking import MOST_BYTES, Kept, offered_models
from webapp.pipelines.chart.record_pages import STAGES, notes_of
from webapp.pipelines.chart.record_pages import pages as pages
from webapp.records import NotFound, Refused, StoredRun
from webapp.services import services
from webapp.visitors import changeable, may_change, visitor

_OVERHEAD: Final = 2_000_000
"""Bytes of a form besides its files."""
_TEXTS: Final = ("question", "patient", "visit", "category", "from", "to", "model", "stage")

QUOTED: Final = 10
"""Notes that are quoted; the timeline marks the others."""
ROWS: Final = 100
"""Chunks of a stage that are told one by one."""
_CITED: Final = re.compile(r'(?:"(?P<quote>[^"\n]{2,400})"(?P<between>\s?))?\[(?P<id>[^\]\n]+)\]')
Piece = tuple[str, int | None, str]
"""Words, the number of the note that they name (None: none), and the place there as "12-40"."""


def _fields(before: StoredRun | None) -> dict[str, Any]:
    """What was typed and handed over; without files, the record of the run ``before``."""
    sent = {name: request.form.get(name, "").strip() for name in _TEXTS}
    fields: dict[str, Any] = {name: value for name, value in sent.items() if value}
    for name in ("visit", "category"):
        if name in fields:
            fields[name] = [one.strip() for one in fields[name].split(",") if one.strip()]
    files: dict[str, bytes] = {}
    for upload in (*request.files.getlist("record"), *request.files.getlist("folder")):
        if name := one_line(upload.filename or ""):
            files[name if name not in files else f"{len(files)}-{name}"] = upload.stream.read()
    if files:
        fields["record"] = files
    elif before is not None:
        fields["record"] = Kept(before.request.patient, before.request.record[0])
        fields.pop("patient", None)
    return fields


def _typed_before(run: StoredRun) -> dict[str, Any]:
    asked: ChartRequest = run.request
    return {
        "question": asked.question,
        "visit": ", ".join(asked.visits),
        "category": ", ".join(asked.categories),
        "from": asked.since,
        "to": asked.until,
        "stage": asked.stage,
        "model": next(iter(asked.models.values()), ""),
    }


def _values(before: StoredRun | None) -> dict[str, Any]:
    models = offered_models(services().web, services().chain)
    return {"models": models, "most_mb": MOST_BYTES // 1_000_000}


form_page(pages, "chart", _fields, _typed_before, _values, MOST_BYTES + _OVERHEAD)


def ended(run: StoredRun, values: dict[str, Any]) -> str:
    """The page of a run that has ended."""
    return render_template("chart/answer.html", **values, **shown(run))


def shown(run: StoredRun) -> dict[str, Any]:
    """Return what templates/chart/answer.html shows of a run that has ended; that it was looked at
    is logged.
    """
    notes = notes_of(run)
    run_log = looked_at(run, visitor(), "view")
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


export_page(
    pages,
    "chart",
    f"<any({', '.join(map(repr, EXPORTS))}):name>",
    lambda run_log: written_page(build_answer(run_log)),
    trace_text,
    notes_of,
)


@pages.post("/runs/<run_id>/erase")
def erase(run_id: str) -> BaseResponse:
    """Take away all that is kept of the patient of this run: record, caches, every run. Raises
    Refused where one of the runs is another's, who may have handed over another record.
    """
    run = changeable(run_id)
    if run.pipeline != "chart":
        raise NotFound("This run has no patient.")
    who, patient, runs = visitor(), run.request.patient, services().store.of_pipeline("chart")
    runs = [one for one in runs if one.request.patient == patient]
    if not all(may_change(who, one) for one in runs):
        raise Refused(
            "Others have asked about this patient too, so the page does not erase the record. "
            "Delete your runs; the operator can erase the patient with: clinfo chart erase PATIENT"
        )
    store = PatientStore.of(services().chain)
    audit(declared("chart"), run.request, who, services().chain, "erase", run.id)
    store.erase(patient)
    for one in runs:
        services().store.delete(one.id)
    return redirect(url_for("chart.form", erased=1), 303)
