"""Calls of a program: runs of any pipeline with models of the caller's own, and their answers."""

from __future__ import annotations

import asyncio
import inspect
import os
import warnings
from collections.abc import (
    AsyncIterator,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from functools import wraps
from numbers import Integral
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, cast

from clinfo import errors
from clinfo.errors import NOTHING_FOUND, UsageError
from clinfo.files import file_errors, private_files, whole_file
from clinfo.runs import saved
from clinfo.runs.events import Event, dumps
from clinfo.runs.pipeline import Log, Pipeline
from clinfo.runs.protocols import ChatModel, ModelReply, ModelRequest, StreamReset
from clinfo.runs.saved import ended

if TYPE_CHECKING:
    from clinfo.settings import Settings

Value = TypeVar("Value")
Record = TypeVar("Record")
Function = TypeVar("Function", bound=Callable[..., Any])
OwnModel = Callable[[str], Any]
"""A model of one's own, which may be ``async``: the whole prompt in, the reply out, as a text or as
an API gives it (parts, a message, an object).
"""
Model: TypeAlias = "str | ChatModel | OwnModel | Own | None"
"""A model's name, or a model of the caller's own."""


_PATH = (str, os.PathLike)
_KINDS: Mapping[str, tuple[str, tuple[type, ...]]] = {
    "str": ("text", (str,)),
    "int": ("a whole number", (Integral,)),
    "str | Path": ("a path", _PATH),
    "str | Path | None": ("a path", (*_PATH, type(None))),
}
"""What an argument is by how its type is written."""


def door(function: Function) -> Function:
    """A public function that raises UsageError for arguments that it does not take."""
    taken = inspect.signature(function)

    @wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        try:
            bound = taken.bind(*given, **named)
        except TypeError as error:
            takes = ", ".join(taken.parameters)
            raise UsageError(f"{function.__name__}: {error}; it takes {takes}") from None
        for name, value in bound.arguments.items():
            held = inspect.formatannotation(taken.parameters[name].annotation)
            written = held.strip("'").replace("pathlib.", "")
            several = "Sequence[" in written or "Iterable[" in written
            what, kinds = _KINDS.get(written, ("a list", (Iterable, os.PathLike)))
            if (several or written in _KINDS) and not isinstance(value, kinds):
                raise UsageError(f"{name}: must be {what}, not {type(value).__name__}")
        return function(*given, **named)

    return cast("Function", called)


class PipelineAnswer(Generic[Log, Record]):
    """The answer of a run, as far as its ``events`` go; ``record`` is all that it says. ``status``
    is the exit status that the command line would have: 0, or 3 where nothing is found.
    """

    def __init__(
        self,
        pipeline: Pipeline[Any, Log],
        build: Callable[[Log], Record],
        says: Callable[[Record], Any],
        events: Sequence[Event],
    ) -> None:
        self.events = tuple(events)
        self._pipeline, self._log = pipeline, pipeline.log(events)
        self.record = build(self._log)
        self.status = 0 if says(self.record) else NOTHING_FOUND

    def to_dict(self) -> dict[str, Any]:
        """The JSON answer."""
        return self._pipeline.answer(self._log) or {}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.events,)

    def _repr_html_(self) -> str:
        return in_notebook(self._pipeline.name, self.record, self._log)

    def save(self, path: str | Path) -> None:
        """Write the answer in the form that the name ends in (.docx, .html, .md, .json, .ris, …).
        Where it ends in .jsonl, the run is kept, for `clinfo.replay` and ``--replay``. Raises
        UsageError for another name, and where it cannot be written.
        """
        place = Path(path)
        if place.suffix.lower() == ".jsonl":
            content = "".join(f"{dumps(event)}\n" for event in self.events).encode()
        else:
            file_of = resolve_name("clinfo.render.forms:file_of")
            content = file_of(place, self._pipeline, self.record, self._log)
        cannot = f"{place} cannot be written"
        with file_errors(cannot), private_files(), whole_file(place, None) as file:
            file.write(content)


def in_notebook(what: str, *shown: Any) -> str:
    """HTML of an answer or of hits, by the renderer, which stands above all pipelines."""
    return str(resolve_name(f"clinfo.render.notebook:{what}")(*shown))


@dataclass(frozen=True)
class _Called:
    """A callable as a ChatModel. Where its text goes is not known, so it counts as remote; nor is
    what it costs.
    """

    call: OwnModel
    name: str
    remote: bool = True
    notices: tuple[str, ...] = ()
    context_tokens: int | None = None

    def count_tokens(self, text: str) -> int:
        return len(text) // 4 + 1

    def worst_cost(self, request: ModelRequest) -> float | None:
        return None

    async def complete(self, request: ModelRequest) -> ModelReply:
        prompt = "\n\n".join(message.content for message in request.messages)
        asynchronous = inspect.iscoroutinefunction(self.call)
        reply = self.call(prompt) if asynchronous else await asyncio.to_thread(self.call, prompt)
        if inspect.isawaitable(reply):
            reply = await reply
        text = reply
        if not isinstance(reply, str):
            from clinfo.llm.gate import text_of

            text = text_of(reply)
        if text is None or (isinstance(reply, dict) and not _wanted(text, request)):
            keys = f" with {', '.join(map(str, reply))[:60]}" if isinstance(reply, dict) else ""
            came = "None" if reply is None else f"a {type(reply).__name__}{keys}"
            raise errors.ModelError(f"the model {self.name} gave no text but {came}")
        return ModelReply(text, self.name, cost_usd=None)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | StreamReset | ModelReply]:
        reply = await self.complete(request)
        yield reply.text
        yield reply


def _wanted(text: str, request: ModelRequest) -> bool:
    """Return whether the text of an object may be the reply: none of JSON is prose, nor has one of
    a form without any of its fields.
    """
    if not text.startswith("{") or request.tools:
        return True
    fields = {"": 0} if request.schema is None else request.schema.get("properties", {})
    return not fields or any(f'"{field}"' in text for field in fields if field)


class Own:
    """A ChatModel of the caller's. What it raises becomes a ModelError with the text of its error;
    ``raised`` holds the errors by that message, since a run's events carry texts alone.
    """

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.raised: dict[str, Exception] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    async def complete(self, request: ModelRequest) -> ModelReply:
        with self._told(request):
            return await self._model.complete(request)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | StreamReset | ModelReply]:
        with self._told(request):
            async for part in self._model.stream(request):
                yield part

    @contextmanager
    def _told(self, request: ModelRequest) -> Iterator[None]:
        from clinfo.llm.error_words import excerpt

        try:
            yield
        except errors.ClinfoError:
            raise
        except Exception as error:
            said = f"{type(error).__name__}{excerpt(error, request)}"
            failed = errors.ModelError(f"the model {self._model.name} failed: {said}")
            self.raised[str(failed)] = error
            raise failed from error


def named_model(model: Model) -> str | None:
    """The name of a model, None for none."""
    return model if isinstance(model, str) or model is None else _name(model)


def _name(model: ChatModel | OwnModel | Own) -> str:
    return str(getattr(model, "name", None) or getattr(model, "__name__", type(model).__name__))


def kind_of(given: object) -> str:
    """What was given, by its class; a class itself by its name."""
    return f"the class {given.__name__}" if isinstance(given, type) else type(given).__name__


def refuse_part(what: str, given: object, wanted: type) -> None:
    """Raise UsageError where an object of the caller's lacks something of a protocol."""
    lacking = [name for name in vars(wanted) if name[0] != "_" and not hasattr(given, name)]
    if lacking:
        raise UsageError(f"{what}: {kind_of(given)} has no {', '.join(lacking)}")


def own_model(model: ChatModel | OwnModel | Own) -> Own:
    """The model of a caller as one whose errors are told."""
    if isinstance(model, Own):
        return model
    if isinstance(model, type) or not (hasattr(model, "complete") or callable(model)):
        told = "give a name, a function from a prompt to a reply, or a ChatModel"
        raise UsageError(f"model: {kind_of(model)} is none; {told}")
    if hasattr(model, "complete"):
        refuse_part("model", model, ChatModel)
    return Own(model if hasattr(model, "complete") else _Called(model, _name(model)))  # type: ignore[arg-type]


async def new_events(
    pipeline: Pipeline[Any, Any],
    settings: Settings,
    request: Any,
    model: Model,
    after: Sequence[Event],
    **given: Any,
) -> AsyncIterator[Event]:
    """The new events of a run; whoever stops to read them ends it."""
    if model is not None and not isinstance(model, str):
        given["models"] = dict.fromkeys(request.models, own_model(model))
    carrier = await asyncio.to_thread(pipeline.assemble, settings, request, after, **given)
    async with aclosing(carrier.run(request, after=after)) as events:  # type: ignore[type-var]
        async for event in events:
            yield event


def carried_out(
    pipeline: Pipeline[Any, Any],
    settings: Settings,
    request: Any,
    model: Model,
    save: str | Path | None,
) -> Sequence[Event]:
    """The events of a run that came to its answer, kept in a file where ``save`` names one."""
    own = own_model(model) if model is not None and not isinstance(model, str) else None
    path = None if save is None else Path(save)
    before = saved.unfinished(path, request, pipeline) if path is not None else []
    new = new_events(pipeline, settings, request, own or model, before)
    return waited_for(to_the_end(pipeline, new, before, path, own))


async def to_the_end(
    pipeline: Pipeline[Any, Any],
    new: AsyncIterator[Event],
    before: Sequence[Event],
    path: Path | None,
    own: Own | None,
) -> Sequence[Event]:
    """All events of a run, ``new`` ones written to a file as they happen."""
    keeping: saved.Saving | None = None
    events = list(before)
    try:
        async for event in new:
            if path is not None and keeping is None:  # a request that is refused leaves no file
                keeping = saved.Saving(path, pipeline.events, before, warnings.warn)
            events.append(event)
            if keeping is not None:
                keeping.put(event)
    finally:
        if keeping is not None:
            keeping.close()
    return ended(events, own.raised if own else None)


def waited_for(work: Coroutine[Any, Any, Value]) -> Value:
    """The result of ``work``, in a thread of its own where an event loop already runs."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    begun: list[asyncio.Task[Any]] = []

    async def noted() -> Value:
        begun.extend(filter(None, [asyncio.current_task()]))
        return await work

    with ThreadPoolExecutor(1, "clinfo") as thread:
        running = thread.submit(asyncio.run, noted())
        try:
            return running.result()
        except KeyboardInterrupt:
            for task in begun:
                task.get_loop().call_soon_threadsafe(task.cancel)
            raise
