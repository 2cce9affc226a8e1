"""The OpenAPI document of the HTTP API, made of the limits and choices that the checks use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, get_args

from clinfo import __version__
from clinfo.pipelines import DEFAULT
from clinfo.pipelines.literature.declared import PROMPTS
from clinfo.pipelines.literature.events import EVENTS
from clinfo.pipelines.literature.request import OPTIONS, at, model
from clinfo.records.answer import Answer
from clinfo.references.registry import IEEE, styles
from clinfo.render.forms import INCLUDES, Form
from webapp.api import CHOICES
from webapp.asking import MAX_KEY, MAX_LISTED, MAX_OWN_QUERIES
from webapp.read.exports import FORMS
from webapp.records import ENDED, Status
from webapp.services import Services
from webapp.services import services as present
from webapp.settings import WebSettings

Json = dict[str, Any]

STATUSES: Final[tuple[str, ...]] = get_args(Status)
_RUN_ID: Final = "dGhlIHJ1biBvZiBhbiBleGFtcGxl"

_DESCRIPTION: Final = """\
Ask a clinical question and get a short answer with a cited synthesis of the published literature, in which every sentence was
checked against the articles it cites. **Not medical advice.**

A run is started with `POST /api/v1/runs`, which answers at once. Then either read `GET /api/v1/runs/{run_id}` every second until
`status` is one of {ended}, or follow `GET /api/v1/runs/{run_id}/events`, which says everything as it happens.

The id of a run is not to be guessed; whoever has it may see the run, unless it belongs to a user of this host who does not share
it. A run that was started without a browser's cookie may be changed and deleted by whoever has its id: keep it to yourself.

Every error is a problem object (RFC 9457, `application/problem+json`). Members may be added to every object: ignore those that
you do not know.
"""  # noqa: E501

_STATUS: Final = """\
* `queued`: waits for a worker; `position` says how many are before it, counted from 1
* `running`: is being processed
* `done`: `answer` holds the answer
* `failed`: stopped early; `problem` gives the reason; it can be resumed, and may succeed then where `retryable` says so
* `cancelled`: was asked to stop; it can be resumed
* `key_needed`: was started with the visitor's own key, which is no longer available; enter it again and the run resumes
"""  # noqa: E501

_EVENTS: Final = """\
The events of the run in the order in which they were recorded, as server-sent events: `id` is the event's sequence number (from 0,
without a gap), `event` its type, `data` the event as one line of JSON (see the schema `Event`). The answer is a pure function of
them; the last one of a run that went through is of type `answer` and holds it.

Between them come events of type `status`, without an id: `{"status", "position", "problem"}` (see `GET /api/v1/runs/{run_id}`), at
the beginning and whenever one of the three changes. Comment lines keep the connection open. The stream ends when the run has
ended or waits for a key; a `status` is the last thing that it says then.

A client that lost the connection sends the last id that it got as `Last-Event-ID` (browsers' EventSource does so by itself) and
gets the rest, nothing left out and nothing twice. When nothing will come any more the answer is 204, on which an EventSource stops.

Readers must ignore types and fields that they do not know. Types at present: {types}.
"""  # noqa: E501


def document(services: Services | None = None) -> Json:
    """The document, as JSON-like values, with what the host offers whose ``services`` these are (of
    the present app by default).
    """
    services = services or present()
    return {
        "openapi": "3.1.0",
        "info": {
            "title": services.web.site_name,
            "version": __version__,
            "summary": "Clinical questions, answered from the literature, every sentence checked",
            "description": _DESCRIPTION.replace(
                "{ended}", ", ".join(f"`{status}`" for status in ENDED)
            ),
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "tags": [
            {"name": "runs", "description": "A question and its run."},
            {"name": "host", "description": "What this host offers."},
            {"name": "operations", "description": "For operators of the app."},
        ],
        "paths": _paths(services.web),
        "components": {
            "schemas": _schemas(services),
            "parameters": _parameters(),
            "responses": _responses(),
            "headers": _headers(),
        },
    }


# ---- paths


def _paths(web: WebSettings) -> Json:
    run = [{"$ref": "#/components/parameters/run_id"}]
    prefix = "/api/v1/runs/{run_id}"
    return {
        "/api/v1/runs": {
            "post": _operation(
                "startRun",
                "Ask a question",
                "Queues a run. Nothing is stored or sent before every field is checked and the "
                "question is scanned for patient identifiers.",
                body=(
                    "AskFields",
                    {
                        "question": "Does yoga lower blood pressure?",
                        "max_seconds": min(30.0, web.longest_seconds),
                    },
                ),
                answers={
                    "202": {
                        "description": "The run is in the queue.",
                        "headers": {
                            "Location": {
                                "description": "The address of the run's page.",
                                "schema": {"type": "string"},
                            },
                        },
                        "content": _json_content(
                            "Started",
                            {
                                "schema": 1,
                                "id": _RUN_ID,
                                "url": f"https://clinfo.example.org/runs/{_RUN_ID}",
                            },
                        ),
                        "links": _links("$response.body#/id"),
                    }
                },
                problems=("400", "403", "413", "415", "422", "429"),
            ),
        },
        prefix: {
            "parameters": run,
            "get": _operation(
                "getRun",
                "Look at a run",
                (
                    "The progress of the run, and its answer once it is done. 304 if the ETag sent "
                    "as If-None-Match is still valid."
                ),
                answers={
                    "200": {
                        "description": "The run.",
                        "headers": {"ETag": {"$ref": "#/components/headers/ETag"}},
                        "content": _json_content("Run", _STATE),
                    },
                    "304": {"description": "Nothing has changed since the ETag that was sent."},
                },
                problems=("400", "404", "429"),
            ),
            "delete": _operation(
                "deleteRun",
                "Delete a run",
                (
                    "With its events, and what the caches of all workers hold for it. A running "
                    "run is stopped."
                ),
                answers={"204": {"description": "Deleted."}},
                problems=("400", "403", "404", "409", "429"),
            ),
        },
        f"{prefix}/events": {
            "parameters": run,
            "get": _operation(
                "watchRun",
                "Follow a run",
                _EVENTS.replace("{types}", ", ".join(f"`{name}`" for name in sorted(EVENTS.kinds))),
                parameters=[
                    {
                        "name": "Last-Event-ID",
                        "in": "header",
                        "description": "The last event that the client has; it gets those after it.",  # noqa: E501
                        "schema": {"type": "string", "pattern": "^[0-9]{0,9}$"},
                        "example": "41",
                    },
                    {
                        "name": "after",
                        "in": "query",
                        "description": (
                            "The same, for clients that cannot set the header; the header goes "
                            "before it."
                        ),
                        "schema": {"type": "string", "pattern": "^[0-9]{0,9}$"},
                        "example": "41",
                    },
                ],
                answers={
                    "200": {
                        "description": "The events.",
                        "content": {
                            "text/event-stream": {
                                "schema": {"$ref": "#/components/schemas/Message"},
                                "examples": {
                                    "status": {"value": {"event": "status", "data": _STATUS_LINE}},
                                    "event": {
                                        "value": {
                                            "id": "0",
                                            "event": "run_started",
                                            "data": _EVENT_LINE,
                                        }
                                    },
                                },
                            }
                        },
                    },
                    "204": {
                        "description": "The run has ended or waits for a key, and the client has all events."  # noqa: E501
                    },
                },
                problems=("400", "404", "429"),
            ),
        },
        f"{prefix}/cancel": {
            "parameters": run,
            "post": _operation(
                "cancelRun",
                "Cancel a run",
                (
                    "What is queued or waits for a key is cancelled at once, what is running "
                    "within moments (look at the run again). "
                    "Results so far are kept. A run that has ended is not changed."
                ),
                answers=_state_answer(),
                problems=("400", "403", "404", "409", "429"),
            ),
        },
        f"{prefix}/resume": {
            "parameters": run,
            "post": _operation(
                "resumeRun",
                "Resume a run",
                (
                    "Queues a failed or cancelled run. It resumes from its events: no call with a "
                    "recorded reply is repeated."
                ),
                body=("Resumption", {"max_seconds": min(60.0, web.longest_seconds)}),
                body_required=False,
                answers=_state_answer(),
                problems=("400", "403", "404", "409", "413", "415", "422", "429"),
            ),
        },
        f"{prefix}/key": {
            "parameters": run,
            "post": _operation(
                "giveKey",
                "Give the key a run waits for",
                (
                    "The key is sealed for one worker, kept in its memory only while the run "
                    "continues, and never stored in plain "
                    "text."
                ),
                body=("OwnKey", {"api_key": "sk-example"}),
                answers=_state_answer(),
                problems=("400", "403", "404", "409", "413", "415", "422", "429"),
            ),
        },
        f"{prefix}/share": {
            "parameters": run,
            "post": _operation(
                "shareRun",
                "Share a run",
                (
                    "Lets everybody who has its id see a run that belongs to a user of this host, "
                    "or no longer. "
                    "Refused for a run of no user, which everybody who has its id may see anyway."
                ),
                body=("Sharing", {"shared": True}),
                answers=_state_answer(),
                problems=("400", "403", "404", "409", "413", "415", "422", "429"),
            ),
        },
        "/api/v1/options": {
            "get": _operation(
                "getOptions",
                "Models, sources and limits",
                "The available models and sources, the default of each first, and all limits.",
                tag="host",
                answers={
                    "200": _cacheable("The models, sources and limits.", "Options"),
                    "304": {"description": "Nothing has changed."},
                },
                problems=("429",),
            )
        },
        "/api/v1/prompts": {
            "get": _operation(
                "getPrompts",
                "The default prompts",
                (
                    "Each with the variables that a replacement must hold, and the only ones that "
                    "it may hold."
                ),
                tag="host",
                answers={
                    "200": _cacheable("The prompts.", "Prompts"),
                    "304": {"description": "Nothing has changed."},
                },
                problems=("429",),
            )
        },
        **{
            f"/runs/{{run_id}}.{form.suffix}": {"parameters": run, "get": _export(form)}
            for form in FORMS.values()
        },
        **_operations(),
    }


def _export(form: Form) -> Json:
    """An answer as a file, for people and programs: what goes wrong is a page unless JSON is asked
    for.
    """
    schema: Json = {"type": "string"}
    if form.suffix == "json":
        schema = {"$ref": "#/components/schemas/Answer"}
    elif form.media_type.partition(";")[0].endswith("json"):
        schema = {"type": "array", "items": {"type": "object"}}
    elif form.package:
        schema = {"type": "string", "format": "binary"}
    include = {
        "name": "include",
        "in": "query",
        "description": "Which articles a list of references holds.",
        "schema": {"enum": list(INCLUDES), "default": INCLUDES[0]},
    }
    style = {
        "name": "style",
        "in": "query",
        "description": "Citation style of the references.",
        "schema": {"enum": list(styles()), "default": IEEE},
    }
    problem = {
        "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}},
        "text/html": {"schema": {"type": "string"}},
    }
    wrong = {
        status: {"description": _PROBLEMS[status][1], "content": problem}
        for status in ("400", "404", "409", "422", "429")
    }
    wrong["429"]["headers"] = {"Retry-After": {"$ref": "#/components/headers/Retry-After"}}
    return {
        "operationId": f"export_{form.suffix.replace('.', '_').replace('-', '_')}",
        "summary": f"The answer as {form.title}",
        "description": f"{form.note[0].upper()}{form.note[1:]}. While the run continues, what exists so far.",  # noqa: E501
        "tags": ["runs"],
        "parameters": [include, style],
        "responses": {
            "200": {"description": "The file.", "content": {form.media_type: {"schema": schema}}},
            **wrong,
        },
    }


def _operations() -> Json:
    alive: Json = {
        "type": "object",
        "properties": {"status": {"type": "string"}},
        "required": ["status"],
    }
    not_ready: Json = {
        "description": "A run started now would not be processed; `reasons` says why.",
        "content": {
            "application/problem+json": {
                "schema": {
                    "allOf": [{"$ref": "#/components/schemas/Problem"}],
                    "properties": {"reasons": {"type": "array", "items": {"type": "string"}}},
                    "required": ["reasons"],
                }
            }
        },
    }

    def get(
        name: str, summary: str, description: str, content: Json, more: Json | None = None
    ) -> Json:
        answers = {"200": {"description": "Yes.", "content": content}} | (more or {})
        return {
            "get": _operation(
                name, summary, description, tag="operations", answers=answers, problems=()
            )
        }

    return {
        "/healthz": get(
            "healthz",
            "Check that the process is alive",
            "Asks nothing else.",
            {"application/json": {"schema": alive}},
        ),
        "/readyz": get(
            "readyz",
            "Check that runs would be processed",
            "Database, queue and a worker are available.",
            {"application/json": {"schema": alive}},
            {"503": not_ready},
        ),
        "/metrics": get(
            "metrics",
            "Counts for Prometheus",
            "They contain nothing private.",
            {"text/plain": {"schema": {"type": "string"}}},
        ),
        "/openapi.json": get(
            "openapi",
            "This document",
            "With what this host offers.",
            {"application/json": {"schema": {"type": "object"}}},
        ),
    }


def _operation(
    name: str,
    summary: str,
    description: str,
    *,
    answers: Json,
    problems: tuple[str, ...],
    tag: str = "runs",
    body: tuple[str, Json] | None = None,
    body_required: bool = True,
    parameters: list[Json] | None = None,
) -> Json:
    operation: Json = {
        "operationId": name,
        "summary": summary,
        "description": description,
        "tags": [tag],
    }
    if parameters:
        operation["parameters"] = parameters
    if body is not None:
        operation["requestBody"] = {"required": body_required, "content": _json_content(*body)}
    told = {
        status: {"$ref": f"#/components/responses/{_PROBLEMS[status][0]}"} for status in problems
    }
    return operation | {"responses": {**answers, **told}}


def _json_content(schema: str, example: Json | None = None) -> Json:
    content: Json = {"schema": {"$ref": f"#/components/schemas/{schema}"}}
    if example is not None:
        content["example"] = example
    return {"application/json": content}


def _state_answer() -> Json:
    return {
        "200": {
            "description": "The current state of the run, without its answer.",
            "content": _json_content("RunState", _STATE),
        }
    }


def _cacheable(description: str, schema: str) -> Json:
    return {
        "description": description,
        "headers": {"ETag": {"$ref": "#/components/headers/ETag"}},
        "content": _json_content(schema),
    }


def _links(expression: str) -> Json:
    operations = (
        "getRun",
        "watchRun",
        "cancelRun",
        "resumeRun",
        "giveKey",
        "shareRun",
        "deleteRun",
    )
    return {
        name: {"operationId": name, "parameters": {"run_id": expression}} for name in operations
    }


def _parameters() -> Json:
    return {
        "run_id": {
            "name": "run_id",
            "in": "path",
            "required": True,
            "description": "The id that `POST /api/v1/runs` gave.",
            "schema": {"type": "string", "pattern": "^[A-Za-z0-9_-]{16,128}$"},
            "example": _RUN_ID,
        }
    }


def _headers() -> Json:
    return {
        "ETag": {
            "description": "Changes whenever the answer changes.",
            "schema": {"type": "string"},
        },
        "Retry-After": {
            "description": "Seconds to wait before trying again.",
            "schema": {"type": "integer", "minimum": 0},
        },
    }


# ---- what goes wrong

_PROBLEMS: Final[Mapping[str, tuple[str, str]]] = {
    "400": (
        "Unreadable",
        (
            "The request cannot be read: no JSON, not an object, a number that JSON does not have, "
            "a bad Last-Event-ID."
        ),
    ),
    "403": ("Forbidden", "A browser sent this from a page of another site."),
    "404": (
        "NotFound",
        "This run does not exist, or the asker may not see it; both cases look alike.",
    ),
    "409": (
        "Refused",
        (
            "It cannot be done in the current state of the run, or the asker may see but not "
            "change it."
        ),
    ),
    "413": ("TooLarge", "The body is longer than this host accepts."),
    "415": ("NotJson", "The body must be JSON with Content-Type: application/json."),
    "422": (
        "Invalid",
        (
            "A field cannot be used (`errors` names it), or the question or another text seems to "
            "identify a patient (then `where`, "
            "`spans` and `kinds` say what; nothing was stored or sent)."
        ),
    ),
    "429": (
        "TooMany",
        (
            "Too many requests at the moment: of this address or user, or of this host. "
            "Retry-After says when to come back."
        ),
    ),
}

_PROBLEM_EXAMPLES: Final[Mapping[str, Mapping[str, Json]]] = {
    "404": {
        "unknown": {
            "type": "urn:clinfo:problem:not-found",
            "title": "Not Found",
            "status": 404,
            "detail": "This run does not exist.",
            "instance": "urn:clinfo:request:0123456789abcdef",
        }
    },
    "422": {
        "field": {
            "type": "urn:clinfo:problem:invalid",
            "title": "Unprocessable Entity",
            "status": 422,
            "detail": "seed: must be a whole number from 0 to 2,147,483,647, not -1",
            "instance": "urn:clinfo:request:0123456789abcdef",
            "errors": [
                {
                    "field": "seed",
                    "detail": "must be a whole number from 0 to 2,147,483,647, not -1",
                }
            ],
        },
        "patient": {
            "type": "urn:clinfo:problem:identifiers-found",
            "title": "Unprocessable Entity",
            "status": 422,
            "detail": (
                "The question seems to identify a patient: a name (characters 4 to 17). Nothing "
                "was sent."
            ),
            "instance": "urn:clinfo:request:0123456789abcdef",
            "errors": [
                {"field": "question", "detail": "The question seems to identify a patient."}
            ],
            "where": "question",
            "spans": [[3, 17]],
            "kinds": ["name"],
        },
    },
    "429": {
        "busy": {
            "type": "urn:clinfo:problem:busy",
            "title": "Too Many Requests",
            "status": 429,
            "detail": "The queue is full.",
            "instance": "urn:clinfo:request:0123456789abcdef",
            "retry_after": 30,
        }
    },
}


def _responses() -> Json:
    responses: Json = {}
    for status, (name, description) in _PROBLEMS.items():
        content: Json = {"schema": {"$ref": "#/components/schemas/Problem"}}
        if examples := _PROBLEM_EXAMPLES.get(status):
            content["examples"] = {key: {"value": value} for key, value in examples.items()}
        responses[name] = {
            "description": description,
            "content": {"application/problem+json": content},
        }
        if status == "429":
            responses[name]["headers"] = {
                "Retry-After": {"$ref": "#/components/headers/Retry-After"}
            }
    return responses


# ---- schemas


def _schemas(services: Services) -> Json:
    return {
        "AskFields": _ask_fields(services),
        "Started": _object(
            "A run that was started.",
            {
                "schema": _SCHEMA,
                "id": {"type": "string", "description": "The run's id; keep it."},
                "url": {"type": "string", "description": "The page of the run, for people."},
            },
        ),
        "RunState": _object(
            "The progress of a run.", _STATE_PROPERTIES | {"answer": {"type": "null"}}
        ),
        "Run": _object(
            "A run, with its answer where there is one.",
            _STATE_PROPERTIES
            | {
                "answer": {
                    "anyOf": [{"$ref": "#/components/schemas/Answer"}, {"type": "null"}],
                    "description": (
                        "null until the run is done. Where it failed or was cancelled: what it had "
                        "found by then."
                    ),
                }
            },
        ),
        "Resumption": {
            "type": "object",
            "properties": {
                "max_seconds": _or_null(
                    {
                        "type": "number",
                        "exclusiveMinimum": 0,
                        "maximum": services.web.longest_seconds,
                        "description": (
                            "A new deadline for what is left to do, in seconds; not given: the "
                            "run's own."
                        ),
                    }
                )
            },
            "additionalProperties": False,
        },
        "OwnKey": {
            "type": "object",
            "properties": {"api_key": _own_key()},
            "required": ["api_key"],
            "additionalProperties": False,
        },
        "Sharing": {
            "type": "object",
            "properties": {"shared": {"type": "boolean"}},
            "required": ["shared"],
            "additionalProperties": False,
        },
        "Options": _options_schema(),
        "Prompts": _object(
            "The default prompts.",
            {
                "schema": _SCHEMA,
                "prompts": {
                    "type": "object",
                    "description": f"By name: {', '.join(PROMPTS.variables)}.",
                    "additionalProperties": _object(
                        (
                            "A prompt. Its variables stand in it in braces, `{question}`; "
                            "`{{question}}` is the text `{question}`."
                        ),
                        {
                            "text": {"type": "string"},
                            "variables": {"type": "array", "items": {"type": "string"}},
                            "sha256": {
                                "type": "string",
                                "description": "Of the whole text in UTF-8, hexadecimal.",
                            },
                        },
                    ),
                },
            },
        ),
        "Problem": _problem(),
        "Message": _message(),
        "StatusMessage": _object(
            "The progress of the run.",
            {name: _STATE_PROPERTIES[name] for name in ("status", "position", "problem")},
        ),
        "Event": _event(),
        **_answer_schemas(),
    }


_SCHEMA: Final[Json] = {"const": 1, "description": "The version of this form."}
_ANSWER_SCHEMA: Final[Json] = {"const": 2, "description": "The version of this form."}
_NULLABLE_TIME: Final[Json] = {
    "type": ["number", "null"],
    "description": "Seconds since 1970, UTC.",
}
_STATE_PROPERTIES: Final[Json] = {
    "schema": _SCHEMA,
    "id": {"type": "string"},
    "status": {"enum": list(STATUSES), "description": _STATUS},
    "position": {
        "type": ["integer", "null"],
        "minimum": 1,
        "description": "The place in the queue, from 1; null when not queued.",
    },
    "problem": {
        "type": ["string", "null"],
        "description": "The reason a run failed, in one readable line.",
    },
    "retryable": {
        "type": "boolean",
        "description": "Whether a failed run may succeed when it is resumed as it is.",
    },
    "shared": {
        "type": "boolean",
        "description": (
            "Whether anyone but its user may see it; everyone with the id can see a run without a "
            "user."
        ),
    },
    "created_at": {"type": "number", "description": "Seconds since 1970, UTC."},
    "started_at": _NULLABLE_TIME,
    "ended_at": _NULLABLE_TIME,
    "last_event": {
        "type": "integer",
        "minimum": -1,
        "description": "The sequence number of the last event so far, -1 before the first.",
    },
}


def _object(description: str, properties: Json) -> Json:
    """An object of an answer: all members are there, and more may come."""
    return {
        "type": "object",
        "description": description,
        "properties": properties,
        "required": list(properties),
    }


def _or_null(schema: Json) -> Json:
    """A field of a request: null counts as not given."""
    nullable = schema | {"type": [schema["type"], "null"]}
    return nullable | {"enum": [*schema["enum"], None]} if "enum" in schema else nullable


def _own_key() -> Json:
    return {
        "type": "string",
        "minLength": 1,
        "maxLength": MAX_KEY,
        "pattern": "^[!-~]+$",
        "writeOnly": True,
        "description": (
            "The asker's own key for the provider of the model. Never stored in plain text, never "
            "shown."
        ),
    }


def _ask_fields(services: Services) -> Json:
    """Return what the pydantic model of a request says of itself, as narrow as this host takes
    it.
    """
    web, chain = services.web, services.chain
    models, sources = list(web.offered_models(chain)), list(web.offered_sources(chain))
    here: Json = {
        "model": {
            "enum": models,
            "description": f"The model of every stage; not given: {models[0]}, or what the host sets.",  # noqa: E501
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
    fields: Json = {"api_key": _or_null(_own_key())}
    for name in at("http"):
        *kinds, null = described[name]["anyOf"]
        told = {"description": described[name]["description"]}
        if len(kinds) == 1:
            fields[name] = kinds[0] | told | here.get(name, {})
            if name != "question":
                fields[name] = _or_null(fields[name])
        else:
            one, several = kinds
            fields[name] = {
                "anyOf": [one, several | ({"maxItems": most[name]} if name in most else {}), null],
                **told,
            }
    return {
        "type": "object",
        "description": "A question and the settings of its run. null counts as not given.",
        "properties": {
            **fields,
            "pipeline": {
                "enum": [DEFAULT, None],
                "description": "What answers; not given: literature.",
            },
        },
        "required": ["question"],
        "additionalProperties": False,
    }


def _options_schema() -> Json:
    names, count = {"type": "array", "items": {"type": "string"}}, {"type": "integer"}
    counts = {"type": "object", "additionalProperties": count}
    return _object(
        "The models, sources and limits of this host.",
        {
            "schema": _SCHEMA,
            "models": names | {"description": "The first is used where none is named."},
            "sources": names | {"description": "The first is used where none is named."},
            **dict.fromkeys(CHOICES, names),
            "edit_prompts": {"type": "boolean", "description": "Whether prompts may be replaced."},
            "own_keys": {
                "type": "boolean",
                "description": "Whether the asker's own key is accepted.",
            },
            "max_seconds": _object(
                "Deadlines, in seconds.",
                {"default": {"type": "number"}, "most": {"type": "number"}},
            ),
            "longest": counts | {"description": "Most characters of texts, by field."},
            "most": counts | {"description": "Most entries of lists, by field."},
            "whole_numbers": {
                "type": "object",
                "additionalProperties": _object("", {"least": count, "most": count}),
                "description": "Smallest and largest value of each whole number.",
            },
            "largest_body": {"type": "integer", "description": "Bytes."},
            "retention_days": {
                "type": ["number", "null"],
                "description": "Number of days after which runs are deleted; null: never.",
            },
        },
    )


def _problem() -> Json:
    field = _object(
        "A field that cannot be used.",
        {
            "field": {"type": "string", "description": "Its name; a prompt is `prompts.NAME`."},
            "detail": {"type": "string", "description": "What is wrong with it."},
        },
    )
    return {
        "type": "object",
        "description": "What went wrong (RFC 9457).",
        "properties": {
            "type": {
                "type": "string",
                "description": "`urn:clinfo:problem:…`, or `about:blank` if the status is sufficient.",  # noqa: E501
            },
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string", "description": "One or two readable lines."},
            "instance": {
                "type": "string",
                "description": "The request; the host's log contains it too.",
            },
            "errors": {"type": "array", "items": field},
            "where": {
                "type": "string",
                "description": (
                    "The text that seems to identify a patient: question, query 1, filter, prompt "
                    "NAME."
                ),
            },
            "spans": {
                "type": "array",
                "items": {
                    "type": "array",
                    "items": {"type": "integer"},
                    "minItems": 2,
                    "maxItems": 2,
                },
                "description": "Where in that text, as [first, one after the last] code point.",
            },
            "kinds": {
                "type": "array",
                "items": {"type": "string"},
                "description": "What each of the spans seems to be.",
            },
            "retry_after": {"type": "integer", "description": "Seconds."},
        },
        "required": ["type", "title", "status", "detail"],
    }


def _message() -> Json:
    """One message of an event stream, its fields as text."""

    def line(schema: str) -> Json:
        return {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": {"$ref": f"#/components/schemas/{schema}"},
        }

    status = {"event": {"const": "status"}, "data": line("StatusMessage")}
    event = {
        "id": {"type": "string", "pattern": "^[0-9]+$"},
        "event": {"type": "string", "not": {"const": "status"}},
        "data": line("Event"),
    }
    return {
        "description": "A message of the stream.",
        "oneOf": [
            {"type": "object", "properties": status, "required": list(status)},
            {"type": "object", "properties": event, "required": list(event)},
        ],
    }


def _event() -> Json:
    return _object(
        "An event of a run. Each type has additional fields of its own.",
        {
            "schema": {
                "enum": [1, 2],
                "description": "1 where an older version recorded the event.",
            },
            "seq": {"type": "integer", "minimum": 0, "description": "Counts from 0."},
            "key": {"type": "string", "description": "Unique in the run."},
            "type": {
                "type": "string",
                "description": f"{', '.join(sorted(EVENTS.kinds))}; more may be added.",
            },
            "stage": {"type": "string"},
            "t": {"type": "number", "description": "Seconds since the run started."},
        },
    )


def _answer_schemas() -> Json:
    """The JSON answer as `clinfo.pipelines.literature.answer_building.answer_json` writes it, from
    the dataclasses that it is made of.
    """
    import msgspec

    def anything(kind: type) -> Json:
        if kind is object:
            return {"description": "Any JSON value."}
        raise NotImplementedError

    _, schemas = msgspec.json.schema_components(
        [Answer], ref_template="#/components/schemas/{name}", schema_hook=anything
    )
    for schema in schemas.values():
        schema["description"] = _unindented(schema.get("description", ""))
        for each in schema["properties"].values():
            each.pop("default", None)
        schema["required"] = list(schema["properties"])
    sentence, support = schemas["Sentence"], schemas["Support"]
    sentence["properties"] = {"in": sentence["properties"].pop("part"), **sentence["properties"]}
    del sentence["properties"]["lead"]
    share = "The share of the sentences shown that claim something that is supported, 0 to 1."
    support["properties"]["rate"] = {"type": ["number", "null"], "description": share}
    for name, counted in (
        ("told", "a judge could tell: carried or not"),
        ("claims", "claim something"),
    ):
        support["properties"][name] = {
            "type": "integer",
            "description": f"How many of the sentences shown {counted}.",
        }
    schemas["Answer"]["properties"] = {"schema": _ANSWER_SCHEMA, **schemas["Answer"]["properties"]}
    for schema in (sentence, support, schemas["Answer"]):
        schema["required"] = list(schema["properties"])
    return dict(schemas)


def _unindented(text: str) -> str:
    return "\n".join(line.strip() for line in text.replace("``", "`").splitlines())


# ---- examples

_STATE: Final[Json] = {
    "schema": 1,
    "id": _RUN_ID,
    "status": "queued",
    "position": 2,
    "answer": None,
    "problem": None,
    "retryable": False,
    "shared": False,
    "created_at": 1767225600.0,
    "started_at": None,
    "ended_at": None,
    "last_event": -1,
}
_STATUS_LINE: Final = '{"status": "queued", "position": 2, "problem": null}'
_EVENT_LINE: Final = (
    '{"schema": 1, "seq": 0, "key": "run", "type": "run_started", "stage": "run", "t": 0.0}'
)
