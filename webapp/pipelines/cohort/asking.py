"""From what somebody asks of one of the host's indexes to a run of the cohort pipeline: within the
request, of which nothing is stored, or in the queue. Who asks what is logged.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from secrets import token_hex
from typing import Any, Final

from clinfo.errors import (
    BudgetReached,
    ClinfoError,
    FieldError,
    IdentifiersFound,
    ModelError,
    RecordError,
    UsageError,
)
from clinfo.pipelines.cohort import TRANSLATE, form_schema, request_of
from clinfo.pipelines.literature import refuse_controls
from clinfo.privacy import refuse_texts
from clinfo.records import EXTRACTIVE, CohortRequest
from clinfo.runs import RunLog, ended, recorded_answer
from clinfo.settings import Settings
from webapp.fields import of_flag, seconds
from webapp.hosting.limits import count_start
from webapp.openapi_schemas import Json, fields_schema
from webapp.patients import UNUSABLE, audit, refuse_unknown
from webapp.pipelines import shown
from webapp.pipelines.cohort.records import folder_of
from webapp.records import Lease, NotFound, Visitor
from webapp.services import Services, services
from webapp.settings import WebSettings
from webapp.storage.budget import DatabaseBudget
from webapp.work.failing import for_visitors

LONGEST: Final = 4_000
"""Characters of the criteria or the query."""
FIELDS: Final = ("index", "criteria", "query", "form", "as_of", "explain", "model")


def offered_models(web: WebSettings, chain: Settings) -> tuple[str, ...]:
    """The language models that visitors may have translate criteria: no record is shown to them."""
    return tuple(name for name in web.offered_models(chain) if name != EXTRACTIVE)


def checked(given: Mapping[str, Any], web: WebSettings, chain: Settings) -> CohortRequest:
    """The request that ``given`` makes at this host, where None and "" count as not given; not
    given: the first index, and no model. Its ``index`` is the title of one, its ``least`` the
    host's. Raises FieldError.
    """
    asked = {name: value for name, value in given.items() if value not in (None, "")}
    for name, value in asked.items():
        kind = {"form": dict, "explain": bool}.get(name, str)
        if name not in FIELDS:
            raise FieldError(name[:60], "unknown field")
        if not isinstance(value, kind):
            needed = {dict: "a JSON object", bool: "true or false"}.get(kind, "text")
            raise FieldError(name, f"must be {needed}")
        if isinstance(value, str):
            refuse_controls(name, value)
    title = asked.pop("index", next(iter(web.cohorts)))
    if title not in web.cohorts:
        raise FieldError("index", "this host has no such records")
    field = next((name for name in ("form", "query", "criteria") if asked.get(name)), "")
    if not field:
        raise FieldError("query", "must not be empty")
    for name in ("criteria", "query"):
        if len(asked.get(name, "")) > LONGEST:
            raise FieldError(name, f"must be at most {LONGEST:,} characters")
    model = asked.pop("model", None)
    if model is not None and model not in (offered := offered_models(web, chain)):
        known = f"choose one of: {', '.join(offered)}" if offered else "there is none"
        raise FieldError("model", f"is not available here; {known}")
    try:
        limits = {"max_seconds": web.longest_seconds, "least": web.fewest_shown}
        request = request_of(chain, title, model, **limits, **asked)
    except UsageError as error:
        raise of_flag(error, FIELDS, field) from None
    models = request.models if model is not None else {}
    limit = web.run_budget if models else None
    return replace(request, models=models, max_cost=limit)


def checked_fields(given: Mapping[str, Any], web: WebSettings, chain: Settings) -> CohortRequest:
    """`checked`, for a run that is kept. Raises FieldError, IdentifiersFound."""
    left = {name: value for name, value in given.items() if value is not None}
    longest = seconds(left.pop("max_seconds", None), web)
    request = replace(checked(left, web, chain), max_seconds=longest)
    if request.models:
        refuse_texts({"criteria": request.criteria}, "Nothing was sent or stored.")
    return request


def answered(request: CohortRequest, who: Visitor, export: bool = False) -> dict[str, Any]:
    """The JSON answer, for somebody whom the host knows. Raises FieldError, IdentifiersFound, Busy,
    Unauthorized.
    """
    parts = services()
    refuse_unknown(who, parts.web)
    if request.models:
        count_start(who)
    audit(shown("cohort"), request, who, parts.chain, "export" if export else "cohort")
    return asyncio.run(_ran(request, parts))


async def _ran(request: CohortRequest, parts: Services) -> dict[str, Any]:
    from clinfo.pipelines.cohort import assemble

    log = RunLog()
    try:
        carrier = assemble(
            parts.chain,
            request,
            budget=_budget(request, parts),
            folder=folder_of(request, parts.web),
            log=lambda _: None,
        )
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
        told, _ = for_visitors(type(error).__name__, str(error), False)
        field = "query" if request.query else "criteria" if request.form is None else "form"
        raise FieldError(field, told) from None
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


def asked(given: Mapping[str, Any], who: Visitor) -> dict[str, Any]:
    """The JSON answer to a program; a shared host gives counts in ranges, and no patients. Raises
    NotFound where the host has no cohorts, and what `checked` and `answered` raise.
    """
    parts = services()
    if not parts.web.cohorts:
        raise NotFound("This host has no cohorts.")
    return answered(checked(given, parts.web, parts.chain), who)


def schemas(web: WebSettings, chain: Settings) -> dict[str, Json]:
    """What is sent and answered, for the OpenAPI document."""
    text, rows = {"type": "string"}, {"type": "array", "items": {"type": "object"}}
    texts = {"type": "array", "items": text}
    models = offered_models(web, chain)
    declared: dict[str, Json] = {
        "index": {"enum": list(web.cohorts), "description": "Which records; not given: the first."},
        "criteria": text | {"maxLength": LONGEST, "description": "In words, for the model."},
        "query": text
        | {
            "maxLength": LONGEST,
            "description": "In the query language of docs/cohort.md; no model is asked.",
        },
        "form": {"type": "object", "description": "A logical form, or an answer with one."},
        "as_of": text | {"format": "date", "description": "Later notes do not count."},
        "explain": {"type": "boolean", "description": "Tell of the others too."},
        "model": {
            "enum": list(models),
            "description": "Puts criteria into a form; it is sent no record.",
        },
        "max_seconds": {},
    }
    told = "Criteria with a model, a query or a form"
    run_told = f"{told}, as a run that is kept; an access token or a login is needed."
    of_run = fields_schema("cohort", run_told, declared, models, web, ())
    at_once = {name: of_run["properties"][name] for name in FIELDS}
    count = {"type": ["integer", "string"]}
    parts = "The form and its parts: text, joins, count, parts."
    answer: Json = {
        "schema": {"type": "integer"},
        "pipeline": {"const": "cohort"},
        "form": {"type": "object", "description": form_schema()["title"]},
        **dict.fromkeys(("text", "translated_by"), text),
        **dict.fromkeys(("assumptions", "caveats", "not_documented", "warnings"), texts),
        **dict.fromkeys(("members", "attrition", "others"), rows),
        "counts": {"type": "object", "additionalProperties": count},
        "boxes": {"type": "object", "description": parts},
    }
    return {
        "CohortFields": {
            "type": "object",
            "description": f"{told}. null counts as not given.",
            "properties": at_once,
            "additionalProperties": False,
        },
        "CohortRunFields": of_run,
        "CohortAnswer": {
            "type": "object",
            "description": "A shared host gives counts as ranges in words, and no patients.",
            "properties": answer,
        },
    }


def put_in(made: Json) -> None:
    """Put the way to find a cohort at once into the OpenAPI document ``made``."""
    made["tags"].append({"name": "cohort", "description": "Patients who match criteria."})
    written = made["paths"]["/api/v1/runs"]["post"]["responses"]
    failing = {status: told for status, told in written.items() if status != "202"}
    refs = {
        name: {"schema": {"$ref": f"#/components/schemas/{name}"}}
        for name in ("CohortFields", "CohortAnswer")
    }
    example = {"example": {"query": "female and condition anemia and age > 30"}}
    made["paths"]["/api/v1/cohort"] = {
        "post": {
            "operationId": "findCohort",
            "summary": "Find patients",
            "description": "Which patients of an index match criteria, at once; nothing is stored. "
            "An access token or a login is needed.",
            "tags": ["cohort"],
            "requestBody": {
                "required": True,
                "content": {"application/json": refs["CohortFields"] | example},
            },
            "responses": {
                "200": {
                    "description": "The cohort.",
                    "content": {"application/json": refs["CohortAnswer"]},
                },
                **failing,
            },
        }
    }
