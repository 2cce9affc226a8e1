"""The chain: its models, source, prompts and budget, and the way a run of it ends whatever happens.

    question ─► queries ─► search, fused ─► exclude, prescreen ─► judge ─► summarise ─► synthesis ─► TL;DR ─► answer
                                                                  │ ▲
                                                                  └─┘ articles that relevant ones lead to (chase)

What happens in between is `clinfo.pipelines.literature.search.search_stage` and
`clinfo.pipelines.literature.run`. Everything that happens is an event; a run goes on from any
prefix of its events.
"""  # noqa: E501

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from clinfo.claims.learned import ReadingJudge
from clinfo.integrity.retractions import Retractions
from clinfo.llm.prompts import Prompt
from clinfo.pipelines.literature.declared import LITERATURE
from clinfo.records.articles import RunRequest
from clinfo.runs.engine import Runner
from clinfo.runs.events import Event
from clinfo.runs.pipeline import named
from clinfo.runs.protocols import Budget, ChatModel, Clock
from clinfo.sources.protocols import ArticleSource, MeshLookup


@dataclass(frozen=True)
class Chain:
    """A chain with its models (by stage), source, prompts and budget; it holds nothing of a single
    run.

    ``concurrency`` is the number of articles of a run that are read at a time. Without ``mesh`` no
    heading of a generated query can be checked, without ``retractions`` (a list) only what PubMed's
    own records tell of retractions is known, without ``learned`` no text is read by a learned
    judge. What the ``earlier`` events of another run judged and summarised alike is not paid for
    again.
    """

    models: Mapping[str, ChatModel]
    source: ArticleSource
    prompts: Mapping[str, Prompt]
    budget: Budget
    clock: Clock
    concurrency: int = 32
    mesh: MeshLookup | None = None
    retractions: Retractions | None = None
    learned: ReadingJudge | None = None
    earlier: tuple[Event, ...] = ()

    def run(
        self, request: RunRequest, after: Iterable[Event] = (), cancel: asyncio.Event | None = None
    ) -> AsyncIterator[Event]:
        """The run's new events as they happen; the last is an Answered, a RunFailed or a
        RunCancelled.

        ``after`` are the saved events of the same request to go on from; nothing in them is done
        again. Setting ``cancel`` ends the run with RunCancelled. Raises UsageError when ``after``
        belongs to another request; only what may be spent in money and time can differ.
        """

        work = partial(named("clinfo.pipelines.literature.run:carried_out"), self)
        return Runner(LITERATURE, work, self.models, self.budget, self.clock).run(
            request, after, cancel
        )
