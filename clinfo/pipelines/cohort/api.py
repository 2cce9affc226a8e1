"""The cohort pipeline as a program calls it: `clinfo.cohort`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from clinfo.pipelines.calling import (
    Model,
    carried_out,
    door,
    in_notebook,
    named_model,
)
from clinfo.pipelines.cohort.request import request_of
from clinfo.pipelines.cohort.stages import COHORT
from clinfo.runs.events import Answered, Event
from clinfo.settings import load_settings


class CohortAnswer(dict[str, Any]):
    """The JSON answer about a cohort, which a notebook shows as tables."""

    def _repr_html_(self) -> str:
        return in_notebook("cohort", self)


def answer_of(events: Sequence[Event]) -> CohortAnswer:
    """The JSON answer that a run recorded."""
    return CohortAnswer(next(one.answer for one in events if isinstance(one, Answered)))


@door
def cohort(
    index: str | Path,
    criteria: str = "",
    *,
    query: str = "",
    form: Mapping[str, Any] | None = None,
    model: Model = None,
    save: str | Path | None = None,
    **options: Any,
) -> CohortAnswer:
    """The patients of an index (``clinfo cohort build``) who match criteria in words, put into a
    form by the ``model``, a ``query``, or a logical form as an answer has it; JSON of
    docs/cohort.md.

    ``model`` is as for `stream`, ``save`` as for `aask`; ``options`` are those of the command line
    with underscores. Raises UsageError where something is asked back, RecordError where there is
    no index, and otherwise the class of `clinfo.errors` that carries the exit status the command
    line would have.
    """
    settings = load_settings()
    request = request_of(
        settings, index, named_model(model), criteria=criteria, query=query, form=form, **options
    )
    return answer_of(carried_out(COHORT, settings, request, model, save))
