"""A request of the cohort pipeline from what a person gives: an index, criteria or a form."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clinfo.errors import UsageError
from clinfo.pipelines.cohort.declared import COHORT, READ, TRANSLATE
from clinfo.pipelines.cohort.shapes import from_json, to_json
from clinfo.records.cohort import CohortRequest
from clinfo.records.request import EXTRACTIVE, refuse_longer
from clinfo.runs.pipeline import Stage

if TYPE_CHECKING:
    from clinfo.settings import Settings


def request_of(
    settings: Settings, index: str | Path, model: str | None = None, **fields: Any
) -> CohortRequest:
    """The request; ``fields`` are those of `CohortRequest`, ``form`` may be a whole answer that
    holds one. ``model`` translates criteria that the rules refuse, or reads for the system reader;
    the settings may name one for either stage, and only the reader takes CLINFO_MODEL.

    Raises UsageError.
    """
    try:
        request = CohortRequest(str(index), **fields)
    except TypeError:
        unknown = sorted(set(fields) - set(CohortRequest.__dataclass_fields__))
        raise UsageError(f"unknown options: {', '.join(unknown)}") from None
    if not request.criteria.strip() and request.form is None:
        raise UsageError("criteria or a form are missing")
    refuse_longer("criteria", request.criteria)
    if request.as_of:
        try:
            date.fromisoformat(request.as_of)
        except ValueError:
            raise UsageError(f"--as-of wants a day as 2022-01-31, not {request.as_of!r}") from None
    if not 0 < request.share <= 1 or (request.chunks is not None and request.chunks < 1):
        raise UsageError("--share wants more than 0 and at most 1, --chunks 1 or more")
    if request.form is not None:
        if request.system != "symbolic":
            raise UsageError("a form is for the system symbolic: the others read criteria")
        held = request.form.get("form", request.form)
        fields["form"] = to_json(from_json(held))
    fields["models"] = _models(settings, request, model)
    return CohortRequest(str(index), **fields)


def _models(settings: Settings, request: CohortRequest, model: str | None) -> dict[str, str]:
    """The model of the one stage that asks one, if any."""
    if request.system == "retriever":
        return {}
    stage: Stage[Any] = TRANSLATE if request.system == "symbolic" else READ
    name = model or COHORT.stage_models(settings).get(stage.name)
    if name is None and stage is READ:
        name = settings.model
    if name == EXTRACTIVE or (name is None and stage is READ):
        raise UsageError(f"a language model is needed for {stage.doing}: name one with --model")
    return {stage.name: name} if name is not None else {}
