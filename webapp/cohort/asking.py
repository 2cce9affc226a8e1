"""From what somebody asks of one of the host's indexes to a run of the cohort pipeline within the
request. Who asks what is logged; of the run nothing is stored.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from secrets import token_hex
from typing import Any, Final

from clinfo.api import ended
from clinfo.errors import (
    BudgetReached,
    ClinfoError,
    IdentifiersFound,
    ModelError,
    RecordError,
    UsageError,
)
from clinfo.patients.keeping import PatientStore
from clinfo.pipelines.cohort.declared import TRANSLATE
from clinfo.pipelines.cohort.events import CriteriaRefused
from clinfo.pipelines.cohort.request import request_of
from clinfo.pipelines.cohort.run_log import CohortLog
from clinfo.pipelines.literature.request import FieldError
from clinfo.records.cohort import CohortRequest
from clinfo.records.request import EXTRACTIVE
from clinfo.runs.pipeline import recorded_answer
from clinfo.settings import Settings
from webapp.chart.asking import refuse_unknown
from webapp.cohort.hiding import shown
from webapp.hosting.limits import count_start
from webapp.records import Lease, NotFound, Visitor
from webapp.services import Services, services
from webapp.settings import WebSettings
from webapp.storage.budget import DatabaseBudget

LONGEST: Final = 4_000
"""Characters of the criteria."""
UNUSABLE: Final = "cannot be asked now: its index is not finished, or damaged"
FIELDS: Final = ("index", "criteria", "form", "as_of", "explain", "model")


def offered_models(web: WebSettings, chain: Settings) -> tuple[str, ...]:
    """The language models that visitors may have translate criteria: no record is shown to them."""
    return tuple(name for name in web.offered_models(chain) if name != EXTRACTIVE)


def checked(given: Mapping[str, Any], web: WebSettings, chain: Settings) -> CohortRequest:
    """The request that ``given`` makes at this host, where None and "" count as not given; not
    given: the first index, and no model. Raises FieldError.
    """
    asked = {name: value for name, value in given.items() if value not in (None, "")}
    for name, value in asked.items():
        kind = {"form": dict, "explain": bool}.get(name, str)
        if name not in FIELDS:
            raise FieldError(name[:60], "unknown field")
        if not isinstance(value, kind):
            needed = {dict: "a JSON object", bool: "true or false"}.get(kind, "text")
            raise FieldError(name, f"must be {needed}")
    title = asked.pop("index", next(iter(web.cohorts)))
    if title not in web.cohorts:
        raise FieldError("index", "this host has no such records")
    if not asked.get("criteria") and "form" not in asked:
        raise FieldError("criteria", "must not be empty")
    if len(asked.get("criteria", "")) > LONGEST:
        raise FieldError("criteria", f"must be at most {LONGEST:,} characters")
    model = asked.pop("model", None)
    if model is not None and model not in (offered := offered_models(web, chain)):
        known = f"choose one of: {', '.join(offered)}" if offered else "there is none"
        raise FieldError("model", f"is not available here; {known}")
    try:
        request = request_of(
            chain, web.cohorts[title], model, max_seconds=web.longest_seconds, **asked
        )
    except UsageError as error:
        flag, _, told = str(error).removeprefix("--").partition(" ")
        if flag == "as-of":
            raise FieldError("as_of", told) from None
        raise FieldError("form" if "form" in asked else "criteria", str(error)) from None
    models = request.models if model is not None else {}
    limit = web.run_budget if models else None
    return replace(request, models=models, max_cost=limit)


def answered(request: CohortRequest, who: Visitor, export: bool = False) -> dict[str, Any]:
    """The JSON answer, for somebody whom the host knows. Raises FieldError, IdentifiersFound, Busy,
    Unauthorized.
    """
    parts = services()
    refuse_unknown(who, parts.web)
    if request.models:
        count_start(who)
    _audit(request, who, parts, export)
    return asyncio.run(_ran(request, parts))


async def _ran(request: CohortRequest, parts: Services) -> dict[str, Any]:
    from clinfo.pipelines.cohort.assemble import assemble

    log = CohortLog()
    try:
        carrier = assemble(parts.chain, request, budget=_budget(request, parts), log=lambda _: None)
        events = []
        async for event in carrier.run(request):
            log.add(event)
            events.append(event)
        ended(events)
    except (ModelError, BudgetReached) as error:
        raise FieldError("model", str(error)) from None
    except IdentifiersFound as error:
        told = f"{error} Nothing was sent."
        raise IdentifiersFound(told, where="criteria") from None
    except RecordError:
        raise FieldError("index", UNUSABLE) from None
    except UsageError as error:
        if not (refused := log.all(CriteriaRefused)):
            raise FieldError(
                "form" if request.form is not None else "criteria", str(error)
            ) from None
        raise FieldError("criteria", f"not understood: {'; '.join(refused[-1].words)}") from None
    answer = recorded_answer(log)
    if answer is None:
        raise ClinfoError("the run ended without an answer")
    return answer


def _budget(request: CohortRequest, parts: Services) -> DatabaseBudget | None:
    """The site's budget of the day, where a model is asked."""
    if TRANSLATE.name not in request.models:
        return None
    lease = Lease(f"cohort {token_hex(8)}", "page", 1)
    web, engine = parts.web, parts.store.engine
    return DatabaseBudget(engine, lease, web.daily_budget, request.max_cost, 0.0)


def _audit(request: CohortRequest, who: Visitor, parts: Services, export: bool) -> None:
    """Log who asks what of which records. Raises UsageError where it cannot be logged."""
    titles = {folder: title for title, folder in parts.web.cohorts.items()}
    PatientStore.of(parts.chain).audit(
        user=(who.user or f"browser {str(who.browser)[:12]}").replace("\x1f", " "),
        run="",
        patient=f"cohort {titles[request.index]}",
        question=request.criteria + (json.dumps(request.form) if request.form else ""),
        did="export" if export else "cohort",
    )


def asked(given: Mapping[str, Any], who: Visitor) -> dict[str, Any]:
    """The JSON answer to a program; a shared host gives counts in ranges, and no patients. Raises
    NotFound where the host has no cohorts, and what `checked` and `answered` raise.
    """
    parts = services()
    if not parts.web.cohorts:
        raise NotFound("This host has no cohorts.")
    request = checked(given, parts.web, parts.chain)
    least = parts.web.fewest_shown
    if least <= 1:
        return answered(request, who)
    return hidden(answered(replace(request, explain=False, shown=0), who), least)


def hidden(answer: Mapping[str, Any], least: int) -> dict[str, Any]:
    """An answer without patients, its counts as ranges of so many numbers."""
    rows = [
        row | {name: shown(row[name], least) for name in ("alone", "left")}
        for row in answer["attrition"]
    ]
    counts = {name: shown(count, least) for name, count in answer["counts"].items()}
    return {**answer, "members": [], "not_documented": [], "attrition": rows, "counts": counts}
