"""Carries out a run of any pipeline: its events as they happen, its end whatever happens, and its
resumption from any prefix.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import traceback
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic

from clinfo.errors import BudgetReached, ClinfoError, UsageError
from clinfo.runs.events import Event, RunCancelled, RunFailed
from clinfo.runs.pipeline import Log, Pipeline, Request
from clinfo.runs.protocols import Budget, ChatModel, Clock
from clinfo.runs.recorder import Recorder
from clinfo.runs.tasks import cancelled

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Runner(Generic[Request, Log]):
    """Carries out runs of ``pipeline``: ``work`` does what a request asks, on a recorder that holds
    what is done already.
    """

    pipeline: Pipeline[Request, Log]
    work: Callable[[Recorder[Log], Request], Coroutine[Any, Any, None]]
    models: Mapping[str, ChatModel]
    budget: Budget
    clock: Clock

    async def run(
        self, request: Request, after: Iterable[Event] = (), cancel: asyncio.Event | None = None
    ) -> AsyncIterator[Event]:
        """The run's new events as they happen; the last is an Answered (which ``work`` emits), a
        RunFailed or a RunCancelled.

        ``after`` are the saved events of the same request to resume from; nothing in them is done
        again. Setting ``cancel`` ends the run with RunCancelled. Raises UsageError when ``after``
        belongs to another request; only what may be spent in money and time can differ.
        """
        events: asyncio.Queue[Event | None] = asyncio.Queue()
        recorder = Recorder(
            self.models,
            self.budget,
            self.clock,
            request.seed,
            self.pipeline.log(after),
            events.put_nowait,
        )
        begun = recorder.run_log.begun
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
            _to_the_end(recorder, self.work(recorder, request), cancel, events)
        )
        try:
            while (event := await events.get()) is not None:
                yield event
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task


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
