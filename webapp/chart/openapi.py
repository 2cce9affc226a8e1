"""What the OpenAPI document of a host that has the chart pipeline switched on says of it."""

from __future__ import annotations

from clinfo.records.chart import ChartAnswer, ChartRequest
from webapp.chart.asking import FIELDS, LONGEST_TEXT, MOST_FILES, NAMES, offered_models
from webapp.openapi_schemas import Json, or_null, schemas_of
from webapp.services import Services

_PREFIX = "Chart"


def put_in(made: Json, services: Services) -> None:
    """Put what is sent and answered into the OpenAPI document ``made``."""
    found = schemas_of(ChartAnswer, prefix=_PREFIX)
    answer = found.pop(f"{_PREFIX}ChartAnswer")
    stage = {"name": {"type": "string"}, "in": {"type": "integer"}, "out": {"type": "integer"}}
    found[f"{_PREFIX}StageTrace"] = {
        "type": "object",
        "properties": stage | {"measures": {"type": "object"}},
    }
    answer["properties"] |= {"schema": {"type": "integer"}, "pipeline": {"const": "chart"}}
    schemas = made["components"]["schemas"]
    schemas |= {"ChartAnswer": answer, **found, "ChartFields": _fields(services)}
    sent = made["paths"]["/api/v1/runs"]["post"]["requestBody"]["content"]["application/json"]
    for anyone, name in (
        (sent["schema"]["anyOf"], "ChartFields"),
        (schemas["Run"]["properties"]["answer"]["anyOf"], "ChartAnswer"),
    ):
        anyone.insert(-1, {"$ref": f"#/components/schemas/{name}"})


def _fields(services: Services) -> Json:
    web = services.web
    declared = schemas_of(ChartRequest)["ChartRequest"]["properties"]
    text = {"type": "string", "maxLength": LONGEST_TEXT}
    models = list(offered_models(web, services.chain))
    apart: dict[str, Json] = {
        "question": text,
        "record": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "minProperties": 1,
            "maxProperties": MOST_FILES,
            "description": "The files of the record, as text, by name.",
        },
        "patient": text | {"description": "Whose notes, where the files name none, or several."},
        "model": {"enum": models, "description": "The model of every stage."},
        "max_seconds": {"type": "number", "exclusiveMinimum": 0, "maximum": web.longest_seconds},
    }
    properties: Json = {"pipeline": {"const": "chart"}}
    for name in FIELDS:
        field = apart.get(name) or declared[NAMES.get(name, name)]
        properties[name] = field if name in ("question", "record") else or_null(field)
    return {
        "type": "object",
        "description": "A question about a patient's record; an access token or a login is needed. "
        "null counts as not given.",
        "properties": properties,
        "required": ["pipeline", "question", "record"],
        "additionalProperties": False,
    }
