"""The declaration of a pipeline: its stages, its events, its request and how a run of it is carried
out.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from clinfo.records.request import EXTRACTIVE
from clinfo.runs.events import Answered, Event, EventTypes
from clinfo.runs.protocols import (
    MAX_OUTPUT_TOKENS,
    ChatModel,
    Message,
    ModelRequest,
)
from clinfo.runs.run_log import RunLog
from clinfo.runs.spending import StagePlan

if TYPE_CHECKING:
    import asyncio

    from pydantic import BaseModel

    from clinfo.runs.options import Options
    from clinfo.settings import Settings


class AnyRequest(Protocol):
    """The common part of every pipeline's request; it is a frozen dataclass that msgspec can write
    and read.

    ``models`` maps a stage to a model's name, ``max_cost`` is US dollars and ``max_seconds``
    seconds, None for no limit. One whose prompts can be edited has them as ``prompts``, by name.
    """

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def models(self) -> Mapping[str, str]: ...

    @property
    def seed(self) -> int: ...

    @property
    def max_cost(self) -> float | None: ...

    @property
    def max_seconds(self) -> float | None: ...


Request = TypeVar("Request", bound=AnyRequest)
Asked = TypeVar("Asked", bound=AnyRequest, contravariant=True)
Log = TypeVar("Log", bound=RunLog)


ONE_CALL = StagePlan(1, 1_000, 300)
"""The plan of a stage that every run has and its pipeline does not plan."""
_OPENING = "clinfo.pipelines.opening:assemble"


class Carrier(Protocol[Asked]):
    """A pipeline with what its runs need: models by stage, a budget, a clock."""

    @property
    def models(self) -> Mapping[str, ChatModel]: ...

    def run(
        self, request: Asked, after: Iterable[Event] = (), cancel: asyncio.Event | None = None
    ) -> AsyncIterator[Event]:
        """The new events of a run, as `clinfo.runs.engine.Runner.run` gives them."""


@dataclass(frozen=True)
class Step:
    """A part of a run, which its events name as their stage.

    ``doing`` says in words what it does ("judging"); ``part`` is the part of the run that it
    belongs to ("reading").
    """

    name: str
    doing: str = ""
    part: str = ""


@dataclass(frozen=True, kw_only=True)
class Stage(Step):
    """A step at which a model is asked.

    ``reply`` is the typed reply (`clinfo.runs.replies`), None where prose is expected. ``prompts``
    are the names of those that it may fill, that of every run first; each file says when, and what
    is put in. They are ``added`` where the stage came later than folders of prompts that users
    have: where one lacks the first, the built-in one is used, and that is said. Without
    ``required`` the stage has a model in some runs only. ``by_rule`` is the reply
    of the extractive model to variables and a seed. ``max_tokens`` limits what is to be read.
    ``variable`` names the stage in CLINFO_MODEL_<STAGE>, else its name does.
    """

    reply: type[BaseModel] | None = None
    prompts: tuple[str, ...] = ()
    added: bool = False
    required: bool = True
    by_rule: Callable[[Any, int], str] | None = None
    max_tokens: int = MAX_OUTPUT_TOKENS
    temperature: float = 0.0
    variable: str = ""

    def request(
        self,
        messages: tuple[Message, ...],
        variables: Mapping[str, Any],
        *,
        reply: type[BaseModel] | None = None,
        seed: int | None = None,
        attempt: int = 0,
    ) -> ModelRequest:
        """A question to the stage's model; ``variables`` are for one that reads no messages,
        ``reply`` takes the place of the stage's own.
        """
        schema, form, layout = None, "", ""
        if (kind := reply or self.reply) is not None:
            from clinfo.runs.replies import layout_of, schema_of

            schema, layout = schema_of(kind), layout_of(kind)
            form = str(getattr(kind, "form", ""))
        return ModelRequest(
            self.name,
            messages,
            variables,
            schema,
            self.temperature,
            self.max_tokens,
            seed=seed,
            attempt=attempt,
            form=form,
            layout=layout,
            reply=kind,
        )


def stages_of(steps: Iterable[Step]) -> tuple[Stage, ...]:
    """The steps at which a model is asked."""
    return tuple(step for step in steps if isinstance(step, Stage))


@dataclass(frozen=True)
class Doing:
    """The present work of a run: ``said`` as a sentence, ``awaits`` what it waits for and
    ``streaming`` the text that is being written, "" for nothing.
    """

    said: str = ""
    awaits: str = ""
    streaming: str = ""


def named(name: str) -> Callable[..., Any]:
    """The function ``MODULE:NAME``, looked up when it is called: a declaration names what carries
    it out, and does not import it.
    """

    def call(*given: Any, **more: Any) -> Any:
        return resolve_name(name)(*given, **more)

    return call


def recorded_answer(log: RunLog) -> dict[str, Any] | None:
    """The JSON answer that a run recorded, or None."""
    return next((event.answer for event in log.all(Answered)), None)


@dataclass(frozen=True)
class Pipeline(Generic[Request, Log]):
    """A system that the engine can run. ``name`` is its command's and its folder's, ``steps`` are
    in the order of a run.

    ``request`` is the class of its requests and ``log`` makes a run log of recorded events.
    ``work``, a coroutine function of a `clinfo.runs.engine.Run`, does what a request asks, on a
    record that holds what is done already; ``fold`` makes the JSON answer of a log (None: nothing
    can be told yet), which the engine records at the end, and ``recorded`` is what is shown of a
    log whose answer is recorded.

    ``parts`` makes what the runs of one request need beside models, prompts and budget, of a
    `clinfo.runs.engine.Opened` and of keywords of its own; it raises ClinfoError where the request
    cannot be carried out, as ``refuse`` does before any model is made. ``cached`` says that models'
    replies may be kept for other runs; of requests ``of_patients`` none is, and their models must
    be allowed to see patients' records.

    ``requested`` makes a request of settings and what a person gives, ``declared`` names the
    options of its class, ``MODULE:NAME`` (`clinfo.runs.options.Options`). ``tools`` are the
    kinds of tools that an agent may have of it, each ``MODULE:NAME``
    (`clinfo.pipelines.tools.Kind`).

    ``plans`` are the calls that a run of a request needs, by stage, where that is not one call.
    ``handed_out`` makes of the events of a whole run what `clinfo.replay` gives.

    While a run goes on, ``told`` gives the lines that tell of an event, once it is in the log, and
    ``doing`` what is done now.
    """

    name: str
    steps: tuple[Step, ...]
    events: EventTypes
    request: type[Request]
    work: Callable[[Any], Any]
    fold: Callable[[Log], dict[str, Any] | None]
    log: Callable[[Iterable[Event]], Log] = RunLog  # type: ignore[assignment]
    parts: Callable[..., Any] | None = None
    refuse: Callable[[Settings, Request], None] | None = None
    of_patients: Callable[[Settings, Request], bool] = lambda settings, request: False
    cached: bool = True
    recorded: Callable[[Log, dict[str, Any]], dict[str, Any]] = lambda log, answer: answer
    requested: Callable[..., Request] | None = None
    declared: str = ""
    plans: Callable[[Request], Mapping[str, StagePlan]] = lambda request: {}
    told: Callable[[Log, Any], Iterable[str]] = lambda log, event: ()
    doing: Callable[[Log, Request], Doing] = lambda log, request: Doing()
    tools: tuple[str, ...] = ()
    handed_out: Callable[[Sequence[Event]], Any] = lambda events: recorded_answer(RunLog(events))

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The steps at which a model is asked."""
        return stages_of(self.steps)

    def assemble(
        self, settings: Settings, request: Request, after: Iterable[Event] = (), **given: Any
    ) -> Carrier[Request]:
        """Return what carries out a request; `clinfo.pipelines.opening.assemble` says what may be
        ``given``. Raises ClinfoError before any call where that cannot be done.
        """
        carrier: Carrier[Request] = named(_OPENING)(self, settings, request, after, **given)
        return carrier

    @property
    def options(self) -> Options:
        """The options of a request, by name."""
        found: Options = resolve_name(self.declared)
        return found

    def answer(self, log: Log) -> dict[str, Any] | None:
        """The JSON answer that a log holds, as far as the run got; None before it began."""
        known = log.get(Answered, "answer")
        if known is not None:
            return self.recorded(log, known.answer)
        return self.fold(log) if log.started is not None else None

    def stage_models(self, settings: Settings) -> dict[str, str]:
        """The names of the models that the environment sets for single stages, by stage."""
        named = {
            stage.name: settings.model_by_variable.get((stage.variable or stage.name).lower())
            for stage in self.stages
        }
        return {stage: name for stage, name in named.items() if name is not None}

    def chosen_models(self, settings: Settings, model: str | None) -> dict[str, str | None]:
        """The name of the model of every stage that always has one: ``model`` whatever the
        environment says, else that of the environment for the stage, or for all.
        """
        single = self.stage_models(settings) if model is None else {}
        everywhere = model if model is not None else settings.model
        return {one.name: single.get(one.name, everywhere) for one in self.stages if one.required}

    def planned(self, request: Request) -> dict[str, StagePlan]:
        """The calls of language models that a run of the request may need, by stage."""
        once = dict.fromkeys((stage.name for stage in self.stages if stage.required), ONE_CALL)
        plans, models = once | dict(self.plans(request)), request.models
        return {one: plans[one] for one in plans if models.get(one, EXTRACTIVE) != EXTRACTIVE}

    def same_run(self, first: Request, second: Request) -> bool:
        """Return whether a run of one request can be resumed with the other: only the limits of
        money and time may differ, and the models of stages that every run has since, or no longer.
        """
        now = {stage.name: stage for stage in self.stages}
        models = {
            stage: name
            for stage, name in second.models.items()
            if stage in now and now[stage].required and stage not in first.models
        }
        models |= {stage: name for stage, name in first.models.items() if stage in now}
        limits: dict[str, Any] = {"max_cost": None, "max_seconds": None}
        return replace(first, models=models, **limits) == replace(second, **limits)
