"""The form for a record and a question, and what is shown of a run of the chart pipeline."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

from flask import Blueprint, Response, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from clinfo.errors import ClinfoError, UsageError
from clinfo.patients.keeping import PatientStore
from clinfo.patients.records import Note
from clinfo.pipelines.chart.choosing import chosen
from clinfo.pipelines.chart.declared import CHART
from clinfo.pipelines.chart.packing import Chunk, packed
from clinfo.pipelines.chart.run_log import ChartLog, build_answer, trace_text
from clinfo.pipelines.literature.request import FieldError
from clinfo.records.chart import NOT_DOCUMENTED, ChartAnswer, ChartRequest, StageTrace
from clinfo.text.dates import day
from clinfo.text.printable import one_line
from webapp.asking import ask
from webapp.chart.asking import (
    MOST_BYTES,
    Kept,
    audit,
    offered_models,
    reader,
    refuse_unknown,
)
from webapp.records import Busy, NotFound, Refused, StoredRun
from webapp.services import services
from webapp.visitors import changeable, may_change, remembered, visitor, with_page

pages = Blueprint("chart", __name__)

QUOTED: Final = 10
"""Notes that are quoted; the timeline marks the others."""
FIRST_LINES: Final = 12
"""Lines of an answer that are shown at once."""
ROWS: Final = 100
"""Chunks of a stage that are told one by one."""
STAGES: Final = {
    "types": "Kinds of things that the question is after",
    "entities": "Things that the question names",
    "dense": "Likest to the question",
    "recovery": "Brought back",
    "rerank": "In order",
}
_OVERHEAD: Final = 2_000_000
"""Bytes of a form besides its files."""
_TEXTS: Final = ("question", "patient", "visit", "category", "from", "to", "model", "stage")


@pages.url_value_preprocessor
def _allow_records(_endpoint: str | None, _values: dict[str, Any] | None) -> None:
    """Let forms of these pages be as large as records are, before anything reads them."""
    request.max_content_length = max(MOST_BYTES + _OVERHEAD, services().web.largest_body)


@pages.route("/chart", methods=["GET", "POST"])
def form() -> tuple[str, int] | BaseResponse:
    """The form; what is sent with it becomes a run."""
    before = request.values.get("again")
    run = with_page(before, "chart") if before else None
    if request.method == "GET":
        if not services().web.for_this_machine:
            refuse_unknown(visitor(), services().web)
        return _form(_typed_before(run.request) if run else dict(request.args.items()), run)
    typed = dict(request.form.items())
    try:
        new = ask(_fields(run), remembered(), of="chart", again_of=before or None)
    except FieldError as error:
        return _form(typed, run, {error.field: error.fault}, 422)
    except Busy as error:
        return _form(typed, run, {"": str(error)}, 429)
    except ClinfoError as error:
        return _form(typed, run, {"": str(error)}, 422)
    return redirect(url_for("run.page", run_id=new.id), 303)


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


def _typed_before(asked: ChartRequest) -> dict[str, Any]:
    return {
        "question": asked.question,
        "visit": ", ".join(asked.visits),
        "category": ", ".join(asked.categories),
        "from": asked.since,
        "to": asked.until,
        "stage": asked.stage,
        "model": next(iter(asked.models.values()), ""),
    }


def _form(
    typed: dict[str, Any],
    run: StoredRun | None,
    wrong: dict[str, str] | None = None,
    status: int = 200,
) -> tuple[str, int]:
    web, chain = services().web, services().chain
    shown = render_template(
        "chart/form.html",
        typed=typed,
        wrong=wrong or {},
        before=run,
        models=offered_models(web, chain),
        most_mb=MOST_BYTES // 1_000_000,
    )
    return shown, status


def shown(run: StoredRun) -> dict[str, Any]:
    """Return what templates/chart/answer.html shows of a run that has ended; that it was looked at
    is logged.
    """
    notes = _notes(run)
    audit(run, visitor(), services().chain, "view")
    run_log = _log(run)
    if run_log.started is None:
        return {"answer": None}
    answer = build_answer(run_log)
    number = {note.id: place for place, note in enumerate(notes, 1)}
    found = {one.id: place for place, one in enumerate(answer.notes, 1)}
    quoted = [one for one in answer.notes if one.spans][:QUOTED]
    return {
        "answer": answer,
        "lines": [_linked(line, number) for line in answer.answer.splitlines()],
        "first": FIRST_LINES,
        "documented": answer.answer != NOT_DOCUMENTED,
        "quoted": [(one, number[one.id], day(one.date)) for one in quoted if one.id in number],
        "timeline": [
            (place, note, day(note.time) or "no date", found.get(note.id))
            for place, note in enumerate(notes, 1)
        ],
        "stages": list(_stages(run.request, notes, answer, number)),
    }


def _linked(line: str, number: dict[str, int]) -> list[tuple[str, int | None]]:
    """A line of an answer in pieces, with the number of the note where a piece names one."""
    pieces = re.split(r"\[([^\]]+)\]", line)
    return [
        (piece, number.get(piece))
        if place % 2 and piece in number
        else (f"[{piece}]" if place % 2 else piece, None)
        for place, piece in enumerate(pieces)
        if piece
    ]


def _stages(
    asked: ChartRequest, notes: tuple[Note, ...], answer: ChartAnswer, number: dict[str, int]
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


@pages.get("/runs/<run_id>/notes/<int:number>")
def note(run_id: str, number: int) -> str:
    """A note of the record, whole, with what the answer quotes of it marked."""
    run = with_page(run_id, "chart")
    notes = _notes(run)
    if not 1 <= number <= len(notes):
        abort(404, "The record has no note of this number.")
    audit(run, visitor(), services().chain, "view note")
    one, run_log = notes[number - 1], _log(run)
    found = build_answer(run_log).notes if run_log.started else ()
    spans = next((each.spans for each in found if each.id == one.id), ())
    return render_template(
        "chart/note.html",
        run=run,
        note=one,
        day=day(one.time) or "no date",
        pieces=_marked(one.text, [(span.start, span.end) for span in spans]),
        number=number,
        count=len(notes),
    )


def _marked(text: str, spans: list[tuple[int, int]]) -> list[tuple[str, bool]]:
    """A text in pieces, and whether each is within one of the spans."""
    cuts = sorted({0, len(text), *(place for span in spans for place in span)})
    return [
        (text[a:b], any(start <= a and b <= end for start, end in spans)) for a, b in pairwise(cuts)
    ]


@pages.get("/runs/<run_id>/trace.json")
def trace(run_id: str) -> Response:
    """The audit of a run's stages, as ``clinfo chart ask --trace`` writes it."""
    run = with_page(run_id, "chart")
    _notes(run)
    run_log = _log(run)
    if run_log.started is None:
        abort(404, "This run has not started, so there is nothing to export yet.")
    audit(run, visitor(), services().chain, "export")
    response = Response(trace_text(run_log), content_type="application/json; charset=utf-8")
    response.headers["Content-Disposition"] = 'attachment; filename="clinfo-trace.json"'
    return response


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
    audit(run, who, services().chain, "erase")
    store.erase_of(patient)
    for one in runs:
        services().store.delete(one.id)
    return redirect(url_for("chart.form", erased=1), 303)


def _notes(run: StoredRun) -> tuple[Note, ...]:
    """The notes that the run searched. Where the record was erased, the run goes too: NotFound."""

    try:
        record = reader(services().chain)(run.request).one()
    except UsageError:
        services().store.delete(run.id)
        raise NotFound("The record of this run was erased, and the run with it.") from None
    return chosen(record, run.request)


def _log(run: StoredRun) -> ChartLog:
    events = services().store.events(run.id)
    return ChartLog(CHART.events.loads(event.body for event in events))
