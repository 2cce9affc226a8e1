"""A request of the cohort pipeline from what a person gives: an index, criteria or a form."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from clinfo.errors import FieldError, UsageError
from clinfo.pipelines.cohort.records import CohortRequest
from clinfo.pipelines.cohort.stages import COHORT, READBACK, TRANSLATE
from clinfo.records.request import EXTRACTIVE
from clinfo.runs.options import Options

if TYPE_CHECKING:
    from clinfo.settings import Settings


def _day(value: object) -> str:
    try:
        if value != "":
            date.fromisoformat(str(value))
    except ValueError:
        raise FieldError("as_of", f"must be a day as 2022-01-31, not {value!r}") from None
    return str(value)


OPTIONS: Final = Options(CohortRequest, {"as_of": (_day, {"type": "string", "format": "date"})})


def request_of(
    settings: Settings, index: str | Path, model: str | None = None, **fields: Any
) -> CohortRequest:
    """The request; ``fields`` are those of `CohortRequest`, ``form`` may be a whole answer that
    holds one. ``model``, else that of the settings, puts criteria in words into a form.

    Raises UsageError.
    """
    from clinfo.pipelines.cohort.form import from_json, to_json
    from clinfo.pipelines.cohort.query import parse_query

    request: CohortRequest = OPTIONS.request(index=str(index), **fields)
    held, query = request.form, request.query
    if bool(query) == bool(held is not None or request.criteria):
        raise UsageError("give criteria in words, a query or a form")
    if query or held is not None:
        form = parse_query(query) if held is None else from_json(held.get("form", held))
        return replace(request, form=to_json(form))
    named = COHORT.stage_models(settings)
    found = {
        one.name: model or named.get(one.name) or settings.model for one in (TRANSLATE, READBACK)
    }
    if (first := found[TRANSLATE.name]) in (None, EXTRACTIVE):
        return request
    return replace(request, models={stage: name or first for stage, name in found.items()})
