"""The OpenAPI document of the HTTP API, made of the app's routes: `operation` says beside a view
what it takes and answers, the view's docstring what it does, and types give the schemas, as narrow
as the host has them.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from flask import Flask
from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema
from werkzeug.routing import Rule

from clinfo import __version__
from clinfo.pipelines import DEFAULT, pipeline
from webapp.api_types import (
    IN_PATH,
    Alive,
    Event,
    Operation,
    Problem,
    Reply,
    Started,
    StatusMessage,
)
from webapp.fields import Fields, Json, or_null
from webapp.pipelines import WebPipeline, offered
from webapp.services import Services

REF: Final = "#/components/schemas/"
"""The beginning of a reference to a schema."""


class Schemas(GenerateJsonSchema):
    """Schemas as makers of clients read them: all that an answer may hold is there, a tuple is an
    array of so many items, and an enumeration has no type beside it, of which they would make
    several types.
    """

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def field_is_required(self, field: Any, total: bool) -> bool:
        return self.mode == "serialization" or super().field_is_required(field, total)

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def literal_schema(self, schema: core_schema.LiteralSchema) -> JsonSchemaValue:
        made = super().literal_schema(schema)
        return {name: value for name, value in made.items() if name != "type"}

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return or_null(self.generate_inner(schema["schema"]))

    def tuple_schema(self, schema: core_schema.TupleSchema) -> JsonSchemaValue:
        made = super().tuple_schema(schema)
        if kinds := made.pop("prefixItems", None):
            different = [kind for n, kind in enumerate(kinds) if kind not in kinds[:n]]
            made["items"] = {"anyOf": different} if len(different) > 1 else different[0]
        return made


def schemas_of(*kinds: Any, prefix: str = "") -> tuple[dict[Any, Json], dict[str, Json]]:
    """A reference to each type, and the schemas of them and of all within them by name, which
    ``prefix`` begins. What is sent may lack what has a default, what is answered lacks nothing, but
    for a problem and a sign of life.
    """

    def sent(kind: Any) -> bool:
        return kind in (Alive, Problem) or (isinstance(kind, type) and issubclass(kind, Fields))

    refs, made = TypeAdapter.json_schemas(
        [
            (kind, "validation" if sent(kind) else "serialization", TypeAdapter(kind))
            for kind in kinds
        ],
        schema_generator=Schemas,
        ref_template=f"{REF}{prefix}{{model}}",
    )
    named = {prefix + name: one for name, one in made.get("$defs", {}).items()}
    for name, one in named.items():
        one["title"] = name
    return {kind: ref for (kind, _), ref in refs.items()}, named


_DESCRIPTION: Final = """\
Ask a clinical question and get a short answer with a cited synthesis of the published literature,
in which every sentence was checked against the articles it cites. **Not medical advice.**

A run is started with `POST /api/v1/runs`, which answers at once. Then either read
`GET /api/v1/runs/{run_id}` every second until `status` is one of `done`, `failed`, `cancelled`, or
follow `GET /api/v1/runs/{run_id}/events`, which says everything as it happens.

The id of a run is not to be guessed; whoever has it may see the run, unless it belongs to a user of
this host who does not share it. A run that was started without a browser's cookie may be changed
and deleted by whoever has its id: keep it to yourself. A run that was started with an access token
of the host belongs to that token.

Every error is a problem object (RFC 9457, `application/problem+json`). While the host's database
cannot be reached, what needs it is answered with 503 and `Retry-After`. Members may be added to
every object: ignore those that you do not know.
"""
_TAGS: Final = {
    "runs": "A question and its run.",
    "host": "What this host offers.",
    "operations": "For operators of the app.",
}
_PROBLEMS: Final[Mapping[int, tuple[str, str, str]]] = {
    400: (
        "Unreadable",
        "The request cannot be read: no JSON, not an object, a number that JSON does not have, a "
        "bad Last-Event-ID.",
        "",
    ),
    401: ("Unauthorized", "The access token is not valid, or no longer.", "WWW-Authenticate"),
    403: ("Forbidden", "A browser sent this from a page of another site.", ""),
    404: (
        "NotFound",
        "This run does not exist, or the asker may not see it; both cases look alike.",
        "",
    ),
    409: (
        "Refused",
        "It cannot be done in the current state of the run, or the asker may see but not change "
        "it.",
        "",
    ),
    413: ("TooLarge", "The body is longer than this host accepts.", ""),
    415: ("NotJson", "The body must be JSON with Content-Type: application/json.", ""),
    422: (
        "Invalid",
        "A field cannot be used (`errors` names it), or the question or another text seems to "
        "identify a patient (then `where`, `spans` and `kinds` say what; nothing was stored or "
        "sent).",
        "",
    ),
    429: (
        "TooMany",
        "Too many requests at the moment: of this address or user, or of this host. Retry-After "
        "says when to come back.",
        "Retry-After",
    ),
    503: ("NotReady", "A run started now would not be processed; `reasons` says why.", ""),
}
"""By status: the name of the response, its words, and the header that it has."""
_HEADERS: Final[Mapping[str, Json]] = {
    "ETag": {"description": "Changes whenever the answer changes.", "schema": {"type": "string"}},
    "Location": {"description": "The address of the run.", "schema": {"type": "string"}},
    "Retry-After": {
        "description": "Seconds to wait before trying again.",
        "schema": {"type": "integer", "minimum": 0},
    },
    "WWW-Authenticate": {"description": "Bearer.", "schema": {"type": "string"}},
}
_TOKEN: Final = {
    "type": "http",
    "scheme": "bearer",
    "description": "An access token that the host gave out (`python -m webapp token create`). "
    "Without one a browser is known by its cookie, and a program is nobody: its runs belong to "
    "whoever knows their id.",
}


def document(app: Flask) -> Json:
    """The document, as JSON-like values, with what the host of the app offers."""
    parts: Services = app.extensions["clinfo"]
    web, chain = parts.web, parts.chain
    asked = {one.name: one for one in offered(web)}
    routes: list[tuple[Rule, Operation]] = [
        (rule, found)
        for rule in app.url_map.iter_rules()
        if (found := getattr(app.view_functions[rule.endpoint], "operation", None))
        and found.pipeline in asked
    ]
    answered = [reply.kind for _, made in routes for reply in made.replies.values()]
    sent = {made.body: made.pipeline for _, made in routes if made.body not in (None, Fields)}
    sent |= {one.sent: name for name, one in asked.items()}
    kinds = {one for one in answered if isinstance(one, type)} | set(sent)
    refs, schemas = schemas_of(*kinds, asked[DEFAULT].answers, Event, Problem, StatusMessage)
    for kind, name in sent.items():
        if issubclass(asked[name].sent, kind):
            own = schemas[kind.__name__]
            own["properties"] = _declared(name) | own["properties"]
        _narrow(schemas[kind.__name__], asked[name], parts)
    for name, one in asked.items():
        if name != DEFAULT:
            fields = schemas[one.sent.__name__]
            fields["properties"] = {"pipeline": {"const": name}} | fields["properties"]
            needed = ("pipeline", *fields.get("required", ()), "question")
            fields["required"] = [n for n in dict.fromkeys(needed) if n in fields["properties"]]
            refs[one.answers], found = _answer(one)
            schemas |= found
        one.described(schemas, web, chain)
    null: Json = {"type": "null"}
    answers = [refs[one.answers] for one in asked.values()]
    schemas["Run"]["properties"]["answer"]["anyOf"] = [*answers, null]
    refs[Fields] = {"anyOf": [refs[one.sent] for one in asked.values()]}
    links = {
        made.name: {"operationId": made.name, "parameters": {"run_id": "$response.body#/id"}}
        for rule, made in routes
        if rule.arguments == {"run_id"} and rule.rule.startswith("/api/")
    }
    paths: dict[str, Json] = {}
    for rule, made in routes:
        path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
        (method,) = (rule.methods or set()) - {"HEAD", "OPTIONS"}
        in_path = {"parameters": [IN_PATH[one] for one in re.findall(r"{(\w+)}", path)]}
        at_path = paths.setdefault(path, in_path if rule.arguments else {})
        at_path[method.lower()] = _operation(made, refs, links)
    form = {
        "openapi": "3.1.0",
        "info": {
            "title": parts.web.site_name,
            "version": __version__,
            "summary": "Clinical questions, answered from the literature, every sentence checked",
            "description": _DESCRIPTION,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "security": [{}, {"token": []}],
        "tags": [
            {"name": name, "description": told}
            for name, told in (_TAGS | {one.name: one.does for one in asked.values()}).items()
            if name in {made.tag for _, made in routes}
        ],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": {name: _problem(status, refs) for status, (name, *_) in _PROBLEMS.items()},
            "headers": _HEADERS,
            "securitySchemes": {"token": _TOKEN},
        },
    }
    made_form: Json = json.loads(json.dumps(form).replace("``", "`"))
    return made_form


def _operation(made: Operation, refs: Mapping[Any, Json], links: Json) -> Json:
    summary, _, told = made.told.partition("\n\n")
    found: Json = {
        "operationId": made.name,
        "summary": " ".join(summary.split()).removesuffix("."),
        "description": told.strip(),
        "tags": [made.tag],
        "responses": {
            str(status): _reply(reply, refs, links) for status, reply in made.replies.items()
        },
    }
    if made.parameters:
        found["parameters"] = list(made.parameters)
    for status in made.problems:
        name = _PROBLEMS[status][0]
        found["responses"][str(status)] = (
            _problem(status, refs, pages=True)
            if made.pages
            else {"$ref": f"#/components/responses/{name}"}
        )
    if made.body is not None:
        content = {"application/json": {"schema": refs[made.body]}}
        found["requestBody"] = {"required": not made.optional, "content": content}
    return found


def _reply(reply: Reply, refs: Mapping[Any, Json], links: Json) -> Json:
    made: Json = {"description": reply.told}
    if reply.headers:
        made["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in reply.headers}
    if reply.kind is not None:
        schema = reply.kind if isinstance(reply.kind, dict) else refs[reply.kind]
        made["content"] = {reply.media: {"schema": schema}}
    if reply.kind is Started:
        made["links"] = links
    return made


def _problem(status: int, refs: Mapping[Any, Json], pages: bool = False) -> Json:
    _, told, header = _PROBLEMS[status]
    made = _reply(
        Reply(told, Problem, "application/problem+json", (header,) if header else ()), refs, {}
    )
    if pages:
        made["content"]["text/html"] = {"schema": {"type": "string"}}
    return made


def _declared(name: str) -> dict[str, Json]:
    """The schemas of the options that a pipeline declares for HTTP, by name."""
    spec = pipeline(name)
    if not spec.declared:
        return {}
    found = spec.options.model.model_json_schema(schema_generator=Schemas)["properties"]
    if "question" in found:
        found["question"]["type"] = "string"
    return {one: found[one] for one in spec.options.at("http")}


def _narrow(schema: Json, asked: WebPipeline, parts: Services) -> None:
    """Put the host's models and deadline into the schema of what is sent."""
    web, fields = parts.web, schema["properties"]
    schema["description"] = f"{schema['description']} null counts as not given."
    if "max_seconds" in fields:
        fields["max_seconds"]["maximum"] = web.longest_seconds
    here: dict[str, Iterable[str]] = {
        "model": asked.models(web, parts.chain),
        "source": web.offered_sources(parts.chain),
    }
    for name, known in here.items():
        if name in fields:
            told = {"description": fields[name]["description"]}
            fields[name] = or_null({"enum": list(known)} | told)


def _answer(own: WebPipeline) -> tuple[Json, dict[str, Json]]:
    """A reference to the answer of a pipeline, and its schemas. What an older version recorded, or
    a shared host leaves out, may be lacking.
    """
    _, found = schemas_of(own.answers, prefix=own.within)
    called = own.answers.__name__
    answer = found.pop(f"{own.within}{called}") | {"title": called}
    head: Json = {"schema": {"type": "integer"}, "pipeline": {"const": own.name}}
    answer["properties"] = head | answer["properties"] | head
    found[called] = answer
    for schema in found.values():
        if own.within == "Of":
            schema["required"] = list(schema["properties"])
        else:
            schema.pop("required", None)
    return {"$ref": f"{REF}{called}"}, found
