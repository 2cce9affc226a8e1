"""The events of a finished cell in the one form that does not depend on what ran at once, how fast,
or after which interruptions.

Times are gone (``t``, seconds of calls and stages: 0, the answer's timings empty), events stand by
step of the chain and then by the article's rank, text that streamed is in one piece, and ends
before the last are left out. What a model's provider refused is said once, on its first call. The
answer is made anew from these events, so that its sums are added up in one order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from clinfo.llm.parameters import NOT_SENT
from clinfo.pipelines.literature.answer import answer_json, build_answer
from clinfo.pipelines.literature.events import (
    ArticleFlagged,
    ArticleJudged,
    LiteratureLog,
    SynthesisReset,
    SynthesisText,
)
from clinfo.runs.events import Answered, CostIncurred, Event, RunCancelled, RunFailed, StageTimed

_STEPS: Final = (
    "run_started",
    "question_flagged",
    "cost question2query",
    "question_understood",
    "query_repaired",
    "query_generated",
    "query_searched",
    "query_relaxed",
    "query_explained",
    "articles_fetched",
    "article_excluded",
    "article_flagged",
    "articles_not_assessed",
    "lines_counted",
    "terms_counted",
    "seed_studies_checked",
    "cost relevance",
    "article_judged",
    "articles_chased",
    "articles_reranked",
    "cost summary",
    "article_summarised",
    "summary_checked",
    "evidence_appraised",
    "context_cut",
    "cost synthesis",
    "synthesis_text",
    "cost tldr",
    "tldr_text",
    "cost verify",
    "sentence_checked",
    "sentences_removed",
    "tldr_refused",
    "answer_withheld",
    "warning",
    "stage_timed",
    "answer",
    "run_failed",
)
_PLACE: Final = {step: place for place, step in enumerate(_STEPS)}


def ordered(events: Iterable[Event]) -> list[Event]:
    """The events of one run in their lasting form, numbered from 0."""
    run_log = LiteratureLog(events)
    last = run_log.last_seq
    kept: list[Event] = []
    for event in _each(run_log):
        if isinstance(event, (SynthesisReset, SynthesisText, Answered, RunCancelled)):
            continue
        if isinstance(event, RunFailed):
            if event.seq != last:
                continue
            event = replace(event, after=0)
        kept.append(
            replace(event, t=0.0, seconds=0.0)
            if isinstance(event, (CostIncurred, StageTimed))
            else replace(event, t=0.0)
        )
    if streamed := run_log.streamed_synthesis:
        kept.append(SynthesisText(attempt=0, piece=0, text=streamed))
    ranks = {article.id: rank for rank, article in enumerate(run_log.articles)}
    kept.sort(key=lambda event: _key(event, ranks))
    kept = _said_once(kept)
    if "answer" in run_log:
        kept.append(Answered(answer={**answer_json(build_answer(kept)), "timings": {}}))
    return [replace(event, seq=number) for number, event in enumerate(kept)]


def _each(run_log: LiteratureLog) -> list[Event]:
    from clinfo.pipelines.literature.events import EVENTS

    return [event for kind in EVENTS.kinds.values() for event in run_log.all(kind)]


def _key(event: Event, ranks: dict[str, int]) -> tuple[int, int, list[Any]]:
    step = f"cost {event.where}" if isinstance(event, CostIncurred) else event.type
    natural = [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", event.key)]
    return _PLACE.get(step, _PLACE["warning"]), ranks.get(_article(event), -1), natural


def _article(event: Event) -> str:
    """The id of the article that an event is about, "" where it is about none or several."""
    if isinstance(event, ArticleJudged):
        return event.judgement.id
    if isinstance(event, ArticleFlagged):
        return event.notice.id
    if isinstance(event, CostIncurred):
        return event.call.split()[1] if " " in event.call else ""
    return str(getattr(event, "id", ""))


def _said_once(events: list[Event]) -> list[Event]:
    """Warnings of what a provider refuses come with whichever call was first to meet it; here with
    the model's first of all.
    """
    said: dict[str, set[str]] = {}
    for event in events:
        if isinstance(event, CostIncurred):
            said.setdefault(event.model, set()).update(
                text for text in event.warnings if _of_model(text)
            )
    first: set[str] = set()
    moved: list[Event] = []
    for event in events:
        if isinstance(event, CostIncurred):
            own = [text for text in event.warnings if not _of_model(text)]
            more = [] if event.model in first else sorted(said[event.model])
            first.add(event.model)
            event = replace(event, warnings=(*more, *own))
        moved.append(event)
    return moved


def _of_model(warning: str) -> bool:
    return warning.endswith(tuple(NOT_SENT.values()))
