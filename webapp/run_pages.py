"""The page of a run of any pipeline, what may be done with it, and the list of one's own runs."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from clinfo.errors import FieldError
from clinfo.text import one_line
from webapp import asking
from webapp.pipelines import declared, names
from webapp.records import ENDED, Refused, Status, StoredRun, Visitor, cursor_of, place_of
from webapp.services import services
from webapp.visitors import changeable, may_change, may_see, visitor, with_page
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
    ended = declared(run.pipeline).page
    assert ended is not None, "a pipeline whose runs have a page"
    return ended(run, values)


def _share(run: StoredRun) -> None:
    """Let everybody who has the address see the run (``shared`` is 1), or only its user."""
    if run.owner is None:
        raise Refused("This run belongs to no user: everyone with its address can see it.")
    services().store.share(run.id, request.form.get("shared") == "1")


ACTS: Final[Mapping[str, Callable[[StoredRun], object]]] = {
    "cancel": lambda run: services().store.ask_cancel(run.id),
    "resume": lambda run: asking.resume(run.id, visitor()),
    "key": lambda run: asking.give_key(run.id, request.form.get("api_key", "")),
    "share": _share,
}
"""What a button of the page does to a run: stop it, where what it has found is kept; go on from
what was kept; give it the key it waits for; share it."""


def _done(run_id: str, what: str) -> BaseResponse:
    """Do it to the run, and show its page."""
    ACTS[what](changeable(run_id))
    return redirect(url_for("run.page", run_id=run_id), 303)


for _what in ACTS:
    pages.add_url_rule(
        f"/runs/<run_id>/{_what}",
        _what,
        lambda run_id, what=_what: _done(run_id, what),
        methods=["POST"],
    )


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
    services().store.delete(run.id)
    return redirect(url_for("ask.runs", deleted=1), 303)


def _repeats(run: StoredRun) -> list[tuple[str, str]]:
    """The runs that keep the papers which they took over from this one, and that the visitor may
    change: id, question.
    """
    store = services().store
    found = [one for one in store.repeating(run.id) if may_change(visitor(), one)]
    return [(one.id, one_line(one.request.question)) for one in found if store.documents(one.id)]


WORDS: Final[Mapping[Status, str]] = {
    "queued": "waiting",
    "running": "running",
    "done": "answered",
    "failed": "failed",
    "cancelled": "cancelled",
    "key_needed": "needs a key",
}
"""The statuses in words."""
PAGE: Final = 25
"""Runs of a page."""
MOST_WORDS: Final = 20
"""Words of a search; more are not looked for."""


def own_runs(who: Visitor, asked: Mapping[str, str]) -> dict[str, Any]:
    """Return what the template of the page shows. ``asked``: ``q`` words of the question,
    ``cursor`` where the page begins. Raises FieldError.
    """
    words, cursor = (asked.get(name, "").strip() for name in ("q", "cursor"))
    after = place_of(cursor) if cursor else None
    if cursor and after is None:
        raise FieldError("cursor", "must be what the page before led to")
    of = (who.browser, who.user, PAGE + 1, after, words.split()[:MOST_WORDS])
    found = services().store.of_visitor(*of)
    runs = found[:PAGE]
    sought = {"q": words} if words else {}
    return {
        "runs": [run for run in runs if may_see(who, run)],
        "days": {run.id: datetime.fromtimestamp(run.created_at, UTC) for run in runs},
        "words": WORDS,
        "ended": ENDED,
        "sought": sought,
        "searchable": bool(runs or sought or cursor),
        "later": bool(cursor),
        "earlier": cursor_of(runs[-1]) if len(found) > PAGE else None,
        "deleted": "deleted" in asked,
    }
