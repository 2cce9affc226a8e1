"""What the OpenAPI document of a host that offers cohorts says of them."""

from __future__ import annotations

from typing import Final

from clinfo.pipelines.cohort.shapes import form_schema
from webapp.cohort.asking import FIELDS, LONGEST, RUN_FIELDS, offered_models
from webapp.openapi_schemas import Json, or_null
from webapp.services import Services

_FORM: Final[Json] = {"type": "object", "description": "A logical form, or an answer with one."}
_COUNT: Final[Json] = {"type": ["integer", "string"]}
_ROWS: Final[Json] = {"type": "array", "items": {"type": "object"}}


def put_in(made: Json, services: Services) -> None:
    """Put what is sent and answered into the OpenAPI document ``made``."""
    web = services.web
    made["tags"].append({"name": "cohort", "description": "Patients who match criteria."})
    declared: dict[str, Json] = {
        "index": {"enum": list(web.cohorts), "description": "Which records; not given: the first."},
        "criteria": {
            "type": "string",
            "maxLength": LONGEST,
            "description": "In words, for the model.",
        },
        "query": {
            "type": "string",
            "maxLength": LONGEST,
            "description": "In the query language of docs/cohort.md; no model is asked.",
        },
        "form": _FORM,
        "as_of": {"type": "string", "format": "date", "description": "Later notes do not count."},
        "explain": {"type": "boolean", "description": "Tell of the others too."},
        "model": {
            "enum": list(offered_models(web, services.chain)),
            "description": "Puts criteria into a form; it is sent no record.",
        },
        "max_seconds": {"type": "number", "exclusiveMinimum": 0, "maximum": web.longest_seconds},
    }
    properties: Json = {"pipeline": {"const": "cohort"}}
    made["components"]["schemas"] |= {
        "CohortFields": {
            "type": "object",
            "description": "Criteria with a model, a query or a form. null counts as not given.",
            "properties": {name: or_null(declared[name]) for name in FIELDS},
            "additionalProperties": False,
        },
        "CohortRunFields": {
            "type": "object",
            "description": "Criteria with a model, a query or a form, as a run that is kept; an "
            "access token or a login is needed. null counts as not given.",
            "properties": properties | {name: or_null(declared[name]) for name in RUN_FIELDS},
            "required": ["pipeline"],
            "additionalProperties": False,
        },
        "CohortAnswer": {
            "type": "object",
            "description": "A shared host gives counts as ranges in words, and no patients.",
            "properties": {
                "schema": {"type": "integer"},
                "pipeline": {"const": "cohort"},
                "form": {"type": "object", "description": form_schema()["title"]},
                "text": {"type": "string"},
                "translated_by": {"type": "string"},
                "assumptions": {"type": "array", "items": {"type": "string"}},
                "caveats": {"type": "array", "items": {"type": "string"}},
                "members": _ROWS,
                "not_documented": {"type": "array", "items": {"type": "string"}},
                "attrition": _ROWS,
                "counts": {"type": "object", "additionalProperties": _COUNT},
                "boxes": {
                    "type": "object",
                    "description": "The form and its parts: text, joins, count, parts.",
                },
                "others": _ROWS,
                "warnings": {"type": "array", "items": {"type": "string"}},
            },
        },
    }
    sent = made["paths"]["/api/v1/runs"]["post"]["requestBody"]["content"]["application/json"]
    answers = made["components"]["schemas"]["Run"]["properties"]["answer"]["anyOf"]
    for anyone, name in ((sent["schema"]["anyOf"], "CohortRunFields"), (answers, "CohortAnswer")):
        anyone.insert(-1, {"$ref": f"#/components/schemas/{name}"})
    written = made["paths"]["/api/v1/runs"]["post"]["responses"]
    failing = {status: told for status, told in written.items() if status != "202"}
    made["paths"]["/api/v1/cohort"] = {
        "post": {
            "operationId": "findCohort",
            "summary": "Find patients",
            "description": "Which patients of an index match criteria, at once; nothing is stored. "
            "An access token or a login is needed.",
            "tags": ["cohort"],
            "requestBody": {
                "required": True,
                "content": {
                    "application/json": {
                        "schema": {"$ref": "#/components/schemas/CohortFields"},
                        "example": {"query": "female and condition anemia and age > 30"},
                    }
                },
            },
            "responses": {
                "200": {
                    "description": "The cohort.",
                    "content": {
                        "application/json": {
                            "schema": {"$ref": "#/components/schemas/CohortAnswer"}
                        }
                    },
                },
                **failing,
            },
        }
    }
