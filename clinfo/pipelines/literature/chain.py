"""The chain: its models, source, prompts and budget, and the way a run of it ends whatever happens.

    question ─► queries ─► search, fused ─► withhold, screen ─► judge ─► summarise ─► synthesis ─► TL;DR ─► answer
                                                                  │ ▲
                                                                  └─┘ articles that relevant ones lead to (chase)

What happens in between is `clinfo.pipelines.literature.search.searching` and `clinfo.pipelines.literature.run`. Everything that happens is an event; a run goes on from any
prefix of its events.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import traceback
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from clinfo.claims.learned import EntailmentJudge
from clinfo.errors import BudgetReached, ClinfoError, UsageError
from clinfo.integrity.retractions import Retractions
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.literature.events import Event, RunCancelled, RunFailed
from clinfo.pipelines.literature.run import Run
from clinfo.records.articles import RunRequest
from clinfo.runs.protocols import ArticleSource, Budget, ChatModel, Clock, MeshLookup
from clinfo.runs.recorder import Recorder
from clinfo.runs.tasks import cancelled

logger = logging.getLogger(__name__)


class Chain:
    """A chain with its models (by stage), source, prompts and budget; it holds nothing of a single run.

    ``concurrency`` is the number of articles of a run that are read at a time. Without ``mesh`` no heading of a generated
    query can be checked, without ``retractions`` (a list) only what PubMed's own records tell of retractions is known, without
    ``learned`` no text is read by a learned judge.
    """

    def __init__(
        self,
        models: Mapping[str, ChatModel],
        source: ArticleSource,
        prompts: Mapping[str, Prompt],
        budget: Budget,
        clock: Clock,
        concurrency: int = 32,
        mesh: MeshLookup | None = None,
        retractions: Retractions | None = None,
        learned: EntailmentJudge | None = None,
    ) -> None:
        self.models = models
        self.source = source
        self.prompts = prompts
        self.budget = budget
        self.clock = clock
        self.concurrency = concurrency
        self.mesh = mesh
        self.retractions = retractions
        self.learned = learned

    async def run(
        self, request: RunRequest, after: Iterable[Event] = (), cancel: asyncio.Event | None = None
    ) -> AsyncIterator[Event]:
        """The run's new events as they happen; the last is an Answered, a RunFailed or a RunCancelled.

        ``after`` are the saved events of the same request to go on from; nothing in them is done again. Setting ``cancel``
        ends the run with RunCancelled. Raises UsageError when ``after`` belongs to another request; only what may be spent in
        money and time can differ.
        """
        events: asyncio.Queue[Event | None] = asyncio.Queue()
        recorder = Recorder(self.models, self.budget, self.clock, request.seed, after, events.put_nowait)
        started = recorder.transcript.started
        if len(recorder.transcript) and (started is None or _without_limits(started.request) != _without_limits(request)):
            raise UsageError("the saved events belong to another request; a run goes on only with the request it began with")
        if "answer" in recorder.transcript:
            return
        run = Run(
            self.models, self.source, self.prompts, self.clock, self.concurrency, request, recorder, self.mesh, self.retractions,
            self.learned,
        )  # fmt: skip
        task = asyncio.create_task(self._to_the_end(run, cancel, events))
        try:
            while (event := await events.get()) is not None:
                yield event
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _to_the_end(self, run: Run, cancel: asyncio.Event | None, events: asyncio.Queue[Event | None]) -> None:
        """Run, whatever happens end with one last event, then None."""
        work = asyncio.create_task(run.answer())
        waiting = asyncio.create_task(cancel.wait()) if cancel else None
        transcript = run.recorder.transcript
        try:
            await asyncio.wait([work, waiting] if waiting else [work], return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                await cancelled([work])
                run.recorder.emit(RunCancelled(after=len(transcript)))
            else:
                await work
        except ClinfoError as error:
            run.recorder.emit(_failure(error, len(transcript)))
        except Exception as error:  # a fault of ours must still end the stream with what was done
            logger.debug("a run failed unexpectedly", exc_info=True)
            run.recorder.emit(_failure(_internal(error), len(transcript)))
        finally:
            await cancelled([task for task in (work, waiting) if task is not None])
            events.put_nowait(None)


def _without_limits(request: RunRequest) -> RunRequest:
    return replace(request, max_cost=None, max_seconds=None)


def _internal(error: Exception) -> ClinfoError:
    """A fault of ours, named by its kind and place only: its text might hold what no message may."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(place.filename).name}:{place.lineno}"
    return ClinfoError(f"internal error, please report it: {type(error).__name__} in {where}")


def _failure(error: ClinfoError, after: int) -> RunFailed:
    return RunFailed(
        problem=str(error),
        error=type(error).__name__,
        exit_status=error.exit_status,
        retryable=error.retryable or isinstance(error, BudgetReached),
        after=after,
    )
