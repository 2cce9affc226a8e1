"""Pages of all pipelines alike: start a run of a form, give an answer as a file."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from flask import Blueprint, Response, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from clinfo.errors import ClinfoError
from clinfo.pipelines import pipeline
from clinfo.render import Block, blocks_as_markdown
from webapp.asking import ask
from webapp.patients import looked_at, refuse_unknown
from webapp.pipelines import declared
from webapp.records import Busy, StoredRun
from webapp.services import services
from webapp.visitors import remembered, visitor, with_page

Files = Mapping[str, tuple[str, str, str, str, Callable[[Any], str]]]
"""Files of an answer by the end of their address: name, kind, what each is called, what it holds,
and what writes it of a run log."""
LISTS: Final = ("tools",)
"""Fields of forms that hold several texts."""


def form_page(
    pages: Blueprint,
    of: str,
    fields: Callable[[StoredRun | None], Mapping[str, Any]],
    typed_before: Callable[[StoredRun], dict[str, Any]],
    values: Callable[[StoredRun | None], Mapping[str, Any]],
    largest: int = 0,
    template: str = "",
) -> None:
    """Give ``pages`` the form of a pipeline: what is sent with it becomes a run.

    ``fields`` are what was sent (FieldError), ``typed_before`` the form as it made a run and
    ``values`` what its ``template`` (OF/form.html) shows beside that; both know the run that is
    asked again, if any. ``largest`` is what may be sent, in bytes, where that is more than of other
    forms.
    """

    @pages.url_value_preprocessor
    def _allow(_endpoint: str | None, _values: dict[str, Any] | None) -> None:
        request.max_content_length = max(largest, services().web.largest_body)

    def page(
        run: StoredRun | None, typed: dict[str, Any], wrong: dict[str, str], status: int = 200
    ) -> tuple[str, int]:
        shown = render_template(
            template or f"{of}/form.html", typed=typed, wrong=wrong, before=run, **values(run)
        )
        return shown, status

    @pages.route(f"/{of}", methods=["GET", "POST"])
    def form() -> tuple[str, int] | BaseResponse:
        before = request.values.get("again")
        run = with_page(before, of) if before else None
        if request.method == "GET":
            if declared(of).needs_login({}) and not services().web.for_this_machine:
                refuse_unknown(visitor(), services().web)
            return page(run, typed_before(run) if run else dict(request.args.items()), {})
        lists = {name: request.form.getlist(name) for name in request.form}
        typed = {name: those if name in LISTS else those[0] for name, those in lists.items()}
        try:
            made = ask(fields(run), remembered(), of=of, again_of=before or None)
        except (Busy, ClinfoError) as error:
            where = getattr(error, "field", getattr(error, "where", ""))
            wrong = {where: getattr(error, "fault", str(error))}
            return page(run, typed, wrong, 429 if isinstance(error, Busy) else 422)
        return redirect(url_for("run.page", run_id=made.id), 303)


def files_of(of: str, page: Callable[[Any], Iterable[Block]], trace: Callable[[Any], str]) -> Files:
    """The answer as JSON and as Markdown, by its ``page``, and the ``trace`` of its run."""

    kind, told = "application/json", "each step and its reasons, as JSON"
    return {
        "answer.json": (
            "answer.json",
            kind,
            "JSON",
            "the answer with its evidence",
            lambda run_log: (
                json.dumps(pipeline(of).answer(run_log), ensure_ascii=False, indent=2) + "\n"
            ),
        ),
        "answer.md": (
            "answer.md",
            "text/markdown",
            "Markdown",
            "the answer as text",
            lambda run_log: blocks_as_markdown(page(run_log)),
        ),
        "trace.json": ("trace.json", kind, "Trace", told, trace),
    }


def export_page(
    pages: Blueprint,
    of: str,
    rule: str,
    files: Files,
    look: Callable[[StoredRun], object] = lambda run: None,
) -> None:
    """Give ``pages`` these files of a run, at an address of it; ``look`` refuses a run that cannot
    be shown.
    """

    @pages.get(f"/runs/<run_id>/{rule}")
    def exported(run_id: str, name: str) -> Response:
        run = with_page(run_id, of)
        if name not in files:
            abort(404, "This form does not exist.")
        look(run)
        run_log = begun(run)
        looked_at(run, visitor(), "export")
        file, kind, _, _, write = files[name]
        return download(write(run_log), kind, f"clinfo-{file}")


def begun(run: StoredRun) -> Any:
    """The run log of a run. Not found before it has begun."""
    run_log = services().store.log(run)
    if run_log.started is None:
        abort(404, "This run has not started, so there is nothing to export yet.")
    return run_log


def download(content: str | bytes, kind: str, name: str) -> Response:
    """A text as a file that a browser saves."""
    response = Response(content, content_type=f"{kind}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
