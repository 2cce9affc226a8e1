"""Carries out a run of any pipeline: its events as they happen, its end whatever happens, and its
resumption from any prefix.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import traceback
from collections.abc import AsyncIterator, Collection, Coroutine, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from clinfo import __version__
from clinfo.cache import Cache
from clinfo.errors import BudgetReached, ClinfoError, UsageError
from clinfo.records.request import EXTRACTIVE
from clinfo.runs.events import Answered, CostIncurred, Event, RunCancelled, RunFailed, RunStarted
from clinfo.runs.pipeline import Log, Pipeline, Request
from clinfo.runs.protocols import Budget, ChatModel, Clock
from clinfo.runs.recorder import Deadline, Recorder
from clinfo.runs.tasks import cancelled
from clinfo.settings import Settings

logger = logging.getLogger(__name__)
Parts = TypeVar("Parts")
UNREAD = "Prompts were changed; without a language model none is read, so that this has no effect."


@dataclass(frozen=True)
class Opened:
    """The things that every run is given: models by stage, prompts by name, a budget, a clock, the
    cache where something of it may be kept, and the events ``after`` which it goes on.
    """

    settings: Settings
    models: Mapping[str, ChatModel]
    prompts: Mapping[str, Any]
    budget: Budget
    clock: Clock
    cache: Cache | None = None
    after: tuple[Event, ...] = ()

    @property
    def remote(self) -> bool:
        """Return whether a model is elsewhere."""
        return any(model.remote for model in self.models.values())


class Run(Generic[Request, Log, Parts]):
    """One run of a pipeline, as its work has it: the request, the record of what is done, models,
    prompts, the deadline, and the ``parts`` that are the pipeline's own.
    """

    def __init__(
        self, runner: Runner[Request, Log, Parts], request: Request, recorder: Recorder[Log]
    ) -> None:
        self.pipeline, self.request, self.parts = runner.pipeline, request, runner.parts
        self.opened, self.settings = runner.opened, runner.opened.settings
        self.models, self.prompts = runner.opened.models, runner.opened.prompts
        self.recorder, self.run_log = recorder, recorder.run_log
        self.emit, self.ask, self.warn = recorder.emit, recorder.ask, recorder.warn
        self.timed = recorder.timed
        self.deadline = Deadline(request.max_seconds, recorder)

    def start(
        self, notices: Iterable[str] = (), source_address: str | None = None, **own: Any
    ) -> None:
        """Record the beginning of the run, with the settings that its answer states: those of every
        run and the pipeline's ``own``.
        """
        edited = getattr(self.request, "prompts", {})
        self._tell_changed_prompts()
        settings = {
            "version": __version__,
            "pipeline": self.pipeline.name,
            "models": {stage: self.models[stage].name for stage in self.request.models},
            **own,
            "prompts": {name: one.sha256 for name, one in sorted(self.prompts.items())},
            "prompts_edited": sorted(edited),
        }
        self.emit(
            RunStarted(
                request=self.request,
                settings=settings,
                notices=tuple(dict.fromkeys(notices)),
                started_at=self.opened.clock.now().isoformat(timespec="seconds"),
                source_address=source_address,
            )
        )

    def _tell_changed_prompts(self) -> None:
        """Name the prompts that were filled in a run that goes on and read otherwise since."""
        if (begun := self.run_log.started) is None:
            return
        asked = {event.where for event in self.run_log.all(CostIncurred)}
        before = begun.settings.get("prompts", {})
        now = {name: prompt.sha256 for name, prompt in self.prompts.items()}
        changed = [
            name
            for stage in self.pipeline.stages
            for name in (stage.prompts if stage.name in asked else ())
            if name in before and before[name] != now.get(name)
        ]
        if changed:
            version = begun.settings.get("version", "of unknown version")
            named = ", ".join(changed)
            self.warn(
                f"prompts {named}",
                f"This run was begun by clinfo {version}, whose prompts read otherwise ({named}); "
                "the replies that it had got stay.",
                "run",
            )

    def asks(self, stage: str) -> bool:
        """Return whether a language model is asked at a stage."""
        return stage in self.models and self.models[stage].name != EXTRACTIVE

    def window(self, stage: str) -> int:
        """The tokens that the language model of a stage reads at once; that a number is assumed is
        told.
        """
        model, tokens = self.models[stage], self.settings.context_tokens
        if model.context_tokens is not None:
            return model.context_tokens
        told = f"The context window of {model.name} is not known: {tokens:,} tokens are assumed"
        self.warn("window", f"{told} (CLINFO_CONTEXT_TOKENS).", "run")
        return tokens

    def noted(self, stages: Collection[str]) -> tuple[str, ...]:
        """Notices that the models of some stages owe an answer, each once; and one of prompts
        that were edited where one of the stages reads none.
        """
        there = [stage for stage in stages if stage in self.models]
        found = [note for stage in there for note in self.models[stage].notices]
        if getattr(self.request, "prompts", {}) and not all(map(self.asks, there)):
            found.append(UNREAD)
        return tuple(dict.fromkeys(found))


@dataclass(frozen=True)
class Runner(Generic[Request, Log, Parts]):
    """Carries out runs of ``pipeline`` with what was opened for a request; it holds nothing of a
    single run.
    """

    pipeline: Pipeline[Request, Log]
    opened: Opened
    parts: Parts

    @property
    def models(self) -> Mapping[str, ChatModel]:
        """The models by stage."""
        return self.opened.models

    async def run(
        self, request: Request, after: Iterable[Event] = (), cancel: asyncio.Event | None = None
    ) -> AsyncIterator[Event]:
        """The run's new events as they happen; the last is an Answered, a RunFailed or a
        RunCancelled.

        ``after`` are the saved events of the same request to resume from; nothing in them is done
        again. Setting ``cancel`` ends the run with RunCancelled. Raises UsageError when ``after``
        belongs to another request; only what may be spent in money and time can differ.
        """
        events: asyncio.Queue[Event | None] = asyncio.Queue()
        recorder = Recorder(
            self.models,
            self.opened.budget,
            self.opened.clock,
            request.seed,
            self.pipeline.log(after),
            events.put_nowait,
        )
        begun = recorder.run_log.started
        if len(recorder.run_log) and (
            begun is None or not self.pipeline.same_run(begun.request, request)
        ):
            raise UsageError(
                "the saved events belong to another request; a saved run can only be resumed with "
                "the same request"
            )
        if "answer" in recorder.run_log:
            return
        task = asyncio.create_task(
            _to_the_end(recorder, self._answered(recorder, request), cancel, events)
        )
        try:
            while (event := await events.get()) is not None:
                yield event
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _answered(self, recorder: Recorder[Log], request: Request) -> None:
        await self.pipeline.work(Run(self, request, recorder))
        recorder.emit(Answered(answer=self.pipeline.fold(recorder.run_log) or {}))


async def _to_the_end(
    recorder: Recorder[Log],
    work: Coroutine[Any, Any, None],
    cancel: asyncio.Event | None,
    events: asyncio.Queue[Event | None],
) -> None:
    """Run, whatever happens end with one last event, then None."""
    working = asyncio.create_task(work)
    waiting = asyncio.create_task(cancel.wait()) if cancel else None
    try:
        await asyncio.wait(
            [working, waiting] if waiting else [working], return_when=asyncio.FIRST_COMPLETED
        )
        if not working.done():
            await cancelled([working])
            recorder.emit(RunCancelled(after=len(recorder.run_log)))
        else:
            await working
    except ClinfoError as error:
        recorder.emit(_failure(error, len(recorder.run_log)))
    except Exception as error:  # a fault of ours must still end the stream with what was done
        logger.debug("a run failed unexpectedly", exc_info=True)
        recorder.emit(_failure(internal(error), len(recorder.run_log)))
    finally:
        await cancelled([task for task in (working, waiting) if task is not None])
        events.put_nowait(None)


def internal(error: Exception) -> ClinfoError:
    """A fault of ours, named by its kind and place only: its text might hold what no message
    may.
    """
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(place.filename).name}:{place.lineno}"
    return ClinfoError(f"internal error; please report it: {type(error).__name__} in {where}")


def _failure(error: ClinfoError, after: int) -> RunFailed:
    return RunFailed(
        problem=str(error),
        error=type(error).__name__,
        exit_status=error.exit_status,
        retryable=error.retryable or isinstance(error, BudgetReached),
        after=after,
    )
