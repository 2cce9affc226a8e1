"""What the OpenAPI document of a host that has the copilot switched on says of it."""

from __future__ import annotations

from clinfo.records.copilot import CopilotAnswer, CopilotRequest
from webapp.copilot.asking import FIELDS, MOST_STEPS, SELECTS, TEXTS
from webapp.openapi_schemas import Json, or_null, schemas_of
from webapp.services import Services

_PREFIX = "Copilot"


def put_in(made: Json, services: Services) -> None:
    """Put what is sent and answered into the OpenAPI document ``made``."""
    found = schemas_of(CopilotAnswer, prefix=_PREFIX)
    answer = found.pop(f"{_PREFIX}CopilotAnswer")
    answer["properties"] |= {"schema": {"type": "integer"}, "pipeline": {"const": "copilot"}}
    schemas = made["components"]["schemas"]
    schemas |= {"CopilotAnswer": answer, **found, "CopilotFields": _fields(services)}
    sent = made["paths"]["/api/v1/runs"]["post"]["requestBody"]["content"]["application/json"]
    for anyone, name in (
        (sent["schema"]["anyOf"], "CopilotFields"),
        (schemas["Run"]["properties"]["answer"]["anyOf"], "CopilotAnswer"),
    ):
        anyone.insert(-1, {"$ref": f"#/components/schemas/{name}"})


def _fields(services: Services) -> Json:
    web = services.web
    declared = schemas_of(CopilotRequest)["CopilotRequest"]["properties"]
    models = list(web.offered_models(services.chain))
    apart: dict[str, Json] = {
        name: {"type": "string", "maxLength": most} for name, most in TEXTS.items()
    }
    apart["case"] |= {
        "description": "A patient's case; an access token or a login is needed, and a model that "
        "the host declared for patients."
    }
    apart |= {
        "tools": {
            "type": "array",
            "items": {"type": "string"},
            "description": "Only these tools may be called; not given: all.",
        },
        "max_steps": {"type": "integer", "minimum": 1, "maximum": MOST_STEPS},
        "max_tokens": {"type": "integer", "minimum": 1},
        "model": {"enum": models, "description": "The model of every stage."},
        "max_seconds": {"type": "number", "exclusiveMinimum": 0, "maximum": web.longest_seconds},
    }
    properties: Json = {"pipeline": {"const": "copilot"}}
    for name in FIELDS:
        field = apart.get(name) or declared[name]
        if name in SELECTS:
            field = field | {"description": "Selects evidence without a language model."}
        properties[name] = field if name == "question" else or_null(field)
    return {
        "type": "object",
        "description": "A question to the copilot. null counts as not given.",
        "properties": properties,
        "required": ["pipeline", "question"],
        "additionalProperties": False,
    }
