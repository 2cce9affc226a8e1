"""The page of a run of any pipeline, and what may be done with it."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from clinfo.text import one_line
from webapp import asking
from webapp.pipelines import names, shown
from webapp.records import ENDED, Refused, StoredRun
from webapp.services import services
from webapp.visitors import changeable, may_change, visitor, with_page
from webapp.watch.live import watch_context

pages = Blueprint("run", __name__)


@pages.get("/runs/<run_id>")
def page(run_id: str) -> str:
    """A run that goes on, to be watched; one that has ended, to be read and checked."""
    run = with_page(run_id, *names())
    values: dict[str, Any] = {
        "run": run,
        "mine": may_change(visitor(), run),
        "ended": run.status in ENDED,
        "question": one_line(run.request.question),
    }
    if run.status not in ENDED:
        stored = services().store.events(run.id)
        return render_template("run.html", **values, read=None, **watch_context(run, stored))
    ended = shown(run.pipeline).page
    assert ended is not None, "a pipeline whose runs have a page"
    return ended(run, values)


@pages.post("/runs/<run_id>/cancel")
def cancel(run_id: str) -> BaseResponse:
    """Stop the run; what it has found is kept."""
    services().store.ask_cancel(changeable(run_id).id)
    return _to(run_id)


@pages.post("/runs/<run_id>/resume")
def resume(run_id: str) -> BaseResponse:
    """Go on from what was kept."""
    asking.resume(changeable(run_id).id, visitor())
    return _to(run_id)


@pages.post("/runs/<run_id>/key")
def key(run_id: str) -> BaseResponse:
    """Give a run the key it waits for."""
    asking.give_key(changeable(run_id).id, request.form.get("api_key", ""))
    return _to(run_id)


@pages.post("/runs/<run_id>/share")
def share(run_id: str) -> BaseResponse:
    """Let everybody who has the address see the run (``shared`` is 1), or only its user."""
    run = changeable(run_id)
    if run.owner is None:
        raise Refused("This run belongs to no user: everyone with its address can see it.")
    services().store.share(run.id, request.form.get("shared") == "1")
    return _to(run_id)


@pages.route("/runs/<run_id>/delete", methods=["GET", "POST"])
def delete(run_id: str) -> str | BaseResponse:
    """Ask whether to delete the run; with POST, delete it."""
    run = changeable(run_id)
    if request.method == "GET":
        return render_template(
            "read/delete.html",
            run=run,
            ended=run.status in ENDED,
            question=one_line(run.request.question),
            repeats=_repeats(run),
        )
    asking.delete(run.id)
    return redirect(url_for("ask.runs", deleted=1), 303)


def _repeats(run: StoredRun) -> list[tuple[str, str]]:
    """The runs that keep the papers which they took over from this one, and that the visitor may
    change: id, question.
    """
    store = services().store
    found = [one for one in store.repeating(run.id) if may_change(visitor(), one)]
    return [(one.id, one_line(one.request.question)) for one in found if store.documents(one.id)]


def _to(run_id: str) -> BaseResponse:
    return redirect(url_for("run.page", run_id=run_id), 303)
