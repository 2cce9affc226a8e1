"""What the OpenAPI document says of the trials pipeline, read from what that declares."""

from __future__ import annotations

from typing import Any, Final

from clinfo.pipelines.trials.stages import PROMPTS
from clinfo.records.request import MAX_PROMPT
from clinfo.records.trials import GivenNumbers, TrialsAnswer, TrialsRequest
from clinfo.settings import Settings
from webapp.openapi_schemas import Json, or_null, schemas_of
from webapp.settings import WebSettings
from webapp.trials.asking import (
    FIELDS,
    LONGEST_NAME,
    LONGEST_TEXT,
    MOST_PAPERS,
    NAMES,
    PARTS,
    PMCID,
    RANGES,
)
from webapp.trials.editing import LONGEST_WHY, EditFields

_PREFIX: Final = "Of"
_TEXT: Final = {"type": "string"}


def trials_schemas(web: WebSettings, chain: Settings, key: Json) -> dict[str, Json]:
    """Schemas of what is sent: a question with its papers, as narrow as this host takes it, and an
    edit.
    """
    return {"TrialsFields": _fields(web, chain, key), **_edit()}


def answer_schemas() -> dict[str, Json]:
    """Schemas of the JSON answer, as `clinfo.pipelines.trials.answer.answer_json` writes it."""
    found = schemas_of(TrialsAnswer, prefix=_PREFIX)
    answer = found.pop(f"{_PREFIX}TrialsAnswer")
    answer["properties"] = {
        "schema": {"type": "integer"},
        "pipeline": {"const": "trials"},
        **answer["properties"],
    }
    return {"TrialsAnswer": answer, **found}


def _fields(web: WebSettings, chain: Settings, key: Json) -> Json:
    declared = schemas_of(TrialsRequest)["TrialsRequest"]
    models = list(web.offered_models(chain))
    prompts = {name: {"type": "string", "maxLength": MAX_PROMPT} for name in PROMPTS.variables}
    narrow: dict[str, Json] = {
        **{name: {"maxLength": LONGEST_TEXT} for name in ("question", *PARTS)},
        **{name: {"minimum": a, "maximum": b} for name, (a, b) in RANGES.items()},
        "max_seconds": {"type": "number", "exclusiveMinimum": 0, "maximum": web.longest_seconds},
        "prompts": {"properties": prompts, "additionalProperties": False},
        "papers": {
            "type": "object",
            "additionalProperties": _TEXT,
            "propertyNames": {"minLength": 1, "maxLength": LONGEST_NAME},
            "maxProperties": MOST_PAPERS,
            "description": "The papers by name: JATS XML, text, or a PDF as a data: URL in base64.",
        },
        "pmcids": {
            "type": "array",
            "items": {"type": "string", "pattern": f"^{PMCID.pattern}$"},
            "maxItems": MOST_PAPERS,
            "description": "Articles of PubMed Central.",
        },
        "model": {"enum": models, "description": "The model of every stage."},
    }
    apart = ("papers", "pmcids", "model", "max_seconds")
    properties: dict[str, Any] = {"pipeline": {"const": "trials"}}
    for name in FIELDS:
        kind = {} if name in apart else declared["properties"][NAMES.get(name, name)]
        field = kind | narrow.get(name, {})
        properties[name] = field if name == "question" or "anyOf" in field else or_null(field)
    properties["api_key"] = or_null(key)
    properties["parent"] = {
        "type": ["string", "null"],
        "description": "The id of a run of trials, which this one repeats: its papers and settings "
        "hold unless others are given, and only what a change touches is read again.",
    }
    return {
        "type": "object",
        "description": "A question and the papers of the studies that bear on it, at least one in "
        "`papers` or `pmcids`, or a `parent` that has them. null counts as not given.",
        "properties": properties,
        "required": ["pipeline"],
        "additionalProperties": False,
    }


def _edit() -> dict[str, Json]:
    found = schemas_of(EditFields, GivenNumbers)
    edit = found["EditFields"]
    edit["properties"]["why"] |= {"minLength": 1, "maxLength": LONGEST_WHY}
    edit["required"] = ["study", "why"]
    found["GivenNumbers"]["required"] = ["kind", "intervention", "comparator"]
    return found
