"""The OpenAPI document of the HTTP API: ``openapi.json`` beside this file says in words what each
operation does; what it takes and answers is read from what is declared, as narrow as the host has
it.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from clinfo import __version__
from clinfo.pipelines import DEFAULT
from clinfo.pipelines.literature.declared import PROMPTS
from clinfo.pipelines.literature.events import EVENTS
from clinfo.pipelines.literature.request import OPTIONS, at, model
from clinfo.records.answer import Answer
from clinfo.references.registry import IEEE, styles
from clinfo.render.forms import INCLUDES, Form
from webapp.api import CHOICES
from webapp.asking import MAX_KEY
from webapp.openapi_schemas import Json, or_null, schemas_of
from webapp.pipelines import offered
from webapp.pipelines.chart import asking as chart
from webapp.pipelines.cohort import asking as cohort
from webapp.pipelines.copilot import asking as copilot
from webapp.pipelines.literature.asking import LEAVE_OUT, MAX_LISTED, MAX_OWN_QUERIES
from webapp.pipelines.literature.exports import FORMS
from webapp.pipelines.literature.following import KEEP
from webapp.pipelines.trials import asking as trials
from webapp.pipelines.trials import editing
from webapp.records import ENDED, Head, StoredRun
from webapp.services import Services
from webapp.services import services as present

_WRITTEN: Final = Path(__file__).with_suffix(".json")
_EXPORT: Final = "/runs/{run_id}.{suffix}"
_EVENTS: Final = "/api/v1/runs/{run_id}/events"


def document(services: Services | None = None) -> Json:
    """The document, as JSON-like values, with what the host offers whose ``services`` these are (of
    the present app by default).
    """
    services = services or present()
    made: Json = json.loads(_WRITTEN.read_text("utf-8"))
    longest = services.web.longest_seconds
    made["info"] |= {"title": services.web.site_name, "version": __version__}
    _put_in(made["info"], "{ended}", ENDED)
    paths, schemas = made["paths"], made["components"]["schemas"]
    _put_in(paths[_EVENTS]["get"], "{types}", sorted(EVENTS.kinds))
    for path in ("/api/v1/runs", "/api/v1/runs/{run_id}/resume"):
        example = paths[path]["post"]["requestBody"]["content"]["application/json"]["example"]
        example["max_seconds"] = min(example["max_seconds"], longest)
    export = paths.pop(_EXPORT)
    paths |= {_EXPORT.replace("{suffix}", name): _export(export, FORMS[name]) for name in FORMS}
    key = schemas["OwnKey"]["properties"]["api_key"]
    key["maxLength"] = MAX_KEY
    schemas["Resumption"]["properties"]["max_seconds"]["maximum"] = longest
    options = schemas["Options"]["properties"]
    options |= {choices: {"type": "array", "items": {"type": "string"}} for choices in CHOICES}
    schemas["Prompts"]["properties"]["prompts"]["description"] = (
        f"By name: {', '.join(PROMPTS.variables)}."
    )
    schemas["Event"]["properties"]["type"]["description"] = (
        f"{', '.join(sorted(EVENTS.kinds))}; more may be added."
    )
    _declare_state(schemas)
    _put_answer(schemas)
    of_trials = trials.schemas(services.web, services.chain, key)
    schemas |= {name: one for name, one in of_trials.items() if name != "TrialsFields"}
    for schema in schemas.values():
        if "properties" in schema:
            schema.setdefault("required", list(schema["properties"]))
    schemas["AskFields"] = _ask_fields(services, key)
    schemas |= {"TrialsFields": of_trials["TrialsFields"], **editing.schemas()}
    sent = paths["/api/v1/runs"]["post"]["requestBody"]["content"]["application/json"]
    answers = schemas["Run"]["properties"]["answer"]["anyOf"]
    for pipeline, fields, asking in (
        ("chart", "ChartFields", chart),
        ("copilot", "CopilotFields", copilot),
        ("cohort", "CohortRunFields", cohort),
    ):
        if pipeline in [one.name for one in offered(services.web)]:
            schemas |= asking.schemas(services.web, services.chain)
            sent["schema"]["anyOf"].append({"$ref": f"#/components/schemas/{fields}"})
            name = f"{pipeline.capitalize()}Answer"
            answers.insert(-1, {"$ref": f"#/components/schemas/{name}"})
    if services.web.cohorts:
        cohort.put_in(made)
    return made


def _put_in(described: Json, placeholder: str, names: Iterable[str]) -> None:
    text = ", ".join(f"`{name}`" for name in names)
    described["description"] = described["description"].replace(placeholder, text)


def _export(written: Json, form: Form) -> Json:
    """An answer as a file, for people and programs: what goes wrong is a page unless JSON is asked
    for.
    """
    made = copy.deepcopy(written)
    schema: Json = {"type": "string"}
    kind = form.media_type.partition(";")[0]
    if form.suffix == "json":
        schema = {"$ref": "#/components/schemas/Answer"}
    elif kind.endswith("json"):
        schema = {"type": "array", "items": {"type": "object"}}
    elif form.package:
        schema = {"type": "string", "format": "binary"}
    made["get"] |= {
        "operationId": f"export_{form.suffix.replace('.', '_').replace('-', '_')}",
        "summary": f"The answer as {form.title}",
        "description": f"{form.note[0].upper()}{form.note[1:]}. While the run continues, what "
        "exists so far.",
    }
    include, style = made["get"]["parameters"]
    include["schema"] = {"enum": list(INCLUDES), "default": INCLUDES[0]}
    style["schema"] = {"enum": list(styles()), "default": IEEE}
    made["get"]["responses"]["200"]["content"] = {kind: {"schema": schema}}
    return made


def _declare_state(schemas: Json) -> None:
    """Put the types of `StoredRun` and `Head` to what is said of a run's state."""
    kinds = schemas_of(StoredRun, Head)
    types = kinds["StoredRun"]["properties"] | kinds["Head"]["properties"]
    types["last_event"] = types["last_seq"]
    state, run, message = (schemas[name] for name in ("RunState", "Run", "StatusMessage"))
    declared = {name: types.get(name, {}) | told for name, told in state["properties"].items()}
    state["properties"] = declared | {"answer": {"type": "null"}}
    for one in (run, schemas["EditedRun"]):
        one["properties"] = declared | one["properties"]
    message["properties"] = {name: declared[name] for name in ("status", "position", "problem")}


def _ask_fields(services: Services, key: Json) -> Json:
    """Return what the pydantic model of a request says of itself, as narrow as this host takes
    it.
    """
    web, chain = services.web, services.chain
    models, sources = list(web.offered_models(chain)), list(web.offered_sources(chain))
    here: Json = {
        "model": {
            "enum": models,
            "description": f"The model of every stage; not given: {models[0]}, or what the host "
            "sets.",
        },
        "source": {
            "enum": sources,
            "description": f"The source of articles; not given: {sources[0]}.",
        },
        "max_seconds": {"maximum": web.longest_seconds},
        **{
            name: {"maximum": min(int(OPTIONS[name].option.most), web.most_articles)}
            for name in ("max_articles", "per_query")
        },
    }
    most = {"query": MAX_OWN_QUERIES, "drop": MAX_LISTED}
    described = model().model_json_schema()["properties"]
    fields: Json = {"api_key": or_null(key)}
    for name in at("http"):
        *kinds, null = described[name]["anyOf"]
        told = {"description": described[name]["description"]}
        if len(kinds) == 1:
            fields[name] = kinds[0] | told | here.get(name, {})
            if name != "question":
                fields[name] = or_null(fields[name])
        else:
            one, several = kinds
            limited = several | ({"maxItems": most[name]} if name in most else {})
            fields[name] = {"anyOf": [one, limited, null], **told}
    fields[LEAVE_OUT] = {
        "type": ["boolean", "null"],
        "description": "Go on without the documents that seem to identify a patient; a notice of "
        "the answer names them. Not given: they are refused.",
    }
    fields["pipeline"] = {
        "enum": [DEFAULT, None],
        "description": "What answers; not given: literature.",
    }
    fields["parent"] = {
        "type": ["string", "null"],
        "description": "The id of a run that has ended, which this one follows up: its settings "
        "hold unless others are given, and null takes one away.",
    }
    kept = {"enum": list(KEEP)}
    fields["keep"] = {
        "type": ["array", "null"],
        "items": kept,
        "description": "What is kept of the parent; not given: all. The new question then stands "
        "behind the parent's, and the relevant articles are read instead of searching.",
    }
    return {
        "type": "object",
        "description": "A question and the settings of its run. null counts as not given.",
        "properties": fields,
        "required": ["question"],
        "additionalProperties": False,
    }


def _put_answer(schemas: Json) -> None:
    """Put the schemas of the JSON answer to what is said of it, as
    `clinfo.pipelines.literature.answer_building.answer_json` writes it.
    """
    for name, schema in schemas_of(Answer).items():
        described = schema.get("description", "").replace("``", "`").splitlines()
        schema["description"] = "\n".join(line.strip() for line in described)
        schema["properties"] |= schemas.get(name, {}).get("properties", {})
        schemas[name] = schema
    sentence = schemas["Sentence"]["properties"]
    sentence["in"] = sentence.pop("part")
    del sentence["lead"]
