"""A recorded run judged again: the texts it shows, by today's checks. Nothing is searched and no
model is asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace

from clinfo import __version__
from clinfo.claims.edition import CHECKS
from clinfo.claims.verify import check_summary
from clinfo.errors import ModelError, UsageError
from clinfo.pipelines.literature.chain import Chain
from clinfo.pipelines.literature.declared import PROMPTS
from clinfo.pipelines.literature.events import (
    AnswerWithheld,
    RunStarted,
    SentenceChecked,
    SentencesRemoved,
    SummaryChecked,
    TldrRefused,
)
from clinfo.pipelines.literature.run_log import LiteratureLog
from clinfo.records.articles import Part, RunRequest, text_of
from clinfo.runs.events import (
    Answered,
    CostIncurred,
    Event,
    RunCancelled,
    RunFailed,
    StageTimed,
    Warned,
)
from clinfo.runs.protocols import Clock, ModelReply, ModelRequest, StreamReset
from clinfo.runs.spending import MemoryBudget
from clinfo.sources.memory import Memory
from clinfo.text.dates import day

WRITTEN: tuple[Part, ...] = ("synthesis", "tldr")
_OF_CHECKS = (
    SentenceChecked,
    SentencesRemoved,
    TldrRefused,
    AnswerWithheld,
    Answered,
    RunFailed,
    RunCancelled,
)


@dataclass(frozen=True)
class Silent:
    """A ChatModel that is not asked again."""

    name: str
    remote: bool = False
    notices: tuple[str, ...] = ()
    context_tokens: int | None = None

    def count_tokens(self, text: str) -> int:
        return 0

    def worst_cost(self, request: ModelRequest) -> float | None:
        return 0.0

    async def complete(self, request: ModelRequest) -> ModelReply:
        raise ModelError("no model is called when a run is only checked again")

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | StreamReset | ModelReply]:
        yield await self.complete(request)


def can_check_again(run_log: LiteratureLog) -> bool:
    """Return whether a run has come to an answer with sentences that can be judged again."""
    return "answer" in run_log and any(map(run_log.sentences, WRITTEN))


def checked_again(events: Sequence[Event], clock: Clock) -> list[Event]:
    """The events of a run of its own: the recorded ones with the texts judged anew, strictly and by
    rules, to its answer.

    Raises UsageError where there is no answer with sentences to judge.
    """
    run_log = LiteratureLog(events)
    started = run_log.started
    if started is None or not can_check_again(run_log):
        raise UsageError("this run has no answer with sentences to check again")
    request = replace(started.request, judge="rules", strict=True, max_cost=None, max_seconds=None)
    kept = [_kept(event, run_log, request, clock) for event in events if not _is_of_checks(event)]
    kept += [
        CostIncurred(
            call=part,
            where=part,
            model=request.models.get(part, ""),
            reply=_shown(run_log, part),
            cached=True,
        )
        for part in WRITTEN
        if f"cost {part}" not in run_log
    ]
    before = [replace(event, seq=seq) for seq, event in enumerate(kept)]
    chain = Chain(
        {stage: Silent(name) for stage, name in request.models.items()},
        Memory(run_log.articles, name=str(started.settings.get("source", "")), clock=clock),
        PROMPTS.checked(),
        MemoryBudget(None),
        clock,
    )

    async def collected() -> list[Event]:
        return [event async for event in chain.run(request, after=before)]

    return [*before, *asyncio.run(collected())]


def _is_of_checks(event: Event) -> bool:
    timed = isinstance(event, StageTimed) and event.where in WRITTEN
    return (
        timed
        or isinstance(event, _OF_CHECKS)
        or (isinstance(event, Warned) and event.where == "verify")
    )


def _kept(event: Event, run_log: LiteratureLog, request: RunRequest, clock: Clock) -> Event:
    """A recorded event as it stands in the run that is checked again: with the texts that were
    shown, not those first written.
    """
    if isinstance(event, RunStarted):
        today = clock.now().date().isoformat()
        notice = (
            f"Checked again on {day(today)} by the rules of clinfo {__version__}; the search and "
            "the texts are as recorded."
        )
        first = event.settings.get("checked_first", event.settings.get("checks", 1))
        settings = {
            **event.settings,
            "judge": request.judge,
            "strict": request.strict,
            "checks": CHECKS,
        }
        settings |= {"checked_again": today, "checked_first": first}
        return replace(event, request=request, settings=settings, notices=(*event.notices, notice))
    if isinstance(event, CostIncurred) and event.call in WRITTEN:
        return replace(
            event, reply=_shown(run_log, "tldr" if event.call == "tldr" else "synthesis")
        )
    if isinstance(event, CostIncurred) and event.call.endswith(" repaired"):
        return replace(event, reply="")
    if isinstance(event, SummaryChecked):
        articles = {article.id: article for article in run_log.articles}
        return replace(event, sentences=check_summary(text_of(event.sentences), articles[event.id]))
    return event


def _shown(run_log: LiteratureLog, part: Part) -> str:
    sentences = run_log.sentences(part)
    return text_of([sentence for sentence in sentences if not sentence.added])
