"""The HTTP API declared: the types that it takes and answers, of which it makes its answers and the
OpenAPI document its schemas; and the operations, beside the views that carry them out.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Final, Literal, TypeVar

from pydantic import ConfigDict, Field

from clinfo.pipelines import DEFAULT
from webapp.fields import Fields, Json, Key, Seconds
from webapp.records import Status

SCHEMA: Final = 1
_EXAMPLE: Final = {
    "schema": SCHEMA,
    "id": "dGhlIHJ1biBvZiBhbiBleGFtcGxl",
    "question": "Does yoga lower blood pressure?",
    "status": "queued",
    "position": 2,
    "answer": None,
    "problem": None,
    "retryable": False,
    "shared": False,
    "parent": None,
    "created_at": 1767225600.0,
    "started_at": None,
    "ended_at": None,
    "last_event": -1,
}
_STATUS: Final = """\
* `queued`: waits for a worker; `position` says how many are before it, counted from 1
* `running`: is being processed
* `done`: `answer` holds the answer
* `failed`: stopped early; `problem` gives the reason; it can be resumed, and may succeed then \
where `retryable` says so
* `cancelled`: was asked to stop; it can be resumed
* `key_needed`: was started with the visitor's own key, which is no longer available; enter it \
again and the run resumes
"""
Schema = Annotated[Literal[1], Field(description="The version of this form.")]
Time = Annotated[float, Field(description="Seconds since 1970, UTC.")]
Progress = Annotated[Status, Field(description=_STATUS)]
Position = Annotated[
    Annotated[int, Field(ge=1)] | None,
    Field(description="The place in the queue, from 1; null when not queued."),
]
Why = Annotated[str | None, Field(description="The reason a run failed, in one readable line.")]


def _with_example(**example: Any) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [example]})


@dataclass(frozen=True, kw_only=True)
class Started:
    """A run that was started."""

    __pydantic_config__: ClassVar[ConfigDict] = _with_example(
        schema=SCHEMA,
        id=_EXAMPLE["id"],
        url="https://clinfo.example.org/runs/dGhlIHJ1biBvZiBhbiBleGFtcGxl",
    )
    schema: Schema = 1
    id: Annotated[str, Field(description="The run's id; keep it.")]
    url: Annotated[str, Field(description="The page of the run, for people.")]


@dataclass(frozen=True, kw_only=True)
class RunState:
    """The progress of a run."""

    __pydantic_config__: ClassVar[ConfigDict] = _with_example(**_EXAMPLE)
    schema: Schema = 1
    id: str
    question: Annotated[str, Field(description="The question, as it was asked.")]
    status: Progress
    position: Position
    answer: None = None
    problem: Why
    retryable: Annotated[
        bool, Field(description="Whether a failed run may succeed when it is resumed as it is.")
    ]
    shared: Annotated[
        bool,
        Field(
            description="Whether anyone but its user may see it; everyone with the id can see a "
            "run without a user."
        ),
    ]
    parent: Annotated[
        str | None, Field(description="The id of the run that it follows up; null for none.")
    ]
    created_at: Time
    started_at: Time | None
    ended_at: Time | None
    last_event: Annotated[
        int,
        Field(
            ge=-1, description="The sequence number of the last event so far, -1 before the first."
        ),
    ]


@dataclass(frozen=True, kw_only=True)
class EditedRun(RunState):
    """A run of trials after an edit."""

    answer: Any


@dataclass(frozen=True, kw_only=True)
class Run(RunState):
    """A run, with its answer where there is one."""

    __pydantic_config__: ClassVar[ConfigDict] = _with_example(**_EXAMPLE, follow_ups=[])
    answer: Annotated[
        Any,
        Field(
            description="null until the run is done. Where it failed or was cancelled: what it had "
            "found by then."
        ),
    ]
    follow_ups: Annotated[
        list[str],
        Field(
            description="The ids of the runs that follow it up, oldest first: those of the asker, "
            "and shared ones."
        ),
    ]


@dataclass(frozen=True, kw_only=True)
class Runs:
    """A page of runs."""

    schema: Schema = 1
    runs: Annotated[list[RunState], Field(description="Newest first, without their answers.")]
    next: Annotated[
        str | None, Field(description="The `cursor` of the next page; null: this is the last one.")
    ]


class Resumption(Fields):
    """The way in which a run is to go on."""

    model_config = _with_example(max_seconds=10.0)
    max_seconds: Seconds = Field(
        None,
        description="A new deadline for what is left to do, in seconds; not given: the run's own.",
    )


class OwnKey(Fields):
    """The key that a run waits for."""

    model_config = _with_example(api_key="sk-example")
    api_key: Key


class Sharing(Fields):
    """The choice whether a run is shared."""

    model_config = _with_example(shared=True)
    shared: bool


@dataclass(frozen=True)
class Alive:
    """The sign of life of a process; `reasons` say what is amiss where it is degraded."""

    status: Literal["alive", "ready", "degraded"]
    reasons: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class WrongField:
    """A field that cannot be used."""

    field: Annotated[str, Field(description="Its name; a prompt is `prompts.NAME`.")]
    detail: Annotated[str, Field(description="What is wrong with it.")]


@dataclass(frozen=True)
class Problem:
    """A problem (RFC 9457)."""

    __pydantic_config__: ClassVar[ConfigDict] = _with_example(
        type="urn:clinfo:problem:identifiers-found",
        title="Unprocessable Entity",
        status=422,
        detail="The question seems to identify a patient: a name (characters 4 to 17). Nothing was "
        "sent.",
        instance="urn:clinfo:request:0123456789abcdef",
        errors=[{"field": "question", "detail": "The question seems to identify a patient."}],
        where="question",
        spans=[[3, 17]],
        kinds=["name"],
    )
    type: Annotated[
        str,
        Field(description="`urn:clinfo:problem:…`, or `about:blank` if the status is sufficient."),
    ]
    title: str
    status: int
    detail: Annotated[str, Field(description="One or two readable lines.")]
    instance: Annotated[str, Field(description="The request; the host's log contains it too.")] = ""
    errors: list[WrongField] = field(default_factory=list)
    where: Annotated[
        str,
        Field(
            description="The text that seems to identify a patient: question, query 1, filter, "
            "prompt NAME."
        ),
    ] = ""
    spans: Annotated[
        list[tuple[int, int]],
        Field(description="Where in that text, as [first, one after the last] code point."),
    ] = field(default_factory=list)
    kinds: Annotated[list[str], Field(description="What each of the spans seems to be.")] = field(
        default_factory=list
    )
    retry_after: Annotated[int, Field(description="Seconds.")] = 0
    reasons: Annotated[
        list[str], Field(description="Why a run started now would not be processed.")
    ] = field(default_factory=list)


@dataclass(frozen=True)
class StatusMessage:
    """The progress of the run."""

    status: Progress
    position: Position
    problem: Why


@dataclass(frozen=True)
class Event:
    """An event of a run. Each type has additional fields of its own."""

    schema: Annotated[
        Literal[1, 2], Field(description="1 where an older version recorded the event.")
    ]
    seq: Annotated[int, Field(ge=0, description="Counts from 0.")]
    key: Annotated[str, Field(description="Unique in the run.")]
    type: str
    stage: str
    t: Annotated[float, Field(description="Seconds since the run started.")]


def _data(kind: str) -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/{kind}"}
    return {"type": "string", "contentMediaType": "application/json", "contentSchema": schema}


MESSAGE: Final[dict[str, Any]] = {
    "oneOf": [
        {
            "type": "object",
            "properties": {"event": {"const": "status"}, "data": _data("StatusMessage")},
            "required": ["event", "data"],
        },
        {
            "type": "object",
            "properties": {
                "id": {"type": "string", "pattern": "^[0-9]+$"},
                "event": {"type": "string", "not": {"const": "status"}},
                "data": _data("Event"),
            },
            "required": ["id", "event", "data"],
        },
    ]
}
"""A message of the stream."""

View = TypeVar("View", bound=Callable[..., Any])


def parameter(name: str, told: str, pattern: str = "", example: Any = "", **more: Any) -> Json:
    """A parameter of an operation, of the query unless ``more`` says otherwise."""
    schema = {"type": "string", "pattern": pattern} if pattern else {}
    shown = {"example": example} if example != "" else {}
    return {"name": name, "in": "query", "description": told, "schema": schema} | shown | more


_OF_PATH: Final[Json] = {"in": "path", "required": True}
IN_PATH: Final = {
    "run_id": parameter(
        "run_id",
        "The id that `POST /api/v1/runs` gave.",
        "^[A-Za-z0-9_-]{16,128}$",
        "dGhlIHJ1biBvZiBhbiBleGFtcGxl",
        **_OF_PATH,
    ),
    "edit": parameter(
        "edit",
        "The `seq` of the edit.",
        example=42,
        schema={"type": "integer", "minimum": 0, "maximum": 1_000_000},
        **_OF_PATH,
    ),
}
"""Parts of addresses."""


@dataclass(frozen=True)
class Reply:
    """An answer of an operation: ``kind`` is its type, None where there is no body, or a schema;
    ``headers`` are some of those that `webapp.openapi` describes.
    """

    told: str
    kind: Any = None
    media: str = "application/json"
    headers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Operation:
    """An operation as its view declares it. ``problems`` are statuses of which the reply is a
    problem object, or with ``pages`` a page too; ``body`` is the type of what is sent, `Fields` for
    that of any pipeline. It is described where the host offers its ``pipeline``.
    """

    name: str
    tag: str
    replies: Mapping[int, Reply]
    problems: tuple[int, ...] = ()
    body: type[Fields] | None = None
    optional: bool = False
    parameters: tuple[Json, ...] = ()
    pages: bool = False
    pipeline: str = DEFAULT
    told: str = ""


def operation(
    name: str, tag: str, replies: Mapping[int, Reply], *problems: int, **more: Any
) -> Callable[[View], View]:
    """Declare the operation that a view carries out; its docstring (or ``told``) says in its first
    line what it does, and then more. ``more`` are fields of `Operation`.
    """

    def declared(view: View) -> View:
        told = more.get("told") or inspect.getdoc(view) or ""
        made = Operation(name, tag, replies, problems, **more | {"told": told})
        view.operation = made  # type: ignore[attr-defined]
        return view

    return declared
