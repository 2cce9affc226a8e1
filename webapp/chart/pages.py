"""The form for a record and a question, the export of a run's trace, and erasing."""

from __future__ import annotations

import json
from typing import Any, Final

from flask import Response, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from clinfo.errors import ClinfoError
from clinfo.patients.keeping import PatientStore
from clinfo.pipelines.chart.run_log import answer_json, build_answer, trace_text
from clinfo.pipelines.literature.request import FieldError
from clinfo.records.chart import ChartRequest
from clinfo.render.chart import page as written_page
from clinfo.render.markdown import blocks_as_markdown
from clinfo.text.printable import one_line
from webapp.asking import ask
from webapp.chart import record_pages as record_pages
from webapp.chart.answer import EXPORTS
from webapp.chart.answer import shown as shown
from webapp.chart.asking import MOST_BYTES, Kept, audit, offered_models, refuse_unknown
from webapp.chart.common import log_of, notes_of
from webapp.chart.common import pages as pages
from webapp.records import Busy, NotFound, Refused, StoredRun
from webapp.services import services
from webapp.visitors import changeable, may_change, remembered, visitor, with_page

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


@pages.get(f"/runs/<run_id>/<any({', '.join(map(repr, EXPORTS))}):name>")
def exported(run_id: str, name: str) -> Response:
    """The answer, or the audit of its stages as ``clinfo chart ask --trace`` writes it, as a file
    (`EXPORTS`).
    """
    run = with_page(run_id, "chart")
    notes_of(run)
    run_log = log_of(run)
    if run_log.started is None:
        abort(404, "This run has not started, so there is nothing to export yet.")
    audit(run, visitor(), services().chain, "export")
    content = {
        "answer.json": lambda: _pretty(answer_json(build_answer(run_log))),
        "answer.md": lambda: blocks_as_markdown(written_page(build_answer(run_log))),
        "trace.json": lambda: trace_text(run_log),
    }[name]()
    response = Response(content, content_type=f"{EXPORTS[name][0]}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="clinfo-{name}"'
    return response


def _pretty(form: dict[str, Any]) -> str:
    return json.dumps(form, ensure_ascii=False, indent=2) + "\n"


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
    store.erase(patient)
    for one in runs:
        services().store.delete(one.id)
    return redirect(url_for("chart.form", erased=1), 303)
