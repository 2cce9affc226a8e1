"""A request of the cohort pipeline from what a person gives: an index, criteria or a form."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clinfo.errors import UsageError
from clinfo.pipelines.cohort.declared import COHORT
from clinfo.pipelines.cohort.query import parse_query
from clinfo.pipelines.cohort.shapes import from_json, to_json
from clinfo.pipelines.cohort.stages import READ, READBACK, TRANSLATE
from clinfo.records.cohort import CohortRequest
from clinfo.records.request import EXTRACTIVE, refuse_longer
from clinfo.runs.pipeline import Stage

if TYPE_CHECKING:
    from clinfo.settings import Settings


def request_of(
    settings: Settings, index: str | Path, model: str | None = None, **fields: Any
) -> CohortRequest:
    """The request; ``fields`` are those of `CohortRequest`, ``form`` may be a whole answer that
    holds one. ``model``, else that of the settings, puts criteria in words into a form, or reads
    for the system reader.

    Raises UsageError.
    """
    try:
        request = CohortRequest(str(index), **fields)
    except TypeError:
        unknown = sorted(set(fields) - set(CohortRequest.__dataclass_fields__))
        raise UsageError(f"unknown options: {', '.join(unknown)}") from None
    given = [bool(request.criteria.strip()), bool(request.query.strip()), request.form is not None]
    if sum(given) != 1 and not (given[0] and given[2] and not given[1]):
        raise UsageError("give criteria in words, a query or a form")
    refuse_longer("criteria", request.criteria)
    if request.as_of:
        try:
            date.fromisoformat(request.as_of)
        except ValueError:
            raise UsageError(f"--as-of wants a day as 2022-01-31, not {request.as_of!r}") from None
    least = min(request.pieces, request.chunks if request.chunks is not None else 1)
    if not 0 < request.share <= 1 or least < 1:
        told = "--share wants more than 0 and at most 1, --chunks and --pieces 1 or more"
        raise UsageError(told)
    if not given[0] or given[2]:
        if request.system != "symbolic":
            raise UsageError(
                "a query or a form is for the system symbolic: the others read criteria"
            )
        held = request.form.get("form", request.form) if request.form is not None else None
        form = parse_query(request.query) if held is None else from_json(held)
        fields["form"] = to_json(form)
    fields["models"] = _models(settings, request, model)
    return CohortRequest(str(index), **fields)


def _models(settings: Settings, request: CohortRequest, model: str | None) -> dict[str, str]:
    """The models of the stages that ask one: none where a query or a form was given."""
    if request.system == "retriever" or request.form is not None or request.query:
        return {}
    named = COHORT.stage_models(settings)
    stages: tuple[Stage[Any], ...] = (
        (TRANSLATE, READBACK) if request.system == "symbolic" else (READ,)
    )
    first = model or named.get(stages[0].name) or settings.model
    if first is None or first == EXTRACTIVE:
        if READ in stages:
            raise UsageError(f"a language model is needed for {READ.doing}: name one with --model")
        return {}
    return {stage.name: model or named.get(stage.name) or first for stage in stages}
