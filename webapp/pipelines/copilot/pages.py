"""The form for a question to the copilot, and what is shown of a run of it."""

from functools import partial
from typing import Any, Final

from flask import Blueprint, render_template, request

from clinfo.errors import FieldError
from clinfo.patients import allowed
from clinfo.pipelines.copilot import CopilotLog, CopilotRequest, build_answer, trace_text
from clinfo.render import (
    bottom_line,
    by_part,
    by_silo,
    copilot_page,
    not_found,
    rounds,
    says_of,
    side_by_side,
    silo_name,
)
from clinfo.views import seconds, used
from webapp.forms import export_page, files_of, form_page
from webapp.pipelines.copilot.declared import (
    DECLARED,
    MOST_STEPS,
    SELECTS,
    examples,
    offered_tools,
    why_no_case,
)
from webapp.records import StoredRun
from webapp.services import services
from webapp.visitors import visitor

pages = Blueprint("copilot", __name__)

EXPORTS: Final = files_of(
    "copilot", lambda run_log: copilot_page(build_answer(run_log)), trace_text
)
_TYPED: Final = ("question", *SELECTS, "case", "model", "max_steps")


def _fields(before: StoredRun | None) -> dict[str, Any]:
    """The form as typed, as `checked_fields` takes it. Raises FieldError."""
    sent = {name: request.form.get(name, "").strip() for name in _TYPED}
    fields: dict[str, Any] = {name: value for name, value in sent.items() if value}
    if request.form.get("case_report"):
        fields["case_report"] = True
    chosen, shown = request.form.getlist("tools"), request.form.get("tools_shown", "").split()
    if set(shown) != set(chosen):  # all that were shown: whatever there is when the run begins
        if not chosen:
            raise FieldError("tools", "at least one is needed")
        fields["tools"] = chosen
    return fields


def _typed_before(run: StoredRun) -> dict[str, Any]:
    asked: CopilotRequest = run.request
    return {
        "question": asked.question,
        **{name: getattr(asked, name) for name in SELECTS},
        "case": asked.case,
        "case_report": asked.case_report,
        "tools": list(asked.tools),
        "max_steps": asked.max_steps,
        "model": asked.models["write"],
    }


def _values(before: StoredRun | None) -> dict[str, Any]:
    web, chain = services().web, services().chain
    tools, missing, silos = offered_tools(chain)
    models = web.offered_models(chain)
    return {
        "tools": [one.declared for one in tools.values()],
        "missing": missing,
        "examples": examples(silos),
        "models": models,
        "for_cases": [name for name in models if allowed("model", name, chain)],
        "no_case": why_no_case(visitor(), web),
        "longest": {name: one.option.longest for name, one in DECLARED.items()},
        "selects": SELECTS,
        "most_steps": MOST_STEPS,
    }


form_page(pages, "copilot", _fields, _typed_before, _values)


def ended(run: StoredRun, values: dict[str, Any]) -> str:
    """The page of a run that has ended."""
    run_log: CopilotLog = services().store.log(run)
    if run_log.started is None:
        return render_template("copilot/answer.html", **values, answer=None)
    answer = build_answer(run_log)
    quoted = {n for one in answer.claims for n in one.sources} if answer.by_rule else set()
    values |= {
        "answer": answer,
        "says": says_of,
        "named": partial(silo_name, answer),
        "missing": partial(not_found, answer),
        "bottom": bottom_line(answer),
        "parts": by_part(answer),
        "silos": by_silo(answer, besides=quoted),
        "conflicts": side_by_side(answer),
        "rounds": rounds(run_log),
        "seconds": seconds,
        "passages": run_log.passages(),
        "used": "No language model was asked" if answer.by_rule else used(answer.usage),
        "total": seconds(answer.timings["total"]),
        "exports": EXPORTS,
    }
    return render_template("copilot/answer.html", **values)


export_page(pages, "copilot", "evidence/<name>", EXPORTS)
