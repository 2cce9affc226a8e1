"""What the pages of all pipelines do alike: start a run of a form, give an answer as a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from flask import Response, abort, redirect, url_for
from werkzeug.wrappers import Response as BaseResponse

from clinfo.errors import ClinfoError, FieldError, IdentifiersFound
from clinfo.pipelines import pipeline
from clinfo.render import Block, blocks_as_markdown
from webapp.asking import ask
from webapp.records import Busy, StoredRun
from webapp.services import services
from webapp.visitors import remembered

EXPORTS: Final = {
    "answer.json": ("application/json", "JSON", "the answer with its evidence"),
    "answer.md": ("text/markdown", "Markdown", "the answer to be read, with its quotations"),
    "trace.json": ("application/json", "Trace", "what each stage or step found and why, as JSON"),
}
"""By file: kind, what it is called, and what it holds."""


def started(
    of: str,
    fields: Callable[[], Mapping[str, Any]],
    again_of: str | None,
    form: Callable[[dict[str, str], int], tuple[str, int]],
) -> tuple[str, int] | BaseResponse:
    """The way to a run of ``fields``, or ``form`` with what is wrong, by field, and its status."""
    try:
        run = ask(fields(), remembered(), of=of, again_of=again_of or None)
    except FieldError as error:
        return form({error.field: error.fault}, 422)
    except IdentifiersFound as error:
        return form({error.where: str(error)}, 422)
    except Busy as error:
        return form({"": str(error)}, 429)
    except ClinfoError as error:
        return form({"": str(error)}, 422)
    return redirect(url_for("run.page", run_id=run.id), 303)


def begun(run: StoredRun) -> Any:
    """What the run wrote down (a run log). Not found before it has begun."""
    run_log = services().store.log(run)
    if run_log.begun is None:
        abort(404, "This run has not started, so there is nothing to export yet.")
    return run_log


def download(content: str | bytes, kind: str, name: str) -> Response:
    """A text as a file that a browser saves."""
    response = Response(content, content_type=f"{kind}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def exported(
    run: StoredRun,
    run_log: Any,
    name: str,
    page: Callable[[], Iterable[Block]],
    trace: Callable[[Any], str],
) -> Response:
    """The answer of a run in a form of `EXPORTS`: ``page`` is what is written as Markdown, and
    ``trace`` writes the log.
    """
    content = {
        "answer.json": lambda: (
            json.dumps(pipeline(run.pipeline).answer(run_log), ensure_ascii=False, indent=2) + "\n"
        ),
        "answer.md": lambda: blocks_as_markdown(page()),
        "trace.json": lambda: trace(run_log),
    }[name]()
    return download(content, EXPORTS[name][0], f"clinfo-{name}")
