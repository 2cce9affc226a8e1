"""Events of every run: one typed stream, and its JSON form. A pipeline adds its own kinds.

Every event has a type, a stage, a key that is unique in its run, a sequence number and a time
(seconds since the run started). The JSON form is one object a line: ``{"schema": 2, "seq", "key",
"type", "stage", "t", …fields}``. Readers must ignore types and fields they do not know;
`EventTypes.loads` skips unknown types.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, dataclass_transform

from clinfo.errors import RecordError
from clinfo.learned_types import learned

SCHEMA = 2


@dataclass_transform(frozen_default=True, kw_only_default=True)
class _Declared:
    """Makes each class below it a frozen dataclass with the stage and key that its first line
    declares.

    ``stage`` and ``key`` are formats of the event, as ``{0.id}``; ``type`` is the name of the class
    as ``article_judged`` unless another one is given.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]
    type: ClassVar[str]
    stage_form: ClassVar[str]
    key_form: ClassVar[str]

    def __init_subclass__(cls, *, type: str = "", stage: str = "", key: str = "") -> None:
        dataclass(frozen=True, kw_only=True)(cls)
        if key:
            cls.type = type or re.sub(r"(?<!^)([A-Z])", r"_\1", cls.__name__).lower()
            cls.stage_form, cls.key_form = stage, key


class Event(_Declared):
    """Base of all events. ``seq`` counts from 0; ``t`` is seconds since the run started."""

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


class RunStarted(Event, stage="run", key="run"):
    """The request as checked, and the settings that the answer will state. ``started_at`` is ISO
    8601, UTC.

    ``source_address`` is where the source is asked, without user and password, or for a local
    source which index was searched; None where the source says neither.
    """

    request: Any
    settings: dict[str, Any]
    notices: tuple[str, ...]
    started_at: str
    source_address: str | None = None


class StreamedText(Event):
    """A piece of a text as it streams; pieces are counted within an attempt. A pipeline names a
    kind for each stage that streams."""

    attempt: int
    piece: int
    text: str


class StreamedReset(Event):
    """The text that came so far is void: streaming starts anew as attempt ``attempt``."""

    attempt: int


class Warned(Event, type="warning", stage="{0.where}", key="warning {0.about}"):
    """Something the reader of the answer should know; ``about`` makes the key unique."""

    about: str
    text: str
    where: str = "run"


class CostIncurred(Event, type="cost", stage="{0.where}", key="cost {0.call}"):
    """A model's reply with what it used: what makes a resumed run ask nothing twice. ``call`` is
    unique in the run.
    """

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


class StageTimed(Event, stage="{0.where}", key="timed {0.where}"):
    """The duration of a step, in seconds of wall time."""

    where: str
    seconds: float


class Answered(Event, type="answer", stage="run", key="answer"):
    """The end of a run that went through; ``answer`` is the JSON answer, the fold of all events
    before this one.
    """

    answer: dict[str, Any]


class RunFailed(Event, stage="run", key="failed {0.after}"):
    """The end of a run that could not go on; it can be resumed. ``after`` is the number of events
    before this one.
    """

    problem: str
    error: str
    exit_status: int
    retryable: bool
    after: int = 0


class RunCancelled(Event, stage="run", key="cancelled {0.after}"):
    """The end of a run that was asked to stop; it can be resumed. ``after`` is the number of events
    before this one.
    """

    after: int = 0


COMMON: tuple[type[Event], ...] = (
    RunStarted,
    Warned,
    CostIncurred,
    StageTimed,
    Answered,
    RunFailed,
    RunCancelled,
)
"""The kinds that a run of any pipeline may emit besides its own."""


def to_json(event: Event) -> dict[str, Any]:
    """The JSON form of one event."""
    head = {
        "schema": SCHEMA,
        "seq": event.seq,
        "key": event.key,
        "type": event.type,
        "stage": event.stage,
        "t": event.t,
    }
    body = {name: getattr(event, name) for name in _field_names(type(event)) if name not in head}
    return {**head, **plain(body)}


def plain(value: Any) -> Any:
    """A value as JSON has it: objects as mappings, tuples as lists."""
    import msgspec

    return msgspec.json.decode(msgspec.json.encode(value))


def dumps(event: Event) -> str:
    """One line of JSON, without the line end."""
    return json.dumps(to_json(event), ensure_ascii=False)


class EventTypes:
    """The kinds of events of a pipeline, by type, and the class of its requests: what reads saved
    events back.

    ``upgraded`` gives the form of an event that schema 1 wrote the words of today's.
    """

    gone: ClassVar = frozenset(("evidence_extracted", "found_so_far"))
    """Types that version 0.3.0 wrote, and without which a run is whole."""

    def __init__(
        self,
        request: type,
        own: Iterable[type[Event]],
        upgraded: Callable[[dict[str, Any]], dict[str, Any]] = lambda form: form,
    ) -> None:
        self._request, self._upgraded = request, upgraded
        self.kinds = {kind.type: kind for kind in (*own, *COMMON)}
        """Kind by type."""

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
        kind = self.kinds.get(form["type"])
        if kind is None:
            return None
        names = _field_names(kind)
        try:
            event: Event = msgspec.convert(
                {name: form[name] for name in form if name in names}, learned(kind)
            )
            if isinstance(event, RunStarted):
                asked: Any = msgspec.convert(event.request, learned(self._request))
                event = replace(event, request=asked)
        except (msgspec.ValidationError, OverflowError, RecursionError) as error:
            raise RecordError(
                f"event {str(form.get('key'))[:60]!r} cannot be read: {error}"
            ) from None
        return event

    def loads(self, lines: Iterable[str]) -> Iterator[Event]:
        """The events of lines as `dumps` wrote them; blank lines and unknown types are skipped.

        Raises RecordError for a line that is not an event.
        """
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                form = json.loads(line)
            except json.JSONDecodeError as error:
                raise RecordError(f"line {number} is not JSON: {error.msg}") from None
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
