"""Corrections of what a run of trials read, over HTTP."""

from __future__ import annotations

from typing import Final

from flask import Response

from webapp.api import CHANGING, SENDING, api, edited, json_object
from webapp.api_types import EditedRun
from webapp.operation import Reply, operation
from webapp.pipelines.trials import editing
from webapp.records import Refused, StoredRun
from webapp.visitors import changeable, visitor

EDITED: Final = Reply("The run with its new answer.", EditedRun)


@api.post("/runs/<run_id>/edits")
@operation("editStudy", "runs", {201: EDITED}, *SENDING, body=editing.EditFields)
def edit(run_id: str) -> Response:
    """Correct what a study's papers say.

    Of a run of trials that is done: gives other numbers of a study, or keeps it out of the pool.
    The answer changes with it. What was read stays in the answer, the edit with who, why and when
    is an event of the run.
    """
    run = _of_trials(run_id)
    return edited(editing.edit(run, json_object(), visitor()), 201)


@api.delete("/runs/<run_id>/edits/<int:edit>")
@operation("undoEdit", "runs", {200: EDITED}, *CHANGING, 422)
def undo(run_id: str, edit: int) -> Response:
    """Undo an edit.

    The edit stays in the run, marked as undone, and no longer counts.
    """
    return edited(editing.undo(_of_trials(run_id), edit, visitor()))


def _of_trials(run_id: str) -> StoredRun:
    run = changeable(run_id)
    if run.pipeline != "trials":
        raise Refused("Only what a run of trials read can be edited.")
    return run
