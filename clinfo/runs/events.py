"""Events of every run: one typed stream, and its JSON form. A pipeline adds its own kinds.

Every event has a type, a stage, a key that is unique in its run, a sequence number and a time
(seconds since the run started). The JSON form is one object a line: ``{"schema": 2, "seq", "key",
"type", "stage", "t", …fields}``. Readers must ignore types and fields they do not know;
`EventTypes.loads` skips unknown types.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from clinfo.errors import RecordError

SCHEMA = 2


@dataclass(frozen=True, kw_only=True)
class Event:
    """Base of all events. ``seq`` counts from 0; ``t`` is seconds since the run started."""

    type: ClassVar[str]
    stage_form: ClassVar[str]
    key_form: ClassVar[str]
    seq: int = -1
    t: float = 0.0

    @property
    def stage(self) -> str:
        """The step of the chain that this event belongs to."""
        return self.stage_form.format(self)

    @property
    def key(self) -> str:
        """Unique in the run, so that an event is recorded once however often its step is gone
        through.
        """
        return self.key_form.format(self)


@dataclass(frozen=True, kw_only=True)
class RunStarted(Event):
    """The request as checked, and the settings that the answer will state. ``started_at`` is ISO
    8601, UTC.

    ``source_address`` is where the source is asked, without user and password, or for a local
    source which index was searched; None where the source says neither.
    """

    type: ClassVar[str] = "run_started"
    stage_form: ClassVar[str] = "run"
    key_form: ClassVar[str] = "run"
    request: Any
    settings: dict[str, Any]
    notices: tuple[str, ...]
    started_at: str
    source_address: str | None = None


@dataclass(frozen=True, kw_only=True)
class StreamedText(Event):
    """A piece of a text as it streams; pieces are counted within an attempt. A pipeline names a
    kind for each stage that streams."""

    attempt: int
    piece: int
    text: str


@dataclass(frozen=True, kw_only=True)
class StreamedReset(Event):
    """The text that came so far is void: streaming starts anew as attempt ``attempt``."""

    attempt: int


@dataclass(frozen=True, kw_only=True)
class Warned(Event):
    """Something the reader of the answer should know; ``about`` makes the key unique."""

    type: ClassVar[str] = "warning"
    stage_form: ClassVar[str] = "{0.where}"
    key_form: ClassVar[str] = "warning {0.about}"
    about: str
    text: str
    where: str = "run"


@dataclass(frozen=True, kw_only=True)
class CostIncurred(Event):
    """A model's reply with what it used: what makes a resumed run ask nothing twice. ``call`` is
    unique in the run.
    """

    type: ClassVar[str] = "cost"
    stage_form: ClassVar[str] = "{0.where}"
    key_form: ClassVar[str] = "cost {0.call}"
    call: str
    where: str
    model: str
    reply: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = 0.0
    at_most_usd: float | None = None
    cached: bool = False
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class StageTimed(Event):
    """The duration of a step, in seconds of wall time."""

    type: ClassVar[str] = "stage_timed"
    stage_form: ClassVar[str] = "{0.where}"
    key_form: ClassVar[str] = "timed {0.where}"
    where: str
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Answered(Event):
    """The end of a run that went through; ``answer`` is the JSON answer, the fold of all events
    before this one.
    """

    type: ClassVar[str] = "answer"
    stage_form: ClassVar[str] = "run"
    key_form: ClassVar[str] = "answer"
    answer: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class RunFailed(Event):
    """The end of a run that could not go on; it can be resumed. ``after`` is the number of events
    before this one.
    """

    type: ClassVar[str] = "run_failed"
    stage_form: ClassVar[str] = "run"
    key_form: ClassVar[str] = "failed {0.after}"
    problem: str
    error: str
    exit_status: int
    retryable: bool
    after: int = 0


@dataclass(frozen=True, kw_only=True)
class RunCancelled(Event):
    """The end of a run that was asked to stop; it can be resumed. ``after`` is the number of events
    before this one.
    """

    type: ClassVar[str] = "run_cancelled"
    stage_form: ClassVar[str] = "run"
    key_form: ClassVar[str] = "cancelled {0.after}"
    after: int = 0


COMMON: tuple[type[Event], ...] = (
    Warned,
    CostIncurred,
    StageTimed,
    Answered,
    RunFailed,
    RunCancelled,
)
"""The kinds that a run of any pipeline may emit besides its own, and its own `RunStarted`."""


def to_json(event: Event) -> dict[str, Any]:
    """The JSON form of one event."""
    import msgspec

    head = {
        "schema": SCHEMA,
        "seq": event.seq,
        "key": event.key,
        "type": event.type,
        "stage": event.stage,
        "t": event.t,
    }
    body = {name: getattr(event, name) for name in _field_names(type(event)) if name not in head}
    return {**head, **msgspec.json.decode(msgspec.json.encode(body))}


def dumps(event: Event) -> str:
    """One line of JSON, without the line end."""
    return json.dumps(to_json(event), ensure_ascii=False)


class EventTypes:
    """The kinds of events of a pipeline, by type: what reads saved events back.

    ``upgraded`` gives the form of an event that schema 1 wrote the words of today's.
    """

    def __init__(
        self,
        own: Iterable[type[Event]],
        upgraded: Callable[[dict[str, Any]], dict[str, Any]] = lambda form: form,
    ) -> None:
        self._upgraded = upgraded
        self._kinds = {kind.type: kind for kind in (*own, *COMMON)}

    @property
    def kinds(self) -> Mapping[str, type[Event]]:
        """Kind by type."""
        return self._kinds

    def from_json(self, form: dict[str, Any]) -> Event | None:
        """The event of a JSON form, or None when its type is unknown. Raises RecordError when the
        form is not an event's.
        """
        import msgspec

        if not isinstance(form, dict) or not isinstance(form.get("type"), str):
            raise RecordError("not an event: no type")
        schema = form.get("schema")
        if schema == 1:
            form = self._upgraded(form)
        elif schema != SCHEMA:
            raise RecordError(
                f"an event of schema {schema!r}; this version reads schemas 1 and {SCHEMA}"
            )
        kind = self._kinds.get(form["type"])
        if kind is None:
            return None
        names = _field_names(kind)
        try:
            event: Event = msgspec.convert(
                {name: form[name] for name in form if name in names}, kind
            )
        except (msgspec.ValidationError, OverflowError, RecursionError) as error:
            raise RecordError(
                f"event {str(form.get('key'))[:60]!r} cannot be read: {error}"
            ) from None
        return event

    def loads(self, lines: Iterable[str]) -> Iterator[Event]:
        """The events of lines as `dumps` wrote them; blank lines and unknown types are skipped.

        Raises RecordError for a line that is not an event. A torn last line (a killed process) is
        left out.
        """
        torn: str | None = None
        for number, line in enumerate(lines, 1):
            if torn is not None:
                raise RecordError(torn)
            if not line.strip():
                continue
            try:
                form = json.loads(line)
            except json.JSONDecodeError as error:
                torn = f"line {number} is not JSON: {error.msg}"
                continue
            except (
                ValueError,
                RecursionError,
            ):  # a number of thousands of digits, brackets within brackets
                raise RecordError(
                    f"line {number} is JSON that is nested too deeply or contains too long a number"
                ) from None
            event = self.from_json(form)
            if event is not None:
                yield event


def _field_names(kind: type[Event]) -> tuple[str, ...]:
    return tuple(part.name for part in fields(kind))
